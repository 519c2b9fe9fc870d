"""A chart of candles, and the numbers beside it, which are computed from the sealed candles."""

from __future__ import annotations

import base64
import io
import json
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
from verifaible.crypto.klines import Chart, draw, tools
from verifaible.crypto.providers.candles import Candle
from verifaible.evidence.computation import recompute
from verifaible.evidence.functions import macd, macd_signal, rsi, sma
from verifaible.evidence.sources import SourceTexts
from verifaible.schema.run import ToolReply
from verifaible.tools.toolbox import Toolbox

START = datetime(2025, 12, 2, tzinfo=UTC)


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


def chart(text: str, **changed: object) -> Chart:
    rows = [
        Candle(place, *(datetime.fromtimestamp(row[0] / 1000, UTC),) * 2, *map(Decimal, row[1:6]))
        for place, row in enumerate(json.loads(text))
    ]
    known = {"title": "BTC/USDT", "unit": "USDT", "interval": "1d", "candles": rows}
    return Chart(**{**known, **changed})  # type: ignore[arg-type]


def test_a_chart_says_what_it_shows_and_its_file_names_no_time_of_drawing() -> None:
    drawn = chart(body())
    assert drawn.alt.startswith("BTC/USDT: candles of 1d from 2025-12-02 00:00 to 2026-")
    with Image.open(io.BytesIO(draw(drawn))) as picture:
        assert not picture.text  # type: ignore[attr-defined]


@pytest.mark.parametrize("count", [2, 13, 27, 200])
def test_few_and_many_candles_and_tiny_prices_are_drawn(count: int) -> None:
    candles = body(count, timedelta(hours=1), scale="0.000012{:03d}")
    assert draw(chart(candles, interval="1h")).startswith(b"\x89PNG")


def test_the_lines_are_those_of_a_kept_library() -> None:
    drawn = chart(body(120), first=50)
    kept = pd.Series([float(each.close) for each in drawn.candles])
    lines = {
        "sma": (drawn.line(lambda values: sma(values, period=20)), ta.trend.sma_indicator(kept, 20)),
        "rsi": (drawn.line(rsi), ta.momentum.rsi(kept, 14)),
        "macd": (drawn.line(macd), ta.trend.macd(kept)),
        "macd_signal": (drawn.line(macd_signal), ta.trend.macd_signal(kept)),
    }
    for name, (own, other) in lines.items():
        assert own == pytest.approx(list(other)[50:], rel=1e-7, abs=1e-5), name


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


async def test_hours_are_drawn_too(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    (display,) = (await kline(data, symbol="ETH", days=7, interval="1h")).displays
    assert base64.b64decode(display.png_base64).startswith(b"\x89PNG")
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
