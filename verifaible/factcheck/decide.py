"""What rules say of a claim: the deciders in their order, the first answer wins.

``quotation``: its words are whole sentences of a source. ``alignment``: all its words govern a value that is
the claim's, or single out one that is not. ``derivation``: its numbers follow from rows and columns that it
names.
``lookup``: its numbers stand at another place than the one that it names, or nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from verifaible.factcheck.asked import Asked
from verifaible.factcheck.derivation import derive
from verifaible.factcheck.library import Library
from verifaible.factcheck.lookup import look_up
from verifaible.factcheck.plain_words import content_words, denial, forecast
from verifaible.factcheck.source import ReadSource
from verifaible.schema.analyst import Claim
from verifaible.schema.verdict import Passage, Verdict
from verifaible.text.compare import compare
from verifaible.text.numbers import find_quantities

#: A longer text is no claim, in code points.
_LONGEST: Final = 4_000
#: A shorter one is not looked for word for word.
_SHORTEST: Final = 16
_MOST_PLACES: Final = 3_000
#: What is told of each, or beside another, is reckoned, and stands nowhere.
_RATE: Final = re.compile(
    r"\bper (?!cent)|\b(?:each|every|than|half|twice|times|averag\w*)\b|每|平均", re.IGNORECASE
)
_RECKONED: Final = re.compile(r"\b(?:half|twice|double|triple)\b|一半|两倍", re.IGNORECASE)
_CELLS: Final = re.compile(r"[|\t{]")
_QUOTATION: Final = re.compile(r"[“\"„«「『]([^“”\"„«»「」『』\n]{8,600})[”\"“»」』]")
_ENDS: Final = ".。,，!！ "
#: Code points around a quotation in which who said it may stand.
_NEAR: Final = 300


def decide(
    claim: Claim, library: Library, *, only: Collection[str] | None = None, whole: bool = False
) -> Verdict:
    """What the rules say of a claim.

    Args:
        claim: the claim.
        library: the sources of its answer.
        only: ids of the sources that count; None: all.
        whole: these are all that the claim rests on, and all of each was read: a figure that none of them
            has is then contradicted.

    Returns:
        the verdict; ``open`` with what is missing.
    """
    if not claim.factual or len(claim.text) > _LONGEST:
        return _open("An opinion is not checked against sources, nor what is too long to be one claim.")
    sources = library.of(only)
    if not sources or not claim.text.strip():
        return _open("There is no source to check it against.")
    asked, alignment = Asked.of(claim, library.terms, library.topic, library.at), library.alignment(sources)
    if quoted := _quoted(claim, [each for each in sources if asked.lent <= alignment.governing.about(each)]):
        return quoted
    reckoned = bool(_RATE.search(claim.text))
    found = alignment.decide(asked)
    if found is None or (reckoned and found.outcome == "contradicted"):
        found = derive(claim, sources)
    if found is None and not reckoned:
        places = library.places(sources)
        missed = look_up(claim, sources, places) if len(places) <= _MOST_PLACES else None
        found = missed if missed is not None and (missed.said or whole) else None
    if found is not None and not (found.outcome == "contradicted" and _has_all(asked, found)):
        return found
    return _open("No source states it in words and places that rules can tell apart.")


def _has_all(asked: Asked, verdict: Verdict) -> bool:
    """Whether the sentences said against a claim have all of its numbers, or words that reckon with them."""
    words = "\n".join(passage.quote for passage in verdict.passages)
    if verdict.decided_by == "derivation" or not words or _CELLS.search(words):
        return False
    said = find_quantities(words)
    stated = all(any(compare(number, each) == "same" for each in said) for number in asked.numbers)
    return stated or bool(_RECKONED.search(words))


def _open(reason: str) -> Verdict:
    return Verdict(outcome="open", reason=reason)


def _quoted(claim: Claim, sources: Sequence[ReadSource]) -> Verdict | None:
    """A claim, or its quotation, whose words are whole sentences that nothing before them turns."""
    whole = claim.text.strip()
    if len(whole) >= _SHORTEST and (found := _found(whole.strip('“”„«»「」" '), sources)):
        return found
    for match in _QUOTATION.finditer(whole):
        around = whole.replace(match[0], " ")
        if not find_quantities(around) and (found := _found(match[1], sources, content_words(around))):
            return found
    return None


def _found(words: str, sources: Sequence[ReadSource], around: frozenset[str] | None = None) -> Verdict | None:
    """Where a source states some words; ``around``: what the claim says around its quotation."""
    for each in sources:
        for span in _places(each, words.rstrip(_ENDS), whole=around is None):
            near = each.text[max(0, span[0] - _NEAR) : span[1] + _NEAR]
            if not (around or frozenset()) - content_words(near) - content_words(each.source.title):
                passage = Passage.of(each.source, each.text, *span)
                reason = "A source has these words."
                return Verdict(
                    outcome="supported", decided_by="quotation", passages=(passage,), reason=reason
                )
    return None


def _places(source: ReadSource, words: str, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Where words stand as whole sentences, or as a part of one, and nothing before them turns them."""
    states = source.plain.states(words) if whole else None
    for start, end in ([states] if states else []) if whole else source.plain.places(words):
        before = source.text[source.text.rfind("\n", 0, start) + 1 : start]
        over = _over(source.text, start)
        if not denial(f"{over}\n{before}") and not forecast(before):
            yield start, end


def _over(text: str, at: int) -> str:
    """The heading over a place, and the end of the paragraph before its own."""
    heading = max(text.rfind("\n#", 0, at), 0)
    line = text.find("\n", heading + 1)
    block = text.rfind("\n\n", 0, at)
    return f"{text[heading : line if line >= 0 else None]}\n{text[max(0, block - _NEAR) : max(block, 0)]}"
