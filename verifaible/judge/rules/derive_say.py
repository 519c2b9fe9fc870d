"""What is said to people of a derivation."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from verifaible.judge.rules.derive_math import PERCENT
from verifaible.judge.rules.derive_words import Words
from verifaible.judge.rules.derive_work import Outcome
from verifaible.schema.judged import Derivation, Finding

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


def said(outcome: Outcome) -> Finding:
    """The finding for a claim that states what comes out."""
    derivation = outcome.derivation
    return Finding(
        verdict="derived",
        passages=tuple(operand.passage for operand in derivation.operands),
        derivation=derivation,
        reason=f"{_written(derivation)} gives {_shown(derivation.result, derivation.unit)}.",
    )


def denied(outcome: Outcome, words: Words) -> Finding:
    """The finding for a claim that states something else."""
    derivation = outcome.derivation
    claimed = words.text[outcome.plan.result.start : outcome.plan.result.end]
    told = f"{_written(derivation)} gives {_shown(derivation.result, derivation.unit)}"
    return Finding(
        verdict="refuted",
        passages=tuple(operand.passage for operand in derivation.operands),
        derivation=derivation,
        said=told,
        reason=f"{told}, not {claimed}.",
    )
