"""Quotes in pages of a real Chromium: found, and highlighted where a reader sees them."""

from __future__ import annotations

from scripts.accuracy.outcome import Outcome, Result
from tests.kit import suites
from tests.kit.suites import Row
from verifaible.browser.page.session import PageSession
from verifaible.errors import AnchorNotFound, SearchIncomplete
from verifaible.evidence.mark import draw, refuse_hidden
from verifaible.evidence.place import place
from verifaible.evidence.reading import read_page
from verifaible.schema.anchor import AnchorRequest, Rect

#: How far a rectangle may stick out of the marked element, in CSS pixels: raised figures do, by 5.
_TOLERANCE = 6.0


def html(body: str) -> str:
    """The page of a case; what stands between ``[[`` and ``]]`` gets the id ``m``."""
    marked = body.replace("[[", "<span id=m>").replace("]]", "</span>")
    return f"<!doctype html><html><meta charset=utf-8><title>Case</title><body>{marked}</body></html>"


async def _marked(session: PageSession) -> Rect | None:
    """The rectangle of the marked element, in coordinates of the page."""
    for frame in session.page.frames:
        found = frame.locator("#m")
        if await found.count() and (box := await found.first.bounding_box()):
            left, top = await session.page.evaluate("[scrollX, scrollY]")
            return Rect(x=box["x"] + left, y=box["y"] + top, width=box["width"], height=box["height"])
    return None


def _inside(rect: Rect, box: Rect) -> bool:
    across = box.x - _TOLERANCE <= rect.x and rect.x + rect.width <= box.x + box.width + _TOLERANCE
    down = box.y - _TOLERANCE <= rect.y and rect.y + rect.height <= box.y + box.height + _TOLERANCE
    return across and down


async def _outcome(session: PageSession, row: Row) -> tuple[Outcome, str]:
    await session.page.set_content(html(row.input["html"]), wait_until="load")
    request = AnchorRequest(quote=row.input["quote"], near=row.input.get("near", ""))
    material = await read_page(session, request)
    placed = place(material, request)
    said = f"{placed.verdict}: {placed.text[:60]!r} in {material.document.text[:80]!r}"
    if placed.verdict != "verified":
        return ("right" if row.expect["verdict"] == "refused" else "missed"), said
    box = await _marked(session)
    _, drawn = await draw(session, material, placed)
    try:
        await refuse_hidden(session, drawn)
    except (AnchorNotFound, SearchIncomplete) as error:
        return ("right" if row.expect["verdict"] == "refused" else "missed"), f"{said}: {error}"
    if row.expect["verdict"] == "refused" or row.expect.get("shows", "") not in drawn.anchor.shown.text:
        return "false verified", said
    box, rects = await _marked(session) or box, drawn.anchor.rects
    inside = box is not None and bool(rects) and all(_inside(rect, box) for rect in rects)
    return ("right" if inside else "wrong place"), f"{said} {rects} not in {box}"


async def run(session: PageSession) -> list[Result]:
    """Run the suite in an open page."""
    results: list[Result] = []
    for row in suites.load("structural"):
        came_to, said = await _outcome(session, row)
        results.append(Result(row.kind, row.id, came_to, "" if came_to == "right" else said))
    return results
