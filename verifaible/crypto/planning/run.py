"""Many prompts planned into a folder; a run that was stopped goes on.

``plan.json`` says what the run is made of, ``plans.jsonl`` takes a line the moment a prompt is planned, and
``calls.jsonl`` keeps every reply of the model. ``calls.json`` is made from the lines, in the form of the
public files.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from uuid import uuid4

from verifaible.crypto.planning.caller import Plan, PlanRun, Prompt, System, plan
from verifaible.errors import KeyRejected, ModelNotThere, NoCredit, RunError
from verifaible.llm.base import ModelClient
from verifaible.llm.budget import Budget
from verifaible.runs.calls import CallRecorder, CallReplay
from verifaible.runs.folder import held, read_info
from verifaible.runs.lines import Lines, usable, write_whole
from verifaible.schema.run import TrialKey

RUN: Final = "plan.json"
PLANS: Final = "plans.jsonl"
CALLS: Final = "calls.json"
FORMAT: Final = 1
#: Errors that the next prompt would meet as well.
_HOPELESS: Final = frozenset({KeyRejected.code, NoCredit.code, ModelNotThere.code})
#: Told of each prompt that is planned: its plan, how many are, and of how many.
Told: TypeAlias = Callable[[Plan, int, int], None]


@dataclass(frozen=True, slots=True)
class Planning:
    """How prompts are planned.

    Attributes:
        client: the model; it is not closed here.
        info: what the run is made of.
        at_once: prompts under way at once.
        most_cost_usd: no prompt begins once all, those of earlier attempts too, have cost so much.
        told: told of each.
    """

    client: ModelClient
    info: PlanRun
    at_once: int = 1
    most_cost_usd: float | None = None
    told: Told = lambda plan, done, of: None


async def run_plans(prompts: Sequence[Prompt], folder: Path, planning: Planning, *, resume: bool) -> System:
    """Plan for every prompt that the folder has no plan for.

    Args:
        prompts: in their order.
        folder: it is there.
        planning: how.
        resume: go on in a folder that has plans.

    Returns:
        What was called; None for prompts that failed or that the money did not reach.

    Raises:
        RunError: the folder has plans already, is of another run, is in use or cannot be written, or the
            model would refuse every prompt.
    """
    with held(folder):
        lines = Lines(folder / PLANS, Plan, alone=True)
        _begin(folder, planning.info, resume=resume)
        earlier = tuple(lines)
        last = {each.row: each for each in earlier}
        costs = [each.usage.cost_usd or 0.0 for each in earlier]
        budget = Budget(planning.most_cost_usd, spent_usd=sum(costs), dearest_usd=max(costs, default=0.0))
        recorder = CallRecorder(folder)
        places = asyncio.Semaphore(planning.at_once)
        hopeless = ""

        async def one(row: int, prompt: str) -> None:
            nonlocal hopeless
            async with places, budget.turn() as why:
                if why or hopeless:
                    return
                key = TrialKey(model=planning.info.model, case=str(row), trial=1)
                made = await plan(row, prompt, recorder.wrapped(planning.client, key, uuid4().hex))
                lines.add(made, durable=True)
                last[row] = made
                budget.pay(made.usage)
                hopeless = made.error if made.error_code in _HOPELESS else hopeless
            planning.told(made, len(last), len(prompts))

        async with asyncio.TaskGroup() as group:
            for row, each in enumerate(prompts, 1):
                if row not in last or last[row].error:
                    group.create_task(one(row, each.prompt))
        system = planned(planning.info.model, prompts, last.values())
        _write_calls(folder / CALLS, system)
    if hopeless:
        raise RunError(f"The run was stopped, since every prompt would meet the same: {hopeless}")
    return system


async def replay(prompts: Sequence[Prompt], folder: Path) -> tuple[System, CallReplay]:
    """The plans of a run made again from the replies that it kept, without a model.

    Returns:
        What was called, and how far the requests were those of the recording.

    Raises:
        RunError: the folder holds no run or no replies, or is of other prompts.
    """
    info = read_run(folder)
    recorded = CallReplay(folder)
    made = []
    for row, each in enumerate(prompts, 1):
        made.append(
            await plan(row, each.prompt, recorded.client(TrialKey(model=info.model, case=str(row), trial=1)))
        )
    return planned(info.model, prompts, made), recorded


def read_run(folder: Path) -> PlanRun:
    """What a folder's run is made of; :class:`~verifaible.errors.RunError` where it holds none."""
    return read_info(folder / RUN, PlanRun, FORMAT, "Name the folder of a run of `verifaible crypto plan`.")


def planned(name: str, prompts: Sequence[Prompt], plans: Iterable[Plan]) -> System:
    """Plans as a system."""
    made = {each.prompt: None if each.error else each.tool_call for each in plans}
    return System(name=name, calls={each.prompt: made.get(each.prompt) for each in prompts})


def _begin(folder: Path, info: PlanRun, *, resume: bool) -> None:
    """Write ``plan.json``, or hold the run against the one that is there."""
    path = folder / RUN
    with usable(path):
        there = path.is_file()
    if not there:
        write_whole(path, info.model_dump_json(indent=1) + "\n")
        return
    if not resume:
        raise RunError(
            f"{folder} already has a run. Continue it with --resume, or name another folder with --out."
        )
    before = read_run(folder)
    differing = sorted(name for name, value in info.locked.items() if before.locked.get(name) != value)
    differing += ["model"] if before.model != info.model else []
    if differing:
        raise RunError(
            f"{folder} has a run that differs in: {', '.join(differing)}. Continue with the same, or name "
            "another folder with --out."
        )


def _write_calls(path: Path, system: System) -> None:
    entries = [
        {"prompt": prompt, "tool_call": [each.model_dump(mode="json") for each in called]}
        for prompt, called in system.calls.items()
        if called is not None
    ]
    write_whole(path, json.dumps(entries, ensure_ascii=False, indent=1) + "\n")
