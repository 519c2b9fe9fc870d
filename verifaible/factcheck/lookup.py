"""What the figures of a claim are of, by where the same figures stand: siblings are told apart by names.

A figure is bound by what its place has and no sibling of it has: its row, its column, its part of a
sentence. A claim that names a sibling and nothing of the place where its figure stands is refuted by the
sibling; so is one whose figure stands nowhere and that no calculation over what it names gives. No word of
any language is known, so that nothing is supported here: a verb may turn all the rest around.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from typing import Final

from verifaible.factcheck.figures import (
    Number,
    figures,
    fits,
    has_digits,
    is_name,
    is_near,
    numbers_of,
    tells,
    units_told,
)
from verifaible.factcheck.named_numbers import Place, label_numbers
from verifaible.factcheck.plain_words import denial
from verifaible.factcheck.reckoning import Asked
from verifaible.factcheck.source import ReadSource
from verifaible.schema.analyst import Claim
from verifaible.schema.verdict import Passage, Verdict
from verifaible.text.units import factor, unit_kind

#: Values of a paragraph that are put together.
_MOST_IN_BLOCK: Final = 16
#: A claim is a sentence; in longer texts names stand by chance.
_LONGEST: Final = 400
_MOST_NUMBERS: Final = 6
_MOST_PLACES: Final = 3000
#: What a limit is told of may differ from it by this share.
_BEYOND: Final = Decimal("0.15")
#: Digits that a figure must show to be missed, and where it is told roughly or must be like no other.
_SHOWN, _PLAIN = 2, 3
#: Sources of fewer code points say too little for their silence to mean anything.
_SAYS_SOMETHING: Final = 200
_RATIOS: Final = ("%", "pp")
#: What a sentence must share with a claim, as words that no other has, and the part that another may share.
_WORTH, _CLEAR = 1.0, 0.5


def look_up(claim: Claim, sources: Sequence[ReadSource], places: Sequence[Place]) -> Verdict | None:
    """A refutation of a claim by where its figures stand in the sources; None where that says nothing."""
    text = claim.text
    if len(text) > _LONGEST or denial(text):
        return None
    numbers = numbers_of(text)
    labels = frozenset[str]().union(*map(label_numbers, sources))
    told = [each for each in numbers if each.raw and not is_name(each, text) and each.raw not in labels]
    if not 0 < len(told) <= _MOST_NUMBERS or len(places) > _MOST_PLACES:
        return None
    asked = Asked(text, claim.context, told, [each for each in numbers if not each.raw], sources, places)
    wrong = ((number, _wrong(asked, number)) for number in told)
    return next((found for number, found in wrong if found and not _follows(asked, number)), None)


def _follows(asked: Asked, number: Number) -> bool:
    """Whether values of one paragraph give a figure: two of them, or some that follow one another."""
    if number.significant < _PLAIN:
        return False  # two values give any short figure by chance
    blocks: dict[tuple[int, int], list[Decimal]] = {}
    for place in asked.places:
        if place.kind == "prose" and not place.is_year:
            scaled = place.value.quantity.scaled_value
            blocks.setdefault((id(place.source), place.block), []).append(abs(scaled))
    target, half = number.value * number.scale, number.half * number.scale
    for values in blocks.values():
        pairs = [pair for pair in combinations(values[:_MOST_IN_BLOCK], 2) if all(pair)]
        made = [result for a, b in pairs for result in (a * b, a / b, b / a, a + b, abs(a - b))]
        for size in range(3, min(len(values), _MOST_IN_BLOCK) + 1):
            for start in range(len(values) - size + 1):
                total = sum(values[start : start + size], Decimal(0))
                made += [total, total / size]
        if any(abs(each - target) <= half for each in made):
            return True
    return False


def _wrong(asked: Asked, number: Number) -> Verdict | None:
    """What is wrong with one figure; None where nothing is, or where that cannot be told."""
    quantity = number.quantity
    limited = quantity is not None and bool(quantity.limit)
    rough = limited or (quantity is not None and quantity.about)
    here = [place for place in asked.places if _states(place, number)]
    if not rough and (found := _by_table(asked, number, here)):
        return found
    if here:
        return None if rough else _by_sibling(asked, number, here)
    if found := _in_another_unit(asked, number):
        return found
    return None if number.significant < (_PLAIN if rough else _SHOWN) else _nowhere(asked, number, limited)


def _nowhere(asked: Asked, number: Number, limited: bool) -> Verdict | None:
    """No source has the figure, and nothing near what the claim is about gives it."""
    if limited and _is_within(asked, number):
        return None
    if found := _instead(asked, number):
        return found
    says_little = sum(len(source.text) for source in asked.sources) < _SAYS_SOMETHING
    if says_little or not asked.telling or not asked.is_read_for or _has(asked, number):
        return None
    if asked.makes(number):
        return None
    return Verdict(
        outcome="not_found",
        decided_by="lookup",
        reason=f"No source has {number.raw}, and no values near what the claim is about make it.",
    )


def _states(place: Place, number: Number) -> bool:
    """Whether the same figure stands at a place, as far as its digits and its unit tell."""
    if units_told(number.unit, place.unit, alone=place.is_no_ratio) != "other":
        return fits(place.number, number)
    per = None if {place.unit, number.unit} == set(_RATIOS) else factor(place.unit, number.unit)
    return per is not None and any(
        abs(value * per - number.value) <= max(number.half, place.number.half * per)
        for value in place.number.ways
    )


# --- tables


def _by_table(asked: Asked, number: Number, here: Sequence[Place]) -> Verdict | None:
    """A table of which the claim names one row or one column, or both, that do not have the figure."""
    if any(place.kind != "cell" and asked.shares(place) for place in here):
        return None
    found = [each for cells in asked.tables() if (each := _in_table(asked, number, here, cells))]
    return found[0] if len(found) == 1 else None


def _in_table(asked: Asked, number: Number, here: Sequence[Place], cells: Sequence[Place]) -> Verdict | None:
    rows = asked.named({place.row: place.near for place in cells})
    columns = asked.named({place.column: place.head for place in cells})
    inside = [place for place in here if place.table is cells[0].table]
    # Of several figures of a kind one may be of a row or column that the claim names, and one of its sibling.
    several = sum(units_told(number.unit, each.unit) != "other" for each in asked.told) > 1
    if several and any(place.row in rows or place.column in columns for place in inside):
        return None
    if len(rows) > 1 or not (rows or (len(columns) == 1 and inside)):
        return None
    named = [
        place
        for place in cells
        if (not rows or place.row in rows) and (len(columns) != 1 or place.column in columns)
    ]
    fit = [place for place in named if units_told(number.unit, place.unit) != "other"]
    elsewhere = any((place.near | place.head) & asked.has for place in here if place not in inside)
    if not fit or elsewhere or any(place in named for place in inside):
        return None
    of_all = bool(rows) and any(_is_total(place, cells) for place in inside)
    of_kind = number.unit not in _RATIOS or any(place.unit == number.unit for place in fit)
    if of_all or not of_kind or any(is_near(place.number, number) for place in fit):
        return None
    beside = any(place.column == other.column for place in inside for other in fit) and bool(rows)
    copied = beside and number.significant >= _SHOWN  # a cell is likelier than a calculation
    if not copied and asked.reckoning(number, strict=bool(inside)).gives(asked.places, of=set(named)):
        return None
    return _refuted(number, fit if rows else inside)


def _is_total(place: Place, cells: Sequence[Place]) -> bool:
    """Whether a cell is what the others of its column add up to: it needs no name."""
    beside = [each.number.value for each in cells if each.column == place.column and each is not place]
    return abs(sum(beside, Decimal(0)) - place.number.value) <= abs(place.number.value) / 100


# --- sentences


def _by_sibling(asked: Asked, number: Number, here: Sequence[Place]) -> Verdict | None:
    """A sentence, or a part of one, that the claim names where none of those with its figure is named."""
    if any(place.kind != "prose" for place in here):
        return None
    found = [
        place
        for place in _of_a_kind(asked, number)
        if place not in here and all(_beats(asked, place, other) for other in here)
    ]
    has = asked.has
    best = [each for each in found if not any(each.line & has < other.line & has for other in found)]
    if len({each.first for each in best}) != 1 or any(is_near(each.number, number) for each in best):
        return None
    if len({each.near for each in best}) > 1:  # what names several of them is of none of them alone
        return None
    if asked.reckoning(number, strict=True).gives(asked.places, of=set(best)):
        return None
    return _refuted(number, best)


def _of_a_kind(asked: Asked, number: Number) -> list[Place]:
    """Values of the same unit in sentences about the same, but those that the claim states as well."""
    stated = [each for each in asked.told if each is not number]
    return [
        place
        for place in asked.places
        if place.kind == "prose"
        and place.number.raw
        and not place.is_year
        and units_told(number.unit, place.unit) == "same"
        and not any(fits(place.number, each) for each in stated)
        and asked.is_about(place)
    ]


def _beats(asked: Asked, one: Place, other: Place) -> bool:
    """Whether the claim names what one place has and the other has not, and nothing the other way round."""
    same = one.first == other.first
    ours, theirs = (one.near, other.near) if same else (one.line | one.over, other.line | other.over)
    own = {word for word in (ours - theirs) & asked.has if tells(word)}
    return len(own) > (0 if same else 1) and not any(map(tells, (theirs - ours) & asked.nearby))


# --- nowhere


def _in_another_unit(asked: Asked, number: Number) -> Verdict | None:
    """The same digits in another unit, at a place that the claim names."""
    found = [
        place
        for place in asked.places
        if number.unit
        and place.kind == "prose"
        and number.quantity is not None
        and number.quantity.raw not in place.value.quantity.raw
        and number.value in place.number.ways
        and number.scale == place.number.scale
        and units_told(number.unit, place.unit, alone=place.is_no_ratio) == "other"
        # Few digits are the same by chance where the units measure different things.
        and (number.significant >= _PLAIN or unit_kind(number.unit) == unit_kind(place.unit))
        and (
            asked.is_about(place)
            or _is_own(asked, place)
            or (number.significant >= _PLAIN and factor(place.unit, number.unit) is not None)
        )
    ]
    lines = {each.first for each in found}
    line = [each for each in asked.places if each.first in lines]
    if not found or asked.reckoning(number, strict=True).gives(line):
        return None
    return _refuted(number, found[:1])


def _is_own(asked: Asked, place: Place) -> bool:
    """Whether the claim names what stands in this place and nowhere else among the places."""
    words = {word for word in (place.near | place.over) & asked.has if tells(word)}
    for each in asked.places:
        if each.first != place.first or each.near != place.near:
            words -= each.near | each.over
    return bool(words)


def _has(asked: Asked, number: Number) -> bool:
    """Whether the digits stand anywhere in the sources, in a date or a name as well."""
    return any(
        fits(each, number) or (number.significant >= _PLAIN and has_digits(each, number))
        for source in asked.sources
        for each in figures(source.text)
    )


def _is_within(asked: Asked, number: Number) -> bool:
    """Whether some value is near enough to a limit to be what it is told of."""
    return any(
        abs(value - number.value) <= number.value * _BEYOND
        for place in asked.places
        if not place.is_year
        for value in place.number.ways
    )


def _instead(asked: Asked, number: Number) -> Verdict | None:
    """The one value of its kind in the one sentence that the rest of the claim singles out."""
    worth = asked.worth(number)
    best, unlike = (*sorted(worth, key=lambda line: -worth[line])[:2], None, None)[:2]
    if best is None or worth[best] < _WORTH or (unlike and worth[unlike] > worth[best] * _CLEAR):
        return None
    line = asked.lines[best]
    if line[0].kind != "prose":
        return None
    free = [place for place in line if place.number.raw and not place.is_year]
    shared = [each for each in asked.told if each is not number and any(fits(p.number, each) for p in free)]
    said = [
        place
        for place in free
        if units_told(number.unit, place.unit) == "same"
        and not any(fits(place.number, each) for each in shared)
    ]
    # without a unit, and beside others, only the claim's other figures tell that it is the same value
    if (len(said) != 1 and not (said and shared)) or not (number.unit or shared):
        return None
    if any(is_near(place.number, number) or not _is_as_large(place.number, number) for place in said):
        return None
    if shared:  # it is about this sentence; else its figure may be reckoned from any
        made = asked.reckoning(number, strict=True).gives(asked.places, of=set(said))
    else:
        made = asked.makes(number)
    return None if made else _refuted(number, said)


def _is_as_large(one: Number, other: Number) -> bool:
    """Whether two values may be told of one thing: neither is ten times the other."""
    first, second = (each.value * each.scale for each in (one, other))
    return first < 10 * second and second < 10 * first


def _refuted(number: Number, places: Sequence[Place]) -> Verdict:
    where = (
        Passage.of(each.source.source, each.source.text, each.first, each.value.last, each.value.pointer)
        for each in places
    )
    lines = tuple(dict.fromkeys(where))[:3]
    said = " … ".join(" ".join(line.quote.split()) for line in lines)
    (first, *others) = places
    stated = f": {said}" if others else f" {first.source.text[first.value.start : first.value.end]}."
    return Verdict(
        outcome="contradicted",
        decided_by="lookup",
        passages=lines,
        said=said,
        reason=f"The claim says {number.raw}; a source says{stated}",
    )
