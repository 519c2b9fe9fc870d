"""The Python API: what the commands do, for programs.

>>> from verifaible import Verifaible
>>> async with Verifaible(web="offline") as house:                       # doctest: +SKIP
...     citation = await house.cite("https://example.com/", quote="Example Domain")
...     check = await house.replay(citation.id)
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from verifaible.bench.environment import read_settings
from verifaible.errors import ConfigError
from verifaible.evidence.store import Store

if TYPE_CHECKING:
    from verifaible.browser.session import Browser
    from verifaible.config import Settings
    from verifaible.evidence.collect import Collected
    from verifaible.evidence.export import Exported
    from verifaible.evidence.replay import Onlooker
    from verifaible.schema.action import ActionStep
    from verifaible.schema.case import EvidenceType
    from verifaible.schema.citation import Check, Citation


class Verifaible:
    """Citations made, replayed, verified and asked for from Python; an asynchronous context manager.

    A browser is started when it is first needed and kept for later calls; leaving the context ends it.
    Calls may run side by side.

    Args:
        settings: limits, paths, keys; default: what the environment says (docs/settings.md).
        web: where pages come from: ``live`` is the internet, ``offline`` the archives in
            ``snapshots/sites``.

    Attributes:
        settings: the settings in use.
        store: the evidence store, for what has no method here.

    Raises:
        ConfigError: a ``VERIFAIBLE_*`` variable holds what it cannot.
    """

    def __init__(self, settings: Settings | None = None, *, web: Literal["live", "offline"] = "live") -> None:
        self.settings = settings or read_settings()
        self.store = Store.open(self.settings)
        self._web = web
        self._stack = AsyncExitStack()
        self._browsers: dict[bool, Browser] = {}
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> Verifaible:
        await self._stack.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._browsers.clear()
        await self._stack.__aexit__(kind, error, trace)
        self.store.close()

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
        evidence_type: EvidenceType | None = None,
        steps: Sequence[ActionStep] | Sequence[dict[str, Any]] | str = (),
    ) -> Citation:
        """Make a citation: open the page, play the steps, find the evidence, seal, replay once, store.

        Args:
            url: the page, PDF or video.
            claim: the statement that it supports; default: the quote.
            quote: exact words of the source (text, PDF, video).
            near: a short text in or beside the quote, if it stands there twice.
            row: row header of a table cell, or a path of headers from outer to inner.
            column: its column header, likewise.
            page_number: page of a PDF, from 1.
            at: moment of a video, in seconds or as ``4:07``.
            selector: CSS selector of the table or the image.
            alt: alternative text of the image.
            position: a point on the image, in CSS pixels from the page's corner.
            evidence_type: if the other arguments do not tell it.
            steps: what to do on the page first, as records, dictionaries or JSON text.

        Raises:
            ConfigError: the arguments do not fit together; says which.
            ToolError: the source refused: what is cited is not there (``AnchorNotFound`` says what is
                there instead), a blocked page, an address that must not be opened.
        """
        arguments = {
            "claim": claim or quote or f"Evidence on {url}",
            "source_url": url,
            "quoted_text": quote,
            "anchor": near,
            "row_anchor": [row] if isinstance(row, str) and row else list(row),
            "col_anchor": [column] if isinstance(column, str) and column else list(column),
            "page_number": page_number,
            "at": at,
            "element_alt": alt,
            "element_position": position,
            "action_steps": steps if isinstance(steps, str) else list(steps),
        }
        kind = evidence_type or kind_of(arguments, selector)
        arguments |= {
            "evidence_type": kind,
            "table_selector": selector if kind == "table" else "",
            "element_selector": selector if kind == "image" else "",
        }
        return (await self.collect(arguments)).citation

    async def collect(self, arguments: dict[str, Any]) -> Collected:
        """The same from the arguments of the tool ``verifaible_cite``; gives the accepting check too.

        Raises:
            ConfigError, ToolError: as :meth:`cite`.
        """
        from pydantic import ValidationError

        from verifaible.evidence.collect import Collector
        from verifaible.net.web import Web
        from verifaible.tools.cite import CiteArguments

        try:
            request = CiteArguments.model_validate(arguments).request()
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
                for fault in error.errors(include_url=False)
            )
            raise ConfigError(f"{faults}. Correct these options; --help shows examples.") from error
        offline = self._web == "offline"
        web = Web.offline(self.settings) if offline else Web.live(self.settings)
        browser = await self._browser(offline=offline)
        return await Collector(self.settings, web, browser, self.store).collect(request)

    async def replay(
        self, citation_id: str, *, live: bool = False, onlooker: Onlooker | None = None
    ) -> Check:
        """Look at a citation again in a browser; the check is added to its history.

        Args:
            citation_id: the id, its beginning, or ``latest``.
            live: look at today's web instead of the sealed capture.
            onlooker: is shown the page at the end.

        Raises:
            CitationNotFound: there is none, or several begin so.
            IntegrityError: the capture is missing or was changed.
        """
        from verifaible.evidence.audit import record
        from verifaible.evidence.replay import recheck, replay

        citation = await asyncio.to_thread(self.store.get, citation_id)
        browser = await self._browser(offline=not live)
        if live:
            check = await recheck(citation, browser, self.settings, onlooker=onlooker)
        else:
            check = await replay(citation, self.store, browser, self.settings, onlooker=onlooker)
        await asyncio.to_thread(record, self.store, [check])
        return check

    async def verify(self, citation_id: str, *, hash_only: bool = False) -> Check:
        """Check hashes, signatures and the anchor without a browser; the check is added to the history.

        Args:
            citation_id: the id, its beginning, or ``latest``.
            hash_only: do not look for the evidence in the sealed bytes.

        Raises:
            CitationNotFound: there is none, or several begin so.
        """
        from verifaible.evidence.audit import record
        from verifaible.evidence.verify import verify

        def verified() -> Check:
            check = verify(self.store.get(citation_id), self.store, hash_only=hash_only).check
            record(self.store, [check])
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
        browser = await self._browser(offline=True)
        return await export(citation, self.store, self.settings, folder, browser=browser)

    # --- inside --------------------------------------------------------------------------

    async def _browser(self, *, offline: bool) -> Browser:
        """The browser for the live web, or the one that has no way out; started once."""
        from verifaible.browser.session import Browser

        async with self._starting:
            if offline not in self._browsers:
                opened = Browser(self.settings, offline=offline)
                self._browsers[offline] = await self._stack.enter_async_context(opened)
            return self._browsers[offline]


def kind_of(arguments: dict[str, Any], selector: str = "") -> EvidenceType:
    """The type of evidence that the arguments of a citation name."""
    if arguments["row_anchor"] or arguments["col_anchor"]:
        return "table"
    if arguments["at"]:
        return "video"
    if arguments["page_number"]:
        return "pdf"
    pointed = selector or arguments["element_alt"] or arguments["element_position"]
    if pointed and not arguments["quoted_text"]:
        return "image"
    return "text"
