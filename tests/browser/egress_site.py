"""The site from which the attacks come: pages, redirects and files that lead to whatever its path names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HTML = ("content-type", "text/html; charset=utf-8")
CSP = "script-src 'none'; report-uri {0}"
LINK = '<{0}>; rel="preload"; as="image", <{0}>; rel="preconnect"'
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><image href="{0}"/><script>fetch("{0}")</script></svg>'


def pdf_to(url: str) -> bytes:
    """A PDF that asks to open a URL as soon as it is shown, by an action and by its script."""
    return (
        "%PDF-1.7\n1 0 obj <</Type /Catalog /Pages 2 0 R /OpenAction 4 0 R /Names <</JavaScript <</Names "
        "[(x) 5 0 R]>> >> >> endobj\n2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj\n"
        "3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /AA <</O 4 0 R>> >> endobj\n"
        f"4 0 obj <</S /URI /URI ({url})>> endobj\n"
        f"5 0 obj <</S /JavaScript /JS (app.launchURL\\('{url}'\\); this.submitForm\\('{url}'\\);)>> endobj\n"
        "trailer <</Root 1 0 R>>\n%%EOF\n"
    ).encode()


class AttackSite:
    """``pages`` maps a name to HTML, served at ``/page/NAME``; ``/moved`` redirects to ``moved``.

    The rest is made from the path.
    """

    def __init__(self) -> None:
        self.port = 0
        self.pages: dict[str, str] = {}
        self.moved = ""

    def answer(self, path: str) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
        """Status, headers and body."""
        kind, _, rest = path.removeprefix("/").partition("/")
        if kind == "page" and rest in self.pages:
            return 200, (HTML,), f"<!doctype html><title>x</title>{self.pages[rest]}".encode()
        if kind == "moved":
            return 302, (("location", self.moved),), b""
        if kind == "to":
            status, _, url = rest.partition("/")
            return int(status), (("location", url),), b""
        if kind == "refresh":
            return 200, (HTML, ("refresh", f"0; url={rest}")), b"wait"
        made: dict[str, Callable[[], tuple[str, dict[str, str], str]]] = {
            "js": lambda: ("text/javascript", {}, f'fetch("{rest.partition("/")[2]}")'),
            "csp": lambda: (HTML[1], {"content-security-policy": CSP.format(rest)}, "<script>1</script>"),
            "link": lambda: (HTML[1], {"link": LINK.format(rest)}, "text"),
            "svg": lambda: ("image/svg+xml", {}, SVG.format(rest)),
            "pdf": lambda: ("application/pdf", {}, pdf_to(rest).decode()),
        }
        if kind in made:
            media_type, headers, body = made[kind]()
            return 200, (("content-type", media_type), *headers.items()), body.encode()
        return 404, (HTML,), b"no such page"


@contextmanager
def attack_site() -> Iterator[AttackSite]:
    """The site while it is up."""
    site = AttackSite()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            status, headers, body = site.answer(self.path)
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_HEAD = _serve

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
