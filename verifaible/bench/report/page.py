"""The report as one HTML file that loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verifaible.bench.report import markdown as report
from verifaible.bench.report.charts import CHARTS, charts
from verifaible.bench.report.markdown import not_verified
from verifaible.bench.report.summary import ModelSummary
from verifaible.bench.report.tables import Findings, rate
from verifaible.bench.report.usage import GOAL_SHARE, SEED_INPUT_A_CASE
from verifaible.reporting.charts import Chart
from verifaible.reporting.pages import page_head, read_style, templates_of
from verifaible.reporting.tables import Table, plain

_HOME = "verifaible.bench"


def page(found: Findings) -> str:
    """The whole report; every text that is not ours is escaped."""
    lines, more = not_verified(found)
    return tables_page(
        report.title(found),
        report.made_of(found),
        report.warnings(found),
        report.all_tables(found),
        {chart.name: chart for chart in charts(found)},
        headlines=_headlines(found),
        lines=lines,
        more=more,
    )


def tables_page(
    title: str,
    said: Sequence[str],
    told: Sequence[str],
    tables: Sequence[Table],
    drawings: Mapping[str, Chart] | None = None,
    **more: Any,
) -> str:
    """A page of tables.

    Args:
        title: its heading.
        said: sentences below it.
        told: what a reader must know first.
        tables: in order.
        drawings: charts by name.
        more: what else the template shows.
    """
    known = drawings or {}
    values: dict[str, Any] = {"headlines": [], "lines": [], "more": 0, **more}
    return (
        templates_of(_HOME)
        .get_template("report.html")
        .render(
            head=page_head(read_style(_HOME, "report.css"), pictures=False, indexed=False),
            title=title,
            made_of=said,
            warnings=told,
            sections=[(table, known.get(CHARTS.get(table.title, ""))) for table in tables],
            not_ours=report.NOT_OURS if any(row.published for table in tables for row in table.rows) else "",
            hashes=report.HASHES,
            **values,
        )
    )


def _headlines(found: Findings) -> list[tuple[str, str, str]]:
    """Name, figure and remark of what the best model reached."""
    if not found.summaries:
        return []
    best = found.summaries[0]
    share = best.input_tokens / best.trials / SEED_INPUT_A_CASE
    told = [
        ("Average score", f"{best.average:.1f}", _interval(best)),
        ("Verified", f"{best.verified.count}/{best.verified.of}", rate(best.verified).partition(" ")[2]),
    ]
    if best.input_tokens:
        told.append(
            (
                "Input tokens a trial",
                f"{share * 100:.0f} %",
                f"of 88.9K; the goal is {GOAL_SHARE * 100:.0f} %",
            )
        )
    if best.cost.per_verified is not None:
        told.append(("US dollars", f"{best.cost.per_verified:.4f}", "a verified trial"))
    name = plain(best.model)
    return [(f"{name}: {label}", figure, remark) for label, figure, remark in told]


def _interval(one: ModelSummary) -> str:
    return "" if one.average_low == one.average_high else f"{one.average_low:.1f}-{one.average_high:.1f}"
