"""What is wrong with a run that has ended: lost or doubled trials, other verdicts, spend, an unsound store.

It reads the run's files and the store by itself, line by line: what the run folder's own reader passes over
(a damaged line, the earlier of two) is a finding here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from verifaible.bench.run_dir import RunFolder
from verifaible.errors import VerifaibleError
from verifaible.evidence.audit import audit
from verifaible.runs.spend import SpendLine
from verifaible.schema.chat import Usage
from verifaible.schema.run import TrialKey, TrialResult
from verifaible.store.store import Store

#: Endings that are no result: a continued run does the trial again.
_NO_RESULT = ("infrastructure", "model_error")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a trial came to: its score, whether its evidence was verified, and its answer."""

    score: int
    verified: bool
    answer: str

    @classmethod
    def of(cls, result: TrialResult) -> Verdict:
        """That of a line of results."""
        return cls(result.score, result.verified, result.answer)


@dataclass(slots=True)
class Findings:
    """What is wrong, a sentence each, by kind.

    Attributes:
        lost: planned trials without a result, or results without their transcript or evidence.
        doubled: trials that count twice, and trials that nobody planned.
        changed: trials with another verdict than undisturbed.
        spend: model calls that are counted wrongly.
        unsound: damaged lines, and faults of the store and its log.
        left: processes that are still running.
    """

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    spend: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def all(self) -> list[str]:
        """Every sentence, with its kind."""
        return [
            f"{kind}: {each}"
            for kind in ("lost", "doubled", "changed", "spend", "unsound", "left")
            for each in getattr(self, kind)
        ]


def judge(
    run: Path,
    expected: Mapping[TrialKey, Verdict],
    store: Store,
    served: Mapping[TrialKey, int] | None = None,
) -> Findings:
    """What is wrong with a run.

    Args:
        run: its folder.
        expected: every planned trial, with the verdict that it has in an undisturbed run.
        store: that of the run; all of it is verified.
        served: calls that the model's endpoint answered, by trial; its number there is always 1, since an
            endpoint does not know it. None: the run asked no model.
    """
    found = Findings()
    lines = _lines(run / "results.jsonl", found)
    _trials(lines, expected, found)
    _kept(run, lines, store, found)
    if served is not None:
        _spend(run, lines, served, found)
    try:
        told = audit(store)
        found.unsound += [*told.faults, *(f"{each.citation_id}: {each.message}" for each in told.failed)]
    except VerifaibleError as error:
        found.unsound.append(str(error))
    return found


def _lines(path: Path, found: Findings) -> list[TrialResult]:
    """The lines of a file of results; those that cannot be read are findings."""
    lines: list[TrialResult] = []
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True) if path.exists() else [], 1):
        try:
            lines.append(TrialResult.model_validate_json(line))
        except ValidationError as error:
            found.unsound.append(f"{path.name}, line {number} is damaged: {error.errors()[0]['msg']}")
        else:
            if not line.endswith(b"\n"):
                found.unsound.append(f"{path.name}, line {number} does not end.")
    return lines


def _trials(lines: Sequence[TrialResult], expected: Mapping[TrialKey, Verdict], found: Findings) -> None:
    by_trial: dict[TrialKey, list[TrialResult]] = {}
    for line in lines:
        by_trial.setdefault(line.key, []).append(line)
    for key, verdict in expected.items():
        of_trial = by_trial.pop(key, [])
        counted = [line for line in of_trial if line.ended_by not in _NO_RESULT]
        if not counted:
            why = of_trial[-1].error if of_trial else "no line"
            found.lost.append(f"{_named(key)} ({why})")
            continue
        if len(counted) > 1 or of_trial[-1] is not counted[0]:
            found.doubled.append(f"{_named(key)} has {len(of_trial)} lines, {len(counted)} of them count")
        if Verdict.of(counted[-1]) != verdict:
            found.changed.append(
                f"{_named(key)}: {verdict} -> {Verdict.of(counted[-1])}, {counted[-1].error}"
            )
    found.doubled += [f"{_named(key)} was not planned" for key in by_trial]


def _kept(run: Path, lines: Sequence[TrialResult], store: Store, found: Findings) -> None:
    """Each result's transcript and evidence must be there, and say the same."""
    folder = RunFolder(run)
    for line in {line.key: line for line in lines}.values():
        try:
            if folder.transcript(line.key).answer != line.answer:
                found.lost.append(f"the transcript of {_named(line.key)} is of another attempt")
            for citation in line.citations:
                store.get(citation.id)
        except VerifaibleError as error:
            found.lost.append(f"{_named(line.key)}: {error}")


def _spend(run: Path, lines: Sequence[TrialResult], served: Mapping[TrialKey, int], found: Findings) -> None:
    """Every call that the endpoint answered is written down, once, and with those that a kill left open."""
    calls: dict[TrialKey, set[str]] = {}
    paid: dict[TrialKey, list[SpendLine]] = {}
    for text in (run / "spend.jsonl").read_text(encoding="utf-8").splitlines():
        line = SpendLine.model_validate(json.loads(text))
        key = TrialKey(model=line.model, case=line.case, trial=1)
        calls.setdefault(key, set()).add(line.call)
        if line.usage is not None:
            paid.setdefault(key, []).append(line)
    twice = Counter(line.call for each in paid.values() for line in each)
    found.spend += [f"call {name} is counted {times} times" for name, times in twice.items() if times > 1]
    told: dict[TrialKey, Usage] = {}
    for result in {line.key: line for line in lines}.values():
        key = result.key.model_copy(update={"trial": 1})
        own = Usage(input_tokens=result.input_tokens, output_tokens=result.output_tokens)
        told[key] = told.get(key, Usage()) + own + (result.lost_usage or Usage())
    for key in served.keys() | calls.keys() | told.keys():
        answered = [line for line in paid.get(key, ()) if line.usage is not None and line.usage.input_tokens]
        unanswered = len(calls.get(key, ())) - len(paid.get(key, ()))
        if not len(answered) <= served.get(key, 0) <= len(answered) + unanswered:
            found.spend.append(
                f"{_named(key)}: the endpoint answered {served.get(key, 0)} calls; {len(answered)} are "
                f"written down with their cost, {unanswered} as open"
            )
        tokens = sum(line.usage.input_tokens for line in answered if line.usage is not None)
        if told.get(key, Usage()).input_tokens > tokens:
            found.spend.append(f"{_named(key)}: its results tell of more tokens than were written down")


def _named(key: TrialKey) -> str:
    return f"{key.model} {key.case} {key.trial}"
