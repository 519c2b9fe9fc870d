"""What a worker of a cluster opens: web, browser and store, as they are in the process that it works for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from verifaible.archive.lookup import Archive
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.evidence.store.store import Store
from verifaible.net.web import Web


@dataclass(frozen=True, slots=True)
class Resources:
    """What is open at a worker."""

    settings: Settings
    web: Web
    browser: Browser
    store: Store


@dataclass(frozen=True, slots=True)
class Setup:
    """What is to be opened; it is pickled, and holds no key of a model: those are asked by who sends it.

    Attributes:
        settings: without that key.
        archives: of an offline run; None for the live web.
        store: the id of the store.
    """

    settings: Settings
    archives: tuple[Path, ...] | None
    store: str

    @classmethod
    def of(cls, settings: Settings, store: Store, archives: Sequence[Path] | None) -> Setup:
        """The setup of a process that has this open."""
        offline = tuple(map(Path.absolute, archives)) if archives is not None else None
        location = settings.store_location  # a worker has another current folder
        own = {"api_key": "", "store": str(location.absolute() if isinstance(location, Path) else location)}
        return cls(settings.model_copy(update=own), offline, store.id)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Resources]:
        """Open it; the browser runs already, so that nobody is given work who has none.

        Raises:
            ConfigError: the store that is seen from here is another one, or archives are missing.
            BrowserMissing, InfrastructureError: there is no browser, or it does not start.
        """
        settings, offline = self.settings, self.archives is not None
        opened = (
            Web.live(settings)
            if self.archives is None
            else Web.offline(settings, Archive.open(self.archives))
        )
        with opened as web, closing(Store.open(settings)) as store:
            if not store.is_the_same(self.store):
                raise ConfigError(
                    f"The store {store.location} is not the same at a worker as where the command was "
                    "started. Give one that all machines reach: VERIFAIBLE_STORE names a bucket, or a "
                    "shared folder."
                )
            browser = Browser(settings, offline=offline).warming(None if offline else web.guard)
            async with browser as warm:
                await warm.start()
                yield Resources(settings, web, warm, store)
