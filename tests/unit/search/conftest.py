"""Engines on loopback, and clients that may reach them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.servers.search_servers import KEY, SearchServers, search_servers
from verifaible.config import Settings
from verifaible.net.client import HttpClient
from verifaible.net.web import Web
from verifaible.search.base import Engine
from verifaible.search.engines import BraveEngine, ExaEngine, SearxngEngine, TavilyEngine


@pytest.fixture
def servers() -> Iterator[SearchServers]:
    with search_servers() as running:
        yield running


@pytest.fixture
def client() -> Callable[[], HttpClient]:
    return Web.live(Settings(allow_hosts=("127.0.0.1", "localhost"))).client


def engine(name: str, servers: SearchServers, key: str = KEY) -> Engine:
    base = servers.of(name)
    engines: dict[str, Callable[[], Engine]] = {
        "searxng": lambda: SearxngEngine(base),
        "tavily": lambda: TavilyEngine(key, base_url=base),
        "exa": lambda: ExaEngine(key, base_url=base),
        "brave": lambda: BraveEngine(key, base_url=base),
    }
    return engines[name]()
