"""From the parts of a PDF's pages to the blocks of its Document.

Sentences that go on in the next column or on the next page are one block; running heads, page numbers, notes,
rows of cells and what is set in another direction stand apart from them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final

from verifaible.extract.document import Block, BlockKind, Box, Governor, Mark, Step
from verifaible.extract.pdf_layout import ENDED, Part, marker_length
from verifaible.extract.pdf_lines import Glyph, Line, is_cjk
from verifaible.text.segmentation import sentences

#: What a hyphen at a line's end becomes: nothing tells whether the word has it elsewhere, too.
SOFT_HYPHEN: Final = "\u00ad"
_HYPHENS: Final = "-\u2010\u00ad"
#: Running heads and page numbers stand in this part of the page's height, at its top and bottom.
_EDGE: Final = 0.12
#: Letters of headings are larger than most, and those of notes smaller, by these parts.
_LARGER, _SMALLER = 1.15, 0.93
#: A heading has so many letters at least.
_FEWEST_LETTERS: Final = 3
#: Single lines, of captions and titles, over which a sentence may go on.
_MOST_BETWEEN: Final = 4
_PAGE_NUMBER: Final = re.compile(
    r"\W*(?:[^\W\d]+\W+)?(?:\d{1,4}|[ivxlc]{1,6})(?:\W+(?:[^\W\d]+\W+)?\d{1,4})?\W*"
)
_NOTE_SIGNS: Final = "*†‡§¶#"
_NOTE_NUMBER: Final = re.compile(r"\d{1,2}\s+(?=[^\W\d_])")


@dataclass(slots=True, eq=False)
class Placed:
    """A part and where it stands: its page from 1, and whether its writing runs as most of the page."""

    part: Part
    page: int
    upright: bool = True
    running: bool = False
    kind: BlockKind = "paragraph"
    goes_on: list[Placed] = field(default_factory=list)

    @property
    def lines(self) -> list[Line]:
        """The lines of the part."""
        return self.part.lines


@dataclass(slots=True)
class Drawn:
    """A block, with the glyph of each of its code points; None for blanks and what is made."""

    block: Block
    glyphs: list[Glyph | None]
    page_of: list[int]


def blocks(pages: Sequence[Sequence[Sequence[Part]]], heights: Sequence[float]) -> list[Drawn]:
    """The blocks of a document.

    Args:
        pages: for each page, for each direction of writing (the most common one first), its parts in order.
        heights: of the pages as they are shown, in points.
    """
    placed = [
        Placed(part, number, upright=not at)
        for number, groups in enumerate(pages, 1)
        for at, group in enumerate(groups)
        for part in group
    ]
    _tell_running(placed, heights)
    body = _body_size(placed)
    for each in placed:
        each.kind = _kind(each, body)
    whole = Counter(word.lower() for each in placed for line in each.lines for word in line.text.split())
    order = _in_order(placed)
    joined = _joined(order, body)
    found: list[Drawn] = []
    container = 0
    for each in order:
        if id(each) in joined:
            continue
        if each.part.rows:
            found += _cells(each, container)
            container += 1
        else:
            found.append(_block([each, *each.goes_on], each.kind, whole))
    return _governed(found, body)


# --- what a part is


def _tell_running(placed: Sequence[Placed], heights: Sequence[float]) -> None:
    """Mark running heads and page numbers: at the edge, and a number, or on other pages but for figures."""
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    edge: list[tuple[Placed, tuple[str, int]]] = []
    for each in placed:
        if not each.upright or len(each.lines) > 2:
            continue
        (top, bottom), height = _extent(each), heights[each.page - 1]
        if bottom > _EDGE * height and top < (1 - _EDGE) * height:
            continue
        pattern = re.sub(r"\d+", "#", _said(each)), round(top / 8)
        edge.append((each, pattern))
        seen[pattern].add(each.page)
    for each, (text, place) in edge:
        pages = set().union(*(seen.get((text, place + step), set()) for step in (-1, 0, 1)))
        each.running = len(pages) > 1 or bool(_PAGE_NUMBER.fullmatch(_said(each)))


def _said(placed: Placed) -> str:
    return " ".join(line.text for line in placed.lines)


def _extent(placed: Placed) -> tuple[float, float]:
    areas = [glyph.area for line in placed.lines if (glyph := line.glyphs[0])]
    return min(area[1] for area in areas), max(area[3] for area in areas)


def _body_size(placed: Iterable[Placed]) -> float:
    """The size of most letters."""
    sizes: Counter[float] = Counter()
    for each in placed:
        for line in each.lines:
            sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _kind(placed: Placed, body: float) -> BlockKind:
    part = placed.part
    if placed.running or part.margin:
        return "line"
    short = len(part.lines) <= 3 and not ENDED.search(part.lines[-1].text)
    letters = sum(1 + is_cjk(char) for line in part.lines for char in line.text if char.isalpha())
    if letters < _FEWEST_LETTERS:  # a label in a figure
        return "paragraph"
    if part.size >= _LARGER * body and len(part.lines) <= 4:
        return "heading"
    if short and len(part.lines) <= 2 and all(line.bold for line in part.lines):
        return "heading"
    return "item" if marker_length(part.lines[0]) else "paragraph"


def _in_order(placed: Sequence[Placed]) -> list[Placed]:
    """Running heads before and feet behind what a page says; what is set in another direction last."""
    found: list[Placed] = []
    for _, page in groupby(placed, key=lambda each: each.page):
        parts = list(page)
        text = [each for each in parts if not each.running and not each.part.margin]
        first = min((_extent(each)[0] for each in text if each.upright), default=0.0)
        heads = [each for each in parts if each.running and _extent(each)[0] <= first]
        rest = [each for each in parts if each not in text and each not in heads]
        found += [*heads, *text, *rest]
    return found


# --- sentences over columns and pages


def _joined(order: Sequence[Placed], body: float) -> set[int]:
    """Let parts hold those in which their last sentence goes on; the ids of these."""
    taken: set[int] = set()
    holder: dict[int, Placed] = {}
    for at, each in enumerate(order):
        if not _may_go_on(each, body):
            continue
        after = _continuation(each, (order[i] for i in range(at + 1, len(order))), body)
        if after is not None and id(after) not in taken:
            first = holder.get(id(each), each)
            first.goes_on.append(after)
            holder[id(after)] = first
            taken.add(id(after))
    return taken


def _is_text(placed: Placed, body: float) -> bool:
    """Whether it is of the running text: no note, head, row or number."""
    part = placed.part
    return (
        placed.upright
        and not (placed.running or part.rows or part.margin)
        and placed.kind in ("paragraph", "item")
        and part.size >= _SMALLER * body
        and not _note_sign(part.lines[0])
    )


def _note_sign(line: Line) -> str:
    """The mark with which a note begins: raised, or a sign."""
    first = [glyph for glyph in line.glyphs[:3] if glyph]
    raised = "".join(glyph.text for glyph in first if glyph.shift == "raised")
    return (
        raised
        if raised and first[0].shift == "raised"
        else first[0].text
        if first[0].text in _NOTE_SIGNS
        else ""
    )


def _may_go_on(placed: Placed, body: float) -> bool:
    return _is_text(placed, body) and (placed.part.filled or not ENDED.search(placed.lines[-1].text))


def _continuation(placed: Placed, following: Iterable[Placed], body: float) -> Placed | None:
    """Where the last sentence of a part goes on: in the next text of another column or page."""
    between, crossed = 0, False
    for other in following:
        if other.page > placed.page + 1 or between > _MOST_BETWEEN:
            break
        if _is_text(other, body):
            takes_up = _takes_up(placed, other, between, crossed)
            if takes_up is not None:
                return other if takes_up else None
        crossed = crossed or (other.kind == "heading" and other.page == placed.page)
        between += not (other.running or other.part.margin)
    return None


def _takes_up(placed: Placed, other: Placed, between: int, crossed: bool) -> bool | None:
    """Whether a sentence goes on in another part; None where it may do so behind that.

    Over a heading (``crossed``) it does so only where a small letter shows it.
    """
    last, first = placed.lines[-1], other.lines[0]
    below = other.page == placed.page and first.base > last.base
    if below and min(first.u1, last.u1) > max(first.u0, last.u0):
        # A note or a caption under the text, or its next paragraph.
        return None if _NOTE_NUMBER.match(first.text) or not ENDED.search(other.lines[-1].text) else False
    if other.kind == "item":
        return False
    if ENDED.search(last.text):  # the paragraph goes on, unless it begins a new one
        return not between and first.u0 <= other.part.u0 + 0.3 * first.size
    letter = next((char for char in first.text if char.isalnum()), "")
    if letter.islower():
        return True
    if not crossed and (is_cjk(letter) or last.text[-1:] in _HYPHENS or placed.part.filled):
        return True
    return False if len(other.lines) > 1 else None


# --- blocks


def _block(parts: Sequence[Placed], kind: BlockKind, whole: Counter[str]) -> Drawn:
    text: list[str] = []
    glyphs: list[Glyph | None] = []
    pages: list[int] = []
    lines: list[tuple[int, int]] = []
    shown = [(line, each.page) for each in parts for line in each.lines]
    for number, (line, page) in enumerate(shown):
        start = len(text)
        for glyph in line.glyphs:
            for char in glyph.text if glyph else " ":
                text.append(char)
                glyphs.append(glyph)
                pages.append(page)
        if number + 1 < len(shown):
            _end_line(text, glyphs, pages, shown[number + 1][0], whole)
        lines.append((start, len(text)))
    said = "".join(text)
    marks = list(_marks(glyphs))
    found = sentences(said, notes=[(mark.start, mark.end) for mark in marks if mark.kind == "raised"])
    if kind == "item":
        marks.insert(0, Mark(0, marker_length(parts[0].lines[0]), "list_marker"))
    boxes = tuple(_boxes(glyphs, pages, _cut(lines, found), parts[0].page))
    block = Block(said, kind, tuple(found), tuple(marks), boxes=boxes, page_number=parts[0].page)
    return Drawn(block, glyphs, pages)


def _end_line(
    text: list[str], glyphs: list[Glyph | None], pages: list[int], after: Line, whole: Counter[str]
) -> None:
    """What stands for a line's end: a blank, nothing, or a soft hyphen for the hyphen of a parted word."""
    first, last = after.text[:1], text[-1]
    before = text[-2] if len(text) > 1 else " "
    if last in _HYPHENS and before.isalpha() and first.isalpha():
        head = re.split(r"\s", "".join(text[-40:]))[-1][:-1]
        tail = re.match(r"[\w'’-]*", after.text)
        word = (head + "-" + (tail.group() if tail else "")).lower()
        keeps = (first.isupper() and not head.isupper()) or whole[word] > 0
        text[-1] = "-" if keeps else SOFT_HYPHEN
    elif last in _HYPHENS and before.isalnum() and first.isalnum():
        text[-1] = "-"
    elif not (is_cjk(last) and is_cjk(first)):
        text.append(" ")
        glyphs.append(None)
        pages.append(pages[-1])


def _marks(glyphs: Sequence[Glyph | None]) -> Iterator[Mark]:
    """Marks of raised, lowered and struck out letters."""
    at = 0
    for _, run in groupby(glyphs, key=lambda each: (each.shift, each.struck) if each else ()):
        same = list(run)
        first, end = same[0], at + len(same)
        if first and first.shift:
            yield Mark(at, end, first.shift)
        if first and first.struck:
            yield Mark(at, end, "struck")
        at = end


def _cut(lines: Iterable[tuple[int, int]], parts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Lines, cut where a sentence begins."""
    for start, end in lines:
        cuts = [start, *(low for low, _ in parts if start < low < end), end]
        yield from pairwise(cuts)


def _boxes(
    glyphs: Sequence[Glyph | None], pages: Sequence[int], spans: Iterable[tuple[int, int]], page: int
) -> Iterator[Box]:
    for start, end in spans:
        areas = [glyph.area for glyph in glyphs[start:end] if glyph]
        if areas:
            x, y = min(area[0] for area in areas), min(area[1] for area in areas)
            right, bottom = max(area[2] for area in areas), max(area[3] for area in areas)
            here = pages[start]
            yield Box(start, end, x, y, right - x, bottom - y, here if here != page else 0)


def _cells(placed: Placed, container: int) -> Iterator[Drawn]:
    """The cells of rows; their places are those of the row that has the most."""
    rows = placed.part.rows
    widest = max(rows, key=len)
    for number, row in enumerate(rows):
        for at, line in enumerate(row):
            column = max(
                range(len(widest)), key=lambda i: min(line.u1, widest[i].u1) - max(line.u0, widest[i].u0)
            )
            each = Placed(Part([line]), placed.page)
            drawn = _block([each], "line" if placed.running else "cell", Counter())
            step = Step(container, number, column if len(row) < len(widest) else at)
            drawn.block = replace(drawn.block, rows=(step,)) if not placed.running else drawn.block
            yield drawn


# --- what governs


def _governed(found: list[Drawn], body: float) -> list[Drawn]:
    heading = lead_in = None
    notes = {
        (each.block.page_number, sign): at for at, each in enumerate(found) if (sign := _note_of(each, body))
    }
    items: list[int] = []
    for at, each in enumerate(found):
        block = each.block
        governors: list[Governor] = []
        if heading is not None and block.kind != "line":
            governors.append(Governor("heading", heading))
        if block.kind == "item":
            items.append(at)
            if lead_in is not None:
                governors.append(Governor("lead_in", lead_in))
        elif block.kind not in ("line", "cell"):
            _count(found, items)
            items = []
            lead_in = at if block.text.endswith((":", "：")) else None
        if block.kind == "heading":
            governors, heading = [], at
        marks = list(block.marks)
        for mark in block.marks:
            note = notes.get((each.page_of[mark.start], block.text[mark.start : mark.end].strip()))
            if mark.kind == "raised" and note is not None and note != at:
                marks.append(Mark(mark.start, mark.end, "note"))
                governors.append(Governor("footnote", note))
        each.block = replace(
            block, governors=tuple(governors), marks=tuple(sorted(marks, key=attrgetter("start")))
        )
    _count(found, items)
    return found


def _count(found: list[Drawn], items: Sequence[int]) -> None:
    for which, at in enumerate(items, 1):
        found[at].block = replace(found[at].block, item=(which, len(items)))


def _note_of(drawn: Drawn, body: float) -> str:
    """The mark of a note, where a block is one: raised or a sign at its beginning, or small print."""
    first = re.match(r"(\d{1,3}|[a-z]|[*†‡§¶#]+)(?=\W|\Z|(?<=\D)\w|(?<=\d)[^\W\d])", drawn.block.text)
    glyph = drawn.glyphs[0]
    if first is None or glyph is None:
        return ""
    small = max((g.size for g in drawn.glyphs if g), default=0.0) < _SMALLER * body
    raised = glyph.shift == "raised"
    return (
        first[1]
        if raised or (small and (first[1] in _NOTE_SIGNS or drawn.block.text[first.end() :][:1] == " "))
        else ""
    )
