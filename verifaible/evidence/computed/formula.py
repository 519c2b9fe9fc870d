"""Arithmetic written as an expression (``a / b * 100``), in Python's grammar and decimal numbers."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, DecimalException
from typing import Any, Final

from verifaible.errors import BadArguments

#: The name of the function whose parameter is the expression.
FORMULA: Final = "formula"
#: Longer ones are programs.
_LONGEST: Final = 1_000
#: A power beyond it is no calculation of amounts, and a number of a million digits takes minutes.
_LARGEST_POWER: Final = 10_000
_BINARY: Final[Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: Final[Mapping[type[ast.unaryop], Callable[[Decimal], Decimal]]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def _mean(values: Sequence[Decimal]) -> Decimal:
    return sum(values, Decimal(0)) / len(values)


_OF_SERIES: Final[Mapping[str, Callable[[Sequence[Decimal]], Decimal]]] = {
    "sum": lambda values: sum(values, Decimal(0)),
    "min": min,
    "max": max,
    "len": lambda values: Decimal(len(values)),
    "mean": _mean,
}
_OF_NUMBERS: Final[Mapping[str, Callable[[Decimal], Decimal]]] = {
    "abs": abs,
    "sqrt": Decimal.sqrt,
    "ln": Decimal.ln,
    "exp": Decimal.exp,
}


def formula(text: str, inputs: Mapping[str, Sequence[Decimal]]) -> Decimal:
    """What an expression gives, in the arithmetic of the caller's decimal context.

    Args:
        text: numbers and names with ``+ - * / // % **``, brackets, ``sum min max len mean`` of a series,
            ``abs sqrt ln exp`` of a number, and ``series[0]``, ``series[-1]``.
        inputs: the values of each name: a number where it is one, else a series.

    Raises:
        BadArguments: it is no such expression, names nothing that is given, or has no result.
    """
    reading = _Reading(text.strip(), {name: tuple(values) for name, values in inputs.items()})
    try:
        result = reading.number(_parsed(text))
    except RecursionError as error:
        raise BadArguments(
            "The expression is nested too deep. Write it with fewer signs and brackets, or as a program."
        ) from error
    except (DecimalException, ArithmeticError, ValueError) as error:
        raise BadArguments(
            f"The expression has no result for these values ({type(error).__name__}). Check what is "
            "divided by."
        ) from error
    if not result.is_finite():
        raise BadArguments("The expression gives no finite number. Check what is divided by.")
    return result


def _parsed(text: str) -> ast.expr:
    try:
        if len(text) > _LONGEST:
            raise ValueError(f"it is longer than {_LONGEST} characters")
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadArguments(
            f"{text[:80]!r} is no expression ({getattr(error, 'msg', error)}). Write one such as "
            "(new - old) / old * 100."
        ) from error


class _Reading:
    def __init__(self, text: str, inputs: Mapping[str, tuple[Decimal, ...]]) -> None:
        self._text, self._inputs = text, inputs

    def number(self, node: ast.expr) -> Decimal:  # noqa: PLR0911 - one for each kind of node
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return Decimal(ast.get_source_segment(self._text, node) or str(value))  # in all its digits
            case ast.Name(id=name):
                values = self._series(node)
                if len(values) != 1:
                    raise BadArguments(
                        f"{name} has {len(values)} values. Say which: sum({name}), {name}[-1]."
                    )
                return values[0]
            case ast.UnaryOp(op=sign, operand=inner) if type(sign) in _UNARY:
                return _UNARY[type(sign)](self.number(inner))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                power = self.number(right)
                if abs(power) > _LARGEST_POWER:
                    raise BadArguments(f"A power is at most {_LARGEST_POWER}. Write it otherwise.")
                return self.number(left) ** power
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
                return _BINARY[type(sign)](self.number(left), self.number(right))
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _OF_SERIES:
                return _OF_SERIES[name](self._series(inner))
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _OF_NUMBERS:
                return _OF_NUMBERS[name](self.number(inner))
            case ast.Subscript(value=inner, slice=place):
                values, at = self._series(inner), self.number(place)
                # the bounds first: the int of 1e9999999 takes hours
                if not -len(values) <= at < len(values) or at != int(at):
                    raise BadArguments(f"{ast.unparse(node)} is not there: there are {len(values)} values.")
                return values[int(at)]
        raise self._unknown(node)

    def _series(self, node: Any) -> tuple[Decimal, ...]:
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
