"""Quotations in a text: words between quotation marks, compared with the sources word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from verifaible.anchoring.diff import render_diff, word_diff
from verifaible.check.sources import OpenedSource
from verifaible.claims.answer_text import without_code
from verifaible.claims.facts import find_facts
from verifaible.claims.markers import blanked
from verifaible.factcheck.plain_text import PlainText
from verifaible.schema.analyst import Claim
from verifaible.schema.verdict import Verdict
from verifaible.text.language import language_of

_TOKEN: Final = re.compile(r"[^\W_]{2,}")
#: Fewer words are a name or a word that somebody keeps at a distance, not what a source says.
FEWEST_WORDS: Final = 4
#: From so many words on, a quotation that no source resembles is not in them.
_SURELY: Final = 6
_PAIRS: Final = (
    ("“", "”"),
    ("„", "“"),
    ("„", "”"),
    ("«", "»"),
    ("»", "«"),
    ("「", "」"),
    ("『", "』"),
    ('"', '"'),
)
#: What an author leaves out of a quotation or puts into it.
_LEFT_OUT: Final = re.compile(r"\s*(?:\[[^\[\]\n]{0,80}\]|\(?(?:\.\s?\.\s?\.|…+|⋯+)\)?)\s*")
_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:['’][^\W_]+)?")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Quotation:
    """``text[start:end]``, marks included, quotes ``words``."""

    start: int
    end: int
    words: str


def quotations_in(text: str) -> list[Quotation]:
    """The quotations of a text, in order, none within another; each in one paragraph."""
    body = blanked(without_code(text), marks=True)
    found: list[Quotation] = []
    for start, end in _paragraphs(body):
        at = start
        while at < end:
            spans = [span for pair in _PAIRS if (span := _next(body, at, end, pair))]
            if not spans:
                break
            first, last = min(spans)
            words = " ".join(re.sub(r"[*_`]+", "", body[first + 1 : last - 1]).split())
            if _count(words) >= FEWEST_WORDS:
                found.append(Quotation(first, last, words))
                at = last
            else:
                at = last if body[first] != '"' or _count(words) else first + 1
    return found


def compare(quotation: Quotation, sources: Sequence[OpenedSource]) -> Verdict:
    """What sources, of which each may be the one that is quoted, say of a quotation."""
    parts = [
        part
        for each in _LEFT_OUT.split(quotation.words)
        if _count(part := each.strip(" ,;:.!?，。；：！？")) > 2
    ]
    if not parts:
        return Verdict(outcome="open")
    altered: list[Verdict] = []
    for source in sources:
        places = [_exact(part, source) for part in parts]
        if all(places):
            return Verdict(
                outcome="supported",
                decided_by="quotation",
                passages=tuple(source.passage(*place) for place in places if place),
                reason="The quotation stands in the source word for word.",
            )
        for part, place in zip(parts, places, strict=True):
            near = PlainText.of(source.text).similar(part) if place is None else None
            if near is None:
                continue
            passage = source.passage(*near)
            said = " ".join(passage.quote.split())
            altered.append(
                Verdict(
                    outcome="contradicted",
                    decided_by="quotation",
                    passages=(passage,),
                    said=said,
                    reason=f"The quotation is not what the source says: {render_diff(word_diff(part, said))}",
                )
            )
    if altered:
        return altered[0]
    if all(source.whole for source in sources) and _surely(quotation.words, sources):
        reason = "The quoted words stand nowhere in the source, nor anything like them."
        return Verdict(outcome="not_found", decided_by="quotation", reason=reason)
    return Verdict(outcome="open")


def verbatim(claim: Claim, sentence: str, sources: Sequence[OpenedSource]) -> Verdict | None:
    """A claim whose very words, or whose sentence's, are whole sentences of a source that nothing governs."""
    asked = [words for words in (claim.text, sentence) if _count(words) >= FEWEST_WORDS]
    for words, source in product(asked, sources):
        if place := PlainText.of(source.text).states(words):
            passages = (source.passage(*place),)
            reason = "The source has these words."
            return Verdict(outcome="supported", decided_by="quotation", passages=passages, reason=reason)
    return None


def only_introduces(words: str, sources: Sequence[OpenedSource]) -> bool:
    """Whether words around a quotation state nothing but names that the sources have."""
    known = _known_words(sources)
    return all(
        fact.kind == "name" and {word.casefold() for word in _TOKEN.findall(fact.raw)} <= known
        for fact in find_facts(words)
    )


def _known_words(sources: Sequence[OpenedSource]) -> set[str]:
    """The words of sources, of their titles and addresses, and the initials of their names."""
    known: set[str] = set()
    for source in sources:
        for text in (source.text, source.state.title, source.source.title, source.source.url):
            found = _TOKEN.findall(text)
            known.update(word.casefold() for word in found)
            for size in (2, 3, 4, 5):
                for at in range(len(found) - size + 1):
                    words = found[at : at + size]
                    if all(word[0].isupper() for word in words):
                        known.add("".join(word[0] for word in words).casefold())
    return known


def _exact(part: str, source: OpenedSource) -> tuple[int, int] | None:
    """Where the words of a quotation stand in a source, but for signs."""
    text = PlainText.of(source.text)
    if spans := text.places(part, cut=True):
        return spans[0]
    near = text.similar(part)
    return near if near and _flat(source.text[slice(*near)]) == _flat(part) else None


def _surely(words: str, sources: Sequence[OpenedSource]) -> bool:
    """Whether words that no source has must be said of it: not a title, nor a translation."""
    told = [word for word in _WORD.findall(words) if len(word) > 3]
    titled = sum(word[:1].isupper() for word in told) > len(told) / 2
    ours = language_of("", words)
    theirs = {language_of("", source.text[:4000]) for source in sources}
    return _count(words) >= _SURELY and not titled and (not ours or not theirs or theirs <= {ours, ""})


def _flat(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold().replace("’", "'")))


def _count(words: str) -> int:
    found = _WORD.findall(words)
    return len(found) if not _CJK.search(words) else len(found) // 2


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for match in re.finditer(r"\n\s*\n|\n(?=\s*(?:[-*+•>#|]|\d+[.)]))|\Z", text):
        if match.start() > at:
            yield at, match.start()
        at = match.end()


def _next(text: str, start: int, end: int, pair: tuple[str, str]) -> tuple[int, int] | None:
    opening, closing = pair
    first = start
    while (first := text.find(opening, first, end)) >= 0:
        begins = first == start or not text[first - 1].isalnum()
        if opening != closing or (begins and not text[first + 1 : first + 2].isspace()):
            last = text.find(closing, first + 1, end)
            return (first, last + 1) if last > 0 else None
        first += 1
    return None
