"""Excerpts of tables, and reports on quotes."""

from __future__ import annotations

from verifaible.extract.document import Document
from verifaible.extract.html import html_document
from verifaible.schema.anchor import AnchorRequest
from verifaible.tools.action_steps import quote_report
from verifaible.tools.analyze_sections import table_excerpt


def rates(rows: int) -> Document:
    body = "".join(f"<tr><td>day {row}<td>4.{row}" for row in range(rows))
    return html_document(f"<table><caption>Rates</caption><tr><th>Day<th>10 Yr{body}</table>")


def report(page: str, quote: str) -> str:
    return quote_report(html_document(f"<p>{page}</p>", "https://a.example/"), AnchorRequest(quote=quote))


def test_first_rows_and_how_many_are_left() -> None:
    assert table_excerpt(rates(5), 0, 2).splitlines() == [
        "**Rates**",
        "",
        "| Day | 10 Yr |",
        "| --- | --- |",
        "| day 0 | 4.0 |",
        "| day 1 | 4.1 |",
        "… 3 other rows",
    ]


def test_only_the_named_rows() -> None:
    shown = table_excerpt(rates(30), 0, 15, only=[21])
    assert "| day 20 | 4.20 |" in shown
    assert "| day 0 |" not in shown
    assert "… 29 other rows" in shown


def test_whole_table_says_nothing_of_a_rest() -> None:
    assert "other rows" not in table_excerpt(rates(3), 0, 15)


def test_a_quote_is_shown_in_its_whole_sentence() -> None:
    sentence = "The Board kept the rate at 5.4 percent, effective February 1, 2024."
    found = report(f"It met. {sentence} It left.", "the rate at 5.4 percent")
    assert found == f"FOUND exactly, once:\n- {sentence}"


def test_changed_digit_is_never_found() -> None:
    found = report("The Board kept the rate at 5.4 percent.", "The Board kept the rate at 5.3 percent.")
    assert found.startswith("NOT FOUND exactly.")
    assert "[-5.3-]{+5.4+}" in found
