"""The replica's figures (CSV files in ``data/``) and its calendar."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

HERE = Path(__file__).parent

#: The day the site believes it is; every page opens on it.
SYSTEM_DATE = date(2026, 3, 2)
#: First and last calendar day of the two periods for which the data pages answer.
PERIODS = (
    (date(2025, 1, 20), date(2025, 2, 28)),
    (date(2026, 1, 26), SYSTEM_DATE),
)


def rows(name: str) -> list[dict[str, str]]:
    """Rows of ``data/<name>.csv``, in file order."""
    with (HERE / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_date(name: str) -> dict[str, list[dict[str, str]]]:
    """Rows of ``data/<name>.csv`` grouped by their ISO ``date``, days in ascending order."""
    grouped: dict[str, list[dict[str, str]]] = {}
    for row in sorted(rows(name), key=lambda row: row["date"]):
        grouped.setdefault(row["date"], []).append(row)
    return grouped


def days(first: date, last: date) -> Iterator[date]:
    """Every calendar day from ``first`` to ``last``, both included."""
    for offset in range((last - first).days + 1):
        yield first + timedelta(offset)


def asked_days() -> list[str]:
    """Every ISO day the data pages answer for, trading or not."""
    return [day.isoformat() for first, last in PERIODS for day in days(first, last)]


def compact(day: str) -> str:
    """An ISO day as the exchange's services write it: 2025-02-10 becomes 20250210."""
    return day.replace("-", "")
