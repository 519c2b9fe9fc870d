"""The Document: a source as a reader sees it, as blocks in reading order with what governs each.

Pages, static HTML, PDFs, captions and data are all read into this record (``extract/page``, ``html``,
``pdf``, ``captions``, ``data``), and locating, showing and comparing read nothing else.

A block is a paragraph, a heading, an item, the words of a cell, a caption line. Its words stand in the order
and with the gaps that the eye sees; no sentence reaches from one block into the next, except where the blocks
are lines or columns of one paragraph, which their reader joins.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

from verifaible.schema.anchor import Rect

#: What a stretch of a block's text is, beyond its characters:
#:
#: - ``raised``, ``lowered``: set above or below the line, by mark-up or by place;
#: - ``struck``, ``inserted``: as editors mark changes;
#: - ``code``: letter case counts;
#: - ``cased``: letter case is made by the page's style, so it does not count;
#: - ``ruby``: a reading over the word before it;
#: - ``list_marker``: the number or bullet of an item;
#: - ``link``: words of a link;
#: - ``note``: the mark of a footnote, or a linked note such as ``[citation needed]``;
#: - ``field``: the value of a form field, or the chosen option;
#: - ``state``: a box that is checked or not, in words of ours: ``[checked]``;
#: - ``sign``: a picture that stands for a character or two, by its alternative text;
#: - ``picture``: another picture, by its alternative text: ``[picture: map]``. No words of the page.
MarkKind: TypeAlias = Literal[
    "raised",
    "lowered",
    "struck",
    "inserted",
    "code",
    "cased",
    "ruby",
    "list_marker",
    "link",
    "note",
    "field",
    "state",
    "sign",
    "picture",
]

#: Words that tell of what is drawn, and are not drawn themselves.
_THINGS: Final[frozenset[MarkKind]] = frozenset({"state", "sign", "picture"})
#: What stands for a picture without alternative text, which says nothing.
BLANK_PICTURE: Final = "[picture]"

#: What a block is. A ``line`` is a line of something spaced out (preformatted rows, verses).
BlockKind: TypeAlias = Literal[
    "paragraph",
    "heading",
    "item",
    "term",
    "definition",
    "cell",
    "caption",
    "quotation",
    "code",
    "line",
    "cue",
]

#: A landmark of a page (WAI-ARIA 1.2, section 5.3.4): what it is about, or what stands around that.
Landmark: TypeAlias = Literal["", "main", "navigation", "banner", "contentinfo", "complementary", "search"]

#: How another block governs one: its nearest ``heading``; the ``lead_in`` of its list, of a list above that,
#: or a sentence before it that ends in a colon; the ``term`` of a definition; the ``question`` of an answer,
#: the ``answer`` to a question; the ``speaker`` who is quoted; the ``caption`` of its figure or table; a
#: ``footnote``, linked or by the same mark.
GovernorKind: TypeAlias = Literal[
    "heading", "lead_in", "term", "question", "answer", "speaker", "caption", "footnote"
]


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a block's text, in code points, and what it is."""

    start: int
    end: int
    kind: MarkKind


class Box(NamedTuple):
    """Where a stretch of a block's text is drawn: a line of it, or a part of one.

    ``x``, ``y``, ``width`` and ``height`` count CSS pixels from the top left of the frame's document, or
    points from the top left of a PDF's page as it is shown. ``page`` is that page, from 1, where a sentence
    goes on over a page's end; 0 for the block's own ``page_number``. ``node`` is the
    text, the field or the generated content that it is, in the frame's node tree; -1 where there is none.
    """

    start: int
    end: int
    x: float
    y: float
    width: float
    height: float
    page: int = 0
    node: int = -1

    @property
    def rect(self) -> Rect:
        """Its rectangle."""
        return Rect(x=self.x, y=self.y, width=self.width, height=self.height)


@dataclass(frozen=True, slots=True)
class Link:
    """A stretch of a block's text that is a link, in code points, and the absolute address it leads to."""

    start: int
    end: int
    url: str


@dataclass(frozen=True, slots=True)
class Moment:
    """When a stretch of a block's text is shown, in seconds from the start of a video."""

    start: int
    end: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the way to a block that stands beside others: a row of a container, and a place in it.

    Containers are tables, lists of terms, rows of flex boxes and grids, spaced lines; ``container`` numbers
    them through the Document. Blocks with the same container and row stand side by side.
    """

    container: int
    row: int
    place: int


@dataclass(frozen=True, slots=True)
class Governor:
    """Another block that governs one, by its index."""

    kind: GovernorKind
    block: int


@dataclass(frozen=True, slots=True)
class Block:
    """Words that a reader reads in one go.

    Attributes:
        text: the words, white space as the eye sees it; at least one character that is no blank.
        kind: what the block is.
        sentences: spans of ``text`` (code points), in order; together they hold every word.
        marks: what stretches of it are, in order of their starts; they may overlap.
        governors: the blocks that govern it, in the order a reader meets them. The heads of a cell's row and
            column are not among them: they come from its table.
        rows: from the outermost, the rows in which it stands beside other blocks.
        cell: (table, index of the cell in it), where it is words of a table's cell.
        item: (which, of how many), counted from 1, where it is words of an item of a list; else (0, 0).
        boxes: where its words are drawn, in order; empty where the source has no geometry.
        frame: index in ``Document.frames``.
        node: index of its element in the frame's node tree, -1 where there is none.
        page_number: of a PDF, from 1, where its first words stand; else 0.
        start_s, end_s: of captions, from the first of its cues to the last.
        moments: of captions, when each of its cues is shown.
        pointer: ``/row/column`` of a value in a CSV file.
        level: of a heading, from 1; of an item, the lists that it is in; else 0.
        links: the links in it, in order.
        landmark: the outermost landmark that it is in, "" for none; of articles their parts are none.
    """

    text: str
    kind: BlockKind = "paragraph"
    sentences: tuple[tuple[int, int], ...] = ()
    marks: tuple[Mark, ...] = ()
    governors: tuple[Governor, ...] = ()
    rows: tuple[Step, ...] = ()
    cell: tuple[int, int] | None = None
    item: tuple[int, int] = (0, 0)
    boxes: tuple[Box, ...] = ()
    frame: int = 0
    node: int = -1
    page_number: int = 0
    start_s: float = 0.0
    end_s: float = 0.0
    moments: tuple[Moment, ...] = ()
    pointer: str = ""
    level: int = 0
    links: tuple[Link, ...] = ()
    landmark: Landmark = ""

    def is_thing(self, box: Box) -> bool:
        """Whether a field, a box to tick or a picture is drawn, and not the words that tell of it."""
        return any(
            mark.kind in _THINGS and mark.start <= box.start and box.end <= mark.end for mark in self.marks
        )

    def drawn(self, start: int, end: int) -> Iterator[Box]:
        """About where a stretch of it is drawn: of each box the share by characters, with its page."""
        for box in self.boxes:
            first, last = max(start, box.start), min(end, box.end)
            if first < last:
                step = box.width / (box.end - box.start)
                x, width = box.x + step * (first - box.start), step * (last - first)
                page = box.page or self.page_number
                yield box._replace(start=first, end=last, x=x, width=width, page=page)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell placed in the grid of its table.

    ``row`` and ``column`` are the slot of its top left corner, counted from 0; ``width`` and ``height`` the
    slots that it covers. ``text`` is all its words, values of fields included, without tables inside it.
    ``absent``: nothing is drawn in this place of the grid, which is no empty cell. ``box`` is the whole cell.
    """

    text: str
    row: int
    column: int
    width: int = 1
    height: int = 1
    header: bool = False
    scope: Literal["", "row", "col", "rowgroup", "colgroup"] = ""
    blocks: tuple[int, ...] = ()
    box: Box | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table after WHATWG's "forming a table", ARIA's indices counted.

    ``slots[row][column]`` is an index into ``cells``, or -1 where no cell covers the slot. ``head_rows`` are
    the first rows that the mark-up calls head. ``caption`` and ``lead_in`` are blocks, ``heading`` one or
    None. ``row_count`` is how many rows the page says it has, drawn or not (``aria-rowcount``), else 0.
    ``marked``: it is a table by mark-up (``table`` or ARIA roles), not by layout alone.
    """

    cells: tuple[Cell, ...]
    slots: tuple[tuple[int, ...], ...]
    width: int
    height: int
    head_rows: int = 0
    caption: tuple[int, ...] = ()
    lead_in: int | None = None
    heading: int | None = None
    marked: bool = True
    row_count: int = 0
    frame: int = 0
    node: int = -1
    css_path: str = ""

    def at(self, row: int, column: int) -> Cell | None:
        """The cell that covers a slot, or None where no cell does."""
        index = self.slots[row][column]
        return self.cells[index] if index >= 0 else None


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a page: CSS selectors from the top down to it (empty for the top), address, language tag.

    ``x`` and ``y`` are where its document begins in the page, in CSS pixels; ``document`` is the number of
    that document in the snapshot, in which ``Block.node`` and ``Table.node`` count.
    """

    path: tuple[str, ...] = ()
    url: str = ""
    language: str = ""
    x: float = 0.0
    y: float = 0.0
    document: int = 0


@dataclass(frozen=True, slots=True)
class Image:
    """An image that is drawn: its element, alternative text, address and place."""

    css_path: str
    tag: str
    alt: str
    src: str
    box: Box
    frame: int = 0
    complete: bool = True


@dataclass(frozen=True)
class Document:
    """A source, read.

    ``medium`` is where it is from; ``language`` a tag, "" where the source names none.
    """

    blocks: tuple[Block, ...]
    medium: Literal["page", "html", "pdf", "captions", "data", "text"] = "page"
    url: str = ""
    title: str = ""
    language: str = ""
    tables: tuple[Table, ...] = ()
    frames: tuple[Frame, ...] = field(default=(Frame(),))
    images: tuple[Image, ...] = ()

    @cached_property
    def text(self) -> str:
        """The words of all blocks, a block a line (blocks may hold line ends of their own)."""
        return "\n".join(block.text for block in self.blocks)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each block begins in ``text``, in code points."""
        found, at = [], 0
        for block in self.blocks:
            found.append(at)
            at += len(block.text) + 1
        return tuple(found)

    def block_at(self, offset: int) -> tuple[int, int]:
        """The block in which an offset of ``text`` lies, and the offset in it."""
        index = max(0, bisect_right(self.starts, offset) - 1)
        return index, offset - self.starts[index]

    def cell_of(self, block: Block) -> Cell | None:
        """The cell of a table that a block's words are in; None where they are in none."""
        if block.cell is None:
            return None
        table, index = block.cell
        return self.tables[table].cells[index]
