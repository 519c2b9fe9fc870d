"""What governs a place of a Document, and one text of both for a reader.

Nobody is shown a cut quote alone: an item stands under its lead-in, a cell in its row and under its heads, an
answer under its question, in reading order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from verifaible.anchoring.headers import SEPARATOR, Headers, find_headers, row_cells
from verifaible.anchoring.quote import Index, Place
from verifaible.extract.document import Block, Cell, Document, Governor, Mark, Step, Table
from verifaible.extract.drafts import COLONS, asks, is_open
from verifaible.extract.lines import GLYPHS
from verifaible.schema.anchor import Shown, Structure

#: A row is shown whole up to so many cells and characters; of a longer one its heads and what is cited.
_MOST_CELLS, _MOST_CHARACTERS = 12, 600
#: Rows that are no table's, such as lines of a menu, are shown whole up to so many blocks.
_MOST_BESIDE = 8
#: Lines above a table that name it.
_MOST_ABOVE = 2
_CHANGES = {"struck": "struck out", "inserted": "inserted"}


def headers_of(document: Document, table: int) -> Headers:
    """The headers of a table of a Document, worked out once."""
    kept: dict[int, Headers] = vars(document).setdefault("anchoring_headers", {})
    if table not in kept:
        kept[table] = find_headers(with_raised(document, table))
    return kept[table]


def with_raised(document: Document, table: int) -> Table:
    """A table whose raised figures and letters have their own glyphs, so that marks of notes are seen."""
    source = document.tables[table]
    cells = list(source.cells)
    for at, cell in enumerate(cells):
        blocks = [document.blocks[number] for number in cell.blocks]
        if any(mark.kind in GLYPHS for block in blocks for mark in block.marks):
            text = " ".join(" ".join(_raised(block, 0, len(block.text)).split()) for block in blocks)
            cells[at] = replace(cell, text=text)
    return replace(source, cells=tuple(cells))


def heads_of(document: Document, table: int, cell: Cell) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The row heads and the column heads of a cell, each from outer to inner, without the cell itself."""
    headers = headers_of(document, table)
    rows, columns = (
        next((line for line in lines if cell.row in line.rows and cell.column in line.columns), None)
        for lines in (headers.rows, headers.columns)
    )
    labels = rows.labels if rows is not None else ()
    return tuple(label for label in labels if label != cell.text), columns.path if columns is not None else ()


class _Writer:
    """Writes evidence with what governs it as one text, and notes where the words asked for stand in it."""

    def __init__(self, document: Document, pieces: Sequence[Place], words: Sequence[Place]) -> None:
        self._document, self._words = document, words
        self._pieces = {piece.block: piece for piece in pieces}
        self._parts: list[str] = []
        self._length = 0
        self._found: list[tuple[int, int]] = []
        self._rows: set[tuple[int, int]] = set()

    @property
    def shown(self) -> Shown:
        return Shown(text="".join(self._parts), words=tuple(self._found))

    def line(self, text: str = "") -> None:
        """Begin a line."""
        self._add(("\n" if self._parts else "") + text)

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def block(self, number: int) -> None:
        """A block of the evidence: a cell with its row, once for each row."""
        block = self._document.blocks[number]
        cell = self._document.cell_of(block)
        if cell is not None and block.cell is not None:
            self.row(block.cell[0], cell.row)
        elif block.rows:
            self._beside(number, block.rows[-1])
        else:
            self.line(f"({_item(block)}) " if block.item[1] > 1 else "")
            self._stretch(number)

    def _beside(self, number: int, row: Step) -> None:
        """A row that is no table's."""
        if (-row.container, row.row) in self._rows:
            return
        self._rows.add((-row.container, row.row))
        low, high = Index.of(self._document).row(number, row)
        whole = high - low < _MOST_BESIDE
        self.line()
        for count, at in enumerate(at for at in range(low, high + 1) if whole or at in self._pieces):
            self._add(" | " if count else "")
            self._stretch(at)

    def row(self, table: int, row: int, empty: Sequence[Cell] = ()) -> None:
        """A row of a table as a line: its heads, and each cell under the heads of its column.

        Of cells without words only those of ``empty`` are named, which are cited.
        """
        if (table, row) in self._rows:
            return
        self._rows.add((table, row))
        cells = [
            cell
            for cell in row_cells(self._document.tables[table], row)
            if cell.text.strip() or cell in empty
        ]
        heads = next((line.labels for line in headers_of(self._document, table).rows if line.row == row), ())
        if len(cells) > _MOST_CELLS or sum(len(cell.text) for cell in cells) > _MOST_CHARACTERS:
            cells = [cell for cell in cells if cell.text in heads or cell in empty or self._is_cited(cell)]
        implied = [label for label in heads if all(cell.text != label for cell in cells)]
        self.line(SEPARATOR.join(implied) + " | " if implied else "")
        for count, cell in enumerate(cells):
            columns = heads_of(self._document, table, cell)[1]
            self._add((" | " if count else "") + (SEPARATOR.join(columns) + ": " if columns else ""))
            if not self._is_cited(cell):
                self._add(" ".join(cell.text.split()))
                continue
            for at, number in enumerate(cell.blocks):
                self._add(" " if at else "")
                self._stretch(number, whole=True)

    def _is_cited(self, cell: Cell) -> bool:
        return not self._pieces.keys().isdisjoint(cell.blocks)

    def _stretch(self, number: int, *, whole: bool = False) -> None:
        """What the evidence has of a block, with what editors struck out and inserted said so."""
        block = self._document.blocks[number]
        piece = Place(number, 0, len(block.text))
        if not whole:
            piece = self._pieces.get(number, piece)
        words = [word for word in self._words if word.block == number]
        changes = _changes_in(block)
        edges = {edge for each in (piece, *words) for edge in (each.start, each.end)}
        edges |= {edge for mark in changes for edge in (mark.start, mark.end)}
        inside = sorted(edge for edge in edges if piece.start <= edge <= piece.end)
        for start, end in pairwise(inside):
            self._add("".join(f"[{_CHANGES[mark.kind]}: " for mark in changes if mark.start == start))
            if any(word.start <= start and end <= word.end for word in words):
                begin = self._length
                if self._found and self._found[-1][1] == begin:
                    begin = self._found.pop()[0]
                self._found.append((begin, self._length + end - start))
            self._add(_raised(block, start, end))
            self._add("]" * sum(mark.end == end for mark in changes))


def _changes_in(block: Block) -> list[Mark]:
    """What is struck out and inserted, neighbours of one kind as one."""
    found: list[Mark] = []
    for mark in block.marks:
        if mark.kind not in _CHANGES:
            continue
        last = found[-1] if found else None
        if last is not None and last.kind == mark.kind and not block.text[last.end : mark.start].strip():
            found[-1] = replace(last, end=max(last.end, mark.end))
        else:
            found.append(mark)
    return found


def _raised(block: Block, start: int, end: int) -> str:
    """Words of a block, raised figures by their own glyphs: 10⁶ reads as no 106."""
    text = block.text[start:end]
    for mark in block.marks:
        if mark.kind in GLYPHS and mark.start < end and start < mark.end:
            low, high = max(mark.start, start) - start, min(mark.end, end) - start
            text = text[:low] + text[low:high].translate(GLYPHS[mark.kind]) + text[high:]
    return text


def govern(
    document: Document, first: Place, last: Place, words: Sequence[Place]
) -> tuple[tuple[Structure, ...], Shown]:
    """The structure of a piece of evidence, and one text of both.

    Args:
        document: the source.
        first: where the evidence begins: a block, and an offset in it (``start``).
        last: where it ends: a block, and an offset in it (``end``).
        words: the words asked for.
    """
    pieces = _pieces(document, first, last)
    items: dict[Structure, None] = {}
    text = _Writer(document, pieces, words)
    after: dict[str, None] = {}
    said = {document.blocks[number].text for number in _beside(document, pieces)}
    for piece in pieces:
        before, behind = _governing(document, piece, first.block, last.block)
        items.update(dict.fromkeys((*before, *_changes(document.blocks[piece.block], piece), *behind)))
        for each in before:
            if each.kind not in ("column_head", "row_head", "item") and each.text not in said:
                text.line(each.text)
                said.add(each.text)
        after.update((each.text, None) for each in behind)
        text.block(piece.block)
    for line in after:
        if line not in said:
            text.line(line)
    return tuple(items), text.shown


def _pieces(document: Document, first: Place, last: Place) -> list[Place]:
    """The stretches of blocks from one place to another."""
    found = []
    for number in range(first.block, last.block + 1):
        start = first.start if number == first.block else 0
        end = last.end if number == last.block else len(document.blocks[number].text)
        found.append(Place(number, start, end))
    return found


def _beside(document: Document, pieces: Sequence[Place]) -> Iterator[int]:
    """The blocks that are shown because they stand in the rows of the evidence."""
    for piece in pieces:
        block = document.blocks[piece.block]
        if block.rows and block.cell is None:
            low, high = Index.of(document).row(piece.block, block.rows[-1])
            yield from range(low, high + 1 if high - low < _MOST_BESIDE else low)


def _governing(
    document: Document, piece: Place, first: int, last: int
) -> tuple[list[Structure], list[Structure]]:
    """What governs a block and stands before it, and what stands behind it."""
    block = document.blocks[piece.block]
    before: list[Structure] = []
    behind: list[Structure] = []
    for governor in block.governors:
        if not first <= governor.block <= last:
            told = Structure(kind=governor.kind, text=_told(document, governor, piece.block))
            late = governor.kind == "footnote" or governor.block > piece.block
            (behind if late and governor.kind != "caption" else before).append(told)
    cell = document.cell_of(block)
    if block.cell is not None and cell is not None:
        before += _table_heads(document, block.cell[0], [cell], first, last)
    for told, is_late in _asked(block, piece):
        (behind if is_late else before).append(told)
    if block.item[1] > 1:
        before.append(Structure(kind="item", text=_item(block)))
    return before, behind


def _asked(block: Block, piece: Place) -> Iterator[tuple[Structure, bool]]:
    """In a block, the question that the line before asks, and what answers a question; which comes after.

    The answer is the next line, where lines are parted, else the next sentence.
    """
    text, spans = block.text, block.sentences
    line = text.rfind("\n", 0, piece.start + 1) + 1
    if line and block.kind != "code" and asks(text[:line]):
        start, end = next(span for span in reversed(spans) if span[0] < line)
        yield Structure(kind="question", text=text[start:end]), False
    after = next((span for span in spans if span[0] >= piece.end), None)
    if after is not None and block.kind != "code" and asks(text[: piece.end]):
        parted = "\n" in text[piece.end : after[0]]
        end = text.find("\n", after[0]) if parted else after[1]
        yield Structure(kind="answer", text=text[after[0] : end if end >= 0 else None]), True


def _told(document: Document, governor: Governor, governed: int) -> str:
    """What a governing block says; all but titles and notes in their sentence next to the block."""
    block = document.blocks[governor.block]
    if governor.kind in ("lead_in", "question", "answer", "speaker") and block.sentences:
        start, end = block.sentences[-1 if governor.block < governed else 0]
        return block.text[start:end]
    return block.text


def _table_heads(
    document: Document, table: int, cells: Iterable[Cell], first: int = -1, last: int = -1
) -> Iterator[Structure]:
    """Heading, caption, lead-in and heads of cells, but for blocks of the evidence itself."""
    yield from titles_of(document, table, first, last)
    for cell in cells:
        rows, columns = heads_of(document, table, cell)
        yield from (Structure(kind="column_head", text=text) for text in columns)
        yield from (Structure(kind="row_head", text=text) for text in rows)


def titles_of(document: Document, table: int, first: int = -1, last: int = -1) -> Iterator[Structure]:
    """Heading, lead-in and caption of a table, but for blocks from ``first`` to ``last``."""
    source = document.tables[table]
    if source.heading is not None and not first <= source.heading <= last:
        yield Structure(kind="heading", text=document.blocks[source.heading].text)
    leads = source.lead_in is not None and document.blocks[source.lead_in].text.rstrip().endswith(COLONS)
    if source.lead_in is not None and leads and not first <= source.lead_in <= last:
        lead_in = Governor("lead_in", source.lead_in)
        yield Structure(kind="lead_in", text=_told(document, lead_in, source.lead_in + 1))
    for caption in (*_lines_above(document, source), *source.caption):
        if not first <= caption <= last:
            yield Structure(kind="caption", text=document.blocks[caption].text)


def _lines_above(document: Document, table: Table) -> list[int]:
    """The lines right above a table that are no sentences: they name it, or the unit of its values."""
    last = table.lead_in if table.lead_in is not None else -1
    found: list[int] = []
    for number in range(last, max(-1, last - _MOST_ABOVE), -1):
        block = document.blocks[number]
        text, linked = block.text.strip(), sum(link.end - link.start for link in block.links)
        plain = block.kind == "paragraph" and block.cell is None and block.frame == table.frame
        if not plain or not is_open(text) or text.endswith(COLONS) or 2 * linked > len(text):
            break
        found.insert(0, number)
    return found


def _changes(block: Block, piece: Place) -> Iterator[Structure]:
    for mark in _changes_in(block):
        if mark.start < piece.end and piece.start < mark.end:
            yield Structure(kind=mark.kind, text=block.text[mark.start : mark.end])


def _item(block: Block) -> str:
    return "item {} of {}".format(*block.item)


def govern_cells(
    document: Document, table: int, slots: Sequence[tuple[int, int]]
) -> tuple[tuple[Structure, ...], Shown]:
    """The structure of cells of a table, and one text of both, a row a line."""
    source = document.tables[table]
    cells = [cell for slot in slots if (cell := source.at(*slot)) is not None]
    items = dict.fromkeys(_table_heads(document, table, cells))
    words = words_of(document, cells)
    text = _Writer(document, words, words)
    for title in dict.fromkeys(each.text for each in titles_of(document, table)):
        text.line(title)
    for row in dict.fromkeys(cell.row for cell in cells):
        text.row(table, row, [cell for cell in cells if not cell.text.strip()])
    return tuple(items), text.shown


def words_of(document: Document, cells: Iterable[Cell]) -> tuple[Place, ...]:
    """Where the words of cells stand."""
    numbers = [number for cell in cells for number in cell.blocks]
    return tuple(Place(number, 0, len(document.blocks[number].text)) for number in numbers)
