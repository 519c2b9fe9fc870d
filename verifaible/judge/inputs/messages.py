"""What a request to a model held, and what a reply said, in the forms that interfaces of models have."""

from __future__ import annotations

import json
from typing import Any, Final

#: Types of parts and messages that are results of tools.
_RESULTS: Final = frozenset({"function_call_output", "tool_result", "function_result", "mcp_tool_result"})
#: Where results of tools have data beside their text.
_DATA: Final = ("structured", "structured_content", "structuredContent", "data", "json", "result")
#: Fields of a message that has no content.
_NO_WORDS: Final = frozenset({"role", "name", "id", "type", "content", "tool_call_id"})
_TOOL_ROLES: Final = frozenset({"tool", "function", "ipython"})


def context_of(value: Any) -> tuple[str, tuple[str, ...]]:
    """What the model was given: the last message, and what tools had given before it."""
    if isinstance(value, list) and value and all(isinstance(each, dict) and "role" in each for each in value):
        value = {"messages": value}
    messages = value.get("messages", value.get("input")) if isinstance(value, dict) else None
    if isinstance(messages, str):
        return messages, ()
    if isinstance(messages, list):
        if messages and isinstance(messages[0], list):  # a batch of one
            messages = messages[0]
        tools = tuple(text for each in messages[:-1] if _is_tool(each) and (text := _content(each)))
        return _content(messages[-1]) if messages else "", tools
    if value is None or isinstance(value, str):
        return value or "", ()
    return _dumped(value), ()


def _is_tool(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    parts = message.get("content")
    return (
        str(message.get("role", "")) in _TOOL_ROLES
        or message.get("type") in _RESULTS
        or (
            isinstance(parts, list)
            and any(isinstance(each, dict) and each.get("type") in _RESULTS for each in parts)
        )
    )


def _content(message: Any) -> str:
    """The text of a message: a string, or a list of parts."""
    if not isinstance(message, dict):
        return message if isinstance(message, str) else _dumped(message)
    inner = message.get("message") if isinstance(message.get("message"), dict) else message
    assert isinstance(inner, dict)
    for name in ("content", "output", "text"):
        found = inner.get(name)
        if found is not None:
            text = "\n".join(map(_part, found)) if isinstance(found, list) else _worded(found)
            return _with_data(text, inner)
    data = _with_data("", inner)
    return data if data or inner.keys() <= _NO_WORDS else _dumped(inner)


def _part(part: Any) -> str:
    """The text of a part; a result of a tool may be parts again."""
    if isinstance(part, dict):
        for name in ("text", "content", "output"):
            found = part.get(name)
            if isinstance(found, str):
                return _with_data(found, part)
            if isinstance(found, list) and part.get("type") in _RESULTS:
                return _with_data("\n".join(_worded(_text_of(each)) for each in found), part)
    return _worded(part)


def _text_of(part: Any) -> Any:
    return part["text"] if isinstance(part, dict) and isinstance(part.get("text"), str) else part


def _with_data(text: str, record: dict[str, Any]) -> str:
    """A text with the data that stand beside it in a tool's result, which a model was given, too."""
    data = [record[name] for name in _DATA if isinstance(record.get(name), dict | list) and record[name]]
    return "\n\n".join([each for each in (text,) if each] + [_dumped(each) for each in data])


def _worded(value: Any) -> str:
    return value if isinstance(value, str) else _dumped(value)


def answer_in(value: Any) -> str:
    """What the model said."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dict):
        choices = value.get("choices")
        if isinstance(choices, list):
            return _content(choices[0]) if choices and _says(choices[0]) else ""
        for name in ("output_text", "content", "text"):
            if isinstance(value.get(name), str):
                return str(value[name])
        for name in ("messages", "output"):
            several = value.get(name)
            if isinstance(several, list) and several:
                return _content(several[-1])
    return _dumped(value)


def _says(choice: Any) -> bool:
    message = choice.get("message", choice) if isinstance(choice, dict) else {}
    return isinstance(message, dict) and message.get("content", message.get("text")) is not None


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
