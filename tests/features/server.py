"""Thirty invented small sites, one hard web feature each. Standard library only.

start() -> (base_url, stop).  Two origins, A (base_url) and B (another port), both on
127.0.0.1, plus one port that is reserved and refuses connections.
Run as a script: serves until stopped.
"""
import base64, hashlib, http.server, json, os, secrets, socket, socketserver, struct, sys
import threading, time, urllib.parse
from collections.abc import Callable, Iterable, Sequence
from email.message import Message
from typing import Any, TypedDict

Headers = Sequence[tuple[str, str]]


class Env(TypedDict):
    """The origins, an address that refuses, and the event that ends all streams."""

    A: str
    B: str
    dead: str
    stopping: threading.Event


class Req:
    """What a route function gets: the request, and ways of answering."""

    def __init__(self, h: http.server.BaseHTTPRequestHandler, env: Env) -> None:
        self.h, self.env = h, env
        u = urllib.parse.urlsplit(h.path)
        self.method, self.path = h.command, urllib.parse.unquote(u.path)
        self.query = {k: v[-1] for k, v in urllib.parse.parse_qs(u.query).items()}
        self.headers: Message = h.headers
        n = int(h.headers.get("Content-Length") or 0)
        self.body = h.rfile.read(n) if n else b""
        self.A, self.B, self.dead, self.stopping = env["A"], env["B"], env["dead"], env["stopping"]

    @property
    def cookies(self) -> dict[str, str]:
        out: dict[str, str] = {}
        for part in (self.headers.get("Cookie") or "").split(";"):
            k, _, v = part.strip().partition("=")
            if k:
                out[k] = v
        return out

    def _fill(self, body: str | bytes) -> bytes:
        if isinstance(body, str):
            body = body.replace("@@B@@", self.B).replace("@@A@@", self.A)
            return body.replace("@@DEAD@@", self.dead).encode("utf-8")
        return body

    def send(self, body: str | bytes = b"", ctype: str | None = "text/html; charset=utf-8", status: int = 200,
             headers: Headers = ()) -> None:
        body = self._fill(body)
        h = self.h
        h.send_response(status)
        names = {k.lower() for k, _ in headers}
        if ctype:
            h.send_header("Content-Type", ctype)
        for k, v in headers:
            h.send_header(k, v)
        if "cache-control" not in names:
            h.send_header("Cache-Control", "no-cache")
        if status not in (204, 304):
            h.send_header("Content-Length", str(len(body)))
        h.end_headers()
        if h.command != "HEAD" and status not in (204, 304):
            h.wfile.write(body)

    def json(self, obj: object, status: int = 200, headers: Headers = ()) -> None:
        self.send(json.dumps(obj, ensure_ascii=False), "application/json", status, headers)

    def redirect(self, to: str, status: int = 302, headers: Headers = ()) -> None:
        self.send(b"", None, status, [("Location", to), *headers])

    def stream(self, parts: Iterable[str | bytes | float], ctype: str, headers: Headers = ()) -> None:
        """parts: an iterable of str/bytes, or a number (seconds to wait)."""
        h = self.h
        h.send_response(200)
        h.send_header("Content-Type", ctype)
        h.send_header("Cache-Control", "no-store")
        for k, v in headers:
            h.send_header(k, v)
        h.send_header("Transfer-Encoding", "chunked")
        h.end_headers()
        for p in parts:
            if isinstance(p, (int, float)):
                if self.stopping.wait(p):
                    break
                continue
            p = self._fill(p)
            if p:
                h.wfile.write(b"%x\r\n%s\r\n" % (len(p), p))
                h.wfile.flush()
        h.wfile.write(b"0\r\n\r\n")

    def websocket(self) -> "WS":
        key = self.headers.get("Sec-WebSocket-Key", "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        h = self.h
        h.send_response(101)
        h.send_header("Upgrade", "websocket")
        h.send_header("Connection", "Upgrade")
        h.send_header("Sec-WebSocket-Accept",
                      base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        want = self.headers.get("Sec-WebSocket-Protocol")
        if want:
            h.send_header("Sec-WebSocket-Protocol", want.split(",")[0].strip())
        h.end_headers()
        h.wfile.flush()
        h.close_connection = True
        return WS(h)


class WS:
    def __init__(self, h: http.server.BaseHTTPRequestHandler) -> None:
        self.r, self.w, self.lock, self.open = h.rfile, h.wfile, threading.Lock(), True

    def frame(self, op: int, data: bytes, fin: bool = True) -> None:
        n = len(data)
        head = bytes([(0x80 if fin else 0) | op])
        head += bytes([n]) if n < 126 else b"\x7e" + struct.pack(">H", n) if n < 65536 \
            else b"\x7f" + struct.pack(">Q", n)
        with self.lock:
            self.w.write(head + data)
            self.w.flush()

    def text(self, obj: object) -> None:
        self.frame(1, json.dumps(obj, ensure_ascii=False).encode())

    def split_text(self, obj: object, pieces: int = 3) -> None:
        """One message in several continuation frames, cut without regard to characters."""
        d = json.dumps(obj, ensure_ascii=False).encode()
        step = max(1, len(d) // pieces)
        cuts = [d[i:i + step] for i in range(0, len(d), step)]
        for i, c in enumerate(cuts):
            self.frame(1 if i == 0 else 0, c, i == len(cuts) - 1)

    def binary(self, data: bytes) -> None:
        self.frame(2, data)

    def recv(self) -> bytes | None:
        """Next text/binary message, None at close."""
        buf = b""
        while True:
            try:
                a = self.r.read(2)
                if len(a) < 2:
                    break
                n = a[1] & 0x7F
                if n == 126:
                    n = struct.unpack(">H", self.r.read(2))[0]
                elif n == 127:
                    n = struct.unpack(">Q", self.r.read(8))[0]
                mask = self.r.read(4) if a[1] & 0x80 else b"\0\0\0\0"
                d = bytes(b ^ mask[i & 3] for i, b in enumerate(self.r.read(n)))
                op = a[0] & 15
                if op == 8:
                    self.open = False
                    self.frame(8, d[:2])
                    return None
                if op == 9:
                    self.frame(10, d)
                    continue
                if op == 10:
                    continue
                buf += d
                if a[0] & 0x80:
                    return buf
            except (OSError, ValueError):
                break
        self.open = False
        return None


Route = Callable[[Req], None]
Routes = dict[str, Route]


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):
            super().handle_error(request, client_address)

    def server_bind(self) -> None:  # no reverse look-up of names
        socketserver.TCPServer.server_bind(self)
        host, self.server_port = self.server_address[:2]
        self.server_name = str(host)


def make_handler(routes: Routes, env: Env) -> type[http.server.BaseHTTPRequestHandler]:
    class H(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version, sys_version = "nginx/1.26", ""
        wbufsize = 0
        timeout = 120

        def log_message(self, *a: object) -> None:
            pass

        def handle_one(self) -> None:
            r = Req(self, env)
            f = routes.get(r.path)
            if f is None:  # longest prefix ending in /*
                p = r.path
                while p and f is None:
                    p = p.rpartition("/")[0]
                    f = routes.get(p + "/*")
            if f is None:
                r.send("<!doctype html><title>Not found</title><h1>Not found</h1>", status=404)
                return
            try:
                f(r)
            except (BrokenPipeError, ConnectionResetError, ConnectionAbortedError):
                self.close_connection = True

        do_GET = do_POST = do_HEAD = do_OPTIONS = do_PUT = handle_one
    return H


def start() -> tuple[str, Callable[[], None]]:
    from tests.features import sites_a, sites_b, sites_c
    env: Env = {"A": "", "B": "", "dead": "", "stopping": threading.Event()}  # the addresses once they are bound
    routes_a: Routes = {}
    routes_b: Routes = {}
    for m in (sites_a, sites_b, sites_c):
        routes_a.update(m.A)
        routes_b.update(m.B)

    def index(r: Req) -> None:
        ps = [p for m in (sites_a, sites_b, sites_c) for p in m.PAGES]
        r.send("<!doctype html><meta charset=utf-8><title>Index</title><ol>" + "".join(
            f'<li><a href="{p["path"]}">{p["id"]}</a> {p["feature"]}' for p in ps) + "</ol>")
    routes_a["/"] = index
    routes_a["/favicon.ico"] = routes_b["/favicon.ico"] = lambda r: r.send(
        b"", None, 204, [("Cache-Control", "max-age=3600")])
    refused = socket.socket()
    refused.bind(("127.0.0.1", 0))  # bound, never listening: connections are refused
    servers = []
    for name, routes in (("A", routes_a), ("B", routes_b)):
        s = Server(("127.0.0.1", 0), make_handler(routes, env))
        where = "http://127.0.0.1:%d" % s.server_address[1]
        if name == "A":
            env["A"] = where
        else:
            env["B"] = where
        servers.append(s)
    env["dead"] = "http://127.0.0.1:%d" % refused.getsockname()[1]
    for s in servers:
        threading.Thread(target=s.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True).start()

    def stop() -> None:
        env["stopping"].set()
        for s in servers:
            s.shutdown()
            s.server_close()
        refused.close()
    return env["A"], stop


if __name__ == "__main__":
    base, stop = start()
    print(base, flush=True)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        stop()
