"""The report as one HTML file that loads nothing and runs nothing."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from verifaible.bench.report import markdown as report
from verifaible.bench.report.appendix import not_verified
from verifaible.bench.report.charts import charts
from verifaible.bench.report.summary import ModelSummary
from verifaible.bench.report.tables import Findings, rate
from verifaible.bench.report.usage import GOAL_SHARE, SEED_INPUT_A_CASE
from verifaible.reporting.pages import templates_of
from verifaible.reporting.tables import Table, plain

#: Which charts stand above which table.
_CHARTS = {
    "Leaderboard": ("average",),
    "Verified score": ("verified",),
    "Categories": ("categories",),
    "Failures": ("failures",),
    "Context economy": ("tokens",),
    "Cost": ("cost",),
}


def page(found: Findings) -> str:
    """The whole report; every text that is not ours is escaped."""
    lines, more = not_verified(found)
    drawn = {chart.name: chart for chart in charts(found)}
    return _render(
        "report.html",
        title=report.title(found),
        made_of=report.made_of(found),
        warnings=report.warnings(found),
        headlines=_headlines(found),
        sections=[
            (_anchor(table), table, [drawn[name] for name in _CHARTS.get(table.title, ()) if name in drawn])
            for table in report.all_tables(found)
        ],
        marks=_marks(found),
        lines=lines,
        more=more,
        not_ours=report.NOT_OURS if found.published else "",
        hashes=report.HASHES,
    )


def tables_page(title: str, said: list[str], told: list[str], tables: list[Table]) -> str:
    """A page of tables alone.

    Args:
        title: its heading.
        said: sentences below it.
        told: what a reader must know first.
        tables: in order.
    """
    return _render(
        "report.html",
        title=title,
        made_of=said,
        warnings=told,
        headlines=[],
        sections=[(_anchor(table), table, []) for table in tables],
        marks={},
        lines=[],
        more=0,
        not_ours=report.NOT_OURS if any(table.published for table in tables) else "",
        hashes=report.HASHES,
    )


def _anchor(table: Table) -> str:
    return "-".join(table.title.lower().split()).replace(",", "")


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


def _marks(found: Findings) -> dict[tuple[str, int], str]:
    """How a cell of the score matrix is coloured, by case and column."""
    columns = {one.model: at for at, one in enumerate(found.summaries, 1)}
    sums: dict[tuple[str, int], list[int]] = {}
    for result in found.pool.results:
        sums.setdefault((plain(result.case), columns[result.model]), []).append(result.score)
    return {
        place: "full" if min(each) == 100 else "none" if max(each) == 0 else "part"
        for place, each in sums.items()
    }


def _render(template: str, **values: object) -> str:
    from markupsafe import Markup

    style = (files("verifaible.bench") / "templates" / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = Markup(
        '<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">\n'
        "<style>{}</style>"
    ).format(policy, Markup(style))  # noqa: S704 - our own file, and a policy of our own making
    return templates_of("verifaible.bench").get_template(template).render(head=head, **values)
