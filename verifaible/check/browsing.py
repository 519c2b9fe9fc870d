"""What of a check needs a browser: opening a text or a source, sealing it, citing in what was sealed."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from verifaible.browser.snapshot import take_snapshot
from verifaible.check.document import FetchedText
from verifaible.errors import (
    ConfigError,
    InfrastructureError,
    PageBlocked,
    PageNotLoaded,
    StoreError,
    ToolError,
    UrlRefused,
)
from verifaible.evidence.request import CiteRequest
from verifaible.evidence.seal import Opened, SourceCollector
from verifaible.evidence.verdict import is_home
from verifaible.extract.content import main_content
from verifaible.extract.markdown import document_markdown
from verifaible.extract.page import page_document
from verifaible.net.guard import parse_target
from verifaible.schema.checked import CheckedSource, SourceState
from verifaible.tools.workspace import Workspace

#: Pages that are open at once; politeness to one host is the net's.
AT_ONCE: Final = 4
_BY_STATUS: Final[dict[int, SourceState]] = {401: "login", 402: "paywall"}
_BY_KIND: Final[dict[str, SourceState]] = {
    "a login page": "login",
    "a paywall": "paywall",
    "a captcha or bot check": "blocked",
    "a consent page": "blocked",
    "a rate limit": "blocked",
    "an error page": "gone",
}
#: An error page that says such a thing may be another tomorrow: it does not mean that the page is gone.
_TEMPORARY: Final = re.compile(
    r"\b50\d\b|try (?:again|later)|went wrong|permission|denied|forbidden|not authori[sz]ed|unavailable in"
    r"|temporar|application error|exception|繁忙|稍后|权限|异常|网络错误|服务不可用",
    re.IGNORECASE,
)


class Browsing:
    """Opens and seals, over one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._web = workspace.web
        self._browser = workspace.browser
        self._collector = SourceCollector(
            workspace.settings, workspace.web, workspace.browser, workspace.store
        )

    async def fetched(self, url: str) -> FetchedText:
        """A text at an address, as the browser shows it.

        Raises:
            ToolError: it cannot be opened.
        """
        async with self._browser.page(self._web, pictures=False) as session:
            loaded = await session.open(url)
            if loaded.document is not None:
                return FetchedText(loaded.url, loaded.document.body, loaded.document.media_type)
            document = page_document(await take_snapshot(session.page))
            parts = [(at, 0, len(document.blocks[at].text)) for at in main_content(document)]
            shown = document_markdown(document, parts).text.encode("utf-8", "replace")
            return FetchedText(session.page.url, shown, "text/markdown; charset=utf-8")

    async def opened(self, base: CheckedSource) -> tuple[CheckedSource, Opened | None]:
        """Open a source and seal it: what came of it, and its capture where it could be read.

        Raises:
            StoreError: the store cannot be written.
            InfrastructureError: no browser could be started.
        """

        def unread(state: SourceState, said: str, status: int = 0) -> tuple[CheckedSource, None]:
            return _updated(base, state=state, said=" ".join(said.split()), status=status), None

        if why := await self._impossible(base.url):
            return unread("made_up", why)
        try:
            opened = await self._collector.open(base.url)
        except ToolError as error:
            state, status = state_of(error)
            return unread(state, str(error), status)
        except (StoreError, InfrastructureError):
            raise
        except ConfigError as error:  # what reads this kind of file is not installed
            return unread("error", str(error))
        except Exception as error:  # a page like no other must cost one source and not the check
            return unread("error", f"It could not be read (unexpected {type(error).__name__}: {error}).")
        if is_home(opened.final_url) and not is_home(base.url) and _host(opened.final_url) == _host(base.url):
            return unread("gone", f"The address leads to the home page {opened.final_url} now.", 200)
        read = _updated(
            base,
            title=opened.title or base.title,
            said=f"Not all of it was read: {opened.incomplete}." if opened.incomplete else "",
            status=200,
            capture=opened.capture.sha256,
            file=opened.file,
            opened_at=datetime.now(UTC),
        )
        return read, opened

    async def cited(self, wanted: CiteRequest, opened: Opened) -> str:
        """The id of a citation that is made in a sealed source; errors are those of ``cite_in``."""
        return (await self._collector.cite_in(wanted, opened)).citation.id

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
        known = await self._web.guard.has_name(target)
        return "" if known else f"There is no host of the name {target.host!r}."


def state_of(error: ToolError) -> tuple[SourceState, int]:
    """What a refusal says of a source, and the HTTP status where one came."""
    if isinstance(error, PageBlocked):
        state = _BY_STATUS.get(error.status) or _BY_KIND.get(error.kind)
        if state == "gone" and _TEMPORARY.search(error.shown):
            state = "error"
        if state is None:
            state = "blocked" if error.status else "error"
        return state, error.status or (200 if error.kind else 0)
    if isinstance(error, PageNotLoaded):
        return ("gone" if error.status in (404, 410) else "error"), error.status
    return "error", 0


def _updated(source: CheckedSource, **changes: Any) -> CheckedSource:
    return source.model_copy(update=changes)


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower().rpartition("@")[2].removeprefix("www.")
