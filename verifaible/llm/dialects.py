"""Tool calls that a model wrote as text.

Some models, or the servers they run on, leave a tool call in the text instead of in a tool-call item.
What has the form of a call (:mod:`~verifaible.llm.call_grammar`) is one unless the text quotes it. Quoted is:

- what stands in code, in a quotation, in a comment, in quotation marks, in a table, or in a sentence that
  goes on around it;
- every call of a text that has words in front of it and goes on behind it, or marks a citation
  (``[@v:1]``) behind it: a model that calls a tool stops there;
- a call without a mark of its own (fenced or bare JSON), and any call inside a code fence, behind which
  anything follows, or beside which a citation is marked: an answer may show how it was found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from verifaible.llm import chat_wire, wire
from verifaible.llm.call_grammar import calls_written
from verifaible.llm.marks import Written, marks_of, without_marks
from verifaible.llm.thoughts import joined, split_thoughts
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec

_TAUGHT = """# Calling tools

To call a tool, end your message with one block for each call, and write nothing behind it:

<tool_call>
{"name": "the tool's name", "arguments": {"an argument": "its value"}}
</tool_call>

The results come in the next message. A message without such a block is your final answer. The tools, each \
with the JSON Schema of its arguments:
"""


def with_tools_as_text(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """The conversation for an endpoint that knows neither tools nor their results.

    The system message tells of the tools, calls stand in the text of their turn, and all results of a turn
    are one message of the user, since many chat templates want user and assistant in turn.
    """
    written: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.role == "system" and not written:
            written.append(message.model_copy(update={"text": f"{message.text}\n\n{_described(tools)}"}))
        elif message.role == "assistant":
            names |= {call.id: call.name for call in message.tool_calls}
            calls = "\n".join(map(_call, message.tool_calls))
            written.append(Message(role="assistant", text=f"{message.text}\n\n{calls}".strip()))
        else:
            text = _result(message, names) if message.role == "tool" else message.text
            if written and written[-1].role == "user":
                text = f"{written.pop().text}\n\n{text}"
            written.append(Message(role="user", text=text))
    if not written or written[0].role != "system":
        written.insert(0, Message(role="system", text=_described(tools)))
    return written


def _described(tools: Sequence[ToolSpec]) -> str:
    lines = (
        json.dumps(tool.model_dump(include={"name", "description", "parameters"}), ensure_ascii=False)
        for tool in tools
    )
    return "\n".join((_TAUGHT, *lines))


def _call(call: ToolCall) -> str:
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        arguments = call.arguments
    value = json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{value}\n</tool_call>"


def _result(message: Message, names: dict[str, str]) -> str:
    name = names.get(message.tool_call_id, "the tool")
    return f"Result of {name}:\n{message.text}"


#: Code in a line, and where HTML's elements for code and quotations begin, or a comment.
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)[^\n]*?(?<!`)\1(?!`)")
_QUOTING = re.compile(r"<(?:(!--)|(pre|code|samp|kbd|blockquote|q|textarea)\b[^<>]*>)", re.I)
_FENCE_LINE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^\n`]*)$", re.M)
_MARKER = re.compile(r"\[@v:\s*\d+\s*\]")
_QUOTES = {
    '"': '"',
    "'": "'",
    "“": "”",
    "‘": "’",
    "„": "“",
    "«": "»",
    "「": "」",
    "『": "』",
    "(": ")",
    "（": "）",
}
#: A line that a text quotes, or a row of a table.
_QUOTED_LINE = re.compile(r"[ \t]*(?:>(?!>>\w)|\|)")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"')\]”’*]*\s*\Z")
_Span: TypeAlias = tuple[int, int]
#: A mark of results that a model made up instead of waiting for them.
_RESULT = re.compile(r"response|result|output|observation|ipython", re.I)


def read_text_calls(text: str, tools: Sequence[ToolSpec]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The calls to known tools in a text.

    Returns:
        the text without them, and the tool name and JSON arguments of each, in the order they stand.
        Results that the model made up behind its calls are dropped with what follows them.
    """
    known = {tool.name: tool for tool in tools}
    fences, quoting = _fences(text), _quoting(text)
    spoken = _before_results(text, [*(span for span, _ in fences), *quoting])
    found = [*_unquoted(spoken, calls_written(spoken, known), fences, quoting)]
    found = [each for each in found if each.marked and not each.fenced] or found
    if not found or _is_shown(spoken, found):
        return text, ()
    parts = [part for part in _outside(spoken, found) if re.search(r"\w", part)]
    return without_marks("".join(parts)).strip(), tuple(call for each in found for call in each.calls)


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
        items = (chat_wire if of_chat else wire).with_calls(items, text, calls)
    return turn.model_copy(
        update={"text": text, "reasoning": reasoning, "tool_calls": calls, "provider_items": items}
    )


def _fences(text: str) -> list[tuple[_Span, _Span]]:
    """Where the closed code fences of a text are, with and without their own lines."""
    found = []
    opened: re.Match[str] | None = None
    for line in _FENCE_LINE.finditer(text):
        if opened is None:
            opened = line
        elif line[1].startswith(opened[1]) and not line[2].strip():
            found.append(((opened.start(), line.end()), (opened.end(), line.start())))
            opened = None
    return found


def _quoting(text: str) -> list[_Span]:
    """What a text quotes by its form: code in a line, HTML's elements for code and quotations, comments."""
    found = [match.span() for match in _INLINE.finditer(text)]
    lower, unclosed = text.lower(), set[str]()
    for match in _QUOTING.finditer(text):
        closing = "-->" if match[1] else f"</{match[2].lower()}>"
        end = -1 if closing in unclosed else lower.find(closing, match.end())
        if end < 0:
            unclosed.add(closing)
        elif not found or end + len(closing) > found[-1][1]:
            found.append((match.start(), end + len(closing)))
    return found


def _before_results(text: str, quoted: Sequence[_Span]) -> str:
    """The text up to where results begin that the model made up."""
    marks = (mark.start for mark in marks_of(text) if mark.opens and _RESULT.search(mark.text))
    labels = (match.start() for match in re.finditer(r"^Observation:", text, re.M))
    begins = [place for place in (*marks, *labels) if not any(a <= place < b for a, b in quoted)]
    return text[: min(begins, default=len(text))]


def _unquoted(
    text: str, found: Sequence[Written], fences: Sequence[tuple[_Span, _Span]], quoting: Sequence[_Span]
) -> Iterator[Written]:
    """The calls that no code, quotation or sentence holds; what is in a fence as large as the fence."""
    place = 0
    for at, each in enumerate(found):
        start, end = each.start, each.end
        until = found[at + 1].start if at + 1 < len(found) else len(text)
        fence = next((pair for pair in fences if pair[0][0] <= start and end <= pair[0][1]), None)
        if fence is not None:
            inside = [one for one in found if fence[0][0] <= one.start and one.end <= fence[0][1]]
            if re.search(r"\w", without_marks("".join(_outside(text, inside, *fence[1])))):
                continue  # a program, or a page, in which it occurs
            start, end = fence[0]
        elif any(first <= start and end <= last for first, last in quoting):
            continue
        before = without_marks(text[max(place, text.rfind("\n", 0, start) + 1) : start])
        place = end
        behind = without_marks(text[end : max(end, until)]).partition("\n")[0]
        if _QUOTED_LINE.match(before) or re.search(r"\w", behind):
            continue
        if before.strip() and _QUOTES.get(before.strip()[-1]) == (behind.strip() or " ")[0]:
            continue
        in_sentence = re.search(r"\w", before) and not _SENTENCE_END.search(before)
        if in_sentence and (behind.strip() or not each.marked):
            continue
        yield Written(start, end, each.core_end, each.calls, each.marked, each.fenced or fence is not None)


def _is_shown(text: str, found: Sequence[Written]) -> bool:
    """Whether the text is an answer that shows calls, rather than one that makes them."""
    outside = [without_marks(part).strip() for part in _outside(text, found)]
    before, after = outside[0], outside[-1]
    goes_on = bool(re.search(r"\w", after))
    if all(each.marked and not each.fenced for each in found):
        introduced = before.endswith((":", "：")) and bool(_MARKER.search(before))
        return bool(_MARKER.search(after)) or introduced or (goes_on and bool(before))
    return goes_on or any(map(_MARKER.search, outside))


def _outside(text: str, found: Sequence[Written], start: int = 0, end: int | None = None) -> list[str]:
    """The parts of a text in front of, between and behind calls."""
    parts, place = [], start
    for each in found:
        parts.append(text[place : max(place, each.start)])
        place = max(place, each.end)
    return [*parts, text[place : max(place, len(text) if end is None else end)]]
