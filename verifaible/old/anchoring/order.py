"""Whether something is still at its place: by its order among what stands on the page, then and now.

A page is read as a row of blocks: lines of text, rows or columns of a table, pictures. Blocks that stand
once then and once now survive. Something is at its place if the most survivors that keep one common order
do so around it: whatever is put in, edited or taken away beside it does not count, nor do others that
move. Two neighbours that changed places are both said to have moved, for nothing tells which one did.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from verifaible.old.anchoring.fold import fold


class Order:
    """Blocks then and now; work and memory grow as n log n with their number.

    Args:
        before: the keys of all blocks then; an empty key is no block.
        cited: the first and the last of those that are cited.
        now: the keys of all blocks now.
    """

    def __init__(self, before: Sequence[str], cited: tuple[int, int], now: Sequence[str]) -> None:
        others = [key for at, key in enumerate(before) if not cited[0] <= at <= cited[1]]
        then, today = Counter(others), Counter(now)
        self._others = any(others)
        places = {key: at for at, key in enumerate(now) if key and today[key] == then[key] == 1}
        pairs = [
            (at, places[key])
            for at, key in enumerate(before)
            if key in places and not cited[0] <= at <= cited[1]
        ]
        ahead = [now_at for at, now_at in pairs if at < cited[0]]
        behind = [now_at for at, now_at in pairs if at > cited[1]]
        self._most = max(_runs([now_at for _, now_at in pairs]), default=0)
        size = len(now)
        self._ahead = _best_up_to(ahead, size)
        self._behind = _best_up_to([size - 1 - at for at in reversed(behind)], size)
        self._size = size

    def holds(self, first: int, last: int) -> bool | None:
        """Whether the blocks ``first`` to ``last`` of now are at the place of the cited ones.

        None where other blocks stood there, and none of them survives to tell.
        """
        if not self._most:
            return None if self._others else True
        return self._ahead[first] + self._behind[self._size - 1 - last] == self._most


class TextOrder:
    """The same for a span of a text, whose blocks are its lines."""

    def __init__(self, before: str, start: int, end: int, now: str) -> None:
        then, self._now = _Lines.of(before), _Lines.of(now)
        self._order = Order(then.keys, then.of_span(start, end), self._now.keys)

    def holds(self, start: int, end: int) -> bool | None:
        """See :meth:`Order.holds`; for a span of the text of now, in code points."""
        return self._order.holds(*self._now.of_span(start, end))


class _Lines:
    """The lines of a text: their folded words, and where they begin."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        self.keys = [fold(line).text for line in lines]
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    @staticmethod
    @lru_cache(maxsize=4)
    def of(text: str) -> _Lines:
        return _Lines(text)

    def of_span(self, start: int, end: int) -> tuple[int, int]:
        first, last = (bisect_left(self._starts, at + 1) - 1 for at in (start, max(start, end - 1)))
        return min(first, len(self.keys) - 1), min(last, len(self.keys) - 1)


def _runs(places: Sequence[int]) -> list[int]:
    """For each place, how long the longest increasing run is that ends with it (patience sorting)."""
    piles: list[int] = []
    found: list[int] = []
    for place in places:
        pile = bisect_left(piles, place)
        piles[pile : pile + 1] = [place]
        found.append(pile + 1)
    return found


def _best_up_to(places: Sequence[int], size: int) -> list[int]:
    """The longest increasing run of the places below each number from 0 to ``size``."""
    ends = [0] * (size + 1)
    for place, run in zip(places, _runs(places), strict=True):
        ends[place + 1] = run
    return list(accumulate(ends, max))
