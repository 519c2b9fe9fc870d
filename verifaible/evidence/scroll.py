"""What a page draws only where it is scrolled to: looked for step by step, and found again alike.

A virtual list or table keeps in the DOM what is in view, a feed adds to its end when that is reached. What is
asked for and not there is looked for by scrolling the boxes of the page from their tops, always in the same
steps, so that a replay finds the same at the same place; where it stood is sealed, and looked at first.
Limits count steps, never seconds: a busy machine says the same.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Final

from rapidfuzz import process

from verifaible.anchoring.evidence import Found
from verifaible.anchoring.structure import headers_of
from verifaible.browser.page.readiness import still
from verifaible.browser.page.session import PageSession
from verifaible.browser.worlds import Worlds
from verifaible.errors import AnchorAmbiguous, AnchorNotFound, Said, SearchIncomplete
from verifaible.evidence.material import Material
from verifaible.evidence.reading import read_again
from verifaible.schema.anchor import AnchorRequest
from verifaible.text.equivalence import folded

#: Part of a box's height that one step scrolls; the rest overlaps, so that nothing falls between two.
_STEP: Final = 0.85
#: No page is looked through for longer than this.
_MOST_STEPS: Final = 400
#: A box of at most so many steps is looked through to its end, for a second place.
_WHOLE_STEPS: Final = 40
#: Boxes of a page that are looked through.
_MOST_BOXES: Final = 6
_SHOWN: Final = 120
#: So many blocks that were not there before are a clock or a ticker, and no rows.
_MOVING: Final = 2

#: Where what is asked for stands in what was read.
Look = Callable[[Material], Found]


@dataclass(frozen=True, slots=True)
class _Box:
    """A box: its document in the snapshot, its number there, its height, how far it reaches, where it was."""

    document: int
    number: int
    height: float
    extent: float
    top: float
    is_page: bool

    @property
    def name(self) -> str:
        """What it is called in a capture."""
        return f"{self.document}:{self.number}"


@dataclass(slots=True)
class _Search:
    session: PageSession
    request: AnchorRequest
    look: Look
    material: Material
    worlds: Worlds
    left: int = _MOST_STEPS
    hits: list[tuple[Material, Found]] = field(default_factory=list)
    rows: dict[str, None] = field(default_factory=dict)
    moved: bool = False

    async def boxes(self) -> list[_Box]:
        """The boxes that can be scrolled, those of the page's own document first."""
        found: list[_Box] = []
        for document in range(len(self.worlds.snapshot.documents)):
            listed = await self.worlds.call(document, "boxes", "list")
            found += [_Box(document, number, **raw) for number, raw in enumerate(listed or ())]
        return found[:_MOST_BOXES]

    async def at(self, box: _Box, top: float) -> tuple[Material, bool] | None:
        """The page with a box scrolled to a place, and whether that is its end; None if the box is gone."""
        moved = await self.worlds.call(box.document, "boxes", "to", box.number, top)
        if moved is None:
            return None
        await still(self.session)
        material = await read_again(self.session, self.material)
        return replace(material, scrolled=((box.name, float(moved["top"])),)), bool(moved["last"])

    async def stops(self, box: _Box) -> AsyncIterator[Material]:
        """The page at each stop of a box, from its top; one that draws nothing new is asked for its end."""
        step = box.height * _STEP
        top, seen = 0.0, {block.text for block in self.material.document.blocks}
        while self.left > 0:
            self.left -= 1
            stop = await self.at(box, top)
            if stop is None:
                return
            material, last = stop
            yield material
            now = {block.text for block in material.document.blocks}
            new = len(now - seen) > _MOVING
            if last and not new:
                return
            if top > 0 and not new:
                step = max(step, box.extent)  # all that it holds is drawn already; its end may bring more
            seen |= now
            top = material.scrolled[0][1] + step

    async def through(self, box: _Box) -> None:
        """Look through one box, until the place is certain, the end, or the limit."""
        brief = box.extent <= _WHOLE_STEPS * box.height * _STEP
        async for material in self.stops(box):
            self.moved = self.moved or material.scrolled[0][1] > 0
            self.rows |= dict.fromkeys(_labels(material))
            found = self.look(material)
            if found.verdict in ("verified", "ambiguous"):
                self.hits.append((material, found))
                if not brief or self.request.evidence_type != "table":
                    return

    async def again(self, boxes: list[_Box], scrolled: tuple[tuple[str, float], ...]) -> Material | None:
        """The page where it was scrolled to before, if what is asked for is there."""
        for name, top in scrolled:
            box = next((each for each in boxes if each.name == name), None)
            stop = await self.at(box, top) if box is not None else None
            if stop is not None and self.look(stop[0]).verdict in ("verified", "ambiguous", "moved"):
                return stop[0]
        return None


async def look_through(
    session: PageSession,
    request: AnchorRequest,
    material: Material,
    look: Look,
    scrolled: tuple[tuple[str, float], ...] = (),
    *,
    endless: bool = False,
) -> Material:
    """Scroll to what is asked for, where the page draws it only there.

    Args:
        session: the page.
        request: what is asked for.
        material: what was read of the page.
        look: finds it in what was read.
        scrolled: where it stood before, as :attr:`Material.scrolled`; looked at first.
        endless: the page itself adds something whenever it is scrolled; only its boxes are looked through.

    Returns:
        The material as it was, if it is there, or nowhere; else the page scrolled to it.

    Raises:
        SearchIncomplete: a limit was reached before all was looked through.
        AnchorAmbiguous: different rows of a table match.
    """
    assert material.snapshot is not None
    if request.evidence_type == "image":
        return material
    first = look(material)
    there = first.verdict in ("verified", "ambiguous", "moved")
    if not scrolled and there and _is_whole(first, request):
        return material
    search = _Search(session, request, look, material, await Worlds.of(session, material.snapshot))
    before = len(dict.fromkeys(_labels(material)))
    boxes = await search.boxes()
    if endless or (there and not scrolled):
        boxes = [box for box in boxes if not box.is_page]  # a table of its own box may draw more rows
    if (known := await search.again(boxes, scrolled)) is not None:
        return known
    for box in boxes:
        await search.through(box)
        if search.hits:
            break
        await search.at(box, box.top)
    hits = [hit for hit in search.hits if _is_whole(hit[1], request)] or search.hits
    if there and not (hits and _is_whole(hits[0][1], request)):
        return material
    if hits:
        hit, found = hits[0]
        _refuse_several(hits)
        box = next(each for each in boxes if each.name == hit.scrolled[0][0])
        shown = await search.at(box, hit.scrolled[0][1])
        return shown[0] if shown is not None and search.look(shown[0]).verdict == found.verdict else hit
    if search.left <= 0:
        told = (
            "Whether {url} holds what you ask for is not known: it was looked through for "
            f"{_MOST_STEPS} steps of scrolling, and it goes on. Give {{arg[steps]}} that search, filter or "
            "scroll the page."
        )
        raise SearchIncomplete(Said(told, url=material.url))
    if (
        request.evidence_type == "table"
        and request.row
        and search.moved
        and first.missing == "row"
        and len(search.rows) > before
    ):
        raise _no_row(search, material.url)
    return material


def _labels(material: Material) -> list[str]:
    """The rows of all tables, each by its headers or its first words."""
    document = material.document
    rows = (row for at in range(len(document.tables)) for row in headers_of(document, at).rows)
    return [" ".join(row.labels or row.keys) for row in rows]


def _is_whole(found: Found, request: AnchorRequest) -> bool:
    """Whether a row has the very names that were asked for, and not only a part of longer ones."""
    table = found.anchor.table if found.anchor is not None else None
    if request.evidence_type != "table" or table is None:
        return True
    known = {folded(each) for each in (*table.row_path, " ".join(table.row_path), "".join(table.row_path))}
    known |= {folded(text) for _, text in table.row_cells}
    return all(folded(each) in known for each in request.row)


def _no_row(search: _Search, url: str) -> AnchorNotFound:
    wanted = " › ".join(search.request.row)
    alike = process.extract(wanted, list(search.rows), limit=3, score_cutoff=50)
    nearest = ", ".join(label[:_SHOWN] for label, _, _ in alike)
    said = f" The nearest row headers are: {nearest}." if nearest else ""
    told = (
        "No row header {wanted!r} in a table on {url}: {count} rows were looked through by scrolling the "
        "whole table.{said} Use the text of the header as the page shows it, or give {arg[steps]} that "
        "search or filter the table."
    )
    return AnchorNotFound(
        Said(told, wanted=wanted, url=url, count=len(search.rows), said=said), nearest=nearest
    )


def _refuse_several(hits: list[tuple[Material, Found]]) -> None:
    """A table that names several rows alike, drawn at different stops, has no one row of that name."""
    rows = {found.anchor.shown.text for _, found in hits if found.anchor is not None}
    if len(rows) > 1:
        candidates = tuple(" ".join(each.split())[:_SHOWN] for each in sorted(rows)[:8])
        told = (
            "Several rows of the table match: {rows}. Name the row by a text that only it has, or give "
            "{arg[steps]} that filter the table."
        )
        raise AnchorAmbiguous(Said(told, rows="; ".join(candidates)), candidates=candidates)
