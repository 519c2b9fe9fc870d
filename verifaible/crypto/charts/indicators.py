"""Indicators as lines of a chart: a value a candle, None where there are too few candles before it.

Floats are exact enough for a line; the numbers beside a chart are computed from the sealed digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

Line: TypeAlias = list[float | None]


def moving_average(closes: Sequence[float], window: int) -> Line:
    """The simple moving average of the last ``window`` closes."""
    return [
        sum(closes[end - window : end]) / window if end >= window else None
        for end in range(1, len(closes) + 1)
    ]


def rsi(closes: Sequence[float], window: int = 14) -> Line:
    """The relative strength index after Wilder (1978), 0 to 100."""
    line: Line = [None] * min(window, len(closes))
    changes = [after - before for before, after in pairwise(closes)]
    if len(changes) < window:
        return [None] * len(closes)
    gain = sum(max(each, 0) for each in changes[:window]) / window
    loss = sum(max(-each, 0) for each in changes[:window]) / window
    for each in (None, *changes[window:]):
        if each is not None:
            gain = (gain * (window - 1) + max(each, 0)) / window
            loss = (loss * (window - 1) + max(-each, 0)) / window
        line.append(100 * gain / (gain + loss) if gain + loss else 50.0)
    return line


def macd(closes: Sequence[float], fast: int = 12, slow: int = 26, signal: int = 9) -> tuple[Line, Line, Line]:
    """Appel's MACD: line, signal and histogram."""
    line: Line = [
        quick - late if quick is not None and late is not None else None
        for quick, late in zip(_ema(closes, fast), _ema(closes, slow), strict=True)
    ]
    known = [each for each in line if each is not None]
    smooth: Line = [*[None] * (len(line) - len(known)), *_ema(known, signal)]
    bars: Line = [
        value - mean if value is not None and mean is not None else None
        for value, mean in zip(line, smooth, strict=True)
    ]
    return line, smooth, bars


def _ema(values: Sequence[float], window: int) -> Line:
    """The exponential moving average, begun with the mean of the first ``window`` values."""
    if len(values) < window:
        return [None] * len(values)
    line: Line = [None] * (window - 1)
    mean = sum(values[:window]) / window
    line.append(mean)
    for each in values[window:]:
        mean += (each - mean) * 2 / (window + 1)
        line.append(mean)
    return line
