"""What a run is: its options as they were given, the plan that they make, and the digests that lock it."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

import rfc8785

from verifaible.agent.loop import Limits, prompt
from verifaible.bench.agents import Entrant
from verifaible.bench.cases import digest
from verifaible.errors import RunError
from verifaible.llm.catalogue import BUILT_IN, Api
from verifaible.runs.executor import Workers
from verifaible.schema.base import Record
from verifaible.schema.case import Case
from verifaible.schema.chat import ToolSpec
from verifaible.schema.citation import WebMode
from verifaible.schema.run import RunInfo, TrialKey
from verifaible.scoring.gate import Gate
from verifaible.version import __version__

#: The prompts of the agent, each locked by its digest.
PROMPTS: Final = ("task.md", "reminder.md")
#: Libraries that decide what a page looks like or what a model is sent.
_LIBRARIES: Final = ("playwright", "pymupdf", "openai", "pydantic")
#: Sections of a lock, each a mapping from a name to what it was.
Locked: TypeAlias = dict[str, dict[str, str]]
#: Options that say how a run is carried out, not what it is: they may change when it is continued.
_FREE: Final = frozenset(
    {"concurrency", "executor", "workers", "max_run_cost", "output", "resumed", "replayed", "base_url"}
)


class RunConfig(Record):
    """The options of a run, as they were given; the names are those of ``verifaible bench``."""

    models: tuple[str, ...] = ()
    source: Path | None = None
    ids: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int | None = None
    web: Literal["live", "record", "offline"] | None = None
    gate: Gate = "answer"
    trials: int = 1
    concurrency: int = 2
    executor: str = "local"
    workers: int = 0
    max_rounds: int = 30
    max_tokens: int | None = None
    max_seconds: float | None = None
    max_cost: float | None = None
    max_run_cost: float | None = None
    base_url: str | None = None
    api: Api | None = None
    provider: tuple[str, ...] = ()
    prompt: str = "full"
    published: bool = False
    replayed: Path | None = None
    resumed: Path | None = None
    output: Path | None = None

    @property
    def limits(self) -> Limits:
        """What ends a trial."""
        return Limits(
            rounds=self.max_rounds,
            tokens=self.max_tokens,
            seconds=self.max_seconds,
            cost_usd=self.max_cost,
        )

    @property
    def mode(self) -> WebMode:
        """Where pages come from: by default the archives for built-in agents, else the internet."""
        return self.web or ("offline" if all(name in BUILT_IN for name in self.models) else "live")

    def kept(self) -> dict[str, Any]:
        """What ``run.json`` keeps of them: all that a continued run must have again."""
        kept = self.model_dump(mode="json", exclude_defaults=True, exclude=set(_FREE))
        if self.base_url:
            parts = urlsplit(self.base_url)
            kept["base_url"] = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        return kept

    def as_before(self, given: Collection[str], info: RunInfo, what: str) -> RunConfig:
        """The options of an earlier run; those given now may only say how it is carried out.

        Args:
            given: the names of those that were given now; the others have their defaults.
            info: of the earlier run.
            what: is done with it, such as ``continued``.

        Raises:
            RunError: an option is given that would change what the run is.
        """
        known = {name: value for name, value in info.options.items() if name in RunConfig.model_fields}
        before, now = RunConfig.model_validate(known), self.model_dump(mode="json")
        was = before.model_dump(mode="json")
        changed = [
            f"{name}: {was[name]} -> {now[name]}"
            for name in sorted(set(given) - _FREE)
            if was[name] != now[name]
        ]
        if changed:
            raise RunError(
                f"A run is {what} with its own settings, and these differ: {'; '.join(changed)}. "
                "Leave them out, or start a new run."
            )
        if not before.models:
            raise RunError(f"The run {info.id} does not say how it was started. Start a new one.")
        free = {name: getattr(self, name) for name in _FREE if name in given}
        return before.model_copy(update={"resumed": self.resumed, "replayed": self.replayed, **free})


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does.

    Attributes:
        entrants: the models.
        cases: in the order they are run.
        trials: how often each model does each case.
        web: where pages come from.
        gate: which gate the score has.
        concurrency: how many trials are under way at once, in one browser; on a cluster, at each worker.
        limits: what ends a trial.
        most_cost_usd: what all model calls of the run may cost together, in US dollars; None: no limit.
        system: the system prompt of the models.
        archives: WACZ files that an offline run reads; None: those in ``snapshots/sites``.
        published: show the published models beside cases that are not the public ones, too.
        workers: makes the executor of a cluster; None: this process.
    """

    entrants: tuple[Entrant, ...]
    cases: tuple[Case, ...]
    trials: int = 1
    web: WebMode = "offline"
    gate: Gate = "answer"
    concurrency: int = 2
    limits: Limits = field(default_factory=Limits)
    most_cost_usd: float | None = None
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
