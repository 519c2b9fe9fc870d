"""Bar charts as geometry, in per cent of the width; a page's template draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

#: Pixels from one bar to the next, of the label above it included; of a heading; below the last bar.
_STEP, _HEADING, _FOOT = 38, 30, 24
#: More bars than this make no readable chart; the tables have all.
MAX_BARS: Final = 24
_MAX_LABEL: Final = 30


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a bar: where it begins and how long it is, in per cent; ``kind`` is its style."""

    x: float
    width: float
    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its label; without segments it is a heading. ``y`` is the label's line, in pixels."""

    y: int
    label: str
    whole_label: str
    shown: str = ""
    segments: tuple[Segment, ...] = ()
    whisker: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart; ``described`` tells in words what it shows. ``mark`` is a line across all bars."""

    name: str
    title: str
    described: str
    bars: tuple[Bar, ...]
    height: int
    ticks: tuple[tuple[float, str], ...]
    mark: tuple[float, str] | None = None
    legend: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BarRow:
    """A bar before it has a place: its parts with their styles and texts; without parts it is a heading."""

    label: str
    shown: str = ""
    parts: tuple[tuple[float, str, str], ...] = ()
    whisker: tuple[float, float] | None = None


def bar_chart(
    name: str,
    title: str,
    unit: str,
    rows: Sequence[BarRow],
    most: float,
    *,
    mark: tuple[float, str] | None = None,
    legend: tuple[tuple[str, str], ...] = (),
) -> Chart:
    """A chart of bars.

    Args:
        name: of the chart, for ids in a page.
        title: above it.
        unit: of its values, in words.
        rows: from the top.
        most: the value that is as long as the page is wide.
        mark: a line across all bars: its value and its name.
        legend: styles and what they mean.
    """
    scale = 100 / most if most > 0 else 0.0
    bars, y = [], 0
    for row in rows:
        bars.append(_placed(row, y, scale))
        y += _STEP if row.parts else _HEADING
    ticks = tuple((25.0 * at, _short(most * at / 4)) for at in range(5))
    line = (round(mark[0] * scale, 2), mark[1]) if mark and mark[0] <= most else None
    return Chart(name, title, _described(unit, rows, mark), tuple(bars), y + _FOOT, ticks, line, legend)


def _placed(row: BarRow, y: int, scale: float) -> Bar:
    segments, x = [], 0.0
    for value, kind, text in row.parts:
        width = value * scale
        if width > 0:
            segments.append(Segment(round(x, 2), round(width, 2), kind, text if width >= 5 else ""))
        x += width
    whisker = (round(row.whisker[0] * scale, 2), round(row.whisker[1] * scale, 2)) if row.whisker else None
    label = row.label if len(row.label) <= _MAX_LABEL else row.label[: _MAX_LABEL - 1] + "…"
    return Bar(y + 15, label, row.label, row.shown, tuple(segments), whisker)


def _short(value: float) -> str:
    if value >= 10_000:
        return f"{value / 1000:.0f}K"
    return f"{value:.0f}" if value >= 20 or value == 0 else f"{value:.2g}"


def _described(unit: str, rows: Sequence[BarRow], mark: tuple[float, str] | None) -> str:
    told = []
    for row in rows[:MAX_BARS]:
        ends = f" ({row.whisker[0]:.0f} to {row.whisker[1]:.0f})" if row.whisker else ""
        told.append(f"{row.label} {row.shown}{ends}" if row.parts else f"{row.label}:")
    more = f" And {len(rows) - MAX_BARS} more." if len(rows) > MAX_BARS else ""
    line = f" A line marks {mark[1]}." if mark else ""
    return f"Bars, in {unit}. {'; '.join(told)}.{more}{line} The table has the figures."
