"""Messages to Responses API items, and an answer's JSON to a turn.

Written against the OpenAI API reference, ``POST /v1/responses``. Reading is lenient, because other
servers that speak this API leave fields out; writing is strict.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from verifaible.errors import ModelAnswerInvalid
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec, Usage


def instructions(messages: Sequence[Message]) -> str:
    """The text of the system messages: the same bytes in every round, so that it can be cached."""
    return "\n\n".join(message.text for message in messages if message.role == "system")


def input_items(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation, without its system messages, as input items.

    An assistant turn that came from the endpoint goes back as the endpoint's own items.
    """
    items: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "user":
            items.append(_user_item(message.text))
        elif message.role == "tool":
            items.append(
                {"type": "function_call_output", "call_id": message.tool_call_id, "output": message.text}
            )
        elif message.role == "assistant":
            items.extend(message.provider_items or _assistant_items(message))
    return items


def tool_items(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The tools as function tools; not strict, because strict schemas allow no optional field."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "strict": False,
        }
        for tool in tools
    ]


def call_item(call: ToolCall) -> dict[str, Any]:
    """A tool call as an item of the conversation."""
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _user_item(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def _assistant_items(message: Message) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if message.text:
        items.append({"role": "assistant", "content": message.text})
    return [*items, *(call_item(call) for call in message.tool_calls)]


def read_turn(body: object) -> ModelTurn:
    """The turn in an answer's JSON.

    Raises:
        ModelAnswerInvalid: there is neither a message nor a tool call in it.
    """
    if not isinstance(body, Mapping):
        raise ModelAnswerInvalid(
            "The endpoint's answer is not a JSON object. Check that the base URL is that of an"
            " OpenAI-compatible API and ends with its version, such as /v1."
        )
    output = body.get("output")
    items = [_whole(item) for item in output if isinstance(item, Mapping)] if isinstance(output, list) else []
    texts = [_message_text(item) for item in items if item.get("type") in ("message", None)]
    calls = tuple(_call(item) for item in items if item.get("type") == "function_call" and item.get("name"))
    if not items and isinstance(body.get("output_text"), str):
        texts = [body["output_text"]]
    if not texts and not calls:
        raise ModelAnswerInvalid(_nothing_in_it(body))
    return ModelTurn(
        text="\n\n".join(text for text in texts if text),
        tool_calls=calls,
        usage=read_usage(body),
        model=str(body.get("model") or ""),
        provider_items=tuple(items),
    )


def read_usage(body: object) -> Usage:
    """Tokens, and the cost if the endpoint states one (OpenRouter's ``usage.cost``, in US dollars)."""
    usage = body.get("usage") if isinstance(body, Mapping) else None
    if not isinstance(usage, Mapping):
        return Usage()
    billed = _amount(usage.get("cost"))
    return Usage(
        input_tokens=_count(usage, "input_tokens", "prompt_tokens"),
        cached_input_tokens=_count(_part(usage, "input_tokens_details"), "cached_tokens"),
        output_tokens=_count(usage, "output_tokens", "completion_tokens"),
        reasoning_tokens=_count(_part(usage, "output_tokens_details"), "reasoning_tokens"),
        cost_usd=billed,
        billed_usd=billed,
    )


def _whole(item: Mapping[str, Any]) -> dict[str, Any]:
    """The item as it came, unless it is a call that could not be sent back as it is."""
    kept = dict(item)
    if kept.get("type") != "function_call":
        return kept
    # a result refers to its call by call_id, so a server that gives none gets one of ours
    if not kept.get("call_id"):
        kept["call_id"] = str(kept.get("id") or f"call_{uuid.uuid4().hex[:12]}")
    if not isinstance(kept.get("arguments"), str):
        kept["arguments"] = json.dumps(kept.get("arguments") or {}, ensure_ascii=False)
    return kept


def _call(item: Mapping[str, Any]) -> ToolCall:
    return ToolCall(id=str(item["call_id"]), name=str(item["name"]), arguments=item["arguments"])


def _message_text(item: Mapping[str, Any]) -> str:
    """The text of a message item; a refusal is what the model said, so it counts as text."""
    content = item.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            texts.append(str(part.get("text") or part.get("refusal") or ""))
    return "".join(texts)


def _nothing_in_it(body: Mapping[str, Any]) -> str:
    details = body.get("incomplete_details")
    reason = str(details.get("reason") or "") if isinstance(details, Mapping) else ""
    if reason == "max_output_tokens":
        return (
            "The model used up its output tokens before it wrote a text or a tool call. Choose a model"
            " or an endpoint with a larger output limit."
        )
    because = f" (incomplete: {reason})" if reason else ""
    return (
        f"The endpoint answered twice with neither a text nor a tool call{because}. Try again later, or"
        " choose another model or endpoint."
    )


def _part(usage: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = usage.get(name)
    return part if isinstance(part, Mapping) else {}


def _count(source: Mapping[str, Any], *names: str) -> int:
    for name in names:
        value = source.get(name)
        if isinstance(value, int | float) and value >= 0:
            return int(value)
    return 0


def _amount(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
