"""From the lines of a PDF page to what is read in one go: paragraphs, rows of cells, and their order.

A line that is full goes on below: the next line's first word would not have fitted into it. Lines that go on
so are a column of prose; others that stand side by side are the cells of a row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from verifaible.extract.pdf_lines import Line

#: The bullet or number of an item.
_MARKER: Final = re.compile(
    r"(?:[•‣·∙*–—\-\u2190-\u2bff\ue000-\uf8ff]|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\)|(?:\d{1,3}|[a-z])\.)(?=\s|\Z)"
)
_NUMBER: Final = re.compile(r"\d{1,4}")
#: A sentence ends here, or what follows is told by it.
ENDED: Final = re.compile(r"[.!?:;…。！？：；][\"'”’»)\]\d]*\Z")
#: In ems: the least width of a column of prose, and the widest way from a line to the one below.
_PROSE, _BELOW = 9.0, 2.2
#: Where more parts than this stand on a page (the names on a map), they are read from the top.
_MOST_PARTS: Final = 500
#: Left, right, top and bottom of a part.
_Extent = tuple[float, float, float, float]
#: Letters of two lines of a paragraph differ in size by no more than this part.
_SAME_SIZE: Final = 0.12


@dataclass(slots=True, eq=False)
class Part:
    """Lines that are read in one go, or (``rows``) rows of cells that stand side by side.

    ``filled``: its last line is full, so that the words may go on elsewhere; ``margin``: a line number.
    """

    lines: list[Line]
    rows: list[list[Line]] = field(default_factory=list)
    filled: bool = False
    margin: bool = False

    @property
    def u0(self) -> float:
        """Left edge."""
        return min(line.u0 for line in self.lines)

    @property
    def u1(self) -> float:
        """Right edge."""
        return max(line.u1 for line in self.lines)

    @property
    def size(self) -> float:
        """The size of most of its letters, in points."""
        return max(self.lines, key=lambda line: len(line.text)).size


def parts(lines: Sequence[Line], *, from_right: bool = False) -> list[Part]:
    """What a page's lines of one direction make up, in the order in which it is read."""
    lines, numbers = _without_margin(_with_markers(lines))
    stacks = _stacks(lines)
    prose = _prose(stacks)
    flowing = {id(line) for stack in prose for line in stack}
    rows = _rows(line for line in lines if id(line) not in flowing)
    in_rows = {id(line) for row in rows for line in row}
    found = [Part([line for row in each for line in row], rows=each) for each in _tables(rows, prose)]
    for stack in stacks:
        run: list[Line] = []
        for line in [*stack, None]:
            if line is not None and id(line) not in in_rows:
                run.append(line)
            elif run:
                found += _paragraphs(run)
                run = []
    return [*_ordered(found, from_right), *(Part([line], margin=True) for line in numbers)]


# --- what stands before a line


def _with_markers(lines: Sequence[Line]) -> list[Line]:
    """Lines with the bullet or number that stands far in front of them on the same level."""
    found: list[Line] = []
    for line in lines:
        before = found[-1] if found else None
        if before is None or before.level != line.level or line.u0 - before.u1 > 4 * line.size:
            found.append(line)
            continue
        if _MARKER.fullmatch(before.text):
            glyphs = [*before.glyphs, None, *line.glyphs]
            length = len(before.text)
            found[-1] = Line(glyphs, before.u0, line.u1, line.base, line.size, line.level, length)
        else:
            found.append(line)
    return found


def marker_length(line: Line) -> int:
    """How many letters the bullet or number has with which a line begins; 0 where it has none."""
    match = _MARKER.match(line.text)
    return line.marker or (match.end() if match else 0)


def _without_margin(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Lines without the numbers of lines, and these: figures in a margin that rise evenly beside prose."""
    bare = [line for line in lines if _NUMBER.fullmatch(line.text)]
    rest = [line for line in lines if not _NUMBER.fullmatch(line.text)]
    if len(bare) < 2 or not rest:
        return lines, []
    left, right = min(line.u0 for line in rest), max(line.u1 for line in rest)
    for side in ([line for line in bare if line.u1 <= left], [line for line in bare if line.u0 >= right]):
        steps = [int(after.text) - int(before.text) for before, after in pairwise(side)]
        evenly = bool(steps) and min(steps) > 0 and 2 * max(Counter(steps).values()) > len(steps)
        levels = {number.level for number in side}
        beside = [line for line in rest if line.level in levels]
        wide = sum(line.u1 - line.u0 >= _PROSE * line.size for line in beside)
        alone = len({line.level for line in beside}) == len(beside) and 2 * wide >= len(beside)
        if evenly and alone:
            apart = {id(line) for line in side}
            return [line for line in lines if id(line) not in apart], side
    return lines, []


# --- columns of lines


def _stacks(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that stand below one another, each the only one below and above its neighbours."""
    below: dict[int, Line] = {}
    above: dict[int, list[Line]] = {}
    ordered = sorted(lines, key=lambda line: line.base)
    for at, line in enumerate(ordered):
        near: list[Line] = []
        for other in ordered[at + 1 :]:
            if other.base - line.base > _BELOW * max(line.size, other.size):
                break
            if near and other.base - near[0].base > 0.5 * line.size:
                break
            if other.base - line.base > 0.5 * line.size and _overlap(line, other) > 0:
                near.append(other)
        for other in near:
            above.setdefault(id(other), []).append(line)
        if len(near) == 1 and abs(near[0].size - line.size) <= _SAME_SIZE * line.size:
            below[id(line)] = near[0]
    found, taken = [], set()
    for line in ordered:
        if id(line) in taken:
            continue
        stack = [line]
        taken.add(id(line))
        while (after := below.get(id(stack[-1]))) and len(above[id(after)]) == 1 and id(after) not in taken:
            stack.append(after)
            taken.add(id(after))
        found.append(stack)
    return found


def _overlap(one: Line, other: Line) -> float:
    return min(one.u1, other.u1) - max(one.u0, other.u0)


def is_full(line: Line, after: Line, right: float) -> bool:
    """Whether the next line's first word would not have fitted into a line."""
    return line.u1 + 0.2 * line.size + after.first_word() > right


def _prose(stacks: Sequence[list[Line]]) -> list[list[Line]]:
    """The stacks that are columns of prose.

    Labels of rows look like prose by chance: what stands beside short cells, line by line, is none.
    """
    likely = [stack for stack in stacks if _share_of_full(stack) >= 0.5]
    flowing = {id(line) for stack in likely for line in stack}
    cells = {line.level for stack in stacks for line in stack if id(line) not in flowing}
    return [stack for stack in likely if sum(line.level in cells for line in stack) < 0.6 * len(stack)]


def _share_of_full(stack: Sequence[Line]) -> float:
    """Which part of a stack's lines, but for the last, goes on below; 0 where it is too narrow for prose."""
    right, size = max(line.u1 for line in stack), stack[0].size
    if len(stack) < 2 or right - min(line.u0 for line in stack) < _PROSE * size:
        return 0.0
    pairs = list(pairwise(stack))
    return sum(is_full(line, after, right) or _goes_on(line, after) for line, after in pairs) / len(pairs)


def _goes_on(line: Line, after: Line) -> bool:
    """Whether the words of a line show that they go on in the next."""
    return line.text[-1:] in "-\u00ad" or (after.text[:1].islower() and not ENDED.search(line.text))


def _paragraphs(stack: list[Line]) -> list[Part]:
    """A column of lines, parted at gaps, at indents, and behind lines that are not full."""
    right = max(line.u1 for line in stack)
    steps = sorted(after.base - before.base for before, after in pairwise(stack))
    usual = steps[len(steps) // 3] if steps else 0.0
    found = [Part([stack[0]])]
    for before, after in pairwise(stack):
        full = is_full(before, after, right)
        start = found[-1].lines[0]
        indented = after.u0 - before.u0 > 0.8 * after.size and len(found[-1].lines) > 1
        hanging = before.u0 - after.u0 > 0.8 * after.size and (
            before is not start or marker_length(start) > 0
        )
        begins = after.text[:1].isupper() or not after.text[:1].isalnum()
        ended = bool(ENDED.search(before.text))
        wider = after.base - before.base > usual + 0.3 * after.size
        if (
            (wider and (begins or ended))
            or (ended and (sign := after.glyphs[0]) is not None and sign.shift == "raised")
            or (marker_length(after) and (ended or not full or marker_length(start)))
            or ((indented or hanging) and begins and (ended or not full))
            or (not full and begins and (ended or before.u1 < right - 0.25 * (right - before.u0)))
        ):
            found[-1].filled = full
            found.append(Part([]))
        found[-1].lines.append(after)
    last = found[-1].lines[-1]
    wide = right - min(line.u0 for line in stack) >= _PROSE * last.size
    found[-1].filled = wide and last.u1 >= right - 3 * last.size
    return found


# --- rows of cells


def _rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Lines that stand side by side."""
    levels: dict[int, list[Line]] = {}
    for line in lines:
        levels.setdefault(line.level, []).append(line)
    rows = (sorted(level, key=lambda line: line.u0) for _, level in sorted(levels.items()))
    return [row for row in rows if len(row) > 1]


def _tables(rows: Iterable[list[Line]], prose: Iterable[Sequence[Line]]) -> list[list[list[Line]]]:
    """Rows that follow one another without a paragraph between them."""
    bases = [(line.base, line.u0, line.u1) for stack in prose for line in stack]
    found: list[list[list[Line]]] = []
    for row in rows:
        last = found[-1][-1] if found else []
        near = bool(last) and row[0].base - last[0].base <= 3.5 * row[0].size
        if near and not any(
            last[0].base < base < row[0].base and u0 < last[-1].u1 and u1 > last[0].u0
            for base, u0, u1 in bases
        ):
            found[-1].append(row)
        else:
            found.append([row])
    return found


# --- the order of reading


def _ordered(found: list[Part], from_right: bool) -> list[Part]:
    """Parts in reading order (Breuel 2003): what is above comes first, and a column before the next one."""
    boxes: list[_Extent] = []
    for part in found:
        u0, u1 = (-part.u1, -part.u0) if from_right else (part.u0, part.u1)
        top, bottom = part.lines[0].base - part.lines[0].size, max(line.base for line in part.lines)
        boxes.append((u0, u1, top, bottom))
    from_top = sorted(range(len(boxes)), key=lambda i: (boxes[i][2], boxes[i][0]))
    if len(boxes) > _MOST_PARTS:
        return [found[i] for i in from_top]
    before = {i: {j for j in from_top if j != i and _is_first(boxes[j], boxes[i])} for i in from_top}
    order: list[int] = []
    while from_top:  # from the top where there is a choice, or a circle
        free = next((i for i in from_top if before[i].isdisjoint(from_top)), from_top[0])
        from_top.remove(free)
        order.append(free)
    return [found[i] for i in order]


def _is_first(one: _Extent, other: _Extent) -> bool:
    """Whether a part is read before another one: it is in a column before that one's, or above it."""
    if one[1] <= other[0] or other[1] <= one[0]:
        return one[1] <= other[0]
    return one[2] + one[3] < other[2] + other[3]
