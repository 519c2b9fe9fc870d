"""A proof that was checked, as a finding: what was calculated, and where its operands stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from verifaible.judge.proof.checking import Checked
from verifaible.judge.proof.expression import Shape, parsed
from verifaible.judge.proof.places import Place
from verifaible.schema.judged import Derivation, Operand, Operation, Passage

_OPERATIONS: Final[dict[Shape, Operation]] = {
    "sum": "sum",
    "mean": "average",
    "difference": "difference",
    "product": "product",
    "ratio": "ratio",
    "change": "percent_change",
}


def derivation_of(
    found: Checked, expression: str, places: Mapping[str, Place], passages: Mapping[str, Passage]
) -> Derivation:
    """What a proof calculates; of a change the earlier value comes first."""
    operation = _OPERATIONS.get(found.shape, "calculation")
    if operation == "ratio" and found.unit == "%":
        operation = "share"
    names = list(dict.fromkeys(parsed(expression).leaves()))
    if operation == "percent_change":
        names.reverse()
    return Derivation(
        operation=operation,
        operands=tuple(
            Operand(name=name, value=places[name].value, unit=places[name].unit, passage=passages[name])
            for name in names
        ),
        result=found.result,
        unit=found.unit,
        expression=expression,
    )
