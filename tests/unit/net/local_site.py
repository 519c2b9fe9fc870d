"""A web server on loopback whose answers are written by the test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class LocalSite:
    """``answers`` maps a path to a function of the request; ``seen`` lists "METHOD path"."""

    url: str = ""
    answers: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def give(self, path: str, status: int = 200, body: bytes = b"", **headers: str) -> None:
        """Answer a path with fixed bytes; ``_`` in a header's name stands for "-"."""

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in ({"content_length": str(len(body))} | headers).items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(body)

        self.answers[path] = answer


@contextmanager
def local_site() -> Iterator[LocalSite]:
    """Run a server until the block ends."""
    site = LocalSite()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            self.body = self.rfile.read(int(self.headers.get("content-length") or 0))
            site.seen.append(f"{self.command} {self.path}")
            site.headers.append({name.lower(): value for name, value in self.headers.items()})
            site.answers[self.path](self)

        do_GET = do_POST = do_HEAD = _serve

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
