"""The picture of candles, a PNG. The only module that imports matplotlib.

The lines are the functions of :mod:`verifaible.evidence.functions` at every candle.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from verifaible.crypto.providers.candles import Candle
from verifaible.errors import BadArguments, needing
from verifaible.evidence.functions import macd, macd_signal, rsi, sma

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
