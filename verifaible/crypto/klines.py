"""``klineAnalysisTool``: candles as a picture, and what they say in numbers.

The evidence is the candles and the parameters; the picture is drawn from them. The lines are the functions of
:mod:`verifaible.evidence.functions` at every candle. The only module that imports matplotlib.
"""

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Context, Decimal, localcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import Field

from verifaible.crypto.providers.candles import INTERVALS, Candle, Candles, candles
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.json_values import TIME, fields, table
from verifaible.crypto.providers.session import Api
from verifaible.errors import BadArguments, needing
from verifaible.evidence.functions import macd, macd_signal, rsi, sma
from verifaible.schema.base import Record
from verifaible.schema.data import Computed, Display, Facets, Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Tool

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Windows of the simple moving averages, in candles.
AVERAGES: Final = (20, 50)
#: Rising, falling, and lines: told apart by the colour-blind (Okabe and Ito 2008), and from the white ground
#: by a contrast of at least 3 to 1.
_UP, _DOWN = "#009e73", "#d55e00"
_LINES: Final = ("#3b82c4", "#b8860b", "#b4599a", "#777777")
_INK: Final = "#24292f"
_WIDTH_IN, _PRICE_IN, _PANEL_IN, _DPI = 9.0, 3.6, 1.15, 110
#: Digits of a line, which no eye sees.
_DIGITS: Final = Context(prec=12)


@dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn.

    Attributes:
        title: above the prices.
        unit: of the prices, a currency's code.
        interval: length of a candle, such as ``1d``.
        candles: oldest first.
        first: place of the first candle that is drawn; earlier ones count in averages and indicators alone.
    """

    title: str
    unit: str
    interval: str
    candles: Sequence[Candle]
    first: int = 0

    @property
    def drawn(self) -> Sequence[Candle]:
        """The candles that are seen."""
        return self.candles[self.first :]

    @property
    def alt(self) -> str:
        """What the chart shows, for those who do not see it."""
        first, last = (f"{self.drawn[at].opened_at:%Y-%m-%d %H:%M}" for at in (0, -1))
        return f"{self.title}: candles of {self.interval} from {first} to {last} UTC"

    def line(self, function: Callable[[Sequence[Decimal]], Decimal]) -> list[float | None]:
        """A function of all closes up to each candle that is drawn; None where they are too few for it."""
        closes = [each.close for each in self.candles]
        return [_or_none(function, closes[: end + 1]) for end in range(self.first, len(closes))]


def _or_none(function: Callable[[Sequence[Decimal]], Decimal], values: Sequence[Decimal]) -> float | None:
    try:
        with localcontext(_DIGITS):
            return float(function(values))
    except BadArguments:
        return None


def draw(chart: Chart) -> bytes:
    """The picture of a chart, a PNG on a white ground.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    with needing("crypto", "Charts"):
        import matplotlib
        from matplotlib.figure import Figure
    ratios = [_PRICE_IN, *(_PANEL_IN for _ in range(3))]
    colours = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    settings: Any = {"font.size": 8.5, **dict.fromkeys(colours, _INK)}
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **settings}):
        figure = Figure(figsize=(_WIDTH_IN, sum(ratios) + 0.8), layout="constrained")
        grid = figure.subplots(len(ratios), 1, sharex=True, squeeze=False, height_ratios=ratios)
        price, *below = every = grid[:, 0]
        _prices(price, chart)
        for axes, drawn in zip(below, (_volume, _rsi, _macd), strict=True):
            drawn(axes, chart)
        for axes in every:
            axes.grid(visible=True, axis="y", color=_INK, alpha=0.13, linewidth=0.6)
            axes.spines[["top", "right"]].set_visible(False)
        figure.align_ylabels()
        _time_axis(every[-1], chart.drawn)
        pixels = io.BytesIO()
        figure.savefig(pixels, format="png", dpi=_DPI, facecolor="white", metadata={"Software": None})
    return pixels.getvalue()


def _prices(axes: Axes, chart: Chart) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    wicks, bodies, colours = [], [], []
    half = 0.36
    for place, each in enumerate(chart.drawn):
        bottom, top = sorted((float(each.open), float(each.close)))
        wicks.append([(place, float(each.low)), (place, float(each.high))])
        left, right = place - half, place + half
        bodies.append([(left, bottom), (right, bottom), (right, top), (left, top)])
        colours.append(_UP if each.close >= each.open else _DOWN)
    axes.add_collection(LineCollection(wicks, colors=colours, linewidths=0.8))
    # the outline shows a candle that closed where it opened
    axes.add_collection(PolyCollection(bodies, facecolors=colours, edgecolors=colours, linewidths=0.6))
    low, high = (float(each) for each in (min(c.low for c in chart.drawn), max(c.high for c in chart.drawn)))
    room = (high - low or high or 1.0) * 0.05
    axes.set_ylim(low - room, high + room * 2.5)
    axes.set_xlim(-1, len(bodies))
    for window, colour in zip(AVERAGES, _LINES, strict=False):
        _line(axes, chart.line(partial(sma, period=window)), colour, f"SMA {window}")
    axes.yaxis.set_major_formatter(_plain)
    axes.set_title(chart.title, loc="left", fontsize=10.5)
    axes.set_ylabel(chart.unit)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", frameon=False, ncols=len(AVERAGES))


def _line(axes: Axes, points: Sequence[float | None], colour: str, label: str) -> None:
    known = [(place, each) for place, each in enumerate(points) if each is not None]
    if known:
        axes.plot(*zip(*known, strict=True), color=colour, linewidth=1.2, label=label)


def _bars(axes: Axes, values: Sequence[float | None], rising: Sequence[bool], label: str) -> None:
    heights = [each or 0.0 for each in values]
    axes.bar(
        range(len(heights)), heights, width=0.72, color=[_UP if up else _DOWN for up in rising], alpha=0.7
    )
    axes.set_ylabel(label)


def _volume(axes: Axes, chart: Chart) -> None:
    rising = [each.close >= each.open for each in chart.drawn]
    _bars(axes, [float(each.volume) for each in chart.drawn], rising, "Volume")
    axes.yaxis.set_major_formatter(_short)


def _rsi(axes: Axes, chart: Chart) -> None:
    _line(axes, chart.line(rsi), _LINES[2], "RSI 14")
    for level in (30, 70):
        axes.axhline(level, color=_INK, alpha=0.4, linewidth=0.7, linestyle=(0, (4, 3)))
    axes.set_ylim(0, 100)
    axes.set_yticks([30, 50, 70])
    axes.set_ylabel("RSI 14")


def _macd(axes: Axes, chart: Chart) -> None:
    line, signal = chart.line(macd), chart.line(macd_signal)
    both = zip(line, signal, strict=True)
    histogram = [a - b if a is not None and b is not None else None for a, b in both]
    _bars(axes, histogram, [(each or 0.0) >= 0 for each in histogram], "MACD")
    _line(axes, line, _LINES[0], "MACD 12/26")
    _line(axes, signal, _LINES[1], "Signal 9")
    axes.axhline(0, color=_INK, alpha=0.4, linewidth=0.7)
    axes.margins(y=0.3)  # room for the legend
    axes.yaxis.set_major_formatter(_plain)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", frameon=False, ncols=2, fontsize=7.5)


def _plain(value: float, _: float | None = None) -> str:
    return f"{Decimal(f'{value:.6g}'):,f}"


def _short(value: float, _: float | None = None) -> str:
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return _plain(value)


def _time_axis(axes: Axes, candles: Sequence[Candle]) -> None:
    """About eight times, of candles that open at midnight where there are so many."""
    moments = [each.opened_at for each in candles]
    midnights = [place for place, each in enumerate(moments) if each.hour == each.minute == 0]
    places = midnights if len(midnights) > 3 else list(range(len(moments)))
    places = places[:: -max(1, -(-len(places) // 8))]
    form = "%d %b %Y" if places[0] in midnights else "%d %b %H:%M"
    axes.set_xticks(places, [moments[place].strftime(form) for place in places])
    axes.set_xlabel("UTC")


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
