"""SearXNG, a meta-search that one runs oneself: its JSON API.

https://docs.searxng.org/dev/search_api: ``GET /search?q=…&format=json``; an instance that does
not list ``json`` under ``search.formats`` answers 403. It has no parameter for the number of results.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import unquote, urlencode, urlsplit, urlunsplit

from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest
from verifaible.search.base import Query, SearchHit
from verifaible.search.engine import EngineFailed, ask, json_object, plain, read_entries, records, text_of


class SearxngEngine:
    """One instance.

    Args:
        base_url: where it runs, with or without ``/search``; ``user:password@`` before the host
            is sent as basic authentication and shown nowhere.
    """

    name = "searxng"

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        userinfo, at, host = parts.netloc.rpartition("@")
        path = parts.path.rstrip("/").removesuffix("/search") + "/search"
        self._url = urlunsplit((parts.scheme, host, path, "", ""))
        self._credentials = base64.b64encode(unquote(userinfo).encode()).decode() if at else ""

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results, in the order in which SearXNG ranks them."""
        headers = [("accept", "application/json")]
        if self._credentials:
            headers.append(("authorization", f"Basic {self._credentials}"))
        url = f"{self._url}?{urlencode({'q': query.text, 'format': 'json'})}"
        try:
            answer = await ask(
                client, WebRequest(url, headers=tuple(headers)), key=self._credentials, setting=""
            )
        except EngineFailed as error:
            if error.status != 403:
                raise
            reason = "it gives no JSON (HTTP status 403): list json under search.formats in its settings.yml"
            raise EngineFailed(reason, status=403) from error
        data = json_object(answer)
        entries = records(data.get("results"))
        silent = _unresponsive(data)
        if not entries and silent:
            raise EngineFailed(f"none of its own engines found anything, and some did not answer: {silent}")
        return read_entries(self.name, entries, lambda entry: text_of(entry, "content"), "publishedDate")


def _unresponsive(data: Mapping[str, object]) -> str:
    """The engines behind it that failed, as [name, reason] pairs in its answer."""
    pairs = data.get("unresponsive_engines")
    named = [pair for pair in pairs if isinstance(pair, list) and pair] if isinstance(pairs, list) else []
    return ", ".join(plain(" ".join(str(part) for part in pair))[:60] for pair in named[:5])
