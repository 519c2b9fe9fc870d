"""Answers of the data services: bonds, market value, funds, stocks, margin trading."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from scripts.replicas.common import Exchange
from scripts.replicas.sse_com_cn import data, jsonp

COMMON = "commonQuery.do"
MARGIN_PAGE_SIZE = 10
#: Without a range, the service answers with the year so far.
MARGIN_SINCE = "2026-01-01"
#: The days of which every range is answered, so that a reader may ask around the asked day.
NEAR_RANGE = (date(2025, 2, 5), date(2025, 2, 14))


def exchanges() -> Iterator[Exchange]:
    """Every recorded answer of query.sse.com.cn except the announcements."""
    yield from _bonds()
    yield from _market_value("TOTAL_VALUE", "total")
    yield from _market_value("NEGO_VALUE", "nego")
    yield from _overview("fund_daily", "05,13,16,14,15,12")
    yield from _overview("stock_daily", "01,02,03,11,17")
    yield from _margin()


def _page_params(size: int, number: int = 1) -> dict[str, str]:
    return {
        "pageHelp.pageSize": str(size),
        "pageHelp.pageNo": str(number),
        "pageHelp.beginPage": str(number),
        "pageHelp.cacheSize": "1",
        "pageHelp.endPage": str(number),
    }


def _bonds() -> Iterator[Exchange]:
    table = data.by_date("bond_daily")
    for asked in ["", *data.asked_days()]:
        day = asked or max(table)
        result = [
            {
                "NUM": str(number),
                "TYPE_CODE": row["type_code"],
                "TYPE": row["type"],
                "VOLUME": row["volume"],
                "AMOUNT": row["amount_wan"],
                "AVG_PRICE": row["avg_price"],
                "TRADE_DATE": data.compact(day),
            }
            for number, row in enumerate(table.get(day, []), 1)
        ]
        params = {
            "isPagination": "true",
            **_page_params(25),
            "sqlId": "COMMON_SSEBOND_SCSJ_SCTJ_CJSJ_ZQLXCJTJ_CX_L",
            "START_DATE": asked,
            "END_DATE": asked,
            "MAX_TRADE_DATE": "" if asked else "1",
        }
        yield jsonp.exchange(COMMON, params, {"pageHelp": jsonp.page_of(result, 1, 25), "result": result})


def _market_value(field: str, order: str) -> Iterator[Exchange]:
    table = data.by_date("market_value")
    for asked in ["", *data.asked_days()]:
        day = asked or max(table)
        result = [
            {
                "RN": row["rank"],
                "SEC_CODE": row["code"],
                "SEC_NAME": row["name"],
                field: row["value_wan"],
                f"{field}_RATE": row["ratio_pct"],
                "LIST_BOARD": "1",
                "TRADE_DATE": data.compact(day),
            }
            for row in table.get(day, [])
            if row["order"] == order
        ]
        params = {
            "sqlId": "COMMON_SSE_SJ_SZPM_L",
            "SEARCH_DATE": asked,
            "LIST_BOARD": "1",
            f"{field}_DESC": "1",
            "isPagination": "true",
            **_page_params(10),
        }
        yield jsonp.exchange(COMMON, params, {"pageHelp": jsonp.page_of(result, 1, 10), "result": result})


_OVERVIEW_FIELDS = {
    "list_num": "LIST_NUM",
    "total_value_yi": "TOTAL_VALUE",
    "nego_value_yi": "NEGO_VALUE",
    "trade_amt_yi": "TRADE_AMT",
    "trade_vol_yi": "TRADE_VOL",
    "avg_pe": "AVG_PE_RATE",
    "total_turnover_pct": "TOTAL_TO_RATE",
    "nego_turnover_pct": "NEGO_TO_RATE",
}


def _overview(name: str, codes: str) -> Iterator[Exchange]:
    table = data.by_date(name)
    for asked in ["", *data.asked_days()]:
        day = asked or max(table)
        result = [
            {
                "PRODUCT_CODE": row["product_code"],
                "TRADE_DATE": data.compact(day),
                **{field: row[column] for column, field in _OVERVIEW_FIELDS.items() if column in row},
            }
            for row in table.get(day, [])
        ]
        params = {
            "sqlId": "COMMON_SSE_SJ_GPSJ_CJGK_MRGK_C",
            "SEARCH_DATE": asked,
            "PRODUCT_CODE": codes,
            "type": "inParams",
        }
        yield jsonp.exchange(COMMON, params, {"result": result})


def _margin_ranges() -> list[tuple[str, str]]:
    """Recorded ranges: none (the newest days), single days, weeks, months, and all around the asked day."""
    ranges = {
        ("", ""),
        ("2025-01-20", "2025-01-31"),
        ("2025-02-01", "2025-02-28"),
        ("2026-01-01", "2026-01-31"),
        ("2026-02-01", "2026-02-28"),
    }
    for first, last in data.PERIODS:
        ranges.add((first.isoformat(), last.isoformat()))
        for day in data.days(first, last):
            ranges.add((day.isoformat(), day.isoformat()))
            if day.weekday() == 0:
                ranges |= {(day.isoformat(), (day + timedelta(to_end)).isoformat()) for to_end in (4, 6)}
    near = list(data.days(*NEAR_RANGE))
    ranges |= {(first.isoformat(), last.isoformat()) for first in near for last in near if first <= last}
    return sorted(ranges)


def _margin() -> Iterator[Exchange]:
    table = data.rows("margin")
    newest_first = sorted(table, key=lambda row: row["date"], reverse=True)
    for begin, end in _margin_ranges():
        found: list[dict[str, object]] = [
            {"opDate": data.compact(row["date"]), **{name: int(row[name]) for name in row if name != "date"}}
            for row in newest_first
            if (begin or MARGIN_SINCE) <= row["date"] <= (end or "9999")
        ]
        for number in range(1, jsonp.page_count(found, MARGIN_PAGE_SIZE) + 1):
            params = {
                "isPagination": "true",
                "beginDate": data.compact(begin),
                "endDate": data.compact(end),
                "tabType": "",
                "stockCode": "",
                **_page_params(MARGIN_PAGE_SIZE, number),
            }
            page = jsonp.page_of(found, number, MARGIN_PAGE_SIZE)
            payload = {"pageHelp": page, "result": page["data"]}
            yield jsonp.exchange("marketdata/tradedata/queryMargin.do", params, payload)
