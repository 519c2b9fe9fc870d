"""A site of pages whose scripts ask for data, and what answers them: ``tests/suites/dynamic.jsonl``.

The answers of a path are tried in turn; the first whose ``when`` agrees is given (``query`` and ``headers`` by name,
``*`` for any value; ``count``: a number, or ``odd``). ``${...}`` in it is what was asked: ``method``, ``count``,
``body``, ``query``, ``headers``, ``form``, ``json`` and ``base64`` (the body, read as such) and ``bytes``, with the way
into them behind dots.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qs, urlsplit

from tests.kit import suites

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: ``query`` with the last value of each name, header names in lower case, and the
    how-many-eth request of this path it is, from 1."""

    method: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    count: int


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; ``chunks`` are sent one by one, ``delay_s`` after the request came."""

    chunks: tuple[bytes, ...]
    content_type: str = "application/json"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    hold: bool = False


Answer: TypeAlias = Callable[[Asked], Reply | str]


@dataclass(frozen=True, slots=True)
class Trap:
    """A page that shows records it asked for, and how it asked.

    Attributes:
        kind: class of the trap.
        name: what is special about it.
        script: the page's script; ``show(text)`` adds a record, ``only(text)`` replaces all.
        answers: by path under the page's own folder; data stand under ``api/``.
        steps: action steps, as JSON objects, played at capture and at replay.
        more: steps played at replay only: they ask for what was never recorded.
        must: ``right``: the records of the capture; ``refuse``: a miss or another refusal, because
            the right records cannot be known; ``snapshot``: other records, because the page cannot be
            re-executed (it streams, it is random, a worker does the talking); ``either``: it races.
        body: HTML of the page before its script.
    """

    kind: str
    name: str
    script: str
    answers: Mapping[str, Answer]
    steps: tuple[Mapping[str, object], ...] = ()
    more: tuple[Mapping[str, object], ...] = ()
    must: Literal["right", "refuse", "snapshot", "either"] = "right"
    body: str = ""

    def page(self) -> str:
        """The whole page."""
        return _PAGE.replace("@BODY@", self.body).replace("@SCRIPT@", self.script)


_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Records of the day</title>
<link rel="icon" href="data:,"><h1>Records of the day</h1>@BODY@<ol id="out"></ol><script>
const out = document.getElementById("out");
const show = (text) => { const item = document.createElement("li"); item.textContent = text; out.append(item) };
const only = (text) => { out.textContent = ""; show(text) };
const ask = async (url, options) => (await fetch(url, options)).text();
const json = (body, headers) => ({ method: "POST", body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers } });
const shuffled = (list) => list.map((x) => [Math.random(), x]).sort((a, b) => a[0] - b[0]).map((x) => x[1]);
const tag = (url) => { const script = document.createElement("script"); script.src = url; document.head.append(script) };
const hex = (bytes) => [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, "0")).join("");
const digest = async (text) => hex(await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text)));
</script><script type="module">
@SCRIPT@
</script></html>"""


def traps() -> tuple[Trap, ...]:
    """The pages of the suite."""
    return tuple(
        Trap(
            kind=row.kind,
            name=row.input["name"],
            script=row.input["script"],
            answers={path: _answer(given) for path, given in row.input["answers"].items()},
            steps=tuple(row.input.get("steps", ())),
            more=tuple(row.input.get("more", ())),
            must=row.expect["must"],
            body=row.input.get("body", ""),
        )
        for row in suites.load("dynamic")
    )


def _answer(given: Sequence[Mapping[str, Any]]) -> Answer:
    def answer(asked: Asked) -> Reply:
        one = next(each for each in given if _agrees(each.get("when", {}), asked))
        if "base64" in one:
            chunks = [base64.b64decode(each) for each in one["base64"]]
        else:
            chunks = [_filled(each, asked).encode() for each in one.get("chunks", [one.get("body")])]
        return Reply(
            tuple(chunks),
            _filled(one.get("type", "application/json"), asked),
            one.get("status", 200),
            one.get("headers", {}),
            one.get("delay_s", 0.0),
            one.get("hold", False),
        )

    return answer


def _agrees(when: Mapping[str, Any], asked: Asked) -> bool:
    names = [(asked.query, when.get("query", {})), (asked.headers, when.get("headers", {}))]
    wanted = [(given, name, value) for given, values in names for name, value in values.items()]
    if any(name not in given or value not in ("*", given[name]) for given, name, value in wanted):
        return False
    count = when.get("count", asked.count)
    return bool(asked.count % 2) if count == "odd" else count == asked.count


def _filled(text: str, asked: Asked) -> str:
    return re.sub(r"\$\{([^}]+)\}", lambda found: str(_value(asked, *found[1].split("."))), text)


def _value(asked: Asked, name: str, *way: str) -> object:
    found: Any
    if name == "json":
        found = json.loads(asked.body)
    elif name == "base64":
        found = json.loads(base64.b64decode(asked.body))
    elif name == "form":
        found = _form(asked.body)
    elif name == "bytes":
        found = list(asked.body)
    else:
        found = asked.body.decode() if name == "body" else getattr(asked, name)
    for step in way:
        found = json.loads(found) if isinstance(found, str) else found
        found = found[int(step)] if isinstance(found, list) else found.get(step)
    return found


def _form(body: bytes) -> dict[str, str]:
    parts = re.findall(rb'name="([^"]+)"\r\n\r\n(.*?)\r\n', body, re.DOTALL)
    if parts:
        return {name.decode(): value.decode() for name, value in parts}
    return {name: values[-1] for name, values in parse_qs(body.decode()).items()}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, traps: Mapping[str, Trap]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.traps = traps
        self.counts: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.closing = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        slug, _, path = parts.path.removeprefix("/").partition("/")
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        with self.server.lock:
            self.server.counts[parts.path] += 1
            count = self.server.counts[parts.path]
        trap = self.server.traps.get(slug)
        reply: Reply | str = Reply((b"no such page",), "text/plain", 404)
        if trap is not None and not path:
            reply = Reply((trap.page().encode(),), HTML)
        elif trap is not None and path in trap.answers:
            query = {name: values[-1] for name, values in parse_qs(parts.query, True).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = trap.answers[path](Asked(self.command, query, headers, body, count))
        self._send(Reply((reply.encode(),)) if isinstance(reply, str) else reply)

    do_GET = do_POST = do_PUT = do_OPTIONS = _serve

    def _send(self, reply: Reply) -> None:
        sleep(reply.delay_s)
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        self.send_header("access-control-allow-origin", "*")
        self.send_header("access-control-allow-headers", "*")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status == 304:
            self.end_headers()
            return
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for chunk in reply.chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.flush()
        if reply.hold:
            self.server.closing.wait()
        self.wfile.write(b"0\r\n\r\n")

    def handle(self) -> None:
        """Serve until the browser goes, which it may do at any time."""
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(traps: Mapping[str, Trap]) -> Iterator[str]:
    """Serve traps by slug, ``URL/slug/``; gives the URL, and stops the server afterwards."""
    server = _Server(traps)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
