"""What a worker of a cluster opens: web, browser and store, as they are in the process that it works for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from verifaible.archive.lookup import Archive
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.net.web import Web
from verifaible.store.store import Store

#: Settings that hold a key or a password and are no :class:`~pydantic.SecretStr`.
_KEPT_AS_TEXT: Final = ("api_key", "searxng_url")


@dataclass(frozen=True, slots=True)
class Resources:
    """What is open at a worker."""

    settings: Settings
    web: Web
    browser: Browser
    store: Store


@dataclass(frozen=True, slots=True)
class Setup:
    """What is to be opened; it is pickled, and holds no key but those that the work needs.

    Attributes:
        settings: without the others.
        archives: of an offline run; None for the live web.
        store: the id of the store.
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
    ) -> Setup:
        """The setup of a process that has this open.

        Args:
            settings: its settings.
            store: its store.
            archives: those of its offline web; None: it has the live one.
            needs: settings with keys that the work uses on the live web, beside that of the way out.
        """
        offline = tuple(map(Path.absolute, archives)) if archives is not None else None
        location = settings.store_location  # a worker has another current folder
        needed = {*needs, "proxy"} if offline is None else set()
        own = {
            name: type(settings).model_fields[name].default
            for name, value in settings
            if name not in needed and (isinstance(value, SecretStr) or name in _KEPT_AS_TEXT)
        }
        own["store"] = str(location.absolute() if isinstance(location, Path) else location)
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
