"""Whether something is still at its place: by its order among what stands in a source, then and now.

A source is read as a row of pieces: sentences, rows or columns of a table, pictures. Pieces that stand once
then and once now survive. Something is at its place if the most survivors that keep one common order do so
around it: whatever is put in, edited or taken away beside it does not count, nor do others that move. Two
neighbours that changed places are both said to have moved, for nothing tells which one did.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from verifaible.anchoring.quote import Place, kept
from verifaible.extract.document import Document
from verifaible.text.normalise import key

#: Fewer pieces beside the cited ones have no order that could tell.
_FEWEST: Final = 3


class Order:
    """Pieces then and now; work and memory grow as n log n with their number.

    Args:
        before: the keys of all pieces then; an empty key is no piece.
        cited: the first and the last of those that are cited.
        now: the keys of all pieces now.
    """

    def __init__(self, before: Sequence[str], cited: tuple[int, int], now: Sequence[str]) -> None:
        others = [(at, name) for at, name in enumerate(before) if not cited[0] <= at <= cited[1] and name]
        then, today = Counter(name for _, name in others), Counter(now)
        places = {name: at for at, name in enumerate(now) if today[name] == then[name] == 1}
        pairs = [(at, places[name]) for at, name in others if name in places]
        ahead = [place for at, place in pairs if at < cited[0]]
        behind = [place for at, place in pairs if at > cited[1]]
        self._others = len(others) >= _FEWEST
        self._most = max(_runs([place for _, place in pairs]), default=0)
        self._size = len(now)
        self._ahead = _best_up_to(ahead, self._size)
        self._behind = _best_up_to([self._size - 1 - place for place in reversed(behind)], self._size)

    def holds(self, first: int, last: int) -> bool | None:
        """Whether the pieces ``first`` to ``last`` of now are at the place of the cited ones.

        None where other pieces stood there, and none of them survives to tell; where there were hardly any,
        as on a page of one sentence beside a counter, there is no other place to be at.
        """
        if not self._most:
            return None if self._others else True
        return self._ahead[first] + self._behind[self._size - 1 - last] == self._most


class Sentences:
    """All sentences of a Document in reading order, with their keys."""

    def __init__(self, document: Document) -> None:
        self.places = [
            Place(number, *span) for number, block in enumerate(document.blocks) for span in block.sentences
        ]
        self.keys = [key(document.blocks[p.block].text[p.start : p.end]) for p in self.places]
        self._starts = [(place.block, place.start) for place in self.places]

    @staticmethod
    def of(document: Document) -> Sentences:
        """The sentences of a Document, listed once."""
        return kept(document, Sentences)

    def at(self, block: int, offset: int) -> int:
        """The sentence in which a place of a block lies."""
        return max(0, bisect_left(self._starts, (block, offset + 1)) - 1)


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
