"""A chart is drawn from sealed candles and a spec, and again from them to the same bytes."""

from __future__ import annotations

import json
import math
import re
import struct
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pandas as pd
import pytest
import ta

from verifaible.crypto.charts.draw import draw, library
from verifaible.crypto.charts.indicators import macd, moving_average, rsi
from verifaible.crypto.charts.spec import ChartSpec, series
from verifaible.errors import BadArguments
from verifaible.evidence.computed.functions import compute
from verifaible.schema.data import Operand

START = datetime(2025, 12, 2, tzinfo=UTC)
NAMES = ("time", "open", "high", "low", "close", "volume")


def body(count: int = 90, step: timedelta = timedelta(days=1), scale: str = "64{:03d}.5") -> str:
    """Candles in the form of an exchange: lists of a time and texts of numbers."""
    prices = [scale.format((each * 7919) % 997) for each in range(count + 1)]
    rows = [
        [
            int((START + step * place).timestamp() * 1000),
            first,
            max(first, last, key=float),
            min(first, last, key=float),
            last,
            str(1000 + place),
        ]
        for place, (first, last) in enumerate(pairwise(prices))
    ]
    return json.dumps(rows)


def spec(**changed: object) -> ChartSpec:
    columns = {name: (Operand(source="src_1", pointer=f"/*/{place}"),) for place, name in enumerate(NAMES)}
    known = {"title": "BTC/USDT", "unit": "USDT", "interval": "1d", "columns": columns, "library": library()}
    return ChartSpec.model_validate({**known, **changed})


def test_a_chart_is_drawn_again_to_the_byte_from_what_was_sealed() -> None:
    sealed, candles = spec().model_dump_json(), body()
    first = draw(spec(), series(spec(), {"src_1": candles}.__getitem__))
    kept = ChartSpec.model_validate_json(sealed)
    again = draw(kept, series(kept, {"src_1": candles}.__getitem__))
    assert again == first
    other = draw(kept, series(kept, {"src_1": body(89)}.__getitem__))
    assert other.svg != first.svg
    assert other.png != first.png


def test_the_svg_follows_the_ground_says_what_it_shows_and_names_no_time_of_drawing() -> None:
    svg = draw(spec(), series(spec(), lambda _: body())).svg
    assert svg.startswith(
        '<svg class="kline" role="img" aria-label="BTC/USDT: 90 candles of 1d from 2025-12-02'
    )
    assert "currentColor" in svg
    assert "#010203" not in svg
    assert not re.search(r"<script|<metadata|dc:date|href=\"http", svg)


def test_the_panels_of_the_spec_are_drawn_and_no_other() -> None:
    values = series(spec(), lambda _: body())
    heights = [
        struct.unpack(">I", draw(spec(panels=panels), values).png[20:24])[0]
        for panels in ((), ("rsi",), ("volume", "rsi", "macd"))
    ]
    assert heights == sorted(set(heights))


@pytest.mark.parametrize("count", [2, 13, 27, 200])
def test_few_and_many_candles_and_tiny_prices_are_drawn(count: int) -> None:
    candles = body(count, timedelta(hours=1), scale="0.000012{:03d}")
    picture = draw(spec(interval="1h"), series(spec(), lambda _: candles))
    assert picture.png.startswith(b"\x89PNG")


def test_a_place_without_a_number_or_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(BadArguments, match="no number"):
        series(spec(), lambda _: '[[1, "2", null, "1", "2", "3"]]')
    uneven = spec().columns | {"close": (Operand(source="src_1", pointer="/0/4"),)}
    with pytest.raises(BadArguments, match="length"):
        series(spec(columns=uneven), lambda _: body())


def test_the_lines_are_those_of_a_kept_library_and_of_the_computed_values() -> None:
    values = list(series(spec(), lambda _: body()).close)
    prices = [float(each) for each in values]
    kept = pd.Series(prices)
    line, signal, bars = macd(prices)
    lines = {
        "sma": (moving_average(prices, 20), ta.trend.sma_indicator(kept, 20), {"period": "20"}),
        "rsi": (rsi(prices), ta.momentum.rsi(kept, 14), {}),
        "macd": (line, ta.trend.macd(kept), {}),
        "macd_signal": (signal, ta.trend.macd_signal(kept), {}),
        "macd_histogram": (bars, ta.trend.macd_diff(kept), {}),
    }
    for name, (own, other, parameters) in lines.items():
        known = [place for place, value in enumerate(own) if value is not None]
        # the library begins the RSI a candle early, with a change that is none
        assert known == [place for place, each in enumerate(other) if not math.isnan(each)][-len(known) :]
        assert len(known) >= len(prices) - 34
        for place in known:
            assert own[place] == pytest.approx(other[place], rel=1e-9, abs=1e-6), (name, place)
        for place in (known[0], known[-1]):
            computed = compute(name, {"values": values[: place + 1]}, parameters)
            assert own[place] == pytest.approx(float(computed), rel=1e-9, abs=1e-6), (name, place)
