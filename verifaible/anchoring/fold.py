"""Folding: what must be alike for two texts to read alike, with a map back to the original.

``fold`` makes compatibility forms equal (Unicode Standard Annex 15, NFKC), and case, quotes,
dashes and ellipses, and drops white space and what cannot be seen. It never touches what
carries meaning: digits and decimal points, signs, per cent and currency signs, negations.

Plain NFKC would do so: it turns "10²" into "102", "1½" into "11⁄2" and "⒈5" into "1.5".
Superscripts, subscripts, fractions, circled characters, and every other character that would
become a digit without being a decimal digit, therefore stay as they are ("㎡" becomes "m²").
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import overload

_DOUBLE = '"“”„‟«»〝〞〟″「」『』﹁﹂﹃﹄'
_SINGLE = "'‘’‚‛‹›′`´ʼʹ"
_DASH = "-‐‑‒–—―−⁃﹘﹣－"
#: Minus signs that are never hyphens: a blank may stand between them and their number.
_MINUS = "−－﹣"

_ALIKE: dict[str, str] = {
    **dict.fromkeys(_DOUBLE, '"'),
    **dict.fromkeys(_SINGLE, "'"),
    **dict.fromkeys(_DASH, "-"),
    "⋯": "...",
    "〜": "~",
}

#: Decomposition tags behind which a character means something else than what it decomposes to.
_MARKED = ("<super>", "<sub>", "<fraction>", "<circle>")

#: Blanks that typesetters put inside numbers; the others part words.
_NUMBER_BLANKS = "\u00a0\u2007\u2008\u2009\u200a\u202f"
_LINE_ENDS = "\n\r\v\f\x85\u2028\u2029"

#: Invisible although neither white space nor of category Cf.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u2800\u3164\uffa0\ufffc")
#: Of category Cf, but drawn: Arabic and Syriac number and verse signs.
_DRAWN_FORMAT = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")

#: Code points from which a folded text is kept for the next look-up in the same page.
_WORTH_KEEPING = 2000

_SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_BRACKET_MARK = re.compile(
    r"(?<=\S)[\[［〔](?:\d{1,3}|[a-z]|(?:note|注|註)\s?\d{0,3})[\]］〕]", re.IGNORECASE
)
_SUPERSCRIPT_MARK = re.compile(rf"(?<=\S)[{_SUPERSCRIPT_DIGITS}]+(?:[,，][{_SUPERSCRIPT_DIGITS}]+)*")
#: Words whose superscript is an exponent; any run of up to three letters is taken for a unit too.
_UNIT_WORD = re.compile(
    r"(?:(?<![^\W\d_])[^\W\d_]{1,3}|(?:met(?:er|re)|inch|feet|foot|yard|mile)s?|米|尺|里)\Z", re.IGNORECASE
)
#: What units are raised to; no other figure behind a word is an exponent.
_EXPONENTS = ("²", "³", "⁴")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


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


class _Ends(Sequence[int]):
    """Where each folded character ends: one past its start, but for clusters."""

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


class _Table(dict[str, str]):
    """What each character folds to, worked out when it is first met."""

    def __init__(self, *, keep_space: bool) -> None:
        super().__init__()
        self._keep_space = keep_space

    def __missing__(self, char: str) -> str:
        folded = self._soft(char) if self._keep_space else _fold_char(char)
        self[char] = folded
        return folded

    def _soft(self, char: str) -> str:
        """Like ``_fold_char``, but blanks, true minus signs and full-width digits stay apart."""
        if char in _LINE_ENDS or char == "\t":  # a tab parts table cells
            return "\n"
        if char in _NUMBER_BLANKS:
            return "\u00a0"
        if char.isspace():
            return " "
        if char in _MINUS:
            return "−"
        if char == "，" or "０" <= char <= "９":
            return char
        return _fold_char(char)


_FOLDED = _Table(keep_space=False)
_SOFT = _Table(keep_space=True)


def _is_dropped(char: str) -> bool:
    if char.isspace() or char in _INVISIBLE:
        return True
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":  # variation selectors
        return True
    return unicodedata.category(char) in ("Cf", "Cc") and char not in _DRAWN_FORMAT


def _decompose(char: str) -> str:
    """Compatibility decomposition that stops at marked characters."""
    mapping = unicodedata.decomposition(char)
    if not mapping:
        return char
    codes = mapping.split()
    if codes[0] in _MARKED or codes[:2] == ["<compat>", "0020"]:  # spacing accents: "¨", "¸"
        return char
    return "".join(_decompose(chr(int(code, 16))) for code in codes if not code.startswith("<"))


def _fold_char(char: str) -> str:
    if char in _ALIKE:
        return _ALIKE[char]
    if _is_dropped(char):
        return ""
    plain = unicodedata.normalize("NFC", _decompose(char))
    if plain != char and unicodedata.category(char) != "Nd" and re.search("[0-9]", plain):
        return char
    folded = unicodedata.normalize("NFC", plain.casefold())
    return "".join(_ALIKE.get(part, "" if _is_dropped(part) else part) for part in folded)


def _joins(char: str) -> bool:
    """Whether a character composes with the one before it."""
    if char in "\uff9e\uff9f" or "\u1161" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb":
        return True
    return unicodedata.category(char).startswith("M") and not _is_dropped(char)


def _clusters(text: str) -> Iterator[re.Match[str]]:
    """Every character that is followed by combining marks or Hangul vowels, with those."""
    if text.isascii():
        return iter(())
    joiners = "".join(filter(_joins, set(text)))
    if not joiners:
        return iter(())
    klass = re.escape(joiners)
    return re.finditer(rf"[^{klass}\s][{klass}]+", text)


def footnote_marks(text: str) -> list[tuple[int, int]]:
    """Spans of footnote marks: superscript digits and bracketed numbers after a word.

    Superscripts after a digit or a unit are exponents and are no footnotes: "10²", "km²".
    """
    marks = [match.span() for match in _BRACKET_MARK.finditer(text)]
    for match in _SUPERSCRIPT_MARK.finditer(text):
        before = text[max(0, match.start() - 16) : match.start()]
        last = before[-1]
        exponent_of_bracket = last in ")）" and match.group() in "²³"
        if last.isdigit() or exponent_of_bracket or last in "⁻⁺":
            continue
        # A short run of letters is a unit, unless its script has no blanks between words.
        unit = match.group() in _EXPONENTS and _UNIT_WORD.search(before)
        if unit and not (_CJK.match(last) and last not in "米尺里"):
            continue
        marks.append(match.span())
    return sorted(marks)


def fold(text: str, *, drop_superscripts: bool = False, keep_space: bool = False) -> Folded:
    """Fold a text.

    Args:
        text: any text; lengths and offsets count Unicode code points.
        drop_superscripts: also drop footnote marks (see :func:`footnote_marks`).
        keep_space: keep blanks, as " ", as "\\n" for a line end or a tab, or as a no-break space for those
            that typesetters put inside numbers; minus signs stay "−", full-width digits too.
    """
    if len(text) < _WORTH_KEEPING:
        return _fold(text, drop_superscripts, keep_space)
    return _fold_page(text, drop_superscripts, keep_space)


def _fold(text: str, drop_superscripts: bool, keep_space: bool) -> Folded:
    table = _SOFT if keep_space else _FOLDED
    pieces = list(map(table.__getitem__, text))
    wide: dict[int, int] = {}
    for cluster in _clusters(text):
        start, end = cluster.span()
        pieces[start] = unicodedata.normalize("NFC", "".join(pieces[start:end]))
        pieces[start + 1 : end] = [""] * (end - start - 1)
        wide[start] = end
    if drop_superscripts:
        for start, end in footnote_marks(text):
            pieces[start:end] = [""] * (end - start)
    folded = "".join(pieces)
    starts = array("L", compress(range(len(pieces)), pieces))
    if len(starts) < len(folded):
        starts = _repeated(starts, pieces)
    return Folded(folded, starts, _Ends(starts, wide))


def _repeated(starts: array[int], pieces: list[str]) -> array[int]:
    """The starts, each as often as its character has folded characters."""
    repeated = array("L")
    done = 0
    for index in compress(range(len(pieces)), map((1).__lt__, map(len, pieces))):
        upto = bisect_left(starts, index, done)
        repeated.extend(starts[done:upto])
        repeated.extend([index] * len(pieces[index]))
        done = upto + 1
    repeated.extend(starts[done:])
    return repeated


@lru_cache(maxsize=6)
def _fold_page(text: str, drop_superscripts: bool, keep_space: bool) -> Folded:
    if drop_superscripts and not footnote_marks(text):
        return _fold_page(text, False, keep_space)
    return _fold(text, drop_superscripts, keep_space)
