"""Reading the result pages of engines that have no API without a key.

A page without results counts as "nothing found" only where it says so itself; any other one (a
captcha, a consent page, a new layout) is a failure of the engine, with its own reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlencode, urljoin, urlsplit

from verifaible.extract.charset import decode_html
from verifaible.net.client import HttpClient
from verifaible.schema.web import WebRequest, WebResponse, header
from verifaible.search.base import SearchHit
from verifaible.search.engine import EngineFailed, ask, listed
from verifaible.search.query import Query

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
