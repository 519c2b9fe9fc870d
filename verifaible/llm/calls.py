"""Tool calls as they come from a server: ids and arguments that can be sent back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from verifaible.schema.chat import ToolCall

#: Longest id that OpenAI's Chat Completions take back, in characters.
LONGEST_ID = 40
#: The one length that Mistral's API takes.
_OWN_ID_CHARS = 9


def known_name(name: str, known: Collection[str]) -> str:
    """The name of a call as it goes to the tools and back to the endpoint.

    What models hang on a name is taken off where a known one is left: channel marks (``x<|channel|>``),
    namespaces (``functions.web_fetch``), numbers (``web_fetch:0``), other separators and case. Any other name
    is made one that endpoints take back (letters, digits, ``_`` and ``-``, at most 64).
    """
    plain = {each.lower().replace("-", "_"): each for each in known}
    words = re.split(r"[^\w-]+", name.strip())
    found = {plain[word] for each in words if (word := each.lower().replace("-", "_")) in plain}
    if name in known or len(found) == 1:
        return name if name in known else found.pop()
    return re.sub(r"[^A-Za-z0-9_-]", "_", name.strip())[:64]


def arguments_text(value: object) -> str:
    """A call's arguments as the JSON text of an object, if nothing else can be meant.

    An object and a string as they came, nothing as ``{}``. Of a string that is no JSON object, the one object
    that it holds: encoded twice, with line breaks in its strings, in a fence, or with a token of the model's
    format behind it.
    """
    if not isinstance(value, str):
        return "{}" if value is None else json.dumps(value, ensure_ascii=False)
    if not value.strip() or is_object(value):
        return value if value.strip() else "{}"
    inner: Any = value
    while isinstance(inner, str):
        try:
            inner = json.loads(_AROUND.sub("", inner), strict=False)
        except (ValueError, RecursionError):
            return value
    return json.dumps(inner, ensure_ascii=False) if isinstance(inner, dict) else value


#: A fence around arguments, and tokens behind them.
_AROUND = re.compile(r"\A\s*(?:`{3,}\w*\s+)?|(?:\s|`{3,}|<[|｜][^<>\n]*>)*\Z")


def is_object(text: str) -> bool:
    """Whether a text is a JSON object."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def sendable_arguments(text: str) -> str:
    """Arguments for the way back: text that is no JSON object is wrapped in one.

    Servers of either API parse the arguments of earlier calls and refuse the whole conversation otherwise;
    the tool has told the model what is wrong with them.
    """
    return text if is_object(text) else json.dumps({"malformed_arguments": text}, ensure_ascii=False)


def png_url(png_base64: str) -> str:
    """A picture as the address that either API takes it by."""
    return f"data:image/png;base64,{png_base64}"


def tool_calls(
    given: Iterable[tuple[object, object, object]], seed: str, known: Collection[str]
) -> tuple[ToolCall, ...]:
    """The calls of a turn.

    Args:
        given: the id, the name and the arguments of each, as the server sent them. An id that is missing,
            doubled or too long could not be told apart or sent back: it becomes one of ours, nine letters
            and digits made from ``seed`` and the place, so that the same answer always gets the same.
        seed: what ids are made from.
        known: the names of the tools.
    """
    made: dict[str, ToolCall] = {}
    for place, (value, name, arguments) in enumerate(given):
        own = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if not own.strip() or own in made or len(own) > LONGEST_ID:
            digest = hashlib.sha256(f"{seed}/{place}".encode("utf-8", "surrogatepass"))
            own = digest.hexdigest()[:_OWN_ID_CHARS]
        made[own] = ToolCall(id=own, name=known_name(str(name), known), arguments=arguments_text(arguments))
    return tuple(made.values())


def part_text(content: object) -> str:
    """The text of a message's content: a string, or parts; a refusal in a part is what the model said."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return ""
    return "".join(_text_of(part) for part in content)


def refusal_text(contents: Iterable[object]) -> str:
    """The refusals that are told as such: by a message's content, one of its parts, or a message."""
    said: list[str] = []
    for content in contents:
        parts = content if isinstance(content, list) else [content]
        refusals = (part.get("refusal") for part in parts if isinstance(part, Mapping))
        said += [each for each in refusals if isinstance(each, str)]
    return " ".join(" ".join(said).split())


def _text_of(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") in ("thinking", "reasoning"):
        return ""
    value: Any = part.get("text") or part.get("refusal") or ""
    return value if isinstance(value, str) else ""
