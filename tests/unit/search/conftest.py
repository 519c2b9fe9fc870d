"""Engines on loopback, and clients that may reach them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.servers.search_servers import KEY, SearchServers, search_servers
from verifaible.config import Settings
from verifaible.net.client import HttpClient
from verifaible.net.web import Web
from verifaible.search.base import Engine
from verifaible.search.engines import ApiEngine, SearxngEngine


@pytest.fixture
def servers() -> Iterator[SearchServers]:
    with search_servers() as running:
        yield running


@pytest.fixture
def client() -> Callable[[], HttpClient]:
    return Web.live(Settings(allow_hosts=("127.0.0.1", "localhost"))).client


def engine(name: str, servers: SearchServers, key: str = KEY) -> Engine:
    base = servers.of(name)
    return SearxngEngine(base) if name == "searxng" else ApiEngine(name, key, base_url=base)
