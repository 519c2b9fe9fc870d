"""Messages to Chat Completions messages, and an answer's JSON to a turn.

Written against the OpenAI API reference, ``POST /v1/chat/completions``, and what OpenRouter, DeepSeek,
Mistral, Gemini, vLLM, Ollama and LiteLLM put beside it. Reading is lenient, writing is strict.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from verifaible.errors import ContentRefused, ModelAnswerInvalid
from verifaible.llm import calls
from verifaible.llm.failures import CUT_OFF, cut_off, from_ending, nothing_said
from verifaible.llm.thoughts import joined, readable, split_thoughts
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec

#: Fields of an assistant message that carry reasoning, and that its provider wants back with the calls.
_REASONING = ("reasoning_details", "reasoning_content", "reasoning", "thinking_blocks")
#: Fields in which proxies keep a provider's signatures, beside a message or beside a call (Gemini's).
_SIGNED = ("provider_specific_fields", "extra_content")


def messages(conversation: Sequence[Message], *, reasoning: bool = True) -> list[dict[str, Any]]:
    """The conversation as messages; an assistant turn that came from the endpoint as its own message.

    Args:
        conversation: the messages, the system message first.
        reasoning: whether reasoning and signatures go back; some endpoints refuse them.
    """
    return [_message(message, reasoning=reasoning) for message in conversation]


def _message(message: Message, *, reasoning: bool) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
    if message.role == "user" and message.pictures:
        pictures = [
            {"type": "image_url", "image_url": {"url": calls.png_url(each)}} for each in message.pictures
        ]
        return {"role": "user", "content": [{"type": "text", "text": message.text}, *pictures]}
    if message.role != "assistant":
        return {"role": message.role, "content": message.text}
    if not message.provider_items:
        return _assistant(message.text, [_call_item(call) for call in message.tool_calls])
    own = message.provider_items[0]
    if reasoning:
        return own
    kept = {name: value for name, value in own.items() if name not in (*_REASONING, *_SIGNED)}
    if "tool_calls" in kept:
        kept["tool_calls"] = [
            {name: value for name, value in call.items() if name not in _SIGNED}
            for call in kept["tool_calls"]
        ]
    return kept


def has_reasoning(sent: Sequence[Mapping[str, Any]]) -> bool:
    """Whether any message of a request carries what :func:`messages` can leave out."""
    extra = {*_REASONING, *_SIGNED}
    return any(
        extra & set(message) or any(extra & set(call) for call in message.get("tool_calls") or ())
        for message in sent
    )


def _assistant(text: str | list[Any] | None, made: Sequence[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if made:
        message |= {"content": text or None, "tool_calls": list(made)}
    return message


def _call_item(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": calls.sendable_arguments(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def with_calls(
    items: Sequence[dict[str, Any]], text: str, made: Sequence[ToolCall]
) -> tuple[dict[str, Any], ...]:
    """An answer's message with calls that it had only in its text."""
    kept = {name: value for name, value in items[0].items() if name in (*_REASONING, *_SIGNED)}
    return ({**_assistant(text, [_call_item(call) for call in made]), **kept},)


def tool_items(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The tools as function tools."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in tools
    ]


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
        ModelAnswerInvalid: there is neither a text nor a tool call in it.
    """
    choice = _first(body.get("choices"))
    finish = str(choice.get("finish_reason") or "")
    message = choice.get("message")
    if not isinstance(message, Mapping):
        message = {"content": choice["text"]} if isinstance(choice.get("text"), str) else {}
    kept_calls, made = _calls(message, seed, known)
    content = message.get("content")
    said = calls.part_text(content) or calls.part_text(message.get("refusal"))
    failure = from_ending(finish)
    if failure is not None and not (made and isinstance(failure, ContentRefused)):
        raise failure
    if not made and not said:
        if finish == "length":
            raise cut_off()
        if not (isinstance(content, str | list) and finish in ("", "stop")):
            raise ModelAnswerInvalid(nothing_said(finish))
    aloud, text = split_thoughts(said)
    return ModelTurn(
        text=text,
        reasoning=joined([_reasoning_text(message), aloud]),
        tool_calls=made,
        model=str(body.get("model") or ""),
        provider_items=(_own_message(message, kept_calls),),
        notes=(CUT_OFF,) if finish == "length" else (),
    )


def _first(choices: object) -> Mapping[str, Any]:
    found = choices[0] if isinstance(choices, list) and choices else {}
    return found if isinstance(found, Mapping) else {}


def _own_message(message: Mapping[str, Any], made: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The message as it goes back: content, calls, and the reasoning in the one form that is complete."""
    content = message.get("content")
    text = content if isinstance(content, str | list) else calls.part_text(message.get("refusal")) or None
    own = _assistant(text if made or text is not None else "", made)
    reasoning = {name: message[name] for name in _REASONING if message.get(name)}
    if "reasoning_details" in reasoning:  # the others only repeat its text
        reasoning = {"reasoning_details": reasoning["reasoning_details"]}
    elif "reasoning_content" in reasoning:
        reasoning.pop("reasoning", None)
    return own | reasoning | {name: message[name] for name in _SIGNED if _holds(message.get(name))}


def _holds(value: object) -> bool:
    """Whether there is something in it; LiteLLM sends ``{"refusal": null}`` for nothing."""
    return any(map(_holds, value.values())) if isinstance(value, Mapping) else bool(value)


def _calls(
    message: Mapping[str, Any], seed: str, known: Collection[str]
) -> tuple[list[dict[str, Any]], tuple[ToolCall, ...]]:
    """The message's calls as they go back, and as calls; the old ``function_call`` is one too."""
    given = message.get("tool_calls")
    if isinstance(given, Mapping):
        given = [given]
    if not given and isinstance(message.get("function_call"), Mapping):
        given = [{"function": message["function_call"]}]
    found = [call for call in given if isinstance(call, Mapping)] if isinstance(given, list) else []
    named = [(call, function) for call in found if (function := _function(call)).get("name")]
    ids = calls.usable_ids([call.get("id") for call, _ in named], seed)
    kept, made = [], []
    for (call, function), call_id in zip(named, ids, strict=True):
        arguments = calls.arguments_text(function.get("arguments"))
        one = ToolCall(id=call_id, name=calls.known_name(str(function["name"]), known), arguments=arguments)
        made.append(one)
        kept.append(_call_item(one) | {name: call[name] for name in _SIGNED if _holds(call.get(name))})
    return kept, tuple(made)


def _function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """A call's name and arguments; some servers leave out the object around them."""
    function = call.get("function")
    return function if isinstance(function, Mapping) else call


def _reasoning_text(message: Mapping[str, Any]) -> str:
    for name in ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"):
        if text := readable(message.get(name)):
            return text
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return readable([part for part in parts if isinstance(part, Mapping) and part.get("type") == "thinking"])
