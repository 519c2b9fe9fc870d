"""The client for the Responses API: messages to its items, and an answer's JSON to a turn.

Written against the OpenAI API reference, ``POST /v1/responses``. Reading is lenient, because other
servers that speak this API leave fields out; writing is strict.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from verifaible.llm import calls
from verifaible.llm.base import AnswerForm
from verifaible.llm.client import ApiClient, Body
from verifaible.llm.failures import CUT_OFF, cut_off, declined, nothing_said, require_ended
from verifaible.llm.thoughts import joined, readable, split_thoughts
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec


class ResponsesClient(ApiClient):
    """A :class:`~verifaible.llm.base.ModelClient` for ``POST /responses``; nothing is stored there."""

    api = "responses"
    path = "/responses"
    refused: ClassVar = {
        # some endpoints refuse the field for models that do not reason
        "include": re.compile(r"encrypted|\binclude\b", re.I),
        "store": re.compile(r"\bstore\b", re.I),
    }

    def fill(
        self, body: Body, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None
    ) -> None:
        """See :meth:`ApiClient.fill`."""
        body.fields["input"] = input_items(messages)
        body.add("store", False)
        # reasoning can be passed back although the endpoint stores nothing
        body.add("include", ["reasoning.encrypted_content"])
        if self.entry.max_output_tokens is not None:
            body.fields["max_output_tokens"] = self.entry.max_output_tokens
        # the same bytes in every round, so that they can be cached
        if system := "\n\n".join(message.text for message in messages if message.role == "system"):
            body.fields["instructions"] = system
        if tools:
            # not strict, because strict schemas allow no optional field
            body.add("tools", [{"type": "function", **_described(tool), "strict": False} for tool in tools])
        if form is not None and (kind := body.form_type()):
            schema = {"name": form.name, "strict": True, "schema": form.parameters}
            wanted = {"type": kind, **(schema if kind == "json_schema" else {})}
            # an entry may set another part of it, such as the verbosity
            body.fields["text"] = {**(body.fields.get("text") or {}), "format": wanted}

    def read(
        self, body: Mapping[str, Any], seed: str, known: Collection[str], form: AnswerForm | None
    ) -> ModelTurn:
        """See :meth:`ApiClient.read`."""
        output = body.get("output")
        items = (
            [dict(item) for item in output if isinstance(item, Mapping)] if isinstance(output, list) else []
        )
        for item in items:
            item.setdefault("type", "message")
        contents = [item.get("content") for item in items if item["type"] == "message"]
        if form is not None and (refusal := calls.refusal_text(contents)):
            raise declined(refusal)
        made = _calls(items, seed, known)
        texts = [calls.part_text(content) for content in contents]
        if not items and isinstance(body.get("output_text"), str):
            texts = [body["output_text"]]
        details = body.get("incomplete_details")
        reason = str(details.get("reason") or "") if isinstance(details, Mapping) else ""
        require_ended(reason or str(body.get("status") or ""), called=bool(made))
        if not texts and not made:
            raise cut_off() if reason == "max_output_tokens" else nothing_said(reason)
        aloud, text = split_thoughts("\n\n".join(text for text in texts if text))
        # a reasoning item's own text, else its summary
        thoughts = [
            readable(item.get("content")) or readable(item.get("summary"))
            for item in items
            if item["type"] == "reasoning"
        ]
        return ModelTurn(
            text=text,
            reasoning=joined([*thoughts, aloud]),
            tool_calls=made,
            model=str(body.get("model") or ""),
            provider_items=tuple(items),
            notes=(CUT_OFF,) if reason == "max_output_tokens" else (),
        )


def input_items(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation, without its system messages, as input items.

    An assistant turn that came from the endpoint goes back as the endpoint's own items.
    """
    items: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "user":
            pictures = [
                {"type": "input_image", "detail": "auto", "image_url": calls.png_url(each)}
                for each in message.pictures
            ]
            content = [{"type": "input_text", "text": message.text}, *pictures]
            items.append({"type": "message", "role": "user", "content": content})
        elif message.role == "tool":
            items.append(
                {"type": "function_call_output", "call_id": message.tool_call_id, "output": message.text}
            )
        elif message.role == "assistant":
            items.extend(message.provider_items or _assistant_items(message.text, message.tool_calls))
    return items


def with_calls(
    items: Sequence[dict[str, Any]], text: str, made: Sequence[ToolCall]
) -> tuple[dict[str, Any], ...]:
    """An answer's items with calls that it had only in its text; none where no reasoning has to be kept."""
    kept = [item for item in items if item.get("type") == "reasoning"]
    return (*kept, *_assistant_items(text, made)) if kept else ()


def _described(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _assistant_items(text: str, made: Sequence[ToolCall]) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "assistant", "content": text}] if text else []
    return [*said, *({"type": "function_call", **_call_fields(call)} for call in made)]


def _call_fields(call: ToolCall) -> dict[str, Any]:
    return {"call_id": call.id, "name": call.name, "arguments": calls.sendable_arguments(call.arguments)}


def _calls(items: Sequence[dict[str, Any]], seed: str, known: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls among the items; what could not be sent back as it came is put right in them."""
    found = [item for item in items if item["type"] == "function_call" and item.get("name")]
    # a result refers to its call by call_id; some servers give only an id
    given = [(item.get("call_id") or item.get("id"), item["name"], item.get("arguments")) for item in found]
    made = calls.tool_calls(given, seed, known)
    for item, call in zip(found, made, strict=True):
        item.update(_call_fields(call))
    return made
