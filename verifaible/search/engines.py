"""The search engines with an API: Tavily, Brave Search, Exa, and SearXNG, which one runs oneself.

- Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search
- Brave Search: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
- Exa: https://exa.ai/docs/reference/search
- SearXNG: https://docs.searxng.org/dev/search_api

Every request goes through the session's :class:`HttpClient`, so the guard, the size limit and the recorder
hold for searches too.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import ClassVar
from urllib.parse import unquote, urlencode, urlsplit, urlunsplit

from verifaible.errors import OfflineMiss, PageError, UrlRefused
from verifaible.net.client import HttpClient
from verifaible.net.politeness import retry_after_s
from verifaible.schema.web import Headers, WebRequest, WebResponse, header
from verifaible.search.base import EngineFailed, Query, SearchHit, hits_of, plain

#: Shorter keys are not looked for in answers: they would stand in ordinary words.
_SHORTEST_KEY = 8
_JSON: Headers = (("content-type", "application/json"), ("accept", "application/json"))


class ApiEngine:
    """An engine that answers in JSON; its subclass knows request and answer.

    Args:
        key: of its API, sent in a header only.
        base_url: where the API is; default the engine's own address.
    """

    name: ClassVar[str]
    api: ClassVar[str] = ""
    path: ClassVar[str] = "/search"
    #: The keys that the date of a result may have.
    dates: ClassVar[tuple[str, ...]]
    #: The most that the API takes.
    most_results: ClassVar[int] = 20
    #: An address that may be local, where the settings say so.
    endpoint = ""

    def __init__(self, key: str, *, base_url: str = "") -> None:
        self._key = key
        self._url = (base_url or self.api).rstrip("/") + self.path

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results in their order.

        Raises:
            EngineFailed: the engine could not be reached, answered with another status than 200, or with
                something else than results.
        """
        answer = await self._ask(self._request(query), client)
        try:
            found = json.loads(answer.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise EngineFailed("its answer is no JSON") from error
        if not isinstance(found, dict):
            raise EngineFailed("its answer is JSON of another form")
        entries = [each for each in self._entries(found) if isinstance(each, dict)]
        given = (
            (_text(each, "url"), _text(each, "title"), self._snippet(each), _text(each, *self.dates))
            for each in entries
        )
        return hits_of(self.name, given)

    async def _ask(self, request: WebRequest, client: HttpClient) -> bytes:
        """The body of an answer, without the key where it repeats it.

        A request with a key follows no redirect, which could carry it to another host.
        """
        key = self._key
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
            raise self._refused(answer)
        return answer.body.replace(key.encode(), b"[key]") if len(key) >= _SHORTEST_KEY else answer.body

    def _refused(self, answer: WebResponse) -> EngineFailed:
        status = answer.status
        reason = f"it answered with HTTP status {status}"
        if status == 429:
            reason = "it takes no more requests for now (HTTP status 429)"
        elif status in {402, 432, 433}:
            reason = f"its quota is used up (HTTP status {status})"
        elif self.api and status in {401, 403}:
            reason = f"it refused the key in VERIFAIBLE_{self.name.upper()}_API_KEY (HTTP status {status})"
        asked_s = retry_after_s(header(answer.headers, "retry-after")) if status in {429, 503} else None
        return EngineFailed(reason, status=status, retry_after_s=asked_s or 0.0)

    def _request(self, query: Query) -> WebRequest:
        raise NotImplementedError

    def _entries(self, answer: Mapping[str, object]) -> Sequence[object]:
        return _list(answer.get("results"))

    def _snippet(self, entry: Mapping[str, object]) -> str:
        return _text(entry, "content", "description")

    def _posted(self, asked: Mapping[str, object], secret: tuple[str, str]) -> WebRequest:
        return WebRequest(self._url, "POST", (secret, *_JSON), json.dumps(asked).encode())


class TavilyEngine(ApiEngine):
    """The search endpoint, at the cheaper of its depths; ``site:`` becomes a list of one domain."""

    name = "tavily"
    api = "https://api.tavily.com"
    dates = ("published_date",)
    most_characters = 400

    def _request(self, query: Query) -> WebRequest:
        asked: dict[str, object] = {
            "query": query.words[: self.most_characters],
            "max_results": min(query.limit, self.most_results),
            "search_depth": "basic",
        }
        if query.site:
            asked["include_domains"] = [query.site]
        return self._posted(asked, ("authorization", f"Bearer {self._key}"))


class BraveEngine(ApiEngine):
    """The web search endpoint; ``site:`` is one of its own operators."""

    name = "brave"
    api = "https://api.search.brave.com"
    path = "/res/v1/web/search"
    dates = ("page_age", "age")
    most_characters = 400
    most_words = 50

    def _request(self, query: Query) -> WebRequest:
        asked = {
            "q": " ".join(query.text.split()[: self.most_words])[: self.most_characters],
            "count": min(query.limit, self.most_results),
            "result_filter": "web",
            "text_decorations": "false",
        }
        headers = (("accept", "application/json"), ("x-subscription-token", self._key))
        return WebRequest(f"{self._url}?{urlencode(asked)}", headers=headers)

    def _entries(self, answer: Mapping[str, object]) -> Sequence[object]:
        """The answer leaves ``web`` out where there are none."""
        web = answer.get("web")
        return _list(web.get("results")) if isinstance(web, Mapping) else []


class ExaEngine(ApiEngine):
    """The search endpoint with highlights as snippets; ``site:`` becomes a list of one domain."""

    name = "exa"
    api = "https://api.exa.ai"
    dates = ("publishedDate",)
    most_results = 100

    def _request(self, query: Query) -> WebRequest:
        asked: dict[str, object] = {
            "query": query.words,
            "type": "auto",
            "numResults": min(query.limit, self.most_results),
            "contents": {"highlights": True},
        }
        if query.site:
            asked["includeDomains"] = [query.site]
        return self._posted(asked, ("x-api-key", self._key))

    def _snippet(self, entry: Mapping[str, object]) -> str:
        """The highlights, which are passages from different places of the page; else its text."""
        highlights = entry.get("highlights")
        parts = [part for part in highlights if isinstance(part, str)] if isinstance(highlights, list) else []
        return " … ".join(parts) or _text(entry, "summary", "text")


class SearxngEngine(ApiEngine):
    """One instance of SearXNG, in the order in which it ranks results.

    Args:
        base_url: where it runs, with or without ``/search``; ``user:password@`` before the host
            is sent as basic authentication and shown nowhere.
    """

    name = "searxng"
    dates = ("publishedDate",)

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        userinfo, at, host = parts.netloc.rpartition("@")
        place = urlunsplit((parts.scheme, host, parts.path.rstrip("/").removesuffix("/search"), "", ""))
        super().__init__(base64.b64encode(unquote(userinfo).encode()).decode() if at else "", base_url=place)
        self.endpoint = self._url

    def _request(self, query: Query) -> WebRequest:
        headers = [("accept", "application/json")]
        if self._key:
            headers.append(("authorization", f"Basic {self._key}"))
        url = f"{self._url}?{urlencode({'q': query.text, 'format': 'json'})}"
        return WebRequest(url, headers=tuple(headers))

    def _refused(self, answer: WebResponse) -> EngineFailed:
        """An instance that does not list ``json`` under ``search.formats`` answers 403."""
        if answer.status != 403:
            return super()._refused(answer)
        reason = "it gives no JSON (HTTP status 403): list json under search.formats in its settings.yml"
        return EngineFailed(reason, status=403)

    def _entries(self, answer: Mapping[str, object]) -> Sequence[object]:
        """The results; none is a failure where some of its own engines are silent."""
        entries = super()._entries(answer)
        pairs = answer.get("unresponsive_engines")
        named = [pair for pair in pairs if isinstance(pair, list) and pair] if isinstance(pairs, list) else []
        if named and not entries:
            silent = ", ".join(plain(" ".join(map(str, pair)))[:60] for pair in named[:5])
            raise EngineFailed(f"none of its own engines found anything, and some did not answer: {silent}")
        return entries


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise EngineFailed("its answer holds no list of results")
    return value


def _text(record: Mapping[str, object], *names: str) -> str:
    """The first of the fields that holds text, or an empty string."""
    return next((value for name in names if isinstance(value := record.get(name), str) and value.strip()), "")
