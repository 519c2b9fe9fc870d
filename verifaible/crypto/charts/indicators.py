"""Indicators as lines of a chart: a value a candle, None where there are too few candles before it.

They are the functions of :mod:`verifaible.evidence.computed.functions` at every candle, in floats, which are
exact enough for a line; the numbers beside a chart are computed from the sealed digits.
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
    line: Line = [None]
    rise = fall = 0.0
    for place, (old, new) in enumerate(pairwise(closes), start=1):
        keep = window - 1 if place > 1 else 0
        rise = (rise * keep + max(new - old, 0.0)) / window
        fall = (fall * keep + max(old - new, 0.0)) / window
        line.append((100 * rise / (rise + fall) if fall else 100.0) if place >= window else None)
    return line


def macd(closes: Sequence[float], fast: int = 12, slow: int = 26, signal: int = 9) -> tuple[Line, Line, Line]:
    """Appel's MACD: line, signal and histogram."""
    whole = [quick - late for quick, late in zip(_ema(closes, fast), _ema(closes, slow), strict=True)]
    smooth = _ema(whole[slow - 1 :], signal)
    line: Line = [*[None] * (slow - 1), *whole[slow - 1 :]][: len(closes)]
    late = slow + signal - 2
    mean: Line = [*[None] * late, *smooth[signal - 1 :]][: len(closes)]
    bars = [a - b if a is not None and b is not None else None for a, b in zip(line, mean, strict=True)]
    return line, mean, bars


def _ema(values: Sequence[float], window: int) -> list[float]:
    """The exponential moving average, begun with the first value."""
    line = list(values[:1])
    for each in values[1:]:
        line.append(line[-1] + (each - line[-1]) * 2 / (window + 1))
    return line
