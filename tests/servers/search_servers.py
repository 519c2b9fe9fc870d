"""Search engines on loopback that speak the real ones' JSON, for tests.

Each engine lives under a path of its own: `url + "/tavily"` is the base address of Tavily, and so on.
A request that the engine's documentation does not allow is answered as the engine would (400, 401, 422).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

#: The key that every engine takes.
KEY = "tvly-0123456789abcdef"

TAVILY_FIELDS = {
    "query": str,
    "search_depth": str,
    "max_results": int,
    "topic": str,
    "include_domains": list,
    "exclude_domains": list,
    "include_answer": bool,
    "include_raw_content": bool,
}
EXA_FIELDS = {
    "query": str,
    "type": str,
    "numResults": int,
    "includeDomains": list,
    "excludeDomains": list,
    "contents": dict,
}
BRAVE_PARAMETERS = {"q", "count", "offset", "country", "search_lang", "result_filter", "text_decorations"}


@dataclass(frozen=True)
class Page:
    """A page that an engine has found."""

    url: str
    title: str = "A title"
    snippet: str = "Words of it"
    published: str = ""


@dataclass
class Asked:
    """A request as it came."""

    engine: str
    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Fault:
    """What an engine answers instead of results."""

    status: int = 200
    body: bytes = b""
    content_type: str = "text/html"
    headers: dict[str, str] = field(default_factory=dict)


Answer = tuple[int, str, bytes]


@dataclass
class SearchServers:
    """What runs: `pages` and `faults` by engine; `held` engines do not answer before `release` is set."""

    url: str = ""
    pages: dict[str, list[Page]] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    release: threading.Event = field(default_factory=threading.Event)
    asked: list[Asked] = field(default_factory=list)

    def of(self, engine: str) -> str:
        """The base address of an engine."""
        return f"{self.url}/{engine}"

    def answer(self, asked: Asked) -> Answer:
        return ENGINES[asked.engine](asked, self.pages.get(asked.engine, []))


def _json(data: object, status: int = 200) -> Answer:
    return status, "application/json", json.dumps(data).encode()


def searxng(asked: Asked, pages: list[Page]) -> Answer:
    if asked.path not in {"/search", "/"} or not asked.query.get("q"):
        return _json({"error": "No query"}, 400)
    if asked.query.get("format") != ["json"]:
        return 403, "text/html", b"<h1>Forbidden</h1>"
    results = [
        {
            "url": page.url,
            "title": page.title,
            "content": page.snippet,
            "publishedDate": page.published or None,
            "engine": "duckduckgo",
            "parsed_url": list(urlsplit(page.url)[:3]),
            "template": "default.html",
            "engines": ["duckduckgo"],
            "positions": [number],
            "score": 1.0 / number,
            "category": "general",
        }
        for number, page in enumerate(pages, start=1)
    ]
    return _json(
        {
            "query": asked.query["q"][0],
            "number_of_results": 0,
            "results": results,
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [],
        }
    )


def _wrong_body(asked: Asked, fields: dict[str, type], most: tuple[str, int]) -> str:
    if asked.headers.get("content-type") != "application/json":
        return "not JSON"
    body = asked.json
    for name, value in body.items():
        if name not in fields or not isinstance(value, fields[name]):
            return f"unknown or wrong: {name}"
    if not body.get("query") or not 0 < body.get(most[0], 1) <= most[1]:
        return "query or number"
    return ""


def tavily(asked: Asked, pages: list[Page]) -> Answer:
    if asked.headers.get("authorization") != f"Bearer {KEY}":
        return _json({"detail": {"error": "Unauthorized: missing or invalid API key."}}, 401)
    if asked.method != "POST" or asked.path != "/search":
        return _json({"detail": "Not Found"}, 404)
    if wrong := _wrong_body(asked, TAVILY_FIELDS, ("max_results", 20)):
        return _json({"detail": {"error": wrong}}, 400)
    results = [
        {
            "title": page.title,
            "url": page.url,
            "content": page.snippet,
            "score": 0.9 - number / 100,
            "raw_content": None,
            **({"published_date": page.published} if page.published else {}),
        }
        for number, page in enumerate(pages[: asked.json.get("max_results", 5)])
    ]
    return _json(
        {
            "query": asked.json["query"],
            "follow_up_questions": None,
            "answer": None,
            "images": [],
            "results": results,
            "response_time": 0.5,
            "request_id": "1",
        }
    )


def exa(asked: Asked, pages: list[Page]) -> Answer:
    if asked.headers.get("x-api-key") != KEY:
        return _json({"requestId": "1", "error": "Invalid API key", "tag": "INVALID_API_KEY"}, 401)
    if asked.method != "POST" or asked.path != "/search":
        return _json({"error": "Not found"}, 404)
    if wrong := _wrong_body(asked, EXA_FIELDS, ("numResults", 100)):
        return _json({"error": wrong, "tag": "INVALID_REQUEST_BODY"}, 400)
    results = [
        {
            "id": page.url,
            "title": page.title or None,
            "url": page.url,
            "publishedDate": page.published or None,
            "author": None,
            "highlights": [page.snippet],
            "highlightScores": [0.5],
        }
        for page in pages[: asked.json.get("numResults", 10)]
    ]
    return _json(
        {
            "requestId": "1",
            "resolvedSearchType": "neural",
            "results": results,
            "costDollars": {"total": 0.005},
        }
    )


def brave(asked: Asked, pages: list[Page]) -> Answer:
    if asked.headers.get("x-subscription-token") != KEY:
        error = {
            "code": "SUBSCRIPTION_TOKEN_INVALID",
            "detail": "The provided subscription token is invalid.",
            "status": 422,
        }
        return _json({"id": "1", "status": 422, "type": "ErrorResponse", "error": error}, 422)
    q = asked.query.get("q", [""])[0]
    count = int(asked.query.get("count", ["20"])[0])
    if (
        asked.path != "/res/v1/web/search"
        or set(asked.query) - BRAVE_PARAMETERS
        or not 1 <= count <= 20
        or not 0 < len(q) <= 400
        or len(q.split()) > 50
    ):
        error = {"code": "VALIDATION", "detail": "Unable to validate request parameter(s)", "status": 422}
        return _json({"id": "1", "status": 422, "type": "ErrorResponse", "error": error}, 422)
    results = [
        {
            "type": "search_result",
            "subtype": "generic",
            "title": page.title,
            "url": page.url,
            "description": page.snippet,
            "is_source_local": False,
            "language": "en",
            **({"page_age": page.published, "age": "February 6, 2026"} if page.published else {}),
        }
        for page in pages[:count]
    ]
    found = {"web": {"type": "search", "results": results, "family_friendly": True}} if results else {}
    return _json({"type": "search", "query": {"original": q, "more_results_available": False}, **found})


ENGINES: dict[str, Callable[[Asked, list[Page]], Answer]] = {
    "searxng": searxng,
    "tavily": tavily,
    "exa": exa,
    "brave": brave,
}


@contextmanager
def search_servers() -> Iterator[SearchServers]:
    """Run the engines until the block ends."""
    servers = SearchServers()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            parts = urlsplit(self.path)
            engine, _, path = parts.path.removeprefix("/").partition("/")
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(engine, self.command, f"/{path}", parse_qs(parts.query), headers, body)
            servers.asked.append(asked)
            if engine in servers.held:
                servers.release.wait(30)
            fault = servers.faults.get(engine)
            status, kind, answer = (
                (fault.status, fault.content_type, fault.body) if fault else servers.answer(asked)
            )
            try:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(answer)))
                for name, value in (fault.headers if fault else {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)
            except OSError:
                pass  # a client that has given up

        do_GET = do_POST = _serve

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    servers.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield servers
    finally:
        servers.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
