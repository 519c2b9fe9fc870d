"""Claims that one sentence of a source makes in other words, with the same names, values and dates."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from verifaible.judge.rules.agreeing import is_date, is_fresh
from verifaible.judge.rules.aligning import contradicts, says
from verifaible.judge.rules.layout import Segment
from verifaible.judge.rules.lexicon import VOLATILE, find_metrics, names_of
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.page import Page
from verifaible.judge.rules.phrases import Item, Row, first_stems, items_of
from verifaible.judge.rules.plain_words import content_words, denial
from verifaible.judge.rules.tagging import Tagged
from verifaible.judge.rules.wanted import Wanted, plain
from verifaible.schema.judged import Finding, Passage

#: A claim of fewer items says too little to be looked for in this way.
_FEWEST: Final = 3
#: Of a longer sentence the parts are not told apart well enough, in code points.
_LONGEST: Final = 700
_MOST_PLACES: Final = 40
_PRONOUN: Final = re.compile(
    r"\A\W*(?:it|they|he|she|this|that|these|those|both|one|which|who|该|其|它)\b", re.IGNORECASE
)
_GOES_ON: Final = re.compile(r"\A[a-z]")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")


def restated(wanted: Wanted, library: Library, only: Collection[str] | None) -> Finding | None:
    """A sentence that says what a claim says, in words that mean the same; None where there is none."""
    found = _sentence(wanted, library, only)
    if found is None:
        return None
    return Finding(
        verdict="exact", passages=(found,), reason="A sentence of a source says the same, item by item."
    )


def _sentence(wanted: Wanted, library: Library, only: Collection[str] | None) -> Passage | None:
    """The sentence that says what a claim says."""
    text = _whole(wanted)
    if denial(text) or _PRONOUN.match(text) or text.rstrip().endswith(("?", "？")):
        return None
    tagged = Tagged(text, library.lexicon, library.at) if text != wanted.text else wanted.tagged
    items = items_of(tagged)
    words = [item for item in items if item.kind in ("word", "proper", "name")]
    if len(items) < _FEWEST or len(words) < 2:
        return None
    claim = Row(text, items)
    lent = frozenset() if _names(items) else wanted.lent_subjects
    allowed = frozenset(f"={name}" for name in lent)
    for page, segment in _places(items, library, only):
        source = _row(page, segment, library)
        if (
            says(claim, source[1], allowed)
            and _is_of(page, segment, source[0], claim, wanted)
            and _timed(source[0], tagged, library)
        ):
            return _passage(page, segment)
    return None


def in_other_roles(wanted: Wanted, library: Library, passages: Collection[Passage]) -> bool:
    """Whether a sentence that has all values of a claim has its names in other roles."""
    claim = Row(wanted.text, items_of(wanted.tagged))
    for passage in passages:
        page = next(page for page in library.pages((passage.source,)))
        segment = page.segment_at(passage.start)
        if segment is None or segment.kind == "row" or segment.literal or len(segment.words) > _LONGEST:
            continue
        if contradicts(claim, _row(page, segment, library)[1]):
            return True
    return False


def _whole(wanted: Wanted) -> str:
    """The claim with the subject that it shares with the clause before it."""
    context = wanted.claim.context
    if len(context) > 1 and _GOES_ON.match(wanted.text):
        return f"{plain(context[-1])} {wanted.text}"
    return wanted.text


def _names(items: tuple[Item, ...]) -> bool:
    return any(item.kind in ("name", "proper") for item in items)


def _places(
    items: tuple[Item, ...], library: Library, only: Collection[str] | None
) -> Iterator[tuple[Page, Segment]]:
    """Sentences that have a word for each word of a claim."""
    ways = [first_stems(item) for item in items if item.kind in ("word", "proper")]
    names = {key.removeprefix("=") for item in items if item.kind == "name" for key in item.keys}
    found = library.sentences_with(sorted(ways, key=len), names, only)
    for page, index in found[:_MOST_PLACES]:
        segment = page.segments[index]
        if segment.kind == "row" or segment.literal or len(segment.words) > _LONGEST:
            continue
        yield page, segment


def _row(page: Page, segment: Segment, library: Library) -> tuple[Tagged, Row]:
    kept = library.made_of_it.setdefault("rows", {})
    assert isinstance(kept, dict)
    key = (page.source.id, segment.start)
    if key not in kept:
        tagged = Tagged(segment.words, library.lexicon)
        kept[key] = (tagged, Row(segment.words, items_of(tagged)))
    found: tuple[Tagged, Row] = kept[key]
    return found


def _is_of(page: Page, segment: Segment, tagged: Tagged, claim: Row, wanted: Wanted) -> bool:
    """Whether a sentence is of what the claim is of, where the claim's own words do not name it."""
    if _names(claim.items) or _begins_with_name(claim, segment):
        return True
    lent = wanted.lent_subjects
    own = names_of(tagged.names)
    units = wanted.tagged.unit_names
    if units and not own and units == tagged.unit_names and len(claim.items) > _FEWEST:
        return True
    if own:
        return own == lent or not lent
    if not lent:
        if _HAN.search(claim.text):
            return True
        proper = content_words(" ".join(re.findall(r"(?<=\s)[A-Z][a-zA-Z]{2,}", wanted.topic)))
        return bool(proper & content_words(f"{page.source.title} {page.text[:_LONGEST]}"))
    return page.is_of(segment, lent, wanted.allowed)


def _begins_with_name(claim: Row, segment: Segment) -> bool:
    """Whether the first word of a claim has a capital inside the sentence, too."""
    first = claim.text[claim.items[0].start : claim.items[0].end]
    return first[:1].isupper() and re.search(rf"(?<=[\w,;] ){re.escape(first)}\b", segment.words) is not None


def _timed(source: Tagged, claim: Tagged, library: Library) -> bool:
    """Whether the sentence's dates are those of the claim, or say nothing against it."""
    dates = frozenset(each.value for each in source.periods if each.dated)
    if not dates or any(period.dated for period in claim.periods):
        return True
    moving = any(metric.value in VOLATILE for metric in find_metrics(claim.text))
    return not moving or (
        library.at is not None and all(is_fresh(each, library.at) for each in dates if is_date(each))
    )


def _passage(page: Page, segment: Segment) -> Passage:
    return Passage(
        source=page.source.id,
        capture=page.source.capture,
        file=page.source.file,
        start=segment.start,
        end=segment.end,
        quote=page.text[segment.start : segment.end],
        pointer=segment.pointer,
    )
