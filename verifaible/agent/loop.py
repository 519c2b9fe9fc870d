"""The agent loop: a model, the tools, and the limits of a trial."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from string import Template
from urllib.parse import urldefrag

from pydantic import Field

from verifaible.agent.base import Task, Watch
from verifaible.agent.record import TrialRecord
from verifaible.errors import ContextOverflow, LimitReached, ModelError, RunError
from verifaible.llm.base import ModelClient
from verifaible.llm.text_calls import with_text_calls
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ModelTurn, ToolCall, Usage
from verifaible.schema.run import AgentOutcome, EndedBy, TrialCitation
from verifaible.tools.toolbox import Toolbox

#: The system prompts of this package, by the names that ``--prompt`` takes.
PROMPT_NAMES = ("short", "full")
_ENDED_BY: dict[str, EndedBy] = {"rounds": "rounds", "tokens": "tokens", "seconds": "seconds", "cost": "cost"}


class Limits(Record):
    """What ends a trial; None is no limit.

    ``rounds`` are answers of the model (30 in the published evaluation: seed, section 2.4),
    ``tokens`` input and output together over all rounds.
    """

    rounds: int = Field(30, ge=1)
    tokens: int | None = Field(None, gt=0)
    seconds: float | None = Field(None, gt=0)
    cost_usd: float | None = Field(None, gt=0)


class ModelAgent:
    """An :class:`~verifaible.agent.base.Agent` that lets a model choose the tool calls.

    Args:
        client: the model; it is not closed here, and may serve many trials at once.
        name: the model's name in reports.
        limits: what ends a trial.
        system: the system prompt; default the short one.
    """

    def __init__(
        self, client: ModelClient, name: str, limits: Limits | None = None, system: str = ""
    ) -> None:
        self.name = name
        self._client = client
        self._limits = limits or Limits()
        self._system = system or prompt("system.md")

    def through(self, wrap: Callable[[ModelClient], ModelClient]) -> ModelAgent:
        """The same agent, whose model is asked through what ``wrap`` makes of its client."""
        return ModelAgent(wrap(self._client), self.name, self._limits, self._system)

    async def run(self, task: Task, toolbox: Toolbox, watch: Watch) -> AgentOutcome:
        """Ask the model and run its tool calls until it answers in text, or a limit is reached.

        Raises:
            InfrastructureError: the machine failed; the events so far have gone to ``watch``.
        """
        messages = [
            Message(role="system", text=self._system),
            Message(role="user", text=task_prompt(task)),
        ]
        return await self.converse(messages, toolbox, TrialRecord(watch))

    async def converse(self, messages: list[Message], toolbox: Toolbox, record: TrialRecord) -> AgentOutcome:
        """Let the model go on with a conversation until it answers in text, or a limit is reached.

        The limit of seconds counts from here; the others count everything that ``record`` has.

        Args:
            messages: what was said so far; what is said now is added, and spent results of tools are folded.
            toolbox: the tools of the session.
            record: the trial so far.

        Raises:
            InfrastructureError: the machine failed.
        """
        deadline = asyncio.timeout(self._limits.seconds)
        try:
            async with deadline:
                answer = await self._converse(messages, toolbox, record)
        except TimeoutError:
            if not deadline.expired():
                raise
            reached = _over("seconds", f"{self._limits.seconds:g} seconds")
            return record.outcome("", ended_by="seconds", error=str(reached))
        except LimitReached as reached:
            return record.outcome("", ended_by=_ENDED_BY[reached.limit], error=str(reached))
        except ModelError as error:
            record.usage += error.usage or Usage()
            record.notes += error.notes
            return record.outcome("", ended_by="model_error", error=str(error), error_code=error.code)
        return record.outcome(answer)

    async def _converse(self, messages: list[Message], toolbox: Toolbox, record: TrialRecord) -> str:
        """The model's final text, or an empty one if it stays silent after a reminder."""
        reminded = False
        while True:
            turn = await self._next_turn(messages, toolbox, record)
            if not turn.tool_calls and (turn.text or reminded):
                messages.append(turn.as_message())
                return turn.text
            self._check(record)
            messages.append(turn.as_message())
            if not turn.tool_calls:
                reminded = True
                messages.append(Message(role="user", text=prompt("reminder.md")))
            cited: list[TrialCitation] = []
            # one after the other: the numbers of citations follow the order of the calls
            for call in turn.tool_calls:
                reply = await record.call(
                    toolbox, call.name, call.arguments, step=record.rounds, call_id=call.id
                )
                messages.append(Message(role="tool", text=reply.text, tool_call_id=call.id))
                if reply.citation is not None:
                    cited.append(reply.citation)
            for citation in cited:
                messages[:] = fold_cited(messages, citation.source_url, citation.number)
            messages[:] = fold_oldest(fold_followed(messages))

    async def _next_turn(self, messages: list[Message], toolbox: Toolbox, record: TrialRecord) -> ModelTurn:
        """One round trip, noted as it came; calls that the model wrote as text are read as calls.

        A conversation that the endpoint finds too long is folded harder, once.
        """
        try:
            turn = await self._client.complete(messages, toolbox.specs)
        except ContextOverflow as overflow:
            folded = fold_all(messages)
            if folded == messages:
                raise
            record.usage += overflow.usage or Usage()
            record.notes += (
                *overflow.notes,
                f"asked again with all earlier results folded, since {overflow}",
            )
            messages[:] = folded
            turn = await self._client.complete(messages, toolbox.specs)
        record.model_answered(turn)
        return with_text_calls(turn, toolbox.specs, id_prefix=f"text_call_{record.rounds}")

    def _check(self, record: TrialRecord) -> None:
        """Raise if no further round is allowed."""
        limits, usage = self._limits, record.usage
        if record.rounds >= limits.rounds:
            raise _over("rounds", f"{limits.rounds} rounds")
        if limits.tokens is not None and usage.input_tokens + usage.output_tokens >= limits.tokens:
            raise _over("tokens", f"{limits.tokens} tokens")
        if limits.cost_usd is not None and (usage.cost_usd or 0.0) >= limits.cost_usd:
            raise _over("cost", f"{limits.cost_usd:g} US dollars")


def _over(limit: str, amount: str) -> LimitReached:
    return LimitReached(
        limit, f"The trial ended at its limit of {amount} without an answer. Raise the limit to let it go on."
    )


@cache
def prompt(name: str) -> str:
    """A prompt file of this package, without white space at its ends."""
    return resources.files("verifaible.agent").joinpath("prompts", name).read_text(encoding="utf-8").strip()


def system_prompt(name: str, rounds: int) -> str:
    """The system prompt of a run.

    Args:
        name: ``short``; ``full``, which also teaches how to spend rounds and to operate pages; or the path
            of a text file.
        rounds: what the trial may take.

    Raises:
        RunError: there is no such file, or it is empty or no text.
    """
    if name in PROMPT_NAMES:
        more = f"\n\n{Template(prompt('full.md')).substitute(rounds=rounds)}" if name == "full" else ""
        return prompt("system.md") + more
    try:
        text = Path(name).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(
            f"The prompt {name!r} cannot be read ({error}). Give --prompt short, full, or a text file."
        ) from error
    if not text:
        raise RunError(f"The prompt {name!r} is empty. Give --prompt short, full, or a text file.")
    return text


def task_prompt(task: Task) -> str:
    """What the model is asked: the start page and the question, nothing else of the case."""
    return Template(prompt("task.md")).substitute(url=task.url, question=task.question)


# Leaving out of a conversation what has done its work, so that it is not paid for in every further round.
#
# Only the copy that goes to the model is shortened; the transcript of a trial keeps every result whole.
# A provider's prompt cache holds for what stands before the first change, so results are folded rarely and
# many at a time, and the beginning of the conversation never changes.

#: A shorter result is kept: what stands in its place costs some 40 tokens itself.
BULKY_CHARACTERS = 1_200
#: Results of more characters than this in all are folded from the oldest on, down to half of it. Calibrated
#: on trajectories as long as the published ones: they stay below, runs that lose their way do not.
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
    """A bulky result: where it stands, which call it answers, of which page it is, and its text."""

    place: int
    call: ToolCall
    page: str
    text: str


def fold_cited(messages: Sequence[Message], source_url: str, number: int) -> list[Message]:
    """The conversation without the bulky results about a page that has just been cited.

    Results of a search go with the first citation: it shows that the search has led somewhere.

    Args:
        messages: the conversation.
        source_url: the page that was cited.
        number: of the citation.
    """
    cited = _page(source_url)
    spent = [each for each in _bulky(messages) if each.call.name == _SEARCH or each.page == cited]
    return _folded(messages, spent, f"is left out here, since its page is cited as [@v:{number}]")


def fold_followed(messages: Sequence[Message]) -> list[Message]:
    """The conversation without the lists of those searches that a page has been read from since.

    It is done at once, while little stands behind the list that a cache could hold.
    """
    calls = [call for message in messages for call in message.tool_calls]
    read = {_page_of(call) for call in calls if call.name in _READING} - {""}
    searches = (each for each in _bulky(messages) if each.call.name == _SEARCH)
    spent = [each for each in searches if any(url in each.text for url in read)]
    return _folded(messages, spent, "is left out here, since a page that it lists has been read")


def fold_oldest(messages: Sequence[Message]) -> list[Message]:
    """The conversation, without its oldest bulky results if all of them together have become too long."""
    results = _bulky(messages)
    size = sum(len(each.text) for each in results)
    spent: list[_Result] = []
    for result in results[:-_LATEST_KEPT] if size > MOST_CHARACTERS else ():
        if size <= MOST_CHARACTERS // 2:
            break
        spent.append(result)
        size -= len(result.text)
    return _folded(messages, spent, "is left out here to save room")


def fold_all(messages: Sequence[Message]) -> list[Message]:
    """The conversation without any bulky result: the endpoint has said that it is too long.

    The latest result keeps the characters that are shorter than bulky, so that the model can ask for a part.
    """
    results = _bulky(messages)
    folded = _folded(messages, results, "was too long for what you can read; ask for a part of it")
    if results and results[-1].place == len(messages) - 1:
        text = f"{results[-1].text[:BULKY_CHARACTERS]}\n{folded[-1].text}"
        folded[-1] = folded[-1].model_copy(update={"text": text})
    return folded


def _bulky(messages: Sequence[Message]) -> list[_Result]:
    calls: dict[str, ToolCall] = {}
    found = []
    for place, message in enumerate(messages):
        # in their order: some servers begin to count the ids of calls anew in every turn
        calls |= {call.id: call for call in message.tool_calls}
        call = calls.get(message.tool_call_id) if message.role == "tool" else None
        if call is not None and call.name != _CITE and len(message.text) > BULKY_CHARACTERS:
            found.append(_Result(place, call, _page_of(call), message.text))
    return found


def _folded(messages: Sequence[Message], spent: Sequence[_Result], why: str) -> list[Message]:
    folded = list(messages)
    for result in spent:
        marks = _MARK_LINE.findall(_FOREIGN.sub("", result.text))[:_MOST_MARK_LINES]
        name, size = result.call.name, len(result.text)
        said = f"(This result of {name}, {size:,} characters, {why}. Call again to see it.)"
        folded[result.place] = messages[result.place].model_copy(update={"text": "\n".join((*marks, said))})
    return folded


def _page_of(call: ToolCall) -> str:
    """The page that a call is about; empty where it names none."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return ""
    return _page(str(arguments.get("url") or "")) if isinstance(arguments, dict) else ""


def _page(url: str) -> str:
    return urldefrag(url.strip()).url
