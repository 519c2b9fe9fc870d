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
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urlencode, urlsplit, urlunsplit

from verifaible.errors import OfflineMiss, PageBlocked, PageError, UrlRefused
from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest, WebResponse
from verifaible.search.base import EngineFailed, Query, SearchHit, hits_of, plain

#: Shorter keys are not looked for in answers: they would stand in ordinary words.
_SHORTEST_KEY: Final = 8
#: The most that Brave takes of a query; longer ones find nothing anywhere.
_MOST_CHARACTERS, _MOST_WORDS = 400, 50


@dataclass(frozen=True, slots=True)
class Api:
    """How an API is asked.

    Attributes:
        host: its address.
        path: of the search.
        key: the header of the key, and its form.
        query, limit: the fields of the words, and of how many results are wanted; empty: none.
        sites: the field of hosts to keep to; empty: ``site:`` is an operator in the words.
        more: further fields.
        posted: as a JSON body, rather than in the address.
        most_results: the most that it takes.
        results: the members of the answer that lead to the list of results.
    """

    host: str
    path: str = "/search"
    key: tuple[str, str] = ("authorization", "Bearer {}")
    query: str = "query"
    limit: str = ""
    sites: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
    posted: bool = True
    most_results: int = 20
    results: tuple[str, ...] = ("results",)


#: The engines with a key.
APIS: Final[Mapping[str, Api]] = {
    "tavily": Api(
        "https://api.tavily.com",
        limit="max_results",
        sites="include_domains",
        more={"search_depth": "basic"},
    ),
    "brave": Api(
        "https://api.search.brave.com",
        "/res/v1/web/search",
        key=("x-subscription-token", "{}"),
        query="q",
        limit="count",
        more={"result_filter": "web", "text_decorations": "false"},
        posted=False,
        results=("web", "results"),
    ),
    "exa": Api(
        "https://api.exa.ai",
        key=("x-api-key", "{}"),
        limit="numResults",
        sites="includeDomains",
        more={"type": "auto", "contents": {"highlights": True}},
        most_results=100,
    ),
}
#: The members of a result that may hold its date, and its passage.
_DATES: Final = ("published_date", "publishedDate", "page_age", "age")
_PASSAGES: Final = ("content", "description", "summary", "text")


class ApiEngine:
    """An engine that answers in JSON.

    Args:
        name: of the engine.
        key: of its API, sent in a header only; empty: none.
        api: how it is asked; default that of :data:`APIS`.
        base_url: where the API is; default its own address.

    Attributes:
        endpoint: an address of the person's own, which may be local; empty for engines of the web.
    """

    endpoint = ""

    def __init__(self, name: str, key: str, *, api: Api | None = None, base_url: str = "") -> None:
        self.name = name
        self._api = api or APIS[name]
        self._key = key
        self._url = (base_url or self._api.host).rstrip("/") + self._api.path

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
        given = [
            (_text(each, ("url",)), _text(each, ("title",)), _passage(each), _text(each, _DATES))
            for each in self._results(found)
            if isinstance(each, dict)
        ]
        return hits_of(self.name, given)

    def _request(self, query: Query) -> WebRequest:
        api = self._api
        words = (query.words if api.sites else query.text).split()[:_MOST_WORDS]
        asked: dict[str, Any] = {api.query: " ".join(words)[:_MOST_CHARACTERS], **api.more}
        if api.limit:
            asked[api.limit] = min(query.limit, api.most_results)
        if api.sites and query.site:
            asked[api.sites] = [query.site]
        name, form = api.key
        headers = (("accept", "application/json"), *([(name, form.format(self._key))] if self._key else ()))
        if not api.posted:
            return WebRequest(f"{self._url}?{urlencode(asked)}", headers=headers)
        headers = (*headers, ("content-type", "application/json"))
        return WebRequest(self._url, "POST", headers, json.dumps(asked).encode())

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
        except PageBlocked as error:
            raise EngineFailed("it asked to be left alone for a while") from error
        except PageError as error:
            late = "did not answer within" in str(error)
            raise EngineFailed("it did not answer in time" if late else "it could not be reached") from error
        if answer.status != 200:
            raise EngineFailed(self._refusal(answer), status=answer.status)
        return answer.body.replace(key.encode(), b"[key]") if len(key) >= _SHORTEST_KEY else answer.body

    def _refusal(self, answer: WebResponse) -> str:
        status = f"(HTTP status {answer.status})"
        if answer.status == 429:
            return f"it takes no more requests for now {status}"
        if answer.status in {402, 432, 433}:
            return f"its quota is used up {status}"
        if answer.status in {401, 403}:
            return f"it refused the key in VERIFAIBLE_{self.name.upper()}_API_KEY {status}"
        return f"it answered with HTTP status {answer.status}"

    def _results(self, answer: Mapping[str, Any]) -> Sequence[object]:
        found: Any = answer
        for name in self._api.results:
            if name == "web" and not (isinstance(found, dict) and found.get(name)):
                return []  # Brave leaves it out where there are none
            found = found.get(name) if isinstance(found, dict) else None
        if not isinstance(found, list):
            raise EngineFailed("its answer holds no list of results")
        return found


class SearxngEngine(ApiEngine):
    """One instance of SearXNG, in the order in which it ranks results.

    Args:
        base_url: where it runs, with or without ``/search``; ``user:password@`` before the host
            is sent as basic authentication and shown nowhere.
    """

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        userinfo, _, host = parts.netloc.rpartition("@")
        place = urlunsplit((parts.scheme, host, parts.path.rstrip("/").removesuffix("/search"), "", ""))
        api = Api(place, key=("authorization", "Basic {}"), query="q", more={"format": "json"}, posted=False)
        super().__init__("searxng", base64.b64encode(unquote(userinfo).encode()).decode(), api=api)
        self.endpoint = self._url

    def _refusal(self, answer: WebResponse) -> str:
        """An instance that does not list ``json`` under ``search.formats`` answers 403."""
        if answer.status == 401:
            return "it refused the name and password in VERIFAIBLE_SEARXNG_URL (HTTP status 401)"
        if answer.status == 403:
            return "it gives no JSON (HTTP status 403): list json under search.formats in its settings.yml"
        return super()._refusal(answer)

    def _results(self, answer: Mapping[str, Any]) -> Sequence[object]:
        """The results; none is a failure where some of its own engines are silent."""
        found = super()._results(answer)
        pairs = answer.get("unresponsive_engines")
        named = [pair for pair in pairs if isinstance(pair, list) and pair] if isinstance(pairs, list) else []
        if named and not found:
            silent = ", ".join(plain(" ".join(map(str, pair)))[:60] for pair in named[:5])
            raise EngineFailed(f"none of its own engines found anything, and some did not answer: {silent}")
        return found


def _passage(entry: Mapping[str, object]) -> str:
    """A result's highlights, which are from different places of the page; else its text."""
    highlights = entry.get("highlights")
    parts = [part for part in highlights if isinstance(part, str)] if isinstance(highlights, list) else []
    return " … ".join(parts) or _text(entry, _PASSAGES)


def _text(record: Mapping[str, object], names: Sequence[str]) -> str:
    """The first of the members that holds text, or an empty string."""
    return next((value for name in names if isinstance(value := record.get(name), str) and value.strip()), "")
