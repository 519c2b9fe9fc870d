"""Whether a table is still the one that was cited, by the caption and the heading over it."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from verifaible.anchoring.diff import word_diff
from verifaible.anchoring.fold import fold
from verifaible.schema.citation import DiffToken, TableAnchor

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


def same_table(cited: TableAnchor, caption: str, heading: str) -> tuple[TitleVerdict, tuple[DiffToken, ...]]:
    """What the titles over a table allow to be said of a cell that reads as it did.

    Args:
        cited: the anchor, with the caption and the heading of then.
        caption: the table's caption now.
        heading: the heading before the table now.

    Returns:
        "changed" with the difference where numbers, dates, periods, units or negations differ, "moved" where
        other words do, else "verified". A title that is missing now, or was then, says nothing.
    """
    verdict: TitleVerdict = "verified"
    for before, now in ((cited.caption, caption), (cited.heading, heading)):
        old, new = (_CLOCK.sub("", text) for text in (before, now))
        if not old.strip() or not new.strip() or fold(old).text == fold(new).text:
            continue
        difference = word_diff(old, new)
        if any(token.op != "same" and _tells(token) for token in difference):
            return "changed", difference
        verdict = "moved"
    return verdict, ()


def _tells(token: DiffToken) -> bool:
    return token.kind != "word" or bool(_PERIOD.search(token.text))
