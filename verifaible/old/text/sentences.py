"""The sentence around a place in a text.

Boundaries are those of Unicode Standard Annex 29, as uniseg finds them, but for the full stop of an
abbreviation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from uniseg.sentencebreak import SentenceBreak, sentence_boundaries, sentence_break

#: A sentence is not looked for further than this on either side, in code points.
LONGEST = 1000
_SHORT_WORD = re.compile(
    r"(?:(?<![°º.])\b[^\W\d_]|\b(?:[A-Za-z]\.)+[A-Za-z]"
    r"|\b(?:mr|mrs|ms|dr|prof|st|vs|etc|ca|cf|al|inc|ltd|corp|co|gen|gov"
    r"|sen|rep|lt|col|jr|sr|dept|est|approx|resp|bzw|usw|vgl|str|tel|evtl|sog|inkl|zzgl|mio|mrd|tsd|mme|mlle|av|env"
    r"|sra?s?|dra?|ed|aprox|dott|sig|ing|avv|ecc|bijv|dhr|mevr|enz|tzn|np|ul|tzw|godz|inż|mgr|tj|např"
    r"|г|гг|тыс|млн|млрд|руб|ул|им|см|напр|др|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec))\.\s*\Z",
    re.IGNORECASE,
)
#: Abbreviations before a number only; elsewhere they are words ("no.", "art.").
_NUMBERED = re.compile(
    r"\b(?:nos?|nr|fig|art|sec|vol|pp?|págs?|núm|abs|blz|čl|č|стр?|рис|т)\.\s*\Z", re.IGNORECASE
)
#: A line of a PDF that is this much shorter than the longest ends a paragraph, or is a heading.
_SHORT_LINE = 0.85
#: What ends a block for certain: an empty line, a tab between cells.
_BLOCK_END = re.compile(r"\n\s*\n|\t")
_QUICK_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]*_]*\s+|[。！？｡]+[”’」』）)]*")
_ENDS = frozenset(
    (SentenceBreak.ATERM, SentenceBreak.STERM, SentenceBreak.SEP, SentenceBreak.CR, SentenceBreak.LF)
)
_LETTERS = frozenset((SentenceBreak.UPPER, SentenceBreak.LOWER, SentenceBreak.OLETTER))
_SKIPPED = frozenset((SentenceBreak.EXTEND, SentenceBreak.FORMAT))
_kind = cache(sentence_break)


def sentence_span(
    text: str, start: int, end: int, *, lines: bool = False, paragraphs: Sequence[int] = ()
) -> tuple[int, int]:
    """The sentence, or the sentences, that a span stands in.

    Args:
        text: the source. A line end parts blocks, unless ``lines``.
        start: first code point of the span.
        end: one past its last.
        lines: line ends are those of a PDF's lines, within sentences; only empty ones part.
        paragraphs: where a PDF's paragraphs begin, as far as gaps between its lines tell.

    Returns:
        First code point and one past the last, without white space around.
    """
    low, high = _block(text, start, end, lines=lines)
    low = max([low, *(edge for edge in paragraphs if edge <= start)])
    high = min([high, *(edge for edge in paragraphs if edge >= end)])
    edges = [low, *_boundaries(text, low, high), high]
    first = max((edge for edge in edges if edge <= start), default=low)
    last = min((edge for edge in edges if edge >= end), default=high)
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return first, last


def sentences_of(text: str, low: int = 0, high: int | None = None) -> list[tuple[int, int]]:
    """The sentences of a whole text, or of a range of it, as spans that touch; line ends are blanks.

    Quick, for texts that are searched: uniseg needs ten seconds for a megabyte.
    """
    high = len(text) if high is None else high
    ends = [match.end() for match in _QUICK_END.finditer(text, low, high)]
    edges = [edge for edge in ends if edge < high and not (text[edge].islower() or _goes_on(text, edge))]
    return list(pairwise([low, *edges, high]))


def _block(text: str, start: int, end: int, *, lines: bool) -> tuple[int, int]:
    low, high = max(0, start - LONGEST), min(len(text), end + LONGEST)
    if lines:
        ends = _line_blocks(text[low:high])
        before = [low + edge for edge in ends if low + edge <= start]
        after = [low + edge for edge in ends if low + edge >= end]
        return before[-1] if before else low, after[0] if after else high
    breaks = [text.rfind(char, low, start) + 1 for char in "\n\t"]
    ends = [found for char in "\n\t" if (found := text.find(char, end, high)) >= 0]
    return max(low, *breaks), min(ends, default=high)


def _line_blocks(text: str) -> list[int]:
    """Where blocks end among the lines of a PDF: at empty lines, and where a line stops short before a
    new beginning."""
    found = [match.end() for match in _BLOCK_END.finditer(text)]
    longest = max(map(len, text.split("\n")), default=0)
    for match in re.finditer(r"(?m)^([^\n]*)\n(?=\s*(\S))", text):
        line, behind = match.group(1).rstrip(), match.group(2)
        new = not behind.islower() and line[-1:] not in ("-", ",", "‐")
        if new and len(line) < _SHORT_LINE * longest:
            found.append(match.end())
    return sorted(found)


def _boundaries(text: str, low: int, high: int) -> list[int]:
    block = text[low:high]
    # A line end inside a sentence is a blank to a reader.
    flat = re.sub(r"\s", " ", block)
    found = [edge for edge in breaks(flat) if 0 < edge < len(flat)]
    return [low + edge for edge in found if not _goes_on(flat, edge)]


def breaks(text: str) -> list[int]:
    """The sentence boundaries of the standard.

    All its rules look at what ends a sentence, at the sign before that and at what follows up to the first
    letter: uniseg, which needs a tenth of a second for a page of text, is given no more.
    """
    kept: list[int] = []
    kinds = [_kind(char) for char in text]
    ends = [place for place, kind in enumerate(kinds) if kind in _ENDS]
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        letter = next((place for place in range(start, end) if kinds[place] in _LETTERS), end - 1) + 1
        before, signs = end, 0
        while before > letter and signs < 2:
            before -= 1
            signs += kinds[before] not in _SKIPPED
        kept += [*range(start, letter), *range(before, end)]
    edges = sentence_boundaries("".join(text[place] for place in kept), property=_kind)
    return [[*kept, len(text)][edge] for edge in edges]


def _goes_on(text: str, edge: int) -> bool:
    """Whether the full stop before a boundary is an abbreviation's."""
    low = max(0, edge - 24)
    numbered = text[edge : edge + 1].isdecimal() and _NUMBERED.search(text, low, edge)
    return bool(numbered or _SHORT_WORD.search(text, low, edge))
