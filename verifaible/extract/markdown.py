"""A Document as Markdown, to be read whole, with the way back from its text to the blocks and cells.

Words are those of the Document; only marks are put around them. Nothing is escaped but a bar in a cell.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Final
from urllib.parse import quote

from verifaible.extract.document import BLANK_PICTURE, Block, BlockKind, Cell, Document, Table
from verifaible.extract.lines import GLYPHS
from verifaible.text.unseen import UNSEEN_IN_ADDRESS

#: Words this long, in code points, stand beside others on a line; a title of a table is at most so long.
_BESIDE, _TITLE = 120, 120
#: Cells of a table that nothing marks as one are at most this long in the median.
_SHORT_CELL: Final = 60
_LEVELS: Final = 6
_PREFIXES: Final[Mapping[BlockKind, tuple[str, str]]] = {
    "quotation": ("> ", "> "),
    "definition": (": ", "  "),
}
_NO_CELL: Final = (-1, -1, -1)
#: Such blocks follow one another line by line.
_LISTED: Final = frozenset({"item", "definition", "cue", "term"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text: words of a block, ``offset`` code points into it, and of which cell.

    ``table``, ``row`` and ``column`` are -1 outside of tables; ``block`` is -1 where a cell has no words.
    """

    start: int
    end: int
    block: int = -1
    offset: int = 0
    table: int = -1
    row: int = -1
    column: int = -1


@dataclass(frozen=True, slots=True)
class Markdown:
    """``text``, the stretches of it that are the Document's, in order, and the addresses of its links.

    A link reads ``[text][n]``; the n-th address of ``links``, counted from 1, is its.
    """

    text: str
    pieces: tuple[Piece, ...]
    links: tuple[str, ...] = ()

    def piece_at(self, offset: int) -> Piece | None:
        """The piece in which, or behind which, an offset lies; None before the first."""
        at = bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1
        return self.pieces[at] if at >= 0 else None


def document_markdown(
    document: Document, parts: Iterable[tuple[int, int, int]] | None = None, *, linked: bool = False
) -> Markdown:
    """A Document as Markdown: tables in their place, frames behind the page, each under its address.

    Args:
        document: the source.
        parts: what of it, as (block, start, end) in code points of the block; all of it by default.
        linked: with links as references, ``[text][n]``.
    """
    writer = _Writer(document, linked)
    chosen = (
        ((at, 0, len(block.text)) for at, block in enumerate(document.blocks)) if parts is None else parts
    )
    by_frame = sorted(chosen, key=lambda part: document.blocks[part[0]].frame)
    for frame, own in groupby(by_frame, key=lambda part: document.blocks[part[0]].frame):
        if frame:
            writer.apart()
            writer.put(f"## Frame {document.frames[frame].url}")
        for at, start, end in own:
            writer.block(at, start, end)
    writer.close()
    return Markdown("".join(writer.parts).rstrip("\n"), tuple(writer.pieces), tuple(writer.links))


def table_markdown(document: Document, number: int) -> Markdown:
    """One table as a pipe table, its titles above it."""
    writer = _Writer(document, linked=False)
    writer.table(number)
    return Markdown("".join(writer.parts).rstrip("\n"), tuple(writer.pieces))


@dataclass(slots=True)
class _Writer:
    document: Document
    linked: bool
    parts: list[str] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    links: dict[str, int] = field(default_factory=dict)
    length: int = 0
    last: int = -1
    fenced: bool = False
    tables: frozenset[int] = frozenset()
    done: set[int] = field(default_factory=set)
    titles: dict[int, str] = field(default_factory=dict)
    captions: set[int] = field(default_factory=set)
    alone: Counter[object] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.tables = data_tables(self.document)
        self.alone = Counter(block.rows for block in self.document.blocks if block.rows)
        for number in self.tables:
            table = self.document.tables[number]
            self.captions |= {*table.caption}
            first = min(at for cell in table.cells for at in cell.blocks)
            if first and _is_title(self.document.blocks[first - 1]):
                self.titles[first - 1] = "**"

    def put(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def apart(self) -> None:
        """An empty line, but at the beginning."""
        self.close()
        self.last = -1
        if self.length:
            self.put("\n\n")

    def close(self) -> None:
        """The end of what is set as code."""
        if self.fenced:
            self.put("\n```")
            self.fenced = False

    def block(self, at: int, start: int, end: int) -> None:
        """A block, or a part of one; a whole table where its first cell stands."""
        block = self.document.blocks[at]
        if block.cell is not None and block.cell[0] in self.tables:
            if block.cell[0] not in self.done:
                self.done.add(block.cell[0])
                self.apart()
                self.table(block.cell[0])
            return
        if at in self.captions or not _said(block, start, end):
            return
        beside = self._gap(block)
        before, rest = ("", "") if beside else self._prefix(block)
        if block.kind == "code" and not self.fenced:
            self.put("```\n")
            self.fenced = True
        self.put(before)
        mark = next(
            (each for each in block.marks if each.kind == "list_marker" and each.start <= start), None
        )
        if mark is not None and before.endswith("- "):
            start = max(start, mark.end)
            start += len(block.text[start:end]) - len(block.text[start:end].lstrip())
        around = self.titles.get(at, "") if "\n" not in block.text else ""
        self.put(around)
        self.words(at, start, end, "\n" + rest if block.kind != "heading" else " ")
        self.put(around)
        self.last = at

    def _gap(self, block: Block) -> bool:
        """What parts a block from the one before it; whether it stands beside that on its line."""
        before = self.document.blocks[self.last] if self.last >= 0 else None
        if before is None:
            self.apart()
            return False
        if block.rows and before.rows:
            one, other = before.rows[-1], block.rows[-1]
            level = before.rows[:-1] == block.rows[:-1] and one.container == other.container
            words = len(before.text) <= _BESIDE >= len(block.text) and "\n" not in before.text + block.text
            single = block.kind == "line" or self.alone[before.rows] == self.alone[block.rows] == 1
            if level and single and words and block.kind not in ("definition", "item", "heading"):
                self.put("\t" if one.row == other.row else "\n")
                return one.row == other.row
        if block.kind in _LISTED and before.kind in _LISTED:
            self.put("\n")
        elif block.kind == before.kind == "quotation":
            self.put("\n>\n")
        elif not (block.kind == "code" and self.fenced):
            last = self.last
            self.apart()
            self.last = last
        else:
            self.put("\n")
        return False

    def _prefix(self, block: Block) -> tuple[str, str]:
        """What stands before the first line of a block, and before its further ones."""
        if block.kind == "heading":
            return "#" * min(block.level or 2, _LEVELS) + " ", ""
        if block.kind in _PREFIXES:
            return _PREFIXES[block.kind]
        if block.kind != "item":
            return "", ""
        indent = "  " * (block.level - 1)
        marker = next((each for each in block.marks if each.kind == "list_marker" and each.start == 0), None)
        before = self.document.blocks[self.last] if self.last >= 0 else None
        if marker is None:
            again = before is not None and (before.kind, before.item, before.level) == (
                "item",
                block.item,
                block.level,
            )
            return (f"{indent}  " if again else f"{indent}- "), f"{indent}  "
        figure = any(char.isalnum() for char in block.text[: marker.end])
        return (indent if figure else f"{indent}- "), f"{indent}  "

    # Words

    def words(self, at: int, start: int, end: int, line: str, cell: tuple[int, int, int] = _NO_CELL) -> None:
        """Words of a block with their links and strikes; ``line`` for each end of a line."""
        block = self.document.blocks[at]
        if not block.marks and not block.links:
            self._stretch(block.text[start:end], at, start, line, cell)
            return
        opened: dict[int, str] = {}
        closed: dict[int, str] = {}
        for first, last, before, after in sorted(self._around(block, start, end), key=lambda each: each[1]):
            opened[first] = before + opened.get(first, "")
            closed[last] = closed.get(last, "") + after
        gone = [span for span in _blank_pictures(block) if span[0] < end and span[1] > start]
        glyphs = [mark for mark in block.marks if mark.kind in GLYPHS]
        cuts = {start, end, *opened, *closed}
        cuts |= {edge for mark in glyphs for edge in (mark.start, mark.end)}
        cuts |= {edge for span in gone for edge in span}
        places = sorted(cut for cut in cuts if start <= cut <= end)
        self.put(closed.get(start, "") + opened.get(start, ""))
        for low, high in pairwise(places):
            if not any(span[0] <= low < span[1] for span in gone):
                text = block.text[low:high]
                for mark in glyphs:
                    if mark.start <= low and high <= mark.end:
                        text = text.translate(GLYPHS[mark.kind])
                self._stretch(text, at, low, line, cell)
            self.put(closed.get(high, "") + (opened.get(high, "") if high < end else ""))

    def _stretch(self, text: str, at: int, offset: int, line: str, cell: tuple[int, int, int]) -> None:
        special = r"([\n|])" if cell[0] >= 0 else r"(\n)"
        for number, part in enumerate(re.split(special, text)):
            shown = part if number % 2 == 0 else (line if part == "\n" else r"\|")
            if part:
                self.pieces.append(Piece(self.length, self.length + len(shown), at, offset, *cell))
                self.put(shown)
            offset += len(part)

    def _around(self, block: Block, start: int, end: int) -> Iterator[tuple[int, int, str, str]]:
        for mark in block.marks:
            first, last = max(mark.start, start), min(mark.end, end)
            if mark.kind == "struck" and first < last:
                yield first, last, "~~", "~~"
        if not self.linked:
            return
        notes = [mark for mark in block.marks if mark.kind == "note"]
        here = self.document.frames[block.frame].url.partition("#")[0] if self.document.frames else ""
        for link in block.links:
            address, mark_, _ = link.url.partition("#")
            first, last = max(link.start, start), min(link.end, end)
            is_note = any(note.start <= link.start and link.end <= note.end for note in notes)
            if not link.url.lower().startswith(("http:", "https:")) or (mark_ and address == here) or is_note:
                continue
            if first < last and _said(block, first, last):
                yield first, last, "[", f"][{self._number(link.url)}]"

    def _number(self, url: str) -> int:
        plain = UNSEEN_IN_ADDRESS.sub(lambda match: quote(match[0]), url).replace(" ", "%20")
        return self.links.setdefault(plain, len(self.links) + 1)

    # Tables

    def table(self, number: int) -> None:
        """A pipe table: its titles above it, the rows of its head joined in one."""
        table, blocks = self.document.tables[number], self.document.blocks
        starts = sorted({cell.column for cell in table.cells})
        heads = head_rows(table)
        levels: list[int] = []
        titles: list[tuple[int, tuple[int, int, int]]] = [(at, _NO_CELL) for at in table.caption]
        for row in range(heads):
            cell = table.at(row, 0)
            if cell is not None and cell.width == table.width > 1 and cell.height == 1 and heads > 1:
                titles += [(at, (number, row, 0)) for at in cell.blocks]
            else:
                levels.append(row)
        for at, where in titles:
            self.put("**")
            self.words(at, 0, len(blocks[at].text), " ", where)
            self.put("**\n")
        self.put("\n" if titles else "")
        self._row(number, levels or [heads - 1], starts)
        self.put("|" + " --- |" * len(starts))
        for row in range(heads, table.height):
            self.put("\n")
            self._row(number, [row], starts, end="")
        self.last = -1

    def _row(self, number: int, rows: Sequence[int], starts: Sequence[int], end: str = "\n") -> None:
        table = self.document.tables[number]
        self.put("|")
        for column in starts:
            self.put(" ")
            kept: list[Cell] = []
            for row in rows:
                cell = table.at(row, column)
                if cell is not None and cell.text and (not kept or kept[-1].text != cell.text):
                    self.put(" / " if kept else "")
                    self._cell(number, cell, row, column)
                    kept.append(cell)
            if not kept:
                self.pieces.append(Piece(self.length, self.length, -1, 0, number, rows[-1], column))
            self.put(" |")
        self.put(end)

    def _cell(self, number: int, cell: Cell, row: int, column: int) -> None:
        for place, at in enumerate(cell.blocks):
            self.put(" " if place else "")
            self.words(at, 0, len(self.document.blocks[at].text), " ", (number, row, column))


def _blank_pictures(block: Block) -> list[tuple[int, int]]:
    marks = (mark for mark in block.marks if mark.kind == "picture")
    return [(mark.start, mark.end) for mark in marks if block.text[mark.start : mark.end] == BLANK_PICTURE]


def _is_title(block: Block) -> bool:
    """Whether what stands before a table names it: a few words that are no sentence."""
    text = block.text.rstrip()
    return (
        (block.kind, block.cell) == ("paragraph", None)
        and len(text) <= _TITLE
        and len(block.sentences) < 2
        and (text[-1:].isalnum() or text.endswith((":", "：", ")", "）")))
    )


def _said(block: Block, start: int, end: int) -> bool:
    """Whether anything is to be read in a stretch."""
    text = block.text[start:end]
    if BLANK_PICTURE in text:
        text = text.replace(BLANK_PICTURE, "")
    return bool(text.strip())


def head_rows(table: Table) -> int:
    """How many of a table's first rows head its columns, for display; of several one is left as its body.

    Those that mark-up calls so; else those of head cells only; else the first, with the rows that its cells
    reach down into.
    """
    rows = table.head_rows
    while not table.head_rows and rows < table.height and _heads_only(table, rows):
        rows += 1
    if not rows:
        first = [cell for cell in table.cells if cell.row == 0]
        skip = 1 if len(first) == 1 and table.height > 1 and first[0].width == table.width else 0
        rows = max((cell.row + cell.height for cell in table.cells if cell.row <= skip), default=1)
    return max(min(rows, table.height - 1), 1)


def _heads_only(table: Table, row: int) -> bool:
    found = [cell for column in range(table.width) if (cell := table.at(row, column)) is not None]
    return bool(found) and all(cell.header and cell.scope not in ("row", "rowgroup") for cell in found)


def data_tables(document: Document) -> frozenset[int]:
    """The tables that hold data: marked so, or regular and of short cells; none that only lays a page out."""
    return frozenset(at for at, table in enumerate(document.tables) if _is_data(document, at, table))


def _is_data(document: Document, number: int, table: Table) -> bool:
    blocks = sorted(at for cell in table.cells for at in cell.blocks)
    if not blocks or table.width * table.height < 2:
        return False
    if any(
        (own := document.blocks[at].cell) is not None and own[0] != number
        for at in range(blocks[0], blocks[-1])
    ):
        return False
    if table.marked and (table.head_rows or table.caption or any(cell.header for cell in table.cells)):
        return True
    filled = sorted(len(cell.text) for cell in table.cells if cell.text)
    if table.height < 2 or table.width < 2 or len(filled) * 4 < len(table.cells):
        return False
    return filled[len(filled) // 2] <= _SHORT_CELL
