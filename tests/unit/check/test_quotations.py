"""Quotations compared with their source word for word."""

import pytest

from tests.unit.check.made import source
from verifaible.check.quotations import compare, quotations_in

SAID = (
    "Jane Doe opened the meeting. “We expect the market to grow slowly in the next two years, and we will open three "
    "new shops in Norway,” she said. The meeting ended at noon, after the votes had been counted twice."
)


def verdict(text: str) -> str:
    (quotation,) = quotations_in(text)
    return compare(quotation, [source(SAID)]).outcome


@pytest.mark.parametrize(
    "quoted",
    [
        '"we will open three new shops in Norway"',
        "“We will open three new shops in Norway,”",
        "«the market to grow slowly in the next two years»",
        "„We expect the market to grow slowly“",
        '"We expect the market to grow slowly [...] and we will open three new shops"',
        '"we will open three **new** shops [1]"',
        '"[The company expects] the market to grow slowly in the next two years"',
    ],
)
def test_what_stands_there_is_exact(quoted: str) -> None:
    assert verdict(f"She said {quoted}.") == "supported"


@pytest.mark.parametrize(
    "quoted",
    [
        '"We expect the market to grow quickly in the next two years"',
        '"We expect the market to grow slowly in the next three years"',
        '"we will not open three new shops in Norway"',
        '"we will open three new shops in Sweden"',
        '"We expect the market to grow slowly … and we will close three new shops"',
    ],
)
def test_other_words_are_altered_and_the_source_is_told(quoted: str) -> None:
    (quotation,) = quotations_in(f"She said {quoted}.")
    found = compare(quotation, [source(SAID)])
    assert found.outcome == "contradicted"
    assert found.said in SAID and found.passages[0].quote in SAID


def test_words_that_nothing_resembles_are_absent_unless_they_are_a_title() -> None:
    assert verdict('She said "nobody has ever asked us for the figures of last winter".') == "not_found"
    assert verdict('She wrote "The Long Winter of Our Discontented Neighbours".') == "open"


def test_short_quotations_and_marks_are_none() -> None:
    assert quotations_in('The "new deal" of [1] and a 5" pipe, and a `"b c d e f"` code.') == []
