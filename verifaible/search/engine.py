"""What engines of the live web share: asking over our client, and reading what comes.

Every request goes through the session's :class:`HttpClient`, so the guard, the size limit and the
recorder hold for searches too.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Protocol
from urllib.parse import urlsplit

from verifaible.archive.urls import recordable
from verifaible.errors import OfflineMiss, PageError, PageNotLoaded, UrlRefused
from verifaible.net.client import HttpClient
from verifaible.net.politeness import retry_after_s
from verifaible.schema.web import WebRequest, WebResponse, header
from verifaible.search.base import Query, SearchHit

#: Shorter keys are not looked for in answers: they would stand in ordinary words.
_SHORTEST_KEY = 8
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


class EngineFailed(PageNotLoaded):
    """An engine gave no results that can be used.

    Attributes:
        reason: why, as a clause without a full stop; it holds no text of a page, and no key.
        retry_after_s: the pause that the engine asked for, in seconds; 0 if it named none.
    """

    def __init__(self, reason: str, *, status: int = 0, retry_after_s: float = 0.0) -> None:
        self.reason = reason
        self.retry_after_s = retry_after_s
        super().__init__(f"The search engine gave no results: {reason}. Try again later.", status=status)


class Engine(Protocol):
    """A search engine of the live web; it keeps nothing from one search to the next."""

    @property
    def name(self) -> str:
        """Its name in settings and results."""
        ...

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """Hits, best first; empty only if the engine said that it found nothing.

        Raises:
            EngineFailed: anything else.
        """
        ...


async def ask(client: HttpClient, request: WebRequest, *, key: str = "", setting: str = "") -> WebResponse:
    """Send a request to an engine; only an answer with status 200 comes back.

    Args:
        client: the session's client.
        request: what the engine's documentation says.
        key: its API key. A request with a key follows no redirect, which could carry it to
            another host, and an answer that repeats the key comes back without it.
        setting: the variable that holds the key, named when the key is refused.

    Raises:
        EngineFailed: the engine could not be reached, or answered with another status.
    """
    try:
        answer = (await client.fetch(request, follow_redirects=not key)).answer.response
    except UrlRefused as error:
        host = urlsplit(request.url).hostname or request.url
        raise EngineFailed(
            f"the URL guard refused {host}; if it is yours, add it to VERIFAIBLE_LOCAL_ENDPOINTS"
        ) from error
    except OfflineMiss as error:
        raise EngineFailed("the offline archives hold no answer of it") from error
    except PageError as error:
        late = "did not answer within" in str(error)
        raise EngineFailed("it did not answer in time" if late else "it could not be reached") from error
    if answer.status != 200:
        raise _refused(answer, setting)
    if len(key) < _SHORTEST_KEY or key.encode() not in answer.body:
        return answer
    return WebResponse(answer.status, answer.headers, answer.body.replace(key.encode(), b"[key]"))


def _refused(answer: WebResponse, setting: str) -> EngineFailed:
    status = answer.status
    reason = f"it answered with HTTP status {status}"
    if status == 429:
        reason = "it takes no more requests for now (HTTP status 429)"
    elif status in {402, 432, 433}:
        reason = f"its quota is used up (HTTP status {status})"
    elif setting and status in {401, 403}:
        reason = f"it refused the key in {setting} (HTTP status {status})"
    asked_s = retry_after_s(header(answer.headers, "retry-after")) if status in {429, 503} else None
    return EngineFailed(reason, status=status, retry_after_s=asked_s or 0.0)


def json_object(answer: WebResponse) -> Mapping[str, object]:
    """The JSON object of an answer.

    Raises:
        EngineFailed: it is none.
    """
    try:
        found = json.loads(answer.body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise EngineFailed("its answer is no JSON") from error
    if not isinstance(found, dict):
        raise EngineFailed("its answer is JSON of another form")
    return found


def records(value: object) -> Sequence[Mapping[str, object]]:
    """The objects of a JSON list.

    Raises:
        EngineFailed: the value is no list.
    """
    if not isinstance(value, list):
        raise EngineFailed("its answer holds no list of results")
    return [entry for entry in value if isinstance(entry, dict)]


def text_of(record: Mapping[str, object], *names: str) -> str:
    """The first of the fields that holds text, or an empty string."""
    return next((value for name in names if isinstance(value := record.get(name), str) and value.strip()), "")


def hit(engine: str, url: str, title: str, snippet: str = "", published: str = "") -> SearchHit | None:
    """A result in our form, or None where it leads to no web page.

    Marks of HTML and characters that cannot be seen are taken out of title and snippet.
    """
    address = page_url(url)
    if not address:
        return None
    return SearchHit(
        title=plain(title) or address,
        url=address,
        snippet=plain(snippet),
        published=iso_date(published),
        source=engine,
        engines=(engine,),
    )


def listed(hits: Sequence[SearchHit | None], given: int) -> tuple[SearchHit, ...]:
    """The hits that lead somewhere.

    Raises:
        EngineFailed: the engine gave entries, and none of them can be used.
    """
    found = tuple(each for each in hits if each is not None)
    if given and not found:
        raise EngineFailed("its results have no addresses that can be opened")
    return found


def read_entries(
    engine: str,
    entries: Sequence[Mapping[str, object]],
    snippet: Callable[[Mapping[str, object]], str],
    *published: str,
) -> tuple[SearchHit, ...]:
    """The entries of a JSON answer that lead somewhere; ``published`` are the keys that a date may have.

    Raises:
        EngineFailed: as :func:`listed`.
    """
    hits = [
        hit(engine, text_of(each, "url"), text_of(each, "title"), snippet(each), text_of(each, *published))
        for each in entries
    ]
    return listed(hits, len(entries))


def page_url(url: str) -> str:
    """An address of the web as it is shown, or an empty string for anything else."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme.lower() in {"http", "https"} and bool(parts.hostname)
        return recordable(url.strip()) if usable else ""
    except ValueError:
        return ""


def plain(text: str) -> str:
    """Text on one line without HTML and without characters that cannot be seen."""
    text = unescape(_TAG.sub("", text))
    kept = (
        " "
        if (kind := unicodedata.category(char)) == "Cc"
        else ""
        if kind in {"Cf", "Co", "Cs", "Cn"}
        else char
        for char in text
    )
    return " ".join("".join(kept).split())


def iso_date(value: str) -> str:
    """The day of an ISO 8601 or RFC 5322 date, or an empty string ("3 days ago" has none)."""
    text = value.strip()
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (TypeError, ValueError, OverflowError):
        return ""
