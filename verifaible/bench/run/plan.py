"""What a run does, and the digests that lock it: a run is only continued as what it was begun as."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TypeAlias

import rfc8785

from verifaible.agent.loop import Limits, prompt
from verifaible.bench.cases.load import digest
from verifaible.bench.run.agents import Entrant
from verifaible.runs.executing import Workers
from verifaible.schema.case import Case
from verifaible.schema.chat import ToolSpec
from verifaible.schema.citation import WebMode
from verifaible.schema.run import TrialKey
from verifaible.scoring.gate import Gate
from verifaible.version import __version__

#: The prompts of the agent, each locked by its digest.
PROMPTS = ("task.md", "reminder.md")
#: Libraries that decide what a page looks like or what a model is sent.
_LIBRARIES = ("playwright", "pymupdf", "openai", "pydantic")
#: Sections of a lock, each a mapping from a name to what it was.
Locked: TypeAlias = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does.

    Attributes:
        entrants: the models.
        cases: in the order they are run.
        trials: how often each model does each case.
        web: where pages come from.
        gate: which gate the score has.
        concurrency: how many trials are under way at once, in one browser.
        limits: what ends a trial.
        most_cost_usd: what all model calls of the run may cost together, in US dollars; None: no limit.
        record_calls: keep every request to a model and its answer.
        system: the system prompt of the models.
        archives: WACZ files that an offline run reads; None: those in ``snapshots/sites``.
        published: show the published models beside cases that are not the public ones, too.
        workers: makes what the tools run on; None: this process. Then ``concurrency`` is that of each worker.
    """

    entrants: tuple[Entrant, ...]
    cases: tuple[Case, ...]
    trials: int = 1
    web: WebMode = "offline"
    gate: Gate = "answer"
    concurrency: int = 2
    limits: Limits = field(default_factory=Limits)
    most_cost_usd: float | None = None
    record_calls: bool = False
    system: str = field(default_factory=lambda: prompt("system.md"))
    archives: tuple[Path, ...] | None = None
    published: bool = False
    workers: Workers | None = None

    def trial_keys(self) -> tuple[TrialKey, ...]:
        """Every trial of the run, in the order they are started."""
        return tuple(
            TrialKey(model=entrant.name, case=case.id, trial=trial)
            for entrant in self.entrants
            for trial in range(1, self.trials + 1)
            for case in self.cases
        )


def lock(plan: Plan, tools: Sequence[ToolSpec], archives: Sequence[Path]) -> Locked:
    """The digests and versions of everything that decides what a trial of this plan is.

    Args:
        plan: the run.
        tools: as the models see them.
        archives: of an offline run; empty otherwise.
    """
    limits = plan.limits.model_dump(mode="json")
    return {
        "options": {
            "web": plan.web,
            "gate": plan.gate,
            "trials": str(plan.trials),
            **{f"max_{name}": str(value) for name, value in limits.items()},
        },
        "models": {entrant.name: entrant.described for entrant in plan.entrants},
        "cases": {case.id: digest(case) for case in plan.cases},
        "prompts": {
            "system.md": _sha256(plan.system.encode()),
            **{name: _sha256(prompt(name).encode()) for name in PROMPTS},
        },
        "tools": {tool.name: _sha256(rfc8785.dumps(tool.model_dump(mode="json"))) for tool in tools},
        "prices": {entrant.name: entrant.prices for entrant in plan.entrants},
        "archives": {path.name: _file_sha256(path) for path in archives},
        "versions": {
            "verifaible": __version__,
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in _LIBRARIES},
        },
    }


def differences(before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What is no longer as it was, a line each: ``section name: before -> now``."""
    lines = []
    for section in dict.fromkeys((*before, *now)):
        old, new = before.get(section, {}), now.get(section, {})
        lines += [
            f"{section} {name}: {_shown(old.get(name))} -> {_shown(new.get(name))}"
            for name in dict.fromkeys((*old, *new))
            if old.get(name) != new.get(name)
        ]
    return lines


def _shown(value: str | None) -> str:
    if value is None:
        return "not there"
    is_digest = len(value) == 64 and all(letter in "0123456789abcdef" for letter in value)
    return value[:12] if is_digest else value or "none"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
