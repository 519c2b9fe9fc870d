"""A synthetic feed of crypto news; every event in it is made up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from email.utils import format_datetime
from html import escape

from scripts.replicas.common import Exchange, Site
from scripts.replicas.www_coindesk_com.items import ITEMS, Item

FEED = "https://www.coindesk.com/arc/outboundfeeds/rss/"
RECORDED_AT = "2026-03-02T11:50:00Z"


def exchanges() -> Iterator[Exchange]:
    """The feed, newest first, the undated item last."""
    dated = sorted(ITEMS, key=lambda each: each.published, reverse=True)
    items = "\n".join(map(_item, dated))
    body = f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0">
<channel>
<title>CoinDesk (replica: made-up news)</title>
<link>https://www.coindesk.com/</link>
<description>A stand-in for a feed of news: every item is made up.</description>
<lastBuildDate>Mon, 02 Mar 2026 11:45:00 +0000</lastBuildDate>
{items}
</channel>
</rss>
"""
    yield Exchange(FEED, body.encode(), "application/rss+xml; charset=utf-8", recorded_at=RECORDED_AT)


def _item(item: Item) -> str:
    date = format_datetime(datetime.fromisoformat(item.published)) if item.published else ""
    published = f"<pubDate>{date}</pubDate>" if date else ""
    link = f"https://www.coindesk.com/replica/{item.slug}"
    return (
        f'<item><title>{escape(item.title)}</title><link>{link}</link><guid isPermaLink="true">{link}</guid>'
        f"{published}<description>{escape(item.summary)}</description></item>"
    )


SITE = Site(
    name="www.coindesk.com",
    title="A feed of crypto news (replica)",
    description=(
        "A synthetic RSS feed with 25 made-up items of early 2026 on BTC, ETH, SOL, LINK and PEPE. "
        "Nothing in it happened, and nobody published it."
    ),
    exchanges=exchanges,
)
