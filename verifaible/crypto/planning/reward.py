"""``verifaible crypto reward``: the reward of a plan of tool calls (Coinvisor, section 3.1.2).

A judge's scores and a check of the calls against their JSON Schemas. ``rewards.jsonl`` in the folder of a run
has a line a plan.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from functools import cache, partial
from hashlib import sha256
from importlib import resources
from pathlib import Path
from statistics import fmean
from typing import Any, Final, Literal

import click
from pydantic import Field

from verifaible.console.options import read_settings
from verifaible.crypto.metered import Meter
from verifaible.crypto.planning.caller import Call, Prompt, read_calls, read_prompts, tools
from verifaible.crypto.runs import Report, Result, RunInfo, begin, fill, folder_name, opened
from verifaible.errors import InfrastructureError, ModelError, needing
from verifaible.llm.base import ModelClient
from verifaible.llm.structured import BadReply, Form, answer_form, read_reply
from verifaible.reporting.tables import Table, row, words
from verifaible.runs.lines import Lines
from verifaible.schema.base import Record
from verifaible.schema.chat import Message

RUN: Final = "reward.json"
REWARDS: Final = "rewards.jsonl"
#: Weights of the judge's scores and of correctness in a reward, and of the two scores in the judge's part.
JUDGE, CORRECT = 0.7, 0.3
COVERAGE, RELEVANCE = 0.8, 0.2
#: What correctness starts from. The penalties that are taken from it, and what counts as fatal, are ours: the
#: paper leaves them open.
POINTS: Final = 3.0
PENALTIES: Final = {"parameter": 1.0, "type": 1.0, "duplicate": 0.5, "fatal": POINTS}


class Violation(Record):
    """What is wrong with a call.

    ``fatal`` is no such tool, or no arguments: it leaves no points; ``parameter`` an argument that is
    missing, unknown or outside of its bounds; ``type`` one of a wrong type; ``duplicate`` a repeated call.
    """

    kind: Literal["fatal", "parameter", "type", "duplicate"]
    call: str
    message: str


class Scores(Form):
    """What a judge gives a plan, each from 0 to 10."""

    coverage: float = Field(ge=0, le=10)
    relevance: float = Field(ge=0, le=10)


class Reward(Result):
    """A line of ``rewards.jsonl``; ``reward`` and ``judged``, the judge's part, are None without one."""

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


def correctness(found: Sequence[Violation]) -> float:
    """What is left of the points, as a share from 0 to 1 (equation 2)."""
    return max(0.0, (POINTS - sum(PENALTIES[each.kind] for each in found)) / POINTS)


def judged(scores: Scores) -> float:
    """The judge's part, from 0 to 1 (equation 3)."""
    return (COVERAGE * scores.coverage + RELEVANCE * scores.relevance) / 10


def reward(scores: Scores, found: Sequence[Violation]) -> float:
    """The reward of a plan, from 0 to 1 (equation 1)."""
    return JUDGE * judged(scores) + CORRECT * correctness(found)


async def reward_of(row: int, prompt: str, calls: Sequence[Call], client: ModelClient | None) -> Reward:
    """The reward of a plan.

    Args:
        row: of the prompt.
        prompt: the question.
        calls: the plan.
        client: the judge; None: only what needs none.
    """
    found = violations(calls)
    made = Reward(row=row, prompt=prompt, correct=correctness(found), violations=found)
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
        failed = {"error": str(error).partition("\n")[0], "error_code": getattr(error, "code", "bad_reply")}
        return made.model_copy(update={**failed, "usage": meter.usage})
    return made.model_copy(
        update={
            "scores": scores,
            "judged": judged(scores),
            "reward": reward(scores, found),
            "usage": meter.usage,
        }
    )


@cache
def _system() -> str:
    text = resources.files("verifaible.crypto.planning").joinpath("judge.md").read_text(encoding="utf-8")
    listed = [
        f"- {each.name}: {each.description} {json.dumps(each.parameters, ensure_ascii=False)}"
        for each in tools()[:-1]
    ]
    return text.format(tools="\n".join(listed)).strip()


def measure(calls: Path, prompts: Path, options: dict[str, Any]) -> bool:
    """Reward the calls, report; whether each has a reward, where a judge was asked.

    Raises:
        UserError: an option, a file or a folder cannot be used.
    """
    asked = read_prompts(prompts)[: options["limit"]]
    system = read_calls(calls, asked)
    plans = [Prompt(prompt=each, tool_call=made or ()) for each, made in system.calls.items()]
    judge = options["judge"]
    made = [
        asyncio.run(reward_of(row, each.prompt, each.tool_call, None)) for row, each in enumerate(plans, 1)
    ]
    if judge:
        folder = options["output"] or read_settings().runs_dir / f"reward-{folder_name(judge)}-{calls.stem}"
        judged = asyncio.run(_judged(plans, folder, options))
        not_asked = {"error": "not asked: the money is spent"}
        made = [judged.get(each.row) or each.model_copy(update=not_asked) for each in made]
        click.echo(f"Written: {folder}", err=True)
    report(made).show(as_json=options["as_json"])
    return not judge or all(each.reward is not None for each in made)


async def _judged(plans: Sequence[Prompt], folder: Path, options: dict[str, Any]) -> dict[int, Reward]:
    name, limited = options["judge"], options["max_cost"] is not None
    settings = read_settings(options["base_url"])
    async with opened(name, settings, options["api"], limited=limited, temperature=0.0) as judge:

        async def one(number: int, each: Prompt, _: float | None) -> Reward:
            return await reward_of(number, each.prompt, each.tool_call, judge.client)

        planned = json.dumps([each.model_dump(mode="json") for each in plans], sort_keys=True)
        locked = {"plans": _digest(planned), "prompt": _digest(_system()), "endpoint": judge.described}
        begin(folder / RUN, RunInfo(model=name, locked=locked))
        return await fill(
            Lines(folder / REWARDS, Reward, alone=True),
            {number: partial(one, number, each) for number, each in enumerate(plans, 1)},
            at_once=options["concurrency"],
            most_cost_usd=options["max_cost"],
            told=lambda made, done, of: click.echo(
                f"{done}/{of} {made.error or _printed(made.reward)}", err=True
            ),
        )


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def report(made: Sequence[Reward]) -> Report:
    """The rewards, a row each, and their means."""
    given = [each.reward for each in made if each.reward is not None]
    scores = [each.scores for each in made if each.scores]
    failed = sum(bool(each.error) for each in made)
    rows = [
        (
            str(each.row),
            each.prompt[:60],
            _printed(each.reward),
            _printed(each.scores.coverage if each.scores else None),
            _printed(each.scores.relevance if each.scores else None),
            _printed(each.correct),
            each.error or "; ".join(f"{one.call}: {one.message}" for one in each.violations),
        )
        for each in made
    ]
    means = (
        "mean",
        f"of {len(given)} rewards and {len(made)} plans",
        _printed(_mean(given)),
        _printed(_mean(each.coverage for each in scores)),
        _printed(_mean(each.relevance for each in scores)),
        _printed(_mean(each.correct for each in made)),
        str(sum(len(each.violations) for each in made)),
    )
    warning = f"{failed} of {len(made)} plans have no reward: the judge failed. The mean leaves them out."
    return Report(
        title=f"Rewards of {len(made)} plans",
        tables=(
            Table(
                name="rewards",
                title="Rewards",
                columns=("row", "prompt", "reward", "coverage", "relevance", "correctness", "faults"),
                rows=tuple(row(*map(words, each)) for each in (*rows, means)),
            ),
        ),
        warnings=(warning,) if failed else (),
        figures={"rewards": [each.model_dump(mode="json") for each in made], "mean": _mean(given)},
    )


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return fmean(listed) if listed else None


def _printed(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
