"""The caller: a model chooses tools for a prompt (paper, section 3.1); prompts, plans and their files.

The files are JSON lists in the form of the paper's public ones.
Simulated, nothing is executed; :mod:`verifaible.crypto.chat` lets the same loop call the real tools.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter, ValidationError, field_validator

from verifaible.errors import InfrastructureError, ModelError, RunError
from verifaible.judge.table import read_text
from verifaible.llm.base import ModelClient
from verifaible.llm.dialects import with_text_calls
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ToolCall, ToolSpec, Usage


class Call(Record):
    """A call of a tool; arguments that are no JSON object stay the text that they were."""

    name: str
    arguments: JsonValue = Field(default_factory=dict)

    @field_validator("arguments", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, str):
            try:
                read = json.loads(value or "{}")
            except (ValueError, RecursionError):
                return value
            return read if isinstance(read, dict) else value
        return value

    @property
    def key(self) -> str:
        """Name and arguments as one text; the order of the arguments does not count, their values do."""
        return f"{self.name} {json.dumps(self.arguments, sort_keys=True, ensure_ascii=True)}"


class Prompt(Record):
    """An entry of the public files: a prompt, and the calls that it needs or that a caller made."""

    prompt: str
    tool_call: tuple[Call, ...]


class Plan(Record):
    """A line of ``plans.jsonl``: what a model planned for a prompt.

    Attributes:
        row: of the prompt, from 1.
        decisions: answers of the model.
        ended_by: it stopped, it had decided as often as it may, or no usable answer came.
        error: why there is no plan; empty where there is one.
    """

    row: int
    prompt: str
    tool_call: tuple[Call, ...] = ()
    decisions: int = 0
    ended_by: Literal["stop", "decisions", "error"] = "stop"
    error: str = ""
    error_code: str = ""
    usage: Usage = Field(default_factory=Usage)
    duration_s: float = 0.0


class PlanRun(Record):
    """``plan.json``: what a run was made of; it goes on only with the same ``locked``."""

    format: int = 1
    model: str
    described: str
    started_at: datetime
    version: str
    locked: dict[str, str]


@dataclass(frozen=True, slots=True)
class System:
    """What a caller called for each prompt; None for a prompt that failed or was not asked."""

    name: str
    calls: Mapping[str, tuple[Call, ...] | None] = field(repr=False)
    baseline: bool = False


_FORM = 'Give a JSON list of {"prompt": "...", "tool_call": [{"name": "...", "arguments": {}}]}.'


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """The entries of a file, in order.

    Raises:
        RunError: it cannot be read, is no such list, is empty, or has a prompt twice.
    """
    try:
        value = json.loads(read_text(path).text)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is not JSON ({error}). {_FORM}") from error
    if not isinstance(value, list):
        raise RunError(f"{path} holds no list. {_FORM}")
    try:
        prompts = TypeAdapter(tuple[Prompt, ...]).validate_python(value)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place, *inner = fault["loc"]
        where = ", ".join([f"entry {int(place) + 1}", *([".".join(map(str, inner))] if inner else [])])
        raise RunError(f"{path}, {where}: {fault['msg']}. {_FORM}") from error
    if not prompts:
        raise RunError(f"{path} holds no prompt. {_FORM}")
    first: dict[str, int] = {}
    for number, each in enumerate(prompts, 1):
        if first.setdefault(each.prompt, number) != number:
            raise RunError(
                f"{path}, entry {number}: repeats the prompt of entry {first[each.prompt]}. Take one of "
                "them out."
            )
    return prompts


def read_calls(path: Path, prompts: Sequence[Prompt]) -> System:
    """What a caller called for these prompts; its name is that of the file.

    Raises:
        RunError: as :func:`read_prompts`; or it has no entry for one of the prompts.
    """
    made = {each.prompt: each.tool_call for each in read_prompts(path)}
    lacking = [each.prompt for each in prompts if each.prompt not in made]
    if lacking:
        raise RunError(
            f"{path} has no entry for {len(lacking)} of {len(prompts)} prompts, first {lacking[0][:80]!r}. "
            "Add one for each; a list of no calls says that none was made."
        )
    return System(name=path.stem, calls={each.prompt: made[each.prompt] for each in prompts})


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
