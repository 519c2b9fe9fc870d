"""Rewards of many plans: the judge asked for each, every reply kept, and rewards made again from them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, TypeAlias
from uuid import uuid4

from verifaible.bench.run.calls import CallRecorder, CallReplay
from verifaible.bench.run.folder import RunFolder
from verifaible.crypto.planning.caller import tools
from verifaible.crypto.planning.records import Call, System
from verifaible.crypto.reward.scoring import (
    RewardSettings,
    Scores,
    Violation,
    correctness,
    judged,
    reward,
    violations,
)
from verifaible.errors import InfrastructureError, ModelError
from verifaible.judge.asking.replies import BadReply, Form, answer_form, read_reply
from verifaible.llm.base import ModelClient
from verifaible.runs.budget import Budget
from verifaible.runs.folder import held
from verifaible.runs.lines import Lines
from verifaible.schema.base import Record
from verifaible.schema.chat import Message, Usage
from verifaible.schema.run import TrialKey

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
    recorded = CallReplay(RunFolder(folder))
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
