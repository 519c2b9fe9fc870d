"""The sentences of a block of an answer, also of a long one, and lines that stand like items of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from verifaible.answers.sentences import split

#: Stands for the characters of a mark while sentences are looked for.
MARK: Final = "\ue000"
#: Stands for a line break in a cell.
BREAK: Final = "\ue001"
#: Sentences are looked for in so many characters at a time, so that a line of any length takes linear time.
_WINDOW: Final = 1_500
#: A sentence of more characters is cut at white space.
LONGEST: Final = 2_500

_LINE_ITEM = re.compile(
    r"\n[ \t]*(?:[•◦▪▫‣●○■□◆◇►▶➤➢✓✔✅❌⚠→·∙–—*+-][\ufe0f]?[ \t]*(?=\S)|[①-⑳]"
    r"|[（(]?\d{1,2}[)）、][ \t]*(?=\S)|[一二三四五六七八九十]{1,2}、"
    r"|(?=[^\n:：.。!?]{1,40}[:：](?!//|\d\d(?!\d))[ \t]*\S))"
)
_NUMBERED_LINE = re.compile(
    r"[ \t]*(?:[（(]?\d{1,2}[)）、][ \t]*|[①-⑳][ \t]*|[一二三四五六七八九十]{1,2}、)(?=\S)"
)
#: A sentence ends before a name that begins small: ``four hours. dYdX stood still``.
_SMALL_NAME = re.compile(rf"[.!?]{MARK}*\s+(?=[a-z]{{1,4}}[A-Z][A-Za-z]*\b)")
_NO_END = re.compile(
    r"(?:\.\w+|\b(?:\w{1,2}|incl|excl|approx|etc|esp|resp|est|max|min|avg|ca))\.\Z", re.IGNORECASE
)
_BULLET = re.compile(r"[ \t]*(?:[•◦▪▫‣●○■□◆◇►▶➤➢✓✔✅❌→·∙][\ufe0f]?[ \t]*|[–—][ \t]+)")


def sentences_of(content: str) -> Iterator[tuple[int, int]]:
    """The sentences of a block's text as spans; lines that stand like items are sentences of their own."""
    at = 0
    for match in _LINE_ITEM.finditer(content):
        yield from _small_parted(content, at, match.start())
        at = match.start() + 1
    yield from _small_parted(content, at, len(content))


def _small_parted(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences between two places, parted before names that begin small, too."""
    for first, last in _windows(content, start, end):
        at = first
        for match in _SMALL_NAME.finditer(content, first, last):
            if not _NO_END.search(content, max(at, match.start() - 8), match.start() + 1):
                yield at, match.end()
                at = match.end()
        yield at, last


def _windows(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences between two places, found window by window."""
    numbered = _NUMBERED_LINE.match(content, start, end)
    start = numbered.end() if numbered else start
    size = _WINDOW
    while start < end:
        stop = min(start + size, end)
        if stop < end and size >= LONGEST:
            blank = max(content.rfind(sign, start + 1, stop) for sign in " ，,、")
            stop = blank + 1 if blank > start else stop
        found = split(content[start:stop])
        whole = stop == end
        if len(found) > 1 or whole or size >= LONGEST:
            kept = found if whole or len(found) < 2 else found[:-1]
            yield from ((start + first, start + last) for first, last in kept)
            start = stop if whole or len(found) < 2 else start + found[-1][0]
            size = _WINDOW
        else:
            size = LONGEST


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A range of the text without white space, marks and the signs of lists at its ends."""
    blank = f" \t\n\r{MARK}{BREAK}"
    while start < end and text[start] in blank:
        start += 1
    bullet = _BULLET.match(text, start, end)
    if bullet:
        start = bullet.end()
    while end > start and text[end - 1] in blank:
        end -= 1
    return start, end
