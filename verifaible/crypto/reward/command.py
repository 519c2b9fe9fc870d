"""What ``verifaible crypto reward`` does; ``rewards.jsonl`` in its folder has a line a plan."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import click

from verifaible.console.options import read_settings
from verifaible.crypto.outputs import Report
from verifaible.crypto.planning.caller import Prompt, read_calls, read_prompts
from verifaible.crypto.planning.metrics import prompts_sha256
from verifaible.crypto.resume import RunInfo, begin, fill, folder_name, opened, read_run
from verifaible.crypto.reward.scoring import Reward, RewardSettings, reward_of, rewarded
from verifaible.errors import RunError
from verifaible.reporting.tables import Table, row, words
from verifaible.runs.lines import Lines

RUN: Final = "reward.json"
REWARDS: Final = "rewards.jsonl"


def measure(calls: Path, prompts: Path, options: dict[str, Any]) -> bool:
    """Reward the calls, report; whether each has a reward, where a judge was asked.

    Raises:
        UserError: an option, a file or a folder cannot be used.
    """
    asked = read_prompts(prompts)[: options["limit"]]
    system = read_calls(calls, asked)
    plans = [Prompt(prompt=each, tool_call=made or ()) for each, made in system.calls.items()]
    judge, folder = options["judge"], options["replay"]
    if folder:
        read_run(folder / RUN)
    elif judge:
        folder = options["out"] or read_settings().runs_dir / f"reward-{folder_name(judge)}-{calls.stem}"
        asyncio.run(_judged(plans, folder, options))
        click.echo(f"Written: {folder}", err=True)
    made = asyncio.run(_without_judge(plans))
    if folder:
        kept = {each.prompt: each for each in Lines(folder / REWARDS, Reward, alone=True)}
        told = "not asked: the money is spent" if judge else f"{folder} has no scores of it"
        made = [
            rewarded(kept[each.prompt], RewardSettings())
            if each.prompt in kept
            else each.model_copy(update={"error": told})
            for each in made
        ]
    report(made).show(as_json=options["as_json"])
    return not folder or all(each.reward is not None for each in made)


async def _without_judge(plans: Sequence[Prompt]) -> list[Reward]:
    settings = RewardSettings()
    return [
        await reward_of(number, each.prompt, each.tool_call, None, settings)
        for number, each in enumerate(plans, 1)
    ]


async def _judged(plans: Sequence[Prompt], folder: Path, options: dict[str, Any]) -> None:
    name, limited, settings = options["judge"], options["max_cost"] is not None, RewardSettings()
    async with opened(
        name, read_settings(options["base_url"]), options["api"], limited=limited, temperature=0.0
    ) as judge:
        if (folder / RUN).exists():
            raise RunError(
                f"{folder} already has rewards. Read them with --replay, or name another folder with --out."
            )

        async def one(number: int, each: Prompt, _: float | None) -> Reward:
            return await reward_of(number, each.prompt, each.tool_call, judge.client, settings)

        begin(folder / RUN, RunInfo(model=name, locked={"plans": prompts_sha256(plans)}))
        await fill(
            Lines(folder / REWARDS, Reward, alone=True),
            {number: partial(one, number, each) for number, each in enumerate(plans, 1)},
            at_once=options["concurrency"],
            most_cost_usd=options["max_cost"],
            told=lambda made, done, of: click.echo(
                f"{done}/{of} {made.error or _printed(made.reward)}", err=True
            ),
        )


def report(made: Sequence[Reward]) -> Report:
    """The rewards, a row each, and their means."""
    given = [each.reward for each in made if each.reward is not None]
    scores = [each.scores for each in made if each.scores]
    failed = sum(bool(each.error) for each in made)
    faults = [
        each.error or "; ".join(f"{one.call}: {one.message}" for one in each.violations) for each in made
    ]
    rows = [
        (
            str(each.row),
            each.prompt[:60],
            _printed(each.reward),
            _printed(each.scores.coverage if each.scores else None),
            _printed(each.scores.relevance if each.scores else None),
            _printed(each.correct),
            fault,
        )
        for each, fault in zip(made, faults, strict=True)
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
