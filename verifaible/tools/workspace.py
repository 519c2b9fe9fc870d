"""Web, browser, store and tools: opened together once, shared by every session over them."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import SecretStr

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.net.web import Web

if TYPE_CHECKING:
    from verifaible.archive.recording import Recorder
    from verifaible.schema.citation import WebMode
    from verifaible.store.store import Store
    from verifaible.tools.context import ToolContext
    from verifaible.tools.toolbox import Toolbox

#: Settings that hold a key or a password and are no :class:`~pydantic.SecretStr`.
_SECRET_TEXTS: Final = ("api_key", "searxng_url")


@dataclass(frozen=True)
class Workspace:
    """What tools, trials, checks and chats work with.

    Attributes:
        settings: limits, paths, keys.
        web: where pages come from.
        browser: for that web.
        store: where citations are made.
    """

    settings: Settings
    web: Web
    browser: Browser
    store: Store

    @property
    def offline(self) -> bool:
        """Whether pages come from archives alone."""
        return self.web.archive is not None

    @cached_property
    def context(self) -> ToolContext:
        """What the six tools take."""
        from verifaible.evidence.cite import Collector
        from verifaible.search.live import search_for
        from verifaible.tools.context import ToolContext

        collector = Collector(self.settings, self.web, self.browser, self.store)
        return ToolContext(self.settings, self.web, self.browser, collector, search_for(self.web.searching()))

    def toolbox(self, language: str = "") -> Toolbox:
        """The tools of a new session, whose citations count from 1; pages are asked for in ``language``."""
        from verifaible.tools.registry import toolbox

        return toolbox(self.context.speaking(language))


@asynccontextmanager
async def open_workspace(
    settings: Settings,
    mode: WebMode = "live",
    *,
    archives: Sequence[Path] | None = None,
    recorder: Recorder | None = None,
    store: Store | None = None,
    warm: bool = False,
) -> AsyncIterator[Workspace]:
    """Open a workspace; everything that was opened here is closed at the end.

    Args:
        settings: limits, paths, keys.
        mode: ``live``, ``record`` (which needs a recorder) or ``offline``.
        archives: WACZ files of the offline web; default: those in ``snapshots/sites``.
        recorder: keeps what is loaded.
        store: one that is open already, and stays so; default: that of the settings.
        warm: start the browser at once, in the background; else its first page does.

    Raises:
        ConfigError: there is no archive, or the search engines are set up wrongly.
    """
    async with AsyncExitStack() as opened:
        web = opened.enter_context(_open_web(settings, mode, archives, recorder))
        browser = Browser(settings, offline=mode == "offline")
        starting = browser.warming(None if web.archive is not None else web.guard) if warm else browser
        running = await opened.enter_async_context(starting)
        # To import these takes as long as a browser takes to start.
        await asyncio.to_thread(import_module, "verifaible.tools.registry")
        if store is None:
            from verifaible.store.store import Store as EvidenceStore

            store = opened.enter_context(closing(EvidenceStore.open(settings)))
        yield Workspace(settings, web, running, store)


def _open_web(
    settings: Settings, mode: WebMode, archives: Sequence[Path] | None, recorder: Recorder | None
) -> Web:
    if mode == "offline":
        if archives is None:
            return Web.offline(settings)
        from verifaible.archive.lookup import Archive

        return Web.offline(settings, Archive.open(archives))
    if mode == "record":
        assert recorder is not None, "what is recorded needs a recorder"
        return Web.record(settings, recorder)
    return Web.live(settings)


@contextmanager
def scratch_settings(settings: Settings) -> Iterator[Settings]:
    """The same settings with a store of its own, which is thrown away at the end."""
    with tempfile.TemporaryDirectory(prefix="verifaible-") as folder:
        yield settings.model_copy(update={"store": folder, "index": "", "signing_key": None})


@dataclass(frozen=True, slots=True)
class RemoteWorkspace:
    """The workspace that a worker of a cluster opens; it is pickled, with no key but those that it needs.

    Attributes:
        settings: without the others.
        archives: of an offline web; None for the live one.
        store: id of the store of the process that the worker works for.
    """

    settings: Settings
    archives: tuple[Path, ...] | None
    store: str

    @classmethod
    def of(
        cls,
        settings: Settings,
        store: Store,
        archives: Sequence[Path] | None,
        needs: Collection[str] = (),
    ) -> RemoteWorkspace:
        """That of a process which has this open.

        Args:
            settings: its settings.
            store: its store.
            archives: those of its offline web; None: it has the live one.
            needs: settings with keys that the work uses on the live web, beside its proxy.
        """
        kept = {*needs, "proxy"} if archives is None else set()
        own = {
            name: type(settings).model_fields[name].default
            for name, value in settings
            if name not in kept and (isinstance(value, SecretStr) or name in _SECRET_TEXTS)
        }
        location = settings.store_location  # a worker has another current folder
        own["store"] = str(location.absolute() if isinstance(location, Path) else location)
        offline = tuple(map(Path.absolute, archives)) if archives is not None else None
        return cls(settings.model_copy(update=own), offline, store.id)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Workspace]:
        """Open it; the browser runs already, so that no work is given to who has none.

        Raises:
            ConfigError: the store that is seen from here is another one, or archives are missing.
            BrowserMissing, InfrastructureError: there is no browser, or it does not start.
        """
        from verifaible.store.store import Store

        with closing(Store.open(self.settings)) as store:
            if not store.is_the_same(self.store):
                raise ConfigError(
                    f"The store {store.location} is not the same at a worker as where the command was "
                    "started. Give one that all machines reach: VERIFAIBLE_STORE names a bucket, or a "
                    "shared folder."
                )
            mode: WebMode = "live" if self.archives is None else "offline"
            async with open_workspace(
                self.settings, mode, archives=self.archives, store=store, warm=True
            ) as workspace:
                await workspace.browser.start()
                yield workspace
