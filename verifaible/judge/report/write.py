"""The files of a report: ``report.html``, ``report.md``, ``tables.json`` and the workbooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from verifaible.errors import ConfigError
from verifaible.evidence.export import pages
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report.claim_views import STANDINGS, ClaimView, Standing
from verifaible.judge.report.report import (
    NOT_OURS,
    PROOF,
    Report,
    Shown,
    as_json,
    failure_lines,
    fault_lines,
    made_of,
    markdown,
    read_report,
    title,
    warnings,
)
from verifaible.judge.report.sheets import Workbooks
from verifaible.reporting.pages import read_style
from verifaible.reporting.tables import LEVELS
from verifaible.runs.lines import usable

HTML: Final = "report.html"
MARKDOWN: Final = "report.md"
TABLES: Final = "tables.json"
_PACKAGES = ("verifaible.judge", "verifaible.evidence")
#: Rows of the table of answers that a page shows; ``tables.json`` has all.
MAX_ROWS = 300


def write_outputs(folder: JudgeFolder, *, workbooks: bool = True) -> tuple[Path, ...]:
    """Write every report of a folder: ``report.html``, ``report.md``, ``tables.json`` and the workbooks.

    Args:
        folder: judged, or being judged.
        workbooks: whether to write those, too.

    Returns:
        The files.

    Raises:
        RunError: the folder holds no run, is damaged, or cannot be written.
        ConfigError: openpyxl is not installed; everything but the workbooks was written.
    """
    books: Workbooks | None = None
    lacking: ConfigError | None = None
    if workbooks:
        try:
            books = Workbooks(folder.path, folder.info)
        except ConfigError as error:
            lacking = error
    report = read_report(folder, books)
    made = [*_write_pages(folder.path, report), *(books.finish(report.results) if books else ())]
    if lacking is not None:
        raise lacking
    return tuple(made)


def _write_pages(path: Path, report: Report) -> list[Path]:
    tables = json.dumps(as_json(report), ensure_ascii=False, indent=1) + "\n"
    made = []
    for name, text in ((HTML, page(report)), (MARKDOWN, markdown(report)), (TABLES, tables)):
        with usable(path / name):
            temporary = path / f".{name}.new"
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path / name)
        made.append(path / name)
    return made


def page(report: Report) -> str:
    """``report.html``: one file that loads and runs nothing; every text that is not ours is escaped."""
    tables = [(table.anchor, table, max(0, len(table.rows) - MAX_ROWS)) for table in report.readable]
    hidden = len(report.results.answers) - len(report.shown)
    return pages.render(
        "judged.html",
        css=read_style("verifaible.judge", "judged.css"),
        packages=_PACKAGES,
        title=title(report),
        made_of=made_of(report),
        warnings=warnings(report),
        tables=tables,
        max_rows=MAX_ROWS,
        levels=LEVELS,
        shown=[(each, _grouped(each)) for each in report.shown],
        hidden=hidden,
        standings=STANDINGS,
        lists=[each for each in (failure_lines(report), fault_lines(report)) if each[1]],
        not_ours=NOT_OURS if any(table.source for table in report.readable) else "",
        proof=PROOF,
        open_up_to=3,
    )


def _grouped(shown: Shown) -> list[tuple[Standing, list[ClaimView]]]:
    """Claims by how they stand, the worst first."""
    return [
        (standing, claims)
        for standing in STANDINGS
        if (claims := [claim for claim in shown.claims if claim.standing == standing])
    ]
