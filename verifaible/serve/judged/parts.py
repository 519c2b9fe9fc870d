"""The parts in which a long answer is shown, and which claims belong to each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from verifaible.serve.runs.timeline import visible

if TYPE_CHECKING:
    from verifaible.schema.analyst import Claim

#: Markdown can take time with the square of its length, so a long answer is drawn piece by piece.
CHUNK_CHARS = 20_000
#: Of a longer answer a page shows one part.
PART_CHARS = 60_000


def plain_text(text: str) -> str:
    """A text in which nothing is obeyed, letter for letter as long as it was."""
    return visible(text.replace("\r\n", " \n").replace("\r", "\n"))


def parts_of(text: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The parts of an answer that a page shows at once, each of some chunks: ranges in code points."""
    chunks: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= CHUNK_CHARS else _border(text, start, start + CHUNK_CHARS)
        chunks.append((start, end))
        start = end
    most = PART_CHARS // CHUNK_CHARS
    return tuple(tuple(chunks[at : at + most]) for at in range(0, len(chunks), most)) or ((),)


def range_of(parts: Sequence[Sequence[tuple[int, int]]], part: int) -> tuple[int, int | None]:
    """The range of a part of an answer, by its number from 1; None for the end of the last one."""
    chunks = parts[part - 1]
    return (chunks[0][0] if chunks else 0), (chunks[-1][1] if part < len(parts) else None)


def unplaced(claims: Sequence[Claim], placed: Collection[str], end: int | None) -> tuple[str, ...]:
    """The claims that a part of an answer should show and does not: those that end in it, without a place."""
    return tuple(each.id for each in claims if each.id not in placed and (end is None or each.end <= end))


def _border(text: str, start: int, limit: int) -> int:
    """Where a chunk ends: before a heading, else behind a blank line, a line, or in the midst of one."""
    for border, kept in (("\n#", 1), ("\n\n", 2), ("\n", 1)):
        found = text.rfind(border, start + CHUNK_CHARS // 2, limit)
        if found >= 0:
            return found + kept
    return limit
