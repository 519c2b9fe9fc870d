"""What ``verifaible crypto plan`` does.

``plan.json`` in the folder of a run says what it is made of, ``plans.jsonl`` takes a line the moment a prompt
is planned; ``calls.json`` is made from them, in the form of the public files.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from verifaible.console.options import read_settings
from verifaible.crypto.planning.caller import (
    Plan,
    Prompt,
    System,
    caller_sha256,
    plan,
    read_calls,
    read_prompts,
)
from verifaible.crypto.planning.metrics import prompts_sha256, report
from verifaible.crypto.resume import RunInfo, begin, fill, folder_name, opened, read_run
from verifaible.errors import ConfigError
from verifaible.llm.base import ModelClient
from verifaible.runs.lines import Lines, write_whole

RUN: Final = "plan.json"
PLANS: Final = "plans.jsonl"
CALLS: Final = "calls.json"


def measure(path: Path, options: dict[str, Any]) -> bool:
    """Plan where a model is named, measure, report; whether every prompt has a plan.

    Raises:
        UserError: an option, a file or a folder cannot be used.
    """
    prompts = read_prompts(path)[: options["limit"]]
    model, folder = options["model"], options["out"]
    systems = [read_calls(each, prompts) for each in options["calls"]]
    if options["replay"]:
        systems.insert(0, planned(options["replay"], prompts))
    if model:
        folder = folder or read_settings().runs_dir / f"plan-{folder_name(model)}"
        asyncio.run(_asked(prompts, folder, options))
        systems.insert(0, planned(folder, prompts))
    names = [each.name for each in systems]
    if len(set(names)) < len(names):
        raise ConfigError(
            f"Two callers have one name ({', '.join(names)}). Rename a file given with --calls."
        )
    made = report(prompts, systems, published=options["published"])
    made.show(as_json=options["as_json"])
    if folder is not None:
        made.write(folder)
        click.echo(f"Written: {folder}", err=True)
    return all(called is not None for each in systems for called in each.calls.values())


async def _asked(prompts: Sequence[Prompt], folder: Path, options: dict[str, Any]) -> None:
    name: str = options["model"]
    limited = options["max_cost"] is not None
    settings = read_settings(options["base_url"])
    # greedy, as in the paper (section 4.1); a model that takes no temperature is sent none
    async with opened(name, settings, options["api"], limited=limited, temperature=0.0) as model:
        locked = {
            "prompts": prompts_sha256(prompts),
            "caller": caller_sha256(),
            "endpoint": model.described,
        }
        begin(folder / RUN, RunInfo(model=name, locked=locked), resume=options["resume"])
        await run_plans(
            prompts, folder, model.client, at_once=options["concurrency"], most_cost_usd=options["max_cost"]
        )


async def run_plans(
    prompts: Sequence[Prompt],
    folder: Path,
    client: ModelClient,
    *,
    at_once: int = 1,
    most_cost_usd: float | None = None,
) -> None:
    """Plan for every prompt that the folder has no plan for.

    Raises:
        RunError: the folder is in use or cannot be written, or the model would refuse every prompt.
    """

    def tell(made: Plan, done: int, of: int) -> None:
        said = made.error or ", ".join(dict.fromkeys(each.name for each in made.tool_call)) or "no tool"
        click.echo(f"{done}/{of} {said}", err=True)

    async def one(row: int, prompt: str, _: float | None) -> Plan:
        return await plan(row, prompt, client)

    made = await fill(
        Lines(folder / PLANS, Plan, alone=True),
        {row: partial(one, row, each.prompt) for row, each in enumerate(prompts, 1)},
        at_once=at_once,
        most_cost_usd=most_cost_usd,
        told=tell,
    )
    entries = [
        each.model_dump(mode="json", include={"prompt", "tool_call"})
        for each in made.values()
        if not each.error
    ]
    write_whole(folder / CALLS, json.dumps(entries, ensure_ascii=False, indent=1) + "\n")


def planned(folder: Path, prompts: Sequence[Prompt]) -> System:
    """The plans of a run; None for prompts that failed or that the money did not reach.

    Raises:
        RunError: the folder holds no run.
    """
    name = read_run(folder / RUN).model
    plans = Lines(folder / PLANS, Plan, alone=True)
    made = {each.prompt: None if each.error else each.tool_call for each in plans}
    return System(name=name, calls={each.prompt: made.get(each.prompt) for each in prompts})
