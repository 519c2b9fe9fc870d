"""Repeated patterns among transfers: what was sent, and nothing of why. Each has harmless causes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

#: So many of a kind are a repetition.
REPEATS: Final = 3
#: Equal to a hundredth: what comes back is often less a fee.
TOLERANCE: Final = Decimal("0.01")
ROUND_TRIP_WITHIN: Final = timedelta(hours=24)
SPLIT_WITHIN: Final = timedelta(hours=1)
#: Smaller parts are no split of a large amount.
SPLIT_LEAST: Final = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class Row:
    """A transfer as the rules see it; ``usd`` is its value at that time."""

    tx: str
    index: int
    at: datetime
    sender: str
    receiver: str
    raw: int
    usd: Decimal


@dataclass(frozen=True, slots=True)
class Signal:
    """A pattern.

    Attributes:
        rule: the name of the rule.
        meaning: what it looks for.
        parameters: with which it looked.
        rows: the transfers that fit it, oldest first.
    """

    rule: str
    meaning: str
    parameters: Mapping[str, str]
    rows: tuple[Row, ...]


def signals(rows: Sequence[Row], threshold: Decimal) -> tuple[Signal, ...]:
    """Every pattern among these transfers, by rule.

    Args:
        rows: transfers of one token.
        threshold: from which value on a transfer is a large one, in US dollars.
    """
    ordered = sorted(rows, key=lambda row: (row.at, row.tx, row.index))
    large = [row for row in ordered if row.usd >= threshold]
    found = (
        *_grouped("same pair", large, lambda row: (row.sender, row.receiver)),
        *_grouped("same amount", large, lambda row: row.raw),
        *_round_trips(large),
        *_splits([row for row in ordered if threshold * SPLIT_LEAST <= row.usd < threshold], threshold),
    )
    return tuple(found)


_MEANINGS: Final = {
    "same pair": "repeated large transfers from one account to another",
    "same amount": "repeated large transfers of exactly the same amount",
}


def _grouped(rule: str, rows: Sequence[Row], key: Callable[[Row], object]) -> Iterator[Signal]:
    groups: dict[object, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    for group in groups.values():
        if len(group) >= REPEATS:
            yield Signal(rule, _MEANINGS[rule], {"repeats": str(REPEATS)}, tuple(group))


def _round_trips(rows: Sequence[Row]) -> Iterator[Signal]:
    """An amount that goes and comes back; each transfer is in one pair at most."""
    spent: set[tuple[str, int]] = set()
    for place, there in enumerate(rows):
        for back in rows[place + 1 :]:
            if (
                (there.sender, there.receiver) == (back.receiver, back.sender)
                and there.sender != there.receiver
                and back.at - there.at <= ROUND_TRIP_WITHIN
                and abs(back.raw - there.raw) <= there.raw * TOLERANCE
                and not spent & {(there.tx, there.index), (back.tx, back.index)}
            ):
                spent |= {(there.tx, there.index), (back.tx, back.index)}
                yield Signal(
                    "round trip",
                    "an amount that goes to an account and comes back from it",
                    {"within": str(ROUND_TRIP_WITHIN), "tolerance": str(TOLERANCE)},
                    (there, back),
                )


def _splits(rows: Sequence[Row], threshold: Decimal) -> Iterator[Signal]:
    """Transfers below the threshold from one account to another that together reach it in a short time."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.sender, row.receiver].append(row)
    for group in groups.values():
        start = 0
        while start < len(group):
            part = [row for row in group[start:] if row.at - group[start].at <= SPLIT_WITHIN]
            if len(part) >= REPEATS and sum((row.usd for row in part), Decimal(0)) >= threshold:
                yield Signal(
                    "split below the threshold",
                    "transfers below the threshold from one account to another that together reach it",
                    {
                        "threshold": f"{threshold} USD",
                        "least part": str(SPLIT_LEAST),
                        "repeats": str(REPEATS),
                        "within": str(SPLIT_WITHIN),
                    },
                    tuple(part),
                )
                start += len(part)
            else:
                start += 1
