"""The search engines that need a key: Tavily, Brave Search and Exa.

- Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search
- Brave Search: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
- Exa: https://exa.ai/docs/reference/search
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import ClassVar
from urllib.parse import urlencode

from verifaible.net.client import HttpClient
from verifaible.schema.web import Headers, WebRequest
from verifaible.search.base import Query, SearchHit
from verifaible.search.engine import ask, json_object, read_entries, records, text_of

_JSON: Headers = (("content-type", "application/json"), ("accept", "application/json"))


class KeyedEngine:
    """An engine that is asked with a key, sent in a header only; its subclass knows request and answer.

    Args:
        key: of its API.
        base_url: where the API is; default the engine's own address.
    """

    name: ClassVar[str]
    api: ClassVar[str]
    path: ClassVar[str] = "/search"
    #: The keys that the date of a result may have.
    dates: ClassVar[tuple[str, ...]]

    def __init__(self, key: str, *, base_url: str = "") -> None:
        self._key = key
        self._url = (base_url or self.api).rstrip("/") + self.path

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results in their order."""
        setting = f"VERIFAIBLE_{self.name.upper()}_API_KEY"
        answer = json_object(await ask(client, self._request(query), key=self._key, setting=setting))
        return read_entries(self.name, self._entries(answer), self._snippet, *self.dates)

    def _request(self, query: Query) -> WebRequest:
        raise NotImplementedError

    def _entries(self, answer: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
        return records(answer.get("results"))

    def _snippet(self, entry: Mapping[str, object]) -> str:
        raise NotImplementedError

    def _posted(self, asked: Mapping[str, object], secret: tuple[str, str]) -> WebRequest:
        return WebRequest(self._url, "POST", (secret, *_JSON), json.dumps(asked).encode())


class TavilyEngine(KeyedEngine):
    """The search endpoint, at the cheaper of its depths; ``site:`` becomes a list of one domain."""

    name = "tavily"
    api = "https://api.tavily.com"
    dates = ("published_date",)
    #: The most that the API takes.
    most_results = 20
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

    def _snippet(self, entry: Mapping[str, object]) -> str:
        return text_of(entry, "content")


class BraveEngine(KeyedEngine):
    """The web search endpoint; ``site:`` is one of its own operators."""

    name = "brave"
    api = "https://api.search.brave.com"
    path = "/res/v1/web/search"
    dates = ("page_age", "age")
    #: The most that the API takes.
    most_results = 20
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

    def _entries(self, answer: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
        """The answer leaves ``web`` out where there are none."""
        web = answer.get("web")
        return records(web.get("results")) if isinstance(web, Mapping) else []

    def _snippet(self, entry: Mapping[str, object]) -> str:
        return text_of(entry, "description")


class ExaEngine(KeyedEngine):
    """The search endpoint with highlights as snippets; ``site:`` becomes a list of one domain."""

    name = "exa"
    api = "https://api.exa.ai"
    dates = ("publishedDate",)
    #: The most that the API takes.
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
        return " … ".join(parts) or text_of(entry, "summary", "text")
