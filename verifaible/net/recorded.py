"""What a recording lists as pages: documents that were read without a browser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from verifaible.archive.recording import RecordedPage
from verifaible.errors import VerifaibleError
from verifaible.schema.web import WebExchange, header

_HTML = frozenset({"text/html", "application/xhtml+xml"})


def pages_of(exchanges: Iterable[WebExchange]) -> Iterator[RecordedPage]:
    """The HTML and PDF documents among some exchanges, as pages with their text.

    What cannot be read as such is no page; it is kept in the recording all the same.
    """
    for exchange in exchanges:
        if exchange.request.method.upper() != "GET" or exchange.response.status != 200:
            continue
        kind = exchange.response.content_type
        if kind in _HTML:
            yield _html_page(exchange)
        elif kind == "application/pdf" or exchange.response.body.startswith(b"%PDF-"):
            yield from _pdf_page(exchange)


def _html_page(exchange: WebExchange) -> RecordedPage:
    from verifaible.extract.charset import decode_html
    from verifaible.extract.html import to_markdown

    decoded = decode_html(exchange.response.body, header(exchange.response.headers, "content-type"))
    page = to_markdown(decoded.text, exchange.request.url)
    return RecordedPage(exchange.request.url, page.title, exchange.recorded_at, page.text)


def _pdf_page(exchange: WebExchange) -> Iterator[RecordedPage]:
    from verifaible.extract.pdf import PdfDocument

    try:
        with PdfDocument(exchange.response.body) as document:
            pages = [document.page_text(number) for number in range(1, document.page_count + 1)]
            title = document.title or exchange.request.url.rpartition("/")[2]
    except VerifaibleError:
        return
    yield RecordedPage(exchange.request.url, title, exchange.recorded_at, "\n".join(pages))
