"""Runs of the bench: the list, one run with its figures and its trials, and a leaderboard over several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.exceptions import HTTPException

from verifaible.bench.metrics import Rate, is_error
from verifaible.bench.pool import Findings, RunData, findings, in_order
from verifaible.bench.report import CHARTS, all_tables, charts, warnings
from verifaible.bench.run_dir import RunFolder
from verifaible.bench.tables import score_tables
from verifaible.errors import RunError
from verifaible.reporting.charts import Chart
from verifaible.reporting.tables import Table
from verifaible.schema.run import RunInfo, TrialResult
from verifaible.viewer.cache import Cache, folder_names, stamps
from verifaible.viewer.respond import Part, Viewer, page
from verifaible.viewer.text import folder_address, folder_name

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

    from verifaible.runs.progress import Progress

#: The files that decide what a run's pages show.
_FILES: Final = ("run.json", "results.jsonl", "spend.jsonl")
#: A run that has told nothing for so long was killed: it tells every three seconds.
_SILENT_S: Final = 60.0
_RUNS_A_PAGE, _TRIALS_A_PAGE = 25, 100
#: Runs in one leaderboard.
MOST_CHOSEN: Final = 12
_SORTS: Final[Mapping[str, Callable[[TrialResult], Any]]] = {
    "score": lambda each: each.score,
    "model": lambda each: each.model,
    "cost": lambda each: -(each.cost_usd or 0),
    "time": lambda each: -each.duration_s,
}
_RESULTS: Final[Mapping[str, Callable[[TrialResult], bool]]] = {
    "verified": lambda each: each.verified,
    "not verified": lambda each: not each.verified,
    "full score": lambda each: each.score == 100,
    "no score": lambda each: not each.score,
    "error": is_error,
}


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run as a list shows it.

    Attributes:
        name: of its folder.
        address: of its page; empty where the name cannot stand in an address.
        shown: its name as text.
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

    @property
    def title(self) -> str:
        """What it is a run of: its models, and how many cases."""
        more = f" and {len(self.models) - 3} more" if len(self.models) > 3 else ""
        cases = "1 case" if self.cases == 1 else f"{self.cases} cases"
        return f"{', '.join(self.models[:3])}{more} · {cases}" if self.models else self.shown


@dataclass(frozen=True, slots=True)
class Run:
    """A run with its whole results, in the order of its cases."""

    line: RunLine
    folder: RunFolder
    info: RunInfo
    results: tuple[TrialResult, ...]


_LINES: Cache[RunLine] = Cache(2_000)
_RUNS: Cache[Run] = Cache(8)
_FINDINGS: Cache[Findings] = Cache(8)


def run_routes() -> list[Route]:
    """The routes of runs; those of trials are in :mod:`verifaible.viewer.trials`."""
    return [
        *page("/runs", "runs.html", _list, name="runs"),
        *page("/leaderboard", "leaderboard.html", _leaderboard, name="leaderboard"),
        *page("/runs/{run}", "run.html", _run, name="run"),
    ]


def newest_runs(viewer: Viewer, request: Request, most: int = _RUNS_A_PAGE) -> Part[RunLine]:
    """The newest runs: a name begins with the time.

    Raises:
        RunError: the folder of the runs cannot be read.
    """
    found = Part.of(request, folder_names(viewer.settings.runs_dir), most)
    return found.made(lambda name: _line(viewer.settings.runs_dir / name))


def _list(viewer: Viewer, request: Request) -> dict[str, object]:
    return {"runs": newest_runs(viewer, request), "most": MOST_CHOSEN}


def _leaderboard(viewer: Viewer, request: Request) -> dict[str, object]:
    names = tuple(dict.fromkeys(request.query_params.getlist("run")))
    if len(names) > MOST_CHOSEN:
        raise HTTPException(400, f"Choose at most {MOST_CHOSEN} runs.")
    opened = [open_run(viewer, name) for name in names]
    found = _findings([each for each in opened if each.results])
    return {
        "runs": [each.line for each in opened],
        "warned": warnings(found) if found else [],
        "sections": _with_charts(found, score_tables(found)) if found else (),
    }


def _run(viewer: Viewer, request: Request) -> dict[str, object]:
    """A run: its figures, what a reader must know before them, and the trials that the filters leave."""
    run = open_run(viewer, str(request.path_params["run"]))
    found = _findings([run])
    trials, filters = _filtered(run, request.query_params)
    ended = sorted(run.results, key=lambda each: each.finished_at, reverse=True) if run.line.progress else []
    tables = [each for each in all_tables(found) if each.title != "Scores"] if found else []
    return {
        "line": run.line,
        "info": run.info,
        "best": found.summaries[0] if found else None,
        "warned": warnings(found) if found else [],
        "sections": _with_charts(found, tables) if found else (),
        "trials": Part.of(request, trials, _TRIALS_A_PAGE),
        "filters": filters,
        "latest": ended[:10],
    }


def _filtered(
    run: Run, asked: Mapping[str, str]
) -> tuple[list[TrialResult], dict[str, tuple[str, str, tuple[str, ...]]]]:
    """The trials that the filters of an address leave, in the order it asks for; and the filters."""
    case, model, result, sort = (asked.get(each, "").strip() for each in ("case", "model", "result", "sort"))
    found = [
        each
        for each in run.results
        if case.lower() in each.case.lower()
        and (not model or each.model == model)
        and (result not in _RESULTS or _RESULTS[result](each))
    ]
    if sort in _SORTS:
        found.sort(key=_SORTS[sort])
    filters = {
        "model": ("Model", model, run.info.models),
        "result": ("Result", result, tuple(_RESULTS)),
        "sort": ("Order", sort, tuple(_SORTS)),
    }
    return found, filters


def _with_charts(found: Findings, tables: Sequence[Table]) -> tuple[tuple[Table, Chart | None], ...]:
    made = {chart.name: chart for chart in charts(found)}
    return tuple((table, made.get(CHARTS.get(table.title, ""))) for table in tables)


def _findings(runs: Sequence[Run]) -> Findings | None:
    """Everything that a report of these runs shows; None where no trial has ended."""
    runs = [each for each in runs if each.results]
    if not runs:
        return None
    paths = [run.folder.path for run in runs]
    data = [RunData(run.folder.path, run.info, run.results, run.folder.spend()) for run in runs]
    return _FINDINGS.get(tuple(paths), tuple(map(_stamps, paths)), lambda: findings(data))


def _stamps(path: Path) -> object:
    return stamps(path / each for each in _FILES)


def open_run(viewer: Viewer, name: str) -> Run:
    """A run by the name in an address: only what the listing has is opened.

    Raises:
        HTTPException: there is none.
        RunError: it is damaged.
    """
    if name not in folder_names(viewer.settings.runs_dir):
        raise HTTPException(404, "There is no run of this name. The list of runs has all of them.")
    path = viewer.settings.runs_dir / name
    run = _RUNS.get(path, _stamps(path), lambda: _read(path))
    return replace(run, line=_under_way(run.line, path))


def _read(path: Path) -> Run:
    folder = RunFolder(path, whole=True)
    info = folder.info()
    results = in_order(folder.results(), info.cases)
    try:
        return Run(_line_of(path, info, results), folder, info, results)
    except ArithmeticError as error:
        raise RunError(
            f"{path} holds figures that cannot be ({error}). Delete the folder, or run the bench again."
        ) from error


def _line(path: Path) -> RunLine:
    """A run as a list shows it; one that is damaged says so."""

    def made() -> RunLine:
        folder = RunFolder(path, whole=True)
        try:
            return _line_of(path, folder.info(), folder.results())
        except (RunError, ArithmeticError, ValueError) as fault:
            return replace(_named(path), fault=str(fault))

    return _under_way(_LINES.get(path, _stamps(path), made), path)


def _under_way(line: RunLine, path: Path) -> RunLine:
    """The same with how far it is now."""
    if line.finished or line.fault:
        return line
    progress = None
    with suppress(RunError):
        progress = RunFolder(path).progress()
    told = progress is not None and abs((datetime.now(UTC) - progress.at).total_seconds()) < _SILENT_S
    return replace(line, progress=progress if told else None)


def _named(path: Path) -> RunLine:
    return RunLine(path.name, folder_address("/runs", path.name), folder_name(path.name))


def _line_of(path: Path, info: RunInfo, results: Sequence[TrialResult]) -> RunLine:
    count = len(results)
    known = [each.cost_usd for each in results if each.cost_usd is not None]
    trials = info.settings.get("trials")
    return replace(
        _named(path),
        started=info.started_at.astimezone(UTC),
        finished=info.finished_at is not None,
        models=info.models,
        cases=len(info.cases),
        trials=count,
        planned=len(info.models) * len(info.cases) * trials if isinstance(trials, int) else 0,
        average=sum(each.score for each in results) / count if count else None,
        verified=Rate.measure(sum(each.verified for each in results), count) if count else None,
        cost_usd=sum(known) if known else None,
    )
