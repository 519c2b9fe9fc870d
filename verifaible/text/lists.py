"""Lists of words as code has them, with blanks or bars between the words, and looking for one of them."""

from __future__ import annotations


def words_of(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


def in_order(text: str) -> tuple[str, ...]:
    """The words of a list whose order counts."""
    return tuple(text.split())


def parted(words: str) -> tuple[str, ...]:
    """Words and phrases that are written with bars between them."""
    return tuple(words.split("|"))


def has_any(lowered: str, roots: tuple[str, ...]) -> bool:
    """Whether a text in lower case has one of some parts of words; much quicker than a pattern."""
    return any(map(lowered.__contains__, roots))
