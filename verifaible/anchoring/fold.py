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
from functools import lru_cache
from itertools import compress

from verifaible.anchoring.fold_chars import FOLDED, SOFT, joins
from verifaible.anchoring.folded import BlockStarts, Ends, Folded, Uncut
from verifaible.text.notes import footnote_marks

__all__ = ["Folded", "fold", "footnote_marks"]

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
