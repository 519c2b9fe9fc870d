"""The forms in which models write tool calls as text: those of their own chat templates.

Sources, read in the templates and in the parsers of vLLM and SGLang: DeepSeek R1 and V3 (tokens with
fenced JSON), V3.1 (tokens), V3.2 and V4 (DSML); Kimi K2; GLM-4.5 to 5; MiniMax M2; Qwen3 and Hermes (JSON
in tags); Qwen3-Coder and Qwen3.5 (``function`` and ``parameter`` tags); Llama 3.1; Mistral; gpt-oss
(harmony); Phi-4 and Granite.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verifaible.schema.chat import ToolSpec

_NAME = r"(?:functions?\.)?(?P<name>[\w-]+)"
_DSML = r"<(?P<slash>/?)[｜|]+DSML[｜|]+\s*".replace("(?P<slash>/?)", "{slash}")


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a call.

    Attributes:
        pattern: a call; its groups are ``json`` (name and arguments in one value, or several of them), or
            ``name`` with ``arguments`` (JSON) or ``body`` (arguments between tags, or JSON).
        pair: an argument in the ``body``: groups ``key``, ``value`` and maybe ``text`` (``true``, ``false``).
        marked: whether tokens or tags mark it as a call; JSON alone is not marked.
        ends: one of these closes every call; a text without them is not searched, which keeps a model that
            repeats an opening tag without end from taking seconds.
    """

    pattern: re.Pattern[str]
    pair: re.Pattern[str] | None = None
    marked: bool = True
    ends: tuple[str, ...] = ("}",)

    def matches(self, text: str) -> list[re.Match[str]]:
        """The places in a text that have this form."""
        return list(self.pattern.finditer(text)) if any(end in text for end in self.ends) else []


def _form(pattern: str, pair: str = "", *, marked: bool = True, ends: tuple[str, ...] = ("}",)) -> Form:
    return Form(re.compile(pattern, re.S), re.compile(pair, re.S) if pair else None, marked, ends)


_OPEN, _CLOSE = _DSML.replace("{slash}", ""), _DSML.replace("{slash}", "/")

#: Tried in this order; the first that gives a call is the model's own.
FORMS = (
    # DeepSeek R1, V3 and V3.1
    _form(
        rf"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?{_NAME}(?:<｜tool▁sep｜>|\s)\s*"
        r"(?:```(?:json)?\s*)?(?P<arguments>\{.*?\})?\s*(?:```\s*)?(?:<｜tool▁call▁end｜>|\Z)",
        ends=("<｜tool▁call▁begin｜>",),
    ),
    # DeepSeek V3.2 and V4
    _form(
        rf"{_OPEN}invoke\s+name=\"{_NAME}\">(?P<body>.*?){_CLOSE}invoke>",
        rf"{_OPEN}parameter\s+name=\"(?P<key>[^\"]+)\"(?:\s+string=\"(?P<text>true|false)\")?>"
        rf"(?P<value>.*?){_CLOSE}parameter>",
        ends=("invoke>",),
    ),
    # Kimi K2
    _form(
        rf"<\|tool_call_begin\|>\s*{_NAME}(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*"
        r"(?P<arguments>.*?)(?:\s*<\|tool_call_end\|>|(?<=\})\s*\Z)",
        ends=("}", "<|tool_call_end|>"),
    ),
    # gpt-oss; the recipient is in the role or behind the channel
    _form(
        r"(?:<\|start\|>assistant)?(?:<\|channel\|>\w+)?\s*to=functions\.(?P<name>[\w-]+)"
        r"(?:\s*<\|channel\|>\w+)?[^<{]*(?:<\|constrain\|>\s*\w+)?\s*<\|message\|>"
        r"(?P<arguments>.*?)(?:<\|call\|>|<\|end\|>|(?=<\|start\|>)|(?<=\})\s*\Z)",
        ends=("<|message|>",),
    ),
    # Qwen3-Coder and Qwen3.5; Llama 3.1's function tag with JSON in it
    _form(
        rf"(?:<tool_call>\s*)?<function={_NAME}>(?P<body>.*?)</function>(?:\s*</tool_call>)?",
        r"<parameter=(?P<key>[^>\s]+)>\n?(?P<value>.*?)\n?</parameter>",
        ends=("</function>",),
    ),
    # Qwen3, Hermes, Phi-4, Granite
    _form(r"<\|?tool_call\|?>\s*(?P<json>[{\[].*?[}\]])\s*(?:<\|?/tool_call\|?>|(?:<\|im_end\|>)?\s*\Z)"),
    # GLM
    _form(
        rf"<tool_call>\s*{_NAME}\s*(?P<body>(?:<arg_key>.*?)?)\s*</tool_call>",
        r"<arg_key>\s*(?P<key>.*?)\s*</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>",
        ends=("</tool_call>",),
    ),
    # MiniMax M2
    _form(
        rf"<invoke name=[\"']?{_NAME}[\"']?>(?P<body>.*?)</invoke>",
        r"<parameter name=[\"']?(?P<key>[^\"'>]+)[\"']?>(?P<value>.*?)</parameter>",
        ends=("</invoke>",),
    ),
    # Mistral, older and newer
    _form(r"\[TOOL_CALLS\]\s*(?P<json>\[.*?\]|\{.*?\})\s*(?=\[TOOL_CALLS\]|</s>|\Z)"),
    _form(
        r"\[TOOL_CALLS\]\s*(?P<name>[\w-]+)(?:\[CALL_ID\][\w-]+)?(?:\[ARGS\])?\s*"
        r"(?P<arguments>\{.*?\})\s*(?=\[TOOL_CALLS\]|</s>|\Z)"
    ),
    # Llama 3.1
    _form(r"<\|python_tag\|>\s*(?P<json>\{.*?\})\s*(?:<\|eom_id\|>|<\|eot_id\|>|\Z)"),
    # any model that was only told about tools
    _form(r"```(?:json|tool_calls?|tool_code|tool)?\s*(?P<json>[{\[].*?[}\]])\s*```", marked=False),
    _form(r"\A\s*(?P<json>[{\[].*[}\]])\s*\Z", marked=False),
)

#: Tags around a whole group of calls, and tokens that end a message: left over without the calls.
WRAPPERS = re.compile(
    r"<｜tool▁calls▁(?:begin|end)｜>|<\|tool_calls_section_(?:begin|end)\|>|<｜end▁of▁sentence｜>"
    r"|</?[｜|]+DSML[｜|]+\s*(?:function_calls|tool_calls|calls)>|</?(?:minimax:)?(?:tool_calls?|function_calls)>"
    r"|<\|(?:im_end|eom_id|eot_id|end|call|return|python_tag|end_of_text)\|>|</s>"
)
#: Where results of calls begin that the model made up instead of waiting for them.
INVENTED = re.compile(
    r"<tool_response>|<｜tool▁outputs?▁begin｜>|<function_results>|<\|tool_response\|>|\[TOOL_RESULTS\]"
    r"|<\|start_header_id\|>ipython|<\|observation\|>"
)

_BROKEN = re.compile(
    r"\"name\"\s*:\s*\"([\w.-]+)\".*?\"(?:arguments|parameters)\"\s*:\s*(.*?)\s*\}?\s*\Z", re.S
)
_NAMES = ("name", "function", "tool", "tool_name")
_ARGUMENTS = ("arguments", "parameters", "args")


def calls_in(form: Form, match: re.Match[str], known: Mapping[str, ToolSpec]) -> Iterator[tuple[str, str]]:
    """The calls to known tools in one match of a form: names and JSON arguments."""
    groups = match.groupdict()
    if "json" in groups:
        yield from _json_calls(groups["json"], known, marked=form.marked)
        return
    tool = known.get(groups["name"])
    if tool is None:
        return
    if "arguments" in groups:
        yield tool.name, (groups["arguments"] or "").strip() or "{}"
        return
    body, pairs = groups["body"], [] if form.pair is None else list(form.pair.finditer(groups["body"]))
    if not pairs and body.strip().startswith("{"):
        yield tool.name, body.strip()
        return
    values = {pair["key"]: _value(pair, tool) for pair in pairs}
    yield tool.name, json.dumps(values, ensure_ascii=False)


def _json_calls(text: str, known: Mapping[str, ToolSpec], *, marked: bool) -> Iterator[tuple[str, str]]:
    """Calls as ``{"name": ..., "arguments": {...}}`` and the like, one, several or a list of them."""
    values = _values(text)
    broken = _BROKEN.search(text) if values is None and marked else None
    if broken and broken[1] in known:
        yield broken[1], broken[2]  # the tool says what is wrong with them
    for value in values or ():
        if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
            yield from _json_calls(json.dumps(value["tool_calls"]), known, marked=marked)
            continue
        call = _call(value)
        if call and call[0] in known:
            yield call


def _values(text: str) -> list[Any] | None:
    """The JSON values of a text, one after another (Llama puts semicolons between); None if broken."""
    decoder, place, found = json.JSONDecoder(strict=False), 0, []
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return None
        found += value if isinstance(value, list) else [value]
        while place < len(text) and text[place] in " \t\r\n;,":
            place += 1
    return found


def _call(value: Any) -> tuple[str, str] | None:
    """The name and the arguments of a call in JSON, if it has both."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    arguments = next((value[key] for key in _ARGUMENTS if isinstance(value.get(key), str | dict)), None)
    if not name or arguments is None:
        return None
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return name.removeprefix("functions."), text


def _value(pair: re.Match[str], tool: ToolSpec) -> Any:
    """An argument written between tags: text where the form or the schema says so, else JSON if it is."""
    text, as_text = pair["value"], pair.groupdict().get("text")
    properties = tool.parameters.get("properties")
    schema = properties.get(pair["key"]) if isinstance(properties, dict) else None
    if as_text == "true" or (isinstance(schema, dict) and schema.get("type") == "string"):
        return text
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
