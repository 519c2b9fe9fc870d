"""Trace files: the span of an answer, what the model was given, what it said, and when.

``<traces>/<model>/traces/<chat_id>.json`` holds a session with traces and their spans. The span is called
``Cyrpto Final Response`` (so spelt; the right spelling is read, too). Attributes may be flat
(``attributes.input.value``), nested, or a list of keys and values, and values may be JSON as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from verifaible.errors import RunError
from verifaible.evidence.sources import SourceOrigin
from verifaible.judge.table import moment_of, read_text
from verifaible.schema.analyst import FaultCode, SpanIds

SPAN_NAMES: Final = frozenset({"cyrpto final response", "crypto final response"})
_TOOL_ROLES: Final = frozenset({"tool", "function", "ipython"})
#: Types of parts and messages that are results of tools, and where those have data beside their text.
_RESULTS: Final = frozenset({"function_call_output", "tool_result", "function_result", "mcp_tool_result"})
_DATA: Final = ("structured", "structured_content", "structuredContent", "data", "json", "result")
_TEXTS: Final = ("content", "output", "text")
#: JSON that is a text in JSON is opened so many times.
_MOST_WRAPPINGS: Final = 3


@dataclass(frozen=True, slots=True)
class Trace:
    """What a trace says of one answer.

    ``contexts`` are the results of tools in earlier messages of the same request, then the last message;
    empty where the span does not say what the model was given.
    """

    span: SpanIds
    contexts: tuple[str, ...]
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
    name = f"{chat_id.removesuffix('.json')}.json"
    try:
        for place in (folder / model / "traces", folder / model, folder / "traces", folder):
            if (place / name).is_file():
                if not (place / name).resolve().is_relative_to(folder.resolve()):
                    raise refused
                return place / name
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
        source = read_text(path)
        whole = json.loads(source.text, strict=False)
    except RunError as error:
        raise TraceFault("trace_unreadable", str(error)) from error
    except (ValueError, RecursionError) as error:
        raise TraceFault(
            "trace_unreadable", f"The trace {path.name} is not JSON ({error}). Take it from a good copy."
        ) from error
    spans = [each for each in _spans(whole) if " ".join(each[1]["name"].split()).casefold() in SPAN_NAMES]
    if not spans:
        raise TraceFault(
            "span_missing",
            f"The trace {path.name} has no span called 'Cyrpto Final Response': what the model had is not "
            "known. Export the trace whole.",
        )
    wanted = "".join(answer.split())
    same = (each for each in spans if "".join(_answer(_value(each[1], "output")).split()) == wanted)
    known, span = next(same, spans[0])
    moments = (
        moment_of(span.get(name))
        for side in ("end", "start")
        for name in (f"{side}_time", f"{side}Time", f"{side}_time_unix_nano", f"{side}TimeUnixNano")
    )
    return Trace(
        span=_ids(known, span),
        contexts=tuple(each for each in _contexts(_value(span, "input")) if each.strip()),
        answer=_answer(_value(span, "output")),
        at=next((each for each in moments if each is not None), None),
        origin=SourceOrigin(kind="trace", name=path.name, sha256=source.sha256),
        damaged=source.damaged,
    )


def _spans(whole: Any) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Every span with the ids of its session and trace, in the order of the file."""
    stack: list[tuple[Any, dict[str, str]]] = [(whole, {})]
    while stack:
        each, known = stack.pop()
        inner: list[Any] = each if isinstance(each, list) else []
        if isinstance(each, dict):
            known = {
                **known,
                **{key: said for key in ("session_id", "trace_id") if (said := _plain(each, key))},
            }
            has_values = "attributes" in each or any("value" in key for key in each)
            if isinstance(each.get("name"), str) and has_values:
                yield known, each
            inner = list(each.values())
        stack += [(value, known) for value in reversed(inner) if isinstance(value, dict | list)]


def _plain(record: Mapping[str, Any], *names: str) -> str:
    found = (record.get(name) for name in names)
    return next(
        (str(each) for each in found if isinstance(each, str | int) and not isinstance(each, bool)), ""
    )


def _ids(known: Mapping[str, str], span: Mapping[str, Any]) -> SpanIds:
    inner = span.get("context")
    context = {f"context.{key}": value for key, value in inner.items()} if isinstance(inner, dict) else {}
    said = {**context, **span}
    return SpanIds(
        session_id=known.get("session_id", ""),
        trace_id=known.get("trace_id") or _plain(said, "context.trace_id", "trace_id"),
        span_id=_plain(said, "context.span_id", "span_id", "spanId"),
        span_name=span["name"],
        span_kind=_plain(said, "span_kind", "kind"),
        parent_id=_plain(said, "parent_id", "parent_span_id", "parentSpanId"),
    )


def _value(span: Mapping[str, Any], side: str) -> Any:
    """What went in or came out; None where the span does not say."""
    attributes = span.get("attributes")
    if isinstance(attributes, list):  # as OpenTelemetry writes them
        attributes = {each.get("key"): each.get("value") for each in attributes if isinstance(each, dict)}
    for record in (span, attributes if isinstance(attributes, dict) else {}):
        for name in (f"attributes.{side}.value", f"{side}.value", side):
            found = record.get(name)
            for wrapping in ("value", "stringValue"):
                if isinstance(found, dict) and wrapping in found:
                    found = found[wrapping]
            if found is not None:
                return _opened(found)
    return None


def _opened(value: Any) -> Any:
    """JSON that was written as text, be it twice, where it is a request or a reply; other text as it is."""
    read = value
    for _ in range(_MOST_WRAPPINGS):
        if not isinstance(read, str) or read.lstrip()[:1] not in ("{", "[", '"'):
            break
        try:
            read = json.loads(read, strict=False)
        except (ValueError, RecursionError):
            break
    names = read.keys() if isinstance(read, dict) else set()
    known = _is_messages(read) or {"messages", "choices", "input", "output", "content"} & names
    return read if known else value


def _is_messages(value: Any) -> bool:
    several = isinstance(value, list) and bool(value)
    return several and all(isinstance(each, dict) and "role" in each for each in value)


# --- what went in, and what came out


def _contexts(value: Any) -> Iterator[str]:
    """What the model was given: results of tools, and the last message."""
    messages = value.get("messages", value.get("input")) if isinstance(value, dict) else None
    if _is_messages(value):
        messages = value
    if not isinstance(messages, list):
        yield _words(messages if messages is not None else value)
        return
    if messages and isinstance(messages[0], list):  # a batch of one
        messages = messages[0]
    yield from (_words(each) for each in messages[:-1] if _is_tool(each))
    yield from (_words(each) for each in messages[-1:])


def _is_tool(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    content = message.get("content")
    types = [message, *content] if isinstance(content, list) else [message]
    return message.get("role") in _TOOL_ROLES or any(
        isinstance(each, dict) and each.get("type") in _RESULTS for each in types
    )


def _words(value: Any) -> str:
    """The words of a message, of a part of one, or of a list of them; other data as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        return "\n".join(map(_words, value))
    if not isinstance(value, dict) or not {"role", "type", "message"} & value.keys():
        return _dumped(value)
    if isinstance(value.get("message"), dict):
        return _words({"role": "", **value["message"]})
    said = next((value[name] for name in _TEXTS if value.get(name) is not None), None)
    data = [value[name] for name in _DATA if isinstance(value.get(name), dict | list) and value[name]]
    if said is None and not data and value.keys() - {"role", "name", "id", "type", "tool_call_id", *_TEXTS}:
        return _dumped(value)
    return "\n\n".join(text for text in (_words(said), *map(_dumped, data)) if text)


def _answer(value: Any) -> str:
    """What the model said."""
    if not isinstance(value, dict):
        return _words(value)
    for name in ("choices", "messages", "output"):
        several = value.get(name)
        if isinstance(several, list):
            last = several[0 if name == "choices" else -1] if several else {}
            inner = last.get("message", last) if isinstance(last, dict) else last
            says = isinstance(inner, dict) and any(inner.get(each) is not None for each in _TEXTS)
            return _words({"role": "", **inner}) if says else ""
    said = next((value[name] for name in ("output_text", *_TEXTS) if isinstance(value.get(name), str)), None)
    return str(said) if said is not None else _dumped(value)


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
