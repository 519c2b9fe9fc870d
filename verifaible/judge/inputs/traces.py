"""Trace files: the span of an answer, what the model was given, what it said, and when.

``<traces>/<model>/traces/<chat_id>.json`` holds a session with traces and their spans. The span is called
``Cyrpto Final Response`` (so spelt; the right spelling is read, too). Attributes may be flat
(``attributes.input.value``), nested, or a list of keys and values, and values may be JSON as text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from verifaible.errors import RunError
from verifaible.evidence.sources import SourceOrigin
from verifaible.judge.inputs.decoding import decoded, read_bytes
from verifaible.judge.inputs.fields import moment_of
from verifaible.schema.analyst import FaultCode, SpanIds

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


SPAN_NAMES: Final = frozenset({"cyrpto final response", "crypto final response"})
#: JSON that is a text in JSON is opened so many times.
_MOST_WRAPPINGS: Final = 2


@dataclass(frozen=True, slots=True)
class Trace:
    """What a trace says of one answer.

    ``tools`` are results of tools in earlier messages of the same request. ``has_context`` says whether the
    span names what the model was given at all.
    """

    span: SpanIds
    context: str
    tools: tuple[str, ...]
    has_context: bool
    answer: str
    at: datetime | None
    origin: SourceOrigin
    damaged: bool


class TraceFault(Exception):
    """A trace that cannot be used: its code and a sentence."""

    def __init__(self, code: FaultCode, message: str) -> None:
        self.code: FaultCode = code
        super().__init__(message)


def trace_file(folder: Path, model: str, chat_id: str) -> Path:
    """Where the trace of a chat is.

    Raises:
        TraceFault: it is not there, or the id leads out of the folder.
    """
    refused = TraceFault(
        "trace_unreadable", f"The chat id {chat_id[:80]!r} is no name of a file in {folder.name}. Correct it."
    )
    if not chat_id.strip() or chat_id in (".", "..") or any(sign in chat_id for sign in "/\\\0"):
        raise refused
    if ".." in PurePosixPath(model).parts or model.startswith(("/", "\\")) or "\0" in model:
        raise refused
    name = chat_id if chat_id.endswith(".json") else f"{chat_id}.json"
    places = (
        folder / model / "traces" / name,
        folder / model / name,
        folder / "traces" / name,
        folder / name,
    )
    try:
        for place in places:
            if place.is_file():
                if not place.resolve().is_relative_to(folder.resolve()):
                    raise refused
                return place
    except OSError as error:
        raise refused from error
    raise TraceFault(
        "trace_missing",
        f"No trace {model}/traces/{name} is in {folder.name}: what the model had is not known. Put it there, "
        "or name the folder with --traces.",
    )


def read_trace(path: Path, *, answer: str = "") -> Trace:
    """The trace in a file.

    Args:
        path: the file.
        answer: the answer that is looked for, where a session has several.

    Raises:
        TraceFault: the file cannot be read, or has no such span.
    """
    try:
        data = read_bytes(path)
    except RunError as error:
        raise TraceFault("trace_unreadable", str(error)) from error
    text, _, damaged = decoded(data)
    try:
        whole = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise TraceFault(
            "trace_unreadable", f"The trace {path.name} is not JSON ({error}). Take it from a good copy."
        ) from error
    spans = [each for each in _spans(whole, {}) if " ".join(each[1]["name"].split()).casefold() in SPAN_NAMES]
    if not spans:
        raise TraceFault(
            "span_missing",
            f"The trace {path.name} has no span called 'Cyrpto Final Response': what the model had is not "
            "known. Export the trace whole.",
        )
    ids, span = _chosen(spans, answer)
    given = _value(span, "input")
    context, tools = context_of(given)
    # A model was given its question at least: a span with nothing in it does not say what else it had.
    has_context = bool(context.strip() or any(each.strip() for each in tools))
    origin = SourceOrigin(kind="trace", name=path.name, sha256=hashlib.sha256(data).hexdigest())
    at = _time(span, "end_time", "endTime", "end_time_unix_nano", "endTimeUnixNano") or _time(
        span, "start_time", "startTime", "start_time_unix_nano", "startTimeUnixNano"
    )
    return Trace(
        _ids(ids, span), context, tools, has_context, answer_in(_value(span, "output")), at, origin, damaged
    )


def _chosen(
    spans: list[tuple[dict[str, str], dict[str, Any]]], answer: str
) -> tuple[dict[str, str], dict[str, Any]]:
    """Of several the one that gave this answer, else the first."""
    wanted = "".join(answer.split())
    if wanted and len(spans) > 1:
        for each in spans:
            if "".join(answer_in(_value(each[1], "output")).split()) == wanted:
                return each
    return spans[0]


def _spans(value: Any, ids: dict[str, str]) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Every span with the ids of its session and trace, in the order of the file."""
    stack: list[tuple[Any, dict[str, str]]] = [(value, ids)]
    while stack:
        each, known = stack.pop()
        if isinstance(each, dict):
            known = {
                **known,
                **{key: str(each[key]) for key in ("session_id", "trace_id") if _is_plain(each.get(key))},
            }
            if isinstance(each.get("name"), str) and (
                "attributes" in each or any("value" in key for key in each)
            ):
                yield known, each
            stack += [(inner, known) for inner in reversed(each.values()) if isinstance(inner, dict | list)]
        elif isinstance(each, list):
            stack += [(inner, known) for inner in reversed(each) if isinstance(inner, dict | list)]


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _ids(known: dict[str, str], span: dict[str, Any]) -> SpanIds:
    context = span.get("context") if isinstance(span.get("context"), dict) else {}

    def text(*names: str) -> str:
        for record in (span, context):
            for name in names:
                if isinstance(record, dict) and _is_plain(record.get(name)):
                    return str(record[name])
        return ""

    return SpanIds(
        session_id=known.get("session_id", "") or text("session_id"),
        trace_id=known.get("trace_id", "") or text("context.trace_id", "trace_id"),
        span_id=text("context.span_id", "span_id", "spanId"),
        span_name=span["name"],
        span_kind=text("span_kind", "kind"),
        parent_id=text("parent_id", "parent_span_id", "parentSpanId"),
    )


def _time(span: dict[str, Any], *names: str) -> datetime | None:
    return next((moment for name in names if (moment := moment_of(span.get(name))) is not None), None)


def _value(span: dict[str, Any], side: str) -> Any:
    """What went in or came out; None where the span does not say. JSON as text is read."""
    attributes = span.get("attributes")
    if isinstance(attributes, list):  # as OpenTelemetry writes them
        attributes = {each.get("key"): each.get("value") for each in attributes if isinstance(each, dict)}
    for record in (span, attributes):
        if not isinstance(record, dict):
            continue
        for name in (f"attributes.{side}.value", f"{side}.value", side):
            found = record.get(name)
            if isinstance(found, dict) and name == side and "value" in found:
                found = found["value"]
            if isinstance(found, dict) and "stringValue" in found:
                found = found["stringValue"]
            if found is not None:
                return _read(found)
    return None


def _read(value: Any, depth: int = 0) -> Any:
    """JSON that was written as text, be it twice, where it is a request or a reply; other text as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
        return value
    try:
        read = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value
    if isinstance(read, str):
        inner = _read(read, depth + 1) if depth < _MOST_WRAPPINGS else read
        return value if isinstance(inner, str) else inner
    if isinstance(read, list) and read and all(isinstance(each, dict) and "role" in each for each in read):
        return {"messages": read}
    known = isinstance(read, dict) and {"messages", "choices", "input", "output", "content"} & read.keys()
    return read if known else value
