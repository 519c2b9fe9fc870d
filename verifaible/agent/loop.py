"""The agent loop: a model, the tools, and the limits of a trial."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from string import Template

from pydantic import Field

from verifaible.agent.base import Task, Watch
from verifaible.agent.folding import fold_all, fold_cited, fold_followed, fold_oldest
from verifaible.agent.record import TrialRecord
from verifaible.errors import ContextOverflow, LimitReached, ModelError, RunError
from verifaible.llm.base import ModelClient
from verifaible.llm.dialects import with_text_calls
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ModelTurn, Usage
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
