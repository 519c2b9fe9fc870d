"""Right and wrong proofs of public questions over tables, as a model might propose them.

The derivations of TAT-QA and the programs of FinQA are the right ones. Each is spoilt in ten ways; where that
changes what is calculated, the claim gets the value that comes out, so that only the claim's words tell.
The data are read where they are (``../shared/data/claims``) and never copied.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, DivisionByZero, InvalidOperation
from typing import Any, Final

from tests.kit.public import PUBLIC
from verifaible.factcheck.expression import ProofError
from verifaible.factcheck.places import Places
from verifaible.factcheck.proof import prove

DATA: Final = PUBLIC / "claims"
KINDS: Final = ("row", "year", "operation", "direction", "sign", "scale", "digit", "unit", "base", "order")
_NUMBER: Final = re.compile(r"[$€£]?\s?(\d[\d,]*\.?\d*|\.\d+)\s?(%?)")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_SCALES: Final = ("thousand", "million", "billion")
_CHANGE: Final = re.compile(r"\b(?:change|increase|decrease|growth|decline)", re.I)


@dataclass(frozen=True)
class Place:
    """A number of a source: its value and where it stands; of a table, the row and the column."""

    value: Decimal
    start: int
    end: int
    row: int = -1
    column: int = -1


@dataclass(frozen=True)
class Context:
    """A source: its text, with its table in Markdown, and every number in it."""

    text: str
    table: tuple[tuple[str, ...], ...]
    places: tuple[Place, ...]

    def line(self, place: Place) -> tuple[int, int]:
        """The line that a number stands in."""
        end = self.text.find("\n", place.end)
        return self.text.rfind("\n", 0, place.start) + 1, len(self.text) if end < 0 else end

    def years(self, place: Place) -> set[str]:
        """The years over a cell of the table."""
        over = (row[place.column] for row in self.table[: place.row] if place.column < len(row))
        return set(_YEAR.findall(" ".join(over))) if place.row >= 0 else set()


@dataclass(frozen=True)
class Proposal:
    """A claim and a proof of it: an expression over names, and the places that they stand for."""

    kind: str
    question: str
    value: Decimal
    unit: str
    expression: str
    leaves: Mapping[str, Place]
    context: Context = field(repr=False)
    worded: str = ""

    @property
    def claim(self) -> str:
        """The claim in words."""
        shown = f"{self.value:,}" + (f" {self.unit}" if self.unit not in ("%", "") else self.unit)
        question = " ".join(self.question.strip().rstrip("?").split())
        found = re.match(r"(?:What|How much)(?: is| was| were| are) (?:the )?(.+)", question, re.I)
        return f"The {found[1]} was {self.worded}{shown}." if found else f"{question}: {self.worded}{shown}."


def calculated(expression: str, leaves: Mapping[str, Decimal]) -> Decimal | None:
    """What an expression over plain numbers gives; None where that is no number."""

    signs = {
        ast.Add: Decimal.__add__,
        ast.Sub: Decimal.__sub__,
        ast.Mult: Decimal.__mul__,
        ast.Div: Decimal.__truediv__,
    }

    def of(node: ast.expr) -> Decimal:
        match node:
            case ast.Constant():
                return Decimal(str(node.value))
            case ast.Name():
                return leaves[node.id]
            case ast.UnaryOp():
                return -of(node.operand)
            case ast.BinOp(left, sign, right) if type(sign) in signs:
                return signs[type(sign)](of(left), of(right))
        raise SyntaxError(ast.dump(node))

    try:
        return of(ast.parse(expression, mode="eval").body)
    except (SyntaxError, InvalidOperation, DivisionByZero, KeyError):
        return None


def read_tatqa(item: Mapping[str, Any]) -> Context:
    """A context of TAT-QA: its paragraphs, then its table."""
    paragraphs = [each["text"] for each in sorted(item["paragraphs"], key=lambda each: each["order"])]
    return _context(paragraphs, item["table"]["table"], [])


def read_finqa(item: Mapping[str, Any]) -> Context:
    """A context of FinQA: its table between what stands over and below it."""
    return _context(item["pre_text"], item["table"], item["post_text"])


def tatqa(half: int) -> Iterator[Proposal]:
    """The right proofs of one half (0: for development, 1: kept aside) of the contexts of TAT-QA."""
    for context in json.loads((DATA / "tatqa_dev_half.json").read_text("utf-8"))[half::2]:
        read = read_tatqa(context)
        for item in context["questions"]:
            if item["answer_type"] != "arithmetic":
                continue
            unit = "%" if item["scale"] == "percent" else item["scale"]
            yield from _gold(item["question"], str(item["answer"]), unit, item["derivation"], read)


def finqa() -> Iterator[Proposal]:
    """The right proofs of FinQA."""
    for item in json.loads((DATA / "finqa_50.json").read_text("utf-8")):
        read = read_finqa(item)
        answer = item["qa"]["answer"].strip().replace("$", "").replace(",", "")
        steps: list[str] = []
        for name, one, two in re.findall(r"(\w+)\(([^(),]+), ([^(),]+)\)", item["qa"]["program"]):
            sign = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}.get(name)
            parts = [steps[int(each[1:])] if each[0] == "#" else each for each in (one, two)]
            parts = [each.replace("const_m1", "-1").replace("const_", "") for each in parts]
            steps.append(f"({parts[0]} {sign} {parts[1]})" if sign else "?")
        found = re.match(r"-?[\d.]+", answer)
        if found and steps:
            scale = next((each for each in _SCALES if each in answer), "")
            unit = "%" if "%" in answer else scale
            program = (
                steps[-1].removeprefix("(").removesuffix(")") if steps[-1].count("(") == 1 else steps[-1]
            )
            program = re.sub(r"^\((\(.*\) / [\d.]+)\)$", r"\1", program)
            yield from _gold(item["qa"]["question"], found[0], unit, program, read)


def worded(gold: Proposal) -> Iterator[Proposal]:
    """The right proof of a change whose claim gives the direction in words."""
    if gold.value and _worded(gold):
        way = "an increase of " if gold.value > 0 else "a decrease of "
        yield replace(gold, kind="right, direction in words", worded=way, value=abs(gold.value))


def _worded(gold: Proposal) -> bool:
    """Whether a question asks for a change without saying which way."""
    return (
        bool(re.search(r"\bchange\b", gold.question))
        and "/ (decrease)" not in gold.question
        and "-" in gold.expression
    )


def spoilt(gold: Proposal) -> Iterator[Proposal]:
    """The proof with one thing wrong, in each way that there is for it."""
    yield from _rows_and_years(gold)
    yield from _operations(gold)
    if re.fullmatch(r"\(a\s*-\s*b\)\s*/\s*b|a\s*/\s*b\s*-\s*1", gold.expression.strip()):
        yield from _anew(gold, "base", "(a-b)/a")
        yield from _anew(gold, "order", "(b-a)/a")
        yield from _anew(gold, "operation", "a/b")
    elif re.fullmatch(r"a\s*/\s*b", gold.expression.strip()):
        yield from _anew(gold, "base", "b/a")
    if gold.value and _worded(gold):
        way = "a decrease of " if gold.value > 0 else "an increase of "
        yield replace(gold, kind="direction", worded=way, value=abs(gold.value))
    if gold.value:
        yield replace(gold, kind="sign", value=-gold.value)
        yield replace(gold, kind="digit", value=_digit_changed(gold.value))
    if gold.unit in _SCALES:
        yield replace(gold, kind="scale", unit=_SCALES[(_SCALES.index(gold.unit) + 1) % 3])
        yield replace(gold, kind="unit", unit="%")
    elif gold.unit == "%":
        yield replace(gold, kind="unit", unit="million dollars")
    else:
        if not re.search(r"million|thousand|billion|000\b", gold.question + gold.context.text):
            yield replace(gold, kind="scale", unit="million")
        if "percent" not in gold.question and "/" not in gold.expression:
            yield replace(gold, kind="unit", unit="%")


def _operations(gold: Proposal) -> Iterator[Proposal]:
    """A sum for an average, the other way round, and the like."""
    names = list(gold.leaves)
    change = bool(_CHANGE.search(gold.question))
    if mean := re.fullmatch(r"\((.+)\)\s*/\s*(\d)", gold.expression):
        yield from _anew(gold, "operation", mean[1])
    elif re.fullmatch(r"[a-z](?:\s*\+\s*[a-z])+", gold.expression.strip()):
        yield from _anew(gold, "operation", f"({gold.expression})/{len(names)}")
    elif re.fullmatch(r"a\s*-\s*b", gold.expression.strip()):
        yield from _anew(gold, "operation", "a+b")
        falling = re.search("decrease|decline", gold.question) and not re.search(
            "/ .decrease|change", gold.question
        )
        if (
            change
            and not falling
            and gold.context.years(gold.leaves["a"]) != gold.context.years(gold.leaves["b"])
        ):
            back = re.search(r"from\D*((?:19|20)\d\d)\D*to\D*((?:19|20)\d\d)", gold.question)
            if not back or back[1] < back[2]:
                yield from _anew(gold, "order", "b-a")


def accepted(golds: Iterable[Proposal]) -> dict[str, tuple[int, int]]:
    """Of each kind of proof how many are accepted, and of how many."""
    counts = {kind: [0, 0] for kind in ("right", "right, direction in words", *KINDS)}
    for gold in golds:
        source = Places(gold.context.text)
        for each in (gold, *worded(gold), *spoilt(gold)):
            counts[each.kind][0] += holds(each, source)
            counts[each.kind][1] += 1
    return {kind: (yes, of) for kind, (yes, of) in counts.items()}


def holds(proposal: Proposal, source: Places) -> bool:
    """Whether the checker accepts a proof."""
    places = {name: source.at(each.start, each.end) for name, each in proposal.leaves.items()}
    found = {name: place for name, place in places.items() if place is not None}
    try:
        prove(proposal.claim, proposal.expression, found)
    except ProofError:
        return False
    return True


def _rows_and_years(gold: Proposal) -> Iterator[Proposal]:
    """Another row's value for all of a row; another year's value for one of a year that the claim names."""
    cells = {(each.row, each.column): each for each in gold.context.places if each.row >= 0}
    used = [each for each in gold.leaves.values() if each.row >= 0]
    if not used:
        return
    first = used[0]
    for row in sorted({row for row, _ in cells}, key=lambda row: (abs(row - first.row), row)):
        swapped = {
            name: cells.get((row, each.column)) if each.row == first.row else each
            for name, each in gold.leaves.items()
        }
        if row not in {each.row for each in used} and all(swapped.values()):
            yield from _anew(gold, "row", gold.expression, {n: p for n, p in swapped.items() if p})
            break
    for name, leaf in gold.leaves.items():
        if not gold.context.years(leaf) & set(_YEAR.findall(gold.question)):
            continue
        others = [
            place
            for (row, _), place in cells.items()
            if row == leaf.row
            and gold.context.years(place).isdisjoint(gold.context.years(leaf))
            and gold.context.years(place)
            and place not in gold.leaves.values()
        ]
        if others:
            yield from _anew(gold, "year", gold.expression, {**gold.leaves, name: others[0]})
            break


def _anew(
    gold: Proposal, kind: str, expression: str, leaves: Mapping[str, Place] | None = None
) -> Iterator[Proposal]:
    """The proof with another calculation, and the claim with what that gives, if it is something else."""
    places = leaves or gold.leaves
    result = calculated(expression, {name: each.value for name, each in places.items()})
    if result is None:
        return
    exponent = gold.value.as_tuple().exponent
    result = (result * (100 if _is_ratio(gold) else 1)).quantize(Decimal(1).scaleb(int(exponent)))
    if abs(result) != abs(gold.value) or (kind == "order" and result != gold.value):
        yield replace(gold, kind=kind, value=result, expression=expression, leaves=places)


def _is_ratio(gold: Proposal) -> bool:
    """Whether the claim's per cent are a hundred times what the expression gives."""
    plain = calculated(gold.expression, {name: each.value for name, each in gold.leaves.items()})
    return gold.unit == "%" and plain is not None and not _near(plain, gold.value)


def _digit_changed(value: Decimal) -> Decimal:
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    changed = (digits[0] % 9 + 1, *digits[1:])
    return Decimal((sign, changed, exponent))


def _near(one: Decimal, other: Decimal) -> bool:
    exponent = other.as_tuple().exponent
    return abs(one - other) <= Decimal("0.51").scaleb(min(int(exponent), 0))


def _gold(question: str, answer: str, unit: str, derivation: str, context: Context) -> Iterator[Proposal]:
    """The proof of an answer; nothing where the derivation does not give it from numbers of the source."""
    value = Decimal(answer)
    plain = derivation.replace("[", "(").replace("]", ")").replace("−", "-").replace("–", "-")
    leaves: dict[str, Place] = {}

    def named(match: re.Match[str]) -> str:
        number = Decimal(match[1].replace(",", ""))
        places = [each for each in context.places if abs(each.value) == number]
        counts = match[1].isdecimal() and plain[: match.start()].rstrip().endswith("/") and number < 10
        rows = {each.row for each in leaves.values()}
        base = match[1] == "100" and not any(each.row in rows for each in places)
        one = match[1] == "1" and plain[: match.start()].rstrip().endswith("-")
        if not places or counts or base or one or re.fullmatch(r"(?:19|20)\d\d", match[1]):
            return match[1].replace(",", "")
        taken = set(_YEAR.findall(question))
        words = set(re.findall(r"\w+", question.lower()))
        used = {each.row for each in leaves.values()}

        def fitting(place: Place) -> tuple[int, ...]:
            start, end = context.line(place)
            line = set(re.findall(r"[a-z]\w+", context.text[start:end].lower()))
            years = context.years(place)
            return (
                not years or bool(years & taken) or not taken,
                place.row >= 0,
                len(line & words) - len(line - words) if place.row >= 0 else len(line & words),
                place.row in used,
            )

        best = max(places, key=fitting)
        name = next((name for name, each in leaves.items() if each == best), chr(ord("a") + len(leaves)))
        leaves[name] = best
        return name

    expression = _NUMBER.sub(named, plain).strip()
    for name, place in leaves.items():
        if place.value < 0:  # the derivation may have written the cell's minus, or its brackets
            signed = re.sub(rf"\(\s*-\s*{name}\s*\)|(?<![\w)])-\s*{name}\b|\({name}\)", name, expression)
            unsigned = re.sub(rf"\b{name}\b", f"(-{name})", expression)
            options = (signed, expression, unsigned)
            expression = next((each for each in options if _gives(each, leaves, value, unit)), signed)
    if leaves and _gives(expression, leaves, value, unit):
        yield Proposal("right", question, value, unit, expression, leaves, context)


def _gives(expression: str, leaves: Mapping[str, Place], value: Decimal, unit: str) -> bool:
    result = calculated(expression, {name: each.value for name, each in leaves.items()})
    return result is not None and (_near(result, value) or (unit == "%" and _near(result * 100, value)))


def _context(before: Sequence[str], table: Sequence[Sequence[Any]], after: Sequence[str]) -> Context:
    text, places = "", list[Place]()

    def numbers(words: str, start: int, row: int = -1, column: int = -1) -> None:
        found = list(_NUMBER.finditer(words))
        for match in found if row < 0 else found[:1]:
            value = Decimal(match[1].replace(",", ""))
            bracketed = words[: match.start()].rstrip(" $").endswith(("(", "-", "−"))
            if row >= 0 and bracketed:
                value = -value
            begin = start + match.start(1)
            places.append(Place(value, begin, start + match.end(1), row, column))

    for paragraph in before:
        numbers(paragraph, len(text))
        text += paragraph + "\n"
    text += "\n"
    rows = [[str(cell).replace("\n", " ").strip() for cell in row] for row in table]
    for index, row in enumerate(rows):
        text += "|"
        for column, cell in enumerate(row):
            if column and re.fullmatch(r"[\W\d]*\d[\W\d]*", cell):
                numbers(cell, len(text) + 1, index, column)
            text += f" {cell} |"
        text += "\n"
        if index == 0:
            text += "|" + " --- |" * len(row) + "\n"
    text += "\n"
    for paragraph in after:
        numbers(paragraph, len(text))
        text += paragraph + "\n"
    return Context(text, tuple(map(tuple, rows)), tuple(places))
