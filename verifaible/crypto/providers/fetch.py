"""A request to a data provider: what may be seen of it and of its answer, and which answers are refused."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlencode, urlsplit

from verifaible.archive.redaction import without_secrets
from verifaible.crypto.providers.json_values import Json, at
from verifaible.errors import PageBlocked, PageError, PageNotLoaded, WrongContent
from verifaible.net.client import REDIRECTS
from verifaible.schema.data import Exchange
from verifaible.schema.web import WebAnswer, WebRequest, WebResponse
from verifaible.tools.fetch_status import check_status, named
from verifaible.tools.presenting import one_line

JSON: Final = "application/json"
FEED: Final = "application/rss+xml, application/atom+xml, application/xml, text/xml, text/*"
#: What is sealed of an answer's headers: what the body is, of when, which copy of it, and what the provider
#: still allows. All others speak of the connection or of the visitor.
_HEADERS: Final = re.compile(
    r"age|content-type|date|etag|last-modified|retry-after|(?:x-ratelimit-|ratelimit|x-mbx-used-weight).*"
)
_HTTP_LOGGERS: Final = ("httpx2", "httpcore2")
_REASON: Final = re.compile(r"(\brevert(?:ed)?\b).*", re.IGNORECASE)
_REFUSED: Final = {
    401: "{} (HTTP 401). Tell the person to check the key's setting, and use another tool.",
    403: "{} or does not serve this address (HTTP 403). Use another tool.",
    418: "has shut this address out for too many requests (HTTP 418). Use another tool, and ask less often.",
    451: "does not serve the country that this is asked from (HTTP 451). Use another provider.",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: ``address`` and ``content`` are what may be seen; ``secret_path`` is sent behind it."""

    provider: str
    address: str
    secret_query: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_path: str = field(default="", repr=False)
    content: str = ""
    accept: str = JSON

    @property
    def name(self) -> str:
        """Provider and path, as replies and errors call it."""
        return f"{self.provider} {urlsplit(self.address).path}".rstrip()

    @property
    def method(self) -> str:
        """POST where something is sent."""
        return "POST" if self.content else "GET"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Everything that may be seen nowhere."""
        return tuple(
            filter(None, (*self.secret_query.values(), *self.secret_headers.values(), self.secret_path))
        )

    def public(self, words: str) -> str:
        """Words without the secrets."""
        return without_secrets(words, self.secrets)

    @contextmanager
    def unlogged(self) -> Iterator[None]:
        """Keep the secrets out of what the HTTP libraries log while a request is under way."""

        def public(record: logging.LogRecord) -> bool:
            record.msg, record.args = self.public(record.getMessage()), ()
            return True

        names = [name for name in logging.root.manager.loggerDict if name.startswith(_HTTP_LOGGERS)]
        loggers = [logging.getLogger(name) for name in names if self.secrets]
        for logger in loggers:
            logger.addFilter(public)
        try:
            yield
        finally:
            for logger in loggers:
                logger.removeFilter(public)

    def request(self, *, with_secrets: bool) -> WebRequest:
        """The request as it is sent; an archive was recorded without keys and is asked without them."""
        address, headers = self.address, [("accept", self.accept)]
        if self.content:
            headers.append(("content-type", JSON))
        if with_secrets:
            headers += self.secret_headers.items()
            address += self.secret_path
            if self.secret_query:
                address += ("&" if "?" in address else "?") + urlencode(self.secret_query)
        return WebRequest(address, self.method, tuple(headers), self.content.encode())


def check(asked: Asked, response: WebResponse, waited_s: float) -> None:
    """Refuse an HTTP error, in the words of a data provider, and an answer that repeats a key.

    Raises:
        PageBlocked: the provider refuses.
        PageNotLoaded: any other HTTP error, or it leads elsewhere while a key is sent.
        WrongContent: it repeats the key.
    """
    who = f"{asked.provider} ({named(asked.address)})"
    if response.status in _REFUSED:
        keyed = "refuses the key that is set" if asked.secrets else "asks for a key"
        raise PageBlocked(f"{who} {_REFUSED[response.status].format(keyed)}", status=response.status)
    if asked.secrets and response.status in REDIRECTS:
        raise PageNotLoaded(
            f"{who} leads elsewhere (HTTP {response.status}), and a key goes to no other address. "
            "Use another tool.",
            status=response.status,
        )
    try:
        check_status(asked.address, response)
    except PageError as error:
        later = f" (Waited {waited_s:g} s in all before this was said.)" if waited_s else ""
        error.args = (f"{asked.provider}: {error}{later}",)
        raise
    if asked.secrets and asked.public(told := response.body.decode("utf-8", "replace")) != told:
        raise WrongContent(
            f"{asked.name} repeats the key in its answer, so nothing of it was kept. Use another tool."
        )


def refuse_said_errors(data: Json, name: str) -> None:
    """Refuse an error that came with status 200: CoinGecko's, or one of JSON-RPC 2.0."""
    for path in (("status", "error_message"), ("error", "message")):
        if isinstance(data, dict) and isinstance(said := at(data, path), str):
            raise WrongContent(f"{name} refused: {own_words(said)} Change the call, or use another tool.")


def own_words(said: str) -> str:
    """A provider's error in one line, without a contract's reason to revert, which are anybody's words."""
    return _REASON.sub(r"\1", one_line(said, 200))


def exchange(asked: Asked, answer: WebAnswer) -> Exchange:
    """Request and answer as they are sealed: without secrets and without the body."""
    told = sorted((name.lower(), asked.public(value)) for name, value in answer.response.headers)
    headers = {name: value for name, value in told if _HEADERS.fullmatch(name)}
    try:
        server_time = parsedate_to_datetime(headers["date"]) if "date" in headers else None
    except ValueError:
        server_time = None
    return Exchange(
        method=asked.method,
        url=asked.address,
        request_body=asked.content,
        status=answer.response.status,
        headers=headers,
        fetched_at=answer.recorded_at.astimezone(UTC),
        server_time=server_time,
        adapter=asked.provider.casefold(),
        synthetic=answer.synthetic,
    )
