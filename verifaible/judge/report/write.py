"""The files of a report: ``report.html``, ``report.md``, ``tables.json`` and the workbooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from verifaible.errors import ConfigError
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report.report import Report, as_json, markdown, read_report
from verifaible.judge.report.report_page import page
from verifaible.judge.report.sheets import Workbooks
from verifaible.runs.lines import usable

HTML: Final = "report.html"
MARKDOWN: Final = "report.md"
TABLES: Final = "tables.json"


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
