"""Tool calls that a model wrote as text.

Some models, or the servers they run on, leave a tool call in the text instead of in a tool-call item.
A call counts if its tool exists and the text does not quote it. Quoted is:

- what stands in `inline code`, or in a sentence that goes on behind it in the same line;
- every call of an answer: a text that marks a citation (``[@v:1]``) behind the call;
- JSON without a marking of its own (fenced, or bare) that any text follows, or that stands beside a
  citation marker: an answer may show how it was found. So is a marked call inside a code fence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from verifaible.llm import chat_wire, wire
from verifaible.llm.dialect_forms import FORMS, INVENTED, WRAPPERS, Form, calls_in
from verifaible.llm.thoughts import joined, split_thoughts, strip_thinking
from verifaible.schema.chat import ModelTurn, ToolCall, ToolSpec

__all__ = ["read_text_calls", "strip_thinking", "with_text_calls"]

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.S | re.M)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)[^\n]*?(?<!`)\1(?!`)")
_MARKER = re.compile(r"\[@v:\s*\d+\s*\]")


@dataclass(frozen=True, slots=True)
class _Found:
    """Calls at a place of the text, from ``start`` to ``end``; ``marked`` as for a form."""

    start: int
    end: int
    calls: tuple[tuple[str, str], ...]
    marked: bool


def read_text_calls(text: str, tools: Sequence[ToolSpec]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The calls to known tools in a text.

    Returns:
        the text without them, and the tool name and JSON arguments of each, in the order they stand.
        The first form that gives a call is the model's own; forms are not mixed. Results that the model
        made up behind its calls are dropped with what follows them.
    """
    known = {tool.name: tool for tool in tools}
    invented = INVENTED.search(text)
    spoken = text[: invented.start()] if invented else text
    for form in FORMS:
        found = [each for each in _matches(form, spoken, known) if each.calls]
        if not found:
            continue
        if _is_quoted(spoken, found):
            return text, ()
        rest = spoken
        for each in reversed(found):
            rest = rest[: each.start] + rest[each.end :]
        return WRAPPERS.sub("", rest).strip(), tuple(call for each in found for call in each.calls)
    return text, ()


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


def _matches(form: Form, text: str, known: dict[str, ToolSpec]) -> list[_Found]:
    """The matches of a form that no code span or sentence holds."""
    inline = [match.span() for match in _INLINE.finditer(text)]
    fences = [match.span() for match in _FENCE.finditer(text)]
    found: list[_Found] = []
    matches = form.matches(text)
    nexts = [*(match.start() for match in matches[1:]), len(text)]
    for match, until in zip(matches, nexts, strict=False):
        start, end = match.span()
        in_code = any(first <= start and end <= last for first, last in inline)
        if in_code or (form.marked and _in_sentence(text[end:until])):
            continue
        marked = form.marked
        around = next(((first, last) for first, last in fences if first < start and end < last), None)
        if around and marked:
            start, end = around
            marked = False
        calls = tuple(calls_in(form, match, known))
        if found and around and found[-1].start == start:  # a second call in the same fence
            found[-1] = _Found(start, end, found[-1].calls + calls, marked)
        else:
            found.append(_Found(start, end, calls, marked))
    return found


def _in_sentence(behind: str) -> bool:
    """Whether words follow a call in the same line."""
    return bool(re.search(r"\w", WRAPPERS.sub("", behind).partition("\n")[0]))


def _is_quoted(text: str, found: Sequence[_Found]) -> bool:
    """Whether the text is an answer that shows calls, rather than one that makes them."""
    after = WRAPPERS.sub("", text[found[-1].end :]).strip()
    if all(each.marked for each in found):
        return bool(_MARKER.search(after))
    outside, place = [], 0
    for each in found:
        outside.append(text[place : each.start])
        place = each.end
    return bool(after) or bool(_MARKER.search(" ".join([*outside, after])))
