"""Claims beside the sentence that they retell."""

import pytest

from tests.unit.judge.check.made import claim, source
from verifaible.judge.check.retold import Retelling
from verifaible.text.nearest import Passages

PAGE = """Acme annual report 2023
In 2023 Acme Corporation had revenue of $12.1 million, up 5% from 2022.
Acme employed 340 people at the end of 2023.
Acme opened 14 shops in Norway in 2023. It runs 80 km of pipes near Oslo.
Cloud had revenue of $3.4 million and Devices of $7.8 million.
The price of copper fell 4.5% in March 2023.
Acme paid a dividend of 2.5 euros per share in April 2023.
The company reports on its business each year and describes what it does in some detail for its owners.
"""


def verdict(text: str) -> str:
    read = [source(PAGE, title="Acme")]
    found = Retelling(read, Passages([PAGE])).decide(claim(text))
    return found.verdict if found is not None else ""


@pytest.mark.parametrize(
    "text",
    [
        "In 2023 Acme had revenue of $12.1 million, up 5%",
        "At the end of 2023, Acme employed 340 people",
        "In Norway, Acme opened 14 shops in 2023",
    ],
)
def test_the_same_values_in_the_same_words_support(text: str) -> None:
    assert verdict(text) == "exact"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Acme had revenue of $12.7 million in 2023", id="digit"),
        pytest.param("Acme employed 430 people at the end of 2023", id="order of digits"),
        pytest.param("In 2022 Acme had revenue of $12.1 million", id="year"),
        pytest.param("Acme opened 14 shops in Norway in 2021", id="year that stands nowhere"),
        pytest.param("It runs 80 miles of pipes near Oslo", id="unit"),
        pytest.param("Acme revenue was $12.1 billion in 2023", id="scale"),
        pytest.param("Acme paid a dividend of 2.5 dollars per share in April 2023", id="currency"),
        pytest.param("Copper fell 4.5 percentage points in March 2023", id="points"),
        pytest.param("The price of copper rose 4.5% in March 2023", id="direction"),
    ],
)
def test_one_value_that_differs_contradicts(text: str) -> None:
    assert verdict(text) == "refuted"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Acme revenue was about $12 million in 2023", id="rounded"),
        pytest.param("Acme revenue rose by $0.6 million in 2023", id="worked out"),
        pytest.param("Acme opened 12 shops in Sweden in 2023", id="of something else"),
        pytest.param("Bolt opened 14 shops in Norway in 2023", id="another name"),
        pytest.param("Devices had revenue of $3.4 million", id="several values"),
        pytest.param("Acme had revenue of $11.5 million in 2022", id="another period and value"),
        pytest.param("Acme expects to grow", id="no value"),
    ],
)
def test_what_is_less_plain_is_left(text: str) -> None:
    assert verdict(text) == ""


def test_a_value_that_another_source_has_is_not_contradicted() -> None:
    other = "Acme had revenue of $12.7 million in 2023, its owners were told in a letter."
    read = [source(PAGE, title="Acme"), source(other, name="2")]
    found = Retelling(read, Passages([PAGE, other])).decide(
        claim("Acme had revenue of $12.7 million in 2023")
    )
    assert found is None or found.verdict == "exact"
