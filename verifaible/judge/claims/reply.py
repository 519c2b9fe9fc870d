"""Claims that a model has split an answer into: the form it fills in, and the check of what it gave.

Nothing is taken on trust. Each claim comes with a quote of the answer, which is looked up there; its range
and its citations are found by us, never given by the model. What cannot be used is a fault that says why, and
what the model left out is filled in from the rules.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pydantic import Field

from verifaible.answers.facts import StatedFact, find_facts
from verifaible.judge.claims.answer import claims_of, coverage_of
from verifaible.judge.claims.cites import Citing
from verifaible.judge.claims.units import Unit, Units, units_of
from verifaible.judge.proof.plain_text import PlainText
from verifaible.llm.structured import Form
from verifaible.old.numbers import NumberMention
from verifaible.schema.analyst import AnalystAnswer, Claim, ClaimKind
from verifaible.schema.base import Record
from verifaible.text.markdown import Plain, plain

#: A reply with more claims than this is read no further; the rest is filled in from the rules.
MOST_CLAIMS: Final = 2_000

ReplyFaultCode: TypeAlias = Literal[
    "empty", "not_found", "too_wide", "value_not_quoted", "repeated", "too_many"
]


class GivenClaim(Form):
    """A claim as a model gives it.

    Attributes:
        quote: the words of the answer that it is from, character by character, of one sentence or row.
        text: the claim as a sentence that stands on its own.
        kind: what it states.
    """

    quote: str
    text: str
    kind: ClaimKind


class ClaimsForm(Form):
    """What a model fills in to split an answer."""

    claims: list[GivenClaim]


class ReplyFault(Record):
    """A claim of a model that was not taken; ``number`` counts from 1 in its reply."""

    number: int
    code: ReplyFaultCode
    message: str


class ClaimsRead(Record):
    """The claims of an answer as a model split it, in order.

    Attributes:
        claims: those that were taken, and those that were filled in.
        faults: what was not taken.
        filled: how many of the claims are of the rules, because the model left them out.
    """

    claims: tuple[Claim, ...] = ()
    faults: tuple[ReplyFault, ...] = Field(default=())
    filled: int = 0


@dataclass(frozen=True, slots=True)
class _Page(Plain):
    """The words of an answer, unit by unit; ``owners`` has the unit of each character."""

    owners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Taken:
    given: GivenClaim
    start: int
    end: int
    unit: Unit


def checked_claims(answer: AnalystAnswer, reply: ClaimsForm) -> ClaimsRead:
    """The claims of a model's reply that hold, with what it left out filled in from the rules.

    Args:
        answer: the answer that the model was shown.
        reply: the form as it filled it in.
    """
    units = units_of(answer)
    check = _Check(units)
    for number, given in enumerate(reply.claims[:MOST_CLAIMS], start=1):
        check.take(number, given)
    if len(reply.claims) > MOST_CLAIMS:
        check.fault(MOST_CLAIMS + 1, "too_many", f"Claims beyond number {MOST_CLAIMS} were not read.")
    given_claims = check.claims()
    filled = _missing(answer, given_claims)
    ordered = sorted((*given_claims, *filled), key=lambda claim: (claim.start, claim.end))
    claims = tuple(claim.model_copy(update={"id": f"c{at}"}) for at, claim in enumerate(ordered, start=1))
    return ClaimsRead(claims=claims, faults=tuple(check.faults), filled=len(filled))


class _Check:
    """Looks up the claims of one reply, one after the other."""

    def __init__(self, units: Units) -> None:
        self._units = units
        self._page = _page_of(units)
        self._taken: list[_Taken] = []
        self._at = 0
        self._spans: set[tuple[int, int]] = set()
        self._known: dict[int, tuple[StatedFact, ...]] = {}
        self.faults: list[ReplyFault] = []

    def fault(self, number: int, code: ReplyFaultCode, message: str) -> None:
        """Note why a claim was not taken."""
        self.faults.append(ReplyFault(number=number, code=code, message=message))

    def take(self, number: int, given: GivenClaim) -> None:
        """Take one claim, or note why not."""
        quote = plain(given.quote.replace("|", " ")).text
        if not re.search(r"[^\W_]", quote) or not re.search(r"[^\W_]", given.text):
            self.fault(
                number, "empty", "The claim or its quote has no words. The rules fill in what it was of."
            )
            return
        span = self._find(quote)
        if span is None:
            self.fault(number, "not_found", f"The answer does not hold the quote {_cut(given.quote)!r}.")
            return
        owners = self._page.owners[span[0] : span[1]]
        units = [self._units.units[each] for each in dict.fromkeys(owners) if each >= 0]
        if len({unit.sentence for unit in units}) > 1:
            self.fault(number, "too_wide", f"The quote {_cut(given.quote)!r} spans more than one sentence.")
            return
        start, end = self._widened(span, units)
        foreign = _foreign(given.text, plain(self._units.body[start:end]).text)
        if foreign:
            named = ", ".join(foreign)
            self.fault(number, "value_not_quoted", f"The claim has {named}, which its quote does not hold.")
            return
        if any(
            (each.start, each.end, each.given.text) == (start, end, given.text) for each in self._taken[-50:]
        ):
            self.fault(number, "repeated", f"The claim {_cut(given.text)!r} was given before.")
            return
        self._at = span[0]
        widest = max(units, key=lambda unit: min(end, unit.end) - max(start, unit.start))
        self._taken.append(_Taken(given, start, end, widest))

    def _find(self, quote: str) -> tuple[int, int] | None:
        """Where a quote stands: at the next place that no claim has; else at the first."""
        spans = PlainText.of(self._page.text).places(quote, cut=True)
        free = [span for span in spans if span not in self._spans] or spans
        found = next((span for span in free if span[0] >= self._at), free[0] if free else None)
        if found is not None:
            self._spans.add(found)
        return found

    def _widened(self, span: tuple[int, int], units: Sequence[Unit]) -> tuple[int, int]:
        """The range of a quote in the answer, with the numbers and dates that its ends cut."""
        start, end = self._page.span(*span)
        for unit in (units[0], units[-1]):
            shown = self._units.plain(unit.start, unit.end)
            for fact in self._facts(unit, shown.text):
                first, last = shown.span(fact.start, fact.end)
                if first < end and start < last:
                    start, end = min(start, first), max(end, last)
        return start, end

    def _facts(self, unit: Unit, text: str) -> tuple[StatedFact, ...]:
        if unit.start not in self._known:
            facts = find_facts(text)
            self._known[unit.start] = tuple(each for each in facts if each.kind in ("number", "date"))
        return self._known[unit.start]

    def claims(self) -> list[Claim]:
        """The claims that were taken, with the sources that the answer cites for each."""
        citing = Citing(self._units)
        by_unit: dict[int, list[_Taken]] = {}
        for each in sorted(self._taken, key=lambda taken: (taken.start, taken.end)):
            by_unit.setdefault(id(each.unit), []).append(each)
        return [claim for taken in by_unit.values() for claim in _claims_of_unit(taken, citing)]


def _claims_of_unit(taken: Sequence[_Taken], citing: Citing) -> list[Claim]:
    unit = taken[0].unit
    cited = citing.of_parts(unit, [(each.start, each.end) for each in taken])
    return [
        Claim(
            id="c0",
            start=each.start,
            end=each.end,
            text=" ".join(each.given.text.split()),
            kind=each.given.kind,
            context=unit.context,
            sentence=unit.sentence,
            cites=found.cites,
            broken=found.broken,
        )
        for each, found in zip(taken, cited, strict=True)
    ]


def _page_of(units: Units) -> _Page:
    text: list[str] = []
    offsets: list[int] = []
    owners: list[int] = []
    for number, unit in enumerate(units.units):
        shown = units.plain(unit.start, unit.end)
        text += [shown.text, "\n"]
        offsets += [*shown.offsets, unit.end]
        owners += [*[number] * len(shown.text), -1]
    return _Page("".join(text), tuple(offsets), tuple(owners))


def _foreign(text: str, quote: str) -> list[str]:
    """The numbers of a claim that its quote does not hold with the same value, scale and unit.

    A unit may be missing where the quote has none, or where the claim names it beside another number.
    """
    told = [fact.number for fact in find_facts(text) if fact.number is not None]
    held = [fact.number for fact in find_facts(quote) if fact.number is not None]
    units = {each.unit for each in told}
    foreign = [each.raw for each in told if not any(_same(each, other, units) for other in held)]
    years = re.compile(r"(?<![\d.,])(?:19|20)\d{2}(?![\d.,]\d)")
    quoted = set(years.findall(quote))
    foreign += [year for year in years.findall(text) if year not in quoted and year not in foreign]
    return [raw for raw in foreign if any(map(str.isdigit, raw))]


def _same(told: NumberMention, held: NumberMention, units: Collection[str]) -> bool:
    if abs(told.scaled_value) != abs(held.scaled_value):
        return False
    return told.unit == held.unit or not held.unit or (not told.unit and held.unit in units)


def _missing(answer: AnalystAnswer, given: Sequence[Claim]) -> list[Claim]:
    """The claims of the rules that lie where no claim of the model does."""
    left = coverage_of(answer, given).uncovered
    starts = [start for start, _ in left]  # they are in order and do not overlap
    found: list[Claim] = []
    for claim in claims_of(answer) if left else ():
        at = bisect_left(starts, claim.end) - 1
        if at >= 0 and left[at][1] > claim.start:
            found.append(claim)
    return found


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else words[:79] + "…"
