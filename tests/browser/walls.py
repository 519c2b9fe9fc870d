"""Walls on loopback: sites that let in who looks and behaves as a person's browser does, each in one way.

The walls are the rows of ``tests/suites/walls.jsonl``.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from tests.browser.citing import pdf
from tests.kit import suites

WORDS = "The rate was 4.25 per cent in March"
DENIED = "<h1>Access denied</h1><p>Reference 18.2f3</p>"
PDF = pdf(f"{WORDS}.")


@dataclass
class Asked:
    """A request for a wall: ``rest`` is its path below the wall, ``times`` how often it was asked before."""

    rest: str
    headers: Mapping[str, str]
    body: bytes
    times: int
    at_once: int
    since_s: float
    cookies: Mapping[str, str] = field(default_factory=dict)

    def says(self, name: str) -> str:
        return self.headers.get(name, "")


#: Status, body, headers.
Answer: TypeAlias = "tuple[int, str | bytes, dict[str, str]]"


@dataclass(frozen=True)
class Wall:
    """A wall: its server, what it comes to, and how it is passed.

    Attributes:
        answer: the server.
        named: a pattern of the refusal, where nobody passes without help; empty where a browser passes.
        kind: of the evidence behind it.
        steps: what a person does on it.
        settings: what a person sets for it.
        by_design: whether a browser with a window would pass, and nothing here pretends to be one.
        passed_by_all: whether any program passes that asks once.
    """

    answer: Callable[[Asked], Answer]
    named: str = ""
    kind: str = "text"
    steps: tuple[dict[str, str], ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    by_design: bool = False
    passed_by_all: bool = False


def content(words: str = WORDS) -> Answer:
    return 200, f"<h1>Bulletin</h1><p>{words}. It stays where it was for the rest of the year.</p>", {}


def denied(status: int = 403, script: str = "", body: str = DENIED) -> Answer:
    return status, body + (f"<script>{script}</script>" if script else ""), {}


class Same(BaseModel):
    """The pattern's group is the same in all these headers, or in none of them."""

    model_config = ConfigDict(extra="forbid")

    headers: list[str]
    pattern: str

    def holds(self, asked: Asked) -> bool:
        found = [re.search(self.pattern, asked.says(name)) for name in self.headers]
        return len({each and each[1] for each in found}) == 1


class When(BaseModel):
    """What must hold of a request, all of it; ``path``, headers and cookies are patterns."""

    model_config = ConfigDict(extra="forbid")

    path: str = ""
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    body: str | None = None
    same: Same | None = None
    within: tuple[str, str] | None = None
    first: bool = False
    asked_s_ago: float = 0.0
    more_at_once_than: int = 0

    def holds(self, asked: Asked) -> bool:
        part, whole = map(asked.says, self.within or ("", ""))
        return (
            re.search(self.path, asked.rest) is not None
            and all(re.search(pattern, asked.says(name)) for name, pattern in self.headers.items())
            and all(
                name in asked.cookies and re.search(pattern, asked.cookies[name])
                for name, pattern in self.cookies.items()
            )
            and self.body in (None, asked.body.decode(errors="replace"))
            and (self.same is None or self.same.holds(asked))
            and (self.within is None or (part != "" != whole and part.strip('"') in whole))
            and not (self.first and asked.times)
            and asked.since_s >= self.asked_s_ago
            and (not self.more_at_once_than or asked.at_once > self.more_at_once_than)
        )


class Reply(BaseModel):
    """An answer of a wall: the content, a PDF of it, or a body with a script in which ``{{header}}`` is replaced."""

    model_config = ConfigDict(extra="forbid")

    when: When = When()
    page: Literal["content", "pdf", ""] = ""
    status: int = 200
    body: str = DENIED
    script: str = ""
    headers: dict[str, str] = {}

    def answer(self, asked: Asked) -> Answer:
        if self.page == "content":
            return content()
        if self.page == "pdf":
            return 200, PDF, {"content-type": "application/pdf"}
        script = re.sub(r"\{\{([\w-]+)\}\}", lambda found: json.dumps(asked.says(found[1])), self.script)
        status, body, _ = denied(self.status, script, self.body)
        return status, body, self.headers


def _of(row: suites.Row) -> Wall:
    """The wall of a row: of its answers, the first whose conditions hold."""
    replies = [Reply.model_validate(each) for each in row.input["answers"]]
    return Wall(
        lambda asked: next(reply for reply in replies if reply.when.holds(asked)).answer(asked),
        kind=row.input.get("evidence", "text"),
        steps=tuple(row.input.get("steps", ())),
        settings=row.input.get("settings", {}),
        **row.expect,
    )


WALLS = {row.id: _of(row) for row in suites.load("walls")}


@contextmanager
def served(host: str = "127.0.0.1", walls: Mapping[str, Wall] = WALLS) -> Iterator[str]:
    """The walls, each under its name; the address of the server."""
    times: dict[str, list[float]] = {}
    busy: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            name, slash, rest = self.path.lstrip("/").partition("?")[0].partition("/")
            before = times.setdefault(self.path, [])
            jar = SimpleCookie(self.headers.get("cookie", ""))
            busy.append(name)
            asked = Asked(
                slash + rest,
                {key.lower(): value for key, value in self.headers.items()},
                sent,
                len(before),
                busy.count(name),
                time.monotonic() - before[0] if before else 0.0,
                {key: each.value for key, each in jar.items()},
            )
            before.append(time.monotonic())
            status, body, headers = walls[name].answer(asked) if name in walls else (404, "", {})
            busy.remove(name)
            payload = (
                body if isinstance(body, bytes) else f"<!doctype html><meta charset=utf-8>{body}".encode()
            )
            if not headers.get("content-type", "text/html").startswith("text/html") and isinstance(body, str):
                payload = body.encode()
            self.send_response(status)
            for key, value in {
                "content-type": "text/html",
                "content-length": str(len(payload)),
                **headers,
            }.items():
                self.send_header(key, value)
            with suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(payload)
                self.close_connection = self.close_connection or headers.get("content-length") is not None

        do_GET = do_POST = _serve

        def log_message(self, *_: object) -> None:
            return

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        daemon_threads = True

    server = Server((host, 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://{f'[{host}]' if ':' in host else host}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
