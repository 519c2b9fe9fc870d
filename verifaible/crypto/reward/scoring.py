"""Rewards of plans: the check of calls against their JSON Schemas, the judge's scores, weights, penalties."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal

from pydantic import Field

from verifaible.crypto.metered import Meter
from verifaible.crypto.planning.caller import Call, tools
from verifaible.crypto.resume import Result
from verifaible.errors import InfrastructureError, ModelError, needing
from verifaible.llm.base import ModelClient
from verifaible.llm.structured import BadReply, Form, answer_form, read_reply
from verifaible.schema.base import Record
from verifaible.schema.chat import Message


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


class Scores(Form):
    """What a judge gives a plan, each from 0 to 10."""

    coverage: float = Field(ge=0, le=10)
    relevance: float = Field(ge=0, le=10)


class Reward(Result):
    """A line of ``rewards.jsonl``.

    Attributes:
        reward: None where the judge failed, or none was asked.
        judged: the judge's part of it, before its weight.
        correct: the rules' part of it, before its weight.
    """

    prompt: str
    reward: float | None = None
    judged: float | None = None
    correct: float
    scores: Scores | None = None
    violations: tuple[Violation, ...] = ()


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
        if schema is None or not isinstance(each.arguments, dict):
            why = "There is no such tool." if schema is None else "The arguments are no JSON object."
            found.append(Violation(kind="fatal", call=each.name, message=why))
            continue
        strict: dict[str, Any] = {**schema, "additionalProperties": False}
        for fault in Draft202012Validator(strict).iter_errors(each.arguments):
            kind: Literal["type", "parameter"] = "type" if fault.validator == "type" else "parameter"
            found.append(Violation(kind=kind, call=each.name, message=fault.message))
        if each.key in seen:
            found.append(Violation(kind="duplicate", call=each.name, message=f"Called before: {each.key}."))
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


async def reward_of(
    row: int, prompt: str, calls: Sequence[Call], client: ModelClient | None, settings: RewardSettings
) -> Reward:
    """The reward of a plan.

    Args:
        row: of the prompt.
        prompt: the question.
        calls: the plan.
        client: the judge; None: only what needs none.
        settings: weights and penalties.
    """
    found = violations(calls)
    made = Reward(row=row, prompt=prompt, correct=correctness(found, settings), violations=found)
    if client is None:
        return made
    told = "; ".join(f"{each.name} {json.dumps(each.arguments, ensure_ascii=False)}" for each in calls)
    question = f"Question: {prompt}\nCalls: {told or 'none'}"
    messages = [Message(role="system", text=_system()), Message(role="user", text=question)]
    meter = Meter()
    try:
        turn = await meter.of(client).complete(messages, (), form=answer_form(Scores, "plan_scores"))
        scores = read_reply(turn.text, Scores, question).value
    except (ModelError, InfrastructureError, BadReply) as error:
        code = getattr(error, "code", "bad_reply")
        return made.model_copy(
            update={"error": str(error).partition("\n")[0], "error_code": code, "usage": meter.usage}
        )
    return rewarded(made.model_copy(update={"scores": scores, "usage": meter.usage}), settings)


def rewarded(made: Reward, settings: RewardSettings) -> Reward:
    """The same with the reward that its scores and violations give under these settings."""
    if made.scores is None:
        return made
    return made.model_copy(
        update={
            "reward": reward(made.scores, made.violations, settings),
            "judged": judged(made.scores, settings),
            "correct": correctness(made.violations, settings),
        }
    )


@cache
def _system() -> str:
    text = resources.files("verifaible.crypto.reward").joinpath("judge.md").read_text(encoding="utf-8")
    listed = [
        f"- {each.name}: {each.description} {json.dumps(each.parameters, ensure_ascii=False)}"
        for each in tools()[:-1]
    ]
    return text.format(tools="\n".join(listed)).strip()
