"""Scoring the saved trials of a run again, after the scorer or a case has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from verifaible.bench.cases.load import digest
from verifaible.bench.report.data import REGRADED
from verifaible.bench.reverify import evidence_of
from verifaible.bench.run.folder import RunFolder
from verifaible.errors import CitationNotFound, RunError
from verifaible.reporting.tables import Table, plain, row
from verifaible.runs.lines import Lines, usable
from verifaible.schema.base import Record
from verifaible.schema.case import Case
from verifaible.schema.run import (
    AgentOutcome,
    FailureReason,
    ModelEvent,
    RunInfo,
    ToolEvent,
    TrialResult,
    VerifiedScore,
)
from verifaible.scoring.failure_reasons import name_failure
from verifaible.scoring.gate import Gate, facts_of, gated_score
from verifaible.scoring.match import expectation, match_answer
from verifaible.scoring.verified import EvidenceFacts, verified_score
from verifaible.store.store import Store
from verifaible.version import __version__

#: Changed trials that a table lists; the JSON has all.
MAX_LISTED: Final = 200


class Change(Record):
    """A trial whose grade is another now: first what it was, then what it is; ``why`` in sentences."""

    model: str
    case: str
    trial: int
    old_score: int
    new_score: int
    old_verified: bool
    new_verified: bool
    old_failure: FailureReason
    new_failure: FailureReason
    why: tuple[str, ...] = ()


class Regrade(Record):
    """What regrading a run gave.

    Attributes:
        run: its id.
        version: the verifaible that scored again.
        gate: the gate of the new scores.
        trials: how many were scored again.
        changed_cases: cases whose text is not that of the run.
        unknown_cases: cases that are not there any more; their trials keep their grades.
        without_evidence: trials with a citation that is not in the store; they keep their verified score
            as far as their answer is right.
        changes: the trials whose score or verified score is another.
        renamed: how many trials have only another reason of failure.
        path: where the new results are.
    """

    run: str
    version: str
    gate: Gate
    trials: int
    changed_cases: tuple[str, ...]
    unknown_cases: tuple[str, ...]
    without_evidence: int
    changes: tuple[Change, ...]
    renamed: int
    path: str

    @property
    def difference(self) -> int:
        """New total less the old one."""
        return sum(each.new_score - each.old_score for each in self.changes)


class _Again(Record):
    """A trial scored again; ``missing`` if evidence of it is not in the store."""

    result: TrialResult
    missing: bool = False


def regrade(folder: RunFolder, cases: Mapping[str, Case], store: Store, gate: Gate | None = None) -> Regrade:
    """Score the trials of a run again and write ``regraded.jsonl``; its results stay as they are.

    The evidence is verified again from the store, as when the trial ended. A trial that the machine
    or the endpoint ended is scored by what it left, which is nothing.

    Args:
        folder: the run.
        cases: the cases as they are now, by id.
        store: with the citations of the run.
        gate: another gate than the run's.

    Raises:
        RunError: the run is damaged, holds no trial, or cannot be written to.
        StoreError: the store cannot be read.
    """
    info = folder.info()
    changed = tuple(name for name, was in info.cases.items() if name in cases and digest(cases[name]) != was)
    chosen: Gate = gate or info.gate
    changes: list[Change] = []
    trials = missing = renamed = 0
    results = folder.results()
    if not results:
        raise RunError(f"{folder.path} has no finished trial, so there is nothing to grade. Run it again.")
    with _rewritten(folder.path / REGRADED) as lines:
        for old in results:
            again = _again(folder, old, cases.get(old.case), store, chosen)
            lines.add(again.result)
            trials += 1
            missing += again.missing
            if (old.score, old.verified) != (again.result.score, again.result.verified):
                changes.append(_change(old, again.result))
            elif old.failure != again.result.failure:
                renamed += 1
    return Regrade(
        run=info.id,
        version=__version__,
        gate=chosen,
        trials=trials,
        changed_cases=changed,
        unknown_cases=_unknown(info, cases),
        without_evidence=missing,
        changes=tuple(changes),
        renamed=renamed,
        path=str(folder.path / REGRADED),
    )


@contextmanager
def _rewritten(path: Path) -> Iterator[Lines[TrialResult]]:
    """A file of lines that takes the place of the one before when it is whole."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield Lines(part, TrialResult, sparse=False)
        with usable(path):
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _again(folder: RunFolder, old: TrialResult, case: Case | None, store: Store, gate: Gate) -> _Again:
    if case is None:
        return _Again(result=old)
    evidence, missing = _evidence(old, store)
    facts = facts_of(case, old.answer, old.citations)
    if missing:
        # what cannot be looked at again is neither refuted nor held: the old finding stands
        passed = old.verified and facts.answer_correct
        reasons = ("Evidence of this trial is not in the store, so it was not verified again.",)
        verdict = VerifiedScore(passed=passed, reasons=() if passed else (*old.verified_reasons, *reasons))
    else:
        verdict = verified_score(case, old.answer, evidence)
    stated = match_answer(old.answer, expectation(case), question=case.question).stated
    outcome = AgentOutcome(
        answer=old.answer,
        citations=old.citations,
        rounds=old.rounds,
        tool_calls=old.tool_calls,
        events=tuple(_events(folder, old)),
        ended_by=old.ended_by,
    )
    update = {
        "category": case.category,
        "language": case.language,
        "difficulty": case.difficulty,
        "score": gated_score(facts, gate),
        "verified": verdict.passed,
        "facts": facts,
        "verified_reasons": verdict.reasons,
        "unreviewed": verdict.unreviewed,
        "failure": name_failure(case, outcome, facts, verdict, stated),
    }
    return _Again(result=old.model_copy(update=update), missing=missing)


def _evidence(result: TrialResult, store: Store) -> tuple[tuple[EvidenceFacts, ...], bool]:
    """The evidence of a trial, and whether some of it is not in the store."""
    found: list[EvidenceFacts] = []
    for made in result.citations:
        try:
            found += evidence_of((made,), store)
        except CitationNotFound:
            return (), True
    return tuple(found), False


def _events(folder: RunFolder, result: TrialResult) -> Iterator[ModelEvent | ToolEvent]:
    """What happened in a trial; nothing where its transcript is gone, which only makes reasons coarser."""
    try:
        yield from folder.transcript(result.key).events
    except RunError:
        return


def _unknown(info: RunInfo, cases: Mapping[str, Case]) -> tuple[str, ...]:
    return tuple(name for name in info.cases if name not in cases)


def _change(old: TrialResult, new: TrialResult) -> Change:
    return Change(
        model=old.model,
        case=old.case,
        trial=old.trial,
        old_score=old.score,
        new_score=new.score,
        old_verified=old.verified,
        new_verified=new.verified,
        old_failure=old.failure,
        new_failure=new.failure,
        why=new.verified_reasons[:3] if not new.verified else old.verified_reasons[:3],
    )


def regrade_table(found: Regrade) -> Table:
    """The changed trials."""
    rows = tuple(
        row(
            plain(f"{each.model}, {each.case}, trial {each.trial}"),
            f"{each.old_score} → {each.new_score}",
            f"{_yes(each.old_verified)} → {_yes(each.new_verified)}",
            f"{_named(each.old_failure)} → {_named(each.new_failure)}",
            plain(" ".join(each.why)),
        )
        for each in found.changes[:MAX_LISTED]
    )
    note = (
        f"{found.trials} trials graded again, {len(found.changes)} graded otherwise, {found.renamed} more "
        f"with another reason; the total changes by {found.difference:+d}. Gate: {found.gate}."
    )
    if len(found.changes) > MAX_LISTED:
        note += f" The first {MAX_LISTED} are shown; --json has all."
    if found.changed_cases:
        note += f" Cases with another text now: {', '.join(found.changed_cases)}."
    if found.unknown_cases:
        note += f" Not there any more, grades kept: {', '.join(found.unknown_cases)}."
    if found.without_evidence:
        note += (
            f" {found.without_evidence} trials have evidence that is not in the store: not verified again."
        )
    return Table(
        title=f"Regraded: {plain(found.run)}",
        columns=("Trial", "Score", "Verified", "Reason", "Why"),
        rows=rows,
        note=note,
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _named(failure: FailureReason) -> str:
    return failure.replace("_", " ") or "-"
