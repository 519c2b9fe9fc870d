"""Whether a cell is still the one that was cited, by its headers and by the caption and the heading above."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from verifaible.old.anchoring.diff import word_diff
from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.tables.names import SEPARATOR, same_header
from verifaible.schema.anchor import TableAnchor
from verifaible.schema.check import DiffToken

TitleVerdict: TypeAlias = Literal["verified", "moved", "changed"]

#: A time of day says when a page was shown, not what a table holds.
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b")
#: Words that name a period or a basis and are no numbers, dates or units by themselves.
_PERIOD = re.compile(
    r"\d|[一二三四五六七八九十〇零上下本去前同环旬周季月年]|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)"
    r"(?:t|uary|ruary|ch|il|ust|tember|ober|ember)?\b|\b(?:first|second|third|fourth|half|last|next|previous"
    r"|annual|quarter|month|week|year|dai)(?:ly|s|ed)?\b",
    re.IGNORECASE,
)


def same_table(cited: TableAnchor, found: TableAnchor) -> tuple[TitleVerdict, tuple[DiffToken, ...]]:
    """What headers and titles allow to be said of a cell that reads as it did.

    Args:
        cited: the anchor, with the headers, the caption and the heading of then.
        found: the same of now.

    Returns:
        "changed" with the difference where a header path (units that the headers give included) is another,
        or numbers, dates, periods, units or negations of a title are; "moved" where other words of a title
        are, else "verified". A title that is missing now, or was then, says nothing.
    """
    for then, today in ((cited.row_path, found.row_path), (cited.column_path, found.column_path)):
        if len(then) == len(today) and all(map(same_header, then, today)):
            continue
        difference = word_diff(SEPARATOR.join(then), SEPARATOR.join(today))
        if any(token.op != "same" and _says(token) for token in difference):
            return "changed", difference
    verdict: TitleVerdict = "verified"
    for before, now in ((cited.caption, found.caption), (cited.heading, found.heading)):
        old, new = (_CLOCK.sub("", text) for text in (before, now))
        if not old.strip() or not new.strip() or fold(old).text == fold(new).text:
            continue
        difference = word_diff(old, new)
        if any(token.op != "same" and _tells(token) for token in difference):
            return "changed", difference
        verdict = "moved"
    return verdict, ()


def _says(token: DiffToken) -> bool:
    """Whether a part of a header is more than a sign, such as the arrow of a sorted column."""
    return token.kind != "word" or any(map(str.isalnum, token.text))


def _tells(token: DiffToken) -> bool:
    return token.kind != "word" or bool(_PERIOD.search(token.text))
