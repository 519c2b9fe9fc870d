"""The rows on speed and size that stand beside the accuracy, read from what ``make benchmark`` published."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"

_Row = Mapping[str, str]


def rows(page: str) -> list[tuple[str, str, str]]:
    """(measure, goal, measured) of each, from the text of ``docs/benchmarks.md``.

    Raises:
        LookupError: a table, row or column is not there any more.
    """
    cite = _row(page, "Making a citation", "median")
    verify = _row(page, "Verifying without a browser", "each by itself: hashes and signed entry")
    sizes = [row for row in _table(page, "Size of a capture") if row["sent"]]
    archive, whole = ([float(row[column]) for row in sizes] for column in ("archive / sent", "stored / sent"))
    large = {row["what"]: row for row in _table(page, "A store of 10,000 citations")}
    calls = [row for name, row in large.items() if name != "reindex"]
    return [
        ("cite on a local page, self-replay included: median", "<= 2.5 s", cite["cite"]),
        ("the same beside a bare load and screenshot", "<= 1.8 x", f"{cite['cite / bare']} x"),
        ("offline replay in a browser: median", "<= 2 s", cite["offline replay"]),
        ("verify, hashes only, one core", ">= 200/s", f"{verify['citations a second']}/s"),
        ("archive beside the bytes transferred", "<= 1.2 x", f"{min(archive)} to {max(archive)} x"),
        ("the whole capture, pictures included", "-", f"{min(whole)} to {max(whole)} x"),
        *(
            (f"10,000 citations, {name}: list, search, open, the slowest", "< 100 ms", _slowest(calls, name))
            for name in ("SQLite", "PostgreSQL")
        ),
        *(
            (f"10,000 citations, {name}: reindex", "< 60 s", large["reindex"][name])
            for name in ("SQLite", "PostgreSQL")
        ),
    ]


def _table(page: str, heading: str) -> list[_Row]:
    """The table of a section, a mapping by column for each row; a column's second use ends with 2."""
    section = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    if section is None:
        raise LookupError(f"docs/benchmarks.md has no section {heading!r}. Run make benchmark ARGS=--write.")
    lines = [line.strip("| ").split(" | ") for line in section[1].splitlines() if line.startswith("| ")]
    columns = [f"{name} 2" if name in lines[0][:place] else name for place, name in enumerate(lines[0])]
    return [dict(zip(columns, cells, strict=False)) for cells in lines[1:]]


def _row(page: str, heading: str, name: str) -> _Row:
    return next(row for row in _table(page, heading) if next(iter(row.values())) == name)


def _slowest(calls: Sequence[_Row], column: str) -> str:
    slowest = max(float(row[column].removesuffix(" ms")) for row in calls)
    return f"{slowest:g} ms"
