"""The pages of runs: the list, a leaderboard, a run, its matrix, a trial, and a trial's answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.routing import Route

from verifaible.bench.report.charts import CHARTS, charts
from verifaible.bench.report.markdown import failures, trials_of, warnings
from verifaible.bench.report.summary import is_error
from verifaible.bench.report.tables import Findings, score_tables
from verifaible.bench.report.usage import same_cases, token_details, usage_tables
from verifaible.reporting.charts import Chart
from verifaible.reporting.tables import Table, plain
from verifaible.scoring import published
from verifaible.viewer.rendering import page
from verifaible.viewer.runs.answer import render_answer
from verifaible.viewer.runs.reading import (
    Run,
    findings_of,
    lines,
    open_run,
    run_names,
    under_way,
)
from verifaible.viewer.runs.timeline import STEPS_A_PAGE, visible
from verifaible.viewer.runs.trials import cited_of, question_of, result_of, told_of, trial_address
from verifaible.viewer.state import House, house_of, whole_number

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from verifaible.schema.run import TrialResult


_RUNS_A_PAGE = 25
_CASES_A_PAGE = 100
#: Trials that ended last, which a run under way shows.
_LATEST = 10
#: Runs in one leaderboard.
_MOST_CHOSEN = 12
#: Trials that the page of a run lists as not verified.
_MOST_UNVERIFIED = 100


def run_routes() -> list[Route]:
    """The routes of runs."""
    return [
        Route("/runs", runs, name="runs"),
        Route("/leaderboard", merged, name="leaderboard"),
        Route("/runs/{run}", run, name="run"),
        Route("/runs/{run}/matrix", matrix, name="matrix"),
        Route("/runs/{run}/trial", trial, name="trial"),
        Route("/runs/{run}/answer", answer, name="answer"),
    ]


async def runs(request: Request) -> Response:
    """All runs, newest first, page by page."""
    house, after = house_of(request), request.query_params.get("after", "")

    def found() -> dict[str, Any]:
        names = run_names(house)
        left = [name for name in names if not after or name < after]
        shown = left[:_RUNS_A_PAGE]
        behind = visible(shown[-1]) if len(left) > _RUNS_A_PAGE else ""
        return {"runs": lines(house, shown), "total": len(names), "behind": behind}

    return page(request, "runs.html", after=after, most=_MOST_CHOSEN, **await asyncio.to_thread(found))


async def merged(request: Request) -> Response:
    """The leaderboard over several chosen runs."""
    house, names = house_of(request), list(dict.fromkeys(request.query_params.getlist("run")))
    if not names:
        return RedirectResponse("/runs", 303)
    if len(names) > _MOST_CHOSEN:
        raise HTTPException(400, f"Choose at most {_MOST_CHOSEN} runs.")

    def found() -> dict[str, Any]:
        opened = [_opened(house, name) for name in names]
        values: dict[str, Any] = {"runs": [each.line for each in opened], "warned": [], "sections": ()}
        if begun := [each for each in opened if each.results]:
            whole = findings_of(begun)
            values["warned"] = warnings(whole)
            values["sections"] = with_charts(whole, score_tables(whole))
        return values

    return page(request, "run_merged.html", **await asyncio.to_thread(found))


async def run(request: Request) -> Response:
    """The leaderboard of a run, its charts, and what was not verified."""
    house, name = _asked(request)

    def found() -> dict[str, Any]:
        opened = _opened(house, name)
        line = under_way(house, opened.line)
        values: dict[str, Any] = {"info": opened.info, "line": line, "begun": bool(opened.results)}
        if line.progress:
            ended = sorted(opened.results, key=lambda each: each.finished_at, reverse=True)
            values["latest"] = ended[:_LATEST]
        unverified: Sequence[TrialResult] = [each for each in opened.results if not each.verified]
        values |= {"unverified": unverified[:_MOST_UNVERIFIED], "unverified_count": len(unverified)}
        if opened.results:
            whole = findings_of([opened])
            values |= {
                "best": whole.summaries[0],
                "warned": warnings(whole),
                "sections": sections(whole),
            }
        return values

    return page(
        request,
        "run.html",
        trial_address=trial_address,
        plain=plain,
        **await asyncio.to_thread(found),
    )


async def matrix(request: Request) -> Response:
    """Every score of a run, case by model."""
    house, name = _asked(request)
    start = whole_number(request.query_params.get("from", ""))

    def found() -> dict[str, Any]:
        opened = _opened(house, name)
        drawn = matrix_of(findings_of([opened])) if opened.results else None
        return {"line": opened.line, "matrix": drawn}

    return page(
        request,
        "run_matrix.html",
        start=start,
        most=_CASES_A_PAGE,
        is_error=is_error,
        trial_address=trial_address,
        plain=plain,
        **await asyncio.to_thread(found),
    )


async def trial(request: Request) -> Response:
    """A trial: what was asked, what came of it, and every step."""
    house, name = _asked(request)
    start, whole = whole_number(request.query_params.get("from", "")), request.query_params.get("whole", "")

    def found() -> dict[str, Any]:
        opened = _opened(house, name)
        r = _result(opened, request)
        return {
            "line": opened.line,
            "s": told_of(house, opened, r, start=start, whole=whole),
            "address": trial_address(opened.line, r.model, r.case, r.trial),
            "answer_address": trial_address(opened.line, r.model, r.case, r.trial, "answer"),
        }

    return page(
        request,
        "run_trial.html",
        start=start,
        most=STEPS_A_PAGE,
        whole=whole,
        plain=plain,
        visible=visible,
        **await asyncio.to_thread(found),
    )


async def answer(request: Request) -> Response:
    """The answer of a trial, with the evidence beside it."""
    house, name = _asked(request)

    def found() -> dict[str, Any]:
        opened = _opened(house, name)
        result = _result(opened, request)
        cited = {each.made.number: each.made.id for each in cited_of(house, result) if each.held}
        return {
            "line": opened.line,
            "r": result,
            "answer": render_answer(result.answer, cited),
            "question": question_of(house, opened, result),
            "address": trial_address(opened.line, result.model, result.case, result.trial),
        }

    return page(request, "run_answer.html", plain=plain, visible=visible, **await asyncio.to_thread(found))


def _asked(request: Request) -> tuple[House, str]:
    """Whose run a request wants, and its name."""
    return house_of(request), str(request.path_params["run"])


def _opened(house: House, name: str) -> Run:
    """A run by the name in an address: only what the listing has is opened."""
    if name not in run_names(house):
        raise HTTPException(404, "There is no run of this name.")
    return open_run(house, name)


def _result(opened: Run, request: Request) -> TrialResult:
    found = result_of(opened, request.query_params)
    if not found:
        raise HTTPException(404, "This run has no such trial.")
    return found[0]


#: A table with the chart above it.
Section: TypeAlias = tuple[Table, Chart | None]
#: Which chart stands above which table; here the tokens are drawn where they are told first.
_CHARTS: Final = {**CHARTS, "Tokens and cost": "tokens", "Context economy": ""}
#: The score of a trial that lacks nothing.
FULL: Final = 100


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A case in the matrix: its trials by model, and the published scores; empty cells are no trials."""

    case: str
    cells: tuple[Sequence[TrialResult], ...]
    published: tuple[str, ...]

    @staticmethod
    def mark(cells: Sequence[TrialResult]) -> str:
        """How a cell is coloured: ``full`` if all is verified, ``none`` if nothing scored, else ``part``."""
        if all(cell.verified and cell.score == FULL for cell in cells):
            return "full"
        return "part" if any(cell.score for cell in cells) else "none"


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every score: models and published models are the columns, cases the rows."""

    models: tuple[str, ...]
    published: tuple[str, ...]
    rows: tuple[MatrixRow, ...]


def sections(found: Findings) -> tuple[Section, ...]:
    """Every table of the report but the matrix, each with its chart."""
    beside, why = same_cases(found), failures(found)
    tables = (
        *score_tables(found),
        *([beside] if beside else []),
        *([why] if why.rows else []),
        *usage_tables(found),
        token_details(found),
    )
    return with_charts(found, tables)


def with_charts(found: Findings, tables: Sequence[Table]) -> tuple[Section, ...]:
    """Tables of a report, with their charts."""
    drawn = {chart.name: chart for chart in charts(found)}
    return tuple((table, drawn.get(_CHARTS.get(table.title, ""))) for table in tables)


def matrix_of(found: Findings) -> Matrix:
    """Every trial's score, by case and model, in the order of the report."""
    models = [one.model for one in found.summaries]
    trials = trials_of(found)
    printed = {case.case: tuple(map(str, case.scores)) for case in published.CASES if found.published}
    rows = tuple(
        MatrixRow(
            case=case,
            cells=tuple(trials.get((case, model), ()) for model in models),
            published=printed.get(case, ("-",) * len(found.published)),
        )
        for case in found.cases
    )
    return Matrix(tuple(models), tuple(model.name for model in found.published), rows)
