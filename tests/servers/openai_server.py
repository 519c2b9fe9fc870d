"""A local server that speaks ``POST /v1/responses`` over real HTTP, for tests.

It answers from a script (one reply a request, in order) or from a function of the request body, records
every request, and refuses what the real API refuses: a wrong key, a body that is not JSON, and a tool
result that refers to no call.
"""

from __future__ import annotations

import io
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """One answer of the server.

    ``body`` is sent as JSON, or as it is where it is bytes. ``drop`` closes the connection before
    anything is sent, or in the middle of the body. ``hold`` is waited for before the answer. ``drip`` sends
    blanks instead of the body until the client leaves.
    """

    body: JsonObject | bytes = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: Literal["", "before", "middle"] = ""
    hold: threading.Event | None = None
    drip: bool = False


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: JsonObject


Answer: TypeAlias = Callable[[JsonObject], Reply]


def response(
    *items: JsonObject,
    model: str = "z-ai/glm-5",
    input_tokens: int = 100,
    cached_tokens: int = 0,
    output_tokens: int = 10,
    reasoning_tokens: int = 0,
    cost: float | None = None,
    **fields: Any,
) -> Reply:
    """A completed response with these output items; ``fields`` replace fields of the body."""
    usage: JsonObject = {
        "input_tokens": input_tokens,
        "input_tokens_details": {"cached_tokens": cached_tokens, "cache_write_tokens": 0},
        "output_tokens": output_tokens,
        "output_tokens_details": {"reasoning_tokens": reasoning_tokens},
        "total_tokens": input_tokens + output_tokens,
    }
    if cost is not None:
        usage["cost"] = cost
    body: JsonObject = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_770_000_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": model,
        "output": list(items),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
    }
    return Reply({**body, **fields})


def message(text: str) -> JsonObject:
    """A message item."""
    return {
        "type": "message",
        "id": "msg_1",
        "status": "completed",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def function_call(name: str, arguments: JsonObject | str, call_id: str = "call_1") -> JsonObject:
    """A tool call item; a string of arguments is sent as it is, even if it is no JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": name,
        "arguments": text,
        "status": "completed",
    }


def reasoning(summary: str, encrypted: str = "") -> JsonObject:
    """A reasoning item."""
    item: JsonObject = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": summary}],
    }
    return {**item, "encrypted_content": encrypted} if encrypted else item


def error(status: int, text: str, code: str | int | None = None, **headers: str) -> Reply:
    """An HTTP error in the API's own form; ``retry_after="2"`` becomes a ``Retry-After`` header."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"error": {"message": text, "type": "error", "param": None, "code": code}}
    return Reply(body, status, names)


class OpenAIServer:
    """The server, as a context manager; it listens on a free port of the loopback interface.

    Args:
        script: replies in order, or a function that makes the reply from the request body.
        api_key: the key that must come; empty: any.
        port: where it listens; 0: a free one.

    Attributes:
        requests: every request so far.
        base_url: what a client is given.
    """

    def __init__(self, script: Iterable[Reply] | Answer, *, api_key: str = "", port: int = 0) -> None:
        self._answer: Answer = script if callable(script) else _in_order(script)
        self._api_key = api_key
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._http.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()

    def reply(self, path: str, headers: Mapping[str, str], raw: bytes) -> Reply:
        """The answer to one request."""
        try:
            body = json.loads(raw)
        except ValueError:
            return error(400, "We could not parse the JSON body of your request.", "invalid_json")
        with self._lock:
            self.requests.append(Request(path, headers, raw, body))
            if path != "/v1/responses":
                return error(404, f"Invalid URL (POST {path})", "unknown_url")
            if self._api_key and headers.get("authorization") != f"Bearer {self._api_key}":
                return error(401, "Incorrect API key provided.", "invalid_api_key")
            fault = _fault(body)
            return error(400, fault, "invalid_prompt") if fault else self._answer(body)


def _in_order(script: Iterable[Reply]) -> Answer:
    replies = iter(tuple(script))
    return lambda body: next(replies, error(400, "The script of this test has no reply left.", "script"))


def _fault(body: JsonObject) -> str:
    """What the real API would refuse in a request, or an empty string."""
    if not isinstance(body.get("model"), str) or not isinstance(body.get("input"), list | str):
        return "Missing required parameter: 'model' or 'input'."
    items = body["input"] if isinstance(body["input"], list) else []
    called: set[str] = set()
    for number, item in enumerate(items):
        if item.get("type") == "function_call":
            if not isinstance(item.get("arguments"), str):
                return f"Invalid type for 'input[{number}].arguments': expected a string."
            called.add(item["call_id"])
        elif item.get("type") == "function_call_output":
            if item.get("call_id") not in called:
                return f"No tool call found for function call output with call_id {item.get('call_id')}."
            if not isinstance(item.get("output"), str):
                return f"Invalid type for 'input[{number}].output': expected a string."
    return ""


def _handler(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet, or each answer waits for a delayed acknowledgement

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.reply(self.path, headers, raw)
            if reply.hold is not None:
                reply.hold.wait()
            if reply.drop == "before":
                self._reset()
                return
            data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            try:
                self._send(reply, data)
            except OSError:
                self.close_connection = True  # the client did not wait
                self.wfile = io.BytesIO()

        def _send(self, reply: Reply, data: bytes) -> None:
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            while reply.drip:
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.01)
            if reply.drop == "middle":
                self.wfile.write(data[: len(data) // 2])
                self._reset()
                return
            self.wfile.write(data)
            self.wfile.flush()

        def _reset(self) -> None:
            """Close the connection at once, as a server that crashes does."""
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()

        def log_message(self, format: str, *args: Any) -> None:
            """Tests need no access log."""

    return Handler
