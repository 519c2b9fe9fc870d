"""A local server that speaks ``POST /v1/chat/completions`` over real HTTP, and the forms of its answers.

It refuses what the strict ones among the real servers refuse: unknown roles, a tool message that answers no
call of the message before it, calls that are left without an answer, arguments that are no JSON object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, error


def completion(
    content: Any = "",
    *calls: JsonObject,
    finish_reason: str = "",
    model: str = "z-ai/glm-5",
    usage: JsonObject | None = None,
    message: JsonObject | None = None,
    **fields: Any,
) -> Reply:
    """A completion with one choice; ``message`` adds fields to its message, ``fields`` to the body."""
    said: JsonObject = {"role": "assistant", "content": content, **(message or {})}
    if calls:
        said["tool_calls"] = list(calls)
    choice = {
        "index": 0,
        "message": said,
        "finish_reason": finish_reason or ("tool_calls" if calls else "stop"),
    }
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_770_000_000,
        "model": model,
        "choices": [choice],
        "usage": usage or {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    return Reply({**body, **fields})


def call(name: str, arguments: Any, call_id: Any = "call_1", **fields: Any) -> JsonObject:
    """A tool call; a string of arguments is sent as it is, even if it is no JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}, **fields}


class ChatServer(OpenAIServer):
    """The server, as a context manager; used as :class:`~tests.servers.openai_server.OpenAIServer`."""

    def reply(self, path: str, headers: Mapping[str, str], raw: bytes) -> Reply:
        """The answer to one request."""
        if path != "/v1/chat/completions":
            return error(404, f"Invalid URL (POST {path})", "unknown_url")
        body = json.loads(raw)
        fault = _fault(body)
        # the base class looks at the path and the fields of its own API
        passed = json.dumps({**body, "input": []}).encode()
        reply = super().reply("/v1/responses", headers, passed)
        self.requests[-1].body.pop("input")
        return error(400, fault, "invalid_request_error") if fault else reply


def _fault(body: JsonObject) -> str:
    messages = body.get("messages")
    if not isinstance(body.get("model"), str) or not isinstance(messages, list) or not messages:
        return "Missing required parameter: 'model' or 'messages'."
    open_calls: set[str] = set()
    for number, message in enumerate(messages):
        role = message.get("role")
        if role == "tool":
            if message.get("tool_call_id") not in open_calls or not isinstance(message.get("content"), str):
                return f"messages[{number}]: a tool message must answer a call of the message before it."
            open_calls.discard(message["tool_call_id"])
            continue
        if open_calls:
            return f"messages[{number}]: these calls have no answer: {sorted(open_calls)}."
        if role not in ("system", "user", "assistant") or "content" not in message:
            return f"messages[{number}]: a role or a content is missing."
        for made in message.get("tool_calls", ()):
            try:
                sound = isinstance(json.loads(made["function"]["arguments"]), dict)
            except (TypeError, ValueError):
                sound = False
            if not sound or len(made["id"]) > 40 or made["id"] in open_calls:
                return f"messages[{number}]: a call cannot be read."
            open_calls.add(made["id"])
    return f"These calls have no answer: {sorted(open_calls)}." if open_calls else ""
