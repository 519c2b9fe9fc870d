"""What a replica is made of: a site, and the exchanges its archive answers with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Exchange:
    """One request with its answer, as a WARC request/response pair will hold it.

    ``page_title`` marks an HTML page or a document that search should find; leave it empty
    for scripts, styles and data. ``recorded_at`` is an ISO 8601 UTC time, fixed by hand so
    that the archive is the same to the byte every time it is built.
    """

    url: str
    body: bytes
    content_type: str
    status: int = 200
    method: str = "GET"
    request_body: bytes = b""
    request_content_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    page_title: str = ""
    recorded_at: str = "2026-03-02T08:00:00Z"


@dataclass(frozen=True)
class Site:
    """A replica: ``name`` becomes ``snapshots/sites/<name>.wacz``."""

    name: str
    title: str
    description: str
    exchanges: Callable[[], Iterable[Exchange]]
