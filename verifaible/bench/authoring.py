"""For authors of cases: proving them on a web, recording their pages, a case from a citation, a grade."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import ValidationError

from verifaible.agent.base import Task, unwatched
from verifaible.agent.oracle import NopAgent, OracleAgent
from verifaible.archive.recording import Recorder, Written, archive_of
from verifaible.archive.urls import site_of
from verifaible.bench.cases import lint_all, load_cases, select
from verifaible.bench.trial import evidence_of
from verifaible.config import Settings
from verifaible.errors import (
    CaseError,
    InfrastructureError,
    PageBlocked,
    PageNotLoaded,
    RunError,
    ToolError,
    UserError,
)
from verifaible.evidence.observe import observe
from verifaible.net.robots import robots_of
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.base import Record
from verifaible.schema.case import Case
from verifaible.schema.citation import Citation, WebMode
from verifaible.schema.run import AgentOutcome, ToolEvent, TrialCitation
from verifaible.scoring.gate import facts_of, gated_score
from verifaible.scoring.match import answer_markers, expectation, match_answer, match_evidence
from verifaible.scoring.verified import verified_score
from verifaible.store.store import Store
from verifaible.text.dates import dates_matching, find_dates, is_date
from verifaible.text.language import language_of
from verifaible.tools.cite import CiteArguments
from verifaible.tools.workspace import Workspace, open_workspace, scratch_settings

_LONGEST_ID: Final = 80
#: Between two pages of a host: a slow reader's pace.
DELAY_S: Final = 3.0
#: In characters, for whoever pipes a page instead of an answer; an answer has a few hundred.
MAX_ANSWER_LENGTH: Final = 200_000
#: A page of the live web that failed once is often there a moment later.
ATTEMPTS: Final = 2
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


# --- proving


async def play_cases(
    settings: Settings,
    cases: Sequence[Case],
    mode: WebMode,
    watch: Callable[[CaseChecked], None],
    *,
    recorder: Recorder | None = None,
) -> tuple[CaseChecked, ...]:
    """Play the reference steps and the empty answer of cases; the citations are thrown away afterwards.

    Args:
        settings: limits and paths.
        cases: in the order in which they are played.
        mode: the web; ``record`` needs a recorder.
        watch: told what came of each.
        recorder: keeps what cases loaded that are ok, and nothing of the others.

    Raises:
        BrowserMissing: there is no Chromium.
        StoreError: the disk is full.
    """
    done: list[CaseChecked] = []
    with scratch_settings(settings) as own:
        async with open_workspace(own, mode, recorder=recorder) as workspace:
            for case in cases:
                mark = recorder.mark() if recorder is not None else 0
                for _ in range(1 if recorder is None else ATTEMPTS):
                    if (played := await play_case(workspace, case)).status == "ok":
                        break
                    if recorder is not None:  # what it has loaded would answer instead of the next attempt
                        recorder.back_to(mark)
                done.append(played)
                watch(played)
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
        if workspace.web.recorder is not None and (robots := await robots_of(case.url, workspace.web)):
            robots.require(case.url)
        outcome = await OracleAgent().run(task, workspace.toolbox(case.language), unwatched)
        evidence = evidence_of(outcome.citations, workspace.store)
    except InfrastructureError as error:
        return CaseChecked(**known, status="error", score=0, verified=False, reasons=(str(error),))
    except PageBlocked as error:
        return CaseChecked(**known, status="blocked", score=0, verified=False, reasons=(str(error),))
    verdict = verified_score(case, outcome.answer, evidence)
    score = gated_score(facts_of(case, outcome.answer, outcome.citations))
    whole = score == 100 and verdict.passed
    status: Status = "ok" if whole else _status(outcome)
    reasons = () if whole else ((outcome.error,) if outcome.error else verdict.reasons)
    if not whole and not workspace.offline and (refusal := await _opening(workspace, case.url)) is not None:
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


class CasesChecked(Record):
    """Cases, the doubts about each by its id, and what the steps of those that were played came to."""

    cases: tuple[Case, ...]
    doubts: dict[str, tuple[str, ...]]
    played: tuple[CaseChecked, ...] = ()

    def as_json(self) -> list[dict[str, Any]]:
        """For programs: what is listed of each case."""
        by_case = {each.case: each.model_dump(mode="json") for each in self.played}
        return [
            {
                "case": case.id,
                "category": case.category,
                "question": case.question,
                "doubts": list(self.doubts[case.id]),
                "played": by_case.get(case.id),
            }
            for case in self.cases
        ]


async def check_cases(
    settings: Settings,
    source: Path,
    ids: Collection[str],
    web: Literal["live", "offline"] | None,
    *,
    record: bool,
    watch: Callable[[CaseChecked], None],
    say: Callable[[str], None],
) -> CasesChecked:
    """Load cases, tell what is doubtful, and play their reference steps where a web is named.

    Raises:
        CaseError: a file has faults; names each.
        BrowserMissing: there is no Chromium.
    """
    every = load_cases(source, settings.cases_dir)
    cases = select(every, ids=ids)
    doubts = lint_all(cases, extended="extended" in (source.name, source.parent.name))
    if web is None:
        return CasesChecked(cases=cases, doubts=doubts)
    if web == "live" and "host_delay_s" not in settings.model_fields_set:
        settings = settings.model_copy(update={"host_delay_s": DELAY_S})
    if not record:
        return CasesChecked(cases=cases, doubts=doubts, played=await play_cases(settings, cases, web, watch))
    with Recorder(settings.secrets) as recorder:
        played = await play_cases(settings, cases, "record", watch, recorder=recorder)
        proven = {each.case for each in played if each.status == "ok"}
        await asyncio.to_thread(write_recorded, settings, recorder, every, proven, say)
    return CasesChecked(cases=cases, doubts=doubts, played=played)


# --- recording


def write_recorded(
    settings: Settings,
    recorder: Recorder,
    cases: Sequence[Case],
    proven: Collection[str],
    say: Callable[[str], None],
) -> tuple[Written, ...]:
    """Put recordings in the place of replicas, site by site, where every case of a site is proven.

    Args:
        settings: limits and paths.
        recorder: has what the proven cases loaded.
        cases: all cases that there are: an archive has to hold those of its site.
        proven: ids of the cases whose reference steps have just come to full score.
        say: is told how it goes.

    Raises:
        StoreError: the disk is full.
    """
    targets: dict[str, Path] = {}
    for site in dict.fromkeys(site_of(case.url) for case in cases if case.id in proven):
        lacking = [case.id for case in cases if site_of(case.url) == site and case.id not in proven]
        if lacking:
            say(f"{site}: not recorded, because these cases are not ok: {', '.join(lacking)}.")
        elif site in recorder.sites:
            targets[site] = archive_of(settings.sites_dir, site)
    for site in recorder.sites if targets else ():  # where steps went that began on another site
        path = archive_of(settings.sites_dir, site)
        if site not in targets and not path.exists() and site not in {site_of(case.url) for case in cases}:
            targets[site] = path
    signer = Store.open(settings).signer
    written = recorder.write_to(targets, signer=signer) if targets else ()
    for one in written:
        say(f"Recorded: {one.path}{f', in place of a {one.replaced}' if one.replaced else ''}.")
    return written


# --- a case from a citation


def case_of(citation: Citation, question: str, answer: str, *, case_id: str = "") -> Case:
    """The case that a question makes with a citation that answers it.

    The reference steps make the citation again. The context is what of the question's dates stands in the
    evidence, as it is written there.

    Args:
        citation: what proves the answer.
        question: what the case asks.
        answer: the answer as a person would write it.
        case_id: id of the case; empty: from the host and the citation's id.

    Raises:
        RunError: the citation does not state the answer.
        CaseError: question and answer make no case.
    """
    kind, shown = citation.evidence_type, citation.shown.text
    asked = (mention.raw for mention in find_dates(question) if is_date(mention.raw))
    written = (mention.raw for raw in asked for mention in dates_matching(shown, raw))
    words = re.sub(r"[^a-z0-9]+", "_", (urlsplit(citation.source_url).hostname or "case").lower())
    fields = {
        "id": case_id or f"{words.removeprefix('www_')}_{citation.id[:6]}"[-_LONGEST_ID:].strip("_"),
        "category": f"dynamic+{kind}" if citation.steps else kind,
        "language": language_of("", question),
        "url": citation.source_url,
        "question": question,
        "answer": answer,
        "evidence_types": [kind],
        "context": list(dict.fromkeys(written)),
        "oracle": {
            "steps": [{"tool": "verifaible_cite", "arguments": CiteArguments.given_for(citation)}],
            "answer": "{1} [@v:1]",
        },
    }
    try:
        case = Case.model_validate(fields)
    except ValidationError as error:
        faults = (
            (".".join(map(str, fault["loc"])) or "case", fault["msg"].removeprefix("Value error, "))
            for fault in error.errors(include_url=False)
        )
        raise CaseError([f"{where}: {said}" for where, said in faults]) from error
    anchor = citation.anchor
    stated = match_evidence(anchor.text, expectation(case), question=question, around=anchor.around)
    if not stated.correct:
        raise RunError(
            f"Citation {citation.id} does not state {answer!r}; it has: {anchor.text[:200]!r}. Cite the "
            "place that states the answer, or correct --answer."
        )
    return case


def write_case(case: Case, path: Path) -> None:
    """Write a case as a new file.

    Raises:
        RunError: the file is there already, or cannot be written.
    """
    data = case.model_dump(mode="json", exclude_defaults=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(f"{json.dumps(data, ensure_ascii=False, indent=2)}\n")
    except FileExistsError:
        raise RunError(f"{path} already exists and was not changed. Give another --id or --output.") from None
    except OSError as error:
        raise RunError(f"{path} cannot be written ({error.strerror}). Give another --output.") from error


# --- a grade


class Grade(Record):
    """The grade of an answer text alone, without a trial.

    ``score`` is the gated score of the text alone; ``score_with_citation`` what it would be if its
    markers belonged to citations of an accepted type.
    """

    case: str
    answer_correct: bool
    expected: str
    explanation: str
    read_instead: tuple[str, ...] = ()
    markers: tuple[int, ...] = ()
    score: int
    score_with_citation: int


def grade(case: Case, answer: str) -> Grade:
    """Grade an answer by its text: the score it would get alone, and with fitting evidence.

    Raises:
        UserError: the answer is longer than :data:`MAX_ANSWER_LENGTH`.
    """
    if len(answer) > MAX_ANSWER_LENGTH:
        raise UserError(
            f"The answer has {len(answer):,} characters; grade takes at most {MAX_ANSWER_LENGTH:,}."
            " Give the answer alone, without the pages it was read from."
        )
    expected = expectation(case)
    match = match_answer(answer, expected, question=case.question)
    markers = answer_markers(answer)
    fitting = tuple(
        TrialCitation(
            number=number,
            id="hypothetical",
            evidence_type=(case.evidence_types or ("text",))[0],
            source_url=case.url,
            text="",
        )
        for number in (markers or (1,))
    )
    return Grade(
        case=case.id,
        answer_correct=match.correct,
        expected=expected.model_dump_json(exclude_defaults=True),
        explanation=match.explanation,
        read_instead=match.stated,
        markers=markers,
        score=gated_score(facts_of(case, answer, ())),
        score_with_citation=gated_score(facts_of(case, answer, fitting)),
    )
