"""News from feeds and from an API, as sources, within a time and about an asset."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.unit.crypto.working import NOW, Data, offline_data, provider
from verifaible.config import NEWS_FEEDS
from verifaible.crypto.assets.resolver import Asset, Match, resolve
from verifaible.crypto.providers.news import News, listed, news_since, read_date
from verifaible.errors import OfflineMiss, WrongContent
from verifaible.evidence.sources import SourceTexts

MONTH = NOW - timedelta(days=60)
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>Paper</title>
<item><title>Solana halts</title><link>https://a.example/1</link>
<pubDate>Sun, 01 Mar 2026 10:00:00 +0100</pubDate><description>&lt;p&gt;SOL &lt;b&gt;stopped&lt;/b&gt;.&lt;/p&gt;&lt;p&gt;Others did not.</description></item>
<item><title>Solana halts again</title><link>https://a.example/2</link><pubDate>soon</pubDate></item>
<item><title>Solana tomorrow</title><link>https://a.example/3</link>
<pubDate>Tue, 03 Mar 2026 10:00:00 GMT</pubDate></item>
<item><title>Solana long ago</title><link>https://a.example/4</link>
<pubDate>Wed, 03 Dec 2025 10:00:00 GMT</pubDate></item>
<item><title>Bitcoin rests</title><link>https://a.example/5</link>
<pubDate>Sun, 01 Mar 2026 11:00:00 GMT</pubDate></item>
</channel></rss>"""


def asset(name: str) -> Asset:
    found = resolve(name)
    assert isinstance(found, Match)
    return found.asset


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Mon, 02 Mar 2026 08:00:00 GMT", datetime(2026, 3, 2, 8, tzinfo=UTC)),
        ("Mon, 02 Mar 2026 08:00:00 +0100", datetime(2026, 3, 2, 7, tzinfo=UTC)),
        ("2026-03-02T08:00:00-05:00", datetime(2026, 3, 2, 13, tzinfo=UTC)),
        ("2026-03-02T08:00:00Z", datetime(2026, 3, 2, 8, tzinfo=UTC)),
        ("Tue, 02 Mar 2026 08:00:00 GMT", None),  # it was a Monday
        ("2026-03-02T08:00:00", None),  # of which zone?
        ("2026-03-02", None),
        ("03/02/2026", None),
        ("two hours ago", None),
        ("0001-01-01T00:00:00+01:00", None),  # before the year 1 in UTC
        ("Mon, 02 Mar 99999999999999999999 08:00:00 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_dates_are_read_only_where_their_form_leaves_no_doubt(written: object, read: datetime | None) -> None:
    assert read_date(written) == read


async def _read(data: Data, feed: str, name: str = "") -> News:
    return await news_since(data.api, (feed,), MONTH, asset=asset(name) if name else None)


async def test_items_are_dated_within_the_time_and_about_the_asset(tmp_path: Path) -> None:
    with provider(lambda _: (200, {"content-type": "application/rss+xml"}, FEED), tmp_path) as data:
        url = data.endpoints.defillama + "/feed"
        news = await _read(data, url, name="SOL")
        assert [each.title for each in news.items] == ["Solana halts"]
        assert [each.title for each in news.undated] == ["Solana halts again"]
        assert news.items[0].summary == "SOL stopped. Others did not."
        assert news.items[0].published == datetime(2026, 3, 1, 9, tzinfo=UTC)
        everything = await _read(data, url)
        assert [each.title for each in everything.items] == ["Bitcoin rests", "Solana halts"]
        assert "undated" in listed(everything.undated)


async def test_each_item_is_a_source_of_its_own_and_the_feed_is_sealed_whole(tmp_path: Path) -> None:
    with provider(lambda _: (200, {"content-type": "application/rss+xml"}, FEED), tmp_path) as data:
        news = await _read(data, data.endpoints.defillama + "/feed", name="SOL")
        texts = SourceTexts(data.store)
        sources = {each.id: each for each in data.book.sources}
        item = news.items[0]
        assert texts.text(sources[item.mark]) == item.text
        assert "2026-03-01T09:00:00+00:00" in item.text
        assert sources["src_1"].kind == "api"
        assert item.mark in {source.id for source in data.book.sources}


async def test_nothing_later_than_as_of_and_nothing_undated_is_shown_of_the_past(tmp_path: Path) -> None:
    with provider(lambda _: (200, {"content-type": "application/rss+xml"}, FEED), tmp_path) as data:
        data.api.as_of = NOW - timedelta(days=1, hours=2)
        news = await _read(data, data.endpoints.defillama + "/feed")
        assert [each.title for each in news.items] == ["Solana halts"]
        assert not news.undated


async def test_a_page_that_is_no_feed_is_refused_and_one_bad_feed_does_not_cost_the_others(
    tmp_path: Path,
) -> None:
    def answer(path: str) -> tuple[int, Mapping[str, str], str]:
        return 200, {"content-type": "text/html"}, FEED if path == "/good" else "<html>Hello</html>"

    with provider(answer, tmp_path) as data:
        base = data.endpoints.defillama
        with pytest.raises(WrongContent, match="not a feed"):
            await _read(data, base + "/bad")
        news = await news_since(data.api, (base + "/bad", base + "/good"), MONTH)
        assert news.items
        assert len(news.missing) == 1
        assert "not a feed" in news.missing[0]


async def test_offline_the_news_are_those_of_the_replica_and_say_so(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    news = await news_since(data.api, NEWS_FEEDS, MONTH)
    assert news.synthetic
    assert len(news.items) == 24
    assert [each.title[:12] for each in news.undated] == ["What to know"]
    (missing,) = news.missing
    assert missing.count("https://") == 4
    for ticker in ("BTC", "ETH", "SOL", "LINK", "PEPE"):
        about = await news_since(data.api, NEWS_FEEDS, MONTH, asset=asset(ticker))
        assert 3 <= len(about.items) < 12, ticker
    with pytest.raises(OfflineMiss):
        await news_since(data.api, ("https://nowhere.example/rss",), MONTH)


async def test_of_many_times_in_the_past_none_shows_later_news(tmp_path: Path) -> None:
    data = offline_data(tmp_path)
    for step in range(40):
        data.api.as_of = NOW - timedelta(hours=25 * step)
        news = await news_since(data.api, NEWS_FEEDS[:1], NOW - timedelta(days=90))
        assert news.items
        assert all(each.published and each.published <= data.api.as_of for each in news.items)
        assert not news.undated or data.api.as_of == NOW
