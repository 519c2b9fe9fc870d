"""Finished runs as reports read them: one or several together, without the answers and the transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from verifaible.bench import published
from verifaible.bench.metrics import ModelSummary, summarise
from verifaible.bench.published import PublishedModel
from verifaible.bench.run_dir import RunFolder, last_of_each
from verifaible.errors import RunError
from verifaible.runs.spend import Spend
from verifaible.schema.base import Record
from verifaible.schema.run import RunInfo, TrialResult

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
class Findings:
    """What a report is drawn from: the trials of one or several runs, and a summary of each model.

    Attributes:
        runs: the runs.
        cases: every case of any run, in order.
        results: all trials; a model of two runs is named with its run, and a case of another text too.
        summaries: of the models, best first.
        published: the published models, where they may stand beside ours.
        differences: in what the runs differ.
    """

    runs: tuple[RunData, ...]
    cases: tuple[str, ...]
    results: tuple[TrialResult, ...]
    summaries: tuple[ModelSummary, ...]
    published: tuple[PublishedModel, ...] = ()
    differences: tuple[Difference, ...] = ()


def read_run(path: Path) -> RunData:
    """Read a run, line by line.

    Raises:
        RunError: it is no run, holds no finished trial, or is damaged.
    """
    folder = RunFolder(path)
    info = folder.info()
    found = last_of_each(map(_slim, folder.each_result()))
    if not found:
        raise RunError(f"{path} has no finished trial, so there is nothing to report. Run it again.")
    return RunData(path, info, in_order(found, info.cases), folder.spend())


def in_order(results: Iterable[TrialResult], cases: Iterable[str]) -> tuple[TrialResult, ...]:
    """Trials in the order of the cases, whichever finished first."""
    places = {case: place for place, case in enumerate(cases)}
    return tuple(sorted(results, key=lambda each: (places.get(each.case, len(places)), each.trial)))


def findings(runs: Sequence[RunData], *, published_too: bool = False) -> Findings:
    """Put runs together, and reckon all that a report shows; what differs is named, and nothing refused.

    Args:
        runs: one or several.
        published_too: show the published models beside other cases than theirs, too.

    Raises:
        RunError: a run was given twice.
    """
    if len({run.info.id for run in runs}) < len(runs):
        raise RunError("The same run was given twice. Name each once.")
    names = [model for run in runs for model in dict.fromkeys(each.model for each in run.results)]

    def renamed(model: str, run: RunData) -> str:
        return f"{model} @ {run.info.id}" if names.count(model) > 1 else model

    results: list[TrialResult] = []
    cases: list[str] = []
    texts: dict[str, str] = {}
    for run in runs:
        # a case whose text is another than in a run before is another case, and has a name of its own
        case_names = {
            case: case if texts.setdefault(case, digest) == digest else f"{case} @ {run.info.id}"
            for case, digest in run.info.cases.items()
        }
        cases += case_names.values()
        for each in run.results:
            update = {"model": renamed(each.model, run), "case": case_names.get(each.case, each.case)}
            same = (each.model, each.case) == tuple(update.values())
            results.append(each if same else each.model_copy(update=update))
    spend = {renamed(model, run): each for run in runs for model, each in run.spend.items()}
    order = tuple(dict.fromkeys(cases))
    beside = published_too or all(run.info.beside_published for run in runs)
    return Findings(
        runs=tuple(runs),
        cases=order,
        results=in_order(results, order),
        summaries=summarise(results, spend),
        published=published.MODELS if beside else (),
        differences=tuple(differing(runs)),
    )


def findings_of(results: Sequence[TrialResult], info: RunInfo) -> Findings:
    """The same of trials that are in memory."""
    return findings([RunData(Path(), info, tuple(results), {})])


def differing(runs: Sequence[RunData]) -> list[Difference]:
    """In what each further run differs from the first."""
    found = []
    for other in runs[1:]:
        one, two = runs[0].info, other.info
        name = f"{two.id} against {one.id}"
        grave = [f"gate {two.gate}, not {one.gate}"] if one.gate != two.gate else []
        if changed := [case for case, text in two.cases.items() if one.cases.get(case, text) != text]:
            grave.append(f"other texts of {_listed(changed)}")
        for here, there, word in ((one, two, "without"), (two, one, "with")):
            if missing := [case for case in here.cases if case not in there.cases]:
                grave.append(f"{word} {_listed(missing)}")
        found += [Difference(grave=True, message=f"{name}: {each}.") for each in grave]
        found += [Difference(grave=False, message=f"{name}: {each}.") for each in _settings(one, two)]
    return found


def _settings(one: RunInfo, two: RunInfo) -> list[str]:
    """Differences that change what a score means, but not whether two may be put side by side."""
    said = []
    if one.web != two.web:
        said.append(f"web {two.web}, not {one.web}")
    if one.version != two.version:
        said.append(f"verifaible {two.version}, not {one.version}")
    if one.limits != two.limits:
        said.append(f"limits {_limits(two)}, not {_limits(one)}")
    for section in ("prompts", "tools", "archives"):
        if one.locked.get(section) != two.locked.get(section):
            said.append(f"other {section}")
    return said


def _limits(info: RunInfo) -> str:
    return ", ".join(f"{name} {value}" for name, value in info.limits.items() if value is not None) or "none"


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)} cases ({', '.join(names[:6])}{', …' if len(names) > 6 else ''})"


def _slim(result: TrialResult) -> TrialResult:
    return result.model_copy(
        update={
            "answer": "",
            "citations": (),
            "verified_reasons": tuple(map(_short, result.verified_reasons[:3])),
            "error": _short(result.error) if result.error else result.error,
        }
    )


def _short(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE].rstrip() + " […]"
