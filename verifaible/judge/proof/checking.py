"""The check of a proof against its claim: places, years, operation, order, direction, unit and value."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from verifaible.judge.proof.expression import Amount, Node, ProofError, Shape, calculated, parsed, shape_of
from verifaible.judge.proof.naming import check_names
from verifaible.judge.proof.places import Place, monies_in, positions_of, scale_said
from verifaible.judge.proof.tables import years_of
from verifaible.judge.proof.values import Meaning, claimed_value
from verifaible.old.numbers import NumberMention
from verifaible.schema.verdict import Derivation, Operand, Operation, Passage

_UP: Final = (
    r"increas\w*|rose|ris\w+|grew|grow\w*|gained|more|higher|above|larger|greater"
    r"|exceed\w*|up(?=\W+(?:by\W+)?\d)"
)
_DOWN: Final = (
    r"decreas\w*|declin\w*|fell|fall\w*|drop\w*|reduc\w*|less|lower|below|down|fewer|smaller|shrank"
)
#: What words say of an operation; a word that is part of an operand's name says nothing of one.
_OPERATIONS: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(rf"\b(?:{words})\b|{chinese}", re.IGNORECASE)
    for name, words, chinese in (
        ("mean", r"averag\w*|mean", "平均"),
        ("up", _UP, "[增涨升高多]"),
        ("down", _DOWN, "[降跌减少低]"),
        ("change", r"chang\w*|growth", "变化|变动"),
        ("difference", r"differ\w*|gap|spread", "差"),
        ("per", r"per|each", "每"),
        ("extreme", r"\w+est|most|least|peak|max\w*|min\w*", "最"),
        ("count", r"number|many|count|times", "[几个次]"),
    )
}  # fmt: skip
_PER_CENT: Final = re.compile(r"%|per ?cent|占", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a proof that holds gives: the result in its unit, what is calculated, and which words say so."""

    result: Decimal
    unit: str
    shape: Shape
    claimed: NumberMention


def check_proof(claim: str, expression: str, places: Mapping[str, Place]) -> Checked:
    """Check that an expression over values that stand in sources proves a claim.

    Args:
        claim: its words.
        expression: over the names of ``places``; see :mod:`verifaible.judge.proof.expression`.
        places: the values by name.

    Raises:
        ProofError: says what does not hold: an operand's row, column or year, the operation or its order or
            direction, the unit, the scale or the value.
    """
    node = parsed(expression)
    used = node.leaves()
    if missing := set(used) - set(places):
        raise ProofError(
            f"The expression names {min(missing)!r}, which is no operand. Give its place, or leave it out."
        )
    if not used:
        raise ProofError("The expression has no operand. Name the values of the sources that it uses.")
    operands = {name: places[name] for name in dict.fromkeys(used)}
    for name, place in operands.items():
        if place.denied:
            raise ProofError(f"The source denies the value of {name}. Nothing follows from it.")
    shape, parts = shape_of(node)
    said = said_of(claim, operands.values())
    if (divided := scale_said(claim)) != 1 and node.sign == "/" and node.parts[1].is_number(int(divided)):
        node = node.parts[0]
    if shape == "change" and parts[0] == parts[-1] and not said & {"up", "down", "change", "difference"}:
        shape, parts = "ratio", (Node("-", parts[:2]), parts[2])  # a part of the whole, as what is left of it
    check_names(claim, shape, parts, operands)
    _check_operation(node, shape, said)
    _check_constants(node, claim)
    _check_order(shape, parts, operands, claim, said)
    multiplied = any(part.sign == "*" and not part.parts[1].is_number() for part in node.every())
    amounts = {  # the currency of a table is that of its sums and shares; what is multiplied may be a count
        name: Amount(
            place.value,
            place.unit or next(iter(() if multiplied else place.currencies), ""),
            shown=place.shown,
            rate_of=() if place.table else monies_in(place.name),
        )
        for name, place in operands.items()
    }
    result = calculated(node, amounts)
    sides = [[operands[name] for name in part.leaves()] for part in parts[:2]]
    backward = "down" in said and shape == "difference" and _is_backward(*sides)
    claimed, value, unit = claimed_value(claim, result, Meaning(shape, said, operands.values(), backward))
    return Checked(value, unit, shape, claimed)


def said_of(claim: str, operands: Collection[Place]) -> frozenset[str]:
    """What the claim's words say of the operation, without the words that only name an operand."""
    names = " ".join(place.table.names(place.row) for place in operands if place.table).casefold()
    return frozenset(
        name
        for name, pattern in _OPERATIONS.items()
        if any(
            not re.search(rf"(?<!\w){re.escape(found[0].casefold())}", names)
            for found in pattern.finditer(claim)
        )
    )


def _check_operation(node: Node, shape: Shape, said: frozenset[str]) -> None:
    signs = {part.sign for part in node.every()}
    shapes = {shape_of(part)[0] for part in node.every()}
    if (
        "mean" in said
        and not shapes & {"mean"}
        and shape != "value"
        and not (shape == "ratio" and "per" in said)
    ):
        raise ProofError(
            f"The claim says an average, and the expression is a {shape}. "
            "Divide the sum by the number of its operands, or do not call it proved."
        )
    if "mean" in shapes and "mean" not in said:
        raise ProofError(
            "The expression is an average, and the claim does not say so. Give the calculation that it says."
        )
    moves = said & {"up", "down", "change", "difference"}
    if moves and not signs & {"-"} and shape != "value":
        raise ProofError(
            f"The claim says a change or a difference, and the expression is a {shape}. "
            "Subtract the earlier value, or the other one."
        )
    if shape == "extreme" and not said & {"extreme"}:
        raise ProofError("The expression takes the smallest or largest value, and the claim does not say so.")


def _check_constants(node: Node, claim: str) -> None:
    """Numbers without a place: 100, a 1 that is taken away, and how many were added."""
    years = len(years_of(claim, through=True))
    for part in node.every():
        if part.sign != "/" or not part.parts[1].is_number() or part.parts[1].is_number(100):
            continue
        terms = len(_terms(part.parts[0]))
        if not part.parts[1].is_number(terms, years):
            raise ProofError(
                f"The sum of {terms} operands is divided by {part.parts[1].number}. Divide by their number."
            )


def _terms(node: Node) -> list[Node]:
    if node.sign in ("sum", "+"):
        return [term for part in node.parts for term in _terms(part)]
    return _terms(node.parts[0]) if node.sign == "neg" else [node]


def _check_order(
    shape: Shape, parts: Sequence[Node], operands: Mapping[str, Place], claim: str, said: frozenset[str]
) -> None:
    if shape not in ("difference", "change", "ratio"):
        return
    if shape == "change" and len(parts) == 3 and parts[1] != parts[2]:
        raise ProofError(
            "The change is divided by another value than the one it is taken from. "
            "Divide by the earlier value."
        )
    new, old = ([operands[name] for name in part.leaves()] for part in parts[:2])
    if shape == "ratio":
        if not set(parts[0].leaves()) < set(parts[1].leaves()):
            _check_base(new, old, claim)
        return
    moves = said & {"up", "down", "change"}
    told = all(any(place.years for place in side) for side in (new, old))
    if shape == "change" and not moves and not told:
        raise ProofError("The claim does not say a change. Give the calculation that it says.")
    one_row = len({place.row for place in (*new, *old) if place.table}) == 1
    if moves and years_of(claim) and not told and one_row:
        raise ProofError(
            "The year of an operand is not told over its column. Take values whose years can be read."
        )
    if _is_backward(new, old) and (shape == "change" or moves - {"down"}):
        back = re.search(r"\bfrom\b.*?((?:19|20)\d\d).*?\bto\b.*?((?:19|20)\d\d)", claim)
        if not (back and int(back[1]) > int(back[2])):
            raise ProofError(
                "A later value is taken from an earlier one. Take the earlier value from the later one."
            )


def _is_backward(new: Sequence[Place], old: Sequence[Place]) -> bool:
    """Whether all that something is taken from is of earlier years than what is taken."""
    late, early = ([year for place in side for year in place.years] for side in (new, old))
    return bool(late and early) and max(late) < max(early)


def _check_base(top: Sequence[Place], bottom: Sequence[Place], claim: str) -> None:
    """What a share is of: the words say "A as a percentage of B", "A per B", or "per cent of B were A"."""
    first, second = (_position(places, other, claim) for places, other in ((top, bottom), (bottom, top)))
    if first is None and second is None:
        part = abs(top[0].value) <= abs(bottom[0].value) and _PER_CENT.search(claim)
        if part and not any(place.table for place in (*top, *bottom)):
            return  # a part is no more than the whole
        raise ProofError(
            "The claim does not name what is divided by what. Name operands whose rows or years it names."
        )
    if first is None or second is None:
        return
    early, late = sorted((first, second))
    share = _SHARE_OF.search(claim[:early]) and not _BASE.search(claim[:late])
    if (early if share else late) != second:
        raise ProofError(
            "The expression divides the other way round than the claim says. "
            "Divide the part by what the claim compares it with."
        )


#: "45 per cent of X were Y": what stands behind it is the whole, unless another word for "of" leads to Y.
_SHARE_OF: Final = re.compile(
    r"(?:percent\w*|cent|portion|proportion|share|part|fraction|%)\s+of\s+(?:\w+\W+){0,3}\Z", re.I
)
_BASE: Final = re.compile(
    r"(?<!\bwere )(?<!\bwas )(?<!\bis )(?<!\bare )\b(?:of|in|over|among|per)\s+"
    r"(?:(?:the|its|all|total)\W+){0,3}\Z",
    re.I,
)


def _position(places: Sequence[Place], others: Sequence[Place], claim: str) -> int | None:
    """Where the claim names places, by words or years that others do not have; None where it does not."""
    own = {year for each in places for year in each.years} - {year for each in others for year in each.years}
    mine = " ".join(each.name for each in places)
    return min(positions_of(claim, mine, " ".join(each.name for each in others), own), default=None)


_CALCULATIONS: Final[dict[Shape, Operation]] = {
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
    operation = _CALCULATIONS.get(found.shape, "calculation")
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
