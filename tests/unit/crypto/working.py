"""What the tests of the harness work with: the archives or a local provider, a store of their own, no browser."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.crypto.providers.endpoint import Places
from verifaible.crypto.providers.session import Api, SourceBook
from verifaible.crypto.providers.toolset import data_tools, market_tools
from verifaible.evidence.cite import Collector
from verifaible.evidence.sources import SourceOrigin
from verifaible.net.web import Web
from verifaible.schema.run import ToolReply
from verifaible.search.archive import ArchiveSearch
from verifaible.store.store import Store
from verifaible.tools.context import ToolContext
from verifaible.tools.toolbox import Toolbox

REPOSITORY = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
ORIGIN = SourceOrigin(kind="trial", name="test", sha256="0" * 64)

#: Status, headers, body.
Answer: TypeAlias = tuple[int, Mapping[str, str], bytes | str]


class Request(NamedTuple):
    """What a server was asked."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Data:
    """The data tools over a web, as a model calls them; ``pauses`` are those that a provider's limit made.

    ``url`` is where the provider of :func:`provider` is.
    """

    url = ""

    def __init__(self, store: Store, web: Web, endpoints: Places | None = None, **more: Any) -> None:
        self.pauses: list[float] = []
        self.store = store
        self.book = SourceBook(store, ORIGIN)
        self.api = Api(web, self.book, NOW, sleep=self._pause, **more)
        self.endpoints = places = endpoints or Places()
        tools = list(data_tools(self.api, places))
        tools += market_tools(self.api, places)
        self.toolbox = Toolbox(tools)

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def __call__(self, name: str, **arguments: Any) -> ToolReply:
        return await self.toolbox.call(name, json.dumps(arguments))


def store_in(folder: Path) -> Store:
    """A new store."""
    return Store.open(Settings(home=folder, store=str(folder / "store")))


@cache
def archives() -> Web:
    """The committed archives, opened once."""
    return Web.offline(Settings(home=REPOSITORY))


def offline_data(folder: Path, **more: Any) -> Data:
    """The data tools over the committed archives."""
    return Data(store_in(folder), archives(), **more)


def offline_context(folder: Path) -> ToolContext:
    """A session over the committed archives, for models that open no page in a browser."""
    settings = Settings(home=REPOSITORY, store=str(folder / "store"))
    web = archives()
    assert web.archive is not None
    browser = cast(Browser, None)
    collector = Collector(settings, web, browser, Store.open(settings))
    return ToolContext(settings, web, browser, collector, ArchiveSearch(web.archive))


@contextmanager
def served(answer: Callable[[Request], Answer]) -> Iterator[str]:
    """The address of a server on loopback, which answers by a request: method, path, headers, body."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, headers, told = answer(
                Request(
                    self.command,
                    self.path,
                    {name.lower(): value for name, value in self.headers.items()},
                    body,
                )
            )
            data = told.encode() if isinstance(told, str) else told
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def provider(answer: Callable[[str], Answer], folder: Path, **more: Any) -> Iterator[Data]:
    """The data tools over a provider on loopback, which answers by the path and query of a request."""
    with served(lambda request: answer(request.path)) as url:
        places = Places(
            **dict.fromkeys(("defillama", "stablecoins", "yields", "futures", "geckoterminal"), url),
            coingecko=f"{url}/gecko",
            binance=f"{url}/binance",
        )
        web = Web.live(Settings(home=folder, allow_hosts=("127.0.0.1",)))
        data = Data(store_in(folder), web, places, **more)
        data.url = url
        yield data
