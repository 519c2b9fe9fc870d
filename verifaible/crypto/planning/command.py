"""What ``verifaible crypto plan`` does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import click

from verifaible.console.options import read_settings
from verifaible.crypto.planning.caller import (
    Plan,
    PlanRun,
    Prompt,
    System,
    caller_sha256,
    read_calls,
    read_prompts,
)
from verifaible.crypto.planning.report import prompts_sha256, report
from verifaible.crypto.planning.run import Planning, replay, run_plans
from verifaible.crypto.public_files import folder_name
from verifaible.errors import ConfigError
from verifaible.llm.catalogue import BUILT_IN, Api
from verifaible.llm.opening import open_model
from verifaible.runs.lines import usable
from verifaible.version import __version__

#: Decoding is greedy, as in the paper (section 4.1); a model that takes no temperature is sent none.
_TEMPERATURE = 0.0


def measure(path: Path, options: dict[str, Any]) -> bool:
    """Plan where a model is named, measure, report; whether every prompt has a plan.

    Raises:
        UserError: an option, a file or a folder cannot be used.
    """
    prompts = read_prompts(path)[: options["limit"]]
    model, folder = options["model"], options["out"]
    if model in BUILT_IN:
        raise ConfigError(f"--model {model}: answers only the bench's cases. Name a model, such as glm-5.")
    if model and folder is None:
        folder = read_settings().runs_dir / f"plan-{folder_name(model)}"
    systems = [read_calls(each, prompts) for each in options["calls"]]
    if options["replay"]:
        system, recorded = asyncio.run(replay(prompts, options["replay"]))
        told = f"Replayed: {recorded.exact} requests word for word, {len(recorded.differing)} other ones."
        click.echo(" ".join([told, *recorded.differing[:3]]), err=True)
        systems.insert(0, system)
    if model:
        with usable(folder):
            folder.mkdir(parents=True, exist_ok=True)
        systems.insert(0, asyncio.run(_run(prompts, folder, options)))
    names = [each.name for each in systems]
    if len(set(names)) < len(names):
        raise ConfigError(
            f"Two callers have one name ({', '.join(names)}). Rename a file given with --calls."
        )
    made = report(prompts, systems, published=options["published"], seed=options["seed"])
    made.show(as_json=options["as_json"])
    if folder is not None:
        made.write(folder)
        click.echo(f"Written: {folder}", err=True)
    return all(called is not None for each in systems for called in each.calls.values())


async def _run(prompts: Sequence[Prompt], folder: Path, options: dict[str, Any]) -> System:
    name: str = options["model"]
    settings = read_settings(options["base_url"])
    opened = open_model(name, settings, cast("Api | None", options["api"]), temperature=_TEMPERATURE)
    try:
        if options["max_cost"] is not None and not opened.priced:
            raise ConfigError(
                f"What {name} costs is not known here, so a limit of cost would never end anything. Leave "
                "it out."
            )
        info = PlanRun(
            model=name,
            described=opened.described,
            started_at=datetime.now(UTC),
            version=__version__,
            locked={
                "prompts": prompts_sha256(prompts),
                "caller": caller_sha256(),
                "endpoint": opened.described,
            },
        )
        planning = Planning(opened.client, info, options["concurrency"], options["max_cost"], _tell)
        return await run_plans(prompts, folder, planning, resume=options["resume"])
    finally:
        await opened.client.aclose()


def _tell(plan: Plan, done: int, of: int) -> None:
    said = plan.error or ", ".join(dict.fromkeys(each.name for each in plan.tool_call)) or "no tool"
    click.echo(f"{done}/{of} {said}", err=True)
