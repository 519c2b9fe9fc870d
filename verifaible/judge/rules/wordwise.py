"""Claims that stand in a source word for word, and claims of a date that one sentence of a source makes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from verifaible.anchoring.fold import fold
from verifaible.judge.rules.layout import Segment
from verifaible.judge.rules.lexicon import names_of
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.page import Page
from verifaible.judge.rules.periods import agree
from verifaible.judge.rules.plain_words import content_words, denial, forecast
from verifaible.judge.rules.tagging import Tagged
from verifaible.judge.rules.wanted import Wanted
from verifaible.schema.judged import Finding, Passage
from verifaible.text.same import same
from verifaible.text.words import whole

#: A claim shorter than this is not looked for word for word, in code points; a quotation in one may be.
_SHORTEST: Final = 16
_SHORTEST_QUOTATION: Final = 8
#: A claim longer than this is not looked for word for word.
_LONGEST: Final = 4000
_QUOTED: Final = re.compile(r"[“\"„«「『]([^“”\"„«»「」『』\n]{8,600})[”\"“»」』]")
_ENDS: Final = ".。,，!！ "
_CLAUSE_END: Final = re.compile(r"[,;.，。；]")
#: Words that take back a part of what is said.
_HARDLY: Final = re.compile(
    r"\b(?:almost|nearly|hardly|barely|partly|partially|briefly|reportedly|allegedly|up to|virtually)\b"
    r"|几乎|险些|差点|部分|据称",
    re.IGNORECASE,
)
#: Code points around a quotation's sentence in which who said it may stand.
_NEAR: Final = 300


def verbatim(wanted: Wanted, pages: Iterable[Page]) -> Finding | None:
    """The claim, or its quotation, word for word in one sentence of a source."""
    quotations = tuple(match[1].rstrip(_ENDS) for match in _QUOTED.finditer(wanted.text))
    whole = wanted.text.strip().strip('"“”„«»「」').rstrip(_ENDS)
    looked_for = whole not in quotations and wanted.named and _SHORTEST <= len(whole) <= _LONGEST
    if looked_for and (passage := _found(whole, pages, None, None if wanted.own_subjects else wanted)):
        return _exact(passage)
    for words in quotations:
        outside = content_words(wanted.text.replace(words, " "))
        if len(words) >= _SHORTEST_QUOTATION and (passage := _found(words, pages, outside)):
            return _exact(passage)
    return None


def _exact(passage: Passage) -> Finding:
    return Finding(verdict="exact", passages=(passage,), reason="A source has these words.")


def _found(
    words: str, pages: Iterable[Page], outside: frozenset[str] | None, lent: Wanted | None = None
) -> Passage | None:
    """Where words stand; ``outside``: what a claim says around its quotation, None: they are the claim.

    ``lent``: the claim, where its own words do not say what it is of.
    """
    needle = fold(words).text
    for page in pages:
        for start, end in page.find_folded(needle):
            segment = page.segment_at(start)
            if segment is None or not _states(page.text, start, end, words):
                continue
            if lent is not None and not page.may_be_of(segment, lent.subjects, lent.allowed):
                continue
            if _says_so(page, segment, start, end, outside):
                return _passage(page, start, end, segment)
    return None


def _states(text: str, start: int, end: int, words: str) -> bool:
    return bool(same(text, start, end, words, cased=((start, end),))) and whole(text, start, end) == (
        start,
        end,
    )


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


def _passage(page: Page, start: int, end: int, segment: Segment) -> Passage:
    return Passage(
        source=page.source.id,
        capture=page.source.capture,
        file=page.source.file,
        start=start,
        end=end,
        quote=page.text[start:end],
        pointer=segment.pointer,
    )


def dated(wanted: Wanted, library: Library, only: Collection[str] | None) -> Finding | None:
    """A claim of a date without numbers: one sentence that has its words, its names and its date."""
    if not wanted.dates or not wanted.named or not wanted.words or denial(wanted.text):
        return None
    for page, segment in library.having(wanted.words, only):
        if segment.kind != "prose":
            continue
        tagged = Tagged(segment.words, library.lexicon)
        if _dates_it(tagged, wanted):
            return Finding(
                verdict="exact",
                passages=(_passage(page, segment.start, segment.end, segment),),
                reason="A sentence of a source says so, with the date.",
            )
    return None


def _dates_it(tagged: Tagged, wanted: Wanted) -> bool:
    """Whether a sentence says of the claim's subjects, in its words, the one date that the claim has."""
    dates = [period for period in tagged.periods if period.dated]
    values = {period.value for period in dates}
    if len(values) != 1 or not agree(wanted.dates, values) or denial(tagged.text):
        return False
    lead = tagged.text[: dates[0].start]
    if any(number.end <= len(lead) for number in tagged.numbers) or _HARDLY.search(lead):
        return False
    before = content_words(tagged.masked[: dates[0].start])
    return (
        forecast(wanted.text) == forecast(tagged.text)
        and not before - wanted.allowed
        and not wanted.words - tagged.words
        and names_of(tagged.names) == wanted.subjects
    )
