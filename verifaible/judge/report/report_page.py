"""The report as one HTML file that loads nothing and runs nothing."""

from __future__ import annotations

from verifaible.evidence.export import pages
from verifaible.judge.report import report as drawn
from verifaible.judge.report.claim_views import STANDINGS, ClaimView, Standing
from verifaible.reporting.pages import read_style
from verifaible.reporting.tables import LEVELS

_PACKAGES = ("verifaible.judge", "verifaible.evidence")
#: Rows of the table of answers that a page shows; ``tables.json`` has all.
MAX_ROWS = 300


def page(report: drawn.Report) -> str:
    """The whole report; every text that is not ours is escaped."""
    tables = [(table.anchor, table, max(0, len(table.rows) - MAX_ROWS)) for table in report.readable]
    hidden = len(report.results.answers) - len(report.shown)
    return pages.render(
        "judged.html",
        css=read_style("verifaible.judge", "judged.css"),
        packages=_PACKAGES,
        title=drawn.title(report),
        made_of=drawn.made_of(report),
        warnings=drawn.warnings(report),
        tables=tables,
        max_rows=MAX_ROWS,
        levels=LEVELS,
        shown=[(each, _grouped(each)) for each in report.shown],
        hidden=hidden,
        standings=STANDINGS,
        lists=[each for each in (drawn.failure_lines(report), drawn.fault_lines(report)) if each[1]],
        not_ours=drawn.NOT_OURS if any(table.source for table in report.readable) else "",
        proof=drawn.PROOF,
        open_up_to=3,
    )


def _grouped(shown: drawn.Shown) -> list[tuple[Standing, list[ClaimView]]]:
    """Claims by how they stand, the worst first."""
    return [
        (standing, claims)
        for standing in STANDINGS
        if (claims := [claim for claim in shown.claims if claim.standing == standing])
    ]
