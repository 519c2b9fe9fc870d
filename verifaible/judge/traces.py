"""Trace files: the span of an answer, what the model was given, what it said, and when.

``<traces>/<model>/traces/<chat_id>.json`` holds a session with traces and their spans. The span is called
``Cyrpto Final Response`` (so spelt; the right spelling is read, too). Attributes may be flat
(``attributes.input.value``) or nested, and values may be JSON as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from verifaible.errors import RunError
from verifaible.evidence.sources import SourceOrigin
from verifaible.judge.context import sources_in_context
from verifaible.judge.records import Draft, moment_of, read_text
from verifaible.schema.analyst import FaultCode, SpanIds

_SPAN_NAMES: Final = ("cyrpto final response", "crypto final response")
_TIMES: Final = ("end_time", "end_time_unix_nano", "start_time", "start_time_unix_nano")
#: Roles of messages, and types of their parts, that are results of tools.
_RESULTS: Final = frozenset({"tool", "function", "function_call_output", "tool_result"})
#: What of a message or a part is its text, and what only labels it.
_TEXTS: Final = ("content", "output", "text")
_LABELS: Final = ("role", "type", "name", "id", "tool_call_id", "call_id", "tool_use_id")
#: JSON that is a text in JSON is opened so many times.
_MOST_WRAPPINGS: Final = 3


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
    if chat_id in ("", ".", "..") or any(sign in chat_id for sign in "/\\\0"):
        raise refused
    path = folder / model / "traces" / f"{chat_id.removesuffix('.json')}.json"
    try:
        there = path.is_file()
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError) as error:
        raise refused from error
    if not inside:
        raise refused
    if there:
        return path
    raise TraceFault(
        "trace_missing",
        f"No trace {model}/traces/{path.name} is in {folder.name}: what the model had is not known. Put it "
        "there, or name the folder with --traces.",
    )


def take_trace(draft: Draft, path: Path) -> None:
    """Give an answer what its trace says: what the model had, when it answered, and the ids of the span.

    The answer's own words come first; of several spans the one with these words counts. Sources are the
    results of tools in earlier messages of the same request, then the last message.

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
    spans = [each for each in _spans(whole) if " ".join(each[1]["name"].split()).casefold() in _SPAN_NAMES]
    if not spans:
        raise TraceFault(
            "span_missing",
            f"The trace {path.name} has no span called 'Cyrpto Final Response': what the model had is not "
            "known. Export the trace whole.",
        )
    said = draft.answer
    words = said.answer.split()
    same = (each for each in spans if _answer(_value(each[1], "output")).split() == words)
    known, span = next(same, spans[0])
    moments = [moment for name in _TIMES if (moment := moment_of(span.get(name)))]
    contexts = [each for each in _contexts(_value(span, "input")) if each.strip()]
    draft.origin = SourceOrigin(kind="trace", name=path.name, sha256=source.sha256)
    draft.update(
        origin="trace",
        span=_ids(known, span),
        answer=said.answer if words else _answer(_value(span, "output")),
        answered_at=moments[0] if moments else said.answered_at,
        sources_known=bool(contexts),
    )
    for context in contexts:
        found = sources_in_context(context, [each.id for each in draft.sources])
        draft.sources += [each.model_copy(update={"at": moments[0] if moments else None}) for each in found]
    if source.damaged:
        draft.fault("encoding", f"The trace {path.name} is no whole UTF-8: what is lost is U+FFFD.")
    if not contexts:
        draft.fault(
            "span_missing",
            f"The span of the trace {path.name} does not say what the model was given: its sources are not "
            "known. Export the trace with its inputs.",
        )


def _spans(whole: Any) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Every span with the ids of its session and trace, in the order of the file."""
    stack: list[tuple[Any, dict[str, str]]] = [(whole, {})]
    while stack:
        each, known = stack.pop()
        inner: list[Any] = each if isinstance(each, list) else []
        if isinstance(each, dict):
            named = ((key, each.get(key)) for key in ("session_id", "trace_id"))
            known = known | {key: said for key, said in named if isinstance(said, str)}
            has_values = "attributes" in each or any("value" in key for key in each)
            if isinstance(each.get("name"), str) and has_values:
                yield known, each
            inner = list(each.values())
        stack += [(value, known) for value in reversed(inner) if isinstance(value, dict | list)]


def _ids(known: Mapping[str, str], span: Mapping[str, Any]) -> SpanIds:
    inner = span.get("context")
    said = {**(inner if isinstance(inner, dict) else {}), **span}
    return SpanIds(
        session_id=known.get("session_id", ""),
        trace_id=known.get("trace_id", ""),
        span_id=str(said.get("context.span_id") or said.get("span_id") or ""),
        span_name=span["name"],
        span_kind=str(said.get("span_kind") or ""),
        parent_id=str(said.get("parent_id") or ""),
    )


def _value(span: Mapping[str, Any], side: str) -> Any:
    """What went in or came out; None where the span does not say."""
    attributes = span.get("attributes")
    for record in (span, attributes if isinstance(attributes, dict) else {}):
        for name in (f"attributes.{side}.value", f"{side}.value", side):
            found = record.get(name)
            if isinstance(found, dict) and "value" in found:
                found = found["value"]
            if found is not None:
                return _opened(found)
    return None


def _opened(value: Any) -> Any:
    """JSON that was written as text, be it twice, where it is a request or a reply; other text as it is."""
    read = value
    for _ in range(_MOST_WRAPPINGS):
        if isinstance(read, str) and read.lstrip()[:1] in ("{", "[", '"'):
            try:
                read = json.loads(read, strict=False)
            except (ValueError, RecursionError):
                break
    messages = read if isinstance(read, list) else []
    if messages and all(isinstance(each, dict) and "role" in each for each in messages):
        return {"messages": messages}
    return read if isinstance(read, dict) and {"messages", "choices"} & read.keys() else value


# --- what went in, and what came out


def _contexts(value: Any) -> Iterator[str]:
    """What the model was given: results of tools, and the last message."""
    messages = value.get("messages") if isinstance(value, dict) else None
    if isinstance(messages, list):
        yield from (_words(each) for each in messages[:-1] if _is_result(each))
        yield from (_words(each) for each in messages[-1:])
    else:
        yield _words(value)


def _is_result(message: Any) -> bool:
    content = message.get("content") if isinstance(message, dict) else None
    parts = [message, *content] if isinstance(content, list) else [message]
    return any(isinstance(each, dict) and {each.get("role"), each.get("type")} & _RESULTS for each in parts)


def _words(value: Any) -> str:
    """The words of a message, of a part of one, or of a list of them; whatever else is there, as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        return "\n".join(map(_words, value))
    if not isinstance(value, dict) or not {"role", "type"} & value.keys():
        return json.dumps(value, ensure_ascii=False, indent=2)
    texts = [_words(value[name]) for name in _TEXTS if name in value]
    left = {
        name: each for name, each in value.items() if name not in (*_TEXTS, *_LABELS) and each is not None
    }
    more = [json.dumps(each, ensure_ascii=False, indent=2) for each in left.values()]
    return "\n\n".join(text for text in (*texts, *more) if text)


def _answer(value: Any) -> str:
    """What the model said."""
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list):
        return _words(value)
    first = choices[0] if choices and isinstance(choices[0], dict) else {}
    message = first.get("message")
    return _words(message.get("content")) if isinstance(message, dict) else ""
