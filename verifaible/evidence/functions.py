"""The functions by which values are computed from data: pure, in decimal arithmetic, each with a version.

What a function gives for its inputs never changes; a change is another version. Series are in the order of
time, oldest first. Percentages are in per cent: 5 means 5 %. Definitions of the indicators: J. Welles Wilder,
New Concepts in Technical Trading Systems (1978); G. Appel, Technical Analysis (2005).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from inspect import Parameter
from itertools import pairwise
from typing import Final, get_type_hints

from verifaible.errors import BadArguments

_HUNDRED: Final = Decimal(100)


def percentage_change(old: Decimal, new: Decimal) -> Decimal:
    """How much ``new`` is above ``old``, in per cent of ``old``."""
    return (new - old) / old * _HUNDRED


def difference(minuend: Decimal, subtrahend: Decimal) -> Decimal:
    """``minuend`` less ``subtrahend``."""
    return minuend - subtrahend


def ratio(numerator: Decimal, denominator: Decimal) -> Decimal:
    """How many times ``denominator`` goes into ``numerator``."""
    return numerator / denominator


def share(part: Decimal, whole: Decimal) -> Decimal:
    """What ``part`` is of ``whole``, in per cent."""
    return part / whole * _HUNDRED


def product(factors: Sequence[Decimal]) -> Decimal:
    """All multiplied: an amount by its price, say."""
    result = Decimal(1)
    for each in factors:
        result *= each
    return result


def scaled(value: Decimal, *, decimals: int) -> Decimal:
    """A whole number of smallest units as an amount of a token that has so many decimals (ERC-20)."""
    return value * Decimal(10) ** -decimals


def total(values: Sequence[Decimal]) -> Decimal:
    """The sum of all: of transfers, say."""
    return sum(_some(values), Decimal(0))


def sum_of_products(amounts: Sequence[Decimal], prices: Sequence[Decimal]) -> Decimal:
    """The sum of each amount by its own price."""
    if len(amounts) != len(prices):
        raise BadArguments(
            f"There are {len(amounts)} amounts and {len(prices)} prices. Give a price for each amount."
        )
    return sum((amount * price for amount, price in zip(amounts, prices, strict=True)), Decimal(0))


def mean(values: Sequence[Decimal]) -> Decimal:
    """The arithmetic mean."""
    return total(values) / len(values)


def minimum(values: Sequence[Decimal]) -> Decimal:
    """The least."""
    return min(_some(values))


def maximum(values: Sequence[Decimal]) -> Decimal:
    """The greatest."""
    return max(_some(values))


def count(values: Sequence[Decimal]) -> Decimal:
    """How many there are."""
    return Decimal(len(values))


def sma(values: Sequence[Decimal], *, period: int) -> Decimal:
    """The simple moving average at the last value: the mean of the last ``period``."""
    return mean(_some(values, period)[-period:])


def ema(values: Sequence[Decimal], *, period: int) -> Decimal:
    """The exponential moving average at the last value: weight 2 / (period + 1), begun with the first."""
    return _ema(_some(values, period), period)[-1]


def rsi(values: Sequence[Decimal], *, period: int = 14, start: str = "first") -> Decimal:
    """Wilder's relative strength index at the last value, 0 to 100.

    Rises and falls are smoothed by the weight 1 / period; ``start`` says what the smoothing begins with: the
    ``first`` change, or the ``mean`` of the first ``period`` changes, as Wilder's own tables do. The further
    the series goes back, the less it matters. Without a change the index is 100, as without a fall.
    """
    _some(values, period + 1)
    changes = [new - old for old, new in pairwise(values)]
    if start not in ("first", "mean"):
        raise BadArguments(f"The RSI cannot start with {start!r}. Say first or mean.")
    begun = period if start == "mean" else 1
    rise = sum((max(each, Decimal(0)) for each in changes[:begun]), Decimal(0)) / period
    fall = sum((max(-each, Decimal(0)) for each in changes[:begun]), Decimal(0)) / period
    for each in changes[begun:]:
        rise = (rise * (period - 1) + max(each, Decimal(0))) / period
        fall = (fall * (period - 1) + max(-each, Decimal(0))) / period
    return _HUNDRED if not fall else _HUNDRED - _HUNDRED / (1 + rise / fall)


def macd(values: Sequence[Decimal], *, fast: int = 12, slow: int = 26) -> Decimal:
    """Moving average convergence/divergence at the last value: the fast average less the slow one."""
    return _macd(values, fast, slow)[-1]


def macd_signal(values: Sequence[Decimal], *, fast: int = 12, slow: int = 26, signal: int = 9) -> Decimal:
    """The signal line of the MACD at the last value: its average, begun where the slow average is whole."""
    return _ema(_macd(_some(values, slow + signal - 1), fast, slow)[slow - 1 :], signal)[-1]


def macd_histogram(values: Sequence[Decimal], *, fast: int = 12, slow: int = 26, signal: int = 9) -> Decimal:
    """The MACD less its signal line, at the last value."""
    return macd(values, fast=fast, slow=slow) - macd_signal(values, fast=fast, slow=slow, signal=signal)


def volatility(values: Sequence[Decimal], *, periods_per_year: int = 0) -> Decimal:
    """The sample standard deviation of the logarithmic returns from value to value, in per cent.

    ``periods_per_year`` makes it a year's by the root of it: 365 for values a day apart. 0: as it is.
    """
    _some(values, 3)
    returns = [(new / old).ln() for old, new in pairwise(values)]
    middle = mean(returns)
    variance = sum(((each - middle) ** 2 for each in returns), Decimal(0)) / (len(returns) - 1)
    return (variance * (periods_per_year or 1)).sqrt() * _HUNDRED


def drawdown(values: Sequence[Decimal]) -> Decimal:
    """The deepest fall from a value to a later one, in per cent of the former: 0, or less."""
    peak, deepest = _some(values)[0], Decimal(0)
    for each in values:
        peak = max(peak, each)
        deepest = min(deepest, (each - peak) / peak)
    return deepest * _HUNDRED


def _some(values: Sequence[Decimal], least: int = 1) -> Sequence[Decimal]:
    if least < 1:
        raise BadArguments("A period is at least 1.")
    if len(values) < least:
        raise BadArguments(
            f"There are {len(values)} values, and at least {least} are needed. Take a longer series, or a "
            "shorter period."
        )
    return values


def _ema(values: Sequence[Decimal], period: int) -> list[Decimal]:
    weight, smoothed = Decimal(2) / (period + 1), [values[0]]
    for each in values[1:]:
        smoothed.append(smoothed[-1] + weight * (each - smoothed[-1]))
    return smoothed


def _macd(values: Sequence[Decimal], fast: int, slow: int) -> list[Decimal]:
    _some(values, max(fast, slow))
    return [quick - late for quick, late in zip(_ema(values, fast), _ema(values, slow), strict=True)]


@dataclass(frozen=True, slots=True)
class Function:
    """A function, by its signature: what can be given by place is an input, what only by name is not.

    Attributes:
        inputs: the names of what it reads.
        single: those of them that are one value and no series.
        parameters: the types of its other parameters.
        defaults: of those that may be left out, as text.
    """

    call: Callable[..., Decimal]
    inputs: tuple[str, ...]
    single: frozenset[str]
    parameters: Mapping[str, type]
    defaults: Mapping[str, str]

    @classmethod
    def of(cls, call: Callable[..., Decimal]) -> Function:
        """What its signature says."""
        hints = get_type_hints(call)
        given = inspect.signature(call).parameters
        inputs = tuple(name for name, each in given.items() if each.kind is not each.KEYWORD_ONLY)
        others = {name: each.default for name, each in given.items() if name not in inputs}
        return cls(
            call=call,
            inputs=inputs,
            single=frozenset(name for name in inputs if hints[name] is Decimal),
            parameters={name: hints[name] for name in others},
            defaults={name: str(each) for name, each in others.items() if each is not Parameter.empty},
        )


_FIRST: Final[tuple[Callable[..., Decimal], ...]] = (
    *(percentage_change, difference, ratio, share, product, scaled, total, sum_of_products, mean, minimum),
    *(maximum, count, sma, ema, rsi, macd, macd_signal, macd_histogram, volatility, drawdown),
)
#: By name and version; a changed function gets a further version, and the old one stays for what was sealed
#: with it.
FUNCTIONS: Final[Mapping[tuple[str, int], Function]] = {
    (call.__name__, 1): Function.of(call) for call in _FIRST
}
