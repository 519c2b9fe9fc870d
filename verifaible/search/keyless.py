"""The search engines that need no key: DuckDuckGo, Bing and Mojeek, by the pages that they show to readers.

DuckDuckGo's is the one for browsers without scripts. A page without results counts as "nothing found" only
where it says so itself; any other one (a captcha, a consent page, a new layout) is a failure of the engine,
with its own reason.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qs, urlencode, urljoin, urlsplit

from verifaible.extract.charset import decode_html
from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest, WebResponse, header
from verifaible.search.base import Query, SearchHit
from verifaible.search.engine import EngineFailed, ask, hit, listed

if TYPE_CHECKING:
    from lxml import html


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand on an engine's result page, as XPath.

    ``items`` are the results; ``nothing`` is there when the engine found none; ``challenge`` when
    it asks for a proof that a person is asking.
    """

    items: str
    nothing: str
    challenge: str


def having(name: str) -> str:
    """An XPath condition: the element has a class of that name."""
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


def read_items(answer: WebResponse, layout: Layout) -> Sequence[html.HtmlElement]:
    """The elements of the results; none only if the page says that there are none.

    Raises:
        EngineFailed: another page than one of results came.
    """
    from lxml import etree, html

    text = decode_html(answer.body, header(answer.headers, "content-type")).text
    try:
        page = html.document_fromstring(text.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError) as error:
        raise EngineFailed("its answer is empty") from error
    found = page.xpath(layout.items)
    items = [each for each in found if isinstance(each, html.HtmlElement)] if isinstance(found, list) else []
    if items or page.xpath(layout.nothing):
        return items
    if page.xpath(layout.challenge):
        raise EngineFailed("it asks for a captcha")
    raise EngineFailed("its page has no results that could be read")


def first(element: html.HtmlElement, path: str) -> html.HtmlElement | None:
    """The first element of a path below another one, or None."""
    found = element.xpath(path)
    return found[0] if found else None


def link_parts(site: str, href: str) -> SplitResult:
    """A link of a page, resolved and split; all parts empty where it is no address."""
    try:
        return urlsplit(urljoin(site, href))
    except ValueError:
        return urlsplit("")


def words(element: html.HtmlElement | None) -> str:
    """The text of an element, or an empty string for None."""
    return "" if element is None else str(element.text_content())


class PageEngine:
    """An engine whose result page is asked for with ``GET /search?q=``; its subclass reads the results."""

    name: str
    site: str
    layout: Layout

    def __init__(self, *, base_url: str = "") -> None:
        self._site = (base_url or self.site).rstrip("/")

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results of the first page, without advertisements, in their order."""
        url = f"{self._site}/search?{urlencode({'q': query.text})}"
        answer = await ask(client, WebRequest(url, headers=(("accept", "text/html"),)))
        return read([self.result(item) for item in read_items(answer, self.layout)])

    def result(self, item: html.HtmlElement) -> SearchHit | None:
        """One result; None where it leads to no web page."""
        raise NotImplementedError


def read(hits: Sequence[SearchHit | None]) -> tuple[SearchHit, ...]:
    """The results; see :func:`verifaible.search.engine.listed`."""
    return listed(hits, len(hits))


DUCKDUCKGO = "https://html.duckduckgo.com"
#: Longer queries are refused.
MOST_CHARACTERS = 499

_DUCKDUCKGO_LAYOUT = Layout(
    items=f"//div[{having('result')} and not({having('result--ad')}) and .//a[{having('result__a')}]]",
    nothing=f"//*[{having('no-results')} or {having('result--no-result')}]",
    challenge="//form[@id='challenge-form'] | //*[contains(@class, 'anomaly')]",
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?=T)")


class DuckDuckGoEngine:
    """The form's request; no cookie, no script."""

    name = "duckduckgo"

    def __init__(self, *, base_url: str = DUCKDUCKGO) -> None:
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
        return read([self._hit(item) for item in read_items(answer, _DUCKDUCKGO_LAYOUT) if not _is_ad(item)])

    def _hit(self, item: html.HtmlElement) -> SearchHit | None:
        link = first(item, f".//a[{having('result__a')}]")
        assert link is not None
        snippet = words(first(item, f".//*[{having('result__snippet')}]"))
        dated = _DAY.search(words(first(item, f".//*[{having('result__extras')}]")))
        return hit(
            self.name,
            _duckduckgo_target(str(link.get("href") or "")),
            words(link),
            snippet,
            dated[0] if dated else "",
        )


def _duckduckgo_target(href: str) -> str:
    """The page behind a link, which may go through ``/l/?uddg=``."""
    parts = link_parts(DUCKDUCKGO, href)
    if (parts.hostname or "").endswith("duckduckgo.com") and parts.path.startswith("/l/"):
        return parse_qs(parts.query).get("uddg", [""])[0]
    return parts.geturl()


def _is_ad(item: html.HtmlElement) -> bool:
    """Advertisements go through ``y.js``, wrapped or not."""
    link = first(item, f".//a[{having('result__a')}]")
    return link is not None and "duckduckgo.com/y.js" in _duckduckgo_target(str(link.get("href") or ""))


BING = "https://www.bing.com"
_BING_LAYOUT = Layout(
    items=f"//li[{having('b_algo')} and .//h2//a[@href]]",
    nothing=f"//li[{having('b_no')}]",
    challenge="//*[contains(@id, 'captcha') or contains(@class, 'captcha')]",
)


class BingEngine(PageEngine):
    """The first page of results, links unwrapped."""

    name = "bing"
    site = BING
    layout = _BING_LAYOUT

    def result(self, item: html.HtmlElement) -> SearchHit | None:
        """One result."""
        link = first(item, ".//h2//a[@href]")
        assert link is not None
        snippet = words(first(item, f".//*[{having('b_caption')}]//p")) or words(first(item, ".//p"))
        return hit(self.name, _bing_target(str(link.get("href"))), words(link), snippet)


def _bing_target(href: str) -> str:
    """The page behind a link; ``/ck/a?u=a1…`` holds it in URL-safe base64 after two characters."""
    parts = link_parts(BING, href)
    if not parts.path.startswith("/ck/") or not (parts.hostname or "").endswith("bing.com"):
        return parts.geturl()
    coded = parse_qs(parts.query).get("u", [""])[0][2:]
    try:
        return base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
    except ValueError:
        return ""


MOJEEK = "https://www.mojeek.com"
_MOJEEK_LIST = f"//ul[{having('results-standard')}]"
_MOJEEK_LINK = f".//h2/a[@href] | .//a[{having('title')} and @href]"
_MOJEEK_LAYOUT = Layout(
    items=f"{_MOJEEK_LIST}/li[{_MOJEEK_LINK}]",
    nothing=f"{_MOJEEK_LIST}[not(li)] | //p[contains(., 'No pages found')]",
    challenge="//*[contains(@class, 'captcha') or contains(@id, 'captcha')] | //title[contains(., '403')]",
)


class MojeekEngine(PageEngine):
    """The first page of results: an offset of 0 would be refused as a robot's."""

    name = "mojeek"
    site = MOJEEK
    layout = _MOJEEK_LAYOUT

    def result(self, item: html.HtmlElement) -> SearchHit | None:
        """One result."""
        link = first(item, _MOJEEK_LINK)
        assert link is not None
        snippet = words(first(item, f".//p[{having('s')}]"))
        return hit(self.name, str(link.get("href")), words(link), snippet)
