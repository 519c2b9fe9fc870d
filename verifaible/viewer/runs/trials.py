"""One trial of a run, as its pages show it: the case, the result, the citations and the steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from verifaible.bench.cases.load import digest, load_cases
from verifaible.errors import CaseError, CitationNotFound, RunError
from verifaible.viewer.runs.timeline import STEPS_A_PAGE, Step, timeline, visible

if TYPE_CHECKING:
    from verifaible.bench.run.folder import Transcript
    from verifaible.schema.base import EvidenceType
    from verifaible.schema.run import RunInfo, TrialCitation, TrialResult
    from verifaible.viewer.runs.reading import Run, RunLine
    from verifaible.viewer.state import House

#: What cannot stand in the name of a transcript's file.
_NO_NAME = frozenset("/\\\0")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a case wanted; everything is empty where its file is not there, or is of another text now.

    Attributes:
        known: whether the case is the one that the run had.
        question: as the case has it.
        answer: the expected one.
        kinds: of evidence that count; empty: any.
        url: of the page that the case is about.
    """

    known: bool = False
    question: str = ""
    answer: str = ""
    kinds: tuple[EvidenceType, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation of a trial; ``held`` if the store of this viewer has it."""

    made: TrialCitation
    held: bool


@dataclass(frozen=True, slots=True)
class Told:
    """A trial as its page shows it.

    Attributes:
        result: its line.
        cited: its citations.
        asked: what the case wanted.
        question: as the transcript has it; that of the case where there is none.
        steps: of the attempt that counts, those of this page.
        lost: of the attempts before it, likewise.
        count: steps of the longer of the two.
        before: address of the trial before it in the run; empty: it is the first.
        behind: likewise of the next.
        fault: why the transcript cannot be read; empty where it can.
    """

    result: TrialResult
    cited: tuple[Cited, ...]
    asked: Asked
    question: str
    steps: tuple[Step, ...] = ()
    lost: tuple[Step, ...] = ()
    count: int = 0
    before: str = ""
    behind: str = ""
    fault: str = ""


def trial_address(line: RunLine, model: str, case: str, trial: int, page: str = "trial") -> str:
    """The address of a trial's page, or of its ``answer``."""
    query = {"model": model, "case": case, "trial": trial}
    return f"{line.address}/{page}?{urlencode(query)}"


def result_of(run: Run, wanted: Mapping[str, str]) -> tuple[TrialResult, ...]:
    """The trial that an address names, if there is one.

    Args:
        run: whose trial.
        wanted: the query of the address: ``model``, ``case`` and ``trial``.
    """
    key = (wanted.get("model", ""), wanted.get("case", ""), wanted.get("trial", ""))
    return tuple(each for each in run.results if (each.model, each.case, str(each.trial)) == key)[:1]


def told_of(house: House, run: Run, result: TrialResult, *, start: int, whole: str) -> Told:
    """Everything that the page of a trial shows.

    Args:
        house: whose run.
        run: the run.
        result: one of its trials.
        start: how many steps are passed over.
        whole: name of the step whose texts are not cut.
    """
    cited, asked = cited_of(house, result), asked_of(house, run.info, result.case)
    before, behind = _neighbours(run, result)
    try:
        transcript = _transcript(run, result)
    except RunError as fault:
        return Told(
            result, cited, asked, asked.question, before=before, behind=behind, fault=visible(str(fault))
        )
    ids = {each.made.number: each.made.id for each in cited if each.held}
    steps = timeline(transcript.events, ids, whole=whole)
    lost = timeline(transcript.lost_events, {}, prefix="lost", whole=whole)
    return Told(
        result,
        cited,
        asked,
        transcript.question,
        steps=steps[start : start + STEPS_A_PAGE],
        lost=lost[start : start + STEPS_A_PAGE],
        count=max(len(steps), len(lost)),
        before=before,
        behind=behind,
    )


def question_of(house: House, run: Run, result: TrialResult) -> str:
    """What a trial was asked; empty where neither its transcript nor its case can be read."""
    try:
        return _transcript(run, result).question
    except RunError:
        return asked_of(house, run.info, result.case).question


def cited_of(house: House, result: TrialResult) -> tuple[Cited, ...]:
    """The citations of a trial, and which of them the viewer's store has."""
    return tuple(Cited(each, _held(house, each.id)) for each in result.citations)


def asked_of(house: House, info: RunInfo, case: str) -> Asked:
    """What a case wanted, if its file still is the one that the run had."""
    file = house.settings.cases_dir / f"{case}.json"
    try:
        if file.name not in {each.name for each in house.settings.cases_dir.glob("*.json")}:
            return Asked()
        found = load_cases(file)[0]
    except (CaseError, OSError):
        return Asked()
    if digest(found) != info.cases.get(case):
        return Asked()
    return Asked(True, found.question, found.answer, found.evidence_types, found.url)


def _held(house: House, citation_id: str) -> bool:
    try:
        return house.store.full_id(citation_id) == citation_id
    except CitationNotFound:
        return False


def _transcript(run: Run, result: TrialResult) -> Transcript:
    """The transcript of a trial.

    Raises:
        RunError: it is not there or damaged, or its name leads elsewhere.
    """
    if _NO_NAME & set(result.case):
        raise RunError(f"The case {result.case!r} is no name of a case. Run the bench again.")
    return run.folder.transcript(result.key)


def _neighbours(run: Run, result: TrialResult) -> tuple[str, str]:
    """The addresses of the trials of the same model before and behind this one."""
    same = [each for each in run.results if each.model == result.model]
    at = same.index(result)
    before = _address(run, same[at - 1]) if at else ""
    return before, _address(run, same[at + 1]) if at + 1 < len(same) else ""


def _address(run: Run, result: TrialResult) -> str:
    return trial_address(run.line, result.model, result.case, result.trial)
