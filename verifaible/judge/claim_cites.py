"""Which sources each part of a sentence cites, by where the marks stand."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verifaible.judge.claim_units import Unit, Units
from verifaible.judge.inputs.marks import CitedMark


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

    def of_parts(self, unit: Unit, ranges: Sequence[tuple[int, int]]) -> list[Cited]:
        """What the parts of a unit cite, whose ranges are in order.

        A part has the marks that stand in it or behind it; else the next ones of the sentence, or all of it;
        else those of its item or row; else those of the heading over it.
        """
        starts = sorted({start for start, _ in ranges})
        own: dict[int, list[CitedMark]] = {start: [] for start in starts}
        for mark in unit.marks:
            own[starts[max(0, bisect_right(starts, mark.mark.start) - 1)]].append(mark)
        found: list[Cited] = []
        for start, _ in ranges:
            following = next((own[each] for each in starts if each >= start and own[each]), None)
            near = following or unit.marks or self._shared.get(unit.group, [])
            over = [] if unit.head else self._units.section_marks(unit.section)
            found.append(_cited(near or over, near=bool(near)))
        return found


def _cited(marks: Iterable[CitedMark], *, near: bool) -> Cited:
    cites: dict[str, None] = {}
    broken: dict[str, None] = {}
    for mark in marks:
        cites.update(dict.fromkeys(mark.resolved.cites))
        broken.update(dict.fromkeys(mark.resolved.broken))
    return Cited(tuple(cites), tuple(broken), near)
