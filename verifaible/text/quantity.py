"""A number in a text, and what numbers are to each other: ends of a range, levels before and after, lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import Final, Literal, TypeAlias

from verifaible.text.cldr import Codes
from verifaible.text.qualifiers import Limit
from verifaible.text.words import any_of

#: ``date``: part of a date or a time of day; ``marker``: of a citation marker, an address, a code, a version;
#: ``range``: one end of a range.
Role: TypeAlias = Literal["value", "date", "marker", "ordinal", "range"]
Edge: TypeAlias = Literal["", "low", "high"]

#: Digits beyond those of a number with which it is reckoned: the largest scale has thirteen.
_SPARE: Final = 28


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    Attributes:
        value: signed, as written: without the scale (``72.4亿`` has 72.4).
        scale: the factor of ``亿``, ``million`` and so on; 1 without one.
        unit: as :mod:`verifaible.text.units` names it; empty without a known one.
        currencies: the codes that its currency can be, the likeliest first.
        start, end: code points where sign, currency or digits begin, and behind digits, scale and unit.
        raw: ``text[start:end]``.
        unit_raw: scale and unit behind the digits, as written.
        places: the exponent of the last digit shown: 0 of a whole number, -2 of 36.36.
        sign: what gives its sign: ``sign``, ``word`` (fell, 下降), ``brackets`` (as accounts do), or nothing.
        limit: the text gives it as a limit, not as the value.
        about: the text says that it is roughly so.
        negated: the text denies it (``rather than 36``, ``did not fall 0.3%``).
        earlier: the text gives it as the level before a change (5.4 in ``from 5.4 to 5.3``).
        worded: a share in words ("two-thirds"), in per cent; how exact it is, the words leave open.
        ticker: capitals right behind it that are no known unit: ``SOL`` in ``32 SOL``.
        flow: it is said to flow in or out.
        edge: which end of a range it is.
        role: what it is in the text.
    """

    value: Decimal
    start: int
    end: int
    raw: str
    scale: Decimal = Decimal(1)
    unit: str = ""
    currencies: Codes = ()
    unit_raw: str = ""
    places: int = 0
    sign: Literal["", "sign", "word", "brackets"] = ""
    limit: Limit = ""
    about: bool = False
    negated: bool = False
    earlier: bool = False
    worded: bool = False
    ticker: str = ""
    flow: Literal["", "in", "out"] = ""
    edge: Edge = ""
    role: Role = "value"

    @property
    def scaled_value(self) -> Decimal:
        """The value times its scale: ``72.4亿`` gives 7240000000."""
        with localcontext() as exact:
            exact.prec = len(self.value.as_tuple().digits) + _SPARE
            return self.value * self.scale


# --- what numbers are to each other

_JOIN: Final = re.compile(rf"\s?(?:[-~—〜～]|(?P<word>{any_of('ranges', 'to')}))\s?")
_BETWEEN: Final = re.compile(rf"{any_of('ranges', 'between')}\s*\Z", re.IGNORECASE)
_AND: Final = re.compile(rf"\s*{any_of('ranges', 'and')}\s*", re.IGNORECASE)
_BETWEEN_AFTER: Final = re.compile(r"\s*之间")
_FROM_NEAR: Final = re.compile(rf"{any_of('ranges', 'from')}\s*(?:约|about)?\s*\Z", re.IGNORECASE)
_RANGING: Final = re.compile(any_of("ranges", "ranging"), re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[。！？!?；;\n\t|]|\.\s")
_FROM: Final = re.compile(r"from|von|[从由自]", re.IGNORECASE)
_FILL: Final = f"{any_of('ranges', 'fillers')}*"
#: "From" or 由 and the words up to an earlier level; 从…看 and 由于 open something else.
_FROM_BEFORE: Final = re.compile(
    rf"(?:\b(?i:from){_FILL}|(?:从(?![而事])|由(?!于)|(?<!来)自(?![然由己从]))"
    r"(?:\d{1,4}[年月日]|[^\d,，。；;、看来起为是示]){0,10})\Z"
)
_TO_BEFORE: Final = re.compile(rf"(?:\b(?i:to){_FILL}|(?:至|(?<!达)到|[变调改升降]为|变成)了?\s*约?\s*)\Z")
#: "4.4, down from 4.9": the earlier level stands last.
_DOWN_FROM: Final = re.compile(
    rf"[\s,，(]*(?i:(?P<verb>down|up|lowered|raised|cut|reduced|changed)\s+)?(?i:from){_FILL}"
)
_COORDINATOR: Final = re.compile(r"\s*(?:,?\s*(?:和|与|及|以及|或|and|or)|、|,|，|;)\s*", re.IGNORECASE)
#: A change is told within this many code points; the longest seen names two dates.
_CHANGE_WINDOW: Final = 80


def related(flat: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """The same quantities with the ends of ranges, earlier levels and the signs of lists marked."""
    return _with_earlier(flat, _coordinated(flat, _with_ranges(flat, quantities)))


def _with_ranges(flat: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Mark both ends of ranges, and the parts of codes such as ``010-1234``."""
    marked = list(quantities)
    for at in range(1, len(marked)):
        first, second = marked[at - 1], marked[at]
        if first.role not in ("value", "range") or second.role != "value":
            continue
        join = _JOIN.fullmatch(flat, first.end, second.start)
        between = _between(flat, first, second)
        if not between and (not join or (join["word"] and _is_change(flat, first, second))):
            continue
        word = between or bool(join and join["word"])
        role: Role = "range" if word or abs(first.value) < abs(second.value) else "marker"
        fall = first.sign == "word" and not second.sign and not between
        edges: tuple[Edge, Edge] = ("low", "high") if role == "range" else ("", "")
        marked[at] = replace(second, role=role, value=-second.value if fall else second.value, edge=edges[1])
        if role == "range":
            first, marked[at] = _shared(first, marked[at])
        marked[at - 1] = replace(first, role=role, edge=edges[0])
    return marked


def _shared(first: Quantity, second: Quantity) -> tuple[Quantity, Quantity]:
    """Both ends of a range with the scale, unit and currency that only one of them shows."""
    if first.scale == 1 != second.scale and abs(first.value) < abs(second.value):
        first = replace(first, scale=second.scale)
    if not first.unit:
        return replace(first, unit=second.unit, currencies=second.currencies), second
    if first.currencies and not second.unit:
        return first, replace(second, unit=first.unit, currencies=first.currencies)
    return first, second


def _between(flat: str, first: Quantity, second: Quantity) -> bool:
    if not _AND.fullmatch(flat, first.end, second.start):
        return False
    return bool(
        _BETWEEN.search(flat[max(0, first.start - 12) : first.start])
        or _BETWEEN_AFTER.match(flat, second.end)
    )


def _is_change(flat: str, first: Quantity, second: Quantity) -> bool:
    """Whether "A to B" is a change: from A to B, or by A to B (下调0.5个百分点至4.9%)."""
    if _RANGING.search(flat[max(0, first.start - 30) : first.start]):
        return False
    if first.sign == "word" or (first.unit and second.unit and first.unit != second.unit):
        return True
    if first.unit and not second.unit and not first.currencies:
        return True
    return bool(_FROM_NEAR.search(flat[max(0, first.start - 12) : first.start]))


def _with_earlier(flat: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Mark the levels that the text says were left for another."""
    result = list(quantities)
    if not _FROM.search(flat):
        return result
    values = [at for at, each in enumerate(quantities) if each.role == "value"]
    for place, at in enumerate(values):
        first = quantities[at]
        left = bool(_FROM_BEFORE.search(flat[max(0, first.start - 30) : first.start])) and any(
            _new_level(flat, first, quantities[later]) for later in values[place + 1 : place + 4]
        )
        if left or (place and _down_from(flat, quantities[values[place - 1]], first)):
            result[at] = replace(first, earlier=True)
    return result


def _new_level(flat: str, first: Quantity, second: Quantity) -> bool:
    between = flat[first.end : second.start]
    if len(between) > _CHANGE_WINDOW or _SENTENCE_END.search(between):
        return False
    same_unit = not first.unit or not second.unit or first.unit == second.unit
    return same_unit and bool(_TO_BEFORE.search(between))


def _down_from(flat: str, first: Quantity, second: Quantity) -> bool:
    """Whether ``second`` is the earlier level of ``4.4, down from 4.9`` or ``to 4.4 from 4.9``."""
    join = _DOWN_FROM.fullmatch(flat, first.end, second.start)
    return bool(join and (join["verb"] or _TO_BEFORE.search(flat[max(0, first.start - 30) : first.start])))


def _coordinated(flat: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Hand the sign of a direction word on along a coordinated list."""
    result = list(quantities)
    for at in range(1, len(result)):
        first, second = result[at - 1], result[at]
        if (
            first.sign == "word"
            and first.role == second.role == "value"
            and not second.sign
            and (first.unit, first.scale) == (second.unit, second.scale)
            and _COORDINATOR.fullmatch(flat, first.end, second.start)
        ):
            negated = first.negated or second.negated
            result[at] = replace(second, value=-second.value, sign="word", negated=negated)
    return result
