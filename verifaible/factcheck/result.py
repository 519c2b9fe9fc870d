"""The number of a claim that a formula gives, in the unit, the scale and the digits that the claim shows."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, Literal

from verifaible.factcheck.expression import Node, ProofError, Shape, evaluate, parse
from verifaible.factcheck.places import Place
from verifaible.schema.verdict import Derivation, Operand, Operation, Passage
from verifaible.text.arithmetic import Amount
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity
from verifaible.text.units import factor, may_be_same, unit_kind

#: Units of what is a part of a hundred.
PERCENT: Final = ("%", "pp", "bp")
_RATIOS: Final = {"pp": Decimal(1), "%": Decimal(1), "bp": Decimal("0.01"), "‰": Decimal("0.1")}
_HUNDRED: Final = Decimal(100)
_NAMES: Final[Mapping[Shape, Operation]] = {
    "sum": "sum",
    "mean": "average",
    "difference": "difference",
    "product": "product",
    "ratio": "ratio",
    "change": "percent_change",
}


class WrongValue(ProofError):
    """The right operands and operation, by the claim's words, and another value than the claim's.

    Attributes:
        differs: in what: ``value``, or no more than ``sign`` or ``scale``.
        proven: what the proof gives; ``claimed`` is the number that it differs from.
    """

    def __init__(self, words: str, differs: Literal["value", "sign", "scale"], proven: Proven) -> None:
        super().__init__(words)
        self.differs, self.proven = differs, proven


@dataclass(frozen=True, slots=True)
class Proven:
    """What a formula gives in the unit of a claim's number, and which number of the claim that is."""

    result: Decimal
    unit: str
    shape: Shape
    claimed: Quantity

    def derivation(
        self, expression: str, places: Mapping[str, Place], passages: Mapping[str, Passage]
    ) -> Derivation:
        """The record of it; of a change the earlier value comes first."""
        operation = _NAMES.get(self.shape, "calculation")
        if operation == "ratio" and self.unit == "%":
            operation = "share"
        names = parse(expression).names
        return Derivation(
            operation=operation,
            operands=tuple(
                Operand(name=name, value=places[name].value, unit=places[name].unit, passage=passages[name])
                for name in (reversed(names) if operation == "percent_change" else names)
            ),
            result=self.result,
            unit=self.unit,
            expression=expression,
        )


@dataclass(frozen=True, slots=True)
class Held:
    """A formula beside a claim: what its words say, and what the formula is at its top."""

    claim: str
    said: frozenset[str]
    shape: Shape
    parts: tuple[Node, ...]
    operands: Mapping[str, Place]

    def of(self, part: int) -> list[Place]:
        """The operands of a part."""
        return [self.operands[name] for name in self.parts[part].names]

    @property
    def is_backward(self) -> bool:
        """Whether all that something is taken from is of earlier years than what is taken."""
        if self.shape not in ("difference", "change") or len(self.parts) < 2:
            return False
        late, early = ([year for place in self.of(part) for year in place.years] for part in (0, 1))
        return bool(late and early) and max(late) < max(early)


def scale_said(claim: str) -> Decimal:
    """The scale that a claim gives apart from its number: "the gain, in millions, was 31"."""
    found = re.search(r"\bin (thousand|million|billion)s\b", claim, re.IGNORECASE)
    powers = {"thousand": 3, "million": 6, "billion": 9}
    return Decimal(1).scaleb(powers[found[1].casefold()]) if found else Decimal(1)


def numbers_of(claim: str) -> list[Quantity]:
    """The numbers of a claim that a proof may give: no years, ordinals, codes or denied ones."""
    return [
        each
        for each in find_quantities(claim)
        if each.role in ("value", "range")
        and not each.negated
        and not re.fullmatch(r"(?:19|20)\d\d", each.raw)
    ]


def claimed_by(node: Node, held: Held, scale: Decimal) -> Proven:
    """The number of the claim that a formula gives; the last is tried first, which claims mostly end with."""
    multiplied = any(part.sign == "*" and not any(p.is_number() for p in part.parts) for part in node.every())
    amounts = {name: place.amount(bare=multiplied) for name, place in held.operands.items()}
    result = evaluate(node, amounts)
    # as the cells show it, without the scale of their heads
    bare = {name: Amount(place.shown, amounts[name].unit) for name, place in held.operands.items()}
    shown = evaluate(node, bare).value if bare != amounts else result.value
    faults: list[ProofError] = []
    for each in reversed(numbers_of(held.claim)):
        told = scale if each.scale == 1 and each.unit not in _RATIOS else each.scale
        try:
            unit, times = _in_unit_of(each, result, held, is_ratio=node.is_ratio)
            fits = [result.value * times]
            if told == 1 and not each.unit:
                fits.append(shown * times)
            return _agreeing(replace(each, scale=told), fits, unit, held)
        except ProofError as fault:
            faults.append(fault)
    raise faults[0] if faults else ProofError("The claim gives no value that could be calculated.")


def _in_unit_of(claimed: Quantity, result: Amount, held: Held, *, is_ratio: bool) -> tuple[str, Decimal]:
    """The unit of the claim's number, and what the result is multiplied by to be in it."""
    unit, given = claimed.unit, f"The claim gives {claimed.raw}, and the expression gives "
    is_ratio = is_ratio and not result.unit
    if unit in _RATIOS:
        if is_ratio and unit == "%":
            return unit, _HUNDRED
        if result.unit not in _RATIOS:
            raise ProofError(
                f"{given}a value in {result.unit or 'no unit'}. Name an operation that gives per cent."
            )
        if unit == "%" and held.shape == "difference" and held.said & {"up", "down"}:
            raise ProofError(
                "What became more or less by so many per cent changed by that part of what it was; the "
                "expression gives percentage points. Divide by the earlier value."
            )
        return unit, _RATIOS[result.unit] / _RATIOS[unit]
    if unit in ("", "times"):
        if result.unit == "%":
            raise ProofError(f"{given}per cent. The units must agree.")
        return unit or result.unit, Decimal(1)
    per = factor(result.unit, unit) if result.unit != unit else None
    if per is not None:
        return unit, per
    agrees = result.unit in ("", unit)
    if unit_kind(unit) == "money":
        agrees = _one_money(claimed, result.unit, held.operands.values())
    if is_ratio or not agrees:
        raise ProofError(f"{given}{result.unit or 'another unit, or none'}. The units must agree.")
    return unit, Decimal(1)


def _one_money(claimed: Quantity, unit: str, operands: Collection[Place]) -> bool:
    """Whether the currency of a result can be the claim's, as the operands or their tables tell it."""
    if unit and unit_kind(unit) != "money":
        return False
    told = [each.currencies for each in operands if each.currencies and unit in ("", each.currencies[0])]
    if unit and not told:
        told = [(unit,)]
    return not told or any(may_be_same(claimed.currencies, each) for each in told)


def _agreeing(claimed: Quantity, fits: Sequence[Decimal], unit: str, held: Held) -> Proven:
    """The result, if it is the claim's number in the digits that it shows."""
    size, in_words = abs(claimed.scaled_value), claimed.sign == "word"
    targets = {size, -size} if in_words else {claimed.scaled_value}  # "a loss of 5"
    both = {"up", "down"} <= held.said
    signed = claimed.sign in ("sign", "brackets")
    if held.shape in ("difference", "change") and not signed and not both:
        backward = held.is_backward and "down" in held.said and held.shape == "difference"
        falls = ("down" in held.said or in_words) and not backward
        targets = {-size if falls else size}
    half = Decimal("0.5").scaleb(min(claimed.places, 0)) * claimed.scale
    proven = Proven(fits[0], unit, held.shape, claimed)
    for each in fits:
        if any(abs(each - target) <= half for target in targets):
            return replace(proven, result=each)
    value, target = fits[0], min(targets)
    differs: Literal["value", "sign", "scale"] = "value"
    if abs(-value - target) <= half:
        differs = "sign"
    elif value and target:
        power = abs(value / target).log10()
        differs = "scale" if abs(power - power.to_integral_value()) < Decimal("0.002") else "value"
    plain = f"{value:,.4f}".rstrip("0").rstrip(".")
    raise WrongValue(
        f"The expression gives {plain}, and the claim says {claimed.raw}: {_SAID[differs]}", differs, proven
    )


_SAID: Final = {
    "sign": "the sign or the direction differs.",
    "scale": "the scale differs. Look at the head and the caption of the table.",
    "value": "another value. Name the operands and the operation that give the claim's, "
    "or do not call it proved.",
}
