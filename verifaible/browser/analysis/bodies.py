"""Short forms of what requests send and get: address patterns, shapes of JSON, GraphQL operations."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from email import message_from_bytes
from urllib.parse import parse_qsl

from verifaible.schema.base import Record

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_DATE = re.compile(r"(?:19|20)\d{2}([-/_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
_HASH = re.compile(r"(?=[^/]*\d)[0-9a-f]{16,}|(?=[^/]*\d)(?=[^/]*[a-z])(?=[^/]*[A-Z])[\w-]{20,}")
_NUMBER = re.compile(r"\d+")
#: Levels of a JSON value that are shown, members of one object, and characters of one string.
_MOST_DEPTH = 4
_MOST_MEMBERS = 14
_MOST_TEXT = 32
_OPERATION = re.compile(r"\b(query|mutation|subscription)\b\s*([A-Za-z_]\w*)?")
_FIRST_FIELD = re.compile(r"\{\s*([A-Za-z_]\w*)")


class SentBody(Record):
    """The body of a request: its ``kind`` (JSON, form, multipart, GraphQL, batch, XML, text or binary).

    ``fields`` are those of a form, ``shape`` a short form of anything else; ``operations`` the
    names of GraphQL operations, or the parts of a batch.
    """

    kind: str
    shape: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    operations: tuple[str, ...] = ()


def path_pattern(path: str) -> str:
    """A URL path with ids, dates, UUIDs and hashes as ``{id}``, ``{date}``, ``{uuid}`` and ``{hash}``."""
    dated = _DATE.sub("{date}", _UUID.sub("{uuid}", path))
    return "/".join(_segment(part) for part in dated.split("/"))


def _segment(part: str) -> str:
    stem, dot, suffix = part.rpartition(".")
    name, end = (stem, dot + suffix) if dot and stem and len(suffix) <= 5 else (part, "")
    if "{" in name:
        return part
    if _NUMBER.fullmatch(name):
        return "{id}" + end
    if _HASH.fullmatch(name):
        return "{hash}" + end
    # A word with a long number in it: item-48213.html.
    return re.sub(r"\d{4,}", "{id}", name) + end


def is_changing(value: str) -> bool:
    """Whether a parameter's value is of the kind that changes from call to call: a number, date or id."""
    bare = value.strip()
    return not bare or not re.search(r"[A-Za-z\u0080-\uffff]", bare) or path_pattern(bare) != bare


def shape_of(value: object, depth: int = _MOST_DEPTH) -> str:
    """A JSON value in one line: every member once with a sample value, an array as ``[n x first]``."""
    if isinstance(value, Mapping | list) and not value:
        return "{}" if isinstance(value, Mapping) else "[]"
    if isinstance(value, Mapping):
        if depth == 0:
            return f"{{{len(value)} members}}"
        shown = [
            f"{name}: {shape_of(inner, depth - 1)}" for name, inner in list(value.items())[:_MOST_MEMBERS]
        ]
        left = len(value) - len(shown)
        return "{" + ", ".join([*shown, *([f"… {left} more"] if left > 0 else [])]) + "}"
    if isinstance(value, list):
        return f"[{len(value)} x {shape_of(_fullest(value), max(depth - 1, 0))}]"
    if isinstance(value, str):
        text = " ".join(value.split())
        return json.dumps(text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT] + "…", ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)


def schema_of(value: object, depth: int = _MOST_DEPTH) -> str:
    """A JSON value in one line with types in place of values."""
    if isinstance(value, Mapping):
        if depth == 0:
            return "object"
        shown = [f"{name}: {schema_of(inner, depth - 1)}" for name, inner in list(value.items())[:40]]
        return "{" + ", ".join([*shown, *(["…"] if len(value) > 40 else [])]) + "}"
    if isinstance(value, list):
        return f"[{schema_of(_fullest(value), max(depth - 1, 0))}]" if value else "[]"
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return names.get(type(value), "null")


def _fullest(values: list[object]) -> object:
    """The element that shows most of an array: the first, or the object with the most members."""
    objects = [one for one in values[:20] if isinstance(one, Mapping)]
    return max(objects, key=len) if objects else values[0]


def json_of(text: str) -> object:
    """The JSON value of a text, as it is or as the argument of a JSONP call.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return json.loads(text)
    except ValueError:
        called = re.match(
            r"\s*(?:/\*.*?\*/\s*)?(?:try\s*\{\s*)?[\w$.\[\]]+(?:\s*&&\s*[\w$.]+)?\s*\(", text, re.DOTALL
        )
        end = text.rfind(")")
        if called is None or end < called.end():
            raise
        return json.loads(text[called.end() : end])


def answer_shape(text: str) -> tuple[str, str]:
    """Shape and schema of an answer that is JSON or JSONP; two empty strings for another."""
    try:
        value = json_of(text)
    except ValueError:
        return "", ""
    return (shape_of(value), schema_of(value)) if isinstance(value, Mapping | list) else ("", "")


def sent_body(body: bytes, content_type: str) -> SentBody | None:
    """What a request's body is; None where there is none."""
    if not body:
        return None
    media = content_type.split(";", maxsplit=1)[0].strip().lower()
    if media == "multipart/form-data":
        return SentBody(kind="multipart", fields=_multipart(body, content_type))
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return SentBody(kind="binary", shape=f"{len(body)} bytes of {media or 'an unknown type'}")
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return _json_body(value) if isinstance(value, Mapping | list) else _text_body(text, media)


def _text_body(text: str, media: str) -> SentBody:
    form = media == "application/x-www-form-urlencoded" or not media
    if form and re.fullmatch(r"[^\s=&<>{]+=\S*", text):
        return SentBody(kind="form", fields=tuple(parse_qsl(text, keep_blank_values=True)))
    if media == "application/graphql":
        operation = _operation({"query": text})
        return SentBody(kind="GraphQL", shape=" ".join(text.split())[:300], operations=(operation,))
    kind = "XML" if text.lstrip().startswith("<") else "text"
    return SentBody(kind=kind, shape=" ".join(text.split())[:200])


def _json_body(value: Mapping[str, object] | list[object]) -> SentBody:
    if isinstance(value, Mapping) and _is_graphql(value):
        variables = value.get("variables")
        shown = f"variables {shape_of(variables)}" if isinstance(variables, Mapping) and variables else ""
        return SentBody(kind="GraphQL", shape=shown, operations=(_operation(value),))
    inner = value if isinstance(value, list) else value.get("requests") or value.get("batch")
    parts = [one for one in inner if isinstance(one, Mapping)] if isinstance(inner, list) else []
    kind, operations = "batch", tuple(filter(None, map(_batched, parts)))
    if inner is value and len(parts) < len(value):
        operations = ()
    elif inner is value and parts and all(map(_is_graphql, parts)):
        kind, operations = "GraphQL batch", tuple(map(_operation, parts))
    return SentBody(kind=kind if operations else "JSON", shape=shape_of(value), operations=operations)


def _is_graphql(value: Mapping[str, object]) -> bool:
    query = value.get("query")
    if isinstance(query, str) and (_OPERATION.search(query) or query.lstrip().startswith("{")):
        return True
    return "operationName" in value and ("variables" in value or "extensions" in value)


def _operation(value: Mapping[str, object]) -> str:
    query = str(value.get("query") or "")
    found = _OPERATION.search(query)
    name = str(value.get("operationName") or (found[2] if found and found[2] else ""))
    first = _FIRST_FIELD.search(query)
    return f"{found[1] if found else 'query'} {name or (first[1] if first else '(no name)')}"


def _batched(one: Mapping[str, object]) -> str:
    """A part of a batch that names a method and an address, or a remote procedure (JSON-RPC 2.0)."""
    target = one.get("url") or one.get("path") or one.get("relative_url") or one.get("uri")
    method = one.get("method")
    if isinstance(target, str):
        return f"{method or 'GET'} {target}"
    return str(method) if isinstance(method, str) else ""


def _multipart(body: bytes, content_type: str) -> tuple[tuple[str, str], ...]:
    """The fields of a multipart body (RFC 7578): a file as its name and size."""
    message = message_from_bytes(f"content-type: {content_type}\r\n\r\n".encode() + body)
    fields: list[tuple[str, str]] = []
    for part in message.get_payload() if message.is_multipart() else []:
        if isinstance(part, str):
            continue
        name = str(part.get_param("name", "", "content-disposition"))
        content = part.get_payload(decode=True)
        data = content if isinstance(content, bytes) else b""
        file = part.get_filename()
        fields.append(
            (name, f"(file {file}, {len(data)} bytes)" if file else data.decode("utf-8", "replace"))
        )
    return tuple(fields)
