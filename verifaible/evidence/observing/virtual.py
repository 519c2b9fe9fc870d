"""Rows that a table has only while they are scrolled to: looked for step by step, and found again alike.

A virtualised table keeps in the DOM the rows that are in view, or adds rows as its end is reached. A
row that is asked for and not there is looked for by scrolling the table's own box from its top, always
in the same steps, so that a replay finds the same rows at the same places; where it stood is sealed, and
looked at first. Limits count steps and frames, never seconds: a busy machine says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rapidfuzz import process

from verifaible.browser import reading
from verifaible.browser.page.readiness import still
from verifaible.browser.reading import FrameTable
from verifaible.errors import AnchorAmbiguous, AnchorNotFound, Said, SearchIncomplete
from verifaible.evidence.observing.material import PageMaterial
from verifaible.evidence.observing.places import Placement, place
from verifaible.old.anchoring.fold import fold
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.table import Grid, RawTable

if TYPE_CHECKING:
    from verifaible.browser.page.session import PageSession

#: Part of a box's height that one step scrolls; the rest overlaps, so that no row falls between two.
_STEP = 0.85
#: Stops between two looks at what was read.
_BATCH = 10
#: No table is looked through for longer than this.
_MAX_STEPS = 400
#: Answers that scrolling has asked for are waited for so often.
_MAX_WAITS = 10
#: A table of at most so many steps is looked through to its end, for a second row of that name.
_WHOLE_STEPS = 40
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class _Box:
    """Where the rows of a table (by its index) scroll, in CSS pixels; an empty path is the page itself."""

    table: int
    path: str
    height: float
    extent: float
    top: float
    sparse: bool


@dataclass(frozen=True, slots=True)
class _Hit:
    """A row that the request names: its texts, and how far its box was scrolled."""

    texts: tuple[str, ...]
    box: _Box
    top: float
    whole: bool


@dataclass(slots=True)
class _Search:
    """What has been looked through so far; ``rows`` maps the texts of a row to its label."""

    session: PageSession
    request: AnchorRequest
    material: PageMaterial
    unmarked: bool
    rows: dict[tuple[str, ...], str] = field(default_factory=dict)
    hits: list[_Hit] = field(default_factory=list)
    scrolled: bool = False
    ended: bool = True
    waits: int = _MAX_WAITS

    async def all(self, boxes: Sequence[_Box]) -> None:
        """Look through the boxes in turn, until the row is found under its whole name."""
        for box in boxes:
            await self.through(box)
            if any(hit.whole for hit in self.hits):
                self.ended = True
                return
            if not self.hits:
                await self._scan(box, box.top, 0.0, 1)

    async def through(self, box: _Box) -> None:
        """Look through one box from its top, until the row is certain, the end, or the limit."""
        brief = box.extent <= _WHOLE_STEPS * box.height * _STEP
        # Where all rows are in the DOM, only the end can bring more.
        step = box.height * _STEP if box.sparse else box.extent
        top, left = 0.0, _MAX_STEPS
        while left > 0:
            stops = await self._scan_whole(box, top, step, min(left, _BATCH))
            for stop in stops:
                self.ended = self.ended and not stop["blank"]
                if self._look(box, stop) and not brief:
                    return
            if not stops:
                break
            if stops[-1]["last"]:
                return
            left -= len(stops)
            top = float(stops[-1]["top"]) + step
        self.ended = False

    async def _scan_whole(self, box: _Box, top: float, step: float, stops: int) -> list[dict[str, Any]]:
        """Scan, and where rows are missing that the page has asked for, wait for the answers."""
        found = await self._scan(box, top, step, stops)
        idle = self.session.traffic.idle
        while found and self.waits and not idle.is_set() and (found[-1]["blank"] or found[-1]["last"]):
            self.waits -= 1
            await self.session.settle()
            found[-1:] = await self._scan(box, float(found[-1]["top"]), step, 1)
        return found

    async def again(self, boxes: Sequence[_Box], scrolled: tuple[str, float] | None) -> _Hit | None:
        """The row where it stood before, if it is there under its whole name."""
        for box in boxes:
            if scrolled is not None and box.path == scrolled[0]:
                stops = await self._scan_whole(box, scrolled[1], 0.0, 1)
                if any(self._look(box, stop) for stop in stops):
                    return self.hits[-1]
                await self._scan(box, box.top, 0.0, 1)
        self.hits.clear()
        return None

    async def _scan(self, box: _Box, top: float, step: float, stops: int) -> list[dict[str, Any]]:
        where = self.material.tables[box.table]
        frame = await reading.frame_of(self.session, where.frame_path)
        argument = {"css_path": where.table.css_path, "path": box.path, "top": top, "step": step}
        found: list[dict[str, Any]] = await self.session.evaluate(
            "scan_rows", {**argument, "stops": stops}, frame=frame
        )
        return found

    def _look(self, box: _Box, stop: dict[str, Any]) -> bool:
        """Look for the row in what was read at one stop; true if it is there under its whole name."""
        self.scrolled = self.scrolled or stop["top"] > 0
        material = self._with_table(box.table, RawTable.model_validate(stop["table"]))
        grid = material.grids[box.table]
        for row in range(grid.height):
            texts = _texts(grid, row)
            if any(texts):
                self.rows.setdefault(texts, next(filter(None, texts)))
        placement = place(material, self.request)
        if not _row_found(placement):
            return False
        self.hits.append(_hit(material, placement, self.request, box, float(stop["top"])))
        return self.hits[-1].whole

    def _with_table(self, index: int, table: RawTable) -> PageMaterial:
        tables = list(self.material.tables)
        tables[index] = FrameTable(frame_path=tables[index].frame_path, table=table)
        return self.material.with_tables(tuple(tables))

    async def show(self, hit: _Hit) -> PageMaterial:
        """Bring a row that was found into the middle of its box, and read the page there."""
        # Rows outside the view that were there on the way need not be there after a jump.
        for steps in (0, 1, 2, 3, -1):
            top = max(hit.top + steps * _STEP * hit.box.height, 0.0)
            await self._scan_whole(hit.box, top, 0.0, 1)
            await still(self.session)
            material = self.material.with_tables(await reading.tables(self.session, unmarked=self.unmarked))
            placement = place(material, self.request)
            if _row_found(placement):
                break
        if placement.anchor is not None and placement.anchor.table is not None:
            cell = material.grids[placement.table].at(*placement.anchor.table.cells[0])
            where = material.tables[placement.table]
            sources = [cell.source] if cell is not None else []
            await reading.locate_cells(self.session, where.frame_path, where.table.css_path, sources)
            await still(self.session)
            material = material.with_tables(await reading.tables(self.session, unmarked=self.unmarked))
        text = await reading.page_text(self.session)
        return material.model_copy(update={"page": text, "scrolled": (hit.box.path, top)})


def _hit(material: PageMaterial, placement: Placement, request: AnchorRequest, box: _Box, top: float) -> _Hit:
    if placement.anchor is None:  # the row is there, its column is not
        placement = place(material, request.model_copy(update={"column": ()}))
    anchor = placement.anchor
    if anchor is None or anchor.table is None:
        return _Hit((), box, top, whole=False)
    texts = _texts(material.grids[placement.table], anchor.table.cells[0][0])
    known = {fold(text).text for text in (*texts, *anchor.table.row_path, "".join(anchor.table.row_path))}
    return _Hit(texts, box, top, all(fold(wanted).text in known for wanted in request.row))


async def find_row(
    session: PageSession,
    request: AnchorRequest,
    material: PageMaterial,
    scrolled: tuple[str, float] | None = None,
) -> PageMaterial:
    """Scroll to the row of a table request, where the table holds only what is in view.

    Args:
        session: the page.
        request: what is asked for.
        material: what was read of the page.
        scrolled: where the row stood before, as :attr:`PageMaterial.scrolled`; looked at first.

    Returns:
        The material as it was, if the row is there or nothing scrolls; else with the tables and
        the text of the place at which the row stands. Grids that no markup tells of are among the
        tables where what is asked for is in no other.

    Raises:
        AnchorNotFound: all rows were looked through.
        SearchIncomplete: a limit was reached before that, or rows did not come.
        AnchorAmbiguous: different rows of the table match.
    """
    if request.evidence_type != "table":
        return material
    first = place(material, request)
    unmarked = not _row_found(first) or first.missing in ("column", "cell")
    if unmarked:
        whole = material.with_tables(await reading.tables(session, unmarked=True))
        found = place(whole, request)
        unmarked = found.missing not in ("row", "column", "cell", "table") or not _row_found(first)
        if unmarked:
            material, first = whole, found
    if not request.row:
        return material
    boxes = await _boxes(session, request, material)
    # What is under way before anything was scrolled may never end.
    waits = _MAX_WAITS if session.traffic.idle.is_set() else 0
    search = _Search(session, request, material, unmarked, waits=waits)
    if _row_found(first):
        sparse = [box for box in boxes if box.sparse]
        # What is named in part may stand whole in a row that is not there yet.
        if not sparse or _hit(material, first, request, sparse[0], 0.0).whole:
            return material
        boxes = sparse
    if (hit := await search.again(boxes, scrolled)) is not None:
        return await search.show(hit)
    await search.all(boxes)
    if not search.ended:
        raise _not_ended(search, material.url)
    if search.hits:
        return await search.show(_only(search.hits))
    if not search.scrolled:
        return material
    raise _not_found(search, material.url)


def _row_found(placement: Placement) -> bool:
    return placement.verdict in ("verified", "ambiguous") or placement.missing in ("column", "cell")


def _texts(grid: Grid, row: int) -> tuple[str, ...]:
    cells = (grid.at(row, column) for column in range(grid.width))
    return tuple(cell.text if cell is not None else "" for cell in cells)


async def _boxes(session: PageSession, request: AnchorRequest, material: PageMaterial) -> list[_Box]:
    """The boxes that scroll the tables in question, each once; those with missing rows first."""
    found: dict[tuple[tuple[str, ...], str], _Box] = {}
    for index, each in enumerate(material.tables):
        if request.selector and each.table.css_path not in material.selected:
            continue
        frame = await reading.frame_of(session, each.frame_path)
        raw: dict[str, Any] | None = await session.evaluate(
            "scroll_box", {"css_path": each.table.css_path}, frame=frame
        )
        if raw is not None:
            found.setdefault((each.frame_path, raw["path"]), _Box(table=index, **raw))
    return sorted(found.values(), key=lambda box: not box.sparse)


def _only(hits: Sequence[_Hit]) -> _Hit:
    """The one row that the hits are of; a row that matches whole goes before one that matches in part."""
    best = [hit for hit in hits if hit.whole] or list(hits)
    rows = list(dict.fromkeys(hit.texts for hit in best))
    if len(rows) > 1:
        candidates = tuple(" | ".join(filter(None, texts))[:_SHOWN] for texts in rows[:8])
        told = (
            "Several rows of the table match: {rows}. Name the row by a text that only it "
            "has, or give {arg[steps]} that filter the table."
        )
        raise AnchorAmbiguous(Said(told, rows="; ".join(candidates)), candidates=candidates)
    return best[0]


def _not_found(search: _Search, url: str) -> AnchorNotFound:
    wanted = " › ".join(search.request.row)
    labels = list(dict.fromkeys(search.rows.values()))
    alike = process.extract(wanted, labels, limit=3, score_cutoff=50)
    nearest = ", ".join(label[:_SHOWN] for label, _, _ in alike)
    said = f" The nearest row headers are: {nearest}." if nearest else ""
    told = (
        "No row header {wanted!r} in a table on {url}: {count} rows were looked through by "
        "scrolling the whole table.{said} Use the text of the header as the page shows it, or give "
        "{arg[steps]} that search or filter the table."
    )
    facts = {"wanted": wanted, "url": url, "count": len(search.rows), "said": said}
    return AnchorNotFound(Said(told, **facts), nearest=nearest)


def _not_ended(search: _Search, url: str) -> SearchIncomplete:
    wanted = " › ".join(search.request.row)
    told = (
        "Whether a table on {url} has the row header {wanted!r} is not known: {count} rows were "
        f"looked through up to the limit ({_MAX_STEPS} steps of scrolling, or rows that did not come), and "
        "it goes on. Give {arg[steps]} that search or filter the table."
    )
    return SearchIncomplete(Said(told, url=url, wanted=wanted, count=len(search.rows)))
