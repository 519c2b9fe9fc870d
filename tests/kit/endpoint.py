"""One model endpoint for tests: both OpenAI APIs, with the faults that real ones have; its replies are data.

A reply is an object: ``text``, ``calls`` (a list of ``{"name", "arguments"}``; arguments an object, or text sent as
it is), ``thoughts``, ``model``, ``usage`` (``[input, output]`` tokens), ``cost_usd``, ``finish`` (``length``: cut at
the output limit); or a fault: ``status`` with ``error`` (text), ``code`` and ``headers``; ``body`` (text sent as it
is); ``drop`` (``before`` or ``middle``: the connection is reset); ``wait_s`` before the answer.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_USED_UP: dict[str, Any] = {
    "status": 400,
    "error": "The script of this row has no reply left.",
    "code": "script",
}


@dataclass
class Script:
    """The replies of one row, in order, and the requests that came."""

    replies: Sequence[Mapping[str, Any]]
    key: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Endpoint:
    """Scripts by name; each has a base URL of its own, so rows can share the server."""

    origin: str = ""
    _scripts: dict[str, Script] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, name: str, replies: Sequence[Mapping[str, Any]], *, key: str = "") -> str:
        """Answer with these replies below a base URL, which is given; ``key`` is the key that must come."""
        self._scripts[name] = Script(replies, key)
        return f"{self.origin}/{name}/v1"

    def requests(self, name: str) -> list[dict[str, Any]]:
        """Each request under that name: ``path``, ``headers`` (names in lower case), ``body``."""
        return self._scripts[name].requests

    def reply(self, path: str, headers: Mapping[str, str], raw: bytes) -> tuple[str, Mapping[str, Any]]:
        """The API that was asked (``responses``, ``chat``) and its reply."""
        name, _, rest = path.strip("/").partition("/")
        script = self._scripts.get(name)
        api = {"v1/responses": "responses", "v1/chat/completions": "chat"}.get(rest, "")
        if script is None or not api:
            return "", {"status": 404, "error": f"Invalid URL (POST {path})", "code": "unknown_url"}
        try:
            body = json.loads(raw)
        except ValueError:
            return api, {"status": 400, "error": "We could not parse the JSON body.", "code": "invalid_json"}
        with self._lock:
            number = len(script.requests)
            script.requests.append({"path": f"/{rest}", "headers": dict(headers), "body": body})
        if script.key and headers.get("authorization") != f"Bearer {script.key}":
            return api, {"status": 401, "error": "Incorrect API key provided.", "code": "invalid_api_key"}
        return api, script.replies[number] if number < len(script.replies) else _USED_UP


def _calls(reply: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for number, call in enumerate(reply.get("calls", ())):
        given = call.get("arguments", {})
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        yield call.get("id", f"call_{number}"), call["name"], arguments


def _responses(reply: Mapping[str, Any], asked: str) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if "thoughts" in reply:
        summary = [{"type": "summary_text", "text": reply["thoughts"]}]
        output.append({"type": "reasoning", "id": "rs_1", "summary": summary})
    output += [
        {"type": "function_call", "id": f"fc_{ident}", "call_id": ident, "name": name, "arguments": arguments}
        for ident, name, arguments in _calls(reply)
    ]
    if "text" in reply or not output:
        content = [{"type": "output_text", "text": reply.get("text", ""), "annotations": []}]
        message = {
            "type": "message",
            "id": "msg_1",
            "status": "completed",
            "role": "assistant",
            "content": content,
        }
        output.append(message)
    sent, made = reply.get("usage", (100, 10))
    cut = reply.get("finish") == "length"
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_770_000_000,
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "model": reply.get("model", asked),
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": made,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + made,
            **({"cost": reply["cost_usd"]} if "cost_usd" in reply else {}),
        },
    }


def _chat(reply: Mapping[str, Any], asked: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.get("text")}
    if "thoughts" in reply:
        message["reasoning"] = reply["thoughts"]
    calls = [
        {"id": ident, "type": "function", "function": {"name": name, "arguments": arguments}}
        for ident, name, arguments in _calls(reply)
    ]
    if calls:
        message["tool_calls"] = calls
    sent, made = reply.get("usage", (100, 10))
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_770_000_000,
        "model": reply.get("model", asked),
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": reply.get("finish", "tool_calls" if calls else "stop"),
            }
        ],
        "usage": {
            "prompt_tokens": sent,
            "completion_tokens": made,
            "total_tokens": sent + made,
            **({"cost": reply["cost_usd"]} if "cost_usd" in reply else {}),
        },
    }


@contextmanager
def serving() -> Iterator[Endpoint]:
    """An endpoint without scripts, as long as it is needed."""
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet, or each answer waits for a delayed acknowledgement

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            api, reply = endpoint.reply(self.path, headers, raw)
            time.sleep(float(reply.get("wait_s", 0)))
            if reply.get("drop") == "before":
                self._reset()
                return
            data = self._body(api, reply, raw)
            with suppress(OSError):  # the client did not wait
                self.send_response(reply.get("status", 200))
                for name, value in {"content-type": "application/json", **reply.get("headers", {})}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if reply.get("drop") == "middle":
                    self.wfile.write(data[: len(data) // 2])
                    self._reset()
                    return
                self.wfile.write(data)
                self.wfile.flush()

        def _body(self, api: str, reply: Mapping[str, Any], raw: bytes) -> bytes:
            if "body" in reply:
                return str(reply["body"]).encode()
            if "error" in reply or reply.get("status", 200) >= 400:
                error = {
                    "message": reply.get("error", ""),
                    "type": "error",
                    "param": None,
                    "code": reply.get("code"),
                }
                return json.dumps({"error": error}).encode()
            asked = json.loads(raw).get("model", "")
            made = _responses(reply, asked) if api == "responses" else _chat(reply, asked)
            return json.dumps(made, ensure_ascii=False).encode()

        def _reset(self) -> None:
            with suppress(OSError):
                self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.origin = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
