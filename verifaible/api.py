"""The Python API: what the commands do, for programs. Examples that run are in docs/python.md."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from verifaible.bench.environment import read_settings
from verifaible.errors import ConfigError, worded
from verifaible.store.store import Store

if TYPE_CHECKING:
    from verifaible.agent.base import Event
    from verifaible.agent.loop import Limits
    from verifaible.bench.run.folder import RunFolder
    from verifaible.bench.run.trials import Watch
    from verifaible.browser.warm import Browser
    from verifaible.check.ask import Answered
    from verifaible.config import Settings
    from verifaible.evidence.cite import Collected
    from verifaible.evidence.export import Exported
    from verifaible.evidence.replay import Observer
    from verifaible.evidence.request import CiteRequest
    from verifaible.llm.catalogue import Api
    from verifaible.runs.executor import Executor
    from verifaible.schema.action import ActionStep
    from verifaible.schema.base import EvidenceType
    from verifaible.schema.check import Check
    from verifaible.schema.checked import Checked
    from verifaible.schema.citation import Citation
    from verifaible.tools.workspace import Workspace


class BenchOptions(TypedDict, total=False):
    """The options of :meth:`Verifaible.bench`; docs/bench.md says what each does."""

    source: Path | None
    ids: tuple[str, ...]
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    limit: int | None
    web: str | None
    gate: str
    trials: int
    concurrency: int
    executor: str
    workers: int
    max_rounds: int
    max_tokens: int | None
    max_seconds: float | None
    max_cost: float | None
    max_run_cost: float | None
    base_url: str | None
    api: str | None
    provider: tuple[str, ...]
    prompt: str
    published: bool
    record_calls: bool
    replayed: Path | None
    resumed: Path | None
    output: Path | None


class Verifaible:
    """Citations made, replayed, verified and asked for from Python; an asynchronous context manager.

    A browser is started when it is first needed and kept for later calls; leaving the context ends it.
    Calls may run side by side. Only :meth:`verify` and :meth:`bench` work outside of the context.

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
        self.settings = settings or read_settings()
        self.store = Store.open(self.settings)
        self._web = web
        self._stack = AsyncExitStack()
        self._workspace: Workspace | None = None
        self._for_captures: Browser | None = None
        self._starting = asyncio.Lock()
        self._entered = False

    async def __aenter__(self) -> Verifaible:
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

    async def replay(
        self, citation_id: str, *, live: bool = False, observer: Observer | None = None
    ) -> Check:
        """Look at a citation again in a browser; the check is added to its history.

        Args:
            citation_id: the id, its beginning, or ``latest``.
            live: look at today's web instead of the sealed capture.
            observer: is shown the page at the end.

        Raises:
            CitationNotFound: there is none, or several begin so.
            IntegrityError: the capture is missing or was changed.

        Warns:
            UserWarning: the store cannot be added to; the check holds nevertheless.
        """
        from verifaible.evidence.replay import recheck, replay

        citation = await asyncio.to_thread(self.store.get, citation_id)
        browser = (await self._opened()).browser if live else await self._capture_browser()
        if live:
            check = await recheck(citation, self.store, browser, self.settings, observer=observer)
        else:
            check = await replay(citation, self.store, browser, self.settings, observer=observer)
        await asyncio.to_thread(self._record, check)
        return check

    async def verify(self, citation_id: str, *, hash_only: bool = False) -> Check:
        """Check hashes, signatures and the anchor without a browser; the check is added to the history.

        Args:
            citation_id: the id, its beginning, or ``latest``.
            hash_only: do not look for the evidence in the sealed bytes.

        Raises:
            CitationNotFound: there is none, or several begin so.
            StoreUnreachable: the store cannot be read now.

        Warns:
            UserWarning: the store cannot be added to; the check holds nevertheless.
        """
        from verifaible.evidence.verify import verify

        def verified() -> Check:
            check = verify(self.store.get(citation_id), self.store, hash_only=hash_only).check
            self._record(check)
            return check

        return await asyncio.to_thread(verified)

    async def export(self, citation_id: str, folder: Path) -> Exported:
        """Write a citation into a folder of its own that can be checked without verifaible.

        Args:
            citation_id: the id, its beginning, or ``latest``.
            folder: where the export's folder is made.

        Raises:
            CitationNotFound: there is none, or several begin so.
            IntegrityError: the citation does not verify.
            StoreError: the export's folder is there already or cannot be written.
        """
        from verifaible.evidence.export import export

        citation = await asyncio.to_thread(self.store.get, citation_id)
        browser = await self._capture_browser()
        return await export(citation, self.store, self.settings, folder, browser=browser)

    # --- texts ---------------------------------------------------------------------------

    async def check(
        self,
        name: str,
        *,
        data: bytes | None = None,
        sources: Path | None = None,
        judge: str = "",
        max_age: timedelta = timedelta(hours=24),
        max_cost_usd: float | None = None,
        api: Api | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Checked:
        """Check the claims of a text against the sources that it names; see docs/checking.md.

        Args:
            name: a path, the address of a page, or any name where ``data`` has the text.
            data: the text's bytes: Markdown, HTML, PDF, DOCX or plain text.
            sources: a folder of files, or a JSON list, to take sources from.
            judge: who decides what the rules leave open: a model as ``--model`` takes it, or ``nli``; empty:
                nobody.
            max_age: how old a visit of a source may be that stands for a new one; zero opens all again.
            max_cost_usd: what the judge may cost.
            api: the API that the judge is asked in; default: by the catalogue.
            progress: told what is done, how much of it, and of how much.

        Raises:
            ConfigError: the text or the sources cannot be read.
            UnknownModel, MissingKey: the judge cannot be asked.
            ToolError: the text's page cannot be opened.
            StoreError: the store cannot be read or written.
            InfrastructureError: no browser could be started.
        """
        from verifaible.check.run import Checker, Options
        from verifaible.check.source_files import read_source_files
        from verifaible.factcheck.judges import open_judges

        files = await asyncio.to_thread(read_source_files, sources) if sources is not None else ()
        opened = open_judges(judge, self.settings, max_cost_usd=max_cost_usd, api=api) if judge else None
        options = Options(
            files=files,
            max_age=max_age,
            judges=opened.judges if opened is not None else None,
            judge=opened.name if opened is not None else "",
            progress=progress or (lambda *_: None),
        )
        try:
            async with self._browsing() as places:
                checker = Checker(self.settings, self.store, places, self._web)
                return await checker.check(name, data=data, options=options)
        finally:
            if opened is not None:
                await opened.aclose()

    def _browsing(self) -> Executor:
        """Where what of a check needs a browser is done: over what is open already."""
        from verifaible.check.browsing import AT_ONCE, Browsing
        from verifaible.runs.executor import Local

        @asynccontextmanager
        async def here() -> AsyncIterator[Browsing]:
            yield Browsing(await self._opened())

        return Local(here, AT_ONCE)

    # --- questions -----------------------------------------------------------------------

    async def ask(
        self,
        question: str,
        *,
        model: str,
        url: str = "",
        limits: Limits | None = None,
        watch: Callable[[Event], None] | None = None,
    ) -> Answered:
        """Have a model answer a question with evidence, and check its answer claim by claim.

        Args:
            question: in any language.
            model: as ``--model`` takes it.
            url: a page to start from; empty: the model searches.
            limits: what ends the work: rounds, tokens, seconds, US dollars.
            watch: told of every answer of the model and every tool call as it happens.

        Returns:
            The answer; ``text`` is Markdown with markers, ``ok`` says whether no claim of it lacks evidence,
            and ``checked`` has each claim with its verdict.

        Raises:
            UnknownModel, MissingKey: the model cannot be asked.
            InfrastructureError: the machine failed.
        """
        from verifaible.agent.base import unwatched
        from verifaible.check.ask import ask
        from verifaible.llm.opening import open_model

        workspace = await self._opened()
        client = open_model(model, self.settings).client
        try:
            return await ask(
                question,
                client=client,
                context=workspace.context,
                store=self.store,
                url=url,
                model=model,
                limits=limits,
                watch=watch or unwatched,
            )
        finally:
            await client.aclose()

    # --- the bench -----------------------------------------------------------------------

    async def bench(
        self, *models: str, watch: Watch | None = None, **options: Unpack[BenchOptions]
    ) -> RunFolder:
        """Run VerifAIble Bench into a run folder.

        Args:
            models: the models, as ``--model`` takes them.
            watch: told of every event and every finished trial.
            options: what is run, and how; the options of ``verifaible bench``.

        Returns:
            The folder; its ``results()`` are the trials. A run that is cancelled keeps its finished
            trials, and is continued with ``resumed=folder.path``.

        Raises:
            RunError: the run ended early, or cannot be continued.
            CaseError, UnknownModel, MissingKey: the options cannot be followed.
        """
        from verifaible.bench.run.commands import Options, prepare

        chosen = Options(models=models, **options)
        prepared = await asyncio.to_thread(prepare, self.settings, chosen)
        await prepared.runner(watch or (lambda *_: None)).run()
        return prepared.folder

    # --- inside --------------------------------------------------------------------------

    def _record(self, check: Check) -> None:
        from verifaible.evidence.audit import record

        if unrecorded := record(self.store, [check]):
            warnings.warn(unrecorded, stacklevel=2)

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


#: What the fields of a request are called by who calls :meth:`Verifaible.cite`.
_NAMES = {"--web": "web=", **{name: f"{name}=" for name in Verifaible.cite.__annotations__}}
