"""Opening the sources of a text, several at once: each once, sealed, or with the reason why not."""

from __future__ import annotations

import asyncio
import re
import socket
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from verifaible.errors import (
    ConfigError,
    InfrastructureError,
    PageBlocked,
    PageNotLoaded,
    RunError,
    StoreError,
    ToolError,
    UrlRefused,
)
from verifaible.evidence.check.outcomes import is_home
from verifaible.evidence.make.whole import Opened, SourceCollector
from verifaible.evidence.store.store import Store, capture_file
from verifaible.net.guard import Target, parse_target
from verifaible.net.web import Web
from verifaible.runs.lines import DamagedLine, Lines
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record
from verifaible.schema.checked import CheckedSource, SourceState
from verifaible.schema.citation import AnchorRequest

#: Pages that are open at once; politeness to one host is the net's.
AT_ONCE: Final = 4
_GONE: Final = frozenset({404, 410})
_BY_STATUS: Final[dict[int, SourceState]] = {401: "login", 402: "paywall"}
_BY_KIND: Final[dict[str, SourceState]] = {
    "a login page": "login",
    "a paywall": "paywall",
    "a captcha or bot check": "blocked",
    "a consent page": "blocked",
    "a rate limit": "blocked",
    "an error page": "gone",
}
#: What an error page says whose fault passes: it does not mean that the page is gone.
_PASSING: Final = re.compile(
    r"\b50\d\b|try (?:again|later)|went wrong|permission|denied|forbidden|not authori[sz]ed|unavailable in"
    r"|temporar|application error|exception|繁忙|稍后|权限|异常|网络错误|服务不可用",
    re.IGNORECASE,
)

#: Told of each source as it is done: how many are, and of how many.
Watch = Callable[[int, int], None]


class Opener:
    """Opens sources.

    Args:
        collector: seals them.
        web: the web that it opens them on.
        store: where captures are.
        keeping: what was opened before.
        max_age: how old a visit may be that stands for a new one; zero: all are opened.
    """

    def __init__(
        self, collector: SourceCollector, web: Web, store: Store, keeping: Keeping, max_age: timedelta
    ) -> None:
        self._collector = collector
        self._web = web
        self._store = store
        self._keeping = keeping
        self._max_age = max_age

    async def open_all(
        self, sources: Sequence[Source], labels: dict[str, str], watch: Watch
    ) -> list[tuple[CheckedSource, Opened | None]]:
        """Open every source that has no capture yet; in their order.

        Raises:
            StoreError: the store cannot be written.
            InfrastructureError: no browser could be started.
        """
        places = asyncio.Semaphore(AT_ONCE)
        done = 0

        async def one(source: Source) -> tuple[CheckedSource, Opened | None]:
            nonlocal done
            async with places:
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
        known = self._keeping.visit(source.url, self._web.mode, self._max_age)
        if known is not None and known.source is not None and self._is_there(known.opened):
            return known.source.model_copy(update={"id": source.id, "label": label}), known.opened
        found, opened = await self._opened(base)
        if found.state != "error":  # what may be otherwise a minute later is tried again
            await asyncio.to_thread(self._keeping.add_visit, source.url, self._web.mode, found, opened)
        return found, opened

    def _is_there(self, opened: Opened | None) -> bool:
        return opened is None or self._store.files.exists(capture_file(opened.capture.sha256))

    async def _opened(self, base: CheckedSource) -> tuple[CheckedSource, Opened | None]:
        why = await self._impossible(base.url)
        if why:
            return base.model_copy(update={"state": "made_up", "said": why}), None
        try:
            opened = await self._collector.open(base.url)
        except ToolError as error:
            state, status = state_of(error)
            said = " ".join(str(error).split())
            return base.model_copy(update={"state": state, "said": said, "status": status}), None
        except (StoreError, InfrastructureError):
            raise
        except ConfigError as error:  # what reads this kind of file is not installed
            return base.model_copy(update={"state": "error", "said": str(error)}), None
        except Exception as error:  # a page like no other must cost one source and not the check
            said = f"It could not be read (unexpected {type(error).__name__}: {error})."
            return base.model_copy(update={"state": "error", "said": said}), None
        if is_home(opened.final_url) and not is_home(base.url) and _host(opened.final_url) == _host(base.url):
            said = f"The address leads to the home page {opened.final_url} now."
            return base.model_copy(update={"state": "gone", "said": said, "status": 200}), None
        read = base.model_copy(
            update={
                "title": opened.title or base.title,
                "said": f"Not all of it was read: {opened.incomplete}." if opened.incomplete else "",
                "status": 200,
                "capture": opened.capture.sha256,
                "file": opened.file,
                "opened_at": datetime.now(UTC),
            }
        )
        return read, opened

    async def _impossible(self, url: str) -> str:
        """Why nothing can be at an address; empty where something can."""
        try:
            target = parse_target(url)
        except UrlRefused as error:
            return str(error)
        if self._web.archive is not None or target.address is not None:
            return ""
        try:
            self._web.guard.check_target(target)
        except UrlRefused:
            return "" if "." in target.host else f"{target.host!r} is no name of a host on the internet."
        proxied = self._web.settings.proxy is not None  # a proxy knows its names
        return "" if proxied or await _has_name(target) else f"There is no host of the name {target.host!r}."


async def _has_name(target: Target) -> bool:
    """Whether a host may have an address; a name server that does not answer says nothing."""
    try:
        await asyncio.get_running_loop().getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        return error.errno not in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
    except (OSError, UnicodeError):
        return True
    return True


def state_of(error: ToolError) -> tuple[SourceState, int]:
    """What a refusal says of a source, and the HTTP status where one came."""
    if isinstance(error, PageBlocked):
        state = _BY_STATUS.get(error.status) or _BY_KIND.get(error.kind)
        if state == "gone" and _PASSING.search(error.shown):
            state = "error"
        if state is None:
            state = "blocked" if error.status else "error"
        return state, error.status or (200 if error.kind else 0)
    if isinstance(error, PageNotLoaded):
        return ("gone" if error.status in _GONE else "error"), error.status
    return "error", 0


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower().rpartition("@")[2].removeprefix("www.")


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
