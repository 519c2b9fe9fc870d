"""Proving cases: what can be read off a case file, and what the reference steps come to on a web."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from verifaible.agent.base import Task, unwatched
from verifaible.agent.oracle import NopAgent, OracleAgent
from verifaible.archive.urls import site_of
from verifaible.bench.reverify import evidence_of
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, PageBlocked, PageNotLoaded, ToolError
from verifaible.evidence.observe import observe
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import Record
from verifaible.schema.case import Case, ListExpected, NumberExpected
from verifaible.schema.citation import WebMode
from verifaible.schema.run import AgentOutcome, ToolEvent
from verifaible.scoring.gate import facts_of, gated_score
from verifaible.scoring.match import answer_markers, expectation, match_answer
from verifaible.scoring.verified import verified_score
from verifaible.text.flat import folded
from verifaible.tools.workspace import Workspace, open_workspace, scratch_settings

#: Parts of which a category is made, as in ``text/table`` and ``dynamic+pdf``.
CATEGORIES: Final = frozenset({"text", "table", "dynamic", "pdf", "video", "image"})
_PLACEHOLDER = re.compile(r"\{\d+\}")
_GONE: Final = ("page_not_loaded", "offline_miss", "no_transcript", "no_text", "wrong_content")
_CHANGED: Final = ("anchor_not_found", "anchor_ambiguous", "step_failed")

#: ``ok`` full score with verified evidence; ``drifted`` the page says something else now; ``blocked``
#: a captcha, a consent page, a login, a refusal; ``gone`` the site has no such page; ``error`` nothing
#: answered, or the case or the machine is at fault.
Status: TypeAlias = Literal["ok", "drifted", "blocked", "gone", "error"]


class CaseChecked(Record):
    """What the reference steps of a case came to.

    ``then`` is what the case expects, ``now`` what was captured or, where nothing was, what the tool
    said; ``played`` is how many of the steps ran; ``nop_score`` is what an empty answer gets, which must
    be 0.
    """

    case: str
    status: Status
    score: int
    verified: bool
    nop_score: int
    then: str
    played: int = 0
    now: str = ""
    reasons: tuple[str, ...] = ()


def lint(case: Case, *, extended: bool = False) -> tuple[str, ...]:
    """What is doubtful in a case, one sentence each; nothing here keeps it from being run.

    Args:
        case: the case.
        extended: whether it belongs to a set in which every case names its difficulty.
    """
    return tuple(_lint(case, extended))


def _lint(case: Case, extended: bool) -> Iterator[str]:
    expected = expectation(case)
    own = match_answer(case.answer, expected, question=case.question)
    if not own.correct:
        yield f"answer: its own expectation does not take it. {own.explanation}"
    if match_answer(case.question, expected).correct:
        yield "question: it states the answer."
    unknown = sorted(set(re.split(r"[/+,]", case.category)) - CATEGORIES)
    if unknown:
        yield f"category: {', '.join(unknown)} is none of {', '.join(sorted(CATEGORIES))}."
    if not case.evidence_types:
        yield "evidence_types: none is named, so any evidence counts."
    if not case.context:
        yield "context: nothing is named, so the same value of another period or place would count."
    for item in case.context:
        if match_answer(item, expected).correct:
            yield f"context: {item!r} states the answer."
    if _needs_unit(case):
        yield "expect.unit: the answer has a unit, the expectation has none."
    yield from (
        f"expect.unit: this case's answer has no unit: '{item.value:f}' accepts any currency. "
        'Give its unit; "unit": "" says that it has none.'
        for item in _unitless(case)
    )
    if not case.language:
        yield "language: it is not given."
    if extended and not case.difficulty:
        yield "difficulty: it is not given."
    yield from _lint_oracle(case)


def _needs_unit(case: Case) -> bool:
    derived = expectation(case.model_copy(update={"expect": None}))
    given = expectation(case)
    return (
        isinstance(derived, NumberExpected)
        and isinstance(given, NumberExpected)
        and bool(derived.unit)
        and not given.unit
    )


def _unitless(case: Case) -> tuple[NumberExpected, ...]:
    """The numbers that are expected without a unit, where nobody wrote that they have none."""
    expected = expectation(case)
    items = expected.items if isinstance(expected, ListExpected) else (expected,)
    numbers = (item for item in items if isinstance(item, NumberExpected) and not item.unit)
    return tuple(item for item in numbers if case.expect is None or "unit" not in item.model_fields_set)


def _lint_oracle(case: Case) -> Iterator[str]:
    if case.oracle is None:
        yield "oracle: there is none, so nothing proves that the case can be solved."
        return
    template = _PLACEHOLDER.sub(" … ", case.oracle.answer)
    expected = expectation(case)
    items = expected.items if isinstance(expected, ListExpected) else (expected,)
    if any(match_answer(template, item, question=case.question).correct for item in items):
        yield "oracle.answer: it states the answer itself instead of {1}, so it would hide a changed page."
    if not answer_markers(case.oracle.answer):
        yield "oracle.answer: it has no marker such as [@v:1]."
    for number, step in enumerate(case.oracle.steps, start=1):
        url = step.arguments.get("source_url") or step.arguments.get("url")
        if isinstance(url, str) and site_of(url) != site_of(case.url):
            yield f"oracle.steps.{number}: {site_of(url)} is not the case's site {site_of(case.url)}."


def lint_all(cases: Sequence[Case], *, extended: bool = False) -> dict[str, tuple[str, ...]]:
    """The doubts about every case, by id, those about several of them included."""
    found = {case.id: list(lint(case, extended=extended)) for case in cases}
    first: dict[tuple[str, str], str] = {}
    for case in cases:
        key = (case.url, folded(case.question))
        if key in first:
            found[case.id].append(f"question: {first[key]} asks the same of the same page.")
        first.setdefault(key, case.id)
    return {name: tuple(doubts) for name, doubts in found.items()}


async def play_cases(
    settings: Settings, cases: Sequence[Case], mode: WebMode, watch: Callable[[CaseChecked], None]
) -> tuple[CaseChecked, ...]:
    """Play the reference steps and the empty answer of cases; the citations are thrown away afterwards.

    Raises:
        BrowserMissing: there is no Chromium.
        StoreError: the disk is full.
    """
    done: list[CaseChecked] = []
    with scratch_settings(settings) as own:
        async with open_workspace(own, mode) as workspace:
            for case in cases:
                done.append(await play_case(workspace, case))
                watch(done[-1])
    return tuple(done)


async def play_case(workspace: Workspace, case: Case) -> CaseChecked:
    """Play the reference steps and the empty answer of one case.

    Raises:
        BrowserMissing: there is no Chromium.
        StoreError: the disk is full.
    """
    task = Task.of(case)
    nop = await NopAgent().run(task, workspace.toolbox(), unwatched)
    nop_score = gated_score(facts_of(case, nop.answer, nop.citations))
    known = {"case": case.id, "nop_score": nop_score, "then": case.answer}
    try:
        outcome = await OracleAgent().run(task, workspace.toolbox(case.language), unwatched)
        evidence = evidence_of(outcome.citations, workspace.store)
    except InfrastructureError as error:
        return CaseChecked(**known, status="error", score=0, verified=False, reasons=(str(error),))
    verdict = verified_score(case, outcome.answer, evidence)
    score = gated_score(facts_of(case, outcome.answer, outcome.citations))
    whole = score == 100 and verdict.passed
    status: Status = "ok" if whole else _status(outcome)
    reasons = () if whole else ((outcome.error,) if outcome.error else verdict.reasons)
    if (
        not whole
        and workspace.web.mode == "live"
        and (refusal := await _opening(workspace, case.url)) is not None
    ):
        if isinstance(refusal, PageBlocked):
            status, reasons = "blocked", (*reasons, str(refusal))
        elif isinstance(refusal, PageNotLoaded) and not refusal.status:
            status = "error"  # nothing answered, which says nothing of the page
    return CaseChecked(
        **known,
        status=status,
        score=score,
        verified=verdict.passed,
        played=sum(isinstance(event, ToolEvent) and not event.error_code for event in outcome.events),
        now="; ".join(made.text for made in outcome.citations) or _last_reply(outcome),
        reasons=reasons,
    )


async def _opening(workspace: Workspace, url: str) -> ToolError | None:
    """Why the page of a case does not open as a citation opens it; None where it does."""
    try:
        async with workspace.browser.page(workspace.web) as session:
            await observe(session, url, (), AnchorRequest(evidence_type="text"))
    except ToolError as error:
        return error
    return None


def _status(outcome: AgentOutcome) -> Status:
    if not outcome.error:
        return "drifted"
    codes = [event.error_code for event in outcome.events if isinstance(event, ToolEvent)]
    code = codes[-1] if codes else ""
    if code in ("page_blocked", "url_refused"):
        return "blocked"
    if code in _GONE:
        return "gone"
    return "drifted" if code in _CHANGED else "error"


def _last_reply(outcome: AgentOutcome) -> str:
    replies = [event.result for event in outcome.events if isinstance(event, ToolEvent)]
    return " ".join(replies[-1].split())[:300] if replies else ""
