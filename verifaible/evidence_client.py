"""The part of the client that makes, looks at and keeps citations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from verifaible.errors import ConfigError, worded
from verifaible.store_client import StoreClient

if TYPE_CHECKING:
    from verifaible.browser.warm import Browser
    from verifaible.cite_table import CitedTable
    from verifaible.config import Settings
    from verifaible.evidence.cite import Collected
    from verifaible.evidence.export import Exported, Format
    from verifaible.evidence.replay import Observer
    from verifaible.evidence.request import CiteRequest
    from verifaible.evidence.seal import Opened
    from verifaible.rechecks import Replays, Watched
    from verifaible.schema.action import ActionStep
    from verifaible.schema.base import EvidenceType
    from verifaible.schema.check import Check
    from verifaible.schema.citation import Citation
    from verifaible.tools.workspace import Workspace


class EvidenceClient(StoreClient):
    """Citations made, replayed, verified and kept; an asynchronous context manager.

    A browser is started when it is first needed and kept for later calls; leaving the context ends it.
    Calls may run side by side. What needs no browser works outside of the context, too.

    Args:
        settings: limits, paths, keys; default: what the environment says (docs/settings.md).
        web: where pages come from: ``live`` is the internet, ``offline`` the archives in
            ``snapshots/sites``.

    Attributes:
        settings: the settings in use.
        store: the evidence store, for what has no method here.

    Raises:
        ConfigError: a ``VERIFAIBLE_*`` variable holds what it cannot; a method that needs a browser was
            called outside of the context; the context was entered twice.
    """

    def __init__(self, settings: Settings | None = None, *, web: Literal["live", "offline"] = "live") -> None:
        if web not in ("live", "offline"):
            raise ConfigError(f"web={web!r} is neither 'live' nor 'offline'. Give one of these.")
        super().__init__(settings)
        self._web = web
        self._stack = AsyncExitStack()
        self._workspace: Workspace | None = None
        self._for_captures: Browser | None = None
        self._starting = asyncio.Lock()
        self._entered = False

    async def __aenter__(self) -> Self:
        if self._entered:
            raise ConfigError("This Verifaible is already in use. Create another one for a second context.")
        self._entered = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered = False
        self._workspace = self._for_captures = None
        await self._stack.__aexit__(kind, error, trace)
        self.store.close()

    async def warm(self) -> None:
        """Begin to start the browser for captures: the first replay or export waits less for it."""
        await self._capture_browser(warm=True)

    # --- citations -----------------------------------------------------------------------

    async def cite(
        self,
        url: str,
        *,
        claim: str = "",
        quote: str = "",
        near: str = "",
        row: str | Sequence[str] = (),
        column: str | Sequence[str] = (),
        page_number: int | None = None,
        at: float | str | None = None,
        selector: str = "",
        alt: str = "",
        position: tuple[float, float] | None = None,
        language: str = "",
        evidence_type: EvidenceType | None = None,
        steps: Sequence[ActionStep] | Sequence[dict[str, Any]] | str = (),
    ) -> Citation:
        """Make a citation: open the page, play the steps, find the evidence, seal, replay once, store.

        Args:
            url: the page, PDF or video.
            claim: the statement that it supports; default: the quote, or the cell with its headers.
            quote: exact words of the source (text, PDF, video).
            near: a short text in or beside the quote, if it stands there twice.
            row: row header of a table cell, or a path of headers from outer to inner.
            column: its column header, likewise.
            page_number: page of a PDF, from 1.
            at: moment of a video, in seconds or as ``4:07``.
            selector: CSS selector of the table or the image.
            alt: alternative text of the image.
            position: a point on the image, in CSS pixels from the page's corner.
            language: language code of a video's captions; default: the usual order.
            evidence_type: if the other arguments do not tell it.
            steps: what to do on the page first, as records, dictionaries or JSON text.

        Raises:
            ConfigError: an argument is missing or cannot be; says which.
            ToolError: the source refused: what is cited is not there (``AnchorNotFound`` says what is
                there instead), a blocked page, an address that must not be opened.
        """
        from verifaible.evidence.request import cite_request

        with worded(_NAMES):
            request = cite_request(
                url,
                claim=claim,
                quote=quote,
                near=near,
                row=row,
                column=column,
                page_number=page_number,
                at=at,
                selector=selector,
                alt=alt,
                position=position,
                language=language,
                evidence_type=evidence_type,
                steps=steps,
            )
        return (await self.collect(request)).citation

    async def collect(self, request: CiteRequest) -> Collected:
        """Make a citation as :meth:`cite` does, and give the check that accepted it as well.

        Args:
            request: what to cite.

        Raises:
            ConfigError, ToolError: as :meth:`cite`.
        """
        workspace = await self._opened()
        with worded(_NAMES):
            return await workspace.context.collector.collect(request)

    async def cite_table(
        self,
        table: Path,
        output: Path | None = None,
        *,
        resume: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> CitedTable:
        """Make a citation for each row of a CSV file; see :func:`verifaible.cite_table.cite_rows`."""
        from verifaible.cite_table import cite_rows

        return await cite_rows(self, table, output, resume=resume, progress=progress)

    async def seal(self, url: str) -> Opened:
        """Open an address, read all of it, and seal that in a capture of the store, without a citation.

        Raises:
            ToolError: it could not be opened, or holds no words.
            StoreError: the store cannot be written.
        """
        from verifaible.evidence.seal import SourceCollector

        at = await self._opened()
        return await SourceCollector(at.settings, at.web, at.browser, at.store).open(url)

    async def replay(
        self,
        citation_id: str,
        *,
        live: bool = False,
        observer: Observer | None = None,
        slow_ms: float | None = None,
    ) -> Check:
        """Look at a citation again in a browser; the check is added to its history.

        Args:
            citation_id: the id, its beginning, or ``latest``.
            live: look at today's web instead of the sealed capture.
            observer: is shown the page at the end.
            slow_ms: in a window of its own, with this pause after each step; None: without one.

        Raises:
            CitationNotFound: there is none, or several begin so.
            IntegrityError: the capture is missing or was changed.

        Warns:
            UserWarning: the store cannot be added to; the check holds nevertheless.
        """
        from verifaible.evidence.replay import recheck, replay

        citation = await asyncio.to_thread(self.store.get, citation_id)
        look = recheck if live else replay
        if slow_ms is not None:
            from verifaible.browser.warm import Browser

            async with Browser(self.settings, offline=not live, headed=True, slow_ms=slow_ms) as browser:
                check = await look(citation, self.store, browser, self.settings, observer=observer)
        else:
            browser = (await self._opened()).browser if live else await self._capture_browser()
            check = await look(citation, self.store, browser, self.settings, observer=observer)
        await asyncio.to_thread(self.record, check)
        return check

    async def replay_all(
        self,
        *,
        live: bool = False,
        since: datetime | None = None,
        older: timedelta | None = None,
        limit: int | None = None,
        executor: str = "local",
        workers: int = 0,
        concurrency: int | None = None,
        progress: Callable[[Check, int], None] | None = None,
    ) -> Replays:
        """Look at every citation of the store again; each check is added to its history.

        Args:
            live: look at today's web instead of the captures.
            since: only citations made then or later.
            older: live, only those whose last look is older, the most urgent first.
            limit: of those, at most so many.
            executor: ``local``, ``ray`` or ``ray:ADDRESS``.
            workers: of the cluster; 0: all it has room for.
            concurrency: how many at once, at each worker; default 4.
            progress: told of each check, and how many there will be.

        Raises:
            BrowserMissing, InfrastructureError: no browser could be started.
            StoreError: the store cannot be read at all.
        """
        from verifaible.rechecks import Due, recheck_executor, replay_many

        due = None if older is None else Due(before=datetime.now(UTC) - older, limit=limit)
        places = recheck_executor(self.settings, self.store, executor, workers, concurrency, live=live)
        return await replay_many(
            self.store, places, self.settings, live=live, since=since, due=due, watch=progress
        )

    async def watch(
        self,
        older: timedelta = timedelta(days=7),
        *,
        limit: int | None = None,
        executor: str = "local",
        workers: int = 0,
        concurrency: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Watched:
        """Look again on the live web at what was looked at longest ago, and tell what has drifted.

        Args:
            older: whose last look is older.
            limit: at most so many, the most urgent.
            executor: as of :meth:`replay_all`, with ``workers`` and ``concurrency``.
            progress: told how many are done, and of how many.

        Raises:
            BrowserMissing, InfrastructureError, StoreError: as :meth:`replay_all`.
        """
        from verifaible.rechecks import watched

        checks: list[Check] = []

        def made(check: Check, asked: int) -> None:
            checks.append(check)
            if progress is not None:
                progress(len(checks), asked)

        done = await self.replay_all(
            live=True,
            older=older,
            limit=limit,
            executor=executor,
            workers=workers,
            concurrency=concurrency,
            progress=made,
        )
        return await asyncio.to_thread(watched, self.store, done, checks)

    async def export(
        self,
        citation_id: str,
        folder: Path,
        *,
        formats: Collection[Format] | None = None,
        refuse_secrets: bool = False,
    ) -> Exported:
        """Write a citation into a folder of its own that can be checked without verifaible.

        Args:
            citation_id: the id, its beginning, or ``latest``.
            folder: where the export's folder is made.
            formats: what is written; default: all but ``png``.
            refuse_secrets: write nothing if the capture holds secrets.

        Raises:
            CitationNotFound: there is none, or several begin so.
            IntegrityError: the citation does not verify.
            StoreError: the export's folder is there already or cannot be written.
        """
        from verifaible.evidence.export import FORMATS, export

        citation = await asyncio.to_thread(self.store.get, citation_id)
        return await export(
            citation,
            self.store,
            self.settings,
            folder,
            formats=FORMATS if formats is None else tuple(formats),
            refuse_secrets=refuse_secrets,
            browser=await self._capture_browser(),
        )

    # --- inside --------------------------------------------------------------------------

    async def _opened(self) -> Workspace:
        """The workspace of this context, opened once and closed with it."""
        from verifaible.tools.workspace import open_workspace

        async with self._starting:
            self._require_entered()
            if self._workspace is None:
                opening = open_workspace(self.settings, self._web, store=self.store)
                self._workspace = await self._stack.enter_async_context(opening)
            return self._workspace

    async def _capture_browser(self, *, warm: bool = False) -> Browser:
        """The browser without a way out, which captures are replayed in."""
        if self._web == "offline" and not warm:
            return (await self._opened()).browser
        from verifaible.browser.warm import Browser

        async with self._starting:
            self._require_entered()
            if self._for_captures is None:
                browser = Browser(self.settings, offline=True)
                self._for_captures = await self._stack.enter_async_context(
                    browser.warming() if warm else browser
                )
            return self._for_captures

    def _require_entered(self) -> None:
        if not self._entered:  # nobody would ever end the browser
            raise ConfigError(
                "A browser is needed: do this within `async with Verifaible() as v:`, which ends it."
            )


#: What the fields of a request are called by who calls :meth:`EvidenceClient.cite`.
_NAMES = {"--web": "web=", **{name: f"{name}=" for name in EvidenceClient.cite.__annotations__}}
