"""News of the crypto market: feeds (RSS, Atom) and, with a key, CoinDesk's data API; each item is a source.

Feeds are read by feedparser, which is kept and takes what publishers really send; dates are read strictly
(RFC 5322, ISO 8601, with a time zone), and an item without such a date is undated, never new. The fields of
the API are those that public clients of ``/news/v1/article/list`` read in November 2026; it was not
tried with a key.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import Field, SecretStr

from verifaible.config import NEWS_FEEDS, Settings
from verifaible.crypto.assets.resolver import Asset, folded
from verifaible.crypto.periods import stamp
from verifaible.crypto.query import find_entities
from verifaible.crypto.sources import Given
from verifaible.crypto.tools.api import Api, ApiAnswer
from verifaible.crypto.tools.data import moment_at, rows_of, text_at
from verifaible.errors import ConfigError, OfflineMiss, ToolError, WrongContent
from verifaible.schema.base import Record

COINDESK: Final = "https://data-api.coindesk.com/news/v1/article/list"
_TEXT: Final = "text/plain; charset=utf-8"
#: A summary is shown to a model up to here; the source has all of it.
SHOWN_CHARACTERS: Final = 600


class NewsPlaces(Record):
    """Where news come from: addresses of feeds, and of CoinDesk's data API, which is asked with a key."""

    feeds: tuple[str, ...] = NEWS_FEEDS
    coindesk: str = COINDESK
    key: SecretStr | None = None

    @classmethod
    def of(cls, settings: Settings) -> NewsPlaces:
        """Those of the settings."""
        return cls(feeds=settings.news_feeds, key=settings.coindesk_api_key)


class NewsItem(Record):
    """A piece of news.

    Attributes:
        mark: of its source in the answer; empty before it is sealed.
        title: its headline.
        url: its page.
        publisher: who published it.
        published: when; None: it does not say so in a form that leaves no doubt.
        summary: what the feed has of it.
        assets: tickers of the assets that headline and summary name.
        feed: the address that it came from.
    """

    mark: str = ""
    title: str
    url: str
    publisher: str
    published: datetime | None
    summary: str
    assets: tuple[str, ...] = ()
    feed: str
    received_at: datetime

    @property
    def text(self) -> str:
        """What is sealed and cited."""
        date = f"Published {self.published.isoformat()}" if self.published else "Undated"
        return f"{self.title}\n{date} by {self.publisher}\n{self.url}\n\n{self.summary}\n\nFrom {self.feed}"

    def names(self, asset: Asset) -> bool:
        """Whether headline or summary names an asset, by ticker, name or another name of it."""
        known = {folded(each) for each in (asset.symbol, asset.name, *asset.also)}
        return any(
            known & {folded(each.name), folded(each.ticker), folded(each.written)}
            for each in find_entities(f"{self.title}. {self.summary}")
            if each.kind in ("token", "ticker", "name")
        )


class News(Record):
    """News of a time, newest first.

    Attributes:
        items: dated ones within the time that was asked about.
        undated: those that do not say when they were published.
        missing: what could not be read, a sentence each.
        synthetic: whether any of it is from a replica.
    """

    items: tuple[NewsItem, ...]
    undated: tuple[NewsItem, ...] = ()
    missing: tuple[str, ...] = Field(())
    synthetic: bool = False


async def news_since(
    api: Api, places: NewsPlaces, since: datetime, *, asset: Asset | None = None, limit: int = 40
) -> News:
    """The news from a time on until the session's ``as_of`` (or its present), each sealed as a source.

    Args:
        api: the session's.
        places: where news come from.
        since: the earliest time of publication.
        asset: news that name it only.
        limit: most items, of the dated and of the undated ones.

    Raises:
        ToolError: no place could be read; the error of the first.
        ConfigError: the extra ``[crypto]`` is not installed.
    """
    until = api.as_of or api.now
    asked = [_feed(api, each) for each in places.feeds]
    if places.key is not None:
        asked.insert(0, _coindesk(api, places, until, asset))
    if not asked:
        raise ConfigError("There is no news feed. Name some in VERIFAIBLE_NEWS_FEEDS.")
    read = await asyncio.gather(*asked, return_exceptions=True)
    faults = [each for each in read if isinstance(each, BaseException)]
    if other := next((each for each in faults if not isinstance(each, ToolError)), None):
        raise other
    found = [each for each in read if not isinstance(each, BaseException)]
    if not found:
        raise faults[0]
    every = [item for _, items in found for item in items if asset is None or item.names(asset)]
    dated = [each for each in every if each.published and since <= each.published <= until]
    dated.sort(key=lambda each: each.published or since, reverse=True)
    # of an item without a date nobody knows whether it is later than a time in the past
    undated = [each for each in every if each.published is None] if until >= api.now else []
    return News(
        items=await _sealed(api, _once(dated)[:limit]),
        undated=await _sealed(api, _once(undated)[:limit]),
        missing=_missing([each for each in faults if isinstance(each, ToolError)]),
        synthetic=any(answer.synthetic for answer, _ in found),
    )


def _missing(faults: Sequence[ToolError]) -> tuple[str, ...]:
    """What could not be read, a sentence each; what no archive has in one."""
    told = [str(each) for each in faults if not isinstance(each, OfflineMiss)]
    absent = [each.url for each in faults if isinstance(each, OfflineMiss)]
    return (*told, *([f"The offline archives do not have {', '.join(absent)}."] if absent else []))


def listed(items: Iterable[NewsItem]) -> str:
    """News as a model reads them: mark, time, publisher, headline, assets, beginning of the summary."""
    lines = []
    for each in items:
        date = stamp(each.published) if each.published else "undated"
        named = f" Assets named: {', '.join(each.assets)}." if each.assets else ""
        more = "…" if len(each.summary) > SHOWN_CHARACTERS else ""
        lines.append(
            f"[{each.mark}] {date}, {each.publisher}: {each.title}.{named}\n"
            f"{each.summary[:SHOWN_CHARACTERS]}{more}"
        )
    return "\n\n".join(lines)


def read_date(written: object) -> datetime | None:
    """A time of publication in UTC; None where its form leaves any doubt.

    RFC 5322 (``Mon, 02 Mar 2026 08:00:00 GMT``, with the right weekday), or ISO 8601 with a time zone.
    """
    if not isinstance(written, str) or not (said := written.strip()):
        return None
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        try:
            moment = parsedate_to_datetime(said)
        except (ValueError, OverflowError):
            return None
        day, comma, _ = said.partition(",")
        if comma and day.strip()[:3].casefold() != format_datetime(moment)[:3].casefold():
            return None
    try:
        return moment.astimezone(UTC) if moment.tzinfo else None
    except OverflowError:  # year 1, as software writes that knows no date
        return None


async def _feed(api: Api, address: str) -> tuple[ApiAnswer, list[NewsItem]]:
    try:
        import feedparser
    except ImportError as error:
        raise ConfigError("News need the extra [crypto]: pip install 'verifaible[crypto]'.") from error
    answer = await api.get_text(urlsplit(address).hostname or address, address)
    parsed: Any = await asyncio.to_thread(feedparser.parse, io.BytesIO(answer.body))
    if not parsed.version:
        raise WrongContent(
            f"{answer.name} is not a feed (RSS or Atom). Correct VERIFAIBLE_NEWS_FEEDS, or search the web."
        )
    publisher = _plain(parsed.feed.get("title", "")) or (urlsplit(address).hostname or address)
    await _keep_whole(api, answer, f"Feed of {publisher}")
    return answer, [
        _item(
            title=_plain(entry.get("title", "")),
            url=str(entry.get("link", "")),
            publisher=publisher,
            published=read_date(entry.get("published")),
            summary=_plain(entry.get("summary", "")),
            answer=answer,
        )
        for entry in parsed.entries
        if entry.get("title")
    ]


async def _coindesk(
    api: Api, places: NewsPlaces, until: datetime, asset: Asset | None
) -> tuple[ApiAnswer, list[NewsItem]]:
    query = {"lang": "EN", "limit": "50", "to_ts": str(int(until.timestamp()))}
    if asset is not None:
        query["categories"] = asset.symbol.upper()
    key = places.key.get_secret_value() if places.key else ""
    answer = await api.get("CoinDesk", places.coindesk, query, secret_headers={"x-api-key": key})
    await _keep_whole(api, answer, "Articles of CoinDesk's data API")
    return answer, [
        _item(
            title=_plain(text_at(row, ("TITLE",))),
            url=text_at(row, ("URL",)),
            publisher=text_at(row, ("SOURCE_DATA", "NAME")) or "CoinDesk",
            published=moment_at(row, ("PUBLISHED_ON",)),
            summary=_plain(text_at(row, ("BODY",))),
            answer=answer,
        )
        for _, row in rows_of(answer.data, ("Data",), answer.name)
        if text_at(row, ("TITLE",))
    ]


async def _keep_whole(api: Api, answer: ApiAnswer, title: str) -> None:
    """Seal what the items were read from, to the byte."""
    await api.seal(answer, f"{title} (replica: synthetic)" if answer.synthetic else title)


def _item(*, title: str, summary: str, answer: ApiAnswer, **more: Any) -> NewsItem:
    named = (each.ticker for each in find_entities(f"{title}. {summary}") if each.kind == "token")
    return NewsItem(
        title=title,
        summary=summary,
        assets=tuple(dict.fromkeys(filter(None, named))),
        feed=answer.url,
        received_at=answer.received_at,
        **more,
    )


def _plain(markup: object) -> str:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(str(markup), "html.parser")
    for block in soup.find_all(["p", "br", "li", "div", "tr"]):
        block.insert_after("\n")
    return " ".join(soup.get_text().split())


def _once(items: Iterable[NewsItem]) -> list[NewsItem]:
    """Each story once: several feeds carry the same address or headline."""
    kept: list[NewsItem] = []
    seen: set[str] = set()
    for each in items:
        keys = {key for key in (each.url, folded(each.title)) if key}
        if not keys & seen:
            kept.append(each)
        seen |= keys
    return kept


async def _sealed(api: Api, items: Sequence[NewsItem]) -> tuple[NewsItem, ...]:
    sources = await api.book.keep(
        [
            Given("snippet", each.text.encode(), _TEXT, each.url, each.title, each.received_at)
            for each in items
        ]
    )
    for source, item in zip(sources, items, strict=True):
        api.book.shown[source.id] = item.text
    return tuple(
        item.model_copy(update={"mark": source.id}) for item, source in zip(items, sources, strict=True)
    )
