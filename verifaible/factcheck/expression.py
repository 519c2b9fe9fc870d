"""Formulas of proofs, ``(b - a) / a`` or ``mean(a, b, c)``: read, evaluated with units, and what they are."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, DecimalException, localcontext
from typing import Final, Literal, TypeAlias

from verifaible.errors import BadArguments, UserError
from verifaible.text.arithmetic import Amount, mean, total
from verifaible.text.units import factor, unit_kind

#: What a formula is at its top. ``value``: one operand as it stands; ``change``: a difference over what it is
#: taken from, also ``a / b - 1``; ``extreme``: the smallest or largest.
Shape: TypeAlias = Literal["value", "sum", "mean", "difference", "change", "ratio", "product", "extreme"]

_SIGNS: Final = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_CONSTANTS: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_CALLS: Final = ("mean", "sum", "min", "max", "abs")
_SHAPES: Final[Mapping[str, Shape]] = {
    "name": "value",
    "+": "sum",
    "sum": "sum",
    "-": "difference",
    "mean": "mean",
    "min": "extreme",
    "max": "extreme",
}
#: The longest formula; people's have under a hundred characters.
_LONGEST: Final = 2_000
_HUNDRED: Final = Decimal(100)
_CONTEXT: Final = Context(prec=34, Emax=999, Emin=-999)


class ProofError(UserError):
    """A proof that does not hold; the sentence says which part of it, and what to give instead."""

    code = "proof"


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula: a sign or a function over its parts; ``name`` and ``number`` have none.

    ``percent`` is a ratio times a hundred.
    """

    sign: str
    parts: tuple[Node, ...] = ()
    name: str = ""
    number: Decimal = Decimal(0)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of operands in it, in order, each once."""
        return tuple(dict.fromkeys(each.name for each in self.every() if each.name))

    def every(self) -> Iterator[Node]:
        """It and all its parts."""
        yield self
        for part in self.parts:
            yield from part.every()

    def is_number(self, *numbers: int) -> bool:
        """Whether it is a constant: one of these, where some are given."""
        return self.sign == "number" and (not numbers or self.number in numbers)

    @property
    def is_ratio(self) -> bool:
        """Whether it is one value over another, or reckoned from such alone."""
        values = [part for part in self.parts if not part.is_number()]
        if self.sign == "/" and len(values) == 2:
            return True
        return bool(values) and self.sign not in ("percent", "name") and all(p.is_ratio for p in values)


def parse(expression: str) -> Node:
    """Read a formula of names, numbers, ``+ - * /``, brackets, and ``mean sum min max abs``.

    ``%`` behind a number or a name is a hundredth.

    Raises:
        ProofError: it is something else.
    """
    try:
        if len(expression) > _LONGEST:
            raise ValueError
        return _node(ast.parse(expression.replace("%", "*0.01").strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        raise ProofError(
            f"The expression {expression[:80]!r} cannot be read. Use names of operands, numbers, + - * / and "
            "brackets, or mean, sum, min, max."
        ) from None


def _node(found: ast.expr) -> Node:
    match found:
        case ast.Name(name):
            return Node("name", name=name)
        case ast.Constant(int() | float() as number) if not isinstance(number, bool):
            return Node("number", number=Decimal(str(number)))
        case ast.UnaryOp(ast.USub(), part):
            return Node("neg", (_node(part),))
        case ast.BinOp(left, sign, right) if type(sign) in _SIGNS:
            return _joined(_SIGNS[type(sign)], _node(left), _node(right))
        case ast.Call(ast.Name(name), parts) if name in _CALLS and parts and not found.keywords:
            return Node(name, tuple(map(_node, parts)))
    raise ValueError


def _joined(sign: str, one: Node, other: Node) -> Node:
    if one.is_number() and other.is_number():  # 2019 - 2017 + 1 is 3
        return Node("number", number=_CONSTANTS[sign](one.number, other.number))
    if sign == "-" and other.sign == "neg" and one.sign != "neg":
        return Node("+", (one, *other.parts))
    for part, rest in ((one, other), (other, one)):
        if sign == "*" and rest.is_number(100) and part.is_ratio:
            return Node("percent", (part,))
    return Node(sign, (one, other))


def evaluate(node: Node, amounts: Mapping[str, Amount]) -> Amount:
    """What a formula gives; without a unit, a number or a ratio (:attr:`Node.is_ratio`).

    A value without a unit is added to one in a unit as if it had it: cells under one head show it once.

    Raises:
        ProofError: the units do not allow it, or there is nothing to divide by.
    """
    with localcontext(_CONTEXT):
        try:
            return _amount(node, amounts)
        except BadArguments as error:
            raise ProofError(str(error)) from None
        except (DecimalException, ArithmeticError):
            raise ProofError("The expression has no value: it divides by nothing, or is too large.") from None


def _amount(node: Node, amounts: Mapping[str, Amount]) -> Amount:
    if node.sign == "name":
        return amounts[node.name]
    if node.sign == "number":
        return Amount(node.number)
    parts = [_amount(part, amounts) for part in node.parts]
    if node.sign in _OF_ONE:
        return _OF_ONE[node.sign](parts[0])
    if node.sign in ("*", "/"):
        return (_product if node.sign == "*" else _quotient)(*parts)
    return _OF_LIKE[node.sign](_in_one_unit(node, parts))


_OF_ONE: Final[Mapping[str, Callable[[Amount], Amount]]] = {
    "neg": operator.neg,
    "abs": lambda one: Amount(abs(one.value), one.unit),
    "percent": lambda one: Amount(one.value * _HUNDRED, "%"),
}
_OF_LIKE: Final[Mapping[str, Callable[[Sequence[Amount]], Amount]]] = {
    "+": total,
    "sum": total,
    "-": lambda parts: parts[0] - parts[1],
    "mean": mean,
    "min": min,
    "max": max,
}


def _in_one_unit(node: Node, parts: list[Amount]) -> list[Amount]:
    if any(part.is_number() for part in node.parts) and not node.is_ratio:
        raise ProofError("A number without a place is added to a value. Quote it, or leave it out.")
    unit = next((each.unit for each in parts if each.unit), "")
    if unit == "%":
        return parts
    return [each if each.unit else Amount(each.value, unit) for each in parts]


def _uncounted(amount: Amount) -> Amount:
    """Without a unit that only counts: shares times a price are an amount of money."""
    return Amount(amount.value) if unit_kind(amount.unit) == "count" else amount


def _product(one: Amount, other: Amount) -> Amount:
    one, other = _uncounted(one), _uncounted(other)
    if unit_kind(one.unit) == unit_kind(other.unit) == "money":
        raise ProofError(
            f"Values in {one.unit} and {other.unit} are multiplied, and neither is a rate from one to the "
            "other. Quote the rate as second factor."
        )
    if "/" in other.unit and one.unit == other.unit.partition("/")[2]:
        return Amount(one.value * other.value, other.unit.partition("/")[0])
    return one * other


def _quotient(one: Amount, other: Amount) -> Amount:
    if other.unit == "%" != one.unit:
        return Amount(one.value * _HUNDRED / other.value, one.unit)
    if not one.unit or one.unit == other.unit or factor(one.unit, other.unit) is not None:
        return one / Amount(other.value, other.unit if one.unit else "")
    return _uncounted(one) / _uncounted(other)


def shape_of(node: Node) -> tuple[Shape, tuple[Node, ...]]:
    """What a formula is at its top, and its parts: of a change the new and the old value first."""
    match node:
        case Node("neg" | "abs" | "percent", (part,)):
            return shape_of(part)
        case Node("*", (one, other)) if one.is_number() or other.is_number():
            return shape_of(other if one.is_number() else one)
        case Node("-", (Node("/", (new, old)), one)) if one.is_number(1):
            return "change", (new, old)
        case Node("/", (top, bottom)):
            return _shape_of_quotient(top, bottom)
    return _SHAPES.get(node.sign, "product"), node.parts or (node,)


def _shape_of_quotient(top: Node, bottom: Node) -> tuple[Shape, tuple[Node, ...]]:
    if bottom.is_number():
        shape, parts = shape_of(top)
        return ("mean", parts) if shape == "sum" else (shape, parts)
    difference = top.parts[0] if top.sign in ("neg", "abs") else top
    if difference.sign == "-" and set(bottom.names) & set(difference.names):
        return "change", (*difference.parts, bottom)
    return "ratio", (top, bottom)
