"""The caller: a model chooses tools for a prompt (paper, section 3.1).

Simulated, nothing is executed; :mod:`verifaible.crypto.chat` lets the same loop call the real tools.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from string import Template
from typing import Final, Literal, TypeAlias

from pydantic import TypeAdapter

from verifaible.crypto.planning.records import Call, Plan
from verifaible.errors import InfrastructureError, ModelError
from verifaible.llm.base import ModelClient
from verifaible.llm.dialects import with_text_calls
from verifaible.schema.chat import Message, ToolCall, ToolSpec, Usage

#: Answers of the model for a prompt (paper, section 4.1).
MAX_DECISIONS: Final = 6
#: The tool that ends a plan; it is not counted as called.
STOP: Final = "no_tool_call"
#: What a call is answered with.
SIMULATED: Final = "simulated"


@cache
def tools() -> tuple[ToolSpec, ...]:
    """The nine tools that the public files name, and the one that ends a plan."""
    return TypeAdapter(tuple[ToolSpec, ...]).validate_json(_text("tools.json"))


def caller_sha256() -> str:
    """SHA-256 over all that a caller is told: the system prompt, the tools, how often it may decide."""
    told = "\0".join((system_prompt("simulated"), _text("tools.json"), SIMULATED, str(MAX_DECISIONS)))
    return hashlib.sha256(told.encode()).hexdigest()


@dataclass(slots=True)
class Decided:
    """How a caller went.

    Attributes:
        decisions: answers of the model so far.
        stopped: whether it said that no further tool is needed.
        usage: of its answers.
    """

    decisions: int = 0
    stopped: bool = False
    usage: Usage = field(default_factory=Usage)


#: Gives the results of the calls of one decision, in their order.
Execute: TypeAlias = Callable[[Sequence[ToolCall]], Awaitable[Sequence[str]]]


def system_prompt(mode: Literal["simulated", "executed"], **values: str) -> str:
    """What a caller is told of its work; ``values`` are those of the mode's text."""
    told = Template(_text(f"caller_{mode}.md")).substitute(values)
    return Template(_text("caller.md")).substitute(mode=told)


async def decide(
    messages: list[Message],
    client: ModelClient,
    specs: Sequence[ToolSpec],
    execute: Execute,
    into: Decided,
) -> None:
    """Let a model call tools until it needs no further one, at most :data:`MAX_DECISIONS` times.

    Args:
        messages: the conversation so far; what is said now is added.
        client: the model; it is not closed here.
        specs: the tools, among them the one that stops.
        execute: gives the results.
        into: noted here, so that it is there after an error too.

    Raises:
        ModelError: no usable answer came.
        InfrastructureError: the machine failed.
    """
    while not into.stopped and into.decisions < MAX_DECISIONS:
        turn = await client.complete(messages, specs)
        into.decisions += 1
        into.usage += turn.usage
        turn = with_text_calls(turn, specs, id_prefix=f"text_call_{into.decisions}")
        wanted = [each for each in turn.tool_calls if each.name != STOP]
        into.stopped = len(wanted) < len(turn.tool_calls) or not wanted
        results = await execute(wanted)
        if not into.stopped:
            messages.append(turn.as_message())
            messages += [
                Message(role="tool", text=result, tool_call_id=call.id)
                for call, result in zip(wanted, results, strict=True)
            ]


async def plan(row: int, prompt: str, client: ModelClient) -> Plan:
    """Let a model plan for one prompt.

    Args:
        row: of the prompt.
        prompt: its words.
        client: the model; it is not closed here.

    Returns:
        The plan; where no usable answer came, one with the error and without calls.
    """
    messages = [Message(role="system", text=system_prompt("simulated")), Message(role="user", text=prompt)]
    made: list[Call] = []
    decided, started = Decided(), time.monotonic()

    async def simulate(calls: Sequence[ToolCall]) -> Sequence[str]:
        made.extend(Call(name=each.name, arguments=each.arguments) for each in calls)
        return [_result(each) for each in calls]

    error: ModelError | InfrastructureError | None = None
    try:
        await decide(messages, client, tools(), simulate, decided)
    except (ModelError, InfrastructureError) as raised:
        error = raised
    return Plan(
        row=row,
        prompt=prompt,
        tool_call=() if error else tuple(made),
        decisions=decided.decisions,
        ended_by="error" if error else "stop" if decided.stopped else "decisions",
        error=str(error or ""),
        error_code=error.code if error else "",
        usage=decided.usage + (getattr(error, "usage", None) or Usage()),
        duration_s=time.monotonic() - started,
    )


def _result(call: ToolCall) -> str:
    known = [tool.name for tool in tools()]
    return (
        SIMULATED if call.name in known else f"There is no tool {call.name}. Call one of: {', '.join(known)}."
    )


def _text(name: str) -> str:
    return resources.files("verifaible.crypto.planning").joinpath(name).read_text(encoding="utf-8").strip()
