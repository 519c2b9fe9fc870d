"""A part of a sentence that states something."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sentence: ``text[start:end]``.

    Attributes:
        start: first character of it.
        end: behind the last one.
        words: what it says, where that is put together from several places; empty: its own words.
        head: subject, or subject and verb, that it takes over from the part before it.
    """

    start: int
    end: int
    words: str = ""
    head: str = ""
