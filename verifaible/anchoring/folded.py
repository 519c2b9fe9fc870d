"""A folded text and its map back to the original."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import overload

#: Code points whose offsets are worked out together.
BLOCK = 2048


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text. Character ``i`` of ``text`` stands for ``original[starts[i]:ends[i]]``.

    Offsets are Unicode code points. Several folded characters may share one span (a ligature,
    a letter with its combining marks); both sequences never decrease.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original span of the non-empty folded slice ``[start:end]``."""
        return self.starts[start], self.ends[end - 1]

    def index(self, offset: int) -> int:
        """The first folded character that stands at or after an original offset."""
        return bisect_left(self.starts, offset)

    def is_cut(self, start: int, end: int) -> bool:
        """Whether the slice begins or ends inside a character of the original ("ﬁ", "…", "℃")."""
        return (start > 0 and self.starts[start] == self.starts[start - 1]) or (
            end < len(self.text) and self.starts[end] == self.starts[end - 1]
        )


class Ends(Sequence[int]):
    """Where each folded character ends: one past its start, but for clusters, whose ends ``wide`` has."""

    __slots__ = ("_starts", "_wide")

    def __init__(self, starts: Sequence[int], wide: dict[int, int]) -> None:
        self._starts = starts
        self._wide = wide

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self._wide.get(start, start + 1) for start in self._starts[index]]
        start = self._starts[index]
        return self._wide.get(start, start + 1)

    def __len__(self) -> int:
        return len(self._starts)


class BlockStarts(Sequence[int]):
    """Where each folded character begins, worked out for a block of the text when it is asked for.

    A page is looked at in a few places only: its offsets would cost more than its text. ``text`` is
    folded character by character with ``pieces``; ``lengths`` has the characters that do not fold to one.
    """

    __slots__ = ("_blocks", "_lengths", "_pieces", "_text", "_totals")

    def __init__(
        self, text: str, pieces: Callable[[str], list[str]], lengths: dict[str, int], size: int
    ) -> None:
        self._text = text
        self._pieces = pieces
        self._lengths = lengths
        self._totals: list[int] = []
        self._blocks: dict[int, list[int]] = {-1: [size]}

    def __len__(self) -> int:
        return self._blocks[-1][0]

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        totals = self._block_totals()
        block = bisect_right(totals, at) - 1
        return self._offsets(block)[at - totals[block]]

    def _block_totals(self) -> list[int]:
        """How many folded characters stand before each block."""
        if not self._totals:
            blocks = (self._text[at : at + BLOCK] for at in range(0, len(self._text), BLOCK))
            sizes = (
                len(block) + sum((size - 1) * block.count(char) for char, size in self._lengths.items())
                for block in blocks
            )
            self._totals = list(accumulate(sizes, initial=0))[:-1]
        return self._totals

    def _offsets(self, block: int) -> list[int]:
        if block not in self._blocks:
            first = block * BLOCK
            pieces = self._pieces(self._text[first : first + BLOCK])
            self._blocks[block] = [at for at, piece in enumerate(pieces, first) for _ in piece]
        return self._blocks[block]


class Uncut(Sequence[int]):
    """Offsets in a text from which ``spans`` were cut, as offsets in the whole of it."""

    __slots__ = ("_cuts", "_removed", "_starts")

    def __init__(self, starts: Sequence[int], spans: Sequence[tuple[int, int]]) -> None:
        self._starts = starts
        self._removed = list(accumulate((end - start for start, end in spans), initial=0))
        self._cuts = [start - gone for (start, _), gone in zip(spans, self._removed, strict=False)]

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        start = self._starts[index]
        return start + self._removed[bisect_right(self._cuts, start)]
