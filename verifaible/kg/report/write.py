"""A graph's report in a terminal and as a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from verifaible.errors import ConfigError
from verifaible.kg.report.report import Report
from verifaible.reporting.pages import read_style, render
from verifaible.reporting.tables import Table, markdown_page
from verifaible.runs.lines import write_whole

_FORMS: Final = (".html", ".md", ".json", ".xlsx")


def json_of(report: Report) -> dict[str, Any]:
    """The report for programs; shares are from 0 to 1."""
    tables = [each.as_json() for each in report.tables]
    return {"title": report.title, "warnings": list(report.warnings), "tables": tables}


def show(report: Report, *, as_json: bool = False, only: Sequence[str] = ()) -> None:
    """Print a report, as tables (all, or those of these names) or as JSON."""
    if as_json:
        click.echo(json.dumps(json_of(report), ensure_ascii=False, indent=1))
        return
    tables = [each for each in report.tables if not only or each.name in only]
    click.echo("\n".join([*report.warnings, "", *map(_as_text, tables)]))


def _as_text(table: Table) -> str:
    return table.as_text() + (f"{table.source}\n" if table.source else "")


def writable_form(path: Path) -> str:
    """The form that a file's name asks for.

    Raises:
        ConfigError: there is no such form, or no such folder.
    """
    form = path.suffix.lower()
    if form not in _FORMS:
        raise ConfigError(f"--out {path}: unknown extension. Use {', '.join(_FORMS)}.")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"--out {path}: its folder does not exist. Create it, or name another file.")
    return form


def write_report(report: Report, path: Path) -> None:
    """Write a report as HTML, Markdown, JSON or a workbook, by the ending of its name.

    Raises:
        ConfigError: there is no such form or folder, or openpyxl is not installed.
        RunError: it cannot be written.
    """
    form = writable_form(path)
    if form == ".xlsx":
        _workbook(report, path)
    elif form == ".json":
        write_whole(path, json.dumps(json_of(report), ensure_ascii=False, indent=1) + "\n")
    elif form == ".md":
        source = next((each.source for each in report.tables if each.source), "")
        write_whole(path, markdown_page(report.title, (), report.warnings, report.tables, source=source))
    else:
        write_whole(path, _page(report))


def _page(report: Report) -> str:
    return render(
        "graph_report.html",
        css=read_style("verifaible.judge", "judged.css"),
        packages=("verifaible.kg.report",),
        report=report,
    )


def _workbook(report: Report, path: Path) -> None:
    """A sheet a table as it is read, and one of all figures with their intervals."""
    from verifaible.reporting.workbook import Book
    from verifaible.runs.lines import usable

    book = Book(path)
    for table in report.tables:
        sheet = book.sheet(table.name.capitalize(), table.columns)
        for texts in table.texts:
            sheet.add(texts)
        for line in (*report.warnings, table.title, table.note, table.source):
            sheet.add([line])
    figures = book.sheet("Figures", ("table", "row", "column", "value", "low", "high", "n", "of"))
    for table in report.tables:
        for row in table.rows:
            told = " / ".join(cell.text for cell in row.cells if cell.state == "text")
            for name, cell in zip(table.columns, row.cells, strict=True):
                if cell.value is not None:
                    ends = (cell.low, cell.high, cell.n, cell.of)
                    figures.add([table.name, told, name, cell.value, *ends])
    with usable(path):
        book.save()
