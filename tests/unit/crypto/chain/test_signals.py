"""Patterns among transfers: each rule finds its own and nothing else."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from tests.unit.crypto.chain.working import NOW
from verifaible.crypto.chain.parties import Row, signals

THRESHOLD = Decimal(1_000_000)


def _row(number: int, sender: str, receiver: str, usd: int, minutes: int = 0) -> Row:
    return Row(f"0x{number}", 0, NOW + timedelta(minutes=minutes), sender, receiver, usd * 100, Decimal(usd))


PAIR = [_row(number, "a", "b", 1_000_000 + number, 60 * number) for number in range(3)]
SAME = [_row(number, f"s{number}", f"r{number}", 2_000_000) for number in range(3)]
TRIP = [_row(1, "a", "b", 2_000_000), _row(2, "b", "a", 1_985_000, 600)]
SPLIT = [_row(number, "a", "b", 400_000 + number, 10 * number) for number in range(3)]


@pytest.mark.parametrize(
    ("rows", "rules"),
    [
        (PAIR, ["same pair"]),
        (PAIR[:2], []),
        (SAME, ["same amount"]),
        (SAME[:2], []),
        (TRIP, ["round trip"]),
        (TRIP[::-1], ["round trip"]),
        ([TRIP[0], _row(2, "b", "a", 1_900_000, 600)], []),  # a twentieth is missing
        ([TRIP[0], _row(2, "b", "a", 2_000_000, 1500)], []),  # more than a day later
        ([TRIP[0], _row(2, "b", "c", 2_000_000, 600)], []),
        ([_row(1, "a", "a", 2_000_000), _row(2, "a", "a", 2_000_000, 5)], []),  # to itself
        (SPLIT, ["split below the threshold"]),
        (SPLIT[:2], []),
        ([_row(number, "a", "b", 300_000 + number, number) for number in range(3)], []),  # 900,003 together
        ([_row(number, "a", "b", 400_000 + number, 40 * number) for number in range(3)], []),  # too far apart
        ([_row(number, "a", f"b{number}", 400_000, number) for number in range(3)], []),
        ([_row(number, "a", "b", 50_000, number) for number in range(30)], []),  # parts too small
        ([], []),
    ],
)
def test_rule_and_its_counterexamples(rows: list[Row], rules: list[str]) -> None:
    assert [each.rule for each in signals(rows, THRESHOLD)] == rules


def test_signal_names_its_rows_and_parameters() -> None:
    (found,) = signals([*SPLIT, _row(9, "c", "d", 5_000_000)], THRESHOLD)
    assert found.rows == tuple(SPLIT)
    assert found.parameters["repeats"] == "3"
    assert found.parameters["within"] == "1:00:00"


def test_transfer_is_in_one_round_trip() -> None:
    there = [_row(number, "a", "b", 2_000_000 + number, number) for number in range(2)]
    (found,) = [each for each in signals([*there, _row(5, "b", "a", 2_000_000, 60)], THRESHOLD)]
    assert [row.tx for row in found.rows] == ["0x0", "0x5"]


def test_order_of_the_rows_does_not_matter() -> None:
    rows = [*PAIR, *SPLIT, *TRIP]
    assert signals(rows, THRESHOLD) == signals(rows[::-1], THRESHOLD)
