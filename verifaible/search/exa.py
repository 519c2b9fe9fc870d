"""Exa: https://exa.ai/docs/reference/search."""

from __future__ import annotations

import json
from collections.abc import Mapping

from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest
from verifaible.search.base import SearchHit
from verifaible.search.engine import ask, json_object, read_entries, records, text_of
from verifaible.search.query import Query

API = "https://api.exa.ai"
#: The most that the API takes.
MOST_RESULTS = 100


class ExaEngine:
    """The search endpoint with highlights as snippets."""

    name = "exa"

    def __init__(self, key: str, *, base_url: str = API) -> None:
        self._key = key
        self._url = base_url.rstrip("/") + "/search"

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results in their order; ``site:`` becomes a list of one domain."""
        asked: dict[str, object] = {
            "query": query.words,
            "type": "auto",
            "numResults": min(query.limit, MOST_RESULTS),
            "contents": {"highlights": True},
        }
        if query.site:
            asked["includeDomains"] = [query.site]
        headers = (
            ("x-api-key", self._key),
            ("content-type", "application/json"),
            ("accept", "application/json"),
        )
        request = WebRequest(self._url, "POST", headers, json.dumps(asked).encode())
        answer = await ask(client, request, key=self._key, setting="VERIFAIBLE_EXA_API_KEY")
        entries = records(json_object(answer).get("results"))
        return read_entries(self.name, entries, _snippet, "publishedDate")


def _snippet(entry: Mapping[str, object]) -> str:
    """The highlights, which are passages from different places of the page; else its text."""
    highlights = entry.get("highlights")
    parts = [part for part in highlights if isinstance(part, str)] if isinstance(highlights, list) else []
    return " … ".join(parts) or text_of(entry, "summary", "text")
