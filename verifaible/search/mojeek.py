"""Mojeek, an engine with an index of its own: https://www.mojeek.com/search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifaible.search.base import SearchHit
from verifaible.search.engine import hit
from verifaible.search.result_page import Layout, PageEngine, first, having, words

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


class MojeekEngine(PageEngine):
    """The first page of results: an offset of 0 would be refused as a robot's."""

    name = "mojeek"
    site = SITE
    layout = _LAYOUT

    def result(self, item: html.HtmlElement) -> SearchHit | None:
        """One result."""
        link = first(item, _LINK)
        assert link is not None
        snippet = words(first(item, f".//p[{having('s')}]"))
        return hit(self.name, str(link.get("href")), words(link), snippet)
