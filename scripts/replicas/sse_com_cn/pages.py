"""The HTML pages, scripts, style sheet and images of www.sse.com.cn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from string import Template

from scripts.replicas.common import Exchange
from scripts.replicas.sse_com_cn import data

ORIGIN = "https://www.sse.com.cn"


@dataclass(frozen=True, slots=True)
class _Page:
    path: str
    title: str
    template: str
    side: str
    scripts: tuple[str, ...]
    crumbs: tuple[str, ...]


_CALENDAR = "common/laydate.js"
_PAGES = (
    _Page("/", "首页", "home", "", ("market/home.js",), ()),
    _Page(
        "/market/bonddata/overview/day/",
        "债券成交概况-每日概况",
        "bond_day",
        "side_data",
        (_CALENDAR, "market/bond_day.js"),
        ("数据", "债券数据", "成交概况", "每日概况"),
    ),
    _Page(
        "/market/stockdata/marketvalue/main/",
        "股票市值排名-主板",
        "market_value",
        "side_data",
        (_CALENDAR, "market/market_value.js"),
        ("数据", "股票数据", "市值排名", "主板"),
    ),
    _Page(
        "/market/funddata/overview/day/",
        "基金成交概况-每日概况",
        "fund_day",
        "side_data",
        (_CALENDAR, "market/fund_day_config.js", "market/overview_day.js"),
        ("数据", "基金数据", "成交概况", "每日概况"),
    ),
    _Page(
        "/market/stockdata/overview/day/",
        "股票成交概况-每日概况",
        "stock_day",
        "side_data",
        (_CALENDAR, "market/stock_day_config.js", "market/overview_day.js"),
        ("数据", "股票数据", "成交概况", "每日概况"),
    ),
    _Page(
        "/market/othersdata/margin/sum/",
        "融资融券汇总数据",
        "margin_sum",
        "side_data",
        (_CALENDAR, "market/margin_sum.js"),
        ("数据", "融资融券", "汇总数据"),
    ),
    _Page(
        "/disclosure/listedinfo/announcement/",
        "上市公司公告",
        "announcement",
        "side_disclosure",
        (_CALENDAR, "common/companies.js", "market/announcement.js"),
        ("披露", "上市公司信息", "上市公司公告"),
    ),
)

_CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "application/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def exchanges() -> Iterator[Exchange]:
    """Every page, then every file that the pages load from their own host."""
    frame = Template(_template("frame"))
    for page in _PAGES:
        html = frame.substitute(
            title=f"{page.title} | 上海证券交易所",
            crumb="".join(f" &gt; {crumb}" for crumb in page.crumbs),
            side=_template(page.side) if page.side else "",
            content=_template(page.template),
            scripts="\n".join(f'<script src="/js/{name}"></script>' for name in page.scripts),
            system_date=data.SYSTEM_DATE.isoformat(),
        )
        yield Exchange(
            ORIGIN + page.path,
            html.encode(),
            "text/html; charset=utf-8",
            page_title=f"{page.title} | 上海证券交易所",
        )
    static = data.HERE / "static"
    for file in sorted(path for path in static.rglob("*") if path.is_file()):
        yield Exchange(
            f"{ORIGIN}/{file.relative_to(static).as_posix()}", file.read_bytes(), _CONTENT_TYPES[file.suffix]
        )


def _template(name: str) -> str:
    return (data.HERE / "templates" / f"{name}.html").read_text(encoding="utf-8")
