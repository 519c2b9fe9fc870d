"""DuckDuckGo's page for browsers without scripts: https://html.duckduckgo.com/html/."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode

from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest
from verifaible.search.base import SearchHit
from verifaible.search.engine import EngineFailed, ask, hit
from verifaible.search.query import Query
from verifaible.search.result_page import Layout, first, having, link_parts, read, read_items, words

if TYPE_CHECKING:
    from lxml import html

SITE = "https://html.duckduckgo.com"
#: Longer queries are refused.
MOST_CHARACTERS = 499

_LAYOUT = Layout(
    items=f"//div[{having('result')} and not({having('result--ad')}) and .//a[{having('result__a')}]]",
    nothing=f"//*[{having('no-results')} or {having('result--no-result')}]",
    challenge="//form[@id='challenge-form'] | //*[contains(@class, 'anomaly')]",
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?=T)")


class DuckDuckGoEngine:
    """The form's request; no cookie, no script."""

    name = "duckduckgo"

    def __init__(self, *, base_url: str = SITE) -> None:
        self._site = base_url.rstrip("/")

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results without advertisements, links unwrapped."""
        form = {"q": query.text[:MOST_CHARACTERS], "b": "", "kl": "wt-wt"}
        headers = (
            ("content-type", "application/x-www-form-urlencoded"),
            ("referer", self._site + "/"),
            ("accept", "text/html"),
        )
        request = WebRequest(self._site + "/html/", "POST", headers, urlencode(form).encode())
        try:
            answer = await ask(client, request)
        except EngineFailed as error:
            if error.status not in {202, 403}:
                raise
            # Its page for robots comes with 202.
            raise EngineFailed("it takes this machine for a robot", status=error.status) from error
        return read([self._hit(item) for item in read_items(answer, _LAYOUT) if not _is_ad(item)])

    def _hit(self, item: html.HtmlElement) -> SearchHit | None:
        link = first(item, f".//a[{having('result__a')}]")
        assert link is not None
        snippet = words(first(item, f".//*[{having('result__snippet')}]"))
        dated = _DAY.search(words(first(item, f".//*[{having('result__extras')}]")))
        return hit(
            self.name, _target(str(link.get("href") or "")), words(link), snippet, dated[0] if dated else ""
        )


def _target(href: str) -> str:
    """The page behind a link, which may go through ``/l/?uddg=``."""
    parts = link_parts(SITE, href)
    if (parts.hostname or "").endswith("duckduckgo.com") and parts.path.startswith("/l/"):
        return parse_qs(parts.query).get("uddg", [""])[0]
    return parts.geturl()


def _is_ad(item: html.HtmlElement) -> bool:
    """Advertisements go through ``y.js``, wrapped or not."""
    link = first(item, f".//a[{having('result__a')}]")
    return link is not None and "duckduckgo.com/y.js" in _target(str(link.get("href") or ""))
