"""A filing from its address, through the project's own client and its guard."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import parse_qs, urljoin, urlsplit

from verifaible.net.web import Web
from verifaible.schema.web import WebRequest
from verifaible.tools.fetch_status import check_status


def is_address(text: str) -> bool:
    """Whether it names a page of the web and no file."""
    return text.lower().startswith(("http://", "https://"))


async def fetch_filing(address: str, web: Web) -> tuple[bytes, str, str]:
    """The bytes of a filing, the name of its file, and where it is in the end.

    The address may be the one of EDGAR's viewer (``/ix?doc=...``), which shows the document that it names.

    Raises:
        PageNotLoaded, PageBlocked: it cannot be opened, or the server refuses.
        UrlRefused: the guard refused the address, or one that it redirects to.
        OfflineMiss: the archives do not have it (offline only).
    """
    parts = urlsplit(address)
    shown = parse_qs(parts.query).get("doc", [""])[0] if parts.path in ("/ix", "/ixviewer/ix.html") else ""
    url = urljoin(address, shown) if shown.startswith("/") else address
    async with web.client() as client:
        answer = (await client.fetch(WebRequest(url))).answer
    check_status(answer.url, answer.response)
    return answer.response.body, PurePosixPath(urlsplit(answer.url).path).name or "filing.html", answer.url
