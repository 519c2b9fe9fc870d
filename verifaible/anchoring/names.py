"""Rows and columns of a table by name.

An anchor names a header by its text; the order of preference is

1. the whole text of a header, white space, case and typography aside ("郑　　州" is "郑州");
2. the header path written as one ("2025年" over "2月" is "2025年2月");
3. for rows, the whole text of another text cell of the row (a company's name in column 2);
4. the same without the footnote mark of the header, or the same date or month written in another way
   ("2024-03-05" is "5 March 2024"), unless the order of its day and month cannot be known;
5. a part of a header or of such a cell, if only one row or column has it; never for anchors made of digits
   (a date or a rank is named whole or not at all).

Several anchors are the path of one row or column from outer to inner if there is one that has them all in
this order; otherwise each names a row or column of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from verifaible.anchoring.headers import Line
from verifaible.text.dates import DateValue, find_dates, month_number
from verifaible.text.equivalence import begins_whole, ends_whole, folded, source_tokens
from verifaible.text.normalise import tokens

#: How paths are shown in messages, and written by hand.
_PATH = re.compile(r"\s+[›/]\s+")
_DIGITS_ONLY = re.compile(r"[\d\s./:年月日,\-−–]+")
#: Footnote marks whose raised position was lost, right behind a word.
_FOOTNOTE_FIGURE = re.compile(
    r"(?<=[^\W\d_]{4})\s?(?:\d{1,2}\)?|\(\d{1,2}\)|[*†‡§]+|[a-z](?:,[a-z])+|[a-z]\))$"
)
#: Behind a year: preliminary, estimated, revised.
_YEAR_MARK = re.compile(
    r"(?<=\b(?:19|20)\d\d)\s?(?:[a-zA-Z]|[*†‡§]+|\d\)|\([a-z\d]\))$|(?<=^(?:19|20)\d\d)年$"
)


@dataclass(frozen=True, slots=True)
class Named:
    """The lines that anchors name; ``several`` when each anchor names its own."""

    lines: tuple[Line, ...] = ()
    several: bool = False
    whole: bool = True


def same_header(then: str, now: str) -> bool:
    """Whether two headers say the same, footnote marks and ways to write a date aside."""
    return then == now or _is(now, then) or _is_alike(now, then)


def _is(text: str, anchor: str) -> bool:
    """Whether a header's whole text is the anchor."""
    return folded(text) == folded(anchor)


def _is_alike(text: str, anchor: str) -> bool:
    """Whether they are the same but for a footnote mark, or the same date or month in other words."""
    (bare, mark), (asked, asked_mark) = _unmarked(text), _unmarked(anchor)
    if (bare != text and _is(bare, anchor)) or (mark == asked_mark and _is(bare, asked)):
        return True
    if month := month_number(anchor):
        return month_number(text) == month
    wanted = _date(anchor)
    return wanted is not None and _date(text) == wanted


@lru_cache(maxsize=4096)
def _date(text: str) -> tuple[DateValue, ...] | None:
    """The one date that a text is, if the order of its day and month is known."""
    found = find_dates(text.strip())
    whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(text.strip()))
    return found[0].readings if whole and not found[0].ambiguous else None


@lru_cache(maxsize=4096)
def _unmarked(text: str) -> tuple[str, str]:
    """A text without its mark, and the letters or figures of that."""
    plain = unicodedata.normalize("NFKC", text).strip()
    bare = _YEAR_MARK.sub("", _FOOTNOTE_FIGURE.sub("", plain))
    return bare, "".join(filter(str.isalnum, plain[len(bare) :])).removesuffix("年")


def _has(text: str, anchor: str) -> bool:
    """Whether the anchor is a part of a header, not cut out of a number or a word."""
    asked = [token.norm for token in tokens(anchor)]
    found = source_tokens(text)
    norms = [token.norm for token in found]
    return any(
        norms[at : at + len(asked)] == asked
        and begins_whole(text, found, at)
        and ends_whole(text, found, at + len(asked) - 1)
        for at in range(len(norms) - len(asked) + 1)
    )


def _names(label: str, anchor: str) -> bool:
    """A date or a rank is named whole, other headers may be named by a part."""
    return _is(label, anchor) if _DIGITS_ONLY.fullmatch(anchor) else _has(label, anchor)


def resolve(lines: Sequence[Line], anchors: tuple[str, ...]) -> Named:
    """The lines that anchors name: by a path, or else each its own."""
    found = _by_path(lines, anchors)
    path = tuple(_PATH.split(anchors[0])) if len(anchors) == 1 else ()
    if not found.lines and len(path) > 1:
        return _by_path(lines, path)
    if found.lines or len(anchors) == 1:
        return found
    each = [_by_path(lines, (anchor,)) for anchor in anchors]
    for one in each:
        if len(one.lines) != 1:
            return one
    together = tuple(dict.fromkeys(one.lines[0] for one in each))
    return Named(together, several=True, whole=all(one.whole for one in each))


def _by_path(lines: Sequence[Line], anchors: tuple[str, ...]) -> Named:
    for same in (_is, _is_alike):
        if found := _in_path(lines, anchors, same):
            return Named(found)
        if len(anchors) == 1 and (found := _by_other_texts(lines, anchors[0], same)):
            return Named(found)
    if len(anchors) == 1 and _DIGITS_ONLY.fullmatch(anchors[0]):
        return Named()
    partly = _in_path(lines, anchors, _names)
    if not partly and len(anchors) == 1:
        partly = tuple(line for line in lines if any(_has(t, anchors[0]) for t in (*line.joined, *line.keys)))
    return Named(partly, whole=False)


def _by_other_texts(lines: Sequence[Line], anchor: str, same: Callable[[str, str], bool]) -> tuple[Line, ...]:
    """The lines whose path written as one is the anchor, or else of which another text is."""
    joined = tuple(line for line in lines if any(same(text, anchor) for text in line.joined))
    return joined or tuple(line for line in lines if any(same(text, anchor) for text in line.keys))


def _in_path(
    lines: Sequence[Line], anchors: tuple[str, ...], same: Callable[[str, str], bool]
) -> tuple[Line, ...]:
    """The lines that have the anchors in their path, or the one whose own header is the last anchor."""
    found = [line for line in lines if _in_order(line.labels, anchors, same)]
    own = [line for line in found if same(line.labels[-1], anchors[-1])]
    return tuple(own if len(own) == 1 else found)


def _in_order(labels: Sequence[str], anchors: Sequence[str], same: Callable[[str, str], bool]) -> bool:
    left = iter(labels)
    return all(any(same(label, anchor) for label in left) for anchor in anchors)
