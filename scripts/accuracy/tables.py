"""Cells named by their row and column headers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from lxml import html

from scripts.accuracy.outcome import Outcome, Result
from scripts.accuracy.table_cases import BROWSER_ONLY, CASES
from scripts.accuracy.table_cases_later import CASES as LATER
from scripts.accuracy.table_cases_later import Wanted
from verifaible.browser import reading
from verifaible.browser.page.session import PageSession
from verifaible.browser.reading import FrameTable, FrameText, PageText
from verifaible.evidence.observing.material import PageMaterial
from verifaible.evidence.observing.places import place
from verifaible.extract.tables import raw_tables
from verifaible.schema.citation import AnchorRequest

_Case: TypeAlias = tuple[str, str, str, tuple[str, ...], tuple[str, ...], Wanted]


def _outcome(
    found: Sequence[FrameTable], row: tuple[str, ...], column: tuple[str, ...], wanted: Wanted
) -> tuple[Outcome, str]:
    frame = FrameText(path=(), url="https://example.org/", start=0, text="")
    material = PageMaterial(
        url="https://example.org/", title="", page=PageText(frames=(frame,)), tables=tuple(found)
    )
    placed = place(material, AnchorRequest(evidence_type="table", row=row, column=column))
    said = f"{placed.verdict}: {placed.found!r}, nearest {placed.nearest!r}, {placed.candidates}"
    if wanted is None:
        return ("false verified" if placed.verdict == "verified" else "right"), said
    if placed.verdict != "verified":
        return "missed", said
    texts = (wanted,) if isinstance(wanted, str) else wanted
    return ("right" if placed.found in texts else "wrong place"), said


def _cases() -> Iterator[_Case]:
    yield from CASES
    for kind, name, body, row, column, wanted in LATER:
        yield f"later: {kind}", name, body, row, column, wanted


def run() -> list[Result]:
    """Run the cases that need no browser, on tables as the HTML parser gives them."""
    results: list[Result] = []
    for kind, name, body, row, column, wanted in _cases():
        if not kind.endswith(BROWSER_ONLY):
            root = html.fromstring(f"<html><body>{body}</body></html>")
            found = [FrameTable(frame_path=(), table=table) for table in raw_tables(root)]
            came_to, said = _outcome(found, row, column, wanted)
            results.append(Result(kind, name, came_to, "" if came_to == "right" else said))
    return results


async def run_in(session: PageSession) -> list[Result]:
    """Run all cases, on tables as an open page of Chromium gives them."""
    results: list[Result] = []
    for kind, name, body, row, column, wanted in _cases():
        await session.page.set_content(f"<!doctype html><meta charset=utf-8>{body}")
        came_to, said = _outcome(await reading.tables(session), row, column, wanted)
        results.append(Result(kind, name, came_to, "" if came_to == "right" else said))
    return results
