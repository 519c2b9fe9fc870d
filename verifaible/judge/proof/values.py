"""Which number of a claim a result is: its unit, its scale, its sign, and the digits that the claim shows."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, Literal

from verifaible.judge.proof.expression import Amount, ProofError, Shape
from verifaible.judge.proof.places import Place, scale_said
from verifaible.old.numbers import NumberMention, find_numbers
from verifaible.old.units import factor_of, unit_kind
from verifaible.text.units import may_be_same

_HUNDRED: Final = Decimal(100)
_PERCENT: Final = ("%", "pp", "bp", "‰")
_TIMES: Final = "倍"
_PART: Final = {"pp": Decimal(1), "%": Decimal(1), "bp": Decimal("0.01"), "‰": Decimal("0.1")}


class ValueFault(ProofError):
    """The right operands and operation, by the claim's words, and another value than the claim's.

    Attributes:
        differs: in what: ``value``, or no more than ``sign`` or ``scale``.
        result: what the expression gives, in the unit of the claim.
        claimed: the number of the claim.
    """

    def __init__(
        self, words: str, differs: Literal["value", "sign", "scale"], result: Decimal, claimed: NumberMention
    ) -> None:
        super().__init__(words)
        self.differs, self.result, self.claimed = differs, result, claimed


_SAID: Final = {
    "sign": "the sign or the direction differs.",
    "scale": "the scale differs. Look at the head and the caption of the table.",
    "value": "another value. Name the operands and the operation that give the claim's, "
    "or do not call it proved.",
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an expression is, what the claim's words say of it, and the values it is of.

    ``backward``: it gives a fall as what was less what became, so that it is positive.
    """

    shape: Shape
    said: frozenset[str]
    operands: Collection[Place]
    backward: bool


def claimed_value(claim: str, result: Amount, meaning: Meaning) -> tuple[NumberMention, Decimal, str]:
    """The number of the claim that a result is, with the result and its unit as the claim gives it.

    Raises:
        ProofError: it is none of them; the sentence is about the last, which claims mostly end with.
    """
    numbers = [
        each
        for each in find_numbers(claim)
        if each.role in ("value", "range")
        and not each.negated
        and not re.fullmatch(r"(?:19|20)\d\d", each.raw)
    ]
    faults = []
    for each in reversed(numbers):
        scale = each.scale if each.scale != 1 or each.unit in _PERCENT else scale_said(claim)
        scaled = replace(each, scale=scale)
        try:
            return each, *_agreeing(scaled, _in_unit_of(scaled, result, meaning), meaning)
        except ProofError as fault:
            faults.append(fault)
    raise faults[0] if faults else ProofError("The claim gives no value that could be calculated.")


def _in_unit_of(claimed: NumberMention, result: Amount, meaning: Meaning) -> Amount:
    """The result in the unit of the claim's number."""
    unit, given = claimed.unit, f"The claim gives {claimed.raw}, and the expression gives "
    if unit in _PERCENT:
        if result.ratio and unit == "%":
            return Amount(result.value * _HUNDRED, unit)
        if result.unit not in _PERCENT:
            raise ProofError(
                f"{given}a value in {result.unit or 'no unit'}. Name an operation that gives per cent."
            )
        if unit == "%" and meaning.shape == "difference" and meaning.said & {"up", "down"}:
            raise ProofError(
                "What became more or less by so many per cent changed by that part of what it was; the "
                "expression gives percentage points. Divide by the earlier value."
            )
        return Amount(result.value * _PART[result.unit] / _PART[unit], unit)
    if unit in ("", _TIMES):
        if result.unit == "%":
            raise ProofError(f"{given}per cent. The units must agree.")
        return result
    factor = factor_of(result.unit, unit)
    if factor is not None and result.unit != unit:
        return Amount(result.value * factor, unit)
    agrees = result.unit in ("", unit)
    if unit_kind(unit) == "money":
        agrees = _one_money(claimed, result, meaning)
    if result.ratio or not agrees:
        raise ProofError(f"{given}{result.unit or 'another unit, or none'}. The units must agree.")
    return replace(result, unit=unit)


def _one_money(claimed: NumberMention, result: Amount, meaning: Meaning) -> bool:
    """Whether the currency of a result can be the claim's, as the operands or their tables tell it."""
    told = [each.currencies for each in meaning.operands if each.currencies]
    known = [each for each in told if result.unit in ("", each[0])]
    if result.unit and unit_kind(result.unit) != "money":
        return False
    return not (known or result.unit) or any(
        may_be_same(claimed.currencies, each) for each in known or [(result.unit,)]
    )


def _agreeing(claimed: NumberMention, result: Amount, meaning: Meaning) -> tuple[Decimal, str]:
    """The result, if it is the claim's number in the digits that it shows."""
    size, in_words = abs(claimed.scaled_value), claimed.sign_source == "word"
    targets = {size, -size} if in_words else {claimed.scaled_value}  # "a loss of 5"
    both = {"up", "down"} <= meaning.said
    signed = claimed.sign_source in ("sign", "brackets")
    if meaning.shape in ("difference", "change") and not signed and not both:
        falls = ("down" in meaning.said or in_words) and not meaning.backward
        targets = {-size if falls else size}
    exponent = claimed.value.as_tuple().exponent
    half = Decimal("0.5").scaleb(min(int(exponent), 0)) * claimed.scale
    fits = [result.value]
    if result.shown is not None and claimed.scale == 1 and not claimed.unit:
        fits.append(result.shown)
    for each in fits:
        if any(abs(each - target) <= half for target in targets):
            return each, claimed.unit or result.unit
    differs = _difference(result.value, min(targets), half)
    words = f"The expression gives {_plain(result.value)}, and the claim says {claimed.raw}: {_SAID[differs]}"
    raise ValueFault(words, differs, result.value, claimed)


def _difference(value: Decimal, target: Decimal, half: Decimal) -> Literal["value", "sign", "scale"]:
    if abs(-value - target) <= half:
        return "sign"
    if not value or not target:
        return "value"
    power = abs(value / target).log10()
    return "scale" if abs(power - power.to_integral_value()) < Decimal("0.002") else "value"


def _plain(value: Decimal) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".")
