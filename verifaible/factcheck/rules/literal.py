"""What stands in a source to the letter: the words of a claim in one sentence, or its cell in a table.

Where a claim is only a value, with a column and a row in its context, a cell of a source with the same row
and the same column is bound to it as closely as can be, whatever names and metrics the rules know. What
stands around the table does not count; a date of its row or column that the claim does not have does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final

from verifaible.factcheck.numbers.periods import agree, find_periods
from verifaible.factcheck.numbers.quantities import quantities
from verifaible.factcheck.rules.agreeing import is_date, likeness
from verifaible.factcheck.rules.layout import Segment
from verifaible.factcheck.rules.library import Library
from verifaible.factcheck.rules.page import Page
from verifaible.factcheck.plain_words import QUALIFYING, content_words, denial, forecast
from verifaible.factcheck.rules.reading import Reading
from verifaible.factcheck.rules.wanted import Want, Wanted
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import Finding
from verifaible.schema.verdict import Passage
from verifaible.text.flat import folded

#: A cell's text of more code points says more than a value.
_LONGEST_CELL: Final = 28
#: What a cell adds in brackets to its name.
_EXPLAINED: Final = re.compile(r"\s*[(（][^()（）]*[)）]\Z")
_SENTENCE: Final = re.compile(r"[a-z]{4,} [a-z]{2,}")
#: What a column's head says of units and scales, which the value is compared by.
_UNITS: Final = re.compile(
    r"[(（\[][^()（）\[\]]*[)）\]]|[$€£¥%]"
    r"|\b(?:in )?(?:us ?dollars?|usd|us\$|millions?|billions?|thousands?|bn|mn|mm)\b",
    re.IGNORECASE,
)


def same_cell(
    claim: Claim, want: Want, library: Library, only: Collection[str] | None
) -> tuple[Reading, ...]:
    """The cells of sources that have the row, the column and the value of a claim that is a cell.

    Empty where the claim is none, where two columns of a row fit, and where such cells do not agree.
    """
    if len(claim.context) < 2 or len(claim.text) > _LONGEST_CELL or _SENTENCE.search(claim.text):
        return ()
    column, row = claim.context[-2:]
    words = _head(column)
    if not folded(row):
        return ()
    dates = _dates("\n".join(claim.context), library.at)
    found = [
        reading
        for reading in library.labelled([row], only)
        if reading.kind == "row"
        and _is_of_row(reading, row)
        and _of_column(words, reading)
        and _narrowed_alike(claim, reading)
    ]
    heads: dict[tuple[str, tuple[int, int]], set[str]] = {}
    for each in found:
        heads.setdefault((each.source.id, each.place), set()).add(each.head)
    if any(len(columns) > 1 for columns in heads.values()):
        found = [each for each in found if words == _head(each.head)]
    fits = all(_timed(each, dates, library.at) and likeness(want.quantity, each) == "same" for each in found)
    return tuple(found) if fits else ()


def _of_column(words: frozenset[str], reading: Reading) -> bool:
    """Whether a cell's column has the words of the claim's; one called "Amount" is another without words."""
    stated = _head(reading.head)
    return words <= stated if words else not stated


def _narrowed_alike(claim: Claim, reading: Reading) -> bool:
    """Whether neither side has a word such as "futures" or "testnet" that the other has not."""
    ours = content_words("\n".join(claim.context)) & QUALIFYING
    theirs = content_words("\n".join(reading.labels)) & QUALIFYING
    return ours <= theirs and content_words(reading.head) & QUALIFYING <= ours


def _head(text: str) -> frozenset[str]:
    return content_words(_UNITS.sub(" ", text))


def _is_of_row(reading: Reading, row: str) -> bool:
    """Whether one of the cells that name the reading's row is the claim's."""
    told = {folded(way) for cell in reading.cells for way in (cell, _EXPLAINED.sub("", cell))}
    return folded(row.strip(" *_`")) in told


def _dates(text: str, at: datetime | None) -> frozenset[str]:
    return frozenset(period.value for period in find_periods(text, at) if period.dated)


def _timed(reading: Reading, dates: frozenset[str], at: datetime | None) -> bool:
    """Whether the dates that row and column of the source name are the claim's, too."""
    line = reading.text[reading.place[0] : reading.place[1]]
    own = frozenset(each for each in _dates(f"{reading.head}\n{line[:200]}", at) if is_date(each))
    return not own or (bool(dates) and agree(dates, own))


#: A claim shorter than this is not looked for word for word, in code points; a quotation in one may be.
_SHORTEST: Final = 16
_SHORTEST_QUOTATION: Final = 8
#: A claim longer than this is not looked for word for word.
_LONGEST: Final = 4000
_QUOTED: Final = re.compile(r"[“\"„«「『]([^“”\"„«»「」『』\n]{8,600})[”\"“»」』]")
_ENDS: Final = ".。,，!！ "
_CLAUSE_END: Final = re.compile(r"[,;.，。；]")
#: Code points around a quotation's sentence in which who said it may stand.
_NEAR: Final = 300
_VERBATIM: Final = "A source has these words."


def verbatim(wanted: Wanted, pages: Iterable[Page]) -> Finding | None:
    """The claim, or its quotation, word for word in one sentence of a source."""
    quotations = tuple(match[1].rstrip(_ENDS) for match in _QUOTED.finditer(wanted.text))
    whole = wanted.text.strip().strip('"“”„«»「」').rstrip(_ENDS)
    looked_for = whole not in quotations and wanted.named and _SHORTEST <= len(whole) <= _LONGEST
    if looked_for and (passage := _found(whole, pages, None, None if wanted.own_subjects else wanted)):
        return Finding(verdict="exact", passages=(passage,), reason=_VERBATIM)
    for words in quotations:
        around = wanted.text.replace(words, " ")
        outside = content_words(around)
        if (
            not quantities(around)
            and len(words) >= _SHORTEST_QUOTATION
            and (passage := _found(words, pages, outside))
        ):
            return Finding(verdict="exact", passages=(passage,), reason=_VERBATIM)
    return None


def _found(
    words: str, pages: Iterable[Page], outside: frozenset[str] | None, lent: Wanted | None = None
) -> Passage | None:
    """Where words stand; ``outside``: what a claim says around its quotation, None: they are the claim.

    ``lent``: the claim, where its own words do not say what it is of.
    """
    for page in pages:
        for start, end in page.places(words):
            segment = page.segment_at(start)
            if segment is None:
                continue
            if lent is not None and not page.may_be_of(segment, lent.subjects, lent.allowed):
                continue
            if _says_so(page, segment, start, end, outside):
                return Passage.of(page.source, page.text, start, end, segment.pointer)
    return None


def _says_so(page: Page, segment: Segment, start: int, end: int, outside: frozenset[str] | None) -> bool:
    """Whether the sentence around some words states them, and leaves them as they are."""
    before, after = page.text[segment.start : start], page.text[end : segment.end]
    if denial(before) or forecast(before) or denial(after) or after.strip()[:1] in ("?", "？"):
        return False
    if outside is None:
        clause = _CLAUSE_END.split(after, maxsplit=1)[0]
        return not forecast(after) and not content_words(before) and not content_words(clause)
    near = page.text[max(0, segment.start - _NEAR) : segment.end + _NEAR]
    return not outside - content_words(near) - content_words(page.source.title)
