"""Claims that a model has split an answer into: the form it fills in, and the check of what it gave.

Nothing is taken on trust. Each claim comes with a quote of the answer, which is looked up there; its range
and its citations are found by us, never given by the model. What cannot be used is a fault that says why, and
what the model left out is filled in from the rules.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, TypeAlias

from verifaible.claims.attribution import Citing
from verifaible.claims.extract import coverage_of, extract_claims
from verifaible.claims.facts import find_facts
from verifaible.claims.units import Unit, Units, units_of
from verifaible.llm.structured import Form
from verifaible.schema.analyst import AnalystAnswer, Claim, ClaimKind
from verifaible.schema.base import Record
from verifaible.text.flat import flatten
from verifaible.text.markdown import Plain, plain

#: A reply with more claims than this is read no further; the rest is filled in from the rules.
MOST_CLAIMS: Final = 2_000
_SAYS: Final = re.compile(r"[^\W_]")
_YEAR: Final = re.compile(r"(?<![\d.,])(?:19|20)\d{2}(?![\d.,]\d)")

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
    """A claim of a model that was not taken."""

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
    faults: tuple[ReplyFault, ...] = ()
    filled: int = 0


@dataclass(frozen=True, slots=True)
class _Taken:
    """A claim that holds, its range in the answer, and the unit that it is of."""

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
    check = _Check(units_of(answer))
    found = [check.taken(given) for given in reply.claims[:MOST_CLAIMS]]
    faults = [each for each in found if isinstance(each, ReplyFault)]
    if len(reply.claims) > MOST_CLAIMS:
        message = f"Claims beyond number {MOST_CLAIMS} were not read."
        faults.append(ReplyFault(code="too_many", message=message))
    given = _cited([each for each in found if isinstance(each, _Taken)], Citing(units_of(answer)))
    filled = _missing(answer, given)
    ordered = sorted((*given, *filled), key=lambda claim: (claim.start, claim.end))
    claims = tuple(claim.model_copy(update={"id": f"c{at}"}) for at, claim in enumerate(ordered, start=1))
    return ClaimsRead(claims=claims, faults=tuple(faults), filled=len(filled))


class _Check:
    """Looks up the claims of one reply, one after the other, in the plain words of an answer."""

    def __init__(self, units: Units) -> None:
        shown = [units.plain(unit.start, unit.end) for unit in units.units]
        text = "".join(f"{each.text}\n" for each in shown)
        ends = [at for each, unit in zip(shown, units.units, strict=True) for at in (*each.offsets, unit.end)]
        self._units = units
        self._page = Plain(text, tuple(ends))
        self._flat = flatten(text)
        self._starts = [0]
        for each in shown[:-1]:
            self._starts.append(self._starts[-1] + len(each.text) + 1)
        self._values = [
            (fact.start, fact.end) for fact in find_facts(text) if fact.kind in ("number", "date")
        ]
        self._at = 0
        self._spans: set[tuple[int, int]] = set()
        self._given: set[tuple[int, int, str]] = set()

    def taken(self, given: GivenClaim) -> _Taken | ReplyFault:
        """A claim with its place, or why it is not taken."""
        quote = plain(given.quote.replace("|", " ")).text
        if not _SAYS.search(quote) or not _SAYS.search(given.text):
            return _fault("empty", "The claim or its quote has no words. The rules fill in what it was of.")
        span = self._find(quote)
        if span is None:
            return _fault("not_found", f"The answer does not hold the quote {_cut(given.quote)!r}.")
        # the numbers and dates that its ends cut are part of it
        cut = [value for value in self._values if value[0] < span[1] and span[0] < value[1]]
        first = min([span[0], *(low for low, _ in cut)])
        last = max([span[1], *(high for _, high in cut)])
        units = self._units.units[self._owner(first) : self._owner(last - 1) + 1]
        if len({unit.sentence for unit in units}) > 1:
            return _fault("too_wide", f"The quote {_cut(given.quote)!r} spans more than one sentence.")
        if foreign := _foreign(given.text, self._page.text[first:last]):
            named = ", ".join(foreign)
            return _fault("value_not_quoted", f"The claim has {named}, which its quote does not hold.")
        start, end = self._page.span(first, last)
        if (start, end, given.text) in self._given:
            return _fault("repeated", f"The claim {_cut(given.text)!r} was given before.")
        self._given.add((start, end, given.text))
        self._at = span[0]
        return _Taken(
            given, start, end, max(units, key=lambda unit: min(end, unit.end) - max(start, unit.start))
        )

    def _find(self, quote: str) -> tuple[int, int] | None:
        """Where a quote stands: at the next place that no claim has; else at the first."""
        signs = re.findall(r"\w+|[^\w\s]", flatten(quote))
        pattern = re.compile(r"\s*".join(map(re.escape, signs)), re.IGNORECASE)
        spans = [match.span() for match in pattern.finditer(self._flat)]
        free = [span for span in spans if span not in self._spans] or spans
        found = next((span for span in free if span[0] >= self._at), free[0] if free else None)
        if found is not None:
            self._spans.add(found)
        return found

    def _owner(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1


def _cited(taken: Sequence[_Taken], citing: Citing) -> list[Claim]:
    """Claims with the sources that the answer cites for each."""
    claims: list[Claim] = []
    ordered = sorted(taken, key=lambda each: (each.unit.start, each.start, each.end))
    for _, group in groupby(ordered, key=lambda each: each.unit.start):
        several = list(group)
        unit = several[0].unit
        cited = citing.of_parts(unit, [(each.start, each.end) for each in several])
        claims += [
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
            for each, found in zip(several, cited, strict=True)
        ]
    return claims


def _foreign(text: str, quote: str) -> list[str]:
    """The numbers and years of a claim that its quote does not hold with the same value, scale and unit.

    A unit may be missing where the quote has none, or where the claim names it beside another number.
    """
    told, held = (
        [fact.number for fact in find_facts(words) if fact.number is not None] for words in (text, quote)
    )
    units = {each.unit for each in told}
    foreign = [
        each.raw
        for each in told
        if not any(
            abs(each.scaled_value) == abs(other.scaled_value)
            and (each.unit == other.unit or not other.unit or (not each.unit and other.unit in units))
            for other in held
        )
    ]
    quoted = set(_YEAR.findall(quote))
    foreign += [year for year in _YEAR.findall(text) if year not in quoted and year not in foreign]
    return [raw for raw in foreign if any(map(str.isdigit, raw))]


def _missing(answer: AnalystAnswer, given: Sequence[Claim]) -> list[Claim]:
    """The claims of the rules that lie where no claim of the model does."""
    left = coverage_of(answer, given).uncovered
    starts = [start for start, _ in left]  # they are in order and do not overlap
    found: list[Claim] = []
    for claim in extract_claims(answer) if left else ():
        at = bisect_left(starts, claim.end) - 1
        if at >= 0 and left[at][1] > claim.start:
            found.append(claim)
    return found


def _fault(code: ReplyFaultCode, message: str) -> ReplyFault:
    return ReplyFault(code=code, message=message)


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else words[:79] + "…"
