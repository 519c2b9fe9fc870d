"""One web server on loopback whose pages are data: what a row of a suite says, it serves."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SUITES = Path(__file__).resolve().parents[1] / "suites"
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".pdf": "application/pdf",
    ".vtt": "text/vtt; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}


@dataclass
class Site:
    """Folders of pages below one address; each row has a folder of its own, so rows can share the server.

    Attributes:
        origin: the server's address, without a slash at its end.
        requests: ``"METHOD /folder/path"`` of every request so far.
    """

    origin: str = ""
    requests: list[str] = field(default_factory=list)
    _folders: dict[str, dict[str, Any]] = field(default_factory=dict)
    _served: dict[str, int] = field(default_factory=dict)

    def put(self, folder: str, pages: Mapping[str, Any]) -> str:
        """Serve these pages in a folder, in place of what was there; gives its address.

        Args:
            folder: a name without slashes.
            pages: path with its slash (and query, if it matters) to a page: HTML as text, or an object with
                ``body`` (text), ``base64`` or ``file`` (below tests/suites), and optionally ``status``,
                ``headers``, ``type``, ``wait_s``; or a list of pages, one a request, the last one kept.
                ``{site}`` in a text is the folder's address.
        """
        self._folders[folder] = dict(pages)
        for path in pages:
            self._served.pop(f"{folder}{path}", None)
        return f"{self.origin}/{folder}"

    def answer(self, target: str) -> tuple[int, dict[str, str], bytes, float]:
        """Status, headers, body and the wait in seconds before them, for a path with its query."""
        folder, slash, rest = target.removeprefix("/").partition("/")
        pages = self._folders.get(folder, {})
        path = f"{slash}{rest}" or "/"
        if path not in pages:
            path = urlsplit(path).path
        if path not in pages:
            return 404, {"content-type": "text/plain"}, b"no such page", 0
        page = pages[path]
        if isinstance(page, list):
            number = self._served.get(f"{folder}{path}", 0)
            self._served[f"{folder}{path}"] = number + 1
            page = page[min(number, len(page) - 1)]
        given: dict[str, Any] = {"body": page} if isinstance(page, str) else page
        kind = given.get("type") or _KINDS.get(Path(urlsplit(path).path).suffix, _KINDS[".html"])
        headers = {"content-type": kind, **given.get("headers", {})}
        if "base64" in given:
            body = base64.b64decode(given["base64"])
        elif "file" in given:
            body = (SUITES / given["file"]).read_bytes()
        else:
            body = given.get("body", "").replace("{site}", f"{self.origin}/{folder}").encode()
        headers = {
            name: value.replace("{site}", f"{self.origin}/{folder}") for name, value in headers.items()
        }
        return given.get("status", 200), headers, body, float(given.get("wait_s", 0))


@contextmanager
def serving() -> Iterator[Site]:
    """A site, empty at first, as long as it is needed."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            site.requests.append(f"{self.command} {self.path}")
            status, headers, body, wait_s = site.answer(self.path)
            time.sleep(wait_s)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            with suppress(ConnectionError):  # a browser may leave before it has read everything
                self.end_headers()
                self.wfile.write(body)

        do_GET = do_POST = do_HEAD = _serve

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.origin = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
