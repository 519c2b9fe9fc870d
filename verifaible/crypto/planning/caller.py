"""The caller: a model chooses tools for a prompt (paper, section 3.1); prompts, plans and their files.

The files are JSON lists in the form of the paper's public ones. Simulated, nothing is executed;
:mod:`verifaible.crypto.chat.turn` lets the same loop call the real tools.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter, ValidationError, field_validator

from verifaible.crypto.metered import Meter
from verifaible.crypto.runs import Result, read_bytes
from verifaible.errors import InfrastructureError, ModelError, RunError
from verifaible.llm.base import ModelClient
from verifaible.llm.text_calls import with_text_calls
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, ToolCall, ToolSpec

#: Answers of the model for a prompt (paper, section 4.1).
MAX_DECISIONS: Final = 6
#: The tool that ends a plan; it is not counted as called.
STOP: Final = "no_tool_call"
#: What a call is answered with.
SIMULATED: Final = "simulated"
_FORM: Final = 'Give a JSON list of {"prompt": "...", "tool_call": [{"name": "...", "arguments": {}}]}.'


class Call(Record):
    """A call of a tool; arguments that are no JSON object stay the text that they were."""

    name: str
    arguments: JsonValue = Field(default_factory=dict)

    @field_validator("arguments", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            read = json.loads(value or "{}")
        except (ValueError, RecursionError):
            return value
        return read if isinstance(read, dict) else value

    @property
    def key(self) -> str:
        """Name and arguments as one text; the order of the arguments does not count, their values do."""
        return f"{self.name} {json.dumps(self.arguments, sort_keys=True)}"


class Prompt(Record):
    """An entry of the public files: a prompt, and the calls that it needs or that a caller made."""

    prompt: str
    tool_call: tuple[Call, ...]


class Plan(Result):
    """A line of ``plans.jsonl``: what a model planned for a prompt."""

    prompt: str
    tool_call: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """What a caller called for each prompt; None for a prompt that failed or was not asked."""

    name: str
    calls: Mapping[str, tuple[Call, ...] | None] = field(repr=False)
    baseline: bool = False


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """The entries of a file, in order.

    Raises:
        RunError: it cannot be read, is no such list, is empty, or has a prompt twice.
    """
    try:
        prompts = TypeAdapter(tuple[Prompt, ...]).validate_python(json.loads(read_bytes(path)))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place, *inner = fault["loc"] or ("",)
        where = (
            f", entry {place + 1}, {'.'.join(map(str, inner))}" if isinstance(place, int) else " is no list"
        )
        raise RunError(f"{path}{where}: {fault['msg']}. {_FORM}") from error
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is not JSON ({error}). {_FORM}") from error
    if not prompts:
        raise RunError(f"{path} holds no prompt. {_FORM}")
    first: dict[str, int] = {}
    for number, each in enumerate(prompts, 1):
        if (before := first.setdefault(each.prompt, number)) != number:
            raise RunError(
                f"{path}, entry {number}: repeats the prompt of entry {before}. Take one of them out."
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


@cache
def tools() -> tuple[ToolSpec, ...]:
    """The nine tools that the public files name, and the one that ends a plan."""
    return TypeAdapter(tuple[ToolSpec, ...]).validate_json(_text("tools.json"))


def caller_sha256() -> str:
    """SHA-256 over all that a caller is told: the system prompt, the tools, how often it may decide."""
    told = (system_prompt("simulated"), _text("tools.json"), SIMULATED, str(MAX_DECISIONS))
    return sha256("\0".join(told).encode()).hexdigest()


def system_prompt(mode: Literal["simulated", "executed"], **values: str) -> str:
    """What a caller is told of its work; ``values`` are those of the mode's text."""
    told = Template(_text(f"caller_{mode}.md")).substitute(values)
    return Template(_text("caller.md")).substitute(mode=told)


#: Gives the results of the calls of one decision, in their order.
Execute: TypeAlias = Callable[[Sequence[ToolCall]], Awaitable[Sequence[str]]]


async def decide(
    messages: list[Message], client: ModelClient, specs: Sequence[ToolSpec], execute: Execute
) -> None:
    """Let a model call tools until it needs no further one, at most :data:`MAX_DECISIONS` times.

    Args:
        messages: the conversation so far; what is said now is added.
        client: the model; it is not closed here.
        specs: the tools, among them the one that stops.
        execute: gives the results.

    Raises:
        ModelError: no usable answer came.
        InfrastructureError: the machine failed.
    """
    for decision in range(1, MAX_DECISIONS + 1):
        turn = with_text_calls(
            await client.complete(messages, specs), specs, id_prefix=f"text_call_{decision}"
        )
        wanted = [each for each in turn.tool_calls if each.name != STOP]
        results = await execute(wanted)
        if len(wanted) < len(turn.tool_calls) or not wanted:
            return
        messages.append(turn.as_message())
        messages += [
            Message(role="tool", text=result, tool_call_id=call.id)
            for call, result in zip(wanted, results, strict=True)
        ]


async def plan(row: int, prompt: str, client: ModelClient) -> Plan:
    """Let a model plan for one prompt; where no usable answer came, the plan has the error and no calls."""
    messages = [Message(role="system", text=system_prompt("simulated")), Message(role="user", text=prompt)]
    known = [tool.name for tool in tools()]
    made: list[Call] = []
    meter = Meter()

    async def simulate(calls: Sequence[ToolCall]) -> Sequence[str]:
        made.extend(Call(name=each.name, arguments=each.arguments) for each in calls)
        unknown = "There is no tool {}. Call one of: " + ", ".join(known) + "."
        return [SIMULATED if each.name in known else unknown.format(each.name) for each in calls]

    failure: ModelError | InfrastructureError | None = None
    try:
        await decide(messages, meter.of(client), tools(), simulate)
    except (ModelError, InfrastructureError) as error:
        failure = error
    return Plan(
        row=row,
        prompt=prompt,
        tool_call=() if failure else tuple(made),
        error=str(failure or ""),
        error_code=failure.code if failure else "",
        usage=meter.usage,
    )


def _text(name: str) -> str:
    return resources.files("verifaible.crypto.planning").joinpath(name).read_text(encoding="utf-8").strip()
