"""What came of looking for a quote, and how it is shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from verifaible.anchoring.places import CONTEXT
from verifaible.schema.citation import DiffToken

QuoteStatus: TypeAlias = Literal["verified", "moved", "changed", "ambiguous", "gone"]

#: Context that is at least this alike is the same place: a changed word in 64 characters still
#: is, the context of another sentence of the same page is not (it scores about 0.2 to 0.35).
SAME_CONTEXT = 0.6
#: The words right beside a quote must be this alike on one side, or on both taken together: in another
#: sentence put between the same neighbours most of the context stays, and what is nearest does not.
SAME_NEIGHBOUR = 0.8
SAME_NEIGHBOURS = 0.65


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where a quote stands.

    ``start`` and ``end`` are code points of the page text, ``text`` is ``page[start:end]``, and
    ``prefix`` and ``suffix`` the up to 64 code points around it; all are empty (0) for "gone"
    and "ambiguous". ``score`` is 1 - edits / length, 1.0 for an exact match. ``occurrences`` counts
    exact matches; ``candidates`` shows each place of an ambiguous quote with its surroundings.
    ``difference`` leads from the quote to the page's words. ``nearest`` is the most similar text
    of the page when the quote is not there. ``near_found`` is False when ``near`` was asked for
    and stands nowhere beside the match.
    """

    status: QuoteStatus
    start: int = 0
    end: int = 0
    text: str = ""
    prefix: str = ""
    suffix: str = ""
    score: float = 0.0
    occurrences: int = 0
    candidates: tuple[str, ...] = ()
    difference: tuple[DiffToken, ...] = ()
    nearest: str = ""
    near_found: bool = True


def excerpt(page_text: str, start: int, end: int, *, width: int = 40) -> str:
    """A span with up to ``width`` code points on either side, on one line, for a message."""
    low, high = max(0, start - width), min(len(page_text), end + width)
    shown = re.sub(r"\s+", " ", page_text[low:high]).strip()
    return ("…" if low else "") + shown + ("…" if high < len(page_text) else "")


def matched(page_text: str, start: int, end: int, status: QuoteStatus) -> QuoteMatch:
    """A match at a span, with its text and surroundings filled in."""
    return QuoteMatch(
        status,
        start,
        end,
        page_text[start:end],
        page_text[max(0, start - CONTEXT) : start],
        page_text[end : end + CONTEXT],
        score=1.0,
        occurrences=1,
    )
