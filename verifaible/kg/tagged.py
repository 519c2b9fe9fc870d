"""Triples out of what is tagged: figures as metrics; where the company is traded, who audits it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from verifaible.kg.chunks import Chunk
from verifaible.kg.filing import Filing
from verifaible.kg.triples import XBRL, Triple
from verifaible.kg.xbrl import Fact

#: What tags of the cover and of the audit report say of the company.
_OF_THE_COMPANY: Final = {
    "dei:SecurityExchangeName": ("listed_on", "exchange"),
    "dei:TradingSymbol": ("trades_as", "ticker"),
    "dei:AuditorName": ("audited_by", "auditor"),
    "dei:EntityIncorporationStateCountryCode": ("incorporated_in", "place"),
}
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+")
_MOST_WORDS: Final = 5
#: Characters of a legal entity identifier (ISO 17442); a CIK has ten at most.
_LEI: Final = 20
_SEGMENTS: Final = "BusinessSegmentsAxis"


def tagged_triples(filing: Filing, chunks: Sequence[Chunk]) -> list[Triple]:
    """The triples of the facts that are tagged, those that no reader sees as ``ungrounded``."""
    starts = [chunk.start for chunk in chunks]
    found: list[Triple] = []
    for number, fact in enumerate(filing.facts):
        for made in _said(filing, fact):
            start, end = (fact.spans[0][0], fact.spans[-1][1]) if fact.spans else (0, 0)
            chunk = chunks[bisect_right(starts, start) - 1].id if fact.spans else ""
            place = {
                "id": f"xbrl-{number}",
                "chunk": chunk,
                "quote": filing.text[start:end],
                "start": start,
                "end": end,
                "ungrounded": "" if fact.spans else "hidden",
                "by": XBRL,
            }
            found.append(Triple.model_validate({**made, **place}))
    return found


def _said(filing: Filing, fact: Fact) -> Iterator[dict[str, object]]:
    name = filing.name or f"{'LEI' if len(fact.entity) == _LEI else 'CIK'} {fact.entity}"
    if fact.concept in _OF_THE_COMPANY and fact.words:
        relation, kind = _OF_THE_COMPANY[fact.concept]
        yield {
            "head": name,
            "head_type": "company",
            "relation": relation,
            "tail": fact.words,
            "tail_type": kind,
        }
    if not fact.numeric:
        return
    segment = next((member for axis, member in fact.members if axis.endswith(_SEGMENTS)), "")
    yield {
        "head": _words(segment.removesuffix("Member")) if segment else name,
        "head_type": "segment" if segment else "company",
        "relation": "reports",
        "tail": _words(fact.concept),
        "tail_type": "metric",
        "value": fact.value,
        "unit": fact.unit,
        "period": str(fact.period) if fact.period else "",
        "members": fact.members,
    }


def _words(concept: str) -> str:
    """The name of a concept as words, five at most: ``us-gaap:CostOfRevenue`` is ``cost of revenue``."""
    words = _WORD.findall(concept.rpartition(":")[2])
    return " ".join(word if word.isupper() else word.lower() for word in words[:_MOST_WORDS])
