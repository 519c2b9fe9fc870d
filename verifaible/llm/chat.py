"""The client for the Chat Completions API: messages to its own, and an answer's JSON to a turn.

Written against the OpenAI API reference, ``POST /v1/chat/completions``, and what OpenRouter, DeepSeek,
Mistral, Gemini, vLLM, Ollama and LiteLLM put beside it. Reading is lenient, writing is strict.
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

#: Fields of an assistant message that carry reasoning, and that its provider wants back with the calls.
_REASONING = ("reasoning_details", "reasoning_content", "reasoning", "thinking_blocks")
#: Fields in which proxies keep a provider's signatures, beside a message or beside a call (Gemini's).
_SIGNED = ("provider_specific_fields", "extra_content")
#: What this module calls both in the messages; no field of a request has this name.
_OWN_FIELDS = "reasoning in messages"


class ChatClient(ApiClient):
    """A :class:`~verifaible.llm.base.ModelClient` for ``POST /chat/completions``."""

    api = "chat"
    path = "/chat/completions"
    refused: ClassVar = {
        "max_tokens": re.compile(r"max_completion_tokens", re.I),
        # DeepSeek and Anthropic want it back and say so; they do not refuse it
        _OWN_FIELDS: re.compile(
            r"\A(?!.*\b(?:must(?! not)|missing|expected)\b).*(?:reasoning|thinking"
            r"|provider_specific_fields|extra_content|extra (?:inputs|fields)|additional propert"
            r"|un(?:known|recognized|expected))",
            re.I | re.S,
        ),
    }

    def fill(
        self, body: Body, messages: Sequence[Message], tools: Sequence[ToolSpec], form: AnswerForm | None
    ) -> None:
        """See :meth:`ApiClient.fill`."""
        own = [_message(message) for message in messages]
        bare = [_bare(message) for message in own]
        if own != bare and body.may(_OWN_FIELDS):
            bare = own
        body.fields["messages"] = bare
        limit = self.entry.max_output_tokens
        if limit is not None and not body.add("max_tokens", limit):
            body.fields["max_completion_tokens"] = limit  # what OpenAI's reasoning models want
        if tools:
            described = (tool.model_dump(include={"name", "description", "parameters"}) for tool in tools)
            body.add("tools", [{"type": "function", "function": each} for each in described])
        if form is not None and (kind := body.form_type()):
            schema = {"name": form.name, "strict": True, "schema": form.parameters}
            body.fields["response_format"] = {
                "type": kind,
                **({"json_schema": schema} if kind == "json_schema" else {}),
            }

    def read(
        self, body: Mapping[str, Any], seed: str, known: Collection[str], form: AnswerForm | None
    ) -> ModelTurn:
        """See :meth:`ApiClient.read`."""
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            choice = {}
        finish = str(choice.get("finish_reason") or "")
        message = choice.get("message")
        if not isinstance(message, Mapping):
            message = {"content": choice["text"]} if isinstance(choice.get("text"), str) else {}
        content = message.get("content")
        refusal = calls.refusal_text([message, content])
        if form is not None and refusal:
            raise declined(refusal)
        kept, made = _calls(message, seed, known)
        said = calls.part_text(content) or refusal
        require_ended(finish, called=bool(made))
        if not made and not said:
            if finish == "length":
                raise cut_off()
            if not (isinstance(content, str | list) and finish in ("", "stop")):
                raise nothing_said(finish)
        aloud, text = split_thoughts(said)
        own = content if isinstance(content, str | list) else refusal or None
        return ModelTurn(
            text=text,
            reasoning=joined([_reasoning_text(message), aloud]),
            tool_calls=made,
            model=str(body.get("model") or ""),
            provider_items=(_assistant(own, kept) | _reasoning_of(message) | _signed(message),),
            notes=(CUT_OFF,) if finish == "length" else (),
        )


def with_calls(
    items: Sequence[dict[str, Any]], text: str, made: Sequence[ToolCall]
) -> tuple[dict[str, Any], ...]:
    """An answer's message with calls that it had only in its text."""
    kept = {name: value for name, value in items[0].items() if name in (*_REASONING, *_SIGNED)}
    return (_assistant(text, [_call_item(call) for call in made]) | kept,)


def _message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
    if message.role == "user" and message.pictures:
        pictures = [
            {"type": "image_url", "image_url": {"url": calls.png_url(each)}} for each in message.pictures
        ]
        return {"role": "user", "content": [{"type": "text", "text": message.text}, *pictures]}
    if message.role != "assistant":
        return {"role": message.role, "content": message.text}
    if message.provider_items:
        return message.provider_items[0]
    return _assistant(message.text, [_call_item(call) for call in message.tool_calls])


def _bare(message: dict[str, Any]) -> dict[str, Any]:
    """A message without reasoning and signatures, which some endpoints refuse."""
    kept = {name: value for name, value in message.items() if name not in (*_REASONING, *_SIGNED)}
    if "tool_calls" in kept:
        kept["tool_calls"] = [_bare(call) for call in kept["tool_calls"]]
    return kept


def _assistant(text: str | list[Any] | None, made: Sequence[dict[str, Any]]) -> dict[str, Any]:
    if made:
        return {"role": "assistant", "content": text or None, "tool_calls": list(made)}
    return {"role": "assistant", "content": "" if text is None else text}


def _call_item(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": calls.sendable_arguments(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _calls(
    message: Mapping[str, Any], seed: str, known: Collection[str]
) -> tuple[list[dict[str, Any]], tuple[ToolCall, ...]]:
    """The message's calls as they go back, and as calls; the old ``function_call`` is one too."""
    given = message.get("tool_calls") or message.get("function_call")
    given = [given] if isinstance(given, Mapping) else given if isinstance(given, list) else []
    # some servers leave out the object around name and arguments
    found = [
        (call, function)
        for call in given
        if isinstance(call, Mapping)
        for function in [call["function"] if isinstance(call.get("function"), Mapping) else call]
        if function.get("name")
    ]
    made = calls.tool_calls(
        [(call.get("id"), function["name"], function.get("arguments")) for call, function in found],
        seed,
        known,
    )
    kept = [_call_item(one) | _signed(call) for one, (call, _) in zip(made, found, strict=True)]
    return kept, made


def _signed(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value[name] for name in _SIGNED if _holds(value.get(name))}


def _holds(value: object) -> bool:
    """Whether there is something in it; LiteLLM sends ``{"refusal": null}`` for nothing."""
    return any(map(_holds, value.values())) if isinstance(value, Mapping) else bool(value)


def _reasoning_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """The reasoning in the one form that is complete; the others only repeat its text."""
    found = {name: message[name] for name in _REASONING if message.get(name)}
    if "reasoning_details" in found:
        return {"reasoning_details": found["reasoning_details"]}
    if "reasoning_content" in found:
        found.pop("reasoning", None)
    return found


def _reasoning_text(message: Mapping[str, Any]) -> str:
    for name in ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"):
        if text := readable(message.get(name)):
            return text
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return readable([part for part in parts if isinstance(part, Mapping) and part.get("type") == "thinking"])
