"""The appendices of a report: the matrix of scores, why trials failed, and the trials one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from verifaible.bench.report.summary import is_error
from verifaible.bench.report.tables import Findings
from verifaible.reporting.tables import PUBLISHED, Cell, Table, plain, row
from verifaible.schema.run import TrialResult
from verifaible.scoring import published
from verifaible.scoring.failure_reasons import FAILURES

#: Trials that are listed one by one; a report of thousands names the rest by their number.
MAX_LISTED: Final = 200


def trials_of(found: Findings) -> dict[tuple[str, str], list[TrialResult]]:
    """The trials of each case by each model."""
    trials: dict[tuple[str, str], list[TrialResult]] = {}
    for result in found.pool.results:
        trials.setdefault((result.case, result.model), []).append(result)
    return trials


def matrix(found: Findings) -> Table:
    """Every score (seed, appendix A)."""
    models = [one.model for one in found.summaries]
    trials = trials_of(found)
    printed = {case.case: case.scores for case in published.CASES if found.published}
    rows = [
        row(
            plain(case),
            *(_trials(trials.get((case, model), ())) for model in models),
            *(str(score) for score in printed.get(case, ("-",) * len(found.published))),
        )
        for case in found.cases
    ]
    columns = (*map(plain, models), *(f"{model.name} ({PUBLISHED})" for model in found.published))
    return Table(
        title="Scores",
        columns=("Case", *columns),
        rows=tuple(rows),
        note="✓: verified. !: ended by an error of the machine or the endpoint.",
    )


def _cell(trial: TrialResult) -> str:
    return f"{trial.score}{' ✓' if trial.verified else ''}{' !' if is_error(trial) else ''}"


def _trials(trials: Sequence[TrialResult]) -> Cell:
    """The trials of a case; of many how often each outcome came."""
    if not trials:
        return Cell(text="-")
    scores, told = [each.score for each in trials], list(map(_cell, trials))
    mark = "full" if min(scores) == 100 else "none" if max(scores) == 0 else "part"
    if len(told) <= 5:
        return Cell(text=", ".join(told), mark=mark)
    counts = Counter(told).most_common()
    return Cell(text=", ".join(f"{count} × {cell}" for cell, count in counts), mark=mark)


def failures(found: Findings) -> Table:
    """How often each reason came (seed, appendix B)."""
    reasons = [reason for reason in FAILURES if any(reason in one.failures for one in found.summaries)]
    rows = [
        row(
            reason.replace("_", " "),
            FAILURES[reason],
            *(str(one.failures.get(reason, 0)) for one in found.summaries),
        )
        for reason in reasons
    ]
    return Table(
        title="Failures",
        columns=("Reason", "Meaning", *(plain(one.model) for one in found.summaries)),
        rows=tuple(rows),
        note="Named by rules over each trial's record: the first reason, from the outside in.",
    )


def not_verified(found: Findings) -> tuple[list[str], int]:
    """A line for each trial that is not verified, and how many more there are."""
    lost = [result for result in found.pool.results if not result.verified]
    return [_line(result) for result in lost[:MAX_LISTED]], max(0, len(lost) - MAX_LISTED)


def _line(result: TrialResult) -> str:
    reasons = [result.error or "", *result.verified_reasons]
    if result.ended_by not in ("answer", "infrastructure", "model_error"):
        reasons.insert(0, f"Ended by its limit of {result.ended_by}.")
    shown = " ".join(dict.fromkeys(plain(reason) for reason in reasons if reason))
    named = f" ({result.failure.replace('_', ' ')})" if result.failure else ""
    return (
        f"{plain(result.model)}, {plain(result.case)}, trial {result.trial}: {result.score}{named}. {shown}"
    )
