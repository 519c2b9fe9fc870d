"""The web of one session: today's, or the archives'; browser, client and search share it."""

from __future__ import annotations

from dataclasses import dataclass, field

from verifaible.archive.lookup import Archive, Player
from verifaible.config import Settings
from verifaible.net.client import HttpClient, live_client, offline_client
from verifaible.net.guard import UrlGuard
from verifaible.schema.citation import WebMode
from verifaible.schema.web import WebExchange


@dataclass(frozen=True, slots=True)
class Web:
    """Where pages come from.

    Attributes:
        mode: ``live`` or ``offline``.
        settings: limits and allowed hosts.
        guard: decides which addresses may be opened.
        archive: the archives of the offline web; None when live.
    """

    mode: WebMode
    settings: Settings
    guard: UrlGuard
    archive: Archive | None = field(default=None)

    @classmethod
    def live(cls, settings: Settings) -> Web:
        """Today's web."""
        return cls("live", settings, UrlGuard(settings.allow_hosts))

    @classmethod
    def offline(cls, settings: Settings, archive: Archive | None = None) -> Web:
        """The archives in ``snapshots/sites``, or the given one."""
        if archive is None:
            archive = Archive.open(sorted(settings.sites_dir.glob("*.wacz")))
        return cls("offline", settings, UrlGuard(settings.allow_hosts), archive)

    def player(self) -> Player | None:
        """A fresh player for one browser context, or None when live."""
        return self.archive.player() if self.archive is not None else None

    def client(self, kept: list[WebExchange] | None = None) -> HttpClient:
        """An HTTP client over this web, to be used as an async context manager.

        Args:
            kept: a list to which every exchange is appended, redirects included.
        """
        player = self.player()
        if player is None:
            return live_client(self.settings, self.guard, kept)
        return offline_client(player, kept)
