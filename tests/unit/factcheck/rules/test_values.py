"""The suite of values: a claim's number is stated by a source's, by value, unit, sign, rounding and period."""

from __future__ import annotations

import pytest

from tests.kit.suites import Row, load
from verifaible.factcheck.numbers.periods import agree, find_periods
from verifaible.factcheck.numbers.quantities import Quantity, liken_as, quantities


def values_of(text: str) -> tuple[list[Quantity], set[str], set[str]]:
    periods = find_periods(text)
    spans = [(period.start, period.end) for period in periods]
    values = [each for each in quantities(text) if not any(s < each.end and each.start < e for s, e in spans)]
    dates = {period.value for period in periods if period.dated}
    return values, dates, {period.value for period in periods if not period.dated}


def states(claim: str, source: str) -> bool:
    """Whether each value of the claim is stated by one of the source, for the same period."""
    values, dates, windows = values_of(claim)
    there, there_dates, there_windows = values_of(source)
    if windows != there_windows or not agree(dates, there_dates):
        return False
    ranges = [each for each in there if each.mention.role == "range"]
    held = all(
        any(
            liken_as(each, other.unit, other.value, other.half, stated=other) == "same"
            and each.mention.role == other.mention.role
            and each.mention.earlier == other.mention.earlier
            for other in there
        )
        for each in values
    )
    return (
        held and bool(values or dates) and not (ranges and not any(v.mention.role == "range" for v in values))
    )


@pytest.mark.parametrize("row", load("values", split="dev"), ids=lambda row: row.id)
def test_values_are_compared_by_value(row: Row) -> None:
    assert states(row.input["claim"], row.input["source"]) is row.expect["states"]
