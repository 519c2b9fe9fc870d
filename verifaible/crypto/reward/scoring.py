"""Rewards of plans: the check of calls against their JSON Schemas, the judge's scores, weights, penalties.

Every reply of the judge is kept, and rewards can be made again from them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias
from uuid import uuid4

from pydantic import Field

from verifaible.crypto.planning.caller import Call, System, tools
from verifaible.errors import InfrastructureError, ModelError, needing
from verifaible.llm.base import ModelClient
from verifaible.llm.budget import Budget
from verifaible.llm.structured import BadReply, Form, answer_form, read_reply
from verifaible.runs.calls import CallRecorder, CallReplay
from verifaible.runs.folder import held
from verifaible.runs.lines import Lines
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, Usage
from verifaible.schema.run import TrialKey


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


REWARDS: Final = "rewards.jsonl"
#: Told of each reward: how many there are, and of how many.
Told: TypeAlias = "Callable[[Reward, int, int], None]"


class Reward(Record):
    """A line of ``rewards.jsonl``.

    Attributes:
        row: of the prompt, from 1.
        reward: None where the judge failed, or none was asked.
        judged: the judge's part of it, before its weight.
        correct: the rules' part of it, before its weight.
        error: why the judge gave no scores.
    """

    row: int
    prompt: str
    reward: float | None = None
    judged: float | None = None
    correct: float
    scores: Scores | None = None
    violations: tuple[Violation, ...] = ()
    error: str = ""
    usage: Usage = Usage()


class _Said(Form):
    coverage: float
    relevance: float


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
    question = f"Question: {prompt}\nCalls: {_told(calls)}"
    messages = [Message(role="system", text=_system()), Message(role="user", text=question)]
    usage = Usage()
    try:
        turn = await client.complete(messages, (), form=answer_form(_Said, "plan_scores"))
        usage = turn.usage
        said = read_reply(turn.text, _Said, question).value
        scores = Scores(coverage=said.coverage, relevance=said.relevance)
    except (ModelError, InfrastructureError, BadReply, ValueError) as error:
        usage += getattr(error, "usage", None) or Usage()
        return made.model_copy(update={"error": str(error).partition("\n")[0], "usage": usage})
    return made.model_copy(
        update={
            "reward": reward(scores, found, settings),
            "judged": judged(scores, settings),
            "scores": scores,
            "usage": usage,
        }
    )


def _quiet(made: Reward, done: int, of: int) -> None:
    return


async def rewards(
    system: System,
    client: ModelClient | None,
    settings: RewardSettings,
    *,
    judge: str = "",
    folder: Path | None = None,
    at_once: int = 1,
    most_cost_usd: float | None = None,
    told: Told = _quiet,
) -> tuple[Reward, ...]:
    """The rewards of all plans, in order.

    Args:
        system: the plans; None counts as a plan without calls.
        client: the judge; None: only what needs none.
        settings: weights and penalties.
        judge: its name, by which its replies are kept.
        folder: where they and the rewards are kept.
        at_once: questions under way at once.
        most_cost_usd: no question begins once all have cost so much.
        told: told of each.

    Raises:
        RunError: the folder is in use or cannot be written.
    """
    if folder is None:
        return await _all(system, lambda row: client, settings, at_once=at_once, told=told)
    with held(folder):
        lines = Lines(folder / REWARDS, Reward)
        recorder = CallRecorder(folder)
        budget = Budget(most_cost_usd)

        def kept(made: Reward, done: int, of: int) -> None:
            lines.add(made, durable=True)
            budget.pay(made.usage)
            told(made, done, of)

        def asked(row: int) -> ModelClient | None:
            return client and recorder.wrapped(client, _key(judge, row), uuid4().hex)

        return await _all(system, asked, settings, at_once=at_once, budget=budget, told=kept)


async def replay(system: System, folder: Path, judge: str, settings: RewardSettings) -> tuple[Reward, ...]:
    """Rewards made again from the replies that a folder keeps, with other weights perhaps.

    Raises:
        RunError: the folder holds no replies.
    """
    recorded = CallReplay(folder)
    return await _all(system, lambda row: recorded.client(_key(judge, row)), settings)


async def _all(
    system: System,
    asked: Callable[[int], ModelClient | None],
    settings: RewardSettings,
    *,
    at_once: int = 1,
    budget: Budget | None = None,
    told: Told = _quiet,
) -> tuple[Reward, ...]:
    places, made = asyncio.Semaphore(at_once), dict[int, Reward]()
    budget = budget or Budget(None)

    async def one(row: int, prompt: str, calls: Sequence[Call]) -> None:
        async with places, budget.turn() as why:
            client = None if why else asked(row)
            made[row] = await reward_of(row, prompt, calls, client, settings)
            if why:
                made[row] = made[row].model_copy(update={"error": f"not asked: the money is {why}"})
            told(made[row], len(made), len(system.calls))

    async with asyncio.TaskGroup() as group:
        for row, (prompt, calls) in enumerate(system.calls.items(), 1):
            group.create_task(one(row, prompt, calls or ()))
    return tuple(made[row] for row in sorted(made))


def _key(judge: str, row: int) -> TrialKey:
    return TrialKey(model=judge, case=str(row), trial=1)


def _told(calls: Sequence[Call]) -> str:
    return (
        "; ".join(f"{each.name} {json.dumps(each.arguments, ensure_ascii=False)}" for each in calls) or "none"
    )


@cache
def _system() -> str:
    text = resources.files("verifaible.crypto.reward").joinpath("judge.md").read_text(encoding="utf-8")
    listed = [
        f"- {each.name}: {each.description} {json.dumps(each.parameters, ensure_ascii=False)}"
        for each in tools()[:-1]
    ]
    return text.format(tools="\n".join(listed)).strip()
