"""Bing's result page: https://www.bing.com/search."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode

from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest
from verifaible.search.base import SearchHit
from verifaible.search.engine import ask, hit
from verifaible.search.query import Query
from verifaible.search.result_page import Layout, first, having, link_parts, read, read_items, words

if TYPE_CHECKING:
    from lxml import html

SITE = "https://www.bing.com"

_LAYOUT = Layout(
    items=f"//li[{having('b_algo')} and .//h2//a[@href]]",
    nothing=f"//li[{having('b_no')}]",
    challenge="//*[contains(@id, 'captcha') or contains(@class, 'captcha')]",
)


class BingEngine:
    """The first page of results, links unwrapped."""

    name = "bing"

    def __init__(self, *, base_url: str = SITE) -> None:
        self._site = base_url.rstrip("/")

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results without advertisements."""
        url = f"{self._site}/search?{urlencode({'q': query.text})}"
        answer = await ask(client, WebRequest(url, headers=(("accept", "text/html"),)))
        return read([self._hit(item) for item in read_items(answer, _LAYOUT)])

    def _hit(self, item: html.HtmlElement) -> SearchHit | None:
        link = first(item, ".//h2//a[@href]")
        assert link is not None
        snippet = words(first(item, f".//*[{having('b_caption')}]//p")) or words(first(item, ".//p"))
        return hit(self.name, _target(str(link.get("href"))), words(link), snippet)


def _target(href: str) -> str:
    """The page behind a link; ``/ck/a?u=a1…`` holds it in URL-safe base64 after two characters."""
    parts = link_parts(SITE, href)
    if not parts.path.startswith("/ck/") or not (parts.hostname or "").endswith("bing.com"):
        return parts.geturl()
    coded = parse_qs(parts.query).get("u", [""])[0][2:]
    try:
        return base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
    except ValueError:
        return ""
