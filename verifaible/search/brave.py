"""Brave Search: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest
from verifaible.search.base import SearchHit
from verifaible.search.engine import ask, json_object, read_entries, records, text_of
from verifaible.search.query import Query

API = "https://api.search.brave.com"
#: The most that the API takes.
MOST_RESULTS = 20
MOST_CHARACTERS = 400
MOST_WORDS = 50


class BraveEngine:
    """The web search endpoint; ``site:`` is one of its own operators."""

    name = "brave"

    def __init__(self, key: str, *, base_url: str = API) -> None:
        self._key = key
        self._url = base_url.rstrip("/") + "/res/v1/web/search"

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The web results in their order; the answer leaves ``web`` out where there are none."""
        asked = {
            "q": " ".join(query.text.split()[:MOST_WORDS])[:MOST_CHARACTERS],
            "count": min(query.limit, MOST_RESULTS),
            "result_filter": "web",
            "text_decorations": "false",
        }
        headers = (("accept", "application/json"), ("x-subscription-token", self._key))
        request = WebRequest(f"{self._url}?{urlencode(asked)}", headers=headers)
        answer = await ask(client, request, key=self._key, setting="VERIFAIBLE_BRAVE_API_KEY")
        web = json_object(answer).get("web")
        entries = records(web.get("results")) if isinstance(web, Mapping) else []
        return read_entries(self.name, entries, _description, "page_age", "age")


def _description(entry: Mapping[str, object]) -> str:
    return text_of(entry, "description")
