"""Finished runs as reports read them: one or several, without the answers and the transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from verifaible.bench.run.folder import CALLS, RunFolder
from verifaible.bench.run.spend import Spend
from verifaible.errors import RunError
from verifaible.runs.lines import Lines
from verifaible.schema.base import Record
from verifaible.schema.run import RunInfo, TrialKey, TrialResult

#: What a report shows of a message from a provider or a scorer, in characters.
MAX_MESSAGE: Final = 600


@dataclass(frozen=True, slots=True)
class RunData:
    """A run: what it was made of, its trials in the order of its cases, and what its models have cost.

    Answers and citations of the trials are left out, and long messages shortened: a report of ten
    thousand trials needs neither.
    """

    path: Path
    info: RunInfo
    results: tuple[TrialResult, ...]
    spend: Mapping[str, Spend]


class Difference(Record):
    """In what runs differ; ``grave`` if their scores are not comparable because of it."""

    grave: bool
    message: str


@dataclass(frozen=True, slots=True)
class Pool:
    """The trials of one or several runs under one roof.

    Attributes:
        runs: the runs.
        cases: every case of any run, in order.
        results: all trials; a model of two runs is named with its run, and a case of another text too.
        spend: of each model, under the same name.
        differences: in what the runs differ.
    """

    runs: tuple[RunData, ...]
    cases: tuple[str, ...]
    results: tuple[TrialResult, ...]
    spend: Mapping[str, Spend]
    differences: tuple[Difference, ...] = ()


def find_run(name: str, runs: Path, *, recorded: bool = False) -> Path:
    """The folder of a run: a path, the name of a folder under ``runs``, or ``latest``.

    With ``recorded`` the latest is that of the runs that have recorded calls.

    Raises:
        RunError: there is none.
    """
    if name == "latest":
        folders = [each for each in runs.iterdir() if not each.is_symlink()] if runs.is_dir() else []
        for folder in sorted(folders, key=lambda each: each.name, reverse=True):
            if (folder / "run.json").is_file() and (not recorded or (folder / CALLS).is_dir()):
                return folder
        raise RunError(f"There is no run in {runs}. Start one with verifaible bench --model oracle.")
    if (given := Path(name)).is_dir():
        return given  # what is missing in it is said where it is read
    if (runs / name).is_dir() and not (runs / name).is_symlink():
        return runs / name
    raise RunError(
        f"{name} is not a run folder: it has no run.json. Give the folder that the bench printed, or latest."
    )


def read_run(path: Path) -> RunData:
    """Read a run, line by line.

    Raises:
        RunError: it is no run, holds no finished trial, or is damaged.
    """
    folder = RunFolder(path)
    info = folder.info()
    found: dict[TrialKey, TrialResult] = {}
    for result in Lines(path / "results.jsonl", TrialResult, alone=True):
        found.pop(result.key, None)  # of a repeated trial the last counts
        found[result.key] = _slim(result)
    if not found:
        raise RunError(f"{path} has no finished trial, so there is nothing to report. Run it again.")
    return RunData(path, info, in_order(found.values(), info.cases), folder.spend())


def in_order(results: Iterable[TrialResult], cases: Iterable[str]) -> tuple[TrialResult, ...]:
    """Trials in the order of the cases, whichever finished first."""
    places = {case: place for place, case in enumerate(cases)}
    return tuple(sorted(results, key=lambda each: (places.get(each.case, len(places)), each.trial)))


def _slim(result: TrialResult) -> TrialResult:
    return result.model_copy(
        update={
            "answer": "",
            "citations": (),
            "verified_reasons": tuple(_short(reason) for reason in result.verified_reasons[:3]),
            "error": _short(result.error) if result.error else result.error,
        }
    )


def _short(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE].rstrip() + " […]"


def pool(runs: Sequence[RunData]) -> Pool:
    """Put runs together; nothing is refused here, what differs is named."""
    if len({run.info.id for run in runs}) < len(runs):
        raise RunError("The same run was given twice. Name each once.")
    names = [model for run in runs for model in dict.fromkeys(each.model for each in run.results)]
    shared = {name for name in names if names.count(name) > 1}

    def renamed(model: str, run: RunData) -> str:
        return f"{model} @ {run.info.id}" if model in shared else model

    results: list[TrialResult] = []
    cases: list[str] = []
    texts: dict[str, str] = {}
    for run in runs:
        # a case whose text is another than in a run before is another case, and has a name of its own
        names_of = {
            case: case if texts.setdefault(case, digest) == digest else f"{case} @ {run.info.id}"
            for case, digest in run.info.cases.items()
        }
        cases += names_of.values()
        for each in run.results:
            told = {"model": renamed(each.model, run), "case": names_of.get(each.case, each.case)}
            results.append(
                each if (each.model, each.case) == tuple(told.values()) else each.model_copy(update=told)
            )
    spend = {renamed(model, run): each for run in runs for model, each in run.spend.items()}
    order = tuple(dict.fromkeys(cases))
    return Pool(tuple(runs), order, in_order(results, order), spend, tuple(differing(runs)))


def differing(runs: Sequence[RunData]) -> list[Difference]:
    """In what each further run differs from the first."""
    found = []
    first = runs[0]
    for other in runs[1:]:
        name = f"{other.info.id} against {first.info.id}"
        one, two = first.info, other.info
        if one.gate != two.gate:
            found.append(Difference(grave=True, message=f"{name}: gate {two.gate}, not {one.gate}."))
        changed = [case for case, digest in two.cases.items() if one.cases.get(case, digest) != digest]
        if changed:
            found.append(Difference(grave=True, message=f"{name}: other texts of {_listed(changed)}."))
        for here, there, word in ((one, two, "without"), (two, one, "with")):
            if missing := [case for case in here.cases if case not in there.cases]:
                found.append(Difference(grave=True, message=f"{name}: {word} {_listed(missing)}."))
        found += [Difference(grave=False, message=f"{name}: {each}.") for each in _settings(one, two)]
    return found


def _settings(one: RunInfo, two: RunInfo) -> list[str]:
    """Differences that change what a score means, but not whether two may be put side by side."""
    told = []
    if one.web != two.web:
        told.append(f"web {two.web}, not {one.web}")
    if one.version != two.version:
        told.append(f"verifaible {two.version}, not {one.version}")
    if one.limits != two.limits:
        told.append(f"limits {_limits(two)}, not {_limits(one)}")
    for section in ("prompts", "tools", "archives"):
        if one.locked.get(section) != two.locked.get(section):
            told.append(f"other {section}")
    return told


def _limits(info: RunInfo) -> str:
    return ", ".join(f"{name} {value}" for name, value in info.limits.items() if value is not None) or "none"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return f"{len(names)} cases ({shown}{', …' if len(names) > 6 else ''})"
