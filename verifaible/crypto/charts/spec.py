"""What a chart is drawn from: places in sealed sources, and parameters; the picture can be drawn again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from pydantic import Field

from verifaible.crypto.tools.data import Json, at, decimal_at, parse, surprise
from verifaible.errors import WrongContent
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
        averages: windows of the simple moving averages, in candles.
        panels: what is drawn below the prices, from the top.
    """

    drawing: Literal[1] = 1
    library: str = ""
    title: str
    unit: str
    interval: str
    columns: dict[str, tuple[Operand, ...]]
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


def series(spec: ChartSpec, body: Callable[[str], bytes]) -> Series:
    """The values that a spec means.

    Args:
        spec: the parameters.
        body: the sealed bytes of a source, by its mark.

    Raises:
        WrongContent: a place of the spec does not hold a number, or the columns differ in length.
    """
    read: dict[str, Json] = {}
    columns: dict[str, list[Decimal]] = {}
    for name, operands in spec.columns.items():
        columns[name] = []
        for operand in operands:
            if operand.source not in read:
                read[operand.source] = parse(body(operand.source), operand.source)
            columns[name] += _numbers(read[operand.source], operand)
    if len({len(values) for values in columns.values()}) != 1:
        raise WrongContent("The columns of the chart differ in length. Ask for the candles again.")
    moments = [datetime.fromtimestamp(float(each / 1000), UTC) for each in columns.pop("time")]
    return Series(time=tuple(moments), **{name: tuple(values) for name, values in columns.items()})


def _numbers(data: Json, operand: Operand) -> list[Decimal]:
    """The numbers at a pointer, in which ``*`` means each element of a list."""
    found = [data]
    for part in operand.pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        step: list[Json] = []
        for each in found:
            if isinstance(each, list):
                step += each if key == "*" else [at(each, (int(key),))] if key.isdigit() else []
            elif isinstance(each, dict):
                step.append(each.get(key))
        found = step
    numbers = [decimal_at(each, ()) for each in found]
    if not numbers or any(number is None for number in numbers):
        raise surprise(operand.source, f"no number at {operand.pointer}")
    return [number for number in numbers if number is not None]
