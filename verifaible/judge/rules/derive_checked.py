"""The check of a derivation that a judge, or anybody, proposes: every part of it is looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from verifaible.anchoring.quote import exact_spans
from verifaible.judge.rules.derive_bind import in_own_unit, states
from verifaible.judge.rules.derive_frames import direction_at
from verifaible.judge.rules.derive_math import (
    PERCENT,
    TIMES,
    Amount,
    DerivationError,
    compute,
    factor_of,
    fits,
    unit_of_result,
)
from verifaible.judge.rules.derive_words import Value, Words, words_of
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.reading import Reading
from verifaible.schema.analyst import Claim
from verifaible.schema.judged import Derivation, Finding, Operand, Operation

#: How a source states a value that is not simply so; nothing follows from it.
_NO_FACT: Final = frozenset(("denied", "question"))


@dataclass(frozen=True, slots=True)
class Given:
    """An operand as it is proposed: what it is called, words that hold it, the id of their source, its value.

    ``value`` is scaled (1.2 billion is 1200000000); a percentage is 5.3, not 0.053.
    """

    name: str
    quote: str
    source: str
    value: Decimal


def checked(operation: Operation, given: Sequence[Given], claim: Claim, library: Library) -> Finding:
    """Check a proposed derivation of a value of a claim.

    Every quote must stand in its source, to the byte or folded alike; the value must be one that stands in
    the quote; the units must allow the operation; and what comes out must be a value of the claim, as it is
    rounded and with its direction. The order is that of :class:`~verifaible.schema.judged.Derivation`.

    Returns:
        A finding ``derived``, with the derivation and a passage for each operand.

    Raises:
        DerivationError: says what of it does not hold.
    """
    readings = [_located(each, library) for each in given]
    values = [reading.value for reading in readings]
    if operation == "product":
        values = [r.value / 100 if r.unit in PERCENT else r.value for r in readings]
    words = words_of(claim.text, library.at)
    result, unit = _result(operation, readings, values, words)
    if not any(_is(value, result, unit, operation, words) for value in words.values):
        raise DerivationError(
            f"The {operation.replace('_', ' ')} of these operands is {_plain(result)}{unit}, and the claim "
            f"does not say "
            "so. Name the operands that give the claim's value, or do not call it derived."
        )
    names = [each.name for each in given]
    derivation = Derivation(
        operation=operation,
        operands=tuple(
            Operand(name=each.name, value=reading.value, unit=reading.unit, passage=reading.passage)
            for each, reading in zip(given, readings, strict=True)
        ),
        result=result,
        unit=unit,
    )
    return Finding(
        verdict="derived",
        passages=tuple(reading.passage for reading in readings),
        derivation=derivation,
        reason=f"{operation.replace('_', ' ')} of {', '.join(names)} gives {_plain(result)}{unit}.",
    )


def _located(given: Given, library: Library) -> Reading:
    """The reading that an operand names."""
    pair = next(((source, text) for source, text in library.pairs if source.id == given.source), None)
    if pair is None:
        raise DerivationError(
            f"No source is called {given.source!r}. Use the ids of the sources that were given."
        )
    spans = exact_spans(pair[1], given.quote) if given.quote.strip() else []
    if not spans:
        raise DerivationError(
            f"{given.source} does not hold the words {given.quote[:80]!r}. Quote it to the letter."
        )
    wanted = Value(Amount(given.value), 0, 0)
    for reading in library.readings((given.source,)):
        inside = any(start <= reading.start and reading.end <= end for start, end in spans)
        if inside and not reading.manner & _NO_FACT and _same_value(reading, wanted):
            return reading
    raise DerivationError(
        f"{given.value} does not stand in the words {given.quote[:80]!r} of {given.source}. Give the value "
        f"as it stands "
        "there, with its scale written out."
    )


def _same_value(reading: Reading, wanted: Value) -> bool:
    if states(reading, wanted):
        return True
    return abs(reading.value) == abs(wanted.amount.value)


def _result(
    operation: Operation, readings: Sequence[Reading], values: Sequence[Decimal], words: Words
) -> tuple[Decimal, str]:
    if operation == "convert" and len(readings) == 1:
        return _converted(readings[0], words)
    result = compute(operation, values)
    if operation == "convert":
        return result, next((value.amount.unit for value in words.values if value.amount.unit), "")
    unit = unit_of_result(operation, [reading.unit for reading in readings])
    if unit is None:
        units = ", ".join(reading.unit or "none" for reading in readings)
        raise DerivationError(
            f"There is no {operation} of values in these units: {units}. Name operands that go together."
        )
    return result, unit


def _converted(reading: Reading, words: Words) -> tuple[Decimal, str]:
    """A value in the unit of the claim."""
    value, source = in_own_unit(reading)
    for claimed in words.values:
        factor = factor_of(source, claimed.amount.unit)
        if factor is not None and claimed.amount.unit != source:
            return compute("convert", (value, factor)), claimed.amount.unit
    raise DerivationError(
        f"No fixed factor leads from {source or 'a number without a unit'} to a unit of the claim. Give "
        f"the rate, with a "
        "quote, as second operand."
    )


def _is(value: Value, result: Decimal, unit: str, operation: Operation, words: Words) -> bool:
    """Whether a value of the claim is what comes out."""
    claimed = value.amount
    if operation in ("percent_change", "share") and claimed.unit not in PERCENT:
        return False
    if operation not in ("ratio",) and value.multiple:
        return False
    shown = claimed.value
    if operation in ("percent_change", "difference") and (way := direction_at(words, value)):
        shown = shown if way > 0 else -abs(shown)
    return fits(
        result,
        unit,
        Amount(shown, "" if claimed.unit == TIMES else claimed.unit, claimed.half),
        loose=value.loose,
    )


def _plain(value: Decimal) -> str:
    rounded = f"{value:.6f}".rstrip("0").rstrip(".")
    return rounded or "0"
