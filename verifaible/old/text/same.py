"""Whether a quote is its source's own words: a short table of allowed differences, and nothing else.

Folding (:mod:`verifaible.old.anchoring.fold`) only finds where a quote may be. Here the source's own
characters are compared with the quote's, pair by pair. Whatever the table does not allow is a difference.

==========================  ================================================================================
allowed                     why
==========================  ================================================================================
a run of white space for    a line end, a no-break or thin space and a blank look alike to a reader, and
another                     browsers and editors change one into the other
white space beside an East  typesetters put it there or not, and it parts no words; not between two
Asian character, or none    numerals, and not beside Hangul, whose words it parts
white space between figures typesetters of many languages put it there, others do not: "5 %" and "5%", "5 °C"
and per cent or degree sign and "5°C"
glyphs of one punctuation   quotation marks, apostrophes, hyphens, ellipses and the wave dash have several
mark                        glyphs for one sign; a dash between two figures, or between blanks where no figure
                            follows, is typed as a hyphen
minus signs before a        U+002D, U+2212 and U+FF0D are one sign there; elsewhere they are not
number
width and joined forms      full-width, half-width, presentation and ligature forms are the same letters
composed or decomposed      canonically equal sequences are the same text (Unicode Standard Annex 15)
what has no glyph           zero-width characters, soft hyphens, variation selectors, direction marks (but
                            an override turns round what is seen)
letter case                 where the page's style makes it, and of the quote's first letter
footnote marks              they may be left out, but not changed
a hyphen at a line end      in a PDF, which cannot say whether it belongs to the word
==========================  ================================================================================
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

from verifaible.old.text.lists import in_order

#: ``exact``: the same characters but for white space; ``allowed``: other differences of the table.
Sameness: TypeAlias = Literal["exact", "allowed", ""]
Span: TypeAlias = tuple[int, int]

_GLYPHS: Final[dict[str, str]] = {
    **dict.fromkeys('"“”„‟«»〝〞〟「」『』﹁﹂﹃﹄״', '"'),
    **dict.fromkeys("'‘’‚‛‹›`´ʼ׳", "'"),
    **dict.fromkeys("-‐‑﹣", "-"),
    **dict.fromkeys("–‒", "–"),
    "…": "...",
    "⋯": "...",
    "〜": "~",
}
_MINUS: Final = "−"
_DASHES: Final = frozenset("–—―")
_BEHIND_FIGURES: Final = frozenset("%‰‱°℃℉")
#: What decompositions with these tags lead to is the same letter in another form.
_FORMS: Final = in_order("<wide> <narrow> <initial> <medial> <final> <isolated> <vertical> <small>")
#: Ligatures, radicals that stand for their characters, and the Thai and Lao vowel of two parts.
_COMPATIBLE: Final = re.compile("[\ufb00-\ufb17\u0132\u0133\u2e80-\u2fdf\u0e33\u0eb3]")
#: Of category Cf, and seen: Arabic and Syriac number and verse signs, and what overrides the direction.
_SEEN_FORMAT: Final = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2\u202d\u202e")
_NO_GLYPH: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u2800\u3164\uffa0")
_NUMERALS: Final = frozenset("〇零一二三四五六七八九十百千万萬亿億兆")
_NUMBER_FOLLOWS: Final = re.compile(r"\s?[$€£¥₩₹]?\s?[.,]?\d")
_LINE_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-‐\u00ad][ \t]*\r?\n\s*(?=[^\W\d_])")
#: Where a number goes on over a line end of a PDF: behind the comma of its thousands, behind the hyphen
#: of a range, or behind a point if a per cent sign or a Chinese unit follows its decimals.
_LINE_NUMBER: Final = re.compile(
    r"(?<=\d,)\n(?=\d{3}(?!\d))|(?<=\d[-–])\n(?=\d)|(?<=\d\.)\n(?=\d{1,4}(?:%|[\u4e00-\u9fff]))"
)


@dataclass(frozen=True, slots=True)
class _Sign:
    """A character to compare: without case, as it is written, and where it is.

    ``optional`` numbers the part it belongs to that a quote may leave out; 0 for none.
    """

    folded: str
    written: str
    start: int
    optional: int = 0


def same(
    text: str, start: int, end: int, quote: str, *, cased: Sequence[Span] = (), broken_lines: bool = False
) -> Sameness:
    """Whether ``text[start:end]`` is the quote.

    Args:
        text: the source; what surrounds the span decides about minus signs and footnote marks.
        start: first code point of the span.
        end: one past its last.
        quote: the words to compare.
        cased: spans of the source whose letter case the page's style makes, sorted.
        broken_lines: the source is a PDF's, whose hyphens at line ends may or may not belong to words.
    """
    source = _signs(text, start, end, _optional(text, start, end, broken_lines=broken_lines))
    asked = _signs(quote, 0, len(quote), ())
    allowed, place = False, 0
    first_letter = next((n for n, sign in enumerate(asked) if sign.folded not in "\"'(["), -1)
    skipped = 0
    for index, sign in enumerate(source):
        if sign.optional and sign.optional == skipped:
            continue
        if sign.optional and (index == 0 or source[index - 1].optional != sign.optional):
            part = [each.folded for each in source[index:] if each.optional == sign.optional]
            if part != [each.folded for each in asked[place : place + len(part)]]:
                skipped, allowed = sign.optional, True
                continue
        if place == len(asked) or asked[place].folded != sign.folded:
            return ""
        if asked[place].written != sign.written:
            if place != first_letter and not _within(cased, sign.start):
                return ""
            allowed = True
        place += 1
    if place < len(asked) or not asked:
        return ""
    return "allowed" if allowed or _plain(text[start:end]) != _plain(quote) else "exact"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _within(spans: Sequence[Span], offset: int) -> bool:
    place = bisect_right(spans, (offset, len(spans) and spans[-1][1])) - 1
    return place >= 0 and spans[place][0] <= offset < spans[place][1]


def _optional(text: str, start: int, end: int, *, broken_lines: bool) -> tuple[Span, ...]:
    """What of a span a quote may leave out."""
    low = max(0, start - 16)  # a mark is one only behind something
    found = [(low + first, low + last) for first, last in footnote_marks(text[low : end + 1])]
    if broken_lines:
        for pattern in (_LINE_HYPHEN, _LINE_NUMBER):
            for match in pattern.finditer(text, max(0, start - 1), end):
                found += [(at, at + 1) for at in range(*match.span()) if not text[at].isspace()]
                blanks = [at for at in range(*match.span()) if text[at].isspace()]
                found.append((blanks[0], blanks[-1] + 1))
    return tuple(sorted(span for span in found if start <= span[0] and span[1] <= end))


def _signs(text: str, start: int, end: int, optional: Sequence[Span]) -> list[_Sign]:
    """The characters of a span as the table sees them."""
    written: list[tuple[str, int]] = []
    for match in _clusters(text, start, end):
        at = match.start()
        cluster = match.group()
        if cluster.isspace():
            if written and written[-1][0] != " ":
                written.append((" ", at))
            continue
        shape = unicodedata.normalize("NFC", "".join(map(_shape, cluster)))
        if shape == _MINUS and _NUMBER_FOLLOWS.match(text, match.end()):
            shape = "-"
        written += [(char, at) for char in shape]
    if written and written[-1][0] == " ":
        written.pop()
    written = _without_loose_blanks(written, text)
    signs = []
    for place, (shape, at) in enumerate(written):
        char = "-" if shape in _DASHES and _typed_as_hyphen(written, place) else shape
        number = next((n for n, (low, high) in enumerate(optional, 1) if low <= at < high), 0)
        signs += [
            _Sign(folded, char, at, number) for folded in char.casefold().replace("i\u0307", "i")
        ]  # the Turkish İ
    return signs


def _clusters(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Runs of white space, and characters with the marks that combine with them."""
    marks = "" if text.isascii() else "".join(filter(_combines, set(text[start:end])))
    pattern = rf"\s+|.[{re.escape(marks)}]*" if marks else r"\s+|."
    return re.compile(pattern, re.DOTALL).finditer(text, start, end)


@cache
def _combines(char: str) -> bool:
    if char in "\uff9e\uff9f" or "\u1161" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb":
        return True
    return unicodedata.category(char).startswith("M") and bool(_shape(char))


@cache
def _shape(char: str) -> str:
    """A character in the one form that the table gives it; "" for what has no glyph."""
    if char in _GLYPHS:
        return _GLYPHS[char]
    if char in _NO_GLYPH or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return ""
    if unicodedata.category(char) in ("Cf", "Cc") and not char.isspace():
        return char if char in _SEEN_FORMAT else ""
    tag, *codes = unicodedata.decomposition(char).split() or [""]
    if tag in _FORMS or (tag == "<compat>" and _COMPATIBLE.match(char)):
        return "".join(_shape(chr(int(code, 16))) for code in codes)
    return char


def _without_loose_blanks(written: list[tuple[str, int]], text: str) -> list[tuple[str, int]]:
    """The characters without the blanks that typesetters put in or leave out."""
    kept = written[:1]
    for (before, first), (char, at), (after, last) in zip(
        written, written[1:], [*written[2:], ("", -1)], strict=False
    ):
        loose = (
            char == " "
            and after
            and (_parts_nothing(before, text[first]) or _parts_nothing(after, text[last]))
        )
        if loose and not (_numeral(before) and _numeral(after)):
            continue
        if char == " " and before.isdecimal() and after in _BEHIND_FIGURES:
            continue
        kept.append((char, at))
    return kept


def _parts_nothing(shape: str, char: str) -> bool:
    """Whether a blank beside a character parts no words: beside East Asian letters, and full-width
    punctuation."""
    punctuation = unicodedata.category(char).startswith("P") and shape != "-"
    return _spaceless(char if punctuation else shape)


def _numeral(char: str) -> bool:
    return char.isnumeric() or char in _NUMERALS


@cache
def _spaceless(char: str) -> bool:
    """Whether a character is East Asian, of a script whose words no blanks part."""
    if "\uac00" <= char <= "\ud7ff" or "\u1100" <= char <= "\u11ff" or "\u3130" <= char <= "\u318f":
        return False
    return unicodedata.east_asian_width(char) in "WF"


def _typed_as_hyphen(written: Sequence[tuple[str, int]], place: int) -> bool:
    """Whether a dash is one for which a hyphen is typed: in a range, or between blanks."""
    before = written[place - 1][0] if place else ""
    behind = [char for char, _ in written[place + 1 : place + 3]] + ["", ""]
    if before == " " == behind[0]:
        return not behind[1].isdecimal()
    return before.isdecimal() and behind[0].isdecimal()


#: Raised letters that fold to their letter: marks of footnotes, and the ends of ordinals.
RAISED_LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷʸᶻ"
_SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
# No look-behind and no case folding here: the search for the first character is ten times as fast.
_BRACKET_MARK = re.compile(r"[\[［〔](?:\d{1,3}|[a-zA-Z]|(?:[nN][oO][tT][eE]|注|註)\s?\d{0,3})[\]］〕]")
_RAISED = re.compile(f"[{_SUPERSCRIPT_DIGITS}{RAISED_LETTERS}]")
_SUPERSCRIPT_MARK = re.compile(rf"[{_SUPERSCRIPT_DIGITS}]+(?:[,，][{_SUPERSCRIPT_DIGITS}]+)*")
#: Words whose superscript is an exponent; any run of up to three letters is taken for a unit too.
_UNIT_WORD = re.compile(
    r"(?:(?<![^\W\d_])[^\W\d_]{1,3}|(?:met(?:er|re)|inch|feet|foot|yard|mile)s?|米|尺|里)\Z", re.IGNORECASE
)
#: Raised letters are marks, but for n and x, which are exponents.
_LETTER_MARK = re.compile(rf"[{RAISED_LETTERS}](?:[,，][{RAISED_LETTERS}])*(?![^\W\d_])")
#: Nobody raises a year, or a number whose thousands are parted, to a power.
_NO_BASE = re.compile(r"(?<![\d.,])(?:(?:19|20)\d\d|\d{1,3}(?:,\d{3})+)\Z")
#: What units are raised to; no other figure behind a word is an exponent.
_EXPONENTS = ("²", "³", "⁴")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def footnote_marks(text: str) -> list[tuple[int, int]]:
    """Spans of footnote marks: superscript digits, single superscript letters, and bracketed numbers.

    Superscript digits after a digit or a unit are exponents and are no footnotes: "10²", "km²"; after a
    year, or thousands that are parted, they are.
    """
    marks = [match.span() for match in _BRACKET_MARK.finditer(text) if _follows(text, match)]
    if not _RAISED.search(text):
        return marks
    marks += [
        match.span()
        for match in _LETTER_MARK.finditer(text)
        if _follows(text, match) and text[match.start() - 1] not in RAISED_LETTERS
    ]
    for match in _SUPERSCRIPT_MARK.finditer(text):
        if not _follows(text, match):
            continue
        before = text[max(0, match.start() - 16) : match.start()]
        last = before[-1]
        exponent_of_bracket = last in ")）" and match.group() in "²³"
        if (last.isdigit() and not _NO_BASE.search(before)) or exponent_of_bracket or last in "⁻⁺":
            continue
        # A short run of letters is a unit, unless its script has no blanks between words.
        unit = match.group() in _EXPONENTS and _UNIT_WORD.search(before)
        if unit and not (_CJK.match(last) and last not in "米尺里"):
            continue
        marks.append(match.span())
    return sorted(marks)


def _follows(text: str, match: re.Match[str]) -> bool:
    """Whether something stands right before a mark."""
    return match.start() > 0 and not text[match.start() - 1].isspace()
