"""Arguments that models wrote by hand: nearly JSON, Python, or text between tags; and calls within JSON."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from verifaible.schema.chat import ToolSpec

_NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "action", "recipient_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "params", "action_input", "tool_input")
#: Keys under which a call, or several, stand in a JSON object.
_CALL_KEYS = re.compile(r"(?:tool|function)_?(?:calls?|uses?)\Z")
_BRACKET = re.compile(r"[()\[\]{}\"'\\]")


def balanced_end(text: str, start: int) -> int | None:
    """Behind the bracket that closes the one at ``start``, brackets in strings aside; None without one."""
    depth, quote, skip = 0, "", -1
    for match in _BRACKET.finditer(text, start):
        char, place = match[0], match.start()
        if place == skip:
            continue
        if char == "\\":
            skip = place + 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            # an apostrophe in bare text, or the quote of a token such as <|"|>, begins no string
            if text[place - 1] in "([{,:= \n" and not text.startswith("|>", place + 1):
                quote = char
        elif char in "([{":
            depth += 1
        elif (depth := depth - 1) == 0:
            return match.end()
    return None


def loose_value(text: str) -> Any:
    """JSON, or a Python literal, or an object with bare keys and quotes of its own; None if it is none."""
    for reading in (text, _plain_quotes(text)):
        try:
            return json.loads(reading, strict=False)
        except (ValueError, RecursionError):
            pass
        try:
            return None if _strings_run_together(reading) else ast.literal_eval(reading)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            pass
    return None


def _strings_run_together(text: str) -> bool:
    """Whether two strings stand side by side, which Python takes for one: a comma is missing there."""
    try:
        kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    except tokenize.TokenError:
        return True
    return any(pair == (tokenize.STRING, tokenize.STRING) for pair in pairwise(kinds))


def _plain_quotes(text: str) -> str:
    """With the quotes that are tokens (``<escape>``, ``<|"|>``) and the bare keys of an object in quotes."""
    text = re.sub(
        r"(<escape>|<\|\"\|>)(.*?)\1",
        lambda match: json.dumps(match[2], ensure_ascii=False),
        text,
        flags=re.S,
    )
    return re.sub(r"([{,]\s*)([A-Za-z_]\w*)\s*:", r'\1"\2":', text)


def keyword_arguments(brackets: str, tool: ToolSpec) -> dict[str, Any] | None:
    """``(name=value, ...)`` as arguments; values without a name in the order of the schema."""
    try:
        call = ast.parse(f"call{brackets}", mode="eval").body
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if not isinstance(call, ast.Call):
        return None
    words = {"true": True, "false": False, "null": None}
    found: dict[str, Any] = {}
    names = [*properties_of(tool)]
    given = [*zip(names, call.args, strict=False), *((word.arg or "", word.value) for word in call.keywords)]
    for name, value in given:
        if isinstance(value, ast.Name) and value.id in words:
            found[name] = words[value.id]
            continue
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, TypeError, RecursionError):
            return None
    return found


def properties_of(tool: ToolSpec) -> Mapping[str, Any]:
    """The schemas of a tool's arguments, by their names."""
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}


def fits(arguments: str, tool: ToolSpec) -> bool:
    """Whether arguments have only fields that the tool knows, and at least one."""
    value = loose_value(arguments)
    return isinstance(value, dict) and bool(value) and value.keys() <= properties_of(tool).keys()


def tagged_value(text: str, tool: ToolSpec, key: str, *, as_text: bool = False) -> Any:
    """A value between tags: text where the form or the schema says so, else JSON if it is."""
    if text.startswith("\n"):
        text = text[1:].removesuffix("\n")
    schema = properties_of(tool).get(key)
    if as_text or (isinstance(schema, dict) and schema.get("type") == "string"):
        return text
    value = loose_value(text.strip())
    return text if value is None and text.strip() != "null" else value


def calls_in_value(value: Any, tools: Mapping[str, ToolSpec], *, marked: bool) -> Iterator[tuple[str, str]]:
    """Calls as ``{"name": ..., "arguments": {...}}`` and the like: one, or a list of them."""
    if isinstance(value, list):
        for each in value:
            yield from calls_in_value(each, tools, marked=marked)
        return
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if _CALL_KEYS.match(key) and isinstance(inner, dict | list):
            yield from calls_in_value(inner, tools, marked=marked)
            return
    if isinstance(value.get("function"), dict):
        value = value["function"]
    named = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if named is None:
        only = next(iter(value), "") if len(value) == 1 else ""
        if only in tools and isinstance(value[only], dict):
            yield only, json.dumps(value[only], ensure_ascii=False)
        return
    tool = tools.get(re.sub(r"\A(?:\w+[.:])+|:\d+\Z", "", value[named]))
    if tool is None:
        return
    arguments = next((value[key] for key in _ARGUMENT_KEYS if isinstance(value.get(key), str | dict)), None)
    rest = {key: each for key, each in value.items() if key in properties_of(tool) and key != named}
    if arguments is None and (rest or marked):
        arguments = rest
    if arguments is not None:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        yield tool.name, text
