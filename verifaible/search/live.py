"""The search of a session: its archives' offline; live, engines in turn until one finds something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pydantic import SecretStr

from verifaible.config import Settings
from verifaible.errors import ConfigError, PageNotLoaded
from verifaible.net.client import HttpClient
from verifaible.net.guard import UrlGuard
from verifaible.net.web import Web
from verifaible.search.archive import ArchiveSearch
from verifaible.search.base import (
    Engine,
    EngineFailed,
    EngineFault,
    Query,
    SearchAnswer,
    SearchBackend,
    SearchHit,
    parse_query,
)
from verifaible.search.engines import APIS, ApiEngine, SearxngEngine
from verifaible.search.keyless import KEYLESS, KeylessEngine

#: Longest time that one engine may take, in seconds.
TIMEOUT_S = 10.0
#: The settings that hold keys or passwords of engines.
SECRETS = ("searxng_url", *(f"{name}_api_key" for name in APIS))
#: Every name that ``VERIFAIBLE_SEARCH_ENGINES`` may hold; ``keyless`` stands for all without a key.
NAMES = ("searxng", *APIS, *KEYLESS, "keyless")


class LiveSearch:
    """Asks one engine after the other; what did not answer is named, never left out in silence.

    An engine that asks for a pause (Retry-After) has it: the web's client sees to that.

    Args:
        engines: at least one, the best first.
        client: opens a client of the session's web for an engine.
        timeout_s: longest time for one engine.
    """

    name = "live"

    def __init__(
        self,
        engines: Sequence[Engine],
        client: Callable[[Engine], HttpClient],
        *,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._engines = tuple(engines)
        self._client = client
        self._timeout_s = timeout_s

    @property
    def engines(self) -> tuple[str, ...]:
        """The names of the engines, in their order."""
        return tuple(engine.name for engine in self._engines)

    async def search(self, query: str, limit: int = 10) -> SearchAnswer:
        """The pages of the first engine that finds some, in its order.

        Raises:
            BadArguments: the query holds no word, or the limit is not positive.
            PageNotLoaded: no engine answered.
        """
        parsed = parse_query(query, limit)
        answered: list[str] = []
        faults: list[EngineFault] = []
        hits: tuple[SearchHit, ...] = ()
        for engine in self._engines:
            try:
                found = await self._ask(engine, parsed)
            except EngineFailed as error:
                faults.append(EngineFault(engine.name, error.reason))
                continue
            answered.append(engine.name)
            pages: dict[str, SearchHit] = {}
            for hit in found:
                if parsed.allows(hit.url):
                    pages.setdefault(hit.url, hit)
            if hits := tuple(pages.values()):
                break
        if not answered:
            reasons = "; ".join(f"{fault.engine}: {fault.reason}" for fault in faults)
            raise PageNotLoaded(
                f"No search engine answered, so {parsed.text[:200]!r} was not searched for ({reasons}). Try "
                "again in a minute, or open an address that you know and follow its links."
            )
        return SearchAnswer.of(hits[: parsed.limit], answered, faults)

    async def _ask(self, engine: Engine, query: Query) -> tuple[SearchHit, ...]:
        try:
            async with asyncio.timeout(self._timeout_s), self._client(engine) as client:
                return await engine.find(query, client)
        except TimeoutError:
            raise EngineFailed(f"no answer within {self._timeout_s:g} s") from None


def search_for(web: Web) -> SearchBackend:
    """The search of a web: its archive's if it has one, else that of the configured engines.

    Raises:
        ConfigError: the settings name an engine that does not exist, or that lacks its key or URL.
    """
    if web.archive is not None:
        return ArchiveSearch(web.archive)
    engines = configured_engines(web.settings, web.guard)
    return LiveSearch(engines, lambda engine: web.searching(engine.endpoint).client())


def configured_engines(settings: Settings, guard: UrlGuard) -> tuple[Engine, ...]:
    """The engines of ``search_engines``; without it all that have a key or URL, else the keyless.

    Raises:
        ConfigError: as :func:`search_for`.
    """
    ready = ["searxng"] if settings.searxng_url.strip() else []
    ready += [name for name in APIS if _key(name, settings)]
    names = [name.lower() for name in settings.search_engines] or ready or ["keyless"]
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ConfigError(
            f"VERIFAIBLE_SEARCH_ENGINES: there is no engine {unknown[0]!r}. Choose from {', '.join(NAMES)}."
        )
    wanted = [each for name in names for each in (KEYLESS if name == "keyless" else (name,))]
    return tuple(_engine(name, settings, guard) for name in dict.fromkeys(wanted))


def _engine(name: str, settings: Settings, guard: UrlGuard) -> Engine:
    if name in KEYLESS:
        return KeylessEngine(name, guard)
    if name == "searxng":
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
    return ApiEngine(name, key)


def _key(name: str, settings: Settings) -> str:
    secret: SecretStr | None = getattr(settings, f"{name}_api_key")
    return secret.get_secret_value().strip() if secret is not None else ""
