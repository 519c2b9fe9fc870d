"""Mojeek, an engine with an index of its own: https://www.mojeek.com/search."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest
from verifaible.search.base import SearchHit
from verifaible.search.engine import ask, hit
from verifaible.search.query import Query
from verifaible.search.result_page import Layout, first, having, read, read_items, words

if TYPE_CHECKING:
    from lxml import html

SITE = "https://www.mojeek.com"

_LIST = f"//ul[{having('results-standard')}]"
_LINK = f".//h2/a[@href] | .//a[{having('title')} and @href]"
_LAYOUT = Layout(
    items=f"{_LIST}/li[{_LINK}]",
    nothing=f"{_LIST}[not(li)] | //p[contains(., 'No pages found')]",
    challenge="//*[contains(@class, 'captcha') or contains(@id, 'captcha')] | //title[contains(., '403')]",
)


class MojeekEngine:
    """The first page of results: an offset of 0 would be refused as a robot's."""

    name = "mojeek"

    def __init__(self, *, base_url: str = SITE) -> None:
        self._site = base_url.rstrip("/")

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results in their order."""
        url = f"{self._site}/search?{urlencode({'q': query.text})}"
        answer = await ask(client, WebRequest(url, headers=(("accept", "text/html"),)))
        return read([self._hit(item) for item in read_items(answer, _LAYOUT)])

    def _hit(self, item: html.HtmlElement) -> SearchHit | None:
        link = first(item, _LINK)
        assert link is not None
        snippet = words(first(item, f".//p[{having('s')}]"))
        return hit(self.name, str(link.get("href")), words(link), snippet)
