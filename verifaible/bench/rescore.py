"""Scoring the trials of a run again, after a case or the scorer has changed: the scores are a new run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from verifaible.bench.cases import digest
from verifaible.bench.run_dir import RunFolder, Transcript
from verifaible.bench.trial import scored
from verifaible.errors import CitationNotFound, RunError
from verifaible.schema.base import Record
from verifaible.schema.case import Case
from verifaible.schema.run import AgentOutcome, TrialResult
from verifaible.scoring.gate import Gate
from verifaible.store.store import Store
from verifaible.version import __version__


class Rescored(Record):
    """What scoring a run again gave.

    Attributes:
        run: id of the run with the new scores, in ``path``.
        of: id of the run that was scored again.
        gate: the gate of the new scores.
        trials: how many were scored again.
        changed: the trials whose score or verified score is another now, as ``model, case, trial: 40 → 0``.
        changed_cases: cases whose text is not that of the first run.
        unknown_cases: cases that are not there any more; their trials keep their scores.
        without_evidence: trials with a citation that is not in the store; they keep their verified score
            as far as their answer is right.
        difference: new total less the old one.
    """

    run: str
    of: str
    path: str
    gate: Gate
    trials: int
    changed: tuple[str, ...]
    changed_cases: tuple[str, ...]
    unknown_cases: tuple[str, ...]
    without_evidence: int
    difference: int


def rescore(
    folder: RunFolder, runs: Path, cases: Mapping[str, Case], store: Store, gate: Gate | None = None
) -> Rescored:
    """Score the trials of a run again and write them as a new run; the first one stays as it is.

    The evidence is verified again from the store, as when the trial ended. A trial that the machine
    or the endpoint ended is scored by what it left, which is nothing.

    Args:
        folder: the run.
        runs: where the new run folder is made.
        cases: the cases as they are now, by id.
        store: with the citations of the run.
        gate: another gate than the run's.

    Raises:
        RunError: the run is damaged, holds no trial, or the new one cannot be written.
        StoreError: the store cannot be read.
    """
    info, results = folder.info(), folder.results()
    if not results:
        raise RunError(f"{folder.path} has no finished trial, so there is nothing to score. Run it again.")
    chosen: Gate = gate or info.gate
    target = RunFolder.create(runs, info.models)
    now = {name: digest(cases[name]) if name in cases else was for name, was in info.cases.items()}
    told = {"id": target.path.name, "rescored": info.id, "version": __version__, "gate": chosen, "cases": now}
    target.write_info(info.model_copy(update={**told, "finished_at": datetime.now(UTC)}))
    for name in ("prompt.json", "spend.jsonl"):
        if (folder.path / name).is_file():
            shutil.copyfile(folder.path / name, target.path / name)
    changed: list[str] = []
    missing = difference = 0
    for old in results:
        kept = _transcript(folder, old)
        new, whole = _again(old, kept, cases.get(old.case), store, chosen)
        target.add(new, kept)
        missing += not whole
        difference += new.score - old.score
        if (old.score, old.verified) != (new.score, new.verified):
            changed.append(f"{old.model}, {old.case}, trial {old.trial}: {_grade(old)} → {_grade(new)}")
    return Rescored(
        run=target.path.name,
        of=info.id,
        path=str(target.path),
        gate=chosen,
        trials=len(results),
        changed=tuple(changed),
        changed_cases=tuple(name for name, was in info.cases.items() if now[name] != was),
        unknown_cases=tuple(name for name in info.cases if name not in cases),
        without_evidence=missing,
        difference=difference,
    )


def _again(
    old: TrialResult, kept: Transcript, case: Case | None, store: Store, gate: Gate
) -> tuple[TrialResult, bool]:
    """A trial scored again, and whether all of its evidence is in the store."""
    if case is None:
        return old, True
    outcome = AgentOutcome(
        answer=old.answer,
        citations=old.citations,
        rounds=old.rounds,
        tool_calls=old.tool_calls,
        events=kept.events,
        ended_by=old.ended_by,
    )
    try:
        return scored(old, outcome, case, store, gate), True
    except CitationNotFound:
        return scored(old, outcome, case, store, gate, lost_evidence=True), False


def _transcript(folder: RunFolder, result: TrialResult) -> Transcript:
    """The transcript of a trial; where it is gone, one without events, which only makes reasons coarser."""
    try:
        return folder.transcript(result.key)
    except RunError:
        return Transcript(**result.key.model_dump(), question="", answer=result.answer)


def _grade(result: TrialResult) -> str:
    return f"{result.score} {'verified' if result.verified else 'not verified'}"
