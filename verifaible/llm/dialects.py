"""Tool calls that a model wrote as text.

Some models, or the servers they run on, leave a tool call in the text instead of in a tool-call item.
Each form here is that of a model's own chat template: JSON between ``<tool_call>`` tags (Qwen, Hermes),
argument tags (GLM), ``invoke`` elements (MiniMax), special tokens (DeepSeek, Kimi), and fenced JSON.
Only a call to a tool that exists counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from verifaible.llm.wire import call_item
from verifaible.schema.chat import ModelTurn, ToolCall, ToolSpec

_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.S)
_THOUGHT_WITHOUT_START = re.compile(r"\A.*</think(?:ing)?>", re.S)
_THOUGHT_WITHOUT_END = re.compile(r"<think(?:ing)?>.*\Z", re.S)

_DEEPSEEK = re.compile(
    r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?P<name>[\w.-]+)(?:<｜tool▁sep｜>|\s)\s*"
    r"(?:```(?:json)?\s*)?(?P<arguments>\{.*?\})?\s*(?:```\s*)?<｜tool▁call▁end｜>",
    re.S,
)
_KIMI = re.compile(
    r"<\|tool_call_begin\|>\s*(?:functions\.)?(?P<name>[\w-]+)(?::\d+)?\s*"
    r"<\|tool_call_argument_begin\|>\s*(?P<arguments>.*?)\s*<\|tool_call_end\|>",
    re.S,
)
_TAGGED = re.compile(r"<tool_call>\s*(?P<json>[{\[].*?[}\]])\s*</tool_call>", re.S)
_GLM = re.compile(r"<tool_call>\s*(?P<name>[\w-]+)\s*(?P<pairs>(?:<arg_key>.*?)?)\s*</tool_call>", re.S)
_GLM_PAIR = re.compile(r"<arg_key>\s*(.*?)\s*</arg_key>\s*<arg_value>(.*?)</arg_value>", re.S)
_MINIMAX = re.compile(r"<invoke name=[\"']?(?P<name>[\w-]+)[\"']?>(?P<pairs>.*?)</invoke>", re.S)
_MINIMAX_PAIR = re.compile(r"<parameter name=[\"']?([^\"'>]+)[\"']?>(.*?)</parameter>", re.S)
_FENCED = re.compile(r"```(?:json|tool_call|tool_code)?\s*(?P<json>[{\[].*?[}\]])\s*```", re.S)
_WHOLE = re.compile(r"\A\s*(?P<json>[{\[].*[}\]])\s*\Z", re.S)
_FORMS = (_DEEPSEEK, _KIMI, _TAGGED, _GLM, _MINIMAX, _FENCED, _WHOLE)

#: Tags around a whole group of calls, which are left over when the calls are taken out.
_WRAPPERS = re.compile(
    r"<｜tool▁calls▁(?:begin|end)｜>|<\|tool_calls_section_(?:begin|end)\|>|</?(?:minimax:)?tool_calls?>"
)


def strip_thinking(text: str) -> str:
    """The text without what a model thought aloud between ``<think>`` tags.

    A missing start tag (chat templates put it into the prompt) or end tag (the output was cut) counts
    as one at the start or the end of the text.
    """
    text = _THOUGHT.sub("", text)
    text = _THOUGHT_WITHOUT_START.sub("", text)
    return _THOUGHT_WITHOUT_END.sub("", text).strip()


def read_text_calls(text: str, tools: Sequence[ToolSpec]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The calls to known tools in a text.

    Returns:
        the text without them, and the tool name and JSON arguments of each, in the order they stand.
        The first form that gives a call is the model's own; forms are not mixed.
    """
    known = {tool.name: tool for tool in tools}
    for form in _FORMS:
        found = [(match, tuple(_calls(match, known))) for match in form.finditer(text)]
        found = [(match, calls) for match, calls in found if calls]
        if found:
            rest = text
            for match, _ in reversed(found):
                rest = rest[: match.start()] + rest[match.end() :]
            return _WRAPPERS.sub("", rest).strip(), tuple(call for _, calls in found for call in calls)
    return text, ()


def with_text_calls(turn: ModelTurn, tools: Sequence[ToolSpec], id_prefix: str) -> ModelTurn:
    """The turn without thoughts in its text, and with calls where it had them only as text.

    A turn with tool calls of its own stays as it is. Where calls are found, the endpoint's message
    items are replaced by call items, so that the results have a call to refer to.

    Args:
        turn: the model's answer.
        tools: the tools that exist.
        id_prefix: start of the ids of the calls; must differ from round to round.
    """
    if turn.tool_calls:
        return turn
    text, found = read_text_calls(strip_thinking(turn.text), tools)
    if not found:
        return turn.model_copy(update={"text": text})
    calls = tuple(
        ToolCall(id=f"{id_prefix}_{number}", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(found, start=1)
    )
    items = [item for item in turn.provider_items if item.get("type") == "reasoning"]
    if text and items:
        items.append({"role": "assistant", "content": text})
    provider_items = (*items, *(call_item(call) for call in calls)) if items else ()
    return turn.model_copy(update={"text": text, "tool_calls": calls, "provider_items": provider_items})


def _calls(match: re.Match[str], known: Mapping[str, ToolSpec]) -> Iterator[tuple[str, str]]:
    """The calls to known tools in one match of a form."""
    groups = match.groupdict()
    if "json" in groups:
        yield from _json_calls(groups["json"], known)
        return
    tool = known.get(groups["name"])
    if tool is None:
        return
    if "arguments" in groups:
        yield tool.name, groups["arguments"] or "{}"
        return
    pairs = (_GLM_PAIR if match.re is _GLM else _MINIMAX_PAIR).findall(groups["pairs"])
    values = {key: _typed(value, tool, key) for key, value in pairs}
    yield tool.name, json.dumps(values, ensure_ascii=False)


def _json_calls(text: str, known: Mapping[str, ToolSpec]) -> Iterator[tuple[str, str]]:
    """Calls as ``{"name": ..., "arguments": {...}}``, one or a list of them."""
    try:
        values = json.loads(text)
    except ValueError:
        return
    for value in values if isinstance(values, list) else [values]:
        if not isinstance(value, dict) or value.get("name") not in known:
            continue
        arguments = value.get("arguments", value.get("parameters"))
        if isinstance(arguments, str):
            yield value["name"], arguments
        elif isinstance(arguments, dict):
            yield value["name"], json.dumps(arguments, ensure_ascii=False)


def _typed(text: str, tool: ToolSpec, key: str) -> Any:
    """An argument written between tags: text where the tool's schema says so, else JSON if it is."""
    properties = tool.parameters.get("properties")
    schema = properties.get(key) if isinstance(properties, dict) else None
    if isinstance(schema, dict) and schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
