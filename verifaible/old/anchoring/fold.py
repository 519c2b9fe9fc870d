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
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, compress
from typing import overload

from verifaible.old.text.same import RAISED_LETTERS, footnote_marks

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


class _Mapped(Sequence[int]):
    """Each of other offsets, as :meth:`_of` makes it; nothing is computed before it is asked for."""

    __slots__ = ("_starts",)

    def __init__(self, starts: Sequence[int]) -> None:
        self._starts = starts

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self._of(start) for start in self._starts[index]]
        return self._of(self._starts[index])

    def __len__(self) -> int:
        return len(self._starts)

    def _of(self, start: int) -> int:
        raise NotImplementedError


class Ends(_Mapped):
    """Where each folded character ends: one past its start, but for clusters, whose ends ``wide`` has."""

    __slots__ = ("_wide",)

    def __init__(self, starts: Sequence[int], wide: dict[int, int]) -> None:
        super().__init__(starts)
        self._wide = wide

    def _of(self, start: int) -> int:
        return self._wide.get(start, start + 1)


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


class Uncut(_Mapped):
    """Offsets in a text from which ``spans`` were cut, as offsets in the whole of it."""

    __slots__ = ("_cuts", "_removed")

    def __init__(self, starts: Sequence[int], spans: Sequence[tuple[int, int]]) -> None:
        super().__init__(starts)
        self._removed = list(accumulate((end - start for start, end in spans), initial=0))
        self._cuts = [start - gone for (start, _), gone in zip(spans, self._removed, strict=False)]

    def _of(self, start: int) -> int:
        return start + self._removed[bisect_right(self._cuts, start)]


#: Code points from which a folded text is kept for the next look-up in the same page.
_WORTH_KEEPING = 2000
#: The words of headers and cells, which a look-up in a table folds again for each row: with 500 rows and
#: 4,500 cells 4,279 different texts are folded, 11,056 times. Together the kept ones take some megabytes.
_SHORT = 100
_SHORT_KEPT = 8192
#: Characters that pages have in plenty and that fold to something else.
_COMMON = "ABCDEFGHIJKLMNOPQRSTUVWXYZ \n\t\r\u00a0\u3000，：；！？（）％“”‘’–—…０１２３４５６７８９"
#: Characters that fold to themselves, and those of ``_COMMON``: whatever else a page has is looked up.
_RARE = re.compile(
    f"[^a-z0-9!#$%&()*+,./:;<=>?@\"'\\-\\[\\\\\\]^_{{|}}~。、《》·\u3400-\u4dbf\u4e00-\u9fff{_COMMON}]"
)
#: More kinds of characters that change than these are changed one by one, not kind by kind.
_MANY_KINDS = 150


def fold(text: str, *, drop_superscripts: bool = False, keep_space: bool = False) -> Folded:
    """Fold a text.

    Args:
        text: any text; lengths and offsets count Unicode code points.
        drop_superscripts: also drop footnote marks (see :func:`footnote_marks`).
        keep_space: keep blanks, as " ", as "\\n" for a line end or a tab, or as a no-break space for those
            that typesetters put inside numbers; minus signs stay "−", full-width digits too.
    """
    if len(text) <= _SHORT:
        return _fold_short(text, drop_superscripts, keep_space)
    if len(text) < _WORTH_KEEPING:
        return _fold(text, drop_superscripts, keep_space)
    return _fold_page(text, drop_superscripts, keep_space)


def _fold(text: str, drop_superscripts: bool, keep_space: bool) -> Folded:
    table = SOFT if keep_space else FOLDED
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
    return Folded(folded, starts, Ends(starts, wide))


_fold_short = lru_cache(maxsize=_SHORT_KEPT)(_fold)


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


def _clusters(text: str) -> Iterator[re.Match[str]]:
    """Every character that is followed by combining marks or Hangul vowels, with those."""
    if text.isascii():
        return iter(())
    joiners = "".join(filter(joins, set(text)))
    if not joiners:
        return iter(())
    klass = re.escape(joiners)
    return re.finditer(rf"[^{klass}\s][{klass}]+", text)


@lru_cache(maxsize=6)
def _fold_page(text: str, drop_superscripts: bool, keep_space: bool) -> Folded:
    """The same for a whole page: its text at once, its offsets when they are asked for."""
    if keep_space:
        return _fold(text, drop_superscripts, keep_space)
    marks = _disjoint(footnote_marks(text)) if drop_superscripts else []
    if drop_superscripts and not marks:
        return _fold_page(text, False, False)
    rare = set(_RARE.findall(text))
    changing = [char for char in (*_COMMON, *rare) if FOLDED[char] != char and char in text]
    if len(changing) > _MANY_KINDS or any(map(joins, rare)):
        return _fold(text, drop_superscripts, keep_space)
    rest = _without(text, marks) if marks else text
    folded = rest
    # What a character folds to never folds to something else, so one may go after the other.
    for char in changing:
        folded = folded.replace(char, FOLDED[char])
    lengths = {char: len(FOLDED[char]) for char in changing if len(FOLDED[char]) != 1}
    starts: Sequence[int] = BlockStarts(rest, _pieces, lengths, len(folded))
    starts = Uncut(starts, marks) if marks else starts
    return Folded(folded, starts, Ends(starts, {}))


def _pieces(text: str) -> list[str]:
    return list(map(FOLDED.__getitem__, text))


def _disjoint(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return "".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))


_DOUBLE = '"“”„‟«»〝〞〟″「」『』﹁﹂﹃﹄״'
_SINGLE = "'‘’‚‛‹›′`´ʼʹ׳"
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


class Table(dict[str, str]):
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


FOLDED = Table(keep_space=False)
SOFT = Table(keep_space=True)


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
    if char in RAISED_LETTERS:
        return chr(int(codes[1], 16))
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


def joins(char: str) -> bool:
    """Whether a character composes with the one before it."""
    if char in "\uff9e\uff9f" or "\u1161" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb":
        return True
    return unicodedata.category(char).startswith("M") and not _is_dropped(char)
