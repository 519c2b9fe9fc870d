"""Claims that stand in a source word for word, and claims of a date that one sentence of a source makes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from verifaible.anchoring.fold import fold
from verifaible.judge.numbers.quantities import quantities
from verifaible.judge.rules.layout import Segment
from verifaible.judge.rules.page import Page
from verifaible.judge.rules.plain_words import content_words, denial, forecast
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
    needle = fold(words).text
    for page in pages:
        for start, end in page.find_folded(needle):
            segment = page.segment_at(start)
            if segment is None or not _states(page.text, start, end, words):
                continue
            if lent is not None and not page.may_be_of(segment, lent.subjects, lent.allowed):
                continue
            if _says_so(page, segment, start, end, outside):
                return Passage.of(page.source, page.text, start, end, segment.pointer)
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
