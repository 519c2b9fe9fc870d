"""Triples made wrong on purpose, by one thing each; nothing here knows how checks or judges look for it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from verifaible.kg.ontology import Ontology
from verifaible.kg.triples import Modality, Triple
from verifaible.schema.base import Record

MutationClass: TypeAlias = Literal[
    "entity", "relation", "direction", "amount", "unit", "date", "negation", "modality"
]
CLASSES: Final[tuple[MutationClass, ...]] = get_args(MutationClass)
#: Says whether a triple is wrong: the checks, or a judge.
Detector: TypeAlias = Callable[[Triple], bool]
_UNITS: Final = ("USD", "EUR", "shares", "USD/shares", "pure")
_DIGIT: Final = re.compile(r"\d")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_MONEY: Final = MappingProxyType(
    {"$": "€", "€": "$", "£": "$", "%": " million", "million": "billion", "billion": "million"}
)


class Mutation(Record):
    """A triple with one thing changed, and what it was made of."""

    kind: MutationClass
    original: str
    triple: Triple


class Detected(Record):
    """How many of a class were caught; of ``unchanged``, how many were taken for wrong."""

    kind: str
    caught: int
    of: int


def mutations(triples: Sequence[Triple], ontology: Ontology, *, seed: int = 0) -> Iterator[Mutation]:
    """Each triple that rests on words with one thing changed, once for each class that it has anything of.

    Args:
        triples: of one filing or of several; names are exchanged with those of the same type.
        ontology: what a relation may be exchanged for.
        seed: the same seed, the same mutations.
    """
    names: dict[str, list[str]] = {}
    for each in triples:
        names.setdefault(each.head_type, []).append(each.head)
        names.setdefault(each.tail_type, []).append(each.tail)
    others = {kind: sorted(set(found)) for kind, found in names.items()}
    for each in triples:
        if each.ungrounded:
            continue
        for kind in CLASSES:
            draw = random.Random(f"{seed} {each.id} {each.quote} {kind}")
            if changed := _changed(kind, each, others, ontology, draw):
                yield Mutation(kind=kind, original=each.id, triple=each.model_copy(update=changed))


def detection(
    triples: Sequence[Triple], made: Iterable[Mutation], is_wrong: Detector
) -> tuple[Detected, ...]:
    """How many mutations of each class are taken for wrong, and how many of the unchanged triples."""
    caught = dict.fromkeys(CLASSES, 0)
    of = dict.fromkeys(CLASSES, 0)
    for each in made:
        of[each.kind] += 1
        caught[each.kind] += is_wrong(each.triple)
    unchanged = [each for each in triples if not each.ungrounded]
    rows = [Detected(kind=kind, caught=caught[kind], of=of[kind]) for kind in CLASSES if of[kind]]
    alarms = sum(map(is_wrong, unchanged))
    return (*rows, Detected(kind="unchanged", caught=alarms, of=len(unchanged)))


def _changed(
    kind: MutationClass,
    each: Triple,
    others: Mapping[str, Sequence[str]],
    ontology: Ontology,
    draw: random.Random,
) -> dict[str, object]:
    """The fields that differ; none where the triple has nothing of this class."""
    if kind == "entity":
        return _renamed(each, others, draw)
    if kind == "relation":
        pair = (each.head_type, each.tail_type)
        found = [name for name in ontology.relations if name != each.relation]
        allowed = [name for name in found if pair in ontology.relations[name].pairs]
        return {"relation": draw.choice(allowed or found)}
    if kind == "direction":
        relation = ontology.relations.get(each.relation)
        one_way = relation is not None and relation.inverse != each.relation
        swapped = {"head": each.tail, "tail": each.head}
        return {**swapped, "head_type": each.tail_type, "tail_type": each.head_type} if one_way else {}
    if kind == "negation":
        return {"negated": not each.negated}
    if kind == "modality":
        return {"modality": draw.choice([one for one in get_args(Modality) if one != each.modality])}
    made = {"amount": _amount, "unit": _unit, "date": _date}[kind]
    return made(each, draw)


def _renamed(each: Triple, others: Mapping[str, Sequence[str]], draw: random.Random) -> dict[str, object]:
    for side in draw.sample(("head", "tail"), 2):
        own = getattr(each, side)
        if found := [name for name in others[getattr(each, f"{side}_type")] if name != own]:
            return {side: draw.choice(found)}
    return {}


def _amount(each: Triple, draw: random.Random) -> dict[str, object]:
    if each.value:
        return {"value": type(each.value)(_other_number(str(each.value), draw))}
    told = each.value is None and _DIGIT.search(each.tail) and each.tail_type != "date"
    return {"tail": _other_number(each.tail, draw)} if told else {}


def _unit(each: Triple, draw: random.Random) -> dict[str, object]:
    if each.value is not None and each.unit:
        return {"unit": draw.choice([unit for unit in _UNITS if unit != each.unit])}
    found = next((word for word in _MONEY if word in each.tail), "")
    return {"tail": each.tail.replace(found, _MONEY[found], 1)} if found else {}


def _date(each: Triple, draw: random.Random) -> dict[str, object]:
    if each.period:
        return {"period": _other_period(each.period, draw)}
    year = _YEAR.search(each.tail) if each.tail_type == "date" else None
    if year is None:
        return {}
    other = str(int(year[0]) + draw.choice((-2, -1, 1, 2)))
    return {"tail": each.tail[: year.start()] + other + each.tail[year.end() :]}


def _other_number(written: str, draw: random.Random) -> str:
    """A number with another digit, or ten or a thousand times as much."""
    way = draw.choice(("digit", "digit", "digit", "scale"))
    digits = [match.start() for match in _DIGIT.finditer(written.partition("E")[0])]
    if way == "scale":
        noughts = draw.choice(("0", "000"))
        if "E" in written:
            number, _, power = written.partition("E")
            return f"{number}E{int(power) + len(noughts):+d}"
        whole = re.search(r"\d+(?![\d.,])", written) if "." not in written else None
        if whole:
            noughts = ",000" if "," in written else noughts
            return written[: whole.end()] + noughts + written[whole.end() :]
    told = [at for at in digits if written[at] != "0"] or digits
    at = draw.choice(told)
    other = draw.choice([digit for digit in "123456789" if digit != written[at]])
    return written[:at] + other + written[at + 1 :]


def _other_period(period: str, draw: random.Random) -> str:
    """A period of another year, or one that ends in another month."""
    ends = [date.fromisoformat(each) for each in period.split("/")]
    years = draw.choice((-3, -2, -1, 1, 2, 3))
    if draw.random() < 0.75:
        moved = [each.replace(year=each.year + years, day=min(each.day, 28)) for each in ends]
    else:
        month = draw.choice([month for month in range(1, 13) if month != ends[-1].month])
        moved = [*ends[:-1], ends[-1].replace(month=month, day=min(ends[-1].day, 28))]
    moved = sorted(moved) if len(moved) > 1 else moved
    return "/".join(each.isoformat() for each in moved)
