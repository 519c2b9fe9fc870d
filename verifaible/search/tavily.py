"""Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search."""

from __future__ import annotations

import json

from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest
from verifaible.search.base import SearchHit
from verifaible.search.engine import ask, json_object, read_entries, records, text_of
from verifaible.search.query import Query

API = "https://api.tavily.com"
#: The most that the API takes.
MOST_RESULTS = 20
MOST_CHARACTERS = 400


class TavilyEngine:
    """The search endpoint, at the cheaper of its depths; the key is sent in a header only."""

    name = "tavily"

    def __init__(self, key: str, *, base_url: str = API) -> None:
        self._key = key
        self._url = base_url.rstrip("/") + "/search"

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results in their order; ``site:`` becomes a list of one domain."""
        asked: dict[str, object] = {
            "query": query.words[:MOST_CHARACTERS],
            "max_results": min(query.limit, MOST_RESULTS),
            "search_depth": "basic",
        }
        if query.site:
            asked["include_domains"] = [query.site]
        headers = (
            ("authorization", f"Bearer {self._key}"),
            ("content-type", "application/json"),
            ("accept", "application/json"),
        )
        request = WebRequest(self._url, "POST", headers, json.dumps(asked).encode())
        answer = await ask(client, request, key=self._key, setting="VERIFAIBLE_TAVILY_API_KEY")
        entries = records(json_object(answer).get("results"))
        return read_entries(self.name, entries, lambda entry: text_of(entry, "content"), "published_date")
