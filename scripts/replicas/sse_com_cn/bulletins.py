"""Company announcements: the search service's answers and the documents themselves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from scripts.replicas.common import Exchange
from scripts.replicas.sse_com_cn import data, documents, jsonp

PATH = "security/stock/queryCompanyBulletinNew.do"
PAGE_SIZE = 25
#: The two companies the bench asks about: more ranges are answered for them.
ASKED_CODES = ("600000", "600916")
#: Ranges answered for every company: the page's presets, calendar months, the year so far.
COMMON_RANGES = (
    ("2026-02-02", "2026-03-02"),
    ("2025-12-02", "2026-03-02"),
    ("2025-03-02", "2026-03-02"),
    ("2023-03-02", "2026-03-02"),
    ("2025-12-01", "2025-12-31"),
    ("2026-01-01", "2026-01-31"),
    ("2026-02-01", "2026-02-28"),
    ("2026-01-01", "2026-03-02"),
)
#: First and last days a reader is likely to choose around the two asked announcements.
LIKELY_STARTS = (
    "2025-01-01",
    "2025-12-01",
    "2026-01-01",
    "2026-01-10",
    "2026-01-12",
    "2026-01-13",
    "2026-01-14",
    "2026-01-15",
    "2026-01-20",
    "2026-01-25",
    "2026-01-28",
    "2026-01-29",
    "2026-01-30",
    "2026-01-31",
)
LIKELY_ENDS = (
    "2026-01-14",
    "2026-01-15",
    "2026-01-16",
    "2026-01-20",
    "2026-01-31",
    "2026-02-01",
    "2026-02-02",
    "2026-02-28",
    "2026-03-01",
    "2026-03-02",
)
#: Words a reader is likely to search the titles for.
KEYWORDS = (
    "分公司",
    "设立分公司",
    "关于设立分公司的公告",
    "业绩快报",
    "业绩快报公告",
    "2025年度业绩快报",
    "2025年度业绩快报公告",
    "上海浦东发展银行股份有限公司2025年度业绩快报公告",
    "中国黄金集团黄金珠宝股份有限公司关于设立分公司的公告",
)

_Row = dict[str, str]


def exchanges() -> Iterator[Exchange]:
    """Every recorded search of the announcements, then every document."""
    announced = data.rows("announcements")
    for code, title, begin, end in _searches(sorted({row["code"] for row in announced})):
        found = [
            row
            for row in announced
            if code in ("", row["code"]) and title in row["title"] and begin <= row["date"] <= end
        ]
        yield from _answers(code, title, begin, end, _grouped(found))
    for row in announced:
        yield Exchange(
            "https://static.sse.com.cn" + _document_path(row),
            documents.pdf(row),
            "application/pdf",
            page_title=row["title"],
        )


def _searches(codes: list[str]) -> list[tuple[str, str, str, str]]:
    """Recorded combinations of code, title word, first day and last day."""
    searches = {(code, "", *span) for code in ["", *codes] for span in COMMON_RANGES}
    for first, last in ((date(2026, 1, 1), data.SYSTEM_DATE), (date(2025, 1, 15), date(2025, 1, 15))):
        for day in data.days(first, last):
            searches |= {(code, "", day.isoformat(), day.isoformat()) for code in ("", *ASKED_CODES)}
    for begin in LIKELY_STARTS:
        for end in LIKELY_ENDS:
            if begin <= end:
                searches |= {(code, "", begin, end) for code in ASKED_CODES}
    for word in KEYWORDS:
        spans = (*COMMON_RANGES, ("2026-01-14", "2026-01-14"), ("2026-01-31", "2026-01-31"))
        searches |= {(code, word, *span) for code in ("", *ASKED_CODES) for span in spans}
    return sorted(searches)


def _grouped(found: list[_Row]) -> list[list[_Row]]:
    """Announcements with their attachments: consecutive rows of one group stand together."""
    groups: list[list[_Row]] = []
    for row in found:
        if row["group"] and groups and groups[-1][0]["group"] == row["group"]:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _answers(code: str, title: str, begin: str, end: str, groups: list[list[_Row]]) -> Iterator[Exchange]:
    records = [[_record(row) for row in group] for group in groups]
    for number in range(1, jsonp.page_count(records, PAGE_SIZE) + 1):
        params = {
            "isPagination": "true",
            "pageHelp.pageSize": str(PAGE_SIZE),
            "pageHelp.cacheSize": "1",
            "START_DATE": begin,
            "END_DATE": end,
            "SECURITY_CODE": code,
            "TITLE": title,
            "BULLETIN_TYPE": "",
            "stockType": "",
            "pageHelp.pageNo": str(number),
            "pageHelp.beginPage": str(number),
            "pageHelp.endPage": str(number),
        }
        page = jsonp.page_of(records, number, PAGE_SIZE)
        yield jsonp.exchange(PATH, params, {"pageHelp": page, "result": page["data"]})


def _record(row: _Row) -> dict[str, str]:
    return {
        "SECURITY_CODE": row["code"],
        "SECURITY_NAME": row["name"],
        "TITLE": row["title"],
        "URL": _document_path(row),
        "SSEDATE": row["date"],
        "BULLETIN_TYPE_DESC": row["type"],
        "BULLETIN_YEAR": row["date"][:4],
    }


def _document_path(row: _Row) -> str:
    name = f"{row['code']}_{data.compact(row['date'])}_{row['file_key']}.pdf"
    return f"/disclosure/listedinfo/announcement/c/new/{row['date']}/{name}"
