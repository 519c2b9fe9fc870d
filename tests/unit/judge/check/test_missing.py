"""Values and names that stand nowhere in a source that was read whole."""

import pytest

from tests.unit.judge.check.made import claim, source
from verifaible.judge.check.missing import not_mentioned, value_missing

PAGE = (
    "International Business Machines sold 1,250 engines in 2023 and 1,000 in the year before. It has 48 works, of which "
    "it let 12. Its chief executive, Jane Doe, said that she was content with the year, and with the owners of the "
    "company, who had waited long for a dividend."
)


@pytest.mark.parametrize(
    "said", ["1,250 engines", "1.25 thousand engines", "25% more engines", "250 engines more"]
)
def test_a_value_that_stands_there_or_follows_from_two_is_not_missing(said: str) -> None:
    assert value_missing(claim(f"The company sold {said}"), [source(PAGE)]) == ""


@pytest.mark.parametrize(
    "said", ["about 1,300 engines", "1,700 engines in total", "3 engines", "more than 900 engines"]
)
def test_rough_made_up_of_several_or_small_values_are_not_looked_for(said: str) -> None:
    assert value_missing(claim(f"The company sold {said}"), [source(PAGE)]) == ""


def test_a_value_that_stands_nowhere_is_named() -> None:
    assert "1,473" in value_missing(claim("The company sold 1,473 engines"), [source(PAGE)])


def test_names_that_a_source_does_not_have_are_named() -> None:
    why = not_mentioned(claim("Globex Industries hired Hank Scorpio"), 0.1, [source(PAGE)])
    assert "Globex Industries" in why and "Hank Scorpio" in why


@pytest.mark.parametrize(
    ("text", "share"),
    [
        pytest.param("In the spring IBM was content", 0.1, id="initials"),
        pytest.param("At the time Jane Smith was content", 0.1, id="a part of a name"),
        pytest.param("Globex Industries hired 48 people", 0.1, id="a number that stands there"),
        pytest.param("Globex Industries hired Hank Scorpio", 0.6, id="a passage that is like it"),
        pytest.param("The company hired nobody", 0.1, id="no name"),
    ],
)
def test_whatever_may_be_about_it_is_left(text: str, share: float) -> None:
    assert not_mentioned(claim(text), share, [source(PAGE)]) == ""
