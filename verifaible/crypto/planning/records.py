"""Tool planning: prompts with the calls that they need, what a caller made of them, and the files of both.

The files are JSON lists in the form of the paper's public ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError, field_validator

from verifaible.errors import RunError
from verifaible.judge.inputs.decoding import read_bytes
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage


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
    usage: Usage = field(default_factory=Usage)
    baseline: bool = False


_FORM = 'Give a JSON list of {"prompt": "...", "tool_call": [{"name": "...", "arguments": {}}]}.'


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """The entries of a file, in order.

    Raises:
        RunError: it cannot be read, is no such list, is empty, or has a prompt twice.
    """
    try:
        value = json.loads(read_bytes(path))
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
