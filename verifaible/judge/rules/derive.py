"""Derivations: values of a claim that follow by a named calculation from values of the sources.

The claim's words must name the calculation and each operand; the operands are then looked up, one value each,
and the claimed value must be what comes out, rounded to the digits shown. Operands are never searched for by
trying which numbers would fit: that "derives" most wrong numbers too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from verifaible.judge.rules.derive_bind import Asked, asked_of, bound, single, states
from verifaible.judge.rules.derive_frames import Plan, Span, may_derive, plans_of
from verifaible.judge.rules.derive_labels import Bag, Term, terms_of
from verifaible.judge.rules.derive_lists import listed
from verifaible.judge.rules.derive_math import (
    PERCENT,
)
from verifaible.judge.rules.derive_pair import two
from verifaible.judge.rules.derive_shelf import Profile, shelf_of
from verifaible.judge.rules.derive_words import Words, words_of
from verifaible.judge.rules.derive_work import Outcome, worked_out
from verifaible.judge.rules.lexicon import Lexicon
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.plain_words import denial, forecast
from verifaible.judge.rules.wanted import plain
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import Derivation, Finding

#: A claim is a sentence; longer texts are not read for calculations (patterns take time by the square of it).
_LONGEST: Final = 800


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
    if len(text) > _LONGEST or not may_derive(text) or forecast(text) or denial(text):
        return None
    words = words_of(text, library.at)
    plans = list(plans_of(words)) if words.values else []
    shelf = shelf_of(library)
    plans = [plan for plan in plans if _names_operands(plan, words, shelf.lexicon)]
    if not plans:
        return None
    profiles = shelf.profiles(only)
    context = _context_terms(claim, library)
    outcomes = [
        outcome
        for plan in plans
        if (outcome := _tried(plan, words, profiles, context, shelf.lexicon)) is not None
    ]
    right = [outcome for outcome in outcomes if outcome.fits]
    if right:
        outcome = min(right, key=lambda each: len(_left(each, words)))
        return Derived(_said(outcome), _explained(outcome, words), _left(outcome, words))
    wrong = [outcome for outcome in outcomes if not outcome.fits and not _scale_apart(outcome)]
    if wrong and len({_key(outcome) for outcome in wrong}) == 1 and len(plans) == len(wrong):
        outcome = wrong[0]
        return Derived(_denied(outcome, words), _explained(outcome, words), _left(outcome, words))
    return None


def _names_operands(plan: Plan, words: Words, lexicon: Lexicon) -> bool:
    """Whether no operand is a mere stretch of time: "rose 8 % in the past 24 hours" divides by nothing."""
    return plan.shape != "multiple" or not any(
        asked.part.value is None and {term.kind for term in asked.own} == {"window"}
        for asked in asked_of(plan, words, lexicon)
    )


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


def _tried(
    plan: Plan, words: Words, profiles: Sequence[Profile], context: tuple[Term, ...], lexicon: Lexicon
) -> Outcome | None:
    asked = [replace(each, around=(*each.around, *context)) for each in asked_of(plan, words, lexicon)]
    if plan.shape in ("list", "mean"):
        operands = listed(asked, plan, words, profiles)
    elif plan.shape == "convert":
        only = single(bound(asked[0], plan, profiles))
        operands = [only] if only else []
    else:
        operands = two(asked, plan, words, profiles)
    if not operands or not _said_of_all(asked, operands, plan):
        return None
    return worked_out(plan, operands)


def _said_of_all(asked: Sequence[Asked], operands: Sequence[Profile], plan: Plan) -> bool:
    """Whether words around the operands hold for at least one of them, where a claim defines its result."""
    if not plan.defines and not plan.union:
        return True
    every = Bag()
    for operand in operands:
        every.add(operand.all)
    return all(every.covers(term) for each in asked for term in each.around if not term.soft)


# --- words for people

_SIGNS: Final[dict[str, str]] = {
    "sum": " + ",
    "difference": " - ",
    "product": " × ",
    "ratio": " / ",
    "share": " / ",
}


def _written(derivation: Derivation) -> str:
    quotes = [operand.passage.quote.strip() for operand in derivation.operands]
    if sign := _SIGNS.get(derivation.operation):
        return sign.join(quotes)
    if derivation.operation == "percent_change":
        return f"from {quotes[0]} to {quotes[1]}"
    return f"{derivation.operation} of {', '.join(quotes)}"


def _shown(value: Decimal, unit: str) -> str:
    rounded = value.quantize(Decimal(1).scaleb(-4)) if abs(value) < 10**12 else value.quantize(Decimal(1))
    plain = f"{rounded:f}".rstrip("0").rstrip(".") if "." in f"{rounded:f}" else f"{rounded:f}"
    return f"{plain}{unit}" if unit in PERCENT else f"{plain} {unit}".strip()


def _said(outcome: Outcome) -> Finding:
    derivation = outcome.derivation
    return Finding(
        verdict="derived",
        passages=tuple(operand.passage for operand in derivation.operands),
        derivation=derivation,
        reason=f"{_written(derivation)} gives {_shown(derivation.result, derivation.unit)}.",
    )


def _denied(outcome: Outcome, words: Words) -> Finding:
    derivation = outcome.derivation
    claimed = words.text[outcome.plan.result.start : outcome.plan.result.end]
    said = f"{_written(derivation)} gives {_shown(derivation.result, derivation.unit)}"
    return Finding(
        verdict="refuted",
        passages=tuple(operand.passage for operand in derivation.operands),
        derivation=derivation,
        said=said,
        reason=f"{said}, not {claimed}.",
    )
