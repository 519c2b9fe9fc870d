"""The reward as a pure function: weights, penalties, and the check of calls against their JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from verifaible.crypto.planning.caller import tools
from verifaible.crypto.planning.records import Call
from verifaible.errors import needing
from verifaible.schema.base import Record


class RewardSettings(Record):
    """How a reward is made up. The penalties and what counts as fatal are ours: the paper leaves them open.

    Attributes:
        judge: weight of the judge's scores (section 3.1.2).
        correct: weight of correctness.
        coverage: weight of coverage within the judge's part.
        relevance: weight of relevance there.
        points: what correctness starts from; penalties are taken from it.
        parameter: penalty of each argument that is missing, unknown or outside of its bounds.
        type: penalty of each argument of a wrong type.
        duplicate: penalty of each repetition of a call with equal arguments.
    """

    judge: float = Field(0.7, ge=0)
    correct: float = Field(0.3, ge=0)
    coverage: float = Field(0.8, ge=0)
    relevance: float = Field(0.2, ge=0)
    points: float = Field(3.0, gt=0)
    parameter: float = Field(1.0, ge=0)
    type: float = Field(1.0, ge=0)
    duplicate: float = Field(0.5, ge=0)


class Violation(Record):
    """What is wrong with a call; a fatal one leaves no points."""

    kind: Literal["fatal", "parameter", "type", "duplicate"]
    call: str
    message: str


class Scores(Record):
    """What a judge gives a plan, each from 0 to 10."""

    coverage: float = Field(ge=0, le=10)
    relevance: float = Field(ge=0, le=10)


def violations(calls: Sequence[Call]) -> tuple[Violation, ...]:
    """What is wrong with the calls of a plan, by the schemas of the tools.

    Raises:
        ConfigError: the package that reads JSON Schemas is not installed.
    """
    with needing("crypto", "The check of calls"):
        from jsonschema import Draft202012Validator
    schemas = {each.name: each.parameters for each in tools()}
    found: list[Violation] = []
    seen: set[str] = set()
    for each in calls:
        schema = schemas.get(each.name)
        if schema is None:
            found.append(Violation(kind="fatal", call=each.name, message="There is no such tool."))
            continue
        if not isinstance(each.arguments, dict):
            found.append(Violation(kind="fatal", call=each.name, message="The arguments are no JSON object."))
            continue
        strict: dict[str, Any] = {**schema, "additionalProperties": False}
        for fault in Draft202012Validator(strict).iter_errors(each.arguments):
            kind: Literal["type", "parameter"] = "type" if fault.validator == "type" else "parameter"
            found.append(Violation(kind=kind, call=each.name, message=fault.message))
        if each.key in seen:
            told = json.dumps(each.arguments, ensure_ascii=False)
            found.append(Violation(kind="duplicate", call=each.name, message=f"Called before with {told}."))
        seen.add(each.key)
    return tuple(found)


def correctness(found: Sequence[Violation], settings: RewardSettings) -> float:
    """What is left of the points, as a share from 0 to 1 (equation 2)."""
    if any(each.kind == "fatal" for each in found):
        return 0.0
    penalty: float = sum(getattr(settings, each.kind) for each in found)
    return max(0.0, (settings.points - penalty) / settings.points)


def judged(scores: Scores, settings: RewardSettings) -> float:
    """The judge's part, from 0 to 1 (equation 3)."""
    return (settings.coverage * scores.coverage + settings.relevance * scores.relevance) / 10


def reward(scores: Scores, found: Sequence[Violation], settings: RewardSettings) -> float:
    """The reward of a plan, from 0 to 1 with the weights as they are (equation 1)."""
    return settings.judge * judged(scores, settings) + settings.correct * correctness(found, settings)
