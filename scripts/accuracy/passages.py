"""Passages of PDF documents; the rows of ``tests/suites/passages`` say where on its page each line is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scripts.accuracy.outcome import Outcome, Result
from tests.kit import suites
from tests.kit.suites import Row
from verifaible.evidence.material import read_pdf
from verifaible.evidence.place import passage, place
from verifaible.schema.anchor import AnchorRequest, Rect


def _points(ink: list[float]) -> Iterator[tuple[float, float]]:
    """Places within the letters of a line, on the page as it is shown: the first, the last, how many."""
    x, y, last_x, last_y, count = ink
    for step in range(int(count)):
        part = step / max(count - 1, 1)
        yield x + part * (last_x - x), y + part * (last_y - y)


def _touched(line: dict[str, Any], rects: tuple[Rect, ...]) -> bool:
    return any(
        r.x <= x <= r.x + r.width and r.y <= y <= r.y + r.height
        for x, y in _points(line["ink"])
        for r in rects
    )


def _shown(row: Row, rects: tuple[Rect, ...]) -> bool:
    """Whether the rectangles touch each line that is cited and no other; some lines do not matter."""
    return all(
        _touched(line, rects) is line["cited"]
        for line in row.expect["lines"]
        if line.get("cited") is not None
    )


def _outcome(row: Row) -> tuple[Outcome, str]:
    given, verdicts = row.input, row.expect["verdicts"]
    request = AnchorRequest(
        evidence_type="pdf", quote=given["quote"], page_number=given.get("page"), near=given.get("near", "")
    )
    body = (suites.ROOT / given["file"]).read_bytes()
    placed = place(read_pdf(body, "https://example.org/a.pdf"), request)
    anchor = placed.anchor
    said = f"{placed.verdict}: {placed.text[:60]!r}"
    if "page" not in row.expect:
        if placed.verdict in verdicts:
            return "right", said
        return ("false verified" if placed.verdict in ("verified", "moved") else "wrong verdict"), said
    if anchor is None or placed.verdict not in verdicts:
        return "missed", said
    if anchor.page_number != row.expect["page"] or not _shown(row, passage(body, placed).rects):
        return "wrong place", f"{said} page {anchor.page_number}"
    return "right", said


def run() -> list[Result]:
    """Run the suite."""
    results: list[Result] = []
    for row in suites.load("passages"):
        came_to, said = _outcome(row)
        kind = row.kind if row.split == "dev" else f"{row.split}: {row.kind}"
        results.append(Result(kind, row.id, came_to, "" if came_to == "right" else said))
    return results
