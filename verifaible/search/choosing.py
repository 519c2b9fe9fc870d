"""Which search a session has: the archives' offline, the configured engines on the live web."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import SecretStr

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.net.web import Web
from verifaible.search.archive import ArchiveSearch
from verifaible.search.base import SearchBackend
from verifaible.search.engine import Engine
from verifaible.search.keyed import BraveEngine, ExaEngine, TavilyEngine
from verifaible.search.keyless import BingEngine, DuckDuckGoEngine, MojeekEngine
from verifaible.search.live import LiveSearch
from verifaible.search.searxng import SearxngEngine

#: Engines that need neither a key nor a server; ``keyless`` in the settings stands for all of them.
KEYLESS: Mapping[str, Callable[[], Engine]] = {
    DuckDuckGoEngine.name: DuckDuckGoEngine,
    BingEngine.name: BingEngine,
    MojeekEngine.name: MojeekEngine,
}
_WITH_KEY: Mapping[str, Callable[[str], Engine]] = {
    TavilyEngine.name: TavilyEngine,
    BraveEngine.name: BraveEngine,
    ExaEngine.name: ExaEngine,
}
#: The settings that hold keys or passwords of engines.
SECRETS = ("searxng_url", *(f"{name}_api_key" for name in _WITH_KEY))
#: Every name that ``VERIFAIBLE_SEARCH_ENGINES`` may hold.
NAMES = (SearxngEngine.name, *_WITH_KEY, *KEYLESS, "keyless")


def search_for(web: Web) -> SearchBackend:
    """The search of a web: its archive's if it has one, else that of the configured engines.

    Raises:
        ConfigError: the settings name an engine that does not exist, or that lacks its key or URL.
    """
    if web.archive is not None:
        return ArchiveSearch(web.archive)
    return LiveSearch(configured_engines(web.settings), web.client)


def configured_engines(settings: Settings) -> tuple[Engine, ...]:
    """The engines of ``search_engines``; without it all that have a key or URL, else the keyless.

    Raises:
        ConfigError: as :func:`search_for`.
    """
    names = [name.lower() for name in settings.search_engines] or _ready(settings) or ["keyless"]
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ConfigError(
            f"VERIFAIBLE_SEARCH_ENGINES: there is no engine {unknown[0]!r}. Choose from {', '.join(NAMES)}."
        )
    wanted = [each for name in names for each in (KEYLESS if name == "keyless" else (name,))]
    return tuple(_engine(name, settings) for name in dict.fromkeys(wanted))


def _ready(settings: Settings) -> list[str]:
    searxng = [SearxngEngine.name] if settings.searxng_url.strip() else []
    return searxng + [name for name in _WITH_KEY if _key(name, settings)]


def _engine(name: str, settings: Settings) -> Engine:
    if name in KEYLESS:
        return KEYLESS[name]()
    if name == SearxngEngine.name:
        url = settings.searxng_url.strip()
        if not url.startswith(("http://", "https://")):
            raise ConfigError(
                "VERIFAIBLE_SEARXNG_URL: give the address of the instance, with http:// or https://."
            )
        return SearxngEngine(url)
    key = _key(name, settings)
    if not key:
        raise ConfigError(
            f"VERIFAIBLE_SEARCH_ENGINES names {name}, which needs a key. Set "
            f"VERIFAIBLE_{name.upper()}_API_KEY, or leave {name} out."
        )
    return _WITH_KEY[name](key)


def _key(name: str, settings: Settings) -> str:
    secret: SecretStr | None = getattr(settings, f"{name}_api_key")
    return secret.get_secret_value().strip() if secret is not None else ""
