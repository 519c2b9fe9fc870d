"""Run folders as the viewer reads them: what was read is kept until the files of the run change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from verifaible.bench.report.data import RunData, in_order
from verifaible.bench.report.markdown import findings
from verifaible.bench.report.summary import Rate
from verifaible.bench.run.folder import RunFolder
from verifaible.errors import RunError
from verifaible.reporting.tables import plain
from verifaible.viewer.keeping import Kept, Stamp, folder_names, shown_and_address, stamps_of

if TYPE_CHECKING:
    from verifaible.bench.report.tables import Findings
    from verifaible.runs.progress import Progress
    from verifaible.schema.run import RunInfo, TrialResult
    from verifaible.viewer.state import House

#: The files that decide what a run's pages show.
_FILES = ("run.json", "results.jsonl", "spend.jsonl")
#: A run that has told nothing for so long was killed: it tells every three seconds.
_SILENT_S = 60.0
_KEPT_LINES, _KEPT_RUNS, _KEPT_FINDINGS = 2_000, 8, 8
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run as a list shows it.

    Attributes:
        name: of its folder.
        address: of its page; empty where the name cannot stand in an address.
        shown: its name, without characters that would be obeyed.
        started: when it began; None where ``fault`` says why nothing is known.
        finished: whether it came to its end.
        models: their names.
        cases: how many.
        trials: that have ended.
        planned: that it will have when it ends; 0 where it does not say so.
        average: mean score of its trials, of 100; None where there is no trial.
        verified: share of verified trials; None likewise.
        cost_usd: what its trials have cost, in US dollars; None where that is not known.
        progress: how far it is, while it is under way.
        fault: why it cannot be read; empty where it can.
    """

    name: str
    address: str
    shown: str
    started: datetime | None = None
    finished: bool = False
    models: tuple[str, ...] = ()
    cases: int = 0
    trials: int = 0
    planned: int = 0
    average: float | None = None
    verified: Rate | None = None
    cost_usd: float | None = None
    progress: Progress | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A run with its whole results.

    Attributes:
        line: what a list shows of it.
        folder: where it is.
        data: as reports take it.
    """

    line: RunLine
    folder: RunFolder
    data: RunData

    @property
    def info(self) -> RunInfo:
        """What ``run.json`` says."""
        return self.data.info

    @property
    def results(self) -> Sequence[TrialResult]:
        """The finished trials, in the order of the cases."""
        return self.data.results


_LINES: Kept[RunLine] = Kept(_KEPT_LINES)
_RUNS: Kept[Run] = Kept(_KEPT_RUNS)
_FINDINGS: Kept[Findings] = Kept(_KEPT_FINDINGS)


def run_names(house: House) -> list[str]:
    """The names of all run folders, the newest first: a name begins with the time.

    Raises:
        RunError: the folder of the runs cannot be read.
    """
    return folder_names(house.settings.runs_dir)


def recent_runs(house: House, limit: int) -> tuple[Sequence[RunLine], int]:
    """The newest runs, and how many there are.

    Args:
        house: whose runs.
        limit: how many are listed at most.
    """
    names = run_names(house)
    return lines(house, names[:limit]), len(names)


def lines(house: House, names: Sequence[str]) -> tuple[RunLine, ...]:
    """Runs as a list shows them; one that is damaged says so."""
    return _drawn(house, names, _line)


def _drawn(house: House, names: Sequence[str], drawn: Callable[[Path], RunLine]) -> tuple[RunLine, ...]:
    runs = house.settings.runs_dir
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return tuple(pool.map(lambda name: under_way(house, drawn(runs / name)), names))


def under_way(house: House, line: RunLine) -> RunLine:
    """A run as a list shows it, with how far it is now."""
    progress = None
    if not line.finished and not line.fault:
        with suppress(RunError):
            progress = RunFolder(house.settings.runs_dir / line.name).progress()
    if progress is not None and abs((datetime.now(UTC) - progress.at).total_seconds()) < _SILENT_S:
        return replace(line, progress=_plain(progress))
    return line


def _plain(progress: Progress) -> Progress:
    """The same without characters that would be obeyed."""
    if (slowest := progress.slowest) is None:
        return progress
    said = {name: plain(getattr(slowest, name)) for name in ("task", "worker", "doing")}
    return progress.model_copy(update={"slowest": slowest.model_copy(update=said)})


def open_run(house: House, name: str) -> Run:
    """A run by its name.

    Args:
        house: whose runs.
        name: one of :func:`run_names`: an address may hold anything, so look there first.

    Raises:
        RunError: it is damaged.
    """
    path = house.settings.runs_dir / name
    return _RUNS.get(str(path), _stamp(path), lambda: _read(path))


def findings_of(runs: Sequence[Run]) -> Findings:
    """Everything that a report of these runs shows, reckoned by the bench.

    Raises:
        RunError: a run is there twice.
    """
    paths = tuple(str(run.folder.path) for run in runs)
    stamps = tuple(_stamp(run.folder.path) for run in runs)
    return _FINDINGS.get(paths, stamps, lambda: findings([run.data for run in runs]))


def _stamp(path: Path) -> tuple[Stamp, ...]:
    return stamps_of(path, _FILES)


def _line(path: Path) -> RunLine:
    return _LINES.get(str(path), _stamp(path), lambda: _or_fault(path, open_run_line))


def _or_fault(path: Path, made: Callable[[Path], RunLine]) -> RunLine:
    try:
        return made(path)
    except (RunError, ArithmeticError, ValueError) as fault:
        return replace(_named(path), fault=plain(str(fault)))


def open_run_line(path: Path) -> RunLine:
    """What a list shows of the run in a folder.

    Raises:
        RunError: it is damaged.
        ArithmeticError: its figures are beyond all measure.
    """
    folder = RunFolder(path, whole=True)
    return _line_of(path, folder.info(), folder.results())


def _read(path: Path) -> Run:
    folder = RunFolder(path, whole=True)
    info = folder.info()
    results = in_order(folder.results(), info.cases)
    try:
        return Run(_line_of(path, info, results), folder, RunData(path, info, results, folder.spend()))
    except ArithmeticError as error:
        raise RunError(
            f"{path} holds figures that cannot be ({error}). Delete the folder, or run the bench again."
        ) from error


def _line_of(path: Path, info: RunInfo, results: Sequence[TrialResult]) -> RunLine:
    count = len(results)
    known = [each.cost_usd for each in results if each.cost_usd is not None]
    trials = info.settings.get("trials")
    return replace(
        _named(path),
        started=info.started_at.astimezone(UTC),
        finished=info.finished_at is not None,
        models=tuple(plain(model) for model in info.models),
        cases=len(info.cases),
        trials=count,
        planned=len(info.models) * len(info.cases) * trials if isinstance(trials, int) else 0,
        average=sum(each.score for each in results) / count if count else None,
        verified=Rate.measure(sum(each.verified for each in results), count) if count else None,
        cost_usd=sum(known) if known else None,
    )


def _named(path: Path) -> RunLine:
    """A run of which only the name is known."""
    shown, address = shown_and_address(path.name, "/runs")
    return RunLine(path.name, address, plain(shown))
