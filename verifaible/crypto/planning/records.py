"""Records of tool planning: prompts with the calls that they need, and what a caller made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, JsonValue, field_validator

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
