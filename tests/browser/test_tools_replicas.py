"""The tools on the committed replicas, as an agent uses them, without a network."""

from __future__ import annotations

import pytest

from tests.browser.toolboxes import Caller
from tests.kit.marks import nightly
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.net.web import Web

BONDS = "https://www.sse.com.cn/market/bonddata/overview/day/"
HOUSES = "https://www.stats.gov.cn/sj/zxfb/202602/t20260213_1962617.html"
#: A result of about 8,000 characters, with its frame and notes.
LONGEST = 9_000


@pytest.fixture
def call(offline_settings: Settings, offline_web: Web, offline_browser: Browser) -> Caller:
    return Caller(offline_settings, offline_web, offline_browser)


async def test_analysis_of_an_exchange_page(call: Caller) -> None:
    text = (await call("analyze_page", url=BONDS)).text
    assert "GET https://query.sse.com.cn/commonQuery.do -> 200, JSONP" in text
    assert "START_DATE=" in text
    assert "setOverviewDayParams(), getOverviewDayList()" in text
    assert "[read-only]" in text
    assert "| 债券类型 | 成交笔数 | 成交金额(万元) | 加权平均价格(元) |" in text
    assert "not in the offline archives" not in text
    assert len(text) < LONGEST


@pytest.mark.nightly
async def test_steps_that_the_analysis_suggests(call: Caller) -> None:
    code = "document.querySelector('.js_date input').value = '2025-02-11'; overviewDay.setOverviewDayParams()"
    reply = await call(
        "test_action_steps",
        url=BONDS,
        action_steps=[
            {"type": "exec_js", "code": code},
            {"type": "wait", "selector": ".js_overviewDay[data-date='2025-02-11']"},
        ],
        verify_type="table",
        row_anchor="地方政府债",
        col_anchor="成交笔数",
        element_selector=".js_overviewDay table",
    )
    assert "FOUND the cell" in reply.text
    assert ": '61'" in reply.text


async def test_find_reads_a_spread_city_name_and_its_column_group(call: Caller) -> None:
    text = (await call("web_fetch", url=HOUSES, find="郑州 二手住宅")).text
    assert "**表2：2026年1月70个大中城市二手住宅销售价格指数**" in text
    assert "| 郑　　州 | 99.4 | 90.9 | 82.5 |" in text
    assert "表1：" not in text


@pytest.mark.nightly
@pytest.mark.parametrize("parts", [3, nightly(100)])
async def test_long_page_comes_in_parts_that_fit(call: Caller, parts: int) -> None:
    first = (await call("web_fetch", url=HOUSES)).text
    assert "Outline (offset: heading)" in first
    offset, seen = 0, first
    for _ in range(parts):
        if "offset=" not in seen.splitlines()[0]:
            break
        offset = int(seen.splitlines()[0].rpartition("offset=")[2].rstrip("."))
        assert len(seen) < LONGEST
        seen = (await call("web_fetch", url=HOUSES, offset=offset)).text
    assert offset > 0


async def test_search_then_transcript(call: Caller) -> None:
    hits = (
        await call("verifaible_web_search", query="Ken Robinson schools creativity", include_answer=True)
    ).text
    assert "youtube.com/watch?v=iG9CE55wbtY" in hits
    text = (await call("video_transcript", url="https://youtu.be/iG9CE55wbtY", end_s=60)).text
    assert "[0:27] " in text
    assert "[1:0" not in text


async def test_miss_is_named(call: Caller) -> None:
    reply = await call("analyze_page", url="https://www.sse.com.cn/no/such/page/")
    assert reply.error_code == "offline_miss"
    assert "https://www.sse.com.cn/no/such/page/" in reply.text
