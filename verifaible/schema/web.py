"""Requests and answers of the web, live or from an archive."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from verifaible.schema.citation import Match

Headers = tuple[tuple[str, str], ...]


def header(headers: Headers, name: str) -> str:
    """The first header of that name, whatever its case; an empty string where there is none."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), "")


@dataclass(frozen=True, slots=True)
class WebRequest:
    """One HTTP request; ``body`` is the bytes as sent."""

    url: str
    method: str = "GET"
    headers: Headers = ()
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class WebResponse:
    """One HTTP answer; ``body`` is the payload after transfer and content decoding."""

    status: int
    headers: Headers = ()
    body: bytes = field(default=b"", repr=False)

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters."""
        return header(self.headers, "content-type").split(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class WebExchange:
    """A request with its answer, and when it was recorded (UTC)."""

    request: WebRequest
    response: WebResponse
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """An answer with its provenance.

    ``url`` is the URL that the answer belongs to; ``match`` says how an archive found it;
    ``synthetic`` is true where it comes from a replica; ``recorded_at`` is when the answer
    was recorded, or received.
    """

    url: str
    response: WebResponse
    match: Match
    recorded_at: datetime
    archive: str = ""
    synthetic: bool = False
