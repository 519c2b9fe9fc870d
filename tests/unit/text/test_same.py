"""Each row of the table of allowed differences, on both of its sides."""

from __future__ import annotations

import pytest

from tests.kit.cases import cases
from verifaible.old.text.same import Span, same


def compared(source: str, quote: str, **options: object) -> str:
    return same(source, 0, len(source), quote, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("It rose to 5.33%.", "It rose to 5.33%."),
        ("It rose\n to\u00a05.33 %", "It rose to 5.33 %"),
        ("全国 人口", "全国 人口"),
    ],
)
def test_the_same_but_for_white_space_is_exact(source: str, quote: str) -> None:
    assert compared(source, quote) == "exact"


@cases("same", "allowed")
def test_what_the_table_allows(source: str, quote: str) -> None:
    assert compared(source, quote) in ("allowed", "exact")


@cases("same", "refused")
def test_what_it_does_not(source: str, quote: str) -> None:
    assert compared(source, quote) == ""


def test_letter_case_is_free_where_the_style_makes_it() -> None:
    everywhere: tuple[Span, ...] = ((4, 8),)
    assert compared("The bank of", "The BANK of", cased=everywhere) == "allowed"
    assert compared("The bank of", "The BANK OF", cased=everywhere) == ""


def test_a_hyphen_at_a_line_end_of_a_pdf_may_belong_to_the_word_or_not() -> None:
    for quote in ("the Wirtschaft grew", "the Wirt-schaft grew", "the Wirt- schaft grew"):
        assert compared("the Wirt-\nschaft grew", quote, broken_lines=True)
    assert not compared("the Wirt-\nschaft grew", "the Wirtschaft grew")
    assert compared("some 1,\n234 people", "some 1,234 people", broken_lines=True)


def test_what_surrounds_a_span_decides_about_its_sign() -> None:
    assert same("from −5 to", 5, 7, "-5") == "allowed"
    assert same("from a −b", 7, 9, "-b") == ""


@cases("same", "table")
def test_each_row_of_the_table_has_two_sides(allowed: list[list[str]], refused: list[list[str]]) -> None:
    assert [pair for pair in allowed if not compared(*pair)] == []
    assert [pair for pair in refused if compared(*pair)] == []


@cases("same", "line end")
def test_a_line_end_of_a_pdf_joins_only_what_goes_on(source: str, quote: str, alike: bool) -> None:
    start = source.index(quote[:4])
    assert bool(same(source, start, len(source), quote, broken_lines=True)) is alike
