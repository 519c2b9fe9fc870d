"""A model that answers at once: ``python -m scripts.benchmark.model_server ROUNDS``, on a free port.

It calls a tool that there is not until a conversation has so many results, then it answers. It prints its
port, and ends when its standard input does.
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def handler(rounds: int) -> type[BaseHTTPRequestHandler]:
    """The answering side, for conversations of so many rounds."""

    class Model(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            results = sum(item.get("type") == "function_call_output" for item in asked["input"])
            body = json.dumps(_response(results, rounds)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    return Model


def _response(results: int, rounds: int) -> dict[str, Any]:
    call = {
        "type": "function_call",
        "id": f"fc_{results}",
        "call_id": f"call_{results}",
        "name": "no_such_tool",
        "arguments": "{}",
        "status": "completed",
    }
    said = {
        "type": "message",
        "id": "msg_1",
        "status": "completed",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "36 [@v:1]", "annotations": []}],
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_770_000_000,
        "status": "completed",
        "model": "some/model",
        "output": [said if results >= rounds - 1 else call],
        "usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110, "cost": 0.001},
    }


def main() -> None:
    """Serve until standard input ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(int(sys.argv[1])))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
