"""The search engines that need no key, as the library ddgs asks them, over the dialler."""

from __future__ import annotations

import asyncio

from verifaible.errors import needing
from verifaible.net.client import HttpClient
from verifaible.net.guard import UrlGuard
from verifaible.search.base import EngineFailed, Query, SearchHit, hits_of

#: Those that are asked where the settings name none, one for each of the large indexes: Bing's, Mojeek's and
#: Google's.
KEYLESS = ("duckduckgo", "mojeek", "startpage")
#: Longer queries are refused.
_MOST_CHARACTERS = 499
_TIMEOUT_S = 10


class KeylessEngine:
    """The first page of results of one engine.

    The library connects by itself; it is given a way out of its own, where the guard judges each host.

    Args:
        name: of the engine, as the library has it.
        guard: decides which hosts may be reached, and through which proxy.
    """

    endpoint = ""

    def __init__(self, name: str, guard: UrlGuard) -> None:
        self.name = name
        self._guard = guard

    async def find(self, query: Query, client: HttpClient) -> tuple[SearchHit, ...]:
        """The results; ``client`` is not used.

        Raises:
            EngineFailed: it gave none, for whatever reason: the library does not tell a page of results
                that is empty from one that asks for a proof that a person is asking.
        """
        with needing("search", "Searching without a key"):
            from ddgs.exceptions import DDGSException
        from verifaible.net.egress import EgressProxy

        async with EgressProxy() as egress:
            way = egress.admit(self._guard)
            try:
                # the name of the host is looked up behind the proxy
                proxy = way.url.replace("socks5://", "socks5h://")
                found = await asyncio.to_thread(_search, self.name, query.text[:_MOST_CHARACTERS], proxy)
            except DDGSException as error:
                said = str(way.refused[0]).partition(". ")[0] if way.refused else ""
                refused = f"the URL guard refused it ({said})" if said else ""
                away = "it could not be reached" if way.unreached else ""
                late = "it did not answer in time" if "timed out" in str(error).lower() else ""
                nothing = "it gave no results, or takes this machine for a robot"
                raise EngineFailed(refused or away or late or nothing) from error
        return hits_of(self.name, ((each["href"], each["title"], each["body"], "") for each in found))


def _search(name: str, query: str, proxy: str) -> list[dict[str, str]]:
    from ddgs import DDGS

    found: list[dict[str, str]] = DDGS(proxy=proxy, timeout=_TIMEOUT_S).text(query, backend=name)
    return found
