"""The tables and charts of a bench report in the reader's language; the figures stay the report's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifaible.bench.report.appendix import failures
from verifaible.bench.report.charts import Chart, charts
from verifaible.bench.report.summary import is_error
from verifaible.bench.report.tables import PUBLISHED, Findings, score_tables
from verifaible.bench.report.usage import same_cases, token_details, usage_tables
from verifaible.reporting.tables import Table, plain
from verifaible.scoring import published
from verifaible.serve.wording import Words, texts

if TYPE_CHECKING:
    from verifaible.schema.run import TrialResult

#: Which chart stands above which table.
_CHARTS = {
    "Leaderboard": "average",
    "Verified score": "verified",
    "Categories": "categories",
    "Failures": "failures",
    "Tokens and cost": "tokens",
    "Cost": "cost",
}
#: The score of a trial that lacks nothing.
FULL: Final = 100
_SUFFIX = f" ({PUBLISHED})"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its name, its figures, and whether they were published and not measured here."""

    name: str
    cells: tuple[str, ...]
    published: bool


@dataclass(frozen=True, slots=True)
class ShownBar:
    """A bar of a chart with its label in the reader's language; ``y`` is the label's line, in pixels."""

    y: int
    label: str
    whole: str
    shown: str
    segments: tuple[tuple[float, float, str, str], ...]
    whisker: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class ShownChart:
    """A chart as geometry, in per cent of the width, with what it says in words."""

    name: str
    title: str
    described: str
    height: int
    bars: tuple[ShownBar, ...]
    ticks: tuple[tuple[float, str], ...]
    mark: tuple[float, str] | None
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A table of a report with its chart, for a page; ``anchor`` is its name in the address."""

    anchor: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str
    chart: ShownChart | None


@dataclass(frozen=True, slots=True)
class Cell:
    """A trial in the matrix."""

    trial: int
    score: int
    verified: bool
    error: bool


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A case in the matrix: its trials by model, and the published scores; empty cells are no trials."""

    case: str
    cells: tuple[tuple[Cell, ...], ...]
    published: tuple[str, ...]

    @staticmethod
    def mark(cells: tuple[Cell, ...]) -> str:
        """How a cell is coloured: ``full`` if all is verified, ``none`` if nothing scored, else ``part``."""
        if all(cell.verified and cell.score == FULL for cell in cells):
            return "full"
        return "part" if any(cell.score for cell in cells) else "none"


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every score: models and published models are the columns, cases the rows."""

    models: tuple[str, ...]
    published: tuple[str, ...]
    rows: tuple[MatrixRow, ...]


class Terms:
    """The words of reports in one language.

    Args:
        language: ``en``, ``zh`` or ``ja``.
    """

    def __init__(self, language: str) -> None:
        self._texts = texts(language)
        self.words = Words(language)

    def __call__(self, text: str) -> str:
        """A word of a report in the reader's language; what has none, such as a name, stays."""
        return self._texts.get(f"run.term.{text}", text)

    def note(self, table: Table, values: Mapping[str, object]) -> str:
        """What stands below a table of a report."""
        known = self._texts.get(f"run.note.{table.title}", "{note}") if table.note else ""
        return known.format(note=table.note, **values)

    def label(self, text: str) -> str:
        """The same of a label, behind which may stand that it was published."""
        if text.endswith(_SUFFIX):
            return self.words("run.published_name", name=text.removesuffix(_SUFFIX))
        return self(text)


def sections(found: Findings, terms: Terms) -> tuple[Section, ...]:
    """Every table of the report but the matrix, each with its chart."""
    beside, why = same_cases(found), failures(found)
    tables = (
        *score_tables(found),
        *([beside] if beside else []),
        *([why] if why.rows else []),
        *usage_tables(found),
        token_details(found),
    )
    return shown_tables(found, tables, terms)


def shown_tables(found: Findings, tables: Sequence[Table], terms: Terms) -> tuple[Section, ...]:
    """Tables of a report in the reader's language, with their charts."""
    drawn = {chart.name: chart for chart in charts(found)}
    values = _note_values(found)
    return tuple(_section(table, drawn.get(_CHARTS.get(table.title, "")), terms, values) for table in tables)


def _section(table: Table, chart: Chart | None, terms: Terms, values: Mapping[str, object]) -> Section:
    translated = table.title == "Failures"
    rows = tuple(
        Row(
            name=terms(row[0])
            if translated
            else row[0].removesuffix(_SUFFIX if at in table.published else ""),
            cells=tuple(map(terms, row[1:])),
            published=at in table.published,
        )
        for at, row in enumerate(table.rows)
    )
    return Section(
        anchor="-".join(table.title.lower().split()),
        title=terms(table.title),
        columns=tuple(map(terms, table.columns)),
        rows=rows,
        note=terms.note(table, values),
        chart=_chart(chart, terms) if chart else None,
    )


def _note_values(found: Findings) -> dict[str, object]:
    """What notes name, besides the figures of their tables."""
    return {
        "k": max((one.k for one in found.summaries), default=1),
        "cells": f"{published.cell_total('DeepSeek-R1'):,}",
        "repeated": sum(one.cost.repeated for one in found.summaries),
        "lost": f"{sum(one.cost.lost_tokens for one in found.summaries):,}",
        "unanswered": sum(one.cost.unanswered for one in found.summaries),
    }


def _chart(chart: Chart, terms: Terms) -> ShownChart:
    bars = tuple(
        ShownBar(
            y=bar.y,
            label=bar.label if bar.label.endswith("…") else terms.label(bar.label),
            whole=terms.label(bar.whole_label),
            shown=bar.shown,
            segments=tuple((each.x, each.width, each.kind, each.text) for each in bar.segments),
            whisker=bar.whisker,
        )
        for bar in chart.bars
    )
    mark = chart.mark
    return ShownChart(
        name=chart.name,
        title=terms(chart.title),
        described="; ".join(f"{bar.whole}: {bar.shown}" if bar.shown else f"{bar.whole}" for bar in bars),
        height=chart.height,
        bars=bars,
        ticks=chart.ticks,
        mark=(mark[0], terms.words("run.goal", amount=mark[1].removeprefix("goal "))) if mark else None,
        legend=tuple((kind, terms(label)) for kind, label in chart.legend),
    )


def matrix_of(found: Findings) -> Matrix:
    """Every trial's score, by case and model, in the order of the report."""
    models = [one.model for one in found.summaries]
    cells: dict[tuple[str, str], list[Cell]] = {}
    for result in found.pool.results:
        cells.setdefault((result.case, result.model), []).append(_cell(result))
    printed = {case.case: case.scores for case in published.CASES}
    names = tuple(model.name for model in found.published)
    known = bool(names)
    rows = tuple(
        MatrixRow(
            case=case,
            cells=tuple(tuple(cells.get((case, model), ())) for model in models),
            published=tuple(map(str, printed.get(case, ("-",) * len(names)))) if known else (),
        )
        for case in found.cases
    )
    return Matrix(tuple(models), names, rows)


def _cell(result: TrialResult) -> Cell:
    return Cell(result.trial, result.score, result.verified, is_error(result))


def told(found: Findings, terms: Terms) -> list[str]:
    """What a reader must know before the figures (``warnings`` of the report)."""
    t, lines = terms.words, []
    for run in found.pool.runs:
        name = plain(run.info.id)
        if run.info.finished_at is None:
            lines.append(t("run.warn.unfinished", run=name))
        if (replayed := run.info.replayed) is not None:
            lines.append(
                t(
                    "run.warn.replayed",
                    run=name,
                    source=plain(replayed.run),
                    exact=replayed.exact,
                    differing=replayed.differing,
                )
            )
    lines += [
        t("run.warn.not_rankable", model=plain(one.model), errors=one.errors, trials=one.trials)
        for one in found.summaries
        if not one.rankable
    ]
    lines += [
        t("run.warn.not_comparable" if each.grave else "run.warn.differs", what=plain(each.message))
        for each in found.pool.differences
    ]
    return lines
