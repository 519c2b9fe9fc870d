"""News of the crypto market from feeds (RSS, Atom); each item is a source.

Feeds are read by feedparser, which is kept and takes what publishers really send; dates are read strictly
(RFC 5322, ISO 8601, with a time zone), and an item without such a date is undated, never new.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import Field

from verifaible.crypto.assets.resolver import Asset, folded
from verifaible.crypto.providers.session import Api, ApiAnswer, Given
from verifaible.crypto.query import find_entities, stamp
from verifaible.errors import ConfigError, OfflineMiss, ToolError, WrongContent, needing
from verifaible.schema.base import Record

_TEXT: Final = "text/plain; charset=utf-8"
#: A summary is shown to a model up to here; the source has all of it.
SHOWN_CHARACTERS: Final = 600


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
    api: Api, feeds: Sequence[str], since: datetime, *, asset: Asset | None = None, limit: int = 40
) -> News:
    """The news from a time on until the session's ``as_of`` (or its present), each sealed as a source.

    Args:
        api: the session's.
        feeds: their addresses.
        since: the earliest time of publication.
        asset: news that name it only.
        limit: most items, of the dated and of the undated ones.

    Raises:
        ToolError: no feed could be read; the error of the first.
        ConfigError: the extra ``[crypto]`` is not installed.
    """
    until = api.as_of or api.now
    if not feeds:
        raise ConfigError("There is no news feed. Name some in VERIFAIBLE_NEWS_FEEDS.")
    read = await asyncio.gather(*(_feed(api, each) for each in feeds), return_exceptions=True)
    faults, found = [], []
    for each in read:
        if isinstance(each, ToolError):
            faults.append(each)
        elif isinstance(each, BaseException):
            raise each
        else:
            found.append(each)
    if not found:
        raise faults[0]
    every = [item for _, items in found for item in items if asset is None or item.names(asset)]
    dated = [each for each in every if each.published and since <= each.published <= until]
    dated.sort(key=lambda each: each.published or since, reverse=True)
    # of an item without a date nobody knows whether it is later than a time in the past
    undated = [each for each in every if each.published is None] if until >= api.now else []
    absent = ", ".join(each.url for each in faults if isinstance(each, OfflineMiss))
    missing = [str(each) for each in faults if not isinstance(each, OfflineMiss)]
    missing += [f"The offline archives do not have {absent}."] if absent else []
    return News(
        items=await _sealed(api, _once(dated)[:limit]),
        undated=await _sealed(api, _once(undated)[:limit]),
        missing=tuple(missing),
        synthetic=any(answer.synthetic for answer, _ in found),
    )


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
    with needing("crypto", "News"):
        import feedparser
    answer = await api.get_text(urlsplit(address).hostname or address, address)
    parsed: Any = await asyncio.to_thread(feedparser.parse, io.BytesIO(answer.body))
    if not parsed.version:
        raise WrongContent(
            f"{answer.name} is not a feed (RSS or Atom). Correct VERIFAIBLE_NEWS_FEEDS, or search the web."
        )
    publisher = _plain(parsed.feed.get("title", "")) or (urlsplit(address).hostname or address)
    title = f"Feed of {publisher}{' (replica: synthetic)' if answer.synthetic else ''}"
    await api.seal(answer, title)  # to the byte
    items = [_item(answer, publisher, entry) for entry in parsed.entries]
    return answer, [each for each in items if each.title]


def _item(answer: ApiAnswer, publisher: str, entry: Any) -> NewsItem:
    title, summary = (_plain(entry.get(key, "")) for key in ("title", "summary"))
    named = [each.ticker for each in find_entities(f"{title}. {summary}") if each.kind == "token"]
    return NewsItem(
        title=title,
        url=str(entry.get("link", "")),
        publisher=publisher,
        published=read_date(entry.get("published")),
        summary=summary,
        assets=tuple(dict.fromkeys(filter(None, named))),
        feed=answer.url,
        received_at=answer.received_at,
    )


def _plain(markup: str) -> str:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(markup, "html.parser")
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
    given = [
        Given("snippet", each.text.encode(), _TEXT, each.url, each.title, each.received_at) for each in items
    ]
    marks = [source.id for source in await api.book.keep(given)]
    return tuple(item.model_copy(update={"mark": mark}) for item, mark in zip(items, marks, strict=True))
