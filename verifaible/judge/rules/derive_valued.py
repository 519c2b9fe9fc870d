"""Plans for two operands that a claim states and names, each with the words of its piece of the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from verifaible.judge.rules.derive_math import PERCENT
from verifaible.judge.rules.derive_plans import Plan, Shape, Span, part_of
from verifaible.judge.rules.derive_words import Value, Words
from verifaible.text.units import unit_kind

_PIECE: Final = re.compile(
    r"[,;()（），。；：→=≈]|\b(?:and|against|on|versus|vs|with|across|over|from|to|relative to"
    r"|compared (?:with|to)|divided by"
    r"|minus|less|times|per|of the|leav(?:es|ing)|left|yields?|based on|at|impl(?:ies|y|ied|ying)|gives|is"
    r"|was|were|are|represents?|exceeded|exceeds|or)\b"
    r"|[×÷/]|除以|减去?|乘以?|与|和|较|比|加上?|以(?=[总归])|计算|对应|[为是]"
)
_NAMES = r"\W*(?:[a-z0-9\ue400-\ue7ff\uefff\uf000'’ -]*|[\u3400-\u9fff\ue400-\ue7ff\uf000]*)\Z"
#: A value behind one of these is the one divided by, or taken away.
_DIVISOR: Final = re.compile(
    r"(?:\b(?:against|versus|vs\.?|on|relative to|divided by|over|across|out of|of (?:the|its|all)"
    r"|per|minus|less"
    r"|compared (?:with|to)|and)\b|[/÷]|除以|减去?|较|比)" + _NAMES
)
#: A first value behind one of these is the whole, or what is taken away.
_OF_ALL: Final = re.compile(
    r"(?:(?:\A|[,;:]\s?)of|\bof (?:the|its|all)|\brelative to|\bagainst|\bdeducting"
    r"|\bsubtracting)\b" + _NAMES
)
#: What leads the base of a change that is stated.
_FROM: Final = re.compile(
    r"(?:\b(?:from|than|versus|vs\.?|against|compared (?:with|to)|below|above|off|beneath|under)\b"
    r"|[从由自较比])"
    r"\s*(?:the |an? |its |about )*" + _NAMES
)
_LESS: Final = re.compile(
    r"surplus|deficit|leav(?:es|ing)|left|net of|minus|less|deduct|subtract|exceed|difference|gap|spread|"
    r"结余|净额|减|差|超过|超出"
)
_RATIO_NAME: Final = re.compile(r"\b([a-z]{3,})s?[- ]to[- ]([a-z]{3,})s?\b")
_EACH_AT: Final = re.compile(r"\s*(?:per\b|apiece\b|each\b|a piece\b|for each\b|for every\b|/)")
_WORTH: Final = re.compile(
    r"\bworth\b|\bvalued?\b|\bimpl(?:y|ies|ying|ied)\b|\bmarket cap|\bvaluation\b|市值|价值"
)
_MIDPOINT: Final = re.compile(r"\bmid-?point\b|中值|中点")
_TIMES: Final = re.compile(r"[×*]|\btimes\b|multipl|\bat (?:an? )?|\beach\b|乘")


def valued(words: Words, result: Value, others: list[Value], way: int) -> Iterator[Plan]:
    """Two operands that a claim states and names, each with the words of its piece of the sentence."""
    spans = [_piece(words, value) for value in others]
    if spans[0] == spans[1]:
        return
    first, second = (part_of(words, span, result=result) for span in spans)
    shape = _valued_shape(words, result, others, way)
    if not first or not second or not first.value or not second.value or shape is None:
        return
    if shape in ("product", "mean"):
        order: int = 1
    elif shape == "change":
        order = _earlier_first(words, others)
    else:
        order = _divided_by_second(words, others)
    if order:
        parts = (first, second) if order > 0 else (second, first)
        yield Plan(shape, result, parts, way if shape == "change" else 0, union=True, defines=True)


def _led_by(words: Words, value: Value, leads: re.Pattern[str]) -> bool:
    """Whether one of some words leads up to a value, with nothing but its name between."""
    return bool(leads.search(words.masked[max(0, value.start - 60) : value.start]))


def _earlier_first(words: Words, values: list[Value]) -> int:
    """1 where the first of two values is told as the base of a change, -1 where the second is; 0: neither."""
    based = [_led_by(words, value, _FROM) for value in values]
    return 0 if based[0] == based[1] else 1 if based[0] else -1


def _divided_by_second(words: Words, values: list[Value]) -> int:
    """1 where the second of two values is told as the one divided by or taken away, -1 where the first is."""
    if named := _RATIO_NAME.search(words.masked):
        pieces = [words.masked[slice(*_piece(words, value))] for value in values]
        for order, (x, y) in ((1, pieces), (-1, pieces[::-1])):
            if named[1] in x and named[2] in y and named[1] not in y and named[2] not in x:
                return order
    if _led_by(words, values[0], _OF_ALL):
        return -1
    return int(_led_by(words, values[1], _DIVISOR))


def _valued_shape(words: Words, result: Value, others: list[Value], way: int) -> Shape | None:
    units = [value.amount.unit for value in others]
    if _MIDPOINT.search(words.masked):
        return "mean" if units[0] == units[1] == result.amount.unit else None
    if way and units[0] == units[1] and (result.percent or result.multiple or result.amount.unit in units):
        return "change"
    if result.percent or result.multiple or result.amount.unit in PERCENT:
        return None if way else "multiple"
    if units[0] == units[1] == result.amount.unit:
        return "minus" if _LESS.search(words.masked) else None
    return _with_price(words, result, others)


def _with_price(words: Words, result: Value, others: list[Value]) -> Shape | None:
    """Money of one sum of money and a number: a price of each of them, or what falls on each."""
    money = [value for value in others if unit_kind(value.amount.unit) == "money"]
    if unit_kind(result.amount.unit) != "money" or len(money) != 1:
        return None
    if _EACH_AT.match(words.masked, money[0].end):
        return "product"
    if re.search(r"\bper\b|每|人均", words.masked):
        return "quotient"
    return "product" if _TIMES.search(words.masked) or _WORTH.search(words.masked) else None


def _piece(words: Words, value: Value) -> Span:
    start = max((m.end() for m in _PIECE.finditer(words.masked, 0, value.start)), default=0)
    end = next((m.start() for m in _PIECE.finditer(words.masked, value.end)), len(words.masked))
    return start, end
