"""Bing's result page: https://www.bing.com/search."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from verifaible.search.base import SearchHit
from verifaible.search.engine import hit
from verifaible.search.result_page import Layout, PageEngine, first, having, link_parts, words

if TYPE_CHECKING:
    from lxml import html

SITE = "https://www.bing.com"

_LAYOUT = Layout(
    items=f"//li[{having('b_algo')} and .//h2//a[@href]]",
    nothing=f"//li[{having('b_no')}]",
    challenge="//*[contains(@id, 'captcha') or contains(@class, 'captcha')]",
)


class BingEngine(PageEngine):
    """The first page of results, links unwrapped."""

    name = "bing"
    site = SITE
    layout = _LAYOUT

    def result(self, item: html.HtmlElement) -> SearchHit | None:
        """One result."""
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
