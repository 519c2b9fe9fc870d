"""Arithmetic written as an expression (``a / b * 100``) over the values of a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from verifaible.text.arithmetic import Amount, evaluate

#: The name of the function whose parameter is the expression.
FORMULA: Final = "formula"


def formula(text: str, inputs: Mapping[str, Sequence[Decimal]]) -> Decimal:
    """What an expression gives; its form and errors are those of :func:`verifaible.text.arithmetic.evaluate`.

    Args:
        text: the expression.
        inputs: the values of each name: a number where it is one, else a series.
    """
    return evaluate(text, {name: tuple(map(Amount, values)) for name, values in inputs.items()}).value
