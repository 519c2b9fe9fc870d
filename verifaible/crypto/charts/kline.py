"""The tool ``klineAnalysisTool``: candles as a chart, and what they say in numbers."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from pydantic import Field

from verifaible.crypto.charts.draw import draw, library
from verifaible.crypto.charts.spec import ChartSpec, Panel, series
from verifaible.crypto.sources import Given
from verifaible.crypto.tools.api import Api
from verifaible.crypto.tools.binance import INTERVALS, PROVIDER, Candles, Places, candles
from verifaible.errors import BadArguments
from verifaible.evidence.given.sources import SourceTexts
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, Display, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool

#: More candles make no readable chart, and an SVG of more than half a megabyte.
MOST_CANDLES: Final = 400
_COLUMNS: Final = {"time": 0, "open": 1, "high": 2, "low": 3, "close": 4, "volume": 5}
_AVERAGES: Final = (20, 50)
_YEAR: Final = timedelta(days=365)


class KlineArguments(Record):
    """Arguments of ``klineAnalysisTool``."""

    symbol: str = Field(min_length=1, max_length=100, description="Ticker, such as BTC.")
    days: int = Field(90, ge=1, le=1000, description="Days back from today.")
    interval: str = Field("1d", description="Length of a candle, such as 1h or 1d.")
    panels: tuple[Panel, ...] = Field(("volume", "rsi", "macd"), description="Drawn below the prices.")


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
        ToolError: the candles cannot be had (:func:`verifaible.crypto.tools.binance.candles`).
    """
    found = await candles(api, endpoints, arguments.symbol, arguments.days, arguments.interval)
    if not 2 <= len(found.rows) <= MOST_CANDLES:
        raise BadArguments(
            f"{arguments.days} days of {found.interval} are {len(found.rows)} candles, and a chart has 2 to "
            f"{MOST_CANDLES}. Choose a {'longer' if len(found.rows) > 2 else 'shorter'} interval."
        )
    title = f"{found.market}, {len(found.rows)} candles of {found.interval}"
    synthetic = " (replica: synthetic)" if found.answer.synthetic else ""
    source = await api.seal(found.answer, f"Candles of {found.market}, {found.interval}{synthetic}")
    values = await _computed(api, found, source.id)
    spec = ChartSpec(
        library=library(),
        title=f"{title} ({PROVIDER}{', replica: synthetic' if synthetic else ''})",
        unit=found.quote,
        interval=found.interval,
        columns={
            name: (Operand(source=source.id, pointer=f"/*/{place}"),) for name, place in _COLUMNS.items()
        },
        first=found.rows[0].row,
        averages=_AVERAGES,
        panels=arguments.panels,
    )
    body = spec.model_dump_json(indent=1).encode()
    given = Given("context", body, "application/json", title=f"Parameters of the chart: {title}", at=api.now)
    (sealed,) = await api.book.keep([given])
    text = await asyncio.to_thread(SourceTexts(api.book.store).text, source)
    picture = await asyncio.to_thread(lambda: draw(spec, series(spec, lambda _: text)))
    display = Display(
        kind="chart",
        title=spec.title,
        sources=(source.id, sealed.id, *(value.id for _, value in values)),
        svg=picture.svg,
        png_base64=base64.b64encode(picture.png).decode(),
    )
    return await api.reply(
        found.answer,
        title,
        _told(found, values, sealed.id),
        as_of=found.rows[-1].closed_at,
        points=found.points(),
        displays=(display,),
    )


async def _computed(api: Api, found: Candles, source: str) -> list[tuple[str, Computed]]:
    """The numbers beside the chart, each with its words; what needs more candles is left out."""
    rows = found.rows

    def period(field: str) -> list[Operand]:
        return [Operand(source=source, pointer=row.pointer(field)) for row in rows]

    # smoothed indicators take in the candles before the period too: the answer has them
    every = [Operand(source=source, pointer=f"/*/{_COLUMNS['close']}")]
    closes, last = period("close"), rows[-1].row + 1
    span = f"{len(rows)} candles of {found.interval}"
    a_year = str(_YEAR // timedelta(minutes=INTERVALS[found.interval]))
    wanted: list[tuple[str, str, str, dict[str, Sequence[Operand]], dict[str, str], str, int]] = [
        (
            f"Change of the price, from the first open to the last close of {span}",
            "change",
            "percentage_change",
            {"old": period("open")[:1], "new": closes[-1:]},
            {},
            "per cent",
            2,
        ),
        (f"Highest price of {span}", "highest", "maximum", {"values": period("high")}, {}, found.quote, 1),
        (f"Lowest price of {span}", "lowest", "minimum", {"values": period("low")}, {}, found.quote, 1),
        (
            "Deepest fall from a close to a later one (maximum drawdown)",
            "drawdown",
            "drawdown",
            {"values": closes},
            {},
            "per cent",
            2,
        ),
        (
            "Volatility: standard deviation of logarithmic returns, as of a year",
            "volatility",
            "volatility",
            {"values": closes},
            {"periods_per_year": a_year},
            "per cent",
            3,
        ),
    ]
    for window in _AVERAGES:
        name = f"sma_{window}"
        wanted.append(
            (
                f"Simple moving average of {window} candles",
                name,
                "sma",
                {"values": every},
                {"period": str(window)},
                found.quote,
                window,
            )
        )
    for words, name, least in (
        ("RSI of 14 candles (0 to 100)", "rsi", 15),
        ("MACD of 12 and 26 candles", "macd", 26),
        ("Signal line of the MACD, 9 candles", "macd_signal", 34),
    ):
        unit = "" if name == "rsi" else found.quote
        wanted.append((words, name, name, {"values": every}, {}, unit, least))
    made = []
    for words, name, function, inputs, parameters, unit, least in wanted:
        there = last if every in inputs.values() else len(rows)
        if there >= least:
            facets = Facets(asset=found.match.asset.symbol, field=name, unit=unit, at=rows[-1].closed_at)
            made.append((words, await api.compute(function, inputs, parameters=parameters, facets=facets)))
    return made


def _told(found: Candles, values: Sequence[tuple[str, Computed]], parameters: str) -> str:
    """What a model reads: the trend by rule, each number with its mark, and the last candles."""
    by_name = {value.field: value for _, value in values}
    first, last = found.rows[0], found.rows[-1]
    lines = [
        f"{found.market}, {len(found.rows)} candles of {found.interval}, opened "
        f"{first.opened_at:%Y-%m-%d %H:%M} to {last.opened_at:%Y-%m-%d %H:%M} UTC; prices in {found.quote}.",
        f"Last close: {last.close} ({last.pointer('close')}).",
        _trend(last.close, by_name),
        *(
            f"{words}: {_rounded(value.result)}{f' {value.unit}' if value.unit else ''} [{value.id}]"
            for words, value in values
        ),
        f"The chart is shown to the person; its parameters are [{parameters}]. It forecasts nothing.",
        "",
        "| row | opened (UTC) | 1 open | 2 high | 3 low | 4 close | 5 volume |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| /{row.row} | {row.opened_at:%Y-%m-%d %H:%M} | {row.open} | {row.high} | {row.low} | "
            f"{row.close} | {row.volume} |"
            for row in found.rows[-10:]
        ),
    ]
    note = found.match.note
    return "\n".join([*filter(None, lines[:3]), *lines[3:], *([note] if note else [])])


def _trend(close: Decimal, by_name: dict[str, Computed]) -> str:
    """Where the price stands to its averages, by a rule that is told with it."""
    averages = [by_name[name] for name in (f"sma_{window}" for window in _AVERAGES) if name in by_name]
    if len(averages) < len(_AVERAGES):
        return "Trend: not told, as there are too few candles for both moving averages."
    short, long = averages
    word = "neither up nor down"
    if close > short.result > long.result:
        word = "up"
    elif close < short.result < long.result:
        word = "down"
    return (
        f"Trend: {word} (rule: up where the last close is above the average of {_AVERAGES[0]} candles and "
        f"that above the one of {_AVERAGES[1]}, down where both are the other way) [{short.id}] [{long.id}]."
    )


def _rounded(value: Decimal) -> str:
    """Six significant digits, without an exponent; the sealed value has all."""
    return f"{Decimal(f'{value:.6g}'):f}"
