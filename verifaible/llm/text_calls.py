"""Tool calls that a model, or the server it runs on, left in the text of a reply.

A model that calls a tool stops there. So calls are read where they end a reply; what goes on behind its calls
shows them, with two exceptions: results that the model made up are cut off with all that follows, and a reply
that begins with a call in the marks of a template may say a sentence behind it.

A call is looked for where the name of a tool stands, in one of 3 forms: a JSON value with the name and the
arguments, the name and a JSON object, or the name and elements (or keywords) with a value each. What the
families' templates write around these is data, in ``text_calls.json``.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from verifaible.llm import chat, responses
from verifaible.llm.thoughts import joined, split_thoughts
from verifaible.schema.chat import ModelTurn, ToolCall, ToolSpec

#: What templates write: ``marks`` (special tokens and tags; one that speaks of tools tells that a
#: call is meant), ``labels`` (what announces a call in words, at the beginning of a line), and ``keys`` (the
#: members of a JSON call that hold its name, its arguments, and further calls).
_FORMS = json.loads(resources.files("verifaible.llm").joinpath("text_calls.json").read_text(encoding="utf-8"))
_KEYS: Mapping[str, Sequence[str]] = _FORMS["keys"]
_MARK = re.compile("|".join(_FORMS["marks"].values()), re.I)
_OF_TOOLS = re.compile(r"tool|func|call|invoke|action|python|plugin|args|commentary", re.I)
_LABEL = re.compile(rf"(?:^|(?<=\n))[ \t]*(?:{'|'.join(_FORMS['labels'].values())})[ \t]*`?", re.I)
_FENCE = re.compile(r"(?:^|(?<=\n))[ \t]*(?:`{3,}|~{3,})[ \t]*[\w-]*(?:[ \t]*(?=\n|<)|\Z)")
#: Between a name and its arguments.
_GAP = re.compile(
    r"\s+|:\d+|[\"'`*,:]+|(?:`{3,}|~{3,})[ \t]*[\w-]*|(?<=\])\w+(?=\[)|json\b|[\w-]+(?: [\w-]+)?(?=\s*<[|｜])"
    r"|\**(?:action |tool )?(?:arguments|parameters|args|input)\b",
    re.I,
)
#: In front of a name: namespaces, or the beginning of a JSON object that cannot be read.
_PREFIX = re.compile(r"(?:(?:\b(?:print\(|to=|\w+[.:]))+|\[?\s*\{\s*[\"']\w+[\"']\s*:\s*[\"'])\Z")
_CITED = re.compile(r"\[@v:\s*\d+\s*\]")
#: An argument's tag: ``<parameter=key>``, ``<param name="key">``, or ``<key>``.
_ARGUMENT = re.compile(
    r"<(?:[|｜]\w+[|｜])?(?:\w+:)?(?:(?:parameter|param|argument)(?:=|\b[^<>]*?\sname\s*=\s*)[\"']?([^\"'>]+)|([\w-]+))"
)
#: An element: its tag, and its value, which may have lost the closing tag.
_TAG = r"\s*<(?P<tag>(?:[|｜]\w+[|｜])?[\w:-]+)(?P<more>(?:[\s=][^<>\n]*)?)>"
_WRAPPER = re.compile(_TAG)
_ELEMENT = re.compile(
    rf"{_TAG}(?:(?P<value>(?:(?!<(?P=tag)).)*?)</(?P=tag)>|(?P<lost>.*?)(?=</?[\w:]|\Z))", re.S
)
_SENTENCE_END = re.compile(r"[.!?。！？…][\"')\]”’*]*\s*\Z")
#: Strings and brackets; an apostrophe in bare text begins no string.
_PIECE = re.compile(r"\"(?:\\.|[^\"\\])*\"|(?<=[(\[{,:= \n])'(?:\\.|[^'\\])*'|[()\[\]{}]", re.S)
#: Values without an end that are tried: a text with more is not searched further.
_MOST_BROKEN = 40


class _Found(NamedTuple):
    """Where calls stand, without what is around them; ``marked``: their own form is that of a template."""

    start: int
    end: int
    calls: tuple[tuple[str, str], ...]
    marked: bool = False


def with_text_calls(turn: ModelTurn, tools: Sequence[ToolSpec], id_prefix: str) -> ModelTurn:
    """The turn without thoughts in its text, and with calls where it had them only as text.

    A turn with tool calls of its own stays as it is. Where calls are found, the endpoint's message
    is replaced by one with the calls, so that the results have a call to refer to.

    Args:
        turn: the model's answer.
        tools: the tools that exist.
        id_prefix: start of the ids of the calls; must differ from round to round.
    """
    if turn.tool_calls:
        return turn
    aloud, text = split_thoughts(turn.text)
    reasoning = joined([turn.reasoning, aloud])
    text, found = read_text_calls(text, tools)
    if not found:
        return turn.model_copy(update={"text": text, "reasoning": reasoning})
    calls = tuple(
        ToolCall(id=f"{id_prefix}_{number}", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(found, start=1)
    )
    items = turn.provider_items
    if items:
        of_chat = "type" not in items[0]  # an item of the other API always has one
        items = (chat if of_chat else responses).with_calls(items, text, calls)
    return turn.model_copy(
        update={"text": text, "reasoning": reasoning, "tool_calls": calls, "provider_items": items}
    )


def read_text_calls(text: str, tools: Sequence[ToolSpec]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The calls to known tools that end a text.

    Returns:
        the text without them, and the tool name and JSON arguments of each, in the order they stand.
    """
    spoken = _before_results(text)
    found = _Reader(spoken, {tool.name: tool for tool in tools}).read() if tools else []
    if not found:
        return text, ()
    first = len(found) - 1
    # a few words between calls are a model's way to go on
    while first and len(_without_marks(spoken[found[first - 1].end : found[first].start]).split()) <= 3:
        first -= 1
    start, marked = _opening(spoken, found[first])
    marked = marked or any(each.marked for each in found[first:])
    before, behind = spoken[:start].rstrip(), spoken[found[-1].end :]
    fenced = len(_FENCE.findall(before)) % 2 == 1 or bool(_FENCE.match(spoken, start))
    said = _without_marks(behind).strip()
    if re.search(r"\w", said):
        at_once = re.search(r"\w", _without_marks(behind).partition("\n")[0])
        called = marked and not (fenced or before or at_once or _CITED.search(said))
    else:
        marked = not fenced and (marked or any(_OF_TOOLS.search(mark[0]) for mark in _MARK.finditer(behind)))
        called, said = _may_call(spoken[:start], marked=marked), before.strip()
    return (said, tuple(call for each in found[first:] for call in each.calls)) if called else (text, ())


def _may_call(before: str, *, marked: bool) -> bool:
    """Whether a reply goes on with a call behind these words, rather than showing one."""
    if re.search(r"(?:\A|\n)\s*[>|][^\n]*\Z|[`“‘«„「『(（]\s*\Z|\s[\"']\Z", before):
        return False
    if _CITED.search(before):
        return marked and not before.rstrip().endswith((":", "："))
    return marked or not before.strip() or bool(_SENTENCE_END.search(before))


def _before_results(text: str) -> str:
    """The text up to where results begin that the model made up."""
    for match in re.finditer(
        rf"{_MARK.pattern}|</?\w*(?:response|result|output)\w*>|^Observation:", text, re.M
    ):
        if re.search("response|result|output|observation|ipython", match[0], re.I) and match[0][1] != "/":
            before = text[: match.start()]
            if not before.endswith("`") and before.count("```") % 2 == 0:
                return before
    return text


def _without_marks(text: str) -> str:
    return _FENCE.sub("", _MARK.sub("", text))


def _opening(text: str, found: _Found) -> tuple[int, bool]:
    """Where begins what a template writes in front of a call, and whether it speaks of tools."""
    start, marked = found.start, False
    for mark in reversed([*_MARK.finditer(text, max(0, start - 400), start)]):
        between = text[mark.end() : start]
        if not re.fullmatch(r"\s*(?:[\w.=:-]{1,40}\s*){0,2}[\[\s]*", between):
            break
        start, marked = mark.start(), marked or bool(_OF_TOOLS.search(mark[0]))
    label = [match for match in _LABEL.finditer(text, max(0, start - 100), start) if match.end() == start]
    if label:
        start, marked = label[0].start(), True
    start = len(text[:start].rstrip(" \t["))
    fence = [*_FENCE.finditer(text, max(0, start - 40), start)]
    if fence and not text[fence[-1].end() : start].strip():
        start = fence[-1].start()
    return start, marked


class _Reader:
    """One text and what is known of it; values without an end are not tried for ever."""

    def __init__(self, text: str, tools: Mapping[str, ToolSpec]) -> None:
        self._text, self._tools, self._broken = text, tools, 0
        names = "|".join(map(re.escape, sorted(tools, key=len, reverse=True)))
        self._places = re.compile(rf"[\[{{]|(?<![\w-])(?:{names})(?![\w-])")

    def read(self) -> list[_Found]:
        found: list[_Found] = []
        place = 0
        while self._broken < _MOST_BROKEN and (match := self._places.search(self._text, place)):
            here, place = None, match.end()
            if match[0] not in "[{":
                here = self._named(match)
            elif read := self._value(match.start()):
                here = _Found(match.start(), read[1], tuple(_calls_in(read[0], self._tools)))
            if here is not None:
                place = max(place, here.end)
                found += [here] if here.calls else []
        return found

    def _value(self, start: int) -> tuple[Any, int] | None:
        """A JSON value, or nearly one, and where it ends."""
        try:
            return json.JSONDecoder(strict=False).raw_decode(self._text, start)
        except (ValueError, RecursionError):
            end = _balanced_end(self._text, start)
            self._broken += end is None
            value = None if end is None else _loose_value(self._text[start:end])
            return None if end is None or not isinstance(value, dict | list) else (value, end)

    def _named(self, match: re.Match[str]) -> _Found | None:
        text, tool = self._text, self._tools[match[0]]
        start, behind, in_tag = match.start(), match.end(), False
        opened = text.rfind("<", max(0, start - 60), start)
        tag = _MARK.match(text, opened) or re.compile(r"<\w+>").match(text, opened) if opened >= 0 else None
        if tag is not None and tag.end() > start and tag[0][1] != "/":
            start, behind, in_tag = tag.start(), tag.end(), True
        elif prefix := _PREFIX.search(text, max(0, start - 60), start):
            start = prefix.start()
        for _ in range(12):  # marks, blanks and words between a name and its arguments
            piece = _MARK.match(text, behind) or _GAP.match(text, behind)
            if piece is None or _argument_of(piece[0], tool) or re.match(r"<\w*key>", piece[0]):
                break
            behind = piece.end()
        marked = in_tag or "to=" in text[start : match.start()]
        marked = marked or bool(_OF_TOOLS.search("".join(_MARK.findall(text[match.end() : behind]))))
        if text[behind : behind + 1] == "{":
            return self._with_object(tool, start, behind, marked)
        if text[match.end() : match.end() + 1] == "(":
            end = _balanced_end(text, match.end())
            self._broken += end is None
            given = None if end is None else _keyword_arguments(text[match.end() : end])
            return None if end is None or given is None else _Found(start, end, ((tool.name, _dump(given)),))
        given, end = self._elements(tool, behind)
        return _Found(start, end, ((tool.name, _dump(given)),), marked=True) if given else None

    def _with_object(self, tool: ToolSpec, start: int, brace: int, marked: bool) -> _Found | None:
        value, end = self._value(brace) or (None, 0)
        if isinstance(value, dict):
            known = value.keys() <= _properties(tool).keys()
            return _Found(start, end, ((tool.name, _dump(value)),), marked) if marked or known else None
        if not marked:
            return None
        # what cannot be read goes to the tool, which says what is wrong with it
        mark = _MARK.search(self._text, brace)
        end = _balanced_end(self._text, brace) or (mark.start() if mark else len(self._text))
        return _Found(start, end, ((tool.name, self._text[brace:end].strip()),), marked)

    def _elements(self, tool: ToolSpec, place: int) -> tuple[dict[str, Any], int]:
        """Arguments that are elements: ``<parameter=key>value</parameter>``, ``<key>value</key>``, or one
        element with the key and one with the value; and where the last of them ends."""
        found: dict[str, Any] = {}
        key, end = "", place
        for _ in range(2):
            wrapper = _WRAPPER.match(self._text, end)
            if wrapper and not _argument_of(wrapper[0], tool) and not re.search("key|value", wrapper["tag"]):
                end = wrapper.end()
        while element := _ELEMENT.match(self._text, end):
            name = _argument_of(element[0], tool)
            if not name and not re.search("key|value", element["tag"]):
                break
            end = element.end()
            value = element["lost"] if element["value"] is None else element["value"]
            if not name and "key" in element["tag"]:
                key = value.strip()
                continue
            as_text = 'string="true"' in element["more"]
            found[name or key] = _tagged(value, tool, name or key, as_text=as_text)
        return found, end


def _argument_of(tag: str, tool: ToolSpec) -> str:
    """The argument that a tag is of, or an empty string."""
    named = _ARGUMENT.match(tag.strip())
    if named is None:
        return ""
    return named[1] or (named[2] if named[2] in _properties(tool) else "")


def _calls_in(value: Any, tools: Mapping[str, ToolSpec]) -> Iterator[tuple[str, str]]:
    """Calls as ``{"name": ..., "arguments": {...}}`` and the like: one, or a list of them."""
    if isinstance(value, list):
        for each in value:
            yield from _calls_in(each, tools)
    if not isinstance(value, dict):
        return
    if inner := _member(value, "calls", dict | list):
        yield from _calls_in(value[inner], tools)
        return
    value = value["function"] if isinstance(value.get("function"), dict) else value
    named, only = _member(value, "name", str), next(iter(value), "")
    if not named and only in tools and isinstance(value[only], dict):
        yield only, _dump(value[only])
    if not named or (tool := tools.get(re.sub(r"\A(?:\w+[.:])+|:\d+\Z", "", value[named]))) is None:
        return
    key = _member(value, "arguments", str | dict)
    own = {name: each for name, each in value.items() if name in _properties(tool) and name != named}
    given = value.get(key) or own
    if given or any(name in value for name in _KEYS["arguments"]):
        yield tool.name, given if isinstance(given, str) else _dump(given)


def _member(value: Mapping[str, Any], of: str, kind: Any) -> str:
    """The member of a JSON call that holds its name, its arguments, or further calls, or an empty string."""
    return next((key for key in _KEYS[of] if isinstance(value.get(key), kind)), "")


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _properties(tool: ToolSpec) -> Mapping[str, Any]:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}


def _tagged(text: str, tool: ToolSpec, key: str, *, as_text: bool) -> Any:
    """A value between tags: text where the form or the schema says so, else JSON if it is."""
    text = text[1:].removesuffix("\n") if text.startswith("\n") else text
    schema = _properties(tool).get(key)
    if as_text or (isinstance(schema, dict) and schema.get("type") == "string"):
        return text
    value = _loose_value(text.strip())
    return text if value is None and text.strip() != "null" else value


def _balanced_end(text: str, start: int) -> int | None:
    """Behind the bracket that closes the one at ``start``, brackets in strings aside; None without one."""
    depth = 0
    for piece in _PIECE.finditer(text, start):
        depth += (piece[0] in "([{") - (piece[0] in ")]}")
        if not depth:
            return piece.end()
    return None


def _loose_value(text: str) -> Any:
    """JSON, or a Python literal, or an object with bare keys and quotes of its own; None if it is none."""
    # quotes that are tokens, and bare keys
    plain = re.sub(r"(<escape>|<\|\"\|>)(.*?)\1", lambda match: _dump(match[2]), text, flags=re.S)
    plain = re.sub(r"([{,]\s*)([A-Za-z_]\w*)\s*:", r'\1"\2":', plain)
    for reading in (text, plain):
        try:
            return json.loads(reading, strict=False)
        except (ValueError, RecursionError):
            pass
        try:
            # Python takes two strings side by side for one: a comma is missing there
            return None if re.search(r"[\"']\s+[\"']", reading) else ast.literal_eval(reading)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            pass
    return None


def _keyword_arguments(brackets: str) -> dict[str, Any] | None:
    """``(name=value, ...)`` as arguments, the values as Python writes them."""
    try:
        call = ast.parse(f"call{brackets}", mode="eval").body
        given = call.keywords if isinstance(call, ast.Call) and not call.args else []
        return {each.arg or "": ast.literal_eval(each.value) for each in given} or None
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
