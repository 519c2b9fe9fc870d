"""Sentences: Unicode Standard Annex 29, with what a reader knows beyond it.

The annex's rules for sentences are one regular expression over the Sentence_Break classes of the characters,
which uniseg knows: a thousand times as fast as its own search, with the same boundaries.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Final

from uniseg.sentencebreak import SentenceBreak, sentence_break

from verifaible.text.cldr import words_of
from verifaible.text.language import SCRIPTS
from verifaible.text.words import any_of

Span = tuple[int, int]

#: One letter a class; line ends are blanks to a reader, but an empty line parts (see ``_EMPTY_LINE``).
_CLASSES: Final = {
    SentenceBreak.ATERM: "A",
    SentenceBreak.STERM: "S",
    SentenceBreak.CLOSE: "E",
    SentenceBreak.SP: "P",
    SentenceBreak.SEP: "P",
    SentenceBreak.CR: "P",
    SentenceBreak.LF: "P",
    SentenceBreak.SCONTINUE: "C",
    SentenceBreak.LOWER: "L",
    SentenceBreak.UPPER: "U",
    SentenceBreak.OLETTER: "O",
    SentenceBreak.NUMERIC: "N",
    SentenceBreak.EXTEND: "X",
    SentenceBreak.FORMAT: "X",
    SentenceBreak.OTHER: "R",
}


class _ClassTable(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = _CLASSES[sentence_break(chr(code))]
        return self[code]


_TABLE: Final = _ClassTable()
#: SB6 to SB11 of the annex; what may follow a full stop (SB8) is looked at up to the next letter. Beyond it,
#: a small letter goes on with the sentence behind any sign: "Is it open?" he asked.
_FULL_STOP: Final = r"(?:(?<=[UL])A(?!U)|(?<![UL])A)(?!N)(?!E*+P*+[^OULSA]*+L)"
_END: Final = re.compile(rf"(?:{_FULL_STOP}|S(?!E*+P*+E*+L))E*+P*+(?![CSA]|\Z)")
#: Scripts whose words no blanks part, for a character class: Thai and Lao, Burmese, Khmer, kana, Han.
UNSPACED: Final = (
    r"\u0e01-\u0e3e\u0e40-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
    r"\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
#: Marks that combine with the letters before them, for a character class: ``\\w`` does not have them.
MARKS: Final = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903"
    r"\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u0b82\u0bbe-\u0bcd\u200c\u200d"
)
#: What is one sentence at first sight: in it stands nothing that can end one.
_ONE: Final = re.compile(r"[\w\t \"-\-/->@-~–—‘’“”„«»]*[.!?]?\s*")
#: A sentence of a text is not looked for further than this on either side, in code points.
_FURTHEST: Final = 1000
_EMPTY_LINE: Final = re.compile(r"\n[^\S\n]*\n\s*")
#: Marks of footnotes belong to the sentence that they follow.
_NOTE: Final = re.compile(
    r"(?<=[.!?…。！？\"”»’)])(?:[⁰¹²³⁴-⁹*†‡§¶]+|\[[^\]\s]{1,4}\]|\[[^\W\d][^\]]{2,24}\](?=\s|\[|\Z))+"
)
_ABBREVIATION: Final = re.compile(
    rf"(?:\b[^\W\d_]|\b(?:[^\W\d_]{{1,2}}\.)+[^\W\d_]{{1,2}}|\b{any_of('abbreviations', 'any')})\.\s*\Z",
    re.IGNORECASE,
)
#: Abbreviations before a number only: elsewhere they are words ("no.", "art."), or end a sentence.
_NUMBERED: Final = re.compile(rf"\b{any_of('abbreviations', 'before_numbers')}\.\s*\Z", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"(?<!\d)(?<!\d[.,])\d{1,2}\.\s*\Z")
#: What numbers a sentence is none: "1.", "a.", "IV.", "§ 3."
_ENUMERATOR: Final = re.compile(r"\W*(?:\d+(?:\.\d+)*|[^\W\d_]|[IVXLC]+)\.?\W*", re.IGNORECASE)

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DOUBLE: Final = frozenset('"“”„‟«»＂〝〞〟「」『』')
_OPENING: Final = frozenset("„‟‚‛〝「『‘“«‹")
_CLOSING_ONLY: Final = frozenset("」』〞〟")
_BRACKETS: Final = {")": "(", "]": "[", "）": "（", "】": "【", "〕": "〔"}
_PAIRED: Final = re.compile('["“”„‟«»＂〝〞〟「」『』‘’‚‛‹›()\\[\\]（）【】〔〕]')


def sentences(text: str, language: str = "", notes: Iterable[Span] = ()) -> list[Span]:
    """The sentences of a block of text.

    Args:
        text: words that a reader reads in one go. Line ends are blanks; an empty line parts.
        language: BCP 47 tag; months, days and ordinals are read by it, English where it is unknown.
        notes: spans of footnote marks, which belong to the sentence before them.

    Returns:
        Spans in code points, in order, without white space around; together they hold every word. What stands
        in quotation marks or brackets is never parted from the sentence that opens it.
    """
    if _ONE.fullmatch(text):
        return list(_stripped(text, [(0, len(text))]))
    classes = _classes(text, notes)
    kept = [place for place, kind in enumerate(classes) if kind != "X"] if "X" in classes else None
    plain = classes.replace("X", "") if kept is not None else classes
    ends = [match.end() for match in _END.finditer(plain)]
    if kept is not None:
        ends = [kept[end] for end in ends]
    held = _merged(_held(text)) if ends else []
    edges = [end for end in ends if not (_is_within(held, end) or _goes_on(text, end, language))]
    lines = [match.end() for match in _EMPTY_LINE.finditer(text)] if "\n" in text else []
    spans = list(_stripped(text, pairwise([0, *sorted({*edges, *lines}), len(text)])))
    if len(spans) > 1 and _ENUMERATOR.fullmatch(text, *spans[0]):
        spans[:2] = [(spans[0][0], spans[1][1])]
    return spans


def sentence_around(text: str, start: int, end: int) -> Span:
    """The sentence in which a stretch of a text stands, or the sentences; a line end or a tab parts them.

    It is not looked for further than 1,000 code points on either side.
    """
    low, high = max(0, start - _FURTHEST), min(len(text), end + _FURTHEST)
    low = max(low, *(text.rfind(char, low, start) + 1 for char in "\n\t"))
    high = min([found for char in "\n\t" if (found := text.find(char, end, high)) >= 0], default=high)
    held = [span for span in sentences(text[low:high]) if span[0] + low < end]
    held = [span for span in held if span[1] + low > start]
    return min(start, held[0][0] + low) if held else start, max(end, held[-1][1] + low) if held else end


def _classes(text: str, notes: Iterable[Span]) -> str:
    """The Sentence_Break class of each character; footnote marks behind a sentence's end close it.

    What opens a quotation or a bracket is of the class Close, too, but never closes what stands before it.
    """
    plain = text.translate(_TABLE)
    marks = [*(match.span() for match in _NOTE.finditer(text)), *notes]
    if not marks and not _PAIRED.search(text):
        return plain
    classes = list(plain)
    for match in _PAIRED.finditer(text):
        if match.group() in _BRACKETS.values() or (
            match.group() not in _BRACKETS and _opens(text, match.start())
        ):
            classes[match.start()] = "R"
    for start, end in marks:
        classes[start:end] = "E" * (end - start)
    return "".join(classes)


def _stripped(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    for low, high in spans:
        said = text[low:high].rstrip()
        if words := said.lstrip():
            yield low + len(said) - len(words), low + len(said)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans that overlap as one, in order."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _is_within(spans: list[Span], place: int) -> bool:
    at = bisect_left(spans, (place,)) - 1
    return at >= 0 and place < spans[at][1]


def _held(text: str) -> Iterator[Span]:
    """What stands in quotation marks and brackets.

    A double quotation mark that is never closed holds to the end: the next paragraph opens again.
    """
    stack: list[tuple[str, int]] = []
    for match in _PAIRED.finditer(text):
        mark, place = match.group(), match.start()
        if mark in _BRACKETS.values():
            stack.append((mark, place))
            continue
        family = _BRACKETS.get(mark) or ('"' if mark in _DOUBLE else "'")
        opens = mark not in _BRACKETS and _opens(text, place)
        depth = next((n for n in range(len(stack) - 1, -1, -1) if stack[n][0] == family), -1)
        if opens:
            stack.append((family, place))
        elif depth >= 0:
            # The mark may stand before the blank that follows the full stop inside it, or behind it.
            yield stack[depth][1], place + 1
            del stack[depth:]
    yield from ((place, len(text) + 1) for family, place in stack if family == '"')


def _opens(text: str, place: int) -> bool:
    """Whether a quotation mark opens: by its side of the blank, where no blank tells by its glyph."""
    mark, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if mark in _CLOSING_ONLY:
        return False
    open_left = not before or before.isspace() or before in "([{—–-/" or before in _OPENING
    open_right = not after or after.isspace() or after in ".,;:!?)]}"
    if open_left != open_right:
        return open_left
    return mark in _OPENING


@cache
def _months_behind_ordinals() -> frozenset[str]:
    """The months of all languages that write a day as an ordinal number: ``2. März``."""
    known = (words_of(each) for each in SCRIPTS["LATIN"])
    return frozenset(name for words in known if words.day_stop for name in words.months)


def _is_month(text: str, at: int) -> bool:
    word = _LETTERS.match(text, at)
    return word is not None and word[0].casefold() in _months_behind_ordinals()


def _goes_on(text: str, end: int, language: str) -> bool:
    """Whether the full stop before a boundary is that of an abbreviation or an ordinal number."""
    said = end
    while said and text[said - 1].isspace():
        said -= 1
    low = max(0, said - 24)
    if _ABBREVIATION.search(text, low, end):
        return True
    if text[end : end + 1].isdecimal() and _NUMBERED.search(text, low, end):
        return True
    dates = words_of(language.replace("_", "-").partition("-")[0].lower())
    dates = dates if dates.months else words_of("en")
    if (dates.day_stop or (not language and _is_month(text, end))) and _ORDINAL.search(text, low, end):
        return True
    last = text[low:end].rsplit(maxsplit=1)[-1]
    if last[-1] in "」』”’" and _TABLE[ord(text[end])] == "O":
        return True  # who says it follows, where no blanks part words
    return last.casefold().lstrip("([„“\"'") in dates.stopped
