"""Tool calls as they come from a server: ids and arguments that can be sent back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

#: Longest id that OpenAI's Chat Completions take back, in characters.
LONGEST_ID = 40
#: The one length that Mistral's API takes.
_OWN_ID_CHARS = 9


def arguments_text(value: object) -> str:
    """A call's arguments as JSON text: a string as it came, an object as JSON, nothing as ``{}``."""
    if isinstance(value, str):
        return value if value.strip() else "{}"
    return "{}" if value is None else json.dumps(value, ensure_ascii=False)


def sendable_arguments(text: str) -> str:
    """Arguments for the way back: text that is no JSON object is wrapped in one.

    Servers of either API parse the arguments of earlier calls and refuse the whole conversation otherwise;
    the tool has told the model what is wrong with them.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return text if isinstance(value, dict) else json.dumps({"malformed_arguments": text}, ensure_ascii=False)


def png_url(png_base64: str) -> str:
    """A picture as the address that either API takes it by."""
    return f"data:image/png;base64,{png_base64}"


def usable_ids(given: Iterable[object], seed: str) -> list[str]:
    """One id for each call of a turn: the server's own, or one of ours where it has none that will do.

    A missing, doubled or overlong id could not be told apart or sent back. Ours are nine letters and digits
    made from ``seed`` and the place, so that the same answer always gets the same.
    """
    ids: list[str] = []
    for place, value in enumerate(given):
        own = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if not own.strip() or own in ids or len(own) > LONGEST_ID:
            own = made_id(f"{seed}/{place}")
        ids.append(own)
    return ids


def made_id(seed: str) -> str:
    """An id of ours."""
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:_OWN_ID_CHARS]


def part_text(content: object) -> str:
    """The text of a message's content: a string, or a list of parts; a refusal is what the model said."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return ""
    return "".join(_text_of(part) for part in content)


def refusal_of(body: Mapping[str, Any]) -> str:
    """The refusal that an answer of either API holds as such; empty where it holds none."""
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, Mapping) else None
    output = body.get("output")
    messages = [message, *(output if isinstance(output, list) else ())]
    said: list[str] = []
    for each in messages:
        if not isinstance(each, Mapping):
            continue
        content = each.get("content")
        parts = content if isinstance(content, list) else []
        given = [each, *(part for part in parts if isinstance(part, Mapping))]
        said += [part["refusal"] for part in given if isinstance(part.get("refusal"), str)]
    return " ".join(" ".join(said).split())


def _text_of(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") in ("thinking", "reasoning"):
        return ""
    value: Any = part.get("text") or part.get("refusal") or ""
    return value if isinstance(value, str) else ""
