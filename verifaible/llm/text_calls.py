"""Tool calls that a model, or the server it runs on, left in the text of a reply.

A model that calls a tool stops there. So calls are read where they end a reply; what goes on behind its calls
shows them, with two exceptions: results that the model made up are cut off with all that follows, and a reply
that begins with a call in the marks of a template may say a sentence behind it.

A call is looked for where the name of a tool stands, in one of 3 forms: a JSON value with the name and the
arguments, the name and a JSON object, or the name and elements (or keywords) with a value each. What the
families' templates write around these is data, in ``text_calls.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from verifaible.llm import chat, responses
from verifaible.llm.loose import balanced_end, keyword_arguments, loose_value
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
_RESULT = re.compile(r"response|result|output|observation|ipython", re.I)
_CITED = re.compile(r"\[@v:\s*\d+\s*\]")
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>/]+))")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"')\]”’*]*\s*\Z")
#: Values without an end that are tried: a text with more is not searched further.
_MOST_BROKEN = 40
#: How often a text is read again for values in values that are none.
_MOST_READ = 20
#: Marks, blanks and words between a name and its arguments.
_MOST_IN_GAP = 12


@dataclass(frozen=True, slots=True)
class _Found:
    """A call, or several in one value: its place without what is around it."""

    start: int
    end: int
    calls: tuple[tuple[str, str], ...]
    #: Whether its own form is that of a template, or only JSON that a page could hold, too.
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
    runs = _runs(spoken, found)
    ends = not _says(spoken[found[-1].end :])
    run = runs[-1] if ends else runs[0]
    start, marked = _opening(spoken, run[0])
    marked = marked or any(each.marked for each in run)
    before, behind = spoken[:start].rstrip(), spoken[run[-1].end :]
    calls = tuple(call for each in run for call in each.calls)
    if ends:
        marked = marked or _tools_named(behind)
        fenced = len(_FENCE.findall(before)) % 2 == 1 or bool(_FENCE.match(spoken, start))
        called = _may_call(before, spoken[len(before) : start], marked=marked and not fenced)
        return (before.strip(), calls) if called else (text, ())
    said = _without_marks(behind)
    called = marked and not before and not _FENCE.match(spoken, start)
    if called and not _CITED.search(said) and not _says(said.partition("\n")[0]):
        return said.strip(), calls
    return text, ()


def _may_call(before: str, gap: str, *, marked: bool) -> bool:
    """Whether a reply goes on with a call behind these words, rather than showing one."""
    line = before.rpartition("\n")[2] if "\n" not in gap else ""
    if before.endswith(("`", "“", "‘", "«", "„", "「", "『", "(", "（", ' "', " '")) or re.match(
        r"\s*[>|]", line
    ):
        return False
    if marked:
        return not (before.endswith((":", "：")) and _CITED.search(before))
    return not _CITED.search(before) and not (line and not _SENTENCE_END.search(line))


def _before_results(text: str) -> str:
    """The text up to where results begin that the model made up."""
    for match in re.finditer(
        rf"{_MARK.pattern}|</?\w*(?:response|result|output)\w*>|^Observation:", text, re.M
    ):
        if _RESULT.search(match[0]) and match[0][1] != "/":
            before = text[: match.start()]
            if not before.endswith("`") and before.count("```") % 2 == 0:
                return before
    return text


def _says(text: str) -> bool:
    """Whether there are words in a text besides marks and fences."""
    return bool(re.search(r"\w", _without_marks(text)))


def _without_marks(text: str) -> str:
    return _FENCE.sub("", _MARK.sub("", text))


def _tools_named(text: str) -> bool:
    return any(_OF_TOOLS.search(mark[0]) for mark in _MARK.finditer(text))


def _runs(text: str, found: Sequence[_Found]) -> list[list[_Found]]:
    """The calls that stand together; a few words between them are a model's way to go on."""
    runs = [[found[0]]]
    for each in found[1:]:
        gap = text[runs[-1][-1].end : each.start]
        marks = [*_MARK.finditer(gap)]
        # a word between two marks is the template's: a role, a type
        inside = gap[marks[0].start() : marks[-1].end()] if len(marks) > 1 else ""
        said = gap.replace(inside, "") if inside and "\n\n" not in inside else gap
        if len(_without_marks(said).split()) > 3:
            runs.append([])
        runs[-1].append(each)
    return runs


def _opening(text: str, found: _Found) -> tuple[int, bool]:
    """Where begins what a template writes in front of a call, and whether it speaks of tools."""
    start, marked = found.start, False
    marks = [match for match in _MARK.finditer(text, max(0, start - 400), start)]
    for mark in reversed(marks):
        between = text[mark.end() : start]
        if not re.fullmatch(r"\s*(?:[\w.=:-]{1,40}\s*){0,2}[\[\s]*", between):
            break
        start, marked = mark.start(), marked or bool(_OF_TOOLS.search(mark[0]))
    label = [match for match in _LABEL.finditer(text, max(0, start - 100), start) if match.end() == start]
    if label:
        start, marked = label[0].start(), True
    while (before := text[:start].rstrip(" \t[")) != text[:start]:
        start = len(before)
    fence = [match for match in _FENCE.finditer(text, max(0, start - 40), start)]
    if fence and not text[fence[-1].end() : start].strip():
        start = fence[-1].start()
    return start, marked


class _Reader:
    """One text and what is known of it; values without an end are not tried for ever."""

    def __init__(self, text: str, tools: Mapping[str, ToolSpec]) -> None:
        self._text, self._tools, self._broken, self._read = text, tools, 0, 0
        names = "|".join(map(re.escape, sorted(tools, key=len, reverse=True)))
        self._places = re.compile(rf"[\[{{]|(?<![\w-])(?:{names})(?![\w-])")

    def read(self) -> list[_Found]:
        found: list[_Found] = []
        place = 0
        most = _MOST_READ * (len(self._text) + 1)
        while (
            self._broken < _MOST_BROKEN
            and self._read < most
            and (match := self._places.search(self._text, place))
        ):
            here = self._json(match.start()) if match[0] in "[{" else self._named(match)
            place = max(match.end(), here.end) if here else match.end()
            if here and here.calls:
                found.append(here)
        return found

    def _json(self, start: int) -> _Found | None:
        read = self._value(start)
        return read and _Found(start, read[1], tuple(_calls_in(read[0], self._tools)))

    def _value(self, start: int) -> tuple[Any, int] | None:
        """A JSON value, or nearly one, and where it ends."""
        try:
            return json.JSONDecoder(strict=False).raw_decode(self._text, start)
        except (ValueError, RecursionError):
            end = balanced_end(self._text, start)
            self._broken += end is None
            self._read += (end or len(self._text)) - start
            value = None if end is None else loose_value(self._text[start:end])
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
        for _ in range(_MOST_IN_GAP):
            piece = _MARK.match(text, behind) or _GAP.match(text, behind)
            if piece is None or _element_of(piece[0], tool) or re.match(r"<\w*key>", piece[0]):
                break
            behind = piece.end()
        marked = in_tag or "to=" in text[start : match.start()] or _tools_named(text[match.end() : behind])
        if text[behind : behind + 1] == "{":
            return self._with_object(tool, start, behind, marked)
        if text[match.end() : match.end() + 1] == "(":
            end = balanced_end(text, match.end())
            given = None if end is None else keyword_arguments(text[match.end() : end], _properties(tool))
            self._broken += end is None
            return None if end is None or given is None else _Found(start, end, ((tool.name, _dump(given)),))
        given, end = self._elements(tool, behind)
        if given:
            return _Found(start, end, ((tool.name, _dump(given)),), marked=True)
        return None

    def _with_object(self, tool: ToolSpec, start: int, brace: int, marked: bool) -> _Found | None:
        read = self._value(brace)
        if read is not None and isinstance(read[0], dict):
            known = not read[0] or read[0].keys() <= _properties(tool).keys()
            return _Found(start, read[1], ((tool.name, _dump(read[0])),), marked) if marked or known else None
        if not marked:
            return None
        # what cannot be read goes to the tool, which says what is wrong with it
        end = balanced_end(self._text, brace)
        mark = _MARK.search(self._text, brace)
        end = end or (mark.start() if mark else len(self._text))
        return _Found(start, end, ((tool.name, self._text[brace:end].strip()),), marked)

    def _elements(self, tool: ToolSpec, place: int) -> tuple[dict[str, Any], int]:
        """Arguments that are elements: ``<parameter=key>value</parameter>``, ``<key>value</key>``, or one
        element with the key and one with the value; and where the last of them ends."""
        found: dict[str, Any] = {}
        key, end, wrappers = "", place, 0
        tags = re.compile(r"\s*<(/?)((?:[|｜]\w+[|｜])?[\w:-]+)((?:[\s=][^<>\n]*)?)>")
        while tag := tags.match(self._text, end):
            name = _element_of(tag[0].strip(), tool) if not tag[1] else ""
            closing = self._text.find(f"</{tag[2]}>", tag.end())
            if tag[1] or (not name and not re.search("key|value", tag[2])):
                wrappers += 1
                if found or tag[1] or wrappers > 2:
                    break
                end = tag.end()
                continue
            again = self._text.find(f"<{tag[2]}", tag.end())
            lost = closing < 0 or 0 <= again < closing
            other = re.compile(r"</?[\w:]").search(self._text, tag.end())
            stop = closing if not lost else (other.start() if other else len(self._text))
            value = self._text[tag.end() : stop]
            end = stop if lost else closing + len(tag[2]) + 3
            if not name and "key" in tag[2]:
                key = value.strip()
                continue
            as_text = 'string="true"' in tag[3]
            found[name or key] = _tagged(value, tool, name or key, as_text=as_text)
        return found, end


def _element_of(tag: str, tool: ToolSpec) -> str:
    """The argument that a tag is of, or an empty string."""
    given = {match[1]: match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(tag)}
    named = re.match(r"<(?:[|｜]\w+[|｜])?(?:\w+:)?([\w-]+)", tag)
    element = named[1] if named else ""
    if re.fullmatch(r"(?:parameter|param|argument)", element):
        return given.get("name") or given.get(element) or ""
    return element if element in _properties(tool) else ""


def _calls_in(value: Any, tools: Mapping[str, ToolSpec]) -> Iterator[tuple[str, str]]:
    """Calls as ``{"name": ..., "arguments": {...}}`` and the like: one, or a list of them."""
    if isinstance(value, list):
        for each in value:
            yield from _calls_in(each, tools)
    if not isinstance(value, dict):
        return
    if (inner := _member(value, "calls", dict | list)) is not None:
        yield from _calls_in(value[inner], tools)
        return
    value = value["function"] if isinstance(value.get("function"), dict) else value
    named, only = _member(value, "name", str), next(iter(value), "")
    if named is None:
        if len(value) == 1 and only in tools and isinstance(value[only], dict):
            yield only, _dump(value[only])
        return
    tool = tools.get(re.sub(r"\A(?:\w+[.:])+|:\d+\Z", "", value[named]))
    if tool is None:
        return
    key = _member(value, "arguments", str | dict)
    given = value[key] if key is not None else None
    given = given or {
        name: each for name, each in value.items() if name in _properties(tool) and name != named
    }
    if given or any(name in value for name in _KEYS["arguments"]):
        yield tool.name, given if isinstance(given, str) else _dump(given)


def _member(value: Mapping[str, Any], of: str, kind: Any) -> str | None:
    """The member of a JSON call that holds its name, its arguments, or further calls."""
    return next((key for key in _KEYS[of] if isinstance(value.get(key), kind)), None)


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
    value = loose_value(text.strip())
    return text if value is None and text.strip() != "null" else value
