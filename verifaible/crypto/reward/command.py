"""What ``verifaible crypto reward`` does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import click

from verifaible.console.options import read_settings
from verifaible.crypto.outputs import Report
from verifaible.crypto.planning.caller import System, read_calls, read_prompts
from verifaible.crypto.public_files import folder_name
from verifaible.crypto.reward.scoring import Reward, RewardSettings, replay, rewards
from verifaible.errors import ConfigError
from verifaible.llm.catalogue import BUILT_IN, Api
from verifaible.llm.opening import open_model
from verifaible.reporting.tables import Table, count, row, words
from verifaible.runs.folder import read_info
from verifaible.runs.lines import usable, write_whole
from verifaible.schema.base import Record


class RewardRun(Record):
    """``reward.json``: whose replies a folder keeps."""

    format: int = 1
    judge: str


_RUN = "reward.json"


def measure(calls: Path, prompts: Path, options: dict[str, Any]) -> bool:
    """Reward the calls, report; whether each has a reward, where a judge was asked.

    Raises:
        UserError: an option, a file or a folder cannot be used.
    """
    system = read_calls(calls, read_prompts(prompts)[: options["limit"]])
    settings = RewardSettings()
    name, again = options["judge"], options["replay"]
    if again:
        info = read_info(again / _RUN, RewardRun, 1, "Name a folder of `verifaible crypto reward --judge`.")
        made = asyncio.run(replay(system, again, info.judge, settings))
    elif name:
        if name in BUILT_IN:
            raise ConfigError(f"--judge {name}: answers only the bench's cases. Name a model, such as glm-5.")
        folder = options["out"] or read_settings().runs_dir / f"reward-{folder_name(name)}-{calls.stem}"
        with usable(folder):
            folder.mkdir(parents=True, exist_ok=True)
            there = (folder / _RUN).exists()
        if there:
            raise ConfigError(
                f"{folder} already has rewards. Read them with --replay, or name another folder with --out."
            )
        made = asyncio.run(_asked(system, folder, settings, options))
        click.echo(f"Written: {folder}", err=True)
    else:
        made = asyncio.run(rewards(system, None, settings))
    report(made).show(as_json=options["as_json"])
    return not (name or again) or all(each.reward is not None for each in made)


async def _asked(
    system: System, folder: Path, settings: RewardSettings, options: dict[str, Any]
) -> tuple[Reward, ...]:
    name: str = options["judge"]
    opened = open_model(
        name, read_settings(options["base_url"]), cast("Api | None", options["api"]), temperature=0.0
    )
    try:
        if options["max_cost"] is not None and not opened.priced:
            raise ConfigError(f"What {name} costs is not known here. Leave --max-cost out.")
        write_whole(folder / _RUN, RewardRun(judge=name).model_dump_json() + "\n")
        return await rewards(
            system,
            opened.client,
            settings,
            judge=name,
            folder=folder,
            at_once=options["concurrency"],
            most_cost_usd=options["max_cost"],
            told=_tell,
        )
    finally:
        await opened.client.aclose()


def report(made: Sequence[Reward]) -> Report:
    """The rewards, a row each, and their means."""
    given = [each.reward for each in made if each.reward is not None]
    failed = sum(bool(each.error) for each in made)
    warnings = (
        [f"{failed} of {len(made)} plans have no reward: the judge failed. The mean leaves them out."]
        if failed
        else []
    )
    rows = [
        row(
            words(str(each.row)),
            words(each.prompt[:60]),
            words(_printed(each.reward)),
            words(_printed(each.scores.coverage if each.scores else None)),
            words(_printed(each.scores.relevance if each.scores else None)),
            words(_printed(each.correct)),
            words(each.error or "; ".join(f"{one.call}: {one.message}" for one in each.violations)),
        )
        for each in made
    ]
    means = row(
        words("mean"),
        words(f"of {len(given)} rewards and {len(made)} plans"),
        words(_printed(fmean(given) if given else None)),
        words(_printed(_mean([each.scores.coverage for each in made if each.scores]))),
        words(_printed(_mean([each.scores.relevance for each in made if each.scores]))),
        words(_printed(_mean([each.correct for each in made]))),
        count(sum(len(each.violations) for each in made)),
    )
    heads = ("row", "prompt", "reward", "coverage", "relevance", "correctness", "faults")
    return Report(
        title=f"Rewards of {len(made)} plans",
        tables=(Table(name="rewards", title="Rewards", columns=heads, rows=(*rows, means)),),
        warnings=tuple(warnings),
        figures={
            "rewards": [each.model_dump(mode="json") for each in made],
            "mean": fmean(given) if given else None,
        },
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _printed(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _tell(made: Reward, done: int, of: int) -> None:
    click.echo(f"{done}/{of} {made.error or _printed(made.reward)}", err=True)
