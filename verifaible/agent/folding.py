"""Leaving out of a conversation what has done its work, so that it is not paid for in every further round.

Only the copy that goes to the model is shortened; the transcript of a trial keeps every result whole.
A provider's prompt cache holds for what stands before the first change, so results are folded rarely and
many at a time, and the beginning of the conversation never changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urldefrag

from verifaible.schema.chat import Message, ToolCall

#: A shorter result is kept: what stands in its place costs some 40 tokens itself.
BULKY_CHARACTERS = 1_200
#: Results of more characters than this in all are folded from the oldest on, down to half of it. Calibrated
#: on the trajectories of ``scripts/benchmark/context.py``: they stay below, runs that lose their way do not.
MOST_CHARACTERS = 60_000
#: The latest results are never folded for their size: the model has only just asked for them.
_LATEST_KEPT = 2
#: The line of a result that tells its mark stays: an answer still rests on what was read there.
_MARK_LINE = re.compile(r"^\[src_\d+\][^\n]{0,300}", re.MULTILINE)
_MOST_MARK_LINES = 10
#: What pages and providers wrote; a line of it that looks like a mark is none of ours.
_FOREIGN = re.compile(
    r"^--- content of .* (\w+) ---\n.*?^--- end of content \1 ---$", re.MULTILINE | re.DOTALL
)
_CITE = "verifaible_cite"
_SEARCH = "verifaible_web_search"
_READING = ("web_fetch", "analyze_page", "test_action_steps", "video_transcript")


@dataclass(frozen=True, slots=True)
class _Result:
    """A bulky result: where it stands, which call it answers, how long it is."""

    place: int
    call: ToolCall
    size: int


def fold_cited(messages: Sequence[Message], source_url: str, number: int) -> list[Message]:
    """The conversation without the bulky results about a page that has just been cited.

    Results of a search go with the first citation: it shows that the search has led somewhere.

    Args:
        messages: the conversation.
        source_url: the page that was cited.
        number: of the citation.
    """
    cited = _page(source_url)
    folded = list(messages)
    for result in _bulky(messages):
        if result.call.name == _SEARCH or _page(_url(result.call)) == cited:
            _fold(folded, result, f"is left out here, since its page is cited as [@v:{number}]")
    return folded


def fold_followed(messages: Sequence[Message]) -> list[Message]:
    """The conversation without the lists of those searches that a page has been read from since.

    It is done at once, while little stands behind the list that a cache could hold.
    """
    folded = list(messages)
    calls = [call for message in messages for call in message.tool_calls]
    read = {_page(_url(call)) for call in calls if call.name in _READING} - {""}
    for result in _bulky(messages):
        listed = messages[result.place].text
        if result.call.name == _SEARCH and any(url in listed for url in read):
            _fold(folded, result, "is left out here, since a page that it lists has been read")
    return folded


def fold_oldest(messages: Sequence[Message]) -> list[Message]:
    """The conversation, without its oldest bulky results if all of them together have become too long."""
    folded = list(messages)
    results = _bulky(messages)
    size = sum(result.size for result in results)
    if size <= MOST_CHARACTERS:
        return folded
    for result in results[:-_LATEST_KEPT]:
        if size <= MOST_CHARACTERS // 2:
            break
        _fold(folded, result, "is left out here to save room")
        size -= result.size
    return folded


def fold_all(messages: Sequence[Message]) -> list[Message]:
    """The conversation without any bulky result: the endpoint has said that it is too long.

    The latest result keeps the characters that are shorter than bulky, so that the model can ask for a part.
    """
    folded = list(messages)
    for result in _bulky(messages):
        text = messages[result.place].text
        _fold(folded, result, "was too long for what you can read; ask for a part of it")
        if result.place == len(messages) - 1:
            own = folded[result.place].text
            folded[result.place] = folded[result.place].model_copy(
                update={"text": f"{text[:BULKY_CHARACTERS]}\n{own}"}
            )
    return folded


def _bulky(messages: Sequence[Message]) -> list[_Result]:
    calls: dict[str, ToolCall] = {}
    found = []
    for place, message in enumerate(messages):
        # in their order: some servers begin to count the ids of calls anew in every turn
        calls |= {call.id: call for call in message.tool_calls}
        call = calls.get(message.tool_call_id) if message.role == "tool" else None
        if call is not None and call.name != _CITE and len(message.text) > BULKY_CHARACTERS:
            found.append(_Result(place, call, len(message.text)))
    return found


def _fold(messages: list[Message], result: _Result, why: str) -> None:
    text = f"(This result of {result.call.name}, {result.size:,} characters, {why}. Call again to see it.)"
    own = _FOREIGN.sub("", messages[result.place].text)
    marks = _MARK_LINE.findall(own)[:_MOST_MARK_LINES]
    text = "\n".join((*marks, text))
    messages[result.place] = messages[result.place].model_copy(update={"text": text})


def _url(call: ToolCall) -> str:
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return ""
    return str(arguments.get("url") or "") if isinstance(arguments, dict) else ""


def _page(url: str) -> str:
    return urldefrag(url.strip()).url
