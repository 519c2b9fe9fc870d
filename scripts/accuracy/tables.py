"""Cells named by their row and column headers."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import html

from scripts.accuracy.outcome import Outcome, Result
from tests.kit import suites
from tests.kit.suites import Row
from verifaible.browser import reading
from verifaible.browser.page.session import PageSession
from verifaible.browser.reading import FrameTable, FrameText, PageText
from verifaible.evidence.observing.material import PageMaterial
from verifaible.evidence.observing.places import place
from verifaible.old.extract.tables import raw_tables
from verifaible.schema.anchor import AnchorRequest

#: Classes that only a browser can read: ARIA roles and style.
_BROWSER_ONLY = ("ARIA",)


def _outcome(found: Sequence[FrameTable], row: Row) -> tuple[Outcome, str]:
    frame = FrameText(path=(), url="https://example.org/", start=0, text="")
    material = PageMaterial(
        url="https://example.org/", title="", page=PageText(frames=(frame,)), tables=tuple(found)
    )
    asked = AnchorRequest(evidence_type="table", row=row.input["row"], column=row.input["column"])
    placed = place(material, asked)
    said = f"{placed.verdict}: {placed.found!r}, nearest {placed.nearest!r}, {placed.candidates}"
    if row.expect["verdict"] == "refused":
        return ("false verified" if placed.verdict == "verified" else "right"), said
    if placed.verdict != "verified":
        return "missed", said
    return ("right" if placed.found in row.expect["cell"] else "wrong place"), said


def _result(found: Sequence[FrameTable], row: Row) -> Result:
    came_to, said = _outcome(found, row)
    kind = row.kind if row.split == "dev" else f"{row.split}: {row.kind}"
    return Result(kind, row.id, came_to, "" if came_to == "right" else said)


def run() -> list[Result]:
    """Run the cases that need no browser, on tables as the HTML parser gives them."""
    results: list[Result] = []
    for row in suites.load("cells"):
        if row.kind not in _BROWSER_ONLY:
            root = html.fromstring(f"<html><body>{row.input['html']}</body></html>")
            found = [FrameTable(frame_path=(), table=table) for table in raw_tables(root)]
            results.append(_result(found, row))
    return results


async def run_in(session: PageSession) -> list[Result]:
    """Run all cases, on tables as an open page of Chromium gives them."""
    results: list[Result] = []
    for row in suites.load("cells"):
        await session.page.set_content(f"<!doctype html><meta charset=utf-8>{row.input['html']}")
        results.append(_result(await reading.tables(session), row))
    return results
