"""Messages to Responses API items, and an answer's JSON to a turn.

Written against the OpenAI API reference, ``POST /v1/responses``. Reading is lenient, because other
servers that speak this API leave fields out; writing is strict.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from verifaible.errors import ContentRefused, ModelAnswerInvalid
from verifaible.llm import calls
from verifaible.llm.failures import CUT_OFF, cut_off, from_ending, nothing_said
from verifaible.llm.thoughts import joined, readable, split_thoughts
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec


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
            items.append(_user_item(message))
        elif message.role == "tool":
            items.append(
                {"type": "function_call_output", "call_id": message.tool_call_id, "output": message.text}
            )
        elif message.role == "assistant":
            items.extend(message.provider_items or _assistant_items(message.text, message.tool_calls))
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
    arguments = calls.sendable_arguments(call.arguments)
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def with_calls(
    items: Sequence[dict[str, Any]], text: str, made: Sequence[ToolCall]
) -> tuple[dict[str, Any], ...]:
    """An answer's items with calls that it had only in its text; none where no reasoning has to be kept."""
    kept = [item for item in items if item.get("type") == "reasoning"]
    return (*kept, *_assistant_items(text, made)) if kept else ()


def _user_item(message: Message) -> dict[str, Any]:
    pictures = [
        {"type": "input_image", "detail": "auto", "image_url": calls.png_url(each)}
        for each in message.pictures
    ]
    content = [{"type": "input_text", "text": message.text}, *pictures]
    return {"type": "message", "role": "user", "content": content}


def _assistant_items(text: str, made: Sequence[ToolCall]) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "assistant", "content": text}] if text else []
    return [*said, *(call_item(call) for call in made)]


def read_turn(body: Mapping[str, Any], seed: str, known: Collection[str] = ()) -> ModelTurn:
    """The turn in an answer's JSON, without its usage.

    Args:
        body: the answer.
        seed: what ids are made from where the server gave none.
        known: the names of the tools.

    Raises:
        Passing: the provider behind the endpoint failed.
        ContentRefused: a content filter ended the answer.
        ContextOverflow: the conversation left no room for it.
        OutputCutOff: the output tokens were used up before anything was said.
        ModelAnswerInvalid: there is neither a message nor a tool call in it.
    """
    output = body.get("output")
    items = [dict(item) for item in output if isinstance(item, Mapping)] if isinstance(output, list) else []
    for item in items:
        item.setdefault("type", "message")
    made = _calls(items, seed, known)
    texts = [_message_text(item) for item in items if item["type"] == "message"]
    if not items and isinstance(body.get("output_text"), str):
        texts = [body["output_text"]]
    reason = _why_incomplete(body)
    failure = from_ending(reason or str(body.get("status") or ""))
    if failure is not None and not (made and isinstance(failure, ContentRefused)):
        raise failure
    if not texts and not made:
        raise cut_off() if reason == "max_output_tokens" else ModelAnswerInvalid(nothing_said(reason))
    aloud, text = split_thoughts("\n\n".join(text for text in texts if text))
    thoughts = [_reasoning_text(item) for item in items if item.get("type") == "reasoning"]
    return ModelTurn(
        text=text,
        reasoning=joined([*thoughts, aloud]),
        tool_calls=made,
        model=str(body.get("model") or ""),
        provider_items=tuple(items),
        notes=(CUT_OFF,) if reason == "max_output_tokens" else (),
    )


def _calls(items: Sequence[dict[str, Any]], seed: str, known: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls among the items; what could not be sent back as it came is put right in them."""
    found = [item for item in items if item.get("type") == "function_call" and item.get("name")]
    # a result refers to its call by call_id; some servers give only an id
    ids = calls.usable_ids([item.get("call_id") or item.get("id") for item in found], seed)
    made = []
    for item, call_id in zip(found, ids, strict=True):
        arguments = calls.arguments_text(item.get("arguments"))
        name = calls.known_name(str(item["name"]), known)
        made.append(ToolCall(id=call_id, name=name, arguments=arguments))
        item |= {"call_id": call_id, "name": name, "arguments": calls.sendable_arguments(arguments)}
    return tuple(made)


def _message_text(item: Mapping[str, Any]) -> str:
    return calls.part_text(item.get("content"))


def _reasoning_text(item: Mapping[str, Any]) -> str:
    """A reasoning item's own text, else its summary."""
    return readable(item.get("content")) or readable(item.get("summary"))


def _why_incomplete(body: Mapping[str, Any]) -> str:
    details = body.get("incomplete_details")
    return str(details.get("reason") or "") if isinstance(details, Mapping) else ""
