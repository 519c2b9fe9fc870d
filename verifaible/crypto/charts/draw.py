"""The picture of a chart, a PNG. The only module that imports matplotlib.

A chart is drawn from places in sealed sources and parameters, so that it can be drawn again. Its indicators
are the functions of :mod:`verifaible.evidence.functions` at every candle, in floats, which are exact
enough for a line; the numbers beside a chart are computed from the sealed digits.

The same series and spec give the same bytes with the same matplotlib: its own fonts, fixed margins, no date.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pydantic import Field

from verifaible.errors import BadArguments, ConfigError
from verifaible.evidence.computation import read_data, values_at
from verifaible.schema.base import Record
from verifaible.schema.data import Operand

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Panel: TypeAlias = Literal["volume", "rsi", "macd"]


class ChartSpec(Record):
    """The parameters of a candlestick chart, sealed beside the candles that it names.

    Attributes:
        drawing: version of the drawing code: the same version, library and spec give the same bytes.
        library: the plotting library and its version.
        title: above the chart.
        unit: of the prices, a currency's code.
        interval: length of a candle, such as ``1d``.
        columns: ``time`` (milliseconds since 1970), ``open``, ``high``, ``low``, ``close`` and ``volume``:
            where the values stand, in order.
        first: place of the first candle that is drawn; earlier ones count in averages and indicators alone.
        averages: windows of the simple moving averages, in candles.
        panels: what is drawn below the prices, from the top.
    """

    drawing: Literal[2] = 2
    library: str = ""
    title: str
    unit: str
    interval: str
    columns: dict[str, tuple[Operand, ...]]
    first: int = Field(0, ge=0)
    averages: tuple[int, ...] = (20, 50)
    panels: tuple[Panel, ...] = ("volume", "rsi", "macd")


class Series(Record):
    """The values of a chart, one of each for a candle, oldest first."""

    time: tuple[datetime, ...] = Field(min_length=2)
    open: tuple[Decimal, ...]
    high: tuple[Decimal, ...]
    low: tuple[Decimal, ...]
    close: tuple[Decimal, ...]
    volume: tuple[Decimal, ...]

    def since(self, first: int) -> Series:
        """The candles from a place on."""
        return Series(**{name: values[first:] for name, values in self if name})


def series(spec: ChartSpec, text: Callable[[str], str]) -> Series:
    """The values that a spec means.

    Args:
        spec: the parameters.
        text: the sealed JSON of a source, by its mark.

    Raises:
        BadArguments: a place of the spec does not hold a number, or the columns differ in length.
    """
    marks = {operand.source for operands in spec.columns.values() for operand in operands}
    data = {mark: read_data(text(mark)) for mark in marks}
    columns = {
        name: tuple(value for each in operands for value in values_at(data[each.source], each.pointer))
        for name, operands in spec.columns.items()
    }
    if len(set(map(len, columns.values()))) != 1:
        raise BadArguments("The columns of the chart differ in length. Ask for the candles again.")
    moments = tuple(datetime.fromtimestamp(float(each / 1000), UTC) for each in columns["time"])
    return Series.model_validate({**columns, "time": moments})


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


#: Rising, falling, and lines: told apart by the colour-blind (Okabe and Ito 2008), and from the white ground
#: by a contrast of at least 3 to 1.
_UP, _DOWN = "#009e73", "#d55e00"
_LINES: Final = ("#3b82c4", "#b8860b", "#b4599a", "#777777")
_INK: Final = "#24292f"
_WIDTH_IN, _PRICE_IN, _PANEL_IN, _DPI = 9.0, 3.6, 1.15, 110
#: Margins: room for prices such as 0.0000052 at the left, half a date at the right.
_LEFT_IN, _RIGHT_IN, _TOP_IN, _BOTTOM_IN = 1.05, 0.4, 0.35, 0.5


def library() -> str:
    """The plotting library with its version.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise ConfigError("Charts need the extra [crypto]: pip install 'verifaible[crypto]'.") from error
    return f"matplotlib {matplotlib.__version__}"


def described(spec: ChartSpec, values: Series) -> str:
    """What a chart shows, for those who do not see it."""
    drawn = values.since(spec.first)
    return (
        f"{spec.title}: candles of {spec.interval} from "
        f"{drawn.time[0]:%Y-%m-%d %H:%M} to {drawn.time[-1]:%Y-%m-%d %H:%M} UTC"
    )


def draw(spec: ChartSpec, values: Series) -> bytes:
    """The picture of a chart, a PNG on a white ground.

    Args:
        spec: its parameters.
        values: its candles, oldest first.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    library()
    import matplotlib
    from matplotlib.figure import Figure

    settings: Any = {
        "font.family": "DejaVu Sans",
        "font.size": 8.5,
        "text.color": _INK,
        "axes.edgecolor": _INK,
        "axes.labelcolor": _INK,
        "xtick.color": _INK,
        "ytick.color": _INK,
        "path.simplify": False,
    }
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **settings}):
        figure = Figure(figsize=(_WIDTH_IN, _TOP_IN + _PRICE_IN + _PANEL_IN * len(spec.panels) + _BOTTOM_IN))
        _fill(figure, spec, values)
        pixels = io.BytesIO()
        figure.savefig(pixels, format="png", dpi=_DPI, facecolor="white", metadata={"Software": None})
    return pixels.getvalue()


def _fill(figure: Figure, spec: ChartSpec, values: Series) -> None:
    ratios = [_PRICE_IN, *(_PANEL_IN for _ in spec.panels)]
    height = figure.get_figheight()
    # fixed margins: the solver of matplotlib's own layouts ends in other last digits each time
    grid = figure.add_gridspec(
        len(ratios),
        1,
        height_ratios=ratios,
        left=_LEFT_IN / _WIDTH_IN,
        right=1 - _RIGHT_IN / _WIDTH_IN,
        top=1 - _TOP_IN / height,
        bottom=_BOTTOM_IN / height,
        hspace=0.16,
    )
    every = grid.subplots(sharex=True, squeeze=False)[:, 0]
    price, *below = every
    closes = [float(each) for each in values.close]
    values = values.since(spec.first)
    _candles(price, values)
    for window, colour in zip(spec.averages, _LINES, strict=False):
        line = moving_average(closes, window)[spec.first :]
        if any(each is not None for each in line):
            _line(price, line, colour, f"SMA {window}")
    price.set_title(spec.title, loc="left", fontsize=10.5)
    price.set_ylabel(spec.unit)
    if price.get_legend_handles_labels()[0]:
        price.legend(loc="upper left", frameon=False, ncols=len(spec.averages))
    for axes, panel in zip(below, spec.panels, strict=True):
        _PANELS[panel](axes, values, closes, spec.first)
    for axes in every:
        axes.grid(visible=True, axis="y", color=_INK, alpha=0.13, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.yaxis.set_label_coords(0.18 - _LEFT_IN, 0.5, transform=_from_the_left(figure, axes))
    _time_axis(every[-1], values)


def _from_the_left(figure: Figure, axes: Axes) -> Any:
    """Inches from the left edge of the axes, and their own height: labels stand below each other."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    origin = ScaledTranslation(_LEFT_IN, 0, figure.dpi_scale_trans)
    return blended_transform_factory(figure.dpi_scale_trans + origin, axes.transAxes)


def _candles(axes: Axes, values: Series) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    wicks, bodies, colours = [], [], []
    half = 0.36
    lows, highs = [float(each) for each in values.low], [float(each) for each in values.high]
    for place, (first, last) in enumerate(zip(values.open, values.close, strict=True)):
        bottom, top = sorted((float(first), float(last)))
        wicks.append([(place, lows[place]), (place, highs[place])])
        bodies.append(
            [(place - half, bottom), (place + half, bottom), (place + half, top), (place - half, top)]
        )
        colours.append(_UP if last >= first else _DOWN)
    axes.add_collection(LineCollection(wicks, colors=colours, linewidths=0.8))
    # the outline shows a candle that closed where it opened
    axes.add_collection(PolyCollection(bodies, facecolors=colours, edgecolors=colours, linewidths=0.6))
    room = (max(highs) - min(lows) or max(highs) or 1.0) * 0.05
    axes.set_ylim(min(lows) - room, max(highs) + room * 2.5)
    axes.set_xlim(-1, len(bodies))
    axes.yaxis.set_major_formatter(_plain)


def _line(axes: Axes, points: Sequence[float | None], colour: str, label: str) -> None:
    places = [place for place, each in enumerate(points) if each is not None]
    axes.plot(places, [each for each in points if each is not None], color=colour, linewidth=1.2, label=label)


def _volume(axes: Axes, values: Series, _: Sequence[float], __: int) -> None:
    rising = [last >= first for first, last in zip(values.open, values.close, strict=True)]
    axes.bar(
        range(len(values.volume)),
        [float(each) for each in values.volume],
        width=0.72,
        color=[_UP if each else _DOWN for each in rising],
        alpha=0.75,
    )
    axes.yaxis.set_major_formatter(_short)
    axes.set_ylabel("Volume")


def _rsi(axes: Axes, _: Series, closes: Sequence[float], first: int) -> None:
    _line(axes, rsi(closes)[first:], _LINES[2], "RSI 14")
    for level in (30, 70):
        axes.axhline(level, color=_INK, alpha=0.4, linewidth=0.7, linestyle=(0, (4, 3)))
    axes.set_ylim(0, 100)
    axes.set_yticks([30, 50, 70])
    axes.set_ylabel("RSI 14")


def _macd(axes: Axes, _: Series, closes: Sequence[float], first: int) -> None:
    line, signal, histogram = (each[first:] for each in macd(closes))
    known = [(place, each) for place, each in enumerate(histogram) if each is not None]
    axes.bar(
        [place for place, _ in known],
        [each for _, each in known],
        width=0.72,
        color=[_UP if each >= 0 else _DOWN for _, each in known],
        alpha=0.5,
    )
    _line(axes, line, _LINES[0], "MACD 12/26")
    _line(axes, signal, _LINES[1], "Signal 9")
    axes.axhline(0, color=_INK, alpha=0.4, linewidth=0.7)
    axes.margins(y=0.3)  # room for the legend
    axes.yaxis.set_major_formatter(_plain)
    axes.set_ylabel("MACD")
    axes.legend(loc="upper left", frameon=False, ncols=2, fontsize=7.5)


_PANELS: Final[dict[str, Any]] = {"volume": _volume, "rsi": _rsi, "macd": _macd}


def _plain(value: float, _: float | None = None) -> str:
    return f"{Decimal(f'{value:.6g}'):,f}"


def _short(value: float, _: float | None = None) -> str:
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return _plain(value)


def _time_axis(axes: Axes, values: Series) -> None:
    """About eight times, of candles that open at midnight where there are so many."""
    moments = [each.astimezone(UTC) for each in values.time]
    midnights = [place for place, each in enumerate(moments) if each.hour == each.minute == 0]
    places = midnights if len(midnights) > 3 else list(range(len(moments)))
    places = places[:: -max(1, -(-len(places) // 8))]
    form = "%d %b %Y" if places[0] in midnights else "%d %b %H:%M"
    axes.set_xticks(places, [moments[place].strftime(form) for place in places])
    axes.set_xlabel("UTC")
