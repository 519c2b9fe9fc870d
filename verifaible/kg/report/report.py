"""The report of graphs: its tables, what a reader must know first; shown in a terminal, written as a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from verifaible.errors import ConfigError
from verifaible.kg.folder import GraphFolder
from verifaible.kg.graph.exports import csv_text
from verifaible.kg.ontology import Ontology, read_ontology
from verifaible.kg.report.judged import MODES, CoveragePoints, Judged, read_judged
from verifaible.kg.report.tables import (
    criteria_table,
    failures_table,
    items_table,
    ontology_table,
    relations_table,
    warnings_table,
)
from verifaible.kg.triples import NO_RESULT, SCRIPTED
from verifaible.reporting.pages import read_style, render
from verifaible.reporting.tables import Table, markdown_page
from verifaible.runs.lines import write_whole


@dataclass(frozen=True, slots=True)
class Report:
    """Tables, and what a reader must know before them."""

    title: str
    warnings: tuple[str, ...]
    tables: tuple[Table, ...]


def read_report(
    folders: Sequence[GraphFolder],
    *,
    runs: Sequence[str] = (),
    judges: Sequence[str] = (),
    points: CoveragePoints | None = None,
    published: bool = False,
    ontology: Ontology | None = None,
) -> Report:
    """The report of some graphs.

    Args:
        folders: one a filing.
        runs, judges: only these; all where none is named.
        points: what coverage counts, by default 100, 50 and 0 per cent.
        published: put the paper's own figures beside the criteria, if a model judged an extraction of one of
            the paper's modes.
        ontology: whose use is counted; by default the one that is shipped.

    Raises:
        ConfigError: there is no extraction, or none of that name, or no verdict of that judge.
        RunError: a file is damaged.
    """
    points = points or CoveragePoints()
    found = read_judged(folders, runs, judges)
    judged = [each for each in found if each.judge]
    asked = any(each.judge != SCRIPTED and each.run.partition("-")[0] in MODES for each in judged)
    tables = [ontology_table(found, ontology or read_ontology())]
    if judged:
        tables = [
            criteria_table(judged, points, published=published and asked),
            failures_table(judged, points),
            *tables,
        ]
    tables += [relations_table(found), items_table(found, points)]
    if judged:
        tables.append(warnings_table(judged))
    if scripted := sum(each.judge == SCRIPTED for each in judged):
        said = NO_RESULT if scripted == len(judged) else f"of the judge scripted: {NO_RESULT}"
        tables = [
            each if each.name == "ontology" else each.model_copy(update={"title": f"{each.title}: {said}"})
            for each in tables
        ]
    warnings = _warnings(found)
    if published and not asked:
        warnings.append(
            "--published: the paper's figures are of single, multi and reflection extraction, judged by a "
            "model. None of these is here, so they are left out."
        )
    filings = len({name for each in found for name in each.filings})
    title = f"Triples of {filings} filing{'' if filings == 1 else 's'}"
    return Report(title, tuple(warnings), tuple(tables))


def _warnings(found: Sequence[Judged]) -> list[str]:
    told = []
    filings = len({name for each in found for name in each.filings})
    if any(each.judge == SCRIPTED for each in found):
        told.append(f"Figures of the scripted judge: {NO_RESULT}. No model was asked.")
    if unjudged := [each.run for each in found if not each.judge]:
        told.append(f"Not judged: {', '.join(unjudged)}. Judge them with `verifaible kg judge FOLDER`.")
    if stray := sum(each.stray for each in found):
        verdicts = (
            "1 verdict is of a triple or chunk"
            if stray == 1
            else f"{stray:,} verdicts are of triples or chunks"
        )
        told.append(
            f"{verdicts} that the folder does not hold, and counted nowhere. Judge again what changed."
        )
    for each in found:
        if len(each.filings) < filings:
            told.append(f"{each.run} is of {len(each.filings)} of the {filings} filings: its text is less.")
    return list(dict.fromkeys(told))


_FORMS: Final = (".html", ".md", ".json", ".csv")


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
    """Write a report as HTML, Markdown, JSON, or its figures as CSV, by the ending of its name.

    Raises:
        ConfigError: there is no such form or folder.
        RunError: it cannot be written.
    """
    form = writable_form(path)
    if form == ".csv":
        write_whole(path, csv_text(_figures(report)))
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


def _figures(report: Report) -> list[dict[str, str | int | float | None]]:
    """Each figure of the tables with its interval."""
    return [
        {
            "table": table.name,
            "row": " / ".join(cell.text for cell in row.cells if cell.state == "text"),
            "column": name,
            "value": cell.value,
            "low": cell.low,
            "high": cell.high,
            "n": cell.n,
            "of": cell.of,
        }
        for table in report.tables
        for row in table.rows
        for name, cell in zip(table.columns, row.cells, strict=True)
        if cell.value is not None
    ]
