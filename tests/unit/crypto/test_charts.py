"""A chart is drawn from sealed candles and a spec, and again from them to the same bytes."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import os
import struct
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
import ta
from PIL import Image

from tests.unit.crypto.working import Data, offline_data, provider
from verifaible.crypto.charts.draw import (
    ChartSpec,
    described,
    draw,
    library,
    macd,
    moving_average,
    rsi,
    series,
)
from verifaible.crypto.charts.kline import tools
from verifaible.errors import BadArguments
from verifaible.evidence.computation import compute, recompute
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.data import Operand
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Toolbox

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
    assert other != first


@pytest.mark.nightly
def test_another_process_draws_the_same_bytes() -> None:
    program = (
        "import hashlib; from tests.unit.crypto.test_charts import *; "
        "picture = draw(spec(), series(spec(), lambda _: body())); "
        "print(hashlib.sha256(picture).hexdigest())"
    )
    repository = Path(__file__).resolve().parents[3]
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONHASHSEED": "1", "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")},
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    picture = draw(spec(), series(spec(), lambda _: body()))
    assert said.strip() == hashlib.sha256(picture).hexdigest()


def test_a_chart_says_what_it_shows_and_its_file_names_no_time_of_drawing() -> None:
    values = series(spec(), lambda _: body())
    assert described(spec(), values).startswith("BTC/USDT: candles of 1d from 2025-12-02 00:00 to 2026-")
    with Image.open(io.BytesIO(draw(spec(), values))) as picture:
        assert not picture.text  # type: ignore[attr-defined]


def test_the_panels_of_the_spec_are_drawn_and_no_other() -> None:
    values = series(spec(), lambda _: body())
    heights = [
        struct.unpack(">I", draw(spec(panels=panels), values)[20:24])[0]
        for panels in ((), ("rsi",), ("volume", "rsi", "macd"))
    ]
    assert heights == sorted(set(heights))


@pytest.mark.parametrize("count", [2, 13, 27, 200])
def test_few_and_many_candles_and_tiny_prices_are_drawn(count: int) -> None:
    candles = body(count, timedelta(hours=1), scale="0.000012{:03d}")
    picture = draw(spec(interval="1h"), series(spec(), lambda _: candles))
    assert picture.startswith(b"\x89PNG")


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


# --- the tool, over the replica


def box(data: Data) -> Toolbox:
    return Toolbox(tools(data.api, data.endpoints))


async def kline(data: Data, **arguments: object) -> ToolReply:
    return await box(data).call("klineAnalysisTool", json.dumps(arguments))


async def test_the_numbers_beside_the_chart_are_computed_from_the_candles_it_shows(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await kline(data, symbol="BTC")
    assert not reply.error_code, reply.text
    by_field = {each.field: each for each in data.api.computed}
    assert set(by_field) == {
        *("change", "highest", "lowest", "drawdown", "volatility", "sma_20", "sma_50", "rsi", "macd"),
        "macd_signal",
    }
    for value in by_field.values():
        assert f"[{value.id}]" in reply.text
    rows = json.loads(SourceTexts(data.store).text(data.book.sources[0]))[-90:]
    first, last = Decimal(rows[0][1]), Decimal(rows[-1][4])
    assert abs(by_field["change"].result - (last - first) / first * 100) < Decimal("1e-20")
    assert by_field["highest"].result == max(Decimal(row[2]) for row in rows)
    assert by_field["lowest"].result == min(Decimal(row[3]) for row in rows)
    assert "No advice" not in reply.text
    assert "forecasts nothing" in reply.text
    for source in data.book.sources:
        if source.kind == "computed":
            assert recompute(source, SourceTexts(data.store)) == ""


async def test_the_picture_of_the_tool_is_drawn_again_from_the_store_to_the_byte(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    (display,) = (await kline(data, symbol="ETH", days=7, interval="1h", panels=["rsi"])).displays
    sources = {each.id: each for each in data.book.sources}
    texts = SourceTexts(data.store)
    sealed = ChartSpec.model_validate_json(texts.text(sources[display.sources[1]]))
    again = draw(sealed, series(sealed, lambda mark: texts.text(sources[mark])))
    assert base64.b64decode(display.png_base64) == again
    assert "168 candles of 1h" in display.alt


async def test_earlier_candles_of_the_answer_count_in_the_averages_and_are_not_drawn(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    reply = await kline(data, symbol="BTC", days=30)
    assert {"sma_50", "macd_signal"} <= {each.field for each in data.api.computed}
    assert "candles of 1d from 2026-01-31" in reply.displays[0].alt


async def test_nothing_later_than_as_of_is_in_chart_or_numbers(tmp_path: Path) -> None:
    def answer(path: str) -> tuple[int, dict[str, str], str]:
        end = int(parse_qs(urlsplit(path).query).get("endTime", ["0"])[0])
        count = (datetime.fromtimestamp(end / 1000, UTC) - START).days + 1
        rows = [[*row, row[0] + 86_399_999] for row in json.loads(body(count))]
        return (200, {}, json.dumps(rows)) if "klines" in path else (404, {}, "{}")

    with provider(answer, tmp_path) as data:
        data.api.as_of = datetime(2026, 1, 20, 15, tzinfo=UTC)
        reply = await kline(data, symbol="BTC", days=30)
        assert not reply.error_code, reply.text
        assert all(point.at is None or point.at <= data.api.as_of for point in data.api.points)
        assert "to 2026-01-19 00:00 UTC" in reply.displays[0].alt


@pytest.mark.parametrize(("left_out", "told"), [((), ""), ((5, 6, 20), "3 candles of this time are missing")])
async def test_candles_that_are_missing_are_told(
    tmp_path: Path, left_out: tuple[int, ...], told: str
) -> None:
    def answer(path: str) -> tuple[int, dict[str, str], str]:
        rows = [[*row, row[0] + 86_399_999] for row in json.loads(body(40))]
        kept = [row for place, row in enumerate(rows) if place not in left_out]
        return (200, {}, json.dumps(kept)) if "klines" in path else (404, {}, "{}")

    with provider(answer, tmp_path) as data:
        data.api.as_of = START + timedelta(days=41)
        reply = await kline(data, symbol="BTC", days=40)
    assert not reply.error_code, reply.text
    assert told in reply.text
    assert ("missing" in reply.text) is bool(left_out)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"days": 1, "interval": "1d"}, "shorter interval"),
        ({"days": 90, "interval": "3h"}, "no candles of '3h'"),
        ({"days": 30, "interval": "1h"}, "longer interval"),
        ({"symbol": "NOSUCHCOIN"}, "NOSUCHCOIN"),
        ({"panels": ["stochastic"]}, "panels"),
    ],
)
async def test_what_makes_no_chart_is_refused_with_what_to_do(
    tmp_path: Path, arguments: dict[str, object], told: str
) -> None:
    candles = [[*row, row[0] + 3_599_999] for row in json.loads(body(1000, timedelta(hours=1)))]

    def answer(path: str) -> tuple[int, dict[str, str], str]:
        return 200, {}, json.dumps(candles) if "klines" in path else '{"coins": []}'

    with provider(answer, tmp_path) as data:
        reply = await kline(data, **{"symbol": "BTC", **arguments})
    assert reply.error_code
    assert told in reply.text
    assert not reply.displays
