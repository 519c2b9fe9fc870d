"""The engines without a key: the library connects through the dialler, and what it says is a hit or a reason."""

from __future__ import annotations

from typing import Any

import pytest
from ddgs.exceptions import DDGSException

from verifaible.config import Settings
from verifaible.net.guard import UrlGuard
from verifaible.net.web import Web
from verifaible.search.base import EngineFailed, SearchHit, parse_query
from verifaible.search.keyless import KEYLESS, KeylessEngine
from verifaible.search.live import search_for


async def here(name: str, port: int) -> list[str]:
    return ["127.0.0.1"]


async def find(name: str, guard: UrlGuard | None = None) -> tuple[SearchHit, ...]:
    async with Web.live(Settings()).client() as client:
        return await KeylessEngine(name, guard or UrlGuard(resolver=here)).find(
            parse_query("house prices", 5), client
        )


@pytest.mark.parametrize("name", KEYLESS)
async def test_the_library_connects_where_the_guard_lets_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with pytest.raises(EngineFailed, match=r"guard refused it \(The host '\S+' was refused: it resolves to"):
        await find(name)


async def test_a_host_that_is_away_is_named_so() -> None:
    async def nobody(name: str, port: int) -> list[str]:
        return []

    with pytest.raises(EngineFailed, match="could not be reached"):
        await find("duckduckgo", UrlGuard(resolver=nobody))


async def test_what_the_library_finds_are_hits(monkeypatch: pytest.MonkeyPatch) -> None:
    def text(name: str, query: str, proxy: str) -> list[dict[str, Any]]:
        assert (name, query) == ("mojeek", "house prices") and proxy.startswith("socks5h://127.0.0.1:")
        found = [("https://example.org/a", "A <b>title</b>", "Words"), ("javascript:x", "B", "")]
        return [{"href": href, "title": title, "body": body} for href, title, body in found]

    monkeypatch.setattr("verifaible.search.keyless._search", text)
    (hit,) = await find("mojeek")
    assert (hit.url, hit.title, hit.snippet) == ("https://example.org/a", "A title", "Words")
    assert hit.source == "mojeek"


async def test_nothing_found_is_no_answer_that_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def text(*_: str) -> list[dict[str, Any]]:
        raise DDGSException("No results found.")

    monkeypatch.setattr("verifaible.search.keyless._search", text)
    with pytest.raises(EngineFailed, match="gave no results, or takes this machine for a robot"):
        await find("mojeek")


async def test_a_local_search_server_opens_nothing_local_to_the_others() -> None:
    settings = Settings(
        searxng_url="http://127.0.0.1:8888",
        tavily_api_key="k",
        search_engines=("searxng", "tavily", "mojeek"),
    )
    search = search_for(Web.live(settings).searching())
    guards = {engine.name: search._client(engine)._source._guard for engine in search._engines}  # type: ignore[attr-defined]
    local = "http://127.0.0.1:8888/search"
    guards["searxng"].check_host_only(local)
    for name in ("tavily", "mojeek"):
        with pytest.raises(Exception, match="not an address of the public internet"):
            guards[name].check_host_only(local)
