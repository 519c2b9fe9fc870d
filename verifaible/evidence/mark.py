"""Evidence in the open page: its rectangles, what is marked of it, and whether a reader sees its words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from verifaible.anchoring.evidence import Found
from verifaible.browser.page.readiness import still
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.highlight import Box, Marking, boxes_joined
from verifaible.browser.pictures.picture import Taken, hold, missing, tile_of
from verifaible.browser.words import LocatedWords, Measured, around, common, words_of
from verifaible.browser.worlds import Worlds
from verifaible.errors import AnchorNotFound, SearchIncomplete, ToolError
from verifaible.evidence.material import Material
from verifaible.evidence.place import evidence_places
from verifaible.evidence.reading import read_again
from verifaible.evidence.refusal import hidden
from verifaible.extract.document import Box as Place
from verifaible.extract.document import Cell, Document, Table
from verifaible.extract.images import lossless_webp
from verifaible.extract.page import css_path
from verifaible.schema.anchor import Anchor, Rect, TableAnchor
from verifaible.schema.citation import Mark, MarkKind, Picture

#: Pixels for a point of a PDF: letters of 8 points can be read.
_SCALE = 2.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """An anchor with its rectangles, its words in the open page, and what is to be marked."""

    anchor: Anchor
    marking: Marking
    words: LocatedWords | None = None


async def draw(
    session: PageSession, material: Material, found: Found, look: Callable[[Material], Found] | None = None
) -> tuple[Material, Drawn]:
    """Give what was found on a page its rectangles; it is scrolled into view for it.

    Args:
        session: the page.
        material: what was read of it.
        found: what was found in that.
        look: finds it again, where a page draws other rows when it is scrolled.

    Returns:
        The material, with the places that everything has when the evidence is in view; and what is drawn.
    """
    anchor, document = found.anchor, material.document
    assert anchor is not None and material.snapshot is not None
    if found.image >= 0:
        image = document.images[found.image]
        rect = _placed(document, image.frame, image.box)
        drawn = anchor.model_copy(update={"rects": (rect,)})
        return material, Drawn(drawn, Marking(boxes=(Box(rect=rect, kind="frame"),)))
    words, measured = await _located(session, material, found)
    if anchor.table is None:
        rects = tuple(rect for each in measured for rect in each.rects)
        lines = tuple(mark.rect for mark in boxes_joined((rect, "text", False) for rect in rects))
        block = document.blocks[found.words[0].block]
        path = css_path(material.snapshot, document.frames[block.frame].document, block.node)
        drawn = anchor.model_copy(update={"rects": lines, "css_path": path})
        return material, Drawn(drawn, Marking(words=words), words)
    now = await read_again(session, material)
    if now.document.text != document.text:
        again = look(now) if look is not None else found
        if again is found or again.text != found.text or again.anchor is None:
            now = material
        else:
            found = replace(again, verdict=found.verdict)
            words, measured = await _located(session, now, found)
    return now, _drawn_table(now.document, found, words, measured)


async def refuse_hidden(session: PageSession, drawn: Drawn) -> None:
    """Make sure that a reader sees the words that were drawn.

    Raises:
        AnchorNotFound: nothing of some of them is drawn.
        SearchIncomplete: there are more of them than are looked at.
    """
    if drawn.words is None:
        return
    seen = await drawn.words.unseen()
    if seen.hidden:
        raise hidden(seen.hidden, session.page.url)
    if seen.cut and drawn.anchor.evidence_type == "text":
        raise SearchIncomplete(
            f"Whether a reader sees all of the quote is not known: it has {seen.cut}. Quote less of it."
        )


async def _located(
    session: PageSession, material: Material, found: Found
) -> tuple[LocatedWords, list[Measured]]:
    """The words that a reader must see, in the open page, the first of them in view."""
    assert material.snapshot is not None
    places = [(each.block, each.start, each.end) for each in (*found.words, *found.between)]
    places += _heads(material.document, found)
    worlds = await Worlds.of(session, material.snapshot)
    evidence = words_of(material.document, evidence_places(material.document, found))
    words = await LocatedWords.of(worlds, words_of(material.document, places), evidence)
    await words.view()
    await still(session)  # a page may change what it shows when it is scrolled
    await hold(session)
    return words, await words.measure()


# --- tables


def _heads(document: Document, found: Found) -> Iterator[tuple[int, int, int]]:
    """The words of the heads that name a cell: a reader must see them, too."""
    anchor = found.anchor
    if found.table < 0 or anchor is None or anchor.table is None:
        return
    table = document.tables[found.table]
    names = {*anchor.table.row_path, *anchor.table.column_path}
    for cell in _crossing(table, anchor.table):
        if cell.text in names:
            yield from ((block, 0, len(document.blocks[block].text)) for block in cell.blocks)


def _drawn_table(
    document: Document, found: Found, words: LocatedWords, measured: Sequence[Measured]
) -> Drawn:
    """The cells of a table to mark: what is cited, and of one cell its row and column with their heads."""
    anchor = found.anchor
    assert anchor is not None and anchor.table is not None
    table, named = document.tables[found.table], anchor.table
    clip = measured[0].clip if measured else None
    origin = next((rect for each in measured for rect in each.rects), None)

    def boxes(cells: Iterable[Cell], kind: MarkKind) -> list[Box]:
        placed = (_placed(document, table.frame, cell.box) for cell in cells if cell.box is not None)
        rects = placed if clip is None else (common(rect, clip) for rect in placed)
        return [Box(rect=rect, kind=kind) for rect in rects if rect is not None]

    if named.mode == "table":
        seen = [each.rect for each in boxes(table.cells, "area") if each.rect.width > 0 < each.rect.height]
        marked = [Box(rect=around(seen), kind="area")] if seen else []
        path = anchor.css_path
    else:
        cited, path = _cells(table, named.cells), table.css_path
        marked = boxes(cited, "cell" if named.mode == "crosshair" else "line")
        if named.mode == "crosshair":
            leading = _crossing(table, named)
            marked += boxes(leading, "cross")
            _require_lined_up(cited, leading)
    rects = tuple(each.rect for each in marked if each.kind != "cross")
    marking = Marking(boxes=tuple(marked), words=words, mark_words=False, origin=origin)
    return Drawn(anchor.model_copy(update={"rects": rects, "css_path": path}), marking, words)


def _require_lined_up(cited: Sequence[Cell], leading: Iterable[Cell]) -> None:
    """Make sure that a cell is drawn beside the others of its row and below or above those of its column.

    Raises:
        AnchorNotFound: the page shows them otherwise than its markup has them.
    """
    for cell, other in product(cited, leading):
        one, two = cell.box, other.box
        if one is None or two is None:
            continue
        if cell.row < other.row + other.height and other.row < cell.row + cell.height:
            apart = one.y + one.height <= two.y or two.y + two.height <= one.y
        else:
            apart = one.x + one.width <= two.x or two.x + two.width <= one.x
        if apart and 0 not in (one.width, one.height, two.width, two.height):
            raise AnchorNotFound(
                "The page shows the cells of this table elsewhere than its markup has them, so no cell "
                "can be named by its headers. Cite the passage as text, or another source."
            )


def _crossing(table: Table, named: TableAnchor) -> list[Cell]:
    """The other cells in the rows and columns of those that are cited."""
    across = [(row, column) for row in {row for row, _ in named.cells} for column in range(table.width)]
    down = [(row, column) for column in {at for _, at in named.cells} for row in range(table.height)]
    cited = _cells(table, named.cells)
    return [cell for cell in _cells(table, (*across, *down)) if cell not in cited]


def _cells(table: Table, slots: Iterable[tuple[int, int]]) -> list[Cell]:
    """The cells that cover slots, each once, in order."""
    found = (table.at(row, column) for row, column in slots)
    return list({id(cell): cell for cell in found if cell is not None}.values())


def _placed(document: Document, frame: int, box: Place) -> Rect:
    """A box of a frame's document as a rectangle of the page's."""
    held = document.frames[frame]
    return Rect(x=box.x + held.x, y=box.y + held.y, width=box.width, height=box.height)


# --- documents


def picture_page(
    body: bytes,
    number: int,
    rects: Sequence[Rect],
    evidence: Sequence[Rect] = (),
    *,
    height: int | Literal["full"],
) -> Taken:
    """Picture a page of a PDF, with the marks of a passage beside it.

    Args:
        body: the PDF.
        number: the page, from 1.
        rects: what is marked on it, in points.
        evidence: the rectangles of the evidence that this is a part of.
        height: at most so many pixels from top to bottom; a larger page is drawn smaller.
    """
    from verifaible.extract.pdf import PdfFile

    if height == 0:
        return missing("none was wanted (VERIFAIBLE_PICTURE_HEIGHT is 0)")
    try:
        with PdfFile(body) as pdf:
            points, high = pdf.page_size(number)
            limit = _SCALE if height == "full" else min(_SCALE, height / max(high, 1))
            data = pdf.picture(number, scale=limit)
        width, tall = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])  # the header of a PNG
        file = lossless_webp(data)
    except (RuntimeError, ToolError, ValueError) as error:
        return missing(str(error).strip().partition("\n")[0])

    def scaled(rect: Rect) -> Rect:
        return Rect.model_validate({name: round(each * width / points, 2) for name, each in rect})

    marks = (
        *(Mark(rect=scaled(rect), kind="sentence") for rect in evidence),
        *(Mark(rect=scaled(rect), kind="text") for rect in rects),
    )
    tile = tile_of(file, y=0, height=tall)
    return Taken(Picture(width=width, height=tall, tiles=(tile,), marks=marks), (file,))
