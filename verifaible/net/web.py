"""The web of one session: today's, kept or not, or the archives'; browser, client and search share it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Self

from verifaible.archive.lookup import Archive, Player
from verifaible.archive.reader import RecordedPage
from verifaible.archive.recording import Recorder
from verifaible.config import Settings
from verifaible.errors import VerifaibleError
from verifaible.net.client import HttpClient, live_client, offline_client
from verifaible.net.guard import UrlGuard
from verifaible.net.identity import AS_IT_IS, Guise
from verifaible.net.politeness import Politeness
from verifaible.schema.citation import WebMode
from verifaible.schema.web import Headers, WebExchange, header


@dataclass(frozen=True, slots=True)
class Web:
    """Where pages come from; whoever made one closes it, or uses it as a context manager.

    Attributes:
        mode: ``live``, ``record`` or ``offline``.
        settings: limits and allowed hosts.
        guard: decides which addresses may be opened.
        archive: the archives of the offline web; None when live.
        recorder: keeps what is loaded; None unless recording. The browser's part is kept only by a
            :class:`~verifaible.browser.recording.Recording`.
        guise: how pages and servers see their reader.
        manners: how often and how much at once a host is asked.
        for_search: whether this is the web of search engines, whose answers are no pages of a site.
    """

    mode: WebMode
    settings: Settings
    guard: UrlGuard
    archive: Archive | None = field(default=None)
    recorder: Recorder | None = field(default=None)
    guise: Guise = AS_IT_IS
    manners: Politeness = field(default_factory=Politeness)
    for_search: bool = False

    @classmethod
    def live(cls, settings: Settings) -> Web:
        """Today's web."""
        guise, manners = Guise.of(settings), Politeness.of(settings)
        return cls("live", settings, UrlGuard.of(settings), guise=guise, manners=manners)

    @classmethod
    def record(cls, settings: Settings, recorder: Recorder) -> Web:
        """Today's web, of which ``recorder`` keeps all that is loaded."""
        return replace(cls.live(settings), mode="record", recorder=recorder)

    @classmethod
    def offline(cls, settings: Settings, archive: Archive | None = None, guise: Guise = AS_IT_IS) -> Web:
        """The archives in ``snapshots/sites``, or the given one, whose pages saw their reader so.

        Raises:
            ConfigError: none is given, and none is there.
        """
        if archive is None:
            settings.require_archives()
            archive = Archive.open(settings.archives)
        return cls("offline", settings, UrlGuard(settings.allow_hosts), archive, guise=guise)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files of the archive, if there is one."""
        if self.archive is not None:
            self.archive.close()

    def player(self) -> Player | None:
        """A fresh player for one browser context, or None when live."""
        return self.archive.player() if self.archive is not None else None

    def speaking(self, language: str) -> Web:
        """The same web, asked for this language where no setting says another and no archive answers."""
        if not language or self.guise.language or self.archive is not None:
            return self
        return replace(self, guise=replace(self.guise, language=language))

    def searching(self, endpoint: str = "") -> Web:
        """The same web, for a search engine: recorded without its key, and not as pages.

        Args:
            endpoint: the address of an engine of the person's own, which may be local where the settings
                say so.
        """
        local = self.settings.local_endpoints
        guard = self.guard.with_endpoint(endpoint, local) if endpoint else self.guard
        return replace(self, for_search=True, guard=guard, manners=self.manners.without_patience())

    def client(self, kept: list[WebExchange] | None = None, told: Headers = ()) -> HttpClient:
        """An HTTP client over this web, to be used as an async context manager.

        Args:
            kept: a list to which every exchange is appended, redirects included.
            told: what is said of the reader with each request: what the browser says that pages are
                opened in (``Browser.request_headers``).
        """
        if (player := self.player()) is not None:
            return offline_client(player, kept)
        visit = [] if kept is None and self.recorder is not None else kept
        start = len(visit or ())
        return live_client(
            self.settings,
            self.guard,
            visit,
            told,
            self.manners,
            closed=lambda: self._record((visit or [])[start:]),
        )

    def _record(self, exchanges: list[WebExchange]) -> None:
        """Add what a client has loaded to the recording, if there is one, as one visit."""
        if self.recorder is None or not exchanges:
            return
        if self.for_search:
            self.recorder.add(exchanges[0].request.url, exchanges, credentials=ENGINE_KEYS)
        else:
            self.recorder.add(exchanges[0].request.url, exchanges, pages_of(exchanges))


#: Request headers by which search engines know who asks.
ENGINE_KEYS = ("x-api-key", "x-subscription-token", "api-key", "x-goog-api-key")
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
    from verifaible.extract.html import html_document

    decoded = decode_html(exchange.response.body, header(exchange.response.headers, "content-type"))
    page = html_document(decoded.text, exchange.request.url)
    return RecordedPage(exchange.request.url, page.title, exchange.recorded_at, page.text)


def _pdf_page(exchange: WebExchange) -> Iterator[RecordedPage]:
    from verifaible.extract.pdf import pdf_document

    try:
        document = pdf_document(exchange.response.body, exchange.request.url)
    except VerifaibleError:
        return
    title = document.title or exchange.request.url.rpartition("/")[2]
    yield RecordedPage(exchange.request.url, title, exchange.recorded_at, document.text)
