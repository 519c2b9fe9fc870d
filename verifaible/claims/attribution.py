"""Which sources each part of a sentence cites, by where the marks stand.

A mark covers what it stands in or behind. Three ways of writing reach further back, to what has no mark of
its own: marks behind the last sentence of a paragraph that names no other source, nor does its heading; marks
in brackets that stand by themselves between the sentences of a paragraph, back to the marks before them; and
a line of marks, or one that only says where the table, the list or the paragraph over it is from.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.claims.markers import CitedMark
from verifaible.claims.units import Closing, Unit, Units

#: The words, without its marks, of a line that only says where something is from.
_SOURCE_LINE: Final = re.compile(
    r"\W*(?:(?:data\s+)?(?:sources?|references?)(?:\s+(?:of|for)\s+(?:the\s+)?(?:data|table|figures))?"
    r"|(?:all\s+)?(?:data|figures)\s+(?:from|via|by)|see|via|from|(?:以上)?(?:数据|资料|信息)?(?:来源|出处|来自))\W*",
    re.IGNORECASE,
)
_NEW_BLOCK = re.compile(r"\n[^\S\n]*\n")
_WORD = re.compile(r"[^\W_]")
#: The end of a sentence, in its last code points.
_ENDED = re.compile(r"[.!?。！？][\"'”’*_)）]*\Z")
#: A first sentence all in bold is the title of its paragraph.
_TITLE = re.compile(r"\s*(\*\*|__).*\1\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cited:
    """What a part cites.

    Attributes:
        cites: ids of sources, each once, in order.
        broken: marks that lead to no source.
        near: whether a mark stands at the part, its sentence, its item or its row, not only at a heading.
    """

    cites: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    near: bool = False


class Citing:
    """The marks of one answer, ready to be asked for each sentence."""

    def __init__(self, units: Units) -> None:
        self._units = units
        shared: defaultdict[int, list[CitedMark]] = defaultdict(list)
        for unit in units.units:
            if unit.group:
                shared[unit.group] += unit.marks
        self._shared = dict(shared)
        self._carried = dict(_carried(units))

    def of_parts(self, unit: Unit, ranges: Sequence[tuple[int, int]]) -> list[Cited]:
        """What the parts of a unit cite, whose ranges are in order.

        A part has the marks that stand in it or behind it; else the next ones of the sentence, or all of it;
        else those of its item or row; else those that reach back to it; else those of the heading over it.
        In an answer without any mark all have what it lists at its end.
        """
        starts = sorted({start for start, _ in ranges})
        own: dict[int, list[CitedMark]] = {start: [] for start in starts}
        for mark in unit.marks:
            own[starts[max(0, bisect_right(starts, mark.mark.start) - 1)]].append(mark)
        found: list[Cited] = []
        for start, _ in ranges:
            following = next((own[each] for each in starts if each >= start and own[each]), None)
            near = following or unit.marks or self._shared.get(unit.group, [])
            near = near or self._carried.get(unit.start, [])
            over = [] if unit.head else self._units.section_marks(unit.section)
            closing = self._units.closing if not (unit.head or near or over) else Closing()
            if unit.start < closing.at:
                found.append(Cited(closing.listed.cites, closing.listed.broken))
            else:
                found.append(_cited(near or over, near=bool(near)))
        return found


def _carried(units: Units) -> Iterator[tuple[int, list[CitedMark]]]:
    """The marks that reach back to a unit, by its first code point."""
    block: list[Unit] = []
    for unit in units.units:
        source_line = bool(unit.marks) and not unit.head and _says_where_from(units, unit)
        if source_line or not (block and _continues(units, block[-1], unit)):
            yield from _reached(units, block)
            if source_line:
                yield from ((each.start, unit.marks) for each in block)
            block = []
        if not source_line:
            block.append(unit)
    yield from _reached(units, block)


def _says_where_from(units: Units, unit: Unit) -> bool:
    words, at = "", unit.start
    for mark in unit.marks:  # what a link is called says where, too
        words += units.plain(at, max(at, mark.mark.start)).text
        at = max(at, mark.mark.end)
    return _SOURCE_LINE.fullmatch(words + units.plain(at, max(at, unit.end)).text) is not None


def _continues(units: Units, before: Unit, unit: Unit) -> bool:
    """Whether two units are of one table, one list or one paragraph."""
    if unit.head or before.head or before.kind != unit.kind or before.section != unit.section:
        return False
    return unit.kind != "paragraph" or not _NEW_BLOCK.search(units.body, before.end, unit.start)


def _reached(units: Units, block: Sequence[Unit]) -> Iterator[tuple[int, list[CitedMark]]]:
    """What marks reach back from the last unit of a block."""
    if not block:
        return
    last = block[-1]
    alone = [mark for mark in last.marks if "\n" in units.body[last.end : mark.mark.start]]
    if alone:
        yield from ((unit.start, alone) for unit in block)
    elif last.kind == "paragraph" and not units.section_marks(last.section):
        closing = _group_at_end(units, last)
        others = [mark for unit in block for mark in unit.marks if mark not in closing]
        if closing and {mark.resolved.cites for mark in others} <= {mark.resolved.cites for mark in closing}:
            titled = len(block) > 1 and _TITLE.fullmatch(units.body[block[0].start : block[0].end])
            yield from ((unit.start, closing) for unit in block[bool(titled) :])
        else:
            yield from _between(units, block)


def _group_at_end(units: Units, last: Unit) -> list[CitedMark]:
    """The marks at the end of a sentence that no word parts."""
    at, first = last.end, len(last.marks)
    while first and not _WORD.search(units.body, last.marks[first - 1].mark.end, at):
        first -= 1
        at = last.marks[first].mark.start
    return last.marks[first:]


def _between(units: Units, block: Sequence[Unit]) -> Iterator[tuple[int, list[CitedMark]]]:
    """What marks that stand by themselves between sentences reach back to, where all of a paragraph do."""
    groups = [bool(unit.marks) and _stand_alone(units, unit) for unit in block]
    if not all(alone for unit, alone in zip(block, groups, strict=True) if unit.marks):
        return
    waiting: list[Unit] = []
    for unit in block:
        if not unit.marks:
            waiting.append(unit)
            continue
        yield from ((each.start, unit.marks) for each in waiting)
        waiting = []


def _stand_alone(units: Units, unit: Unit) -> bool:
    """Whether the marks of a sentence stand behind its end, in brackets of their own.

    The brackets are blanked with the mark: they are seen by the two code points that they and a space take.
    """
    between = units.body[unit.end : unit.marks[0].mark.start]
    ended = _ENDED.search(units.body, max(unit.start, unit.end - 4), unit.end)
    return len(between) > 1 and not between.strip() and "\n" not in between and ended is not None


def _cited(marks: Iterable[CitedMark], *, near: bool) -> Cited:
    cites: dict[str, None] = {}
    broken: dict[str, None] = {}
    for mark in marks:
        cites.update(dict.fromkeys(mark.resolved.cites))
        broken.update(dict.fromkeys(mark.resolved.broken))
    return Cited(tuple(cites), tuple(broken), near)
