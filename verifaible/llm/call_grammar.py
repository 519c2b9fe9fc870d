"""The grammar of a tool call that a model wrote as text.

Which tools exist is known, so a call is looked for where the name of one stands::

    call      = opening  name  gap  arguments  closing
              | opening  JSON  closing           (the name and the arguments are members of one value)
    opening, closing, gap = (mark | fence | word between marks)*
    mark      = <...>  |  [CAPITALS]  |  ✿CAPITALS✿     (a special token or a tag)
    arguments = JSON | elements | (name=value, ...) | nothing, where a mark closes the call

The forms of all chat templates are members of this one language: what differs between them is the spelling
of the marks. A call is *marked* if a mark beside it, or a prefix of its name, speaks of tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from verifaible.llm.loose import (
    balanced_end,
    calls_in_value,
    fits,
    keyword_arguments,
    loose_value,
    properties_of,
    tagged_value,
)
from verifaible.llm.marks import Mark, MarkIndex, Written
from verifaible.schema.chat import ToolSpec

#: A fence is opened, or closed.
_FENCE = re.compile(r"(?:`{3,}|~{3,})[ \t]*[\w-]*")
#: What stands between two marks of one opening: nothing, a fence, or a word such as a role.
_GLUE = re.compile(r"\s*(?:(?:`{3,}|~{3,})[ \t]*[\w-]*\s*)?(?:[\w.:=-]{1,40}\s*)?[\[\s]*")
_FENCE_BEFORE = re.compile(r"(?:\A|(?<=\n))[ \t]*(?:`{3,}|~{3,})[ \t]*[\w-]*\s*\Z")
#: A line that only announces the call behind it, as ``functools[...]`` does.
_WORD_BEFORE = re.compile(r"(?:\A|(?<=\n))[ \t]*(?:func|tool)[\w ]{1,12}\s*\Z")
#: In front of a name: namespaces (``functions.``, ``to=``), a label at the start of its line, the beginning
#: of a JSON object that cannot be read.
_PREFIX = re.compile(
    r"(?:\[?\s*\{\s*[\"']\w+[\"']\s*:\s*[\"']"
    r"|(?:(?<=\n)|\A)[ \t]*(?:>{3}|\**(?:\w+ )?\w+\**:\**[ \t]*`?)?(?:\w+[.:=/])*(?:print\()?"
    r"|(?:\w+[.:=/])*)\Z"
)
#: Between a name and its arguments.
_GAP = re.compile(
    r"\s+|:\d+|[\"'`*,:;]+|(?:`{3,}|~{3,})[ \t]*[\w-]*|json\b|(?<=\])[\w-]+"
    r"|\**(?:action[ _]|tool[ _])?(?:arguments|parameters|args|input)\b|[\w-]+(?: [\w-]+)?(?=\s*<[|｜])",
    re.I,
)
_BEHIND = re.compile(r"\s*[}\])\"',;]*\s*")
#: Marks of one opening at most.
_MOST_MARKS = 12
#: Values and brackets without an end that are tried; a text with more is not searched further.
_MOST_BROKEN = 40


def calls_written(text: str, tools: Mapping[str, ToolSpec]) -> list[Written]:
    """The places of a text that have the form of calls to known tools, in their order."""
    return _Reader(text, tools).read() if tools else []


class _Reader:
    """One text and what is known of it."""

    def __init__(self, text: str, tools: Mapping[str, ToolSpec]) -> None:
        self._text = text
        self._tools = tools
        self._marks = MarkIndex(text)
        names = "|".join(map(re.escape, sorted(tools, key=len, reverse=True)))
        self._places = re.compile(rf"[\[{{]|(?<![\w-])(?:{names})(?![\w-])")
        self._broken = 0

    def read(self) -> list[Written]:
        found: list[Written] = []
        place = 0
        while self._broken < _MOST_BROKEN and (match := self._places.search(self._text, place)):
            is_json = match[0] in "[{"
            written = self._json_call(match.start(), found) if is_json else self._named_call(match, found)
            place = match.end() if written is None else max(written.core_end, match.end())
            if written is not None and written.calls:
                found.append(written)
        return found

    def _json_call(self, start: int, found: Sequence[Written]) -> Written | None:
        """The call in the JSON value here; without calls if it is another value; None if it is no value."""
        try:
            value, end = json.JSONDecoder(strict=False).raw_decode(self._text, start)
        except (ValueError, RecursionError):
            loose = self._loose(start)
            if loose is None:
                return None
            value, end = loose
        opening, marked, fenced = self._opening(start, found)
        closing, ends_marked = self._closing(end)
        marked = marked or ends_marked
        calls = tuple(calls_in_value(value, self._tools, marked=marked))
        return Written(opening, closing, end, calls, marked, fenced)

    def _loose(self, start: int) -> tuple[Any, int] | None:
        end = self._balanced(start)
        value = None if end is None else loose_value(self._text[start:end])
        return None if end is None or not isinstance(value, dict | list) else (value, end)

    def _balanced(self, start: int) -> int | None:
        end = balanced_end(self._text, start)
        self._broken += end is None
        return end

    def _named_call(self, match: re.Match[str], found: Sequence[Written]) -> Written | None:
        """The call whose name stands here, outside of JSON."""
        tool, start, behind = self._tools[match[0]], match.start(), match.end()
        within = self._marks.at(start)
        if within is not None:
            if within.text[1] == "/" or not (within.of_tools or within.element == tool.name):
                return None
            start, behind = within.start, max(behind, within.end)
            if (inside := self._text.find("{", match.end(), within.end)) >= 0:
                behind = inside  # <function=name{"key": ...}>
            prefix = ""
        else:
            begin = max(0, start - 80, found[-1].core_end if found else 0)
            before = _PREFIX.search(self._text[begin:start])
            prefix = before[0] if before else ""
            start -= len(prefix)
        opening, marked, fenced = self._opening(start, found)
        marked = (
            marked or within is not None or bool(re.search(r"tool|func|call[:.]", prefix.lstrip("\n")[:40]))
        )
        label = prefix.rstrip(" \t`*").endswith((":", ">>>"))
        if label:
            marked = False
        if self._text[behind : behind + 1] == "(" and self._text[opening - 1 : opening] == "[":
            opening -= 1
        arguments = self._arguments(tool, within, behind, opening, marked=marked)
        if arguments is None:
            return None
        text, end = arguments
        closing, ends_marked = self._closing(end)
        unsure = not (marked or ends_marked) and not label and self._text[behind : behind + 1] != "("
        if unsure and not fits(text, tool):
            return None
        return Written(opening, closing, end, ((tool.name, text),), marked or ends_marked, fenced)

    def _arguments(
        self, tool: ToolSpec, within: Mark | None, behind: int, opening: int, *, marked: bool
    ) -> tuple[str, int] | None:
        """The arguments of a call whose name ends in front of ``behind``, and where they end."""
        text = self._text
        if within is not None and within.text.endswith("/>"):
            given = within.attributes.items()
            own = {key: tagged_value(value, tool, key) for key, value in given if key in properties_of(tool)}
            return json.dumps(own, ensure_ascii=False), within.end
        if text[behind : behind + 1] == "(":
            end = self._balanced(behind)
            keywords = None if end is None else keyword_arguments(text[behind:end], tool)
            return (
                None if end is None or keywords is None else (json.dumps(keywords, ensure_ascii=False), end)
            )
        pairs, end = self._elements(tool, behind, self._body_end(within, behind, opening))
        if pairs:
            return json.dumps(pairs, ensure_ascii=False), end
        place = self._past_gap(behind)
        if text[place : place + 1] == "{":
            return self._object(place, marked=marked)
        following = self._marks.at(place)
        closed = following is not None and following.structural and following.closing
        last = self._marks.between(behind, place)
        if marked and (closed or place >= len(text) or (last and last[-1].closing)):
            return "{}", behind
        return None

    def _object(self, start: int, *, marked: bool) -> tuple[str, int] | None:
        """The JSON object here as text; what cannot be read goes to the tool, which says what is wrong."""
        try:
            _, end = json.JSONDecoder(strict=False).raw_decode(self._text, start)
            return self._text[start:end], end
        except (ValueError, RecursionError):
            pass
        closed = self._balanced(start)
        if closed is None:
            later = self._marks.between(start, len(self._text))
            closed = next((mark.start for mark in later if mark.structural), len(self._text))
        written = self._text[start:closed]
        value = loose_value(written)
        if isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False), closed
        return (written.strip(), closed) if marked else None

    def _elements(self, tool: ToolSpec, start: int, end: int) -> tuple[dict[str, Any], int]:
        """Arguments that are elements: ``<parameter=key>value</parameter>``, ``<key>value</key>``, or one
        element with the key and one with the value; and where the last of them ends."""
        found: dict[str, Any] = {}
        key, place = "", start
        for mark in self._marks.between(start, end):
            if (
                mark.start < place
                or mark.closing
                or (mark.special and mark.element not in ("parameter", "param"))
            ):
                continue
            stop, behind = self._element_end(mark, end)
            value = self._text[mark.end : stop]
            given = mark.attributes
            name = given.get("name") or given.get(mark.element) or given.get("key") or ""
            if not name and mark.element in properties_of(tool):
                name = mark.element
            if not name and not key:
                if re.fullmatch(r"[\w-]+", value.strip()) and re.search("key|name", mark.element):
                    key, place = value.strip(), behind
                continue  # a wrapper: its children come next
            found[name or key] = tagged_value(value, tool, name or key, as_text=given.get("string") == "true")
            key, place = "", behind
        return found, place

    def _element_end(self, mark: Mark, end: int) -> tuple[int, int]:
        """Where the value of an element stops, and where the element ends; its closing tag may be lost."""
        closing = self._marks.next(mark.element, mark.end, end, closing=True)
        if closing is not None:
            return closing.start, closing.end
        sibling = self._marks.next(mark.element, mark.end, end, closing=False)
        stop = end if sibling is None else sibling.start
        outer = next((each for each in self._marks.between(mark.end, stop) if each.text[1] == "/"), None)
        stop = stop if outer is None else outer.start
        return stop, stop

    def _body_end(self, within: Mark | None, behind: int, opening: int) -> int:
        """How far the elements of a call can go."""
        heads = [within] if within else [m for m in self._marks.between(opening, behind) if not m.closing]
        text_end = len(self._text)
        for head in reversed(heads):
            again = self._marks.next(head.element, behind, text_end, closing=False)
            closing = self._marks.next(head.element, behind, text_end, closing=True)
            ends = [mark.start for mark in (again, closing) if mark is not None]
            if ends and self._text[behind : min(ends)].strip():
                return min(ends)  # else it was around the name alone
        return text_end if heads else behind

    def _past_gap(self, place: int) -> int:
        while place < len(self._text):
            mark = self._marks.at(place)
            if mark is not None and mark.start == place and mark.structural:
                place = mark.end
            elif piece := _GAP.match(self._text, place):
                place = piece.end()
            else:
                break
        return place

    def _opening(self, start: int, found: Sequence[Written]) -> tuple[int, bool, bool]:
        """Where the opening of a call begins, whether it marks a call, and whether a fence is around."""
        text, floor = self._text, found[-1].core_end if found else 0
        if found and not text[floor:start].strip(" \t\r\n,;"):
            return start, found[-1].marked, found[-1].fenced
        marked, fenced = False, False
        for mark in self._marks.before(start, _MOST_MARKS):
            between = text[mark.end : start]
            if mark.end > start or mark.start < floor or not mark.structural or len(between) > 200:
                break
            if not _GLUE.fullmatch(between):
                break
            start, marked = mark.start, marked or mark.of_tools
        around = self._marks.at(start - 1) if start > floor else None
        if around is not None and not around.structural and re.fullmatch(r"<\w+>", around.text):
            start, fenced = around.start, True  # <json>...</json>
        begin = max(found[-1].end if found else 0, start - 100)
        if not marked and (word := _WORD_BEFORE.search(text[begin:start])):
            start, marked = begin + word.start(), True
        before = _FENCE_BEFORE.search(text[begin:start])
        if before:
            start, fenced = begin + before.start(), True
        return start, marked, fenced

    def _closing(self, end: int) -> tuple[int, bool]:
        """Where the marks behind a call end, and whether they mark one."""
        place, marked = end, False
        while True:
            behind = _BEHIND.match(self._text, place)
            here = behind.end() if behind else place
            mark = self._marks.at(here)
            if mark is not None and mark.start == here and (mark.structural or mark.text[1] == "/"):
                place, marked = mark.end, marked or mark.of_tools
            elif fence := _FENCE.match(self._text, here):
                place = fence.end()
            else:
                tail = re.compile(r"\s*[}\])]*").match(self._text, place)
                return (tail.end() if tail and tail[0].strip() else place), marked
