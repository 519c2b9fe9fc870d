"""The tool ``klineAnalysisTool``: candles as a chart, and what they say in numbers."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from pydantic import Field

from verifaible.crypto.charts.draw import AVERAGES, Chart, draw
from verifaible.crypto.providers.candles import INTERVALS, Candles, candles
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.json_values import TIME, fields, table
from verifaible.crypto.providers.session import Api
from verifaible.errors import BadArguments
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, Display, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool

#: More candles make no readable chart.
MOST_CANDLES: Final = 400
_YEAR: Final = timedelta(days=365)
_SHOWN: Final = fields(f"0 time {TIME}\n1 open\n2 high\n3 low\n4 close\n5 volume")


class _Number(NamedTuple):
    """A number beside a chart: what it is, and what of the candles it is computed from.

    ``reads`` names the values of the period; ``history`` takes in the closes before it too, as the answer has
    them, since smoothed indicators need them. ``least`` is how many candles it needs.
    """

    words: str
    field: str
    function: str
    reads: str
    unit: str
    least: int
    parameters: Mapping[str, str] = {}


_DEEPEST: Final = "Deepest fall from a close to a later one (maximum drawdown)"
_DEVIATION: Final = "Volatility: standard deviation of logarithmic returns, as of a year"
_NUMBERS: Final = (
    _Number(
        "Change from the first open to the last close", "change", "percentage_change", "ends", "per cent", 2
    ),
    _Number("Highest price", "highest", "maximum", "high", "quote", 1),
    _Number("Lowest price", "lowest", "minimum", "low", "quote", 1),
    _Number(_DEEPEST, "drawdown", "drawdown", "close", "per cent", 2),
    _Number(_DEVIATION, "volatility", "volatility", "close", "per cent", 3),
    *(
        _Number(
            f"Simple moving average of {n} candles",
            f"sma_{n}",
            "sma",
            "history",
            "quote",
            n,
            {"period": str(n)},
        )
        for n in AVERAGES
    ),
    _Number("RSI of 14 candles (0 to 100)", "rsi", "rsi", "history", "", 15),
    _Number("MACD of 12 and 26 candles", "macd", "macd", "history", "quote", 26),
    _Number("Signal line of the MACD, 9 candles", "macd_signal", "macd_signal", "history", "quote", 34),
)


class KlineArguments(Record):
    """Arguments of ``klineAnalysisTool``."""

    symbol: str = Field(min_length=1, max_length=100, description="Ticker, such as BTC.")
    days: int = Field(90, ge=1, le=1000, description="Days back from today.")
    interval: str = Field("1d", description="Length of a candle, such as 1h or 1d.")


def tools(api: Api, endpoints: Places) -> tuple[Tool[Any], ...]:
    """The tool over one session."""

    async def handle(arguments: KlineArguments) -> ToolReply:
        return await analysed(api, endpoints, arguments)

    description = "Candlestick chart of a coin with trend, volatility, drawdown, RSI and MACD."
    return (Tool("klineAnalysisTool", description, KlineArguments, handle),)


async def analysed(api: Api, endpoints: Places, arguments: KlineArguments) -> ToolReply:
    """A chart of a coin, and its numbers, each computed from the sealed candles.

    Raises:
        BadArguments: there are too few or too many candles for a chart.
        ConfigError: matplotlib is not installed.
        ToolError: the candles cannot be had (:func:`verifaible.crypto.providers.candles.candles`).
    """
    found = await candles(api, endpoints, arguments.symbol, arguments.days, arguments.interval)
    if not 2 <= len(found.rows) <= MOST_CANDLES:
        raise BadArguments(
            f"{arguments.days} days of {found.interval} are {len(found.rows)} candles, and a chart has 2 to "
            f"{MOST_CANDLES}. Choose a {'longer' if len(found.rows) > 2 else 'shorter'} interval."
        )
    title = f"{found.market}, {len(found.rows)} candles of {found.interval}"
    replica = ", replica: synthetic" if found.answer.synthetic else ""
    source = await api.seal(found.answer, f"Candles of {found.market}, {found.interval} (Binance{replica})")
    values = await _computed(api, found, source.id)
    chart = Chart(
        title=f"{title} (Binance{replica})",
        unit=found.quote,
        interval=found.interval,
        candles=found.every,
        first=found.rows[0].row,
    )
    picture = await asyncio.to_thread(draw, chart)
    display = Display(
        kind="chart",
        title=chart.title,
        sources=(source.id, *(value.id for _, value in values)),
        png_base64=base64.b64encode(picture).decode(),
        alt=chart.alt,
    )
    last = found.rows[-1].closed_at
    return await api.reply(
        found.answer, title, _told(found, values), as_of=last, points=found.points(), displays=(display,)
    )


async def _computed(api: Api, found: Candles, source: str) -> list[tuple[str, Computed]]:
    """The numbers beside the chart, each with its words; what needs more candles is left out."""
    rows, last = found.rows, found.rows[-1]

    def values(field: str) -> list[Operand]:
        return [Operand(source=source, pointer=row.pointer(field)) for row in rows]

    inputs: dict[str, dict[str, Sequence[Operand]]] = {
        "ends": {"old": values("open")[:1], "new": values("close")[-1:]},
        **{field: {"values": values(field)} for field in ("high", "low", "close")},
        "history": {"values": [Operand(source=source, pointer="/*/4")]},
    }
    a_year = str(_YEAR // timedelta(minutes=INTERVALS[found.interval]))
    made = []
    for each in _NUMBERS:
        there = last.row + 1 if each.reads == "history" else len(rows)
        if there < each.least:
            continue
        unit = found.quote if each.unit == "quote" else each.unit
        facets = Facets(asset=found.match.asset.symbol, field=each.field, unit=unit, at=last.closed_at)
        parameters = {"periods_per_year": a_year} if each.function == "volatility" else each.parameters
        value = await api.compute(each.function, inputs[each.reads], parameters=parameters, facets=facets)
        made.append((each.words, value))
    return made


def _told(found: Candles, values: Sequence[tuple[str, Computed]]) -> str:
    """What a model reads: the trend by rule, each number with its mark, and the last candles."""
    by_name = {value.field: value for _, value in values}
    first, last = found.rows[0], found.rows[-1]
    lines = [
        f"{found.market}, {len(found.rows)} candles of {found.interval}, opened "
        f"{first.opened_at:%Y-%m-%d %H:%M} to {last.opened_at:%Y-%m-%d %H:%M} UTC; prices in {found.quote}.",
        f"Last close: {last.close} ({last.pointer('close')}).",
    ]
    if found.missing:
        lines.append(
            f"{found.missing} candles of this time are missing in the answer, so averages and other numbers "
            "below reach further back than their names say."
        )
    lines.append(_trend(last.close, by_name))
    lines += [
        f"{words}: {_rounded(value.result)}{f' {value.unit}' if value.unit else ''} [{value.id}]"
        for words, value in values
    ]
    data = found.answer.data
    shown = [((row.row,), data[row.row]) for row in found.rows[-10:]] if isinstance(data, list) else []
    lines += ["The chart is shown to the person. It forecasts nothing.", "", table(shown, _SHOWN)]
    lines.append("(1 is the open, 2 the high, 3 the low, 4 the close, 5 the volume.)")
    return "\n".join((*lines, found.match.note)).rstrip()


def _trend(close: Decimal, by_name: dict[str, Computed]) -> str:
    """Where the price stands to its averages, by a rule that is told with it."""
    averages = [by_name[name] for name in (f"sma_{window}" for window in AVERAGES) if name in by_name]
    if len(averages) < len(AVERAGES):
        return "Trend: not told, as there are too few candles for both moving averages."
    short, long = averages
    word = "neither up nor down"
    if close > short.result > long.result:
        word = "up"
    elif close < short.result < long.result:
        word = "down"
    return (
        f"Trend: {word} (rule: up where the last close is above the average of {AVERAGES[0]} candles and "
        f"that above the one of {AVERAGES[1]}, down where both are the other way) [{short.id}] [{long.id}]."
    )


def _rounded(value: Decimal) -> str:
    """Six significant digits, without an exponent; the sealed value has all."""
    return f"{Decimal(f'{value:.6g}'):f}"
