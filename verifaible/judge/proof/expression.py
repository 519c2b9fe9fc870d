"""Expressions over named leaves: ``(b - a) / a``, ``mean(a, b, c)``; read, calculated, and what they are."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation, Overflow, localcontext
from typing import Final, Literal, TypeAlias

from verifaible.errors import UserError
from verifaible.old.units import unit_kind

#: ``value``: a leaf as it stands; ``change``: a difference over what it is taken from (also ``a / b - 1``).
Shape: TypeAlias = Literal[
    "value", "sum", "mean", "difference", "change", "ratio", "product", "extreme", "count"
]
_SIGNS: Final = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_CALLS: Final = ("mean", "sum", "min", "max", "count", "abs")
#: The longest expression; people's have under a hundred characters.
_LONGEST: Final = 2_000
_PERCENT: Final = Decimal(100)
_CONTEXT: Final = Context(prec=34, Emax=999, Emin=-999)


class ProofError(UserError):
    """A proof that does not hold; the sentence says which part of it, and what to give instead."""

    code = "proof"


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression: a sign or a function over its parts; a leaf or a constant has none."""

    sign: str
    parts: tuple[Node, ...] = ()
    name: str = ""
    number: Decimal = Decimal(0)

    def leaves(self) -> tuple[str, ...]:
        """The names in it, in order."""
        return (self.name,) if self.name else tuple(name for part in self.parts for name in part.leaves())

    def every(self) -> Iterator[Node]:
        """It and all its parts."""
        yield self
        for part in self.parts:
            yield from part.every()

    def is_number(self, *numbers: int) -> bool:
        """Whether it is a constant: one of these, where some are given."""
        return self.sign == "number" and (not numbers or self.number in numbers)


@dataclass(frozen=True, slots=True)
class Amount:
    """A value: its unit, and whether it is a ratio of two that had the same.

    ``shown`` is the value without the scale that its table's head gives, as the cells show it;
    ``rate_of`` has the currencies that its sentence names, so that a rate is one of both.
    """

    value: Decimal
    unit: str = ""
    ratio: bool = False
    shown: Decimal | None = None
    constant: bool = False
    rate_of: tuple[str, ...] = ()


def parsed(expression: str) -> Node:
    """Read an expression of names, numbers, ``+ - * / %`` (per cent), and the functions of this module.

    Raises:
        ProofError: it is something else.
    """
    text = expression.replace("%", "*0.01") if len(expression) <= _LONGEST else ""
    try:
        return _node(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ProofError(
            f"The expression {expression[:80]!r} cannot be read. Use names of operands, numbers, + - * / and "
            "brackets, or mean, sum, min, max, count."
        ) from None


def _node(found: ast.expr) -> Node:
    match found:
        case ast.Name(name):
            return Node("leaf", name=name)
        case ast.Constant(int() | float() as number) if not isinstance(number, bool):
            return Node("number", number=Decimal(str(number)))
        case ast.UnaryOp(ast.USub(), part):
            return Node("neg", (_node(part),))
        case ast.BinOp(left, sign, right) if type(sign) in _SIGNS:
            one, other = _node(left), _node(right)
            if isinstance(sign, ast.Sub) and other.sign == "neg" and one.sign != "neg":
                return Node("+", (one, *other.parts))
            return _folded(Node(_SIGNS[type(sign)], (one, other)))
        case ast.Call(ast.Name(name), parts) if name in _CALLS and parts and not found.keywords:
            return Node(name, tuple(map(_node, parts)))
    raise ValueError


def _folded(node: Node) -> Node:
    """Constants alone are one: 2019 - 2017 + 1 is 3."""
    if all(part.is_number() for part in node.parts):
        return Node("number", number=calculated(node, {}).value)
    return node


def calculated(node: Node, leaves: Mapping[str, Amount]) -> Amount:
    """What an expression gives.

    Raises:
        ProofError: the units do not allow it, or there is nothing to divide by.
    """
    with localcontext(_CONTEXT):
        try:
            return _amount(node, leaves)
        except (InvalidOperation, ZeroDivisionError, Overflow):
            raise ProofError("The expression has no value: it divides by nothing, or is too large.") from None


def _amount(node: Node, leaves: Mapping[str, Amount]) -> Amount:
    if node.sign == "leaf":
        return leaves[node.name]
    if node.sign == "number":
        return Amount(node.number, shown=node.number, constant=True)
    parts = [_amount(part, leaves) for part in node.parts]
    if node.sign == "count":
        return Amount(Decimal(len(parts)), shown=Decimal(len(parts)))
    first = parts[0]
    if node.sign in ("neg", "abs"):
        return _each(first, [first], (lambda v: -v[0]) if node.sign == "neg" else (lambda v: abs(v[0])))
    if node.sign in ("*", "/"):
        return _multiplied(node.sign, *parts)
    for other in parts[1:]:
        _same_kind(first, other)
    reckon: dict[str, Callable[[list[Decimal]], Decimal]] = {
        "+": sum_of, "sum": sum_of, "-": lambda v: v[0] - v[1],
        "mean": lambda v: sum_of(v) / len(v), "min": min, "max": max,
    }  # fmt: skip
    unit = next((part.unit for part in parts if part.unit), "")
    return _each(
        Amount(Decimal(0), unit, all(p.ratio or p.constant for p in parts)), parts, reckon[node.sign]
    )


def sum_of(values: list[Decimal]) -> Decimal:
    """Their sum."""
    return sum(values, Decimal(0))


def _each(like: Amount, parts: list[Amount], reckon: Callable[[list[Decimal]], Decimal]) -> Amount:
    """The same reckoned with the scales and, where all have it, as the cells show it."""
    shown = [part.shown for part in parts if part.shown is not None]
    bare = reckon(shown) if len(shown) == len(parts) else None
    constant = all(part.constant for part in parts)
    return Amount(reckon([part.value for part in parts]), like.unit, like.ratio, bare, constant)


def _same_kind(one: Amount, other: Amount) -> None:
    """Values are added to their like; a ratio may have a number taken from it (a / b - 1)."""
    if one.constant != other.constant and not (one.ratio or other.ratio):
        raise ProofError("A number without a place is added to a value. Quote it, or leave it out.")
    kinds = {one.unit, other.unit} - {""}
    percent = "%" in kinds and (one.unit != other.unit) and not (one.constant or other.constant)
    money = {unit for unit in kinds if unit_kind(unit) == "money"}
    if len(money) > 1 or percent or (len(kinds) > 1 and len({unit_kind(unit) for unit in kinds}) > 1):
        units = " and ".join(unit or "no unit" for unit in (one.unit, other.unit))
        raise ProofError(f"Values in {units} cannot be added or compared. Name operands of one unit.")


def _multiplied(sign: str, one: Amount, other: Amount) -> Amount:
    if one.unit == other.unit == "%" and sign == "/":
        return Amount(one.value / other.value, "", ratio=True)
    if sign == "*" and (one if other.constant else other).ratio and _PERCENT in (one.value, other.value):
        return Amount(one.value * other.value, "%")
    scaled = [
        Amount(part.value / _PERCENT, "", True) if part.unit == "%" and not other_is.constant else part
        for part, other_is in ((one, other), (other, one))
    ]
    unit = scaled[0].unit or (scaled[1].unit if sign == "*" else "")
    if sign == "*" and all(unit_kind(part.unit) == "money" for part in (one, other)):
        if one.unit == other.unit or one.unit not in other.rate_of:
            raise ProofError(
                f"Values in {one.unit} and {other.unit} are multiplied, and neither is a rate from one to "
                "the other. Quote the rate as second factor."
            )
        unit = other.unit
    like = Amount(Decimal(0), unit)
    if sign == "*":
        return _each(like, scaled, lambda v: v[0] * v[1])
    alike = not scaled[1].constant and not (scaled[1].unit and scaled[0].unit != scaled[1].unit)
    both = alike and not (scaled[0].unit and not scaled[1].unit)
    ratio = both or (scaled[0].ratio and scaled[1].constant)
    return _each(Amount(Decimal(0), "" if ratio else unit, ratio), scaled, lambda v: v[0] / v[1])


_SHAPES: Final[Mapping[str, Shape]] = {
    **{"leaf": "value", "+": "sum", "sum": "sum", "-": "difference", "mean": "mean", "count": "count"},
    **{"min": "extreme", "max": "extreme"},
}


def shape_of(node: Node) -> tuple[Shape, tuple[Node, ...]]:
    """What an expression is at its top, and its parts: of a change the new and the old value first."""
    match node:
        case Node("neg" | "abs", (part,)):
            return shape_of(part)
        case Node("*", (one, other)) if one.is_number() or other.is_number():
            return shape_of(other if one.is_number() else one)
        case Node("-", (Node("/", (new, old)), one)) if one.is_number(1):
            return "change", (new, old)
        case Node("/", (top, bottom)):
            return _quotient(top, bottom)
    return _SHAPES.get(node.sign, "product"), node.parts or (node,)


def _quotient(top: Node, bottom: Node) -> tuple[Shape, tuple[Node, ...]]:
    if bottom.is_number():
        kind, parts = shape_of(top)
        return ("mean", parts) if kind == "sum" else (kind, parts)
    difference = _bare(top)
    if difference.sign == "-" and set(bottom.leaves()) & set(difference.leaves()):
        return "change", (*difference.parts, bottom)
    return "ratio", (top, bottom)


def _bare(node: Node) -> Node:
    return _bare(node.parts[0]) if node.sign in ("neg", "abs") else node
