"""Quotations in a text: words between quotation marks, compared with the sources word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.anchoring.diff import render_diff, word_diff
from verifaible.check.sources import OpenedSource
from verifaible.claims.answer_text import without_code
from verifaible.claims.facts import find_facts
from verifaible.claims.markers import blanked
from verifaible.factcheck.plain_text import PlainText
from verifaible.schema.verdict import Verdict
from verifaible.text.language import language_of

#: Fewer words are a name or a word that somebody keeps at a distance, not what a source says.
FEWEST_WORDS: Final = 4
#: From so many words on, a quotation that no source resembles is not in them.
_SURELY: Final = 6
#: Ends neither a paragraph nor an item.
_LINE: Final = r"\n(?!\s*(?:\n|[-*+•>#|]|\d+[.)]))"
_QUOTED: Final = re.compile(
    rf"“(?:[^“”\n]|{_LINE})+”|„(?:[^„“”\n]|{_LINE})+[“”]|«(?:[^«»\n]|{_LINE})+»|»(?:[^«»\n]|{_LINE})+«"
    rf"|「(?:[^「」\n]|{_LINE})+」|『(?:[^『』\n]|{_LINE})+』|(?<![^\W_])\"(?!\s)(?:[^\"\n]|{_LINE})+\""
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
    found = [
        Quotation(*match.span(), " ".join(re.sub(r"[*_`]+", "", match[0][1:-1]).split()))
        for match in _QUOTED.finditer(body)
    ]
    return [each for each in found if _count(each.words) >= FEWEST_WORDS]


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


def only_introduces(words: str, sources: Sequence[OpenedSource]) -> bool:
    """Whether words around a quotation state nothing but names that the sources have."""
    texts = (each.text + each.state.title + each.source.title + each.source.url for each in sources)
    known = {word for text in texts for word in _flat(text).split()}
    facts = find_facts(words)
    return all(fact.kind == "name" and known.issuperset(_flat(fact.raw).split()) for fact in facts)


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
