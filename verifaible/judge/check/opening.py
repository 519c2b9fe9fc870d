"""Opening the sources of a text, several at once: each once, sealed, or with the reason why not."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from verifaible.errors import RunError
from verifaible.evidence.seal import Opened
from verifaible.runs.executor import Executor, call
from verifaible.runs.lines import DamagedLine, Lines
from verifaible.schema.analyst import Source
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import Record
from verifaible.schema.checked import CheckedSource
from verifaible.schema.citation import WebMode
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store

#: Told of each source as it is done: how many are, and of how many.
Watch = Callable[[int, int], None]


class Opener:
    """Opens sources.

    Args:
        executor: where they are opened and sealed, by a :class:`~verifaible.judge.check.browsing.Browsing`.
        store: where captures are.
        keeping: what was opened before.
        mode: of the web that they are opened on.
        max_age: how old a visit may be that stands for a new one; zero: all are opened.
    """

    def __init__(
        self, executor: Executor, store: Store, keeping: Keeping, mode: WebMode, max_age: timedelta
    ) -> None:
        self._executor = executor
        self._store = store
        self._keeping = keeping
        self._mode = mode
        self._max_age = max_age

    async def open_all(
        self, sources: Sequence[Source], labels: dict[str, str], watch: Watch
    ) -> list[tuple[CheckedSource, Opened | None]]:
        """Open every source that has no capture yet; in their order.

        Raises:
            StoreError: the store cannot be written.
            InfrastructureError: no browser could be started.
        """
        done = 0

        async def one(source: Source) -> tuple[CheckedSource, Opened | None]:
            nonlocal done
            found = await self._one(source, labels.get(source.id, ""))
            done += 1
            watch(done, len(sources))
            return found

        tasks = [asyncio.ensure_future(one(source)) for source in sources]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, source: Source, label: str) -> tuple[CheckedSource, Opened | None]:
        base = CheckedSource(id=source.id, label=label, url=source.url, title=source.title, state="read")
        if source.capture:
            return base.model_copy(update={"capture": source.capture, "file": source.file}), None
        if not source.url:
            said = "The text gives no address for it."
            return base.model_copy(update={"state": "error", "said": said}), None
        known = self._keeping.visit(source.url, self._mode, self._max_age)
        if known is not None and known.source is not None and self._is_there(known.opened):
            return known.source.model_copy(update={"id": source.id, "label": label}), known.opened
        found, opened = await call(self._executor, "opened", base)
        if found.state != "error":  # what may be otherwise a minute later is tried again
            await asyncio.to_thread(self._keeping.add_visit, source.url, self._mode, found, opened)
        return found, opened

    def _is_there(self, opened: Opened | None) -> bool:
        return opened is None or self._store.files.exists(capture_file(opened.capture.sha256))


# What checks have opened and cited before: a line each in a file, so that nothing fresh is done twice.
#
# The file is a cache: it may be deleted at any time. A line that is damaged, or that cannot be kept, is done
# again, and nothing else.

NAME: Final = "checked.jsonl"


class Kept(Record):
    """What came of an address that was opened, or of a citation that was wanted of a place.

    Attributes:
        key: which address, or which place of which capture.
        at: when the address was opened; None of a citation.
        source: what came of the address.
        opened: its capture, where it was read.
        citation: the id of the one that was made.
        refusal: why none could be.
    """

    key: str
    at: datetime | None = None
    source: CheckedSource | None = None
    opened: Opened | None = None
    citation: str = ""
    refusal: str = ""


class Keeping:
    """The cache of one home.

    Args:
        path: the file; made at the first line.
        store: which store the captures and citations are in.
    """

    def __init__(self, path: Path, store: str = "") -> None:
        self._lines = Lines(path, Kept, alone=True)
        self._store = store
        self._kept: dict[tuple[bool, str], Kept] = {}
        with warnings.catch_warnings(action="ignore", category=DamagedLine), suppress(RunError):
            self._kept = {(each.at is not None, each.key): each for each in self._lines}

    def visit(self, url: str, web: str, max_age: timedelta) -> Kept | None:
        """What came of an address, if that is not older than ``max_age``."""
        visit = self._kept.get((True, self._key(web, url)))
        return visit if visit and visit.at and datetime.now(UTC) - visit.at <= max_age else None

    def add_visit(self, url: str, web: str, source: CheckedSource, opened: Opened | None) -> None:
        """Keep what came of an address."""
        self._add(Kept(key=self._key(web, url), at=datetime.now(UTC), source=source, opened=opened))

    def cited(self, capture: str, request: AnchorRequest) -> Kept | None:
        """The citation of a place, or the refusal."""
        return self._kept.get((False, self._key(capture, request.model_dump_json())))

    def add_cited(
        self, capture: str, request: AnchorRequest, *, citation: str = "", refusal: str = ""
    ) -> Kept:
        """Keep a citation of a place, or the refusal."""
        key = self._key(capture, request.model_dump_json())
        return self._add(Kept(key=key, citation=citation, refusal=refusal))

    def _add(self, kept: Kept) -> Kept:
        self._kept[kept.at is not None, kept.key] = kept
        with suppress(RunError, OSError):
            self._lines.path.parent.mkdir(parents=True, exist_ok=True)
            self._lines.add(kept)
        return kept

    def _key(self, *parts: str) -> str:
        return " ".join((self._store, *parts))
