"""Excerpts of tables, and reports on quotes."""

from __future__ import annotations

from verifaible.old.extract.tables import form_grid
from verifaible.schema.table import Grid, RawCell, RawTable
from verifaible.tools.action_steps import quote_report
from verifaible.tools.analyze_sections import table_excerpt


def grid(rows: int) -> Grid:
    head = (RawCell(text="Day", header=True), RawCell(text="10 Yr", header=True))
    body = tuple((RawCell(text=f"day {row}"), RawCell(text=f"4.{row}")) for row in range(rows))
    return form_grid(RawTable(rows=(head, *body), caption="Rates"))


def test_first_rows_and_how_many_are_left() -> None:
    assert table_excerpt(grid(5), 2).splitlines() == [
        "**Rates**",
        "",
        "| Day | 10 Yr |",
        "| --- | --- |",
        "| day 0 | 4.0 |",
        "| day 1 | 4.1 |",
        "… 3 other rows",
    ]


def test_only_the_named_rows() -> None:
    shown = table_excerpt(grid(30), 15, only=[21])
    assert "| day 20 | 4.20 |" in shown
    assert "| day 0 |" not in shown
    assert "… 29 other rows" in shown


def test_whole_table_says_nothing_of_a_rest() -> None:
    assert "other rows" not in table_excerpt(grid(3), 15)


def test_quote_in_its_surroundings() -> None:
    page = "x" * 200 + " The Board kept the rate at 5.4 percent, effective February 1, 2024. " + "y" * 200
    report = quote_report(page, "the rate at 5.4 percent")
    assert report.startswith("FOUND exactly, once:\n- …")
    assert "effective February 1, 2024" in report
    assert len(report) < 300


def test_changed_digit_is_never_found() -> None:
    report = quote_report(
        "The Board kept the rate at 5.4 percent.", "The Board kept the rate at 5.3 percent."
    )
    assert report.startswith("NOT FOUND exactly.")
    assert "[-5.3-]{+5.4+}" in report
