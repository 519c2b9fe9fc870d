"""The figures of the replica: CSV files read as exact decimals, with the words that releases use for them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Sheet:
    """A CSV file of ``data/``: the first column is the key of a row, every cell is text as printed."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The first cell of every row, in the order of the file."""
        return tuple(row[0] for row in self.rows)

    def text(self, key: str, column: str) -> str:
        """Return a cell as printed; raises ``KeyError`` when the row or the column is not in the file."""
        if key not in self.keys or column not in self.columns:
            raise KeyError(f"{self.name} has no cell at row {key!r}, column {column!r}")
        return self.rows[self.keys.index(key)][self.columns.index(column)]

    def number(self, key: str, column: str) -> Decimal:
        """Return a cell as an exact number, in the unit of its column."""
        return Decimal(self.text(key, column))

    def column(self, column: str) -> tuple[Decimal, ...]:
        """Return every number of one column, in the order of the file."""
        return tuple(self.number(key, column) for key in self.keys)

    def step(self, key: str, column: str) -> Decimal:
        """Return how far the row is above the row before it (percentage points in the PMI files)."""
        before = self.keys[self.keys.index(key) - 1]
        return self.number(key, column) - self.number(before, column)

    def until(self, key: str, count: int) -> tuple[tuple[str, ...], ...]:
        """Return ``count`` rows that end at ``key``."""
        end = self.keys.index(key) + 1
        if count > end:
            raise KeyError(f"{self.name} has only {end} rows up to {key!r}, not {count}")
        return self.rows[end - count : end]


def sheet(name: str) -> Sheet:
    """Read ``data/<name>.csv``."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return Sheet(name, tuple(head), tuple(tuple(row) for row in rows))


def price_move(percent: Decimal | str) -> str:
    """Say a price change in per cent the way a release does: ``上涨0.2%``, ``下降0.7%`` or ``持平``."""
    value = Decimal(percent)
    return "持平" if not value else f"{'上涨' if value > 0 else '下降'}{abs(value)}%"


def point_move(points: Decimal) -> str:
    """Say a move of an index against the month before, in percentage points."""
    return "与上月持平" if not points else f"比上月{'上升' if points > 0 else '下降'}{abs(points)}个百分点"


def against_line(index: Decimal) -> str:
    """Say on which side of the line of 50 an index stands."""
    return "位于临界点" if index == 50 else f"{'高于' if index > 50 else '低于'}临界点"


def month_label(month: str, first: bool) -> str:
    """Label a month the way the 13-month tables do: the year stands only where it changes."""
    year, number = month.split("-")
    return f"{year}年{int(number)}月" if first or number == "01" else f"{int(number)}月"


def city_label(city: str) -> str:
    """Spread a short name over four characters: two ideographic spaces, or two no-break ones."""
    return {2: "\u3000\u3000", 3: "\u00a0"}.get(len(city), "").join(city)
