"""Small archives for the tests of this folder."""

from __future__ import annotations

import io
from collections.abc import Iterable
from datetime import UTC, datetime

from verifaible.archive.lookup import Archive
from verifaible.archive.reader import WaczReader
from verifaible.archive.signing import Signer
from verifaible.archive.wacz import WaczWriter
from verifaible.schema.web import Headers, WebExchange, WebRequest, WebResponse

T = datetime(2026, 3, 2, 8, 0, 0, tzinfo=UTC)
HTML = (("Content-Type", "text/html; charset=utf-8"),)
JSON = (("Content-Type", "application/json"),)
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


def get(
    url: str, body: bytes = b"", *, status: int = 200, headers: Headers = HTML, method: str = "GET"
) -> WebExchange:
    return WebExchange(WebRequest(url, method), WebResponse(status, headers, body), T)


def post(url: str, sent: bytes, body: bytes, *, headers: Headers = JSON) -> WebExchange:
    return WebExchange(WebRequest(url, "POST", headers, sent), WebResponse(200, JSON, body), T)


def pack(
    exchanges: Iterable[WebExchange],
    *,
    compress: bool = True,
    synthetic: bool = False,
    signer: Signer | None = None,
    files: dict[str, bytes] | None = None,
    pages: Iterable[tuple[str, str, str]] = (),
) -> bytes:
    target = io.BytesIO()
    with WaczWriter(
        target,
        title="A test",
        description="Made by a test.",
        created=T,
        compress=compress,
        synthetic=synthetic,
        signer=signer,
    ) as writer:
        for exchange in exchanges:
            writer.add_exchange(exchange)
        for url, title, text in pages:
            writer.add_page(url, title, T, text)
        for path, data in (files or {}).items():
            writer.add_file(path, data)
    return target.getvalue()


def archive_of(*exchanges: WebExchange) -> Archive:
    return Archive([WaczReader(pack(exchanges))])
