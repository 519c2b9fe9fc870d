"""Derivations: values of a claim that follow by a named calculation from values of the sources.

The claim's words must name the calculation and each operand; the operands are then looked up, one value each,
and the claimed value must be what comes out, rounded to the digits shown. Operands are never searched for by
trying which numbers would fit: that "derives" most wrong numbers too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from verifaible.judge.rules import derive_patterns as p
from verifaible.judge.rules.derive_bind import Asked, asked_of, bound, names_needed, single, states
from verifaible.judge.rules.derive_frames import better_is_less, may_derive, plans_of
from verifaible.judge.rules.derive_labels import Bag, Term, terms_of
from verifaible.judge.rules.derive_lists import listed
from verifaible.judge.rules.derive_pair import two
from verifaible.judge.rules.derive_plans import Plan, Span
from verifaible.judge.rules.derive_prose import is_noun
from verifaible.judge.rules.derive_roles import role_plans, valued_plans
from verifaible.judge.rules.derive_say import denied, said
from verifaible.judge.rules.derive_shelf import Profile, shelf_of
from verifaible.judge.rules.derive_twice import shortened
from verifaible.judge.rules.derive_words import Value, Words, words_of
from verifaible.judge.rules.derive_work import Outcome, worked_out
from verifaible.judge.rules.lexicon import Lexicon
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.plain_words import denial, forecast
from verifaible.judge.rules.wanted import plain
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import Finding

#: A claim is a sentence; longer texts are not read for calculations (patterns take time by the square of it).
_LONGEST: Final = 800
#: Words that make a claim's own result a forecast; "18x expected earnings" is none.
_MODAL: Final = re.compile(
    r"\b(?:could|may|might|would|should|will|shall|if|likely|possibl[ey]|potential(?:ly)?|assum\w*"
    r"|hypothetical\w*"
    r"|scenario|expect(?:s|ed|ing)? to|set to|poised|plan(?:s|ned)?|aim(?:s|ing)?|hop(?:es|ing)|bull"
    r"|bear)\b"
    r"|可能|或将|将会|有望|如果|假设|若|将(?=[达升跌突增降])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Derived:
    """A finding with what of the claim it explains.

    Attributes:
        finding: ``derived`` or ``refuted``.
        explained: ranges of the claim's plain text (without marks and mark-up) whose values are the result or
            stated operands.
        left: ranges of its other values, which this finding says nothing of.
    """

    finding: Finding
    explained: tuple[Span, ...]
    left: tuple[Span, ...]


def derive(claim: Claim, library: Library, only: Collection[str] | None = None) -> Finding | None:
    """Check the derivation that a claim names, if it names one and it covers every value of the claim.

    Args:
        claim: the claim.
        library: the sources of its answer.
        only: ids of the sources to look into; None: all.

    Returns:
        ``derived`` with its operands; ``refuted`` where the operands are found and give another value; None
        where the claim names no derivation, or not every operand is the only one of its name.
    """
    found = derived(claim, library, only)
    return found.finding if found and not found.left else None


def derived(claim: Claim, library: Library, only: Collection[str] | None = None) -> Derived | None:
    """As :func:`derive`, for a claim that has further values too; says which values it explains."""
    text = plain(claim.text)
    if len(text) > _LONGEST or not may_derive(text) or denial(text):
        return None
    expected = forecast(text)
    if expected and _MODAL.search(text):
        return None
    found = _found(text, claim, library, only, expected=expected)
    if found is None or found.finding.verdict != "derived":
        for other in shortened(text):
            again = _found(other, claim, library, only, expected=expected)
            if again is not None and again.finding.verdict == "derived":
                return again
    return found


def _found(
    text: str, claim: Claim, library: Library, only: Collection[str] | None, *, expected: bool
) -> Derived | None:
    """What is found for one way to write a claim; its offsets are those of the claim."""
    words = words_of(text, library.at)
    if not words.values:
        return None
    bench = _Bench(words, claim, library, only, forecasts=expected)
    plans = [] if expected else [_turned(plan, words) for plan in plans_of(words) if bench.takes(plan)]
    outcomes = [outcome for plan in plans if (outcome := bench.tried(plan)) is not None]
    right = [outcome for outcome in outcomes if outcome.fits]
    if not right:
        read = valued_plans(words) if expected else role_plans(words)
        right = [each for each in _by_roles(read, words, bench) if each.fits]
    if right:
        outcome = min(right, key=lambda each: (len(_left(each, words)), each.plan.result.word))
        also = {
            (other.plan.result.start, other.plan.result.end) for other in right if _of_same(outcome, other)
        }
        left = tuple(span for span in _left(outcome, words) if span not in also)
        return Derived(said(outcome), tuple(sorted({*_explained(outcome, words), *also})), left)
    wrong = [
        outcome
        for outcome in outcomes
        if not outcome.fits
        and _stated(outcome)
        and not _scale_apart(outcome)
        and not _way_apart(outcome)
        and not (outcome.plan.shape == "list" and p.FIRM_JOINT.search(words.masked))
    ]
    if wrong and len({_key(outcome) for outcome in wrong}) == 1 and len(plans) == len(wrong):
        outcome = wrong[0]
        return Derived(denied(outcome, words), _explained(outcome, words), _left(outcome, words))
    return None


def _turned(plan: Plan, words: Words) -> Plan:
    """A plan with its direction as meant where better is less: "churn improved by 15 bps" is a fall."""
    if plan.shape != "change" or not plan.direction or not better_is_less(words):
        return plan
    if plan.result.percent or plan.result.multiple:
        return replace(plan, direction=-plan.direction)
    return replace(plan, parts=plan.parts[::-1])


class _Bench:
    """Where the plans of one claim are tried; sources are read when a plan first needs them."""

    def __init__(
        self, words: Words, claim: Claim, library: Library, only: Collection[str] | None, *, forecasts: bool
    ) -> None:
        self.words = words
        self._claim, self._library, self._only, self._forecasts = claim, library, only, forecasts
        self._shelf = shelf_of(library)

    @cached_property
    def _context(self) -> tuple[Term, ...]:
        return _context_terms(self._claim, self._library)

    def takes(self, plan: Plan) -> bool:
        """Whether a plan's words name operands."""
        return _names_operands(plan, self.words, self._shelf.lexicon)

    def tried(self, plan: Plan) -> Outcome | None:
        """What a plan gives; None where its operands are not found."""
        asked = asked_of(plan, self.words, self._shelf.lexicon)
        named = [frozenset(names_needed(each, plan)) for each in asked]
        profiles = self._shelf.profiles(self._only, forecasts=self._forecasts, named=named)
        if not profiles:
            return None
        asked = [replace(each, around=(*each.around, *self._context)) for each in asked]
        return _tried(plan, asked, self.words, profiles)


def _by_roles(read: Iterator[tuple[Value, Iterator[Plan]]], words: Words, bench: _Bench) -> Iterator[Outcome]:
    """For each value of a claim, what the first way to read it gives whose operands are all found."""
    for _, plans in read:
        for plan in plans:
            if bench.takes(plan) and (outcome := bench.tried(_turned(plan, words))) is not None:
                yield outcome
                break


def _names_operands(plan: Plan, words: Words, lexicon: Lexicon) -> bool:
    """Whether no operand is a mere stretch of time: "rose 8 % in the past 24 hours" divides by nothing.

    Nor a mere date, unless the other operand has its own: "debt to sales was 2x in 2024" divides by no 2024.
    """
    if plan.shape != "multiple":
        return True
    asked = asked_of(plan, words, lexicon)
    kinds = [{term.kind for term in each.own if not term.soft or is_noun(term)} for each in asked]
    for each, mine, others in zip(asked, kinds, kinds[::-1], strict=True):
        if each.part.value is None and (
            mine == {"window"} or (mine == {"moment"} and "moment" not in others)
        ):
            return False
    return True


def names_calculation(text: str) -> bool:
    """Whether a claim's words name a calculation, be its operands found or not.

    That no source has such a claim's value says nothing against it.
    """
    if len(text) > _LONGEST or not may_derive(text):
        return False
    return next(plans_of(words_of(text)), None) is not None


def _context_terms(claim: Claim, library: Library) -> tuple[Term, ...]:
    lexicon = shelf_of(library).lexicon
    found: list[Term] = []
    for text in map(plain, claim.context):
        words = words_of(text, library.at)
        found += [replace(term, soft=True) for term in terms_of(words, [(0, len(text))], lexicon)]
    return tuple(found)


def _stated(outcome: Outcome) -> bool:
    """Whether a claim states its operands' values too: then only the calculation can be wrong.

    Where it only names them, another value of that name may be meant; a proof has the result to speak for
    the operands, a refutation has nothing.
    """
    return all(part.value is not None or part.relative for part in outcome.plan.parts)


def _scale_apart(outcome: Outcome) -> bool:
    """Whether a scale alone (thousand, 万) parts the claim from the result: it may be told elsewhere."""
    value, claimed = abs(outcome.derivation.result), abs(outcome.plan.result.amount.value)
    if (
        not value
        or not claimed
        or outcome.derivation.operation not in ("sum", "average", "difference", "product")
    ):
        return False
    for power in (3, 4, 6, 8, 9, 12):
        for scaled in (value.scaleb(power), value.scaleb(-power)):
            if abs(scaled - claimed) <= max(outcome.plan.result.amount.half, claimed / 1000):
                return True
    return False


def _way_apart(outcome: Outcome) -> bool:
    """Whether the sign alone parts the claim from the result, and no word was read that says which way."""
    plan, value = outcome.plan, outcome.derivation.result
    claimed = plan.result.amount
    return (
        plan.shape == "change" and not plan.direction and abs(abs(value) - abs(claimed.value)) <= claimed.half
    )


def _of_same(one: Outcome, other: Outcome) -> bool:
    """Whether two results come of the same operands: "more than doubled, up 161.5 %"."""
    return {id(each) for each in one.readings} <= {id(each) for each in other.readings} or {
        (each.source.id, each.start) for each in one.readings
    } == {(each.source.id, each.start) for each in other.readings}


def _key(outcome: Outcome) -> tuple[str, tuple[tuple[str, int], ...]]:
    operands = outcome.derivation.operands
    return outcome.derivation.operation, tuple((o.passage.source, o.passage.start) for o in operands)


def _explained(outcome: Outcome, words: Words) -> tuple[Span, ...]:
    """The values of a claim that are the result or one of the operands, where they stand."""
    plan = outcome.plan
    values = {plan.result, *(part.value for part in plan.parts if part.value)}
    values |= {v for v in words.values if any(states(reading, v) for reading in outcome.readings)}
    return tuple(sorted((value.start, value.end) for value in values))


def _left(outcome: Outcome, words: Words) -> tuple[Span, ...]:
    explained = _explained(outcome, words)
    return tuple((v.start, v.end) for v in words.values if (v.start, v.end) not in explained)


# --- one plan

#: Words by which a claim tells negative values by their size.
_LOSSES: Final = re.compile(r"\b(?:negative|loss(?:es)?|deficits?|outflows?|shortfalls?)\b|亏损|流出|赤字")


def _tried(plan: Plan, asked: list[Asked], words: Words, profiles: Sequence[Profile]) -> Outcome | None:
    if plan.shape in ("list", "mean"):
        operands = listed(asked, plan, words, profiles)
    elif plan.shape == "convert":
        only = single(bound(asked[0], plan, profiles))
        operands = [only] if only else []
    else:
        operands = two(asked, plan, words, profiles)
    if not operands or not _said_of_all(asked, operands, plan) or not _dates_met(asked, operands):
        return None
    return worked_out(plan, operands, losses=bool(_LOSSES.search(words.masked)))


def _dates_met(asked: Sequence[Asked], operands: Sequence[Profile]) -> bool:
    """Whether every date of a claim is that of an operand, unless no operand has one."""
    every = Bag()
    for operand in operands:
        every.add(operand.all)
        every.add(operand.own)
    dates = {term for each in asked for term in (*each.own, *each.around) if term.kind == "moment"}
    return not every.moments or all(term.soft or every.covers(term) for term in dates)


def _said_of_all(asked: Sequence[Asked], operands: Sequence[Profile], plan: Plan) -> bool:
    """Whether words around the operands hold for at least one of them, where a claim defines its result."""
    if not plan.defines and not plan.union:
        return True
    every = Bag()
    for operand in operands:
        every.add(operand.all)
    return all(every.covers(term) for each in asked for term in each.around if not term.soft)
