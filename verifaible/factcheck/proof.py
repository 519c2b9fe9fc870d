"""Proofs: quoted values and a formula, recomputed and held against the words of a claim.

A proof holds where each operand stands where it says it does, in the row, the column and the period that the
claim names (no other row or column of its table is named better), the formula is the operation that the
claim's words say, in their order and direction, and its result is a number of the claim in the unit, the
scale and the digits that the claim shows. It names what the claim says; that the claim says no more is for
the caller to see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from verifaible.factcheck.expression import Node, ProofError, parse, shape_of
from verifaible.factcheck.naming import Named
from verifaible.factcheck.places import Place, ReadSource, places_in
from verifaible.factcheck.result import Held, Proven, claimed_by, scale_said
from verifaible.factcheck.words import TOTAL, words_of, years_of
from verifaible.schema.analyst import Claim
from verifaible.schema.verdict import Derivation, Passage

#: What words say of the operation; a word that is part of an operand's name says nothing of one.
_OPERATIONS: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)
    for name, english, chinese in (
        ("mean", r"averag\w*|mean", "平均"),
        ("total", r"total|sum|combined|together|altogether|aggregate", "合计|总计|之和"),
        (
            "up",
            r"increas\w*|rose|ris\w+|grew|grow\w*|gained|widen\w*|expand\w*|more|higher|above|larger|greater|exceed\w*"
            r"|up(?=\W+(?:by\W+)?\d)",
            "[增涨升高多]",
        ),
        (
            "down",
            r"decreas\w*|declin\w*|fell|fall\w*|drop\w*|reduc\w*|less|lower|below|down|fewer|smaller"
            r"|shr[aiu]nk|narrow\w*",
            "[降跌减少低]",
        ),
        ("change", r"chang\w*|growth", "变化|变动"),
        ("difference", r"differ\w*|gap|spread", "差"),
        ("per", r"per|each", "每"),
        ("extreme", r"\w+est|most|least|peak|max\w*|min\w*", "最"),
    )
}
MOVES: Final = frozenset(("up", "down", "change", "difference"))


@dataclass(frozen=True, slots=True)
class Proof:
    """A formula over named values, and where each of them stands."""

    expression: str
    operands: Mapping[str, Passage]


def check_proof(claim: Claim, proof: Proof, sources: Sequence[ReadSource]) -> Derivation:
    """Check a proof of a claim, and give the calculation that it is.

    Args:
        claim: what should follow.
        proof: the formula and its operands.
        sources: those that the operands are of.

    Raises:
        ProofError: it does not hold; the sentence says what of it, and what to give instead.
    """
    places = places_of(proof, sources)
    proven = prove(claim.text, proof.expression, places)
    return proven.derivation(proof.expression, places, proof.operands)


def places_of(proof: Proof, sources: Sequence[ReadSource]) -> dict[str, Place]:
    """The values that the operands of a proof point to.

    Raises:
        ProofError: the words of an operand do not stand there, or hold no value.
    """
    known = {(each.source.id, each.source.capture): each for each in sources}
    found = {}
    for name, passage in proof.operands.items():
        source = known.get((passage.source, passage.capture))
        if source is None or source.text[passage.start : passage.end] != passage.quote:
            raise ProofError(
                f"{passage.quote[:80]!r} does not stand where {name} says. Quote the source as it is."
            )
        place = places_in(source.text).at(passage.start, passage.end)
        if place is None:
            raise ProofError(f"There is no value in {passage.quote[:80]!r}. Quote the value that is used.")
        found[name] = place
    return found


def said_of(claim: str, operands: Iterable[Place]) -> frozenset[str]:
    """What the words of a claim say of the operation, without those that only name an operand."""
    names = " ".join(each.names for each in operands if each.in_table).casefold()
    return frozenset(
        name
        for name, pattern in _OPERATIONS.items()
        if any(
            not re.search(rf"(?<!\w){re.escape(found[0].casefold())}", names)
            for found in pattern.finditer(claim)
        )
    )


def prove(claim: str, expression: str, places: Mapping[str, Place]) -> Proven:
    """Hold a formula over places of sources against the words of a claim.

    Raises:
        WrongValue: it holds but for the value.
        ProofError: an operand's row, column or period, the operation, its order or its base does not hold.
    """
    node = parse(expression)
    if missing := set(node.names) - set(places):
        raise ProofError(
            f"The expression names {min(missing)!r}, which is no operand. Give its place, or leave it out."
        )
    if not node.names:
        raise ProofError("The expression has no operand. Name the values of the sources that it uses.")
    operands = {name: places[name] for name in node.names}
    for name, place in operands.items():
        if place.denied:
            raise ProofError(f"The source denies the value of {name}. Nothing follows from it.")
    said = said_of(claim, operands.values())
    scale = scale_said(claim)
    if scale != 1 and node.sign == "/" and node.parts[1].is_number(int(scale)):
        node = node.parts[0]  # a division by the scale that the claim gives
    shape, parts = shape_of(node)
    if shape == "change" and parts[0] == parts[-1] and not said & MOVES:
        shape, parts = "ratio", (Node("-", parts[:2]), parts[2])  # what is left of it, as a part of it
    held = Held(claim, said, shape, parts, operands)
    _check_names(held)
    _check_operation(node, held)
    _check_order(held)
    return claimed_by(node, held, scale)


# --- rows, columns and years


def _check_names(held: Held) -> None:
    words = Named(held.claim)
    _check_years(held)
    for name, place in held.operands.items():
        if not (words.all | TOTAL) & (place.row | place.section | place.column | place.sentence):
            what = "row nor the column" if place.in_table else "sentence nor the paragraph"
            raise ProofError(f"Neither the {what} of {name} has a word of the claim. Take what it names.")
        own = words.all & place.before
        for before, start in place.beside:
            used = start in {each.start for each in held.operands.values()}
            if place.before and not used and own < (words.all & words_of(before)):
                raise ProofError(
                    f"The claim says {before.strip()!r}, and {name} is another value of that sentence. "
                    "Take that value."
                )
    whole = set(held.parts[1].names) if held.shape == "ratio" else set()
    tables: dict[int, dict[str, Place]] = {}
    for name, place in held.operands.items():
        if place.in_table:
            tables.setdefault(place.table, {})[name] = place
    for found in tables.values():
        parts = {n: p for n, p in found.items() if n not in whole or p.row - TOTAL}
        words.check_rows(parts, found)
        words.check_columns(found)


def _check_years(held: Held) -> None:
    """The years of operands are those that the claim names; a change in one year is from the year before."""
    through = held.shape in ("sum", "mean", "extreme")
    wanted = set(years_of(held.claim, through=through))
    found = {year for place in held.operands.values() for year in place.years}
    if not wanted:
        _check_all_years(held)
        return
    # what a year's change is from, and the balance that a year's average begins with
    eases = held.shape in ("difference", "change") or (held.shape == "mean" and len(held.operands) == 2)
    before = {min(wanted) - 1} if eases and len(wanted) == 1 and wanted <= found else set()
    base = held.parts[1].names if held.shape in ("difference", "change") else held.parts[-1].names
    for name, place in held.operands.items():
        allowed = wanted | (before if name in base else set())
        if place.years and not allowed & set(place.years):
            years = " or ".join(map(str, sorted(wanted)))
            raise ProofError(
                f"{name} is of {place.years[0]}, and the claim says {years}. Take the value of that year."
            )
    there = {
        year
        for place in held.operands.values()
        for each in place.peers
        if each.line == place.line
        for year in each.years
    }
    if left := (wanted & there) - found:
        raise ProofError(
            f"The claim says {min(left)}, and no operand is of that year. Take the value of each year."
        )


def _check_all_years(held: Held) -> None:
    """An average of a row without years in the claim is of all of its years, each once."""
    places = list(held.operands.values())
    one = places[0]
    if held.shape != "mean" or not one.in_table or len({(each.table, each.line) for each in places}) > 1:
        return
    years = {each.start for each in one.peers if each.line == one.line and each.years}
    if len(years) > len(places) > 1 and {each.start for each in places} < years:
        raise ProofError(
            "The claim names no year, and the average leaves years of the row out. Take them all."
        )


# --- the operation, its order and its base


def _check_operation(node: Node, held: Held) -> None:
    said, shape = held.said, held.shape
    shapes = {shape_of(part)[0] for part in node.every()}
    if "mean" in said and not ("mean" in shapes or shape in ("value", "ratio")):
        raise ProofError(
            f"The claim says an average, and the expression is a {shape}. "
            "Divide the sum by the number of its operands, or do not call it proved."
        )
    if "mean" in shapes and "mean" not in said:
        raise ProofError(
            "The expression is an average, and the claim does not say so. Give the calculation that it says."
        )
    if said & MOVES and shape != "value" and not any(part.sign == "-" for part in node.every()):
        raise ProofError(
            f"The claim says a change or a difference, and the expression is a {shape}. "
            "Subtract the earlier value, or the other one."
        )
    if "total" in said and not said & MOVES and shape == "difference":
        raise ProofError(
            f"The claim says a total, and the expression is a {shape}. Add the values that it is of."
        )
    if shape == "extreme" and "extreme" not in said:
        raise ProofError("The expression takes the smallest or largest value, and the claim does not say so.")
    years = len(years_of(held.claim, through=True))
    for part in node.every():
        if part.sign == "/" and part.parts[1].is_number() and not part.parts[1].is_number(100):
            terms = _terms(part.parts[0])
            if not part.parts[1].is_number(terms, years):
                raise ProofError(
                    f"The sum of {terms} operands is divided by {part.parts[1].number}. "
                    "Divide by their number."
                )


def _terms(node: Node) -> int:
    if node.sign in ("sum", "+"):
        return sum(map(_terms, node.parts))
    return _terms(node.parts[0]) if node.sign == "neg" else 1


def _check_order(held: Held) -> None:
    shape, parts, said = held.shape, held.parts, held.said
    if shape == "ratio" and not set(parts[0].names) < set(parts[1].names):
        _check_base(held)
    if shape not in ("difference", "change"):
        return
    if len(parts) == 3 and parts[1] != parts[2]:
        raise ProofError(
            "The change is divided by another value than the one it is taken from. "
            "Divide by the earlier value."
        )
    sides = held.of(0), held.of(1)
    moves = said & {"up", "down", "change"}
    told = all(any(place.years for place in side) for side in sides)
    if shape == "change" and not moves and not told:
        raise ProofError("The claim does not say a change. Give the calculation that it says.")
    one_row = len({(place.table, place.line) for side in sides for place in side if place.in_table}) == 1
    years = [{year for place in side for year in place.years} for side in sides]
    if one_row and ((moves and not told) or (shape == "change" and years[0] == years[1])):
        raise ProofError(
            "The year of an operand is not told over its column. Take values whose years can be read."
        )
    if held.is_backward and (shape == "change" or moves - {"down"}):
        back = re.search(r"\bfrom\b.*?((?:19|20)\d\d).*?\bto\b.*?((?:19|20)\d\d)", held.claim)
        if not (back and int(back[1]) > int(back[2])):
            raise ProofError(
                "A later value is taken from an earlier one. Take the earlier value from the later one."
            )


#: "45 per cent of X were Y": what stands behind it is the whole, unless another word for "of" leads to Y.
_SHARE_OF: Final = re.compile(
    r"(?:percent\w*|cent|portion|proportion|share|part|fraction|%)\s+of\s+(?:\w+\W+){0,3}\Z", re.I
)
_BASE: Final = re.compile(
    r"(?<!\bwere )(?<!\bwas )(?<!\bis )(?<!\bare )(?<!\bup )\b(?:of|in|over|among|per)\s+"
    r"(?:(?:the|its|all|total)\W+){0,3}\Z",
    re.I,
)
_COMPARED: Final = re.compile(r"\bas an? (?:percent\w*|ratio|share|proportion|multiple) of\b|\bratio\b", re.I)
_PERCENT: Final = re.compile(r"%|per ?cent|占", re.I)


def _check_base(held: Held) -> None:
    """What a share is of: the words say "A as a percentage of B", "A per B", or "per cent of B were A"."""
    top, bottom = held.of(0), held.of(1)
    sizes = [abs(sum((each.value for each in side), Decimal(0))) for side in (top, bottom)]
    percent = _PERCENT.search(held.claim) is not None
    if percent and sizes[0] > sizes[1] and not _COMPARED.search(held.claim):
        raise ProofError("A part is more than its whole. Divide the part by the whole.")
    claim = Named(held.claim)
    first, second = claim.position(top, bottom), claim.position(bottom, top)
    if first is None and second is None:
        whole = all(place.row & TOTAL or not place.in_table for place in bottom)
        if percent and sizes[0] <= sizes[1] and whole:
            return
        raise ProofError(
            "The claim does not name what is divided by what. Name operands whose rows or years it names."
        )
    if first is None or second is None:
        return
    early, late = sorted((first, second))
    share = _SHARE_OF.search(held.claim[:early]) and not _BASE.search(held.claim[:late])
    if (early if share else late) != second:
        raise ProofError(
            "The expression divides the other way round than the claim says. "
            "Divide the part by what the claim compares it with."
        )
