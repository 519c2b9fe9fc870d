"""What a chart is drawn from: places in sealed sources, and parameters; the picture can be drawn again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from pydantic import Field

from verifaible.errors import BadArguments
from verifaible.evidence.computed.values import read_data, values_at
from verifaible.schema.base import Record
from verifaible.schema.data import Operand

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

    drawing: Literal[1] = 1
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
