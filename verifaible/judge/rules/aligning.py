"""Whether a sentence says what a claim says: the same items, in the same roles, and nothing against them.

Each item of the claim is matched to one of the sentence. Names, verbs and other words keep their order, but
for what grammar lets change places: numbers and dates, "the fees of Aave" and "Aave's fees", "A led B" and
"B was led by A". What stands between the matched items, before the first and behind the last must be of no
weight, or be another statement of the same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from verifaible.answers.name_words import words_of
from verifaible.judge.rules.left_out import begins_well, ends_well, nothing_between
from verifaible.judge.rules.periods import implies
from verifaible.judge.rules.phrases import NAMES, Item, Row
from verifaible.judge.rules.quantities import Quantity, liken, units_agree
from verifaible.judge.rules.roles import in_order, is_reduced, roles_agree, turned_round

#: Ways to match the items of one claim that are tried.
_MOST_WAYS: Final = 64
_PERIOD_ROLES: Final = words_of("until till since before after from by")


def says(claim: Row, source: Row, allowed: frozenset[str] = frozenset()) -> bool:
    """Whether a sentence says what a claim says.

    Args:
        claim: the claim.
        source: the sentence.
        allowed: keys of names that the sentence may have where the claim has none.
    """
    return any(
        _fits(claim, row, places, allowed)
        for row in (source, *_gapped(source))
        for places in _ways(claim.items, row.items)
    )


def _ways(claim: Sequence[Item], source: Sequence[Item]) -> Iterator[tuple[int, ...]]:
    """Ways to match each item of a claim to one of a sentence."""
    options = [[at for at, item in enumerate(source) if _same(each, item)] for each in claim]
    if not all(options):
        return
    tried = 0
    stack: list[tuple[int, ...]] = [()]
    while stack and tried < _MOST_WAYS:
        taken = stack.pop()
        if len(taken) == len(claim):
            tried += 1
            yield taken
            continue
        stack += [(*taken, at) for at in reversed(options[len(taken)]) if at not in taken]


def _same(claim: Item, source: Item) -> bool:
    if claim.quantity is not None or source.quantity is not None:
        if claim.quantity is None or source.quantity is None:
            return False
        if (claim.quantity.mention.role == "range") != (source.quantity.mention.role == "range"):
            return False
        if _ends_of_a_way_differ(claim, source):
            return False
        return _alike(claim.quantity, source.quantity)
    if "period" in (claim.kind, source.kind):
        return claim.kind == source.kind and _same_period(claim, source)
    return bool(claim.keys & source.keys) and (claim.kind == "name") == (source.kind == "name")


def _ends_of_a_way_differ(claim: Item, source: Item) -> bool:
    """Whether one value is where something came from, and the other is not."""
    both = {claim.lead, source.lead}
    return len(both) > 1 and "from" in both


def _alike(one: Quantity, other: Quantity) -> bool:
    """Whether one number states the other; a sign that a word gives is left to the word."""
    one, other = _plain(one), _plain(other)
    if not units_agree(one.unit, other.unit, basis=one.basis or other.basis):
        return False
    return liken(one, other) == "same"


def _plain(quantity: Quantity) -> Quantity:
    if quantity.mention.sign_source == "word" and quantity.value < 0:
        return replace(quantity, value=-quantity.value)
    return quantity


def _same_period(claim: Item, source: Item) -> bool:
    roles = {claim.lead, source.lead} & _PERIOD_ROLES
    if roles and claim.lead != source.lead:
        return False
    return any(one == other or implies(other, one) for one in claim.keys for other in source.keys)


def _fits(claim: Row, source: Row, places: tuple[int, ...], allowed: frozenset[str]) -> bool:
    turned = turned_round(claim, source, places)
    return (
        turned is not None
        and in_order(claim, source, places, turned)
        and roles_agree(claim, source, places, turned)
        and nothing_between(claim, source, places, allowed)
        and begins_well(source, places, allowed, reduced=is_reduced(source, places, turned))
        and ends_well(source, places, allowed)
    )


def _gapped(source: Row) -> Iterator[Row]:
    """A sentence's further statements that leave out their verb: "A lost 5, B 3 and C 2"."""
    items = source.items
    numbers = [at for at, item in enumerate(items) if item.kind == "number"]
    if len(numbers) < 2:
        return
    first = numbers[0]
    names = [at for at, item in enumerate(items[:first]) if item.kind in NAMES]
    if len(names) != 1 or not any(item.kind == "word" for item in items[:first]):
        return
    end, at = items[first].end, first + 1
    while at + 1 < len(items):
        name, number = items[at], items[at + 1]
        parted = re.fullmatch(r"\s*[,;]?\s*(?:and\s+|[,;]\s*)?", source.text[end : name.start])
        joined = re.fullmatch(r"[\s$€£:：]*(?:for\s+|with\s+)?", source.text[name.end : number.start])
        apart = source.text[end : name.start].strip() != ""
        if name.kind not in NAMES or number.kind != "number" or not (parted and joined and apart):
            return
        one, other = number.quantity, items[first].quantity
        if one is None or other is None or not units_agree(one.unit, other.unit):
            return
        moved = tuple(
            replace(each, keys=name.keys, kind=name.kind) if place == names[0] else each
            for place, each in enumerate(items[:first])
        )
        last = replace(items[first], quantity=one)
        cut = source.text[: items[first].end]
        yield Row(cut, (*moved, last))
        end, at = number.end, at + 2


def contradicts(claim: Row, source: Row) -> bool:
    """Whether a sentence has a claim's names, verbs and values in other roles: who did what to whom.

    Items that only one of them has do not count.
    """
    if _other_end(claim, source):
        return True
    shared = tuple(each for each in claim.items if any(_same(each, item) for item in source.items))
    if sum(each.kind in NAMES or each.verb for each in shared) < 2:
        return False
    own = Row(claim.text, shared)
    ways = list(_ways(shared, source.items))
    for places in ways:
        turned = turned_round(own, source, places)
        if turned is not None and in_order(own, source, places, turned):
            return False
    return bool(ways)


def _other_end(claim: Row, source: Row) -> bool:
    """Whether a value that something came "to" is, in the sentence, only the one that it came from."""
    for each in claim.items:
        if each.quantity is None or each.lead not in ("from", "to"):
            continue
        alike = [
            item
            for item in source.items
            if item.quantity is not None and _alike(each.quantity, item.quantity)
        ]
        if alike and all(item.lead in ("from", "to") and item.lead != each.lead for item in alike):
            return True
    return False
