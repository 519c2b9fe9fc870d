"""The tables and charts of a bench report in the reader's language; the figures stay the report's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from verifaible.bench.report.appendix import failures, trials_of
from verifaible.bench.report.charts import CHARTS, charts
from verifaible.bench.report.tables import Findings, score_tables
from verifaible.bench.report.usage import same_cases, token_details, usage_tables
from verifaible.reporting.charts import Bar, Chart
from verifaible.reporting.tables import Table, plain
from verifaible.scoring import published
from verifaible.serve.wording import Terms

if TYPE_CHECKING:
    from verifaible.schema.run import TrialResult

#: A table with the chart above it.
Section: TypeAlias = tuple[Table, Chart | None]
#: Which chart stands above which table; here the tokens are drawn where they are told first.
_CHARTS: Final = {**CHARTS, "Tokens and cost": "tokens", "Context economy": ""}
#: The score of a trial that lacks nothing.
FULL: Final = 100


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A case in the matrix: its trials by model, and the published scores; empty cells are no trials."""

    case: str
    cells: tuple[Sequence[TrialResult], ...]
    published: tuple[str, ...]

    @staticmethod
    def mark(cells: Sequence[TrialResult]) -> str:
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
    drawn = {chart.name: _shown(chart, terms) for chart in charts(found)}
    values = {
        "k": max((one.k for one in found.summaries), default=1),
        "cells": f"{published.cell_total('DeepSeek-R1'):,}",
        "repeated": sum(one.cost.repeated for one in found.summaries),
        "lost": f"{sum(one.cost.lost_tokens for one in found.summaries):,}",
        "unanswered": sum(one.cost.unanswered for one in found.summaries),
    }
    return tuple(
        (
            terms.table(table, names=table.title == "Failures", **values),
            drawn.get(_CHARTS.get(table.title, "")),
        )
        for table in tables
    )


def _shown(chart: Chart, terms: Terms) -> Chart:
    def said(bar: Bar) -> Bar:
        label = bar.label if bar.label.endswith("…") else terms(bar.label)
        return replace(bar, label=label, whole_label=terms(bar.whole_label))

    bars = tuple(map(said, chart.bars))
    mark = chart.mark
    return replace(
        chart,
        title=terms(chart.title),
        described="; ".join(f"{bar.whole_label}: {bar.shown}".removesuffix(": ") for bar in bars),
        bars=bars,
        mark=(mark[0], terms.words("run.goal", amount=mark[1].removeprefix("goal "))) if mark else None,
        legend=tuple((kind, terms(label)) for kind, label in chart.legend),
    )


def matrix_of(found: Findings) -> Matrix:
    """Every trial's score, by case and model, in the order of the report."""
    models = [one.model for one in found.summaries]
    trials = trials_of(found)
    printed = {case.case: tuple(map(str, case.scores)) for case in published.CASES if found.published}
    rows = tuple(
        MatrixRow(
            case=case,
            cells=tuple(trials.get((case, model), ()) for model in models),
            published=printed.get(case, ("-",) * len(found.published)),
        )
        for case in found.cases
    )
    return Matrix(tuple(models), tuple(model.name for model in found.published), rows)


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
