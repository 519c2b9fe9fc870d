"""Arithmetic over quantities with units, for proofs, computed values and conversions.

Sums and differences need units that convert, and are in the first one's; a product keeps the unit of its one
part that has one, and a part in per cent is a hundredth of itself; a quotient of two of one dimension is a
pure number. Every step is rounded to forty digits, half to even (IEEE 754-2019, 4.3.1), so that what was
computed once comes out again.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, DecimalException, localcontext
from typing import Final

from verifaible.errors import BadArguments
from verifaible.text.units import factor

CONTEXT: Final = Context(prec=40, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, capitals=1, clamp=0)
_HUNDRED: Final = Decimal(100)


@dataclass(frozen=True, slots=True)
class Amount:
    """A value in a unit, as :mod:`verifaible.text.units` names it; without one, a pure number.

    Operators raise :class:`~verifaible.errors.BadArguments` where the units do not allow them.
    """

    value: Decimal
    unit: str = ""

    def to(self, unit: str) -> Amount:
        """The same amount in another unit of its dimension."""
        per = factor(self.unit, unit)
        if per is None:
            raise BadArguments(
                f"{self.unit or 'A pure number'} does not convert to {unit or 'a pure number'}. Give both in "
                f"one unit."
            )
        return Amount(self.value * per, unit)

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.value + other.to(self.unit).value, self.unit)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.value - other.to(self.unit).value, self.unit)

    def __mul__(self, other: Amount) -> Amount:
        for one, rest in ((self, other), (other, self)):
            if one.unit == "%" and rest.unit:
                return Amount(one.value * rest.value / _HUNDRED, rest.unit)
            if not one.unit:
                return Amount(one.value * rest.value, rest.unit)
        raise BadArguments(f"{self.unit} times {other.unit} is no unit. Multiply by a pure number.")

    def __truediv__(self, other: Amount) -> Amount:
        if not other.unit:
            return Amount(self.value / other.value, self.unit)
        return Amount(self.value / other.to(self.unit).value)

    def __neg__(self) -> Amount:
        return Amount(-self.value, self.unit)

    def __lt__(self, other: Amount) -> bool:
        return self.value < other.to(self.unit).value


# --- what is computed of amounts


def total(amounts: Sequence[Amount]) -> Amount:
    """The sum of all, in the unit of the first."""
    if not amounts:
        raise BadArguments("There are 0 values, and at least 1 is needed.")
    result = amounts[0]
    for each in amounts[1:]:
        result += each
    return result


def mean(amounts: Sequence[Amount]) -> Amount:
    """The arithmetic mean."""
    return total(amounts) / Amount(Decimal(len(amounts)))


# --- expressions

#: Longer ones are programs.
_LONGEST: Final = 1_000
#: Deeper ones are not written by hand. Counted, for the interpreter's own limit is whatever a host sets.
_DEEPEST: Final = 200
#: A power beyond it is no calculation of amounts, and a number of a million digits takes minutes.
_LARGEST_POWER: Final = 10_000
_WITH_UNITS: Final[Mapping[type[ast.operator], Callable[[Amount, Amount], Amount]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_PURE: Final[Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]]] = {
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_OF_SERIES: Final[Mapping[str, Callable[[Sequence[Amount]], Amount]]] = {
    "sum": total,
    "min": min,
    "max": max,
    "len": lambda amounts: Amount(Decimal(len(amounts))),
    "mean": mean,
}
_OF_NUMBERS: Final[Mapping[str, Callable[[Decimal], Decimal]]] = {
    "abs": abs,
    "sqrt": Decimal.sqrt,
    "ln": Decimal.ln,
    "exp": Decimal.exp,
}


def evaluate(text: str, inputs: Mapping[str, Sequence[Amount]]) -> Amount:
    """What an expression in Python's grammar gives.

    Args:
        text: numbers and names with ``+ - * / // % **``, brackets, ``sum min max len mean`` of a series,
            ``abs sqrt ln exp`` of a number, and ``series[0]``, ``series[-1]``.
        inputs: the amounts of each name: one where it is a number, else a series.

    Raises:
        BadArguments: it is no such expression, names nothing that is given, or has no result.
    """
    reading = _Reading(text.strip(), {name: tuple(amounts) for name, amounts in inputs.items()})
    try:
        with localcontext(CONTEXT):
            result = reading.amount(_parsed(text))
    except (DecimalException, ArithmeticError, ValueError) as error:
        raise BadArguments(
            f"The expression has no result for these values ({type(error).__name__}). Check what is "
            "divided by."
        ) from error
    if not result.value.is_finite():
        raise BadArguments("The expression gives no finite number. Check what is divided by.")
    return result


def _parsed(text: str) -> ast.expr:
    try:
        if len(text) > _LONGEST:
            raise ValueError(f"it is longer than {_LONGEST} characters")
        parsed = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadArguments(
            f"{text[:80]!r} is no expression ({getattr(error, 'msg', error)}). Write one such as "
            "(new - old) / old * 100."
        ) from error
    level: list[ast.AST] = [parsed]
    for _ in range(_DEEPEST):
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
    if level:
        raise BadArguments(
            f"The expression is nested more than {_DEEPEST} deep. Write it with fewer signs and brackets, or "
            "as a program."
        )
    return parsed


class _Reading:
    def __init__(self, text: str, inputs: Mapping[str, tuple[Amount, ...]]) -> None:
        self._text, self._inputs = text, inputs

    def amount(self, node: ast.expr) -> Amount:  # noqa: PLR0911 - one for each kind of node
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                # in all its digits
                return Amount(Decimal(ast.get_source_segment(self._text, node) or str(value)))
            case ast.Name(id=name):
                amounts = self._series(node)
                if len(amounts) != 1:
                    raise BadArguments(
                        f"{name} has {len(amounts)} values. Say which: sum({name}), {name}[-1]."
                    )
                return amounts[0]
            case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=inner):
                return -self.amount(inner) if isinstance(sign, ast.USub) else self.amount(inner)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _WITH_UNITS:
                return _WITH_UNITS[type(sign)](self.amount(left), self.amount(right))
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _PURE:
                return self._pure(sign, right, left)
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _OF_SERIES:
                return _OF_SERIES[name](self._series(inner))
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _OF_NUMBERS:
                inside = self.amount(inner)
                if name != "abs" and inside.unit:
                    raise BadArguments(f"{name} is of a pure number, and this is in {inside.unit}.")
                return Amount(_OF_NUMBERS[name](inside.value), inside.unit)
            case ast.Subscript(value=inner, slice=place):
                return self._element(node, inner, place)
        raise self._unknown(node)

    def _pure(self, sign: ast.operator, right: ast.expr, left: ast.expr) -> Amount:
        """Powers and remainders, which pure numbers have; the power first, since it may be too large."""
        other = self.amount(right)
        if isinstance(sign, ast.Pow) and abs(other.value) > _LARGEST_POWER:
            raise BadArguments(f"A power is at most {_LARGEST_POWER}. Write it otherwise.")
        one = self.amount(left)
        if one.unit or other.unit:
            raise BadArguments("Powers, // and % are of pure numbers. Divide by the unit first.")
        return Amount(_PURE[type(sign)](one.value, other.value))

    def _element(self, node: ast.expr, inner: ast.expr, place: ast.expr) -> Amount:
        amounts, at = self._series(inner), self.amount(place).value
        # the bounds first: the int of 1e9999999 takes hours
        if not -len(amounts) <= at < len(amounts) or at != int(at):
            raise BadArguments(f"{ast.unparse(node)} is not there: there are {len(amounts)} values.")
        return amounts[int(at)]

    def _series(self, node: ast.expr) -> tuple[Amount, ...]:
        if isinstance(node, ast.Name) and self._inputs.get(node.id):
            return self._inputs[node.id]
        raise self._unknown(node)

    def _unknown(self, node: ast.expr) -> BadArguments:
        return BadArguments(
            f"{ast.unparse(node)[:80]} is nothing that an expression may hold. It may hold numbers, the "
            f"inputs ({', '.join(self._inputs) or 'none is given'}), + - * / // % **, brackets, "
            f"{', '.join(_OF_SERIES)} of a series and {', '.join(_OF_NUMBERS)} of a number. Give anything "
            "else as a program."
        )
