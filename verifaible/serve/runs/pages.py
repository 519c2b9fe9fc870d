"""The pages of runs: the list, a leaderboard, a run, its matrix, a trial, and a trial's answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.routing import Route

from verifaible.bench.report.leaderboard import leaderboard_tables
from verifaible.bench.report.summary import is_error
from verifaible.reporting.tables import plain
from verifaible.serve.rendering import page
from verifaible.serve.runs.answer import render_answer
from verifaible.serve.runs.reading import (
    Run,
    findings_of,
    lines,
    open_run,
    recent_runs,
    run_names,
)
from verifaible.serve.runs.tables import matrix_of, sections, shown_tables, told
from verifaible.serve.runs.timeline import STEPS_A_PAGE, visible
from verifaible.serve.runs.trials import cited_of, question_of, result_of, told_of, trial_address
from verifaible.serve.state import House, house_of, whole_number
from verifaible.serve.wording import Terms, language_of_reader

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from verifaible.schema.run import TrialResult

__all__ = ["recent_runs", "run_routes"]

_RUNS_A_PAGE = 25
_CASES_A_PAGE = 100
#: Runs in one leaderboard.
_MOST_CHOSEN = 12
#: Trials that the page of a run lists as not verified.
_MOST_UNVERIFIED = 100
#: Stands between the names of runs in an address: no name of a folder holds it.
_BETWEEN = "/"


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
    house, chosen = house_of(request), request.query_params.getlist("run")
    if chosen:  # a form gives each run its own value; one value for all survives a change of the language
        return RedirectResponse(f"/leaderboard?{urlencode({'runs': _BETWEEN.join(chosen)})}", 303)
    names = list(dict.fromkeys(filter(None, request.query_params.get("runs", "").split(_BETWEEN))))
    if not names:
        return RedirectResponse("/runs", 303)
    terms = Terms(language_of_reader(request), "run")
    if len(names) > _MOST_CHOSEN:
        raise HTTPException(400, terms.words("run.too_many", n=_MOST_CHOSEN))

    def found() -> dict[str, Any]:
        opened = [_opened(house, name, terms) for name in names]
        values: dict[str, Any] = {"runs": [each.line for each in opened], "warned": [], "sections": ()}
        if begun := [each for each in opened if each.results]:
            whole = findings_of(begun)
            values["warned"] = told(whole, terms)
            values["sections"] = shown_tables(whole, leaderboard_tables(whole), terms)
        return values

    return page(request, "run_merged.html", **await asyncio.to_thread(found))


async def run(request: Request) -> Response:
    """The leaderboard of a run, its charts, and what was not verified."""
    house, name, terms = _asked(request)

    def found() -> dict[str, Any]:
        opened = _opened(house, name, terms)
        values: dict[str, Any] = {"info": opened.info, "line": opened.line, "begun": bool(opened.results)}
        unverified: Sequence[TrialResult] = [each for each in opened.results if not each.verified]
        values |= {"unverified": unverified[:_MOST_UNVERIFIED], "unverified_count": len(unverified)}
        if opened.results:
            whole = findings_of([opened])
            values |= {
                "best": whole.summaries[0],
                "warned": told(whole, terms),
                "sections": sections(whole, terms),
            }
        return values

    return page(
        request,
        "run.html",
        trial_address=trial_address,
        plain=plain,
        terms=terms,
        **await asyncio.to_thread(found),
    )


async def matrix(request: Request) -> Response:
    """Every score of a run, case by model."""
    house, name, terms = _asked(request)
    start = whole_number(request.query_params.get("from", ""))

    def found() -> dict[str, Any]:
        opened = _opened(house, name, terms)
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
    house, name, terms = _asked(request)
    start, whole = whole_number(request.query_params.get("from", "")), request.query_params.get("whole", "")

    def found() -> dict[str, Any]:
        opened = _opened(house, name, terms)
        r = _result(opened, request, terms)
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
        terms=terms,
        plain=plain,
        visible=visible,
        **await asyncio.to_thread(found),
    )


async def answer(request: Request) -> Response:
    """The answer of a trial, with the evidence beside it."""
    house, name, terms = _asked(request)

    def found() -> dict[str, Any]:
        opened = _opened(house, name, terms)
        result = _result(opened, request, terms)
        drawn = render_answer(
            result.answer,
            {each.made.number: each.made.id for each in cited_of(house, result) if each.held},
            label=terms.words("run.marker"),
            nowhere=terms.words("run.marker.nowhere"),
            region=terms.words("run.table"),
        )
        return {
            "line": opened.line,
            "r": result,
            "answer": drawn,
            "question": question_of(house, opened, result),
            "address": trial_address(opened.line, result.model, result.case, result.trial),
        }

    return page(request, "run_answer.html", plain=plain, visible=visible, **await asyncio.to_thread(found))


def _asked(request: Request) -> tuple[House, str, Terms]:
    """Whose run a request wants, its name, and the reader's words."""
    return house_of(request), str(request.path_params["run"]), Terms(language_of_reader(request), "run")


def _opened(house: House, name: str, terms: Terms) -> Run:
    """A run by the name in an address: only what the listing has is opened."""
    if name not in run_names(house):
        raise HTTPException(404, terms.words("run.no_run"))
    return open_run(house, name)


def _result(opened: Run, request: Request, terms: Terms) -> TrialResult:
    found = result_of(opened, request.query_params)
    if not found:
        raise HTTPException(404, terms.words("run.no_trial"))
    return found[0]
