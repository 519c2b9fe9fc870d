"""Lists of words as code has them: with blanks between the words."""

from __future__ import annotations


def words_of(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


def in_order(text: str) -> tuple[str, ...]:
    """The words of a list whose order counts."""
    return tuple(text.split())
