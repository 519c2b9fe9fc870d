"""A server that speaks OpenAI's Responses API, on a free port of loopback; what it says is the caller's."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

#: From a request's body to the status and body of its answer.
Answer: TypeAlias = Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]


def serve(answer: Answer) -> ThreadingHTTPServer:
    """Start serving, each request in a thread of its own, until the server is shut down."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

        def do_POST(self) -> None:
            status, content = answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def results_in(conversation: list[dict[str, Any]]) -> int:
    """How many results of tools a conversation has."""
    return sum(item.get("type") == "function_call_output" for item in conversation)


def tool_call(number: int, name: str, arguments: object) -> dict[str, Any]:
    """A call of a tool; its ids end with ``number``."""
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": name,
        "arguments": json.dumps(arguments, ensure_ascii=False),
        "status": "completed",
    }


def message(text: str) -> dict[str, Any]:
    """The text of an answer."""
    return {
        "type": "message",
        "id": "msg_1",
        "status": "completed",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def response(output: dict[str, Any], *, model: str, tokens: tuple[int, int] = (100, 10)) -> dict[str, Any]:
    """A whole response, of so many input and output tokens, for a tenth of a cent."""
    sent, given = tokens
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_770_000_000,
        "status": "completed",
        "model": model,
        "output": [output],
        "usage": {"input_tokens": sent, "output_tokens": given, "total_tokens": sent + given, "cost": 0.001},
    }
