"""Synthetic replica of the Shanghai Stock Exchange site: data pages, announcements, documents."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.replicas.common import Exchange, Site
from scripts.replicas.sse_com_cn import bulletins, pages, queries


def _exchanges() -> Iterator[Exchange]:
    yield from pages.exchanges()
    yield from queries.exchanges()
    yield from bulletins.exchanges()


SITE = Site(
    name="sse.com.cn",
    title="上海证券交易所（合成复制品）",
    description=(
        "Synthetic, hand-written replica of www.sse.com.cn, query.sse.com.cn and static.sse.com.cn. "
        "Not a recording: apart from the published figures the bench asks for and a few public facts "
        "of the two companies, the data are made up. Data pages answer for 2025-01-20 to 2025-02-28 "
        "and 2026-01-26 to 2026-03-02."
    ),
    exchanges=_exchanges,
)
