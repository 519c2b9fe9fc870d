"""One trial of a run: what was asked, what came of it and every step; and its answer beside the evidence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException

from verifaible.bench.cases import digest, load_cases
from verifaible.bench.run_dir import Transcript
from verifaible.errors import CaseError, CitationNotFound, RunError, StoreError
from verifaible.schema.case import Case
from verifaible.schema.chat import Usage
from verifaible.schema.run import ModelEvent, ToolEvent, TrialCitation, TrialResult
from verifaible.viewer.citations import page_of
from verifaible.viewer.marked import marked_answer
from verifaible.viewer.respond import Viewer, page, whole_number
from verifaible.viewer.runs import Run, open_run
from verifaible.viewer.text import Excerpt, excerpt

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

#: Steps on one page.
STEPS_A_PAGE: Final = 200
#: What cannot stand in the name of a transcript's file.
_NO_NAME: Final = frozenset("/\\\0")


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the model, or one tool call; what does not belong to it is empty.

    Attributes:
        name: ``step-3`` of the attempt that counts, ``lost-3`` of those before it.
        number: its place, from 1.
        round: the round trip that it belongs to.
        tool: name of the tool; empty for the model's answer.
        texts: what was thought aloud, said, given to the tool and given back, each by its title.
        error_code: of the tool's refusal.
        citation: number of the citation that it made; 0: none.
        citation_id: id of that citation; empty where it is not known.
        usage: tokens and cost of the answer.
        duration_s: what it took, in seconds.
        tokens_so_far: input and output of this step and all before it.
        cost_so_far_usd: likewise, in US dollars; None while it is not known.
        seconds_so_far: likewise.
    """

    name: str
    number: int
    round: int
    tool: str
    texts: dict[str, Excerpt]
    error_code: str
    citation: int
    citation_id: str
    usage: Usage
    duration_s: float
    tokens_so_far: int
    cost_so_far_usd: float | None
    seconds_so_far: float


def trial_routes() -> list[Route]:
    """The routes of trials: a query names the model, the case, and the number of the trial."""
    return [
        *page("/runs/{run}/trial", "trial.html", _trial, name="trial"),
        *page("/runs/{run}/answer", "answer.html", _answer, name="answer"),
    ]


def _trial(viewer: Viewer, request: Request) -> dict[str, object]:
    """A trial: its line of the results, its case, its citations, and the steps of this page."""
    run, trial = _asked(viewer, request)
    start, whole = whole_number(request.query_params.get("from", "")), request.query_params.get("whole", "")
    case, fault, said = _case(viewer, run, trial), "", None
    try:
        said = _transcript(run, trial)
    except RunError as error:
        fault = str(error)
    cited = _cited(viewer, trial)
    ids = {made.number: made.id for made, held in cited if held}
    steps = timeline(said.events, ids, whole=whole) if said else ()
    lost = timeline(said.lost_events, {}, prefix="lost", whole=whole) if said else ()
    same = [each for each in run.results if each.model == trial.model]
    at = same.index(trial)
    return {
        "line": run.line,
        "trial": trial,
        "case": case,
        "question": said.question if said else case.question if case else "",
        "cited": cited,
        "steps": steps[start : start + STEPS_A_PAGE],
        "lost": lost[start : start + STEPS_A_PAGE],
        "start": start,
        "count": max(len(steps), len(lost)),
        "most": STEPS_A_PAGE,
        "before": same[at - 1] if at else None,
        "behind": same[at + 1] if at + 1 < len(same) else None,
        "fault": fault,
    }


def _answer(viewer: Viewer, request: Request) -> dict[str, object]:
    """The answer of a trial, and the evidence of its first marker."""
    run, trial = _asked(viewer, request)
    answer = marked_answer(
        trial.answer, {made.number: made.id for made, held in _cited(viewer, trial) if held}
    )
    case, evidence = _case(viewer, run, trial), None
    question = case.question if case else ""
    with suppress(RunError):
        question = _transcript(run, trial).question
    with suppress(StoreError):  # the page of the citation, to which the marker leads, says what is wrong
        evidence = page_of(viewer.store, answer.first) if answer.first else None
    return {
        "line": run.line,
        "trial": trial,
        "question": question,
        "answer": answer,
        "evidence": evidence,
    }


def _asked(viewer: Viewer, request: Request) -> tuple[Run, TrialResult]:
    """The trial that an address names.

    Raises:
        HTTPException: there is no such run, or no such trial in it.
    """
    run, asked = open_run(viewer, str(request.path_params["run"])), request.query_params
    wanted = asked.get("model", ""), asked.get("case", ""), asked.get("trial", "")
    for each in run.results:
        if (each.model, each.case, str(each.trial)) == wanted:
            return run, each
    raise HTTPException(404, "This run has no such trial. Its page lists all of them.")


def _cited(viewer: Viewer, trial: TrialResult) -> tuple[tuple[TrialCitation, bool], ...]:
    def held(name: str) -> bool:
        try:
            return viewer.store.full_id(name) == name
        except CitationNotFound:
            return False

    return tuple((each, held(each.id)) for each in trial.citations)


def _case(viewer: Viewer, run: Run, trial: TrialResult) -> Case | None:
    """What a trial was about, if the file of its case still is the one that the run had."""
    file = viewer.settings.cases_dir / f"{trial.case}.json"
    try:
        if file.name not in {each.name for each in viewer.settings.cases_dir.glob("*.json")}:
            return None
        found = load_cases(file)[0]
    except (CaseError, OSError):
        return None
    return found if digest(found) == run.info.cases.get(trial.case) else None


def _transcript(run: Run, trial: TrialResult) -> Transcript:
    """The transcript of a trial.

    Raises:
        RunError: it is not there or damaged, or its name leads elsewhere.
    """
    if _NO_NAME & set(trial.case):
        raise RunError(f"The case {trial.case!r} is no name of a case. Run the bench again.")
    return run.folder.transcript(trial.key)


def timeline(
    events: Sequence[ModelEvent | ToolEvent],
    citations: Mapping[int, str],
    *,
    prefix: str = "step",
    whole: str = "",
) -> tuple[Step, ...]:
    """The steps of a trial, each with what it took and the sum until then.

    Args:
        events: as the transcript has them.
        citations: the id of each citation of the trial, by its number.
        prefix: of the steps' names.
        whole: name of the step whose texts are not cut.
    """
    steps: list[Step] = []
    usage, seconds = Usage(), 0.0
    for number, event in enumerate(events, 1):
        name = f"{prefix}-{number}"
        own = event.usage if isinstance(event, ModelEvent) else Usage()
        usage, seconds = usage + own, seconds + event.duration_s
        if isinstance(event, ModelEvent):
            texts = {"Reasoning": event.reasoning, "Text": event.text}
        else:
            texts = {"Arguments": pretty(event.arguments), "Result": event.result}
        made = (event.citation or 0) if isinstance(event, ToolEvent) else 0
        steps.append(
            Step(
                name=name,
                number=number,
                round=event.round,
                tool=event.name if isinstance(event, ToolEvent) else "",
                texts={title: excerpt(text, whole=name == whole) for title, text in texts.items() if text},
                error_code=event.error_code if isinstance(event, ToolEvent) else "",
                citation=made,
                citation_id=citations.get(made, ""),
                usage=own,
                duration_s=event.duration_s,
                tokens_so_far=usage.input_tokens + usage.output_tokens,
                cost_so_far_usd=usage.cost_usd,
                seconds_so_far=seconds,
            )
        )
    return tuple(steps)


def pretty(arguments: str) -> str:
    """The arguments of a call, indented if they are JSON; else as the model wrote them."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return arguments
