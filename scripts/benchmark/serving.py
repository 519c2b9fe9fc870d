"""Sites on loopback."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: Status, headers without the length, and body of the answer to a path that was asked for with a body.
Answer = Callable[[str, bytes], tuple[int, Mapping[str, str], bytes]]


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A browser that goes away before it has everything is no fault."""


@contextmanager
def serving(answer: Answer, sent: Callable[[int], object] = lambda _: None) -> Iterator[str]:
    """The address of a site while it is up; ``sent`` is told the bytes of each answer, its head included."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            given = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, headers, body = answer(self.path, given)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            head = sum(len(line) for line in self._headers_buffer) + 2  # type: ignore[attr-defined,misc]
            self.end_headers()
            self.wfile.write(body if self.command != "HEAD" else b"")
            sent(head + len(body))

        do_GET = do_POST = do_HEAD = do_PUT = do_PATCH = do_DELETE = _serve

        def log_message(self, *_: object) -> None:
            return

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
