"""The report of one or several runs: as Markdown, for the terminal, and as JSON.

The HTML page is drawn from the same tables by :mod:`verifaible.bench.report.page`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from verifaible.bench.report.data import RunData, pool
from verifaible.bench.report.summary import is_error, summarise
from verifaible.bench.report.tables import Findings, rate, score_tables
from verifaible.bench.report.usage import same_cases, token_details, usage_tables
from verifaible.reporting.tables import PUBLISHED, Cell, Table, drawn, escaped, markdown_page, plain, row
from verifaible.schema.run import RunInfo, TrialResult
from verifaible.scoring import published
from verifaible.scoring.failure_reasons import FAILURES
from verifaible.scoring.published import CASES, SOURCE, published_scores

if TYPE_CHECKING:
    from rich.console import RenderableType


_WEB = {
    "offline": (
        "Pages came from the offline archives. Archives marked synthetic are replicas: written by hand, "
        "not recorded from the real sites."
    ),
    "live": "Pages came from the live web on the day of the run.",
    "record": "Pages came from the live web on the day of the run and were recorded.",
}
HASHES: Final = (
    "A hash proves that the bytes of a capture have not changed since they were captured. It does not "
    "prove that the server told the truth."
)
NOT_OURS: Final = (
    f"Rows marked “{PUBLISHED}” are copied from the report of February 2026; they were not measured here."
)
RESTATED: Final = (
    "The cases restate the questions of the public set, so the published models do not stand beside these "
    "figures. They do for the public set itself (--cases testset.json), or with --published."
)


def findings(runs: Sequence[RunData], *, published: bool = False) -> Findings:
    """Reckon everything that a report of these runs shows.

    Args:
        runs: one or several.
        published: show the published models beside other cases too.

    Raises:
        RunError: a run was given twice.
    """
    pooled = pool(runs)
    return Findings(pooled, summarise(pooled.results, pooled.spend), published)


def findings_of(results: Sequence[TrialResult], info: RunInfo) -> Findings:
    """The same of trials that are in memory."""
    return findings([RunData(Path(), info, tuple(results), {})])


def title(found: Findings) -> str:
    """``Run X``, or ``3 runs``."""
    runs = found.pool.runs
    return f"Run {plain(runs[0].info.id)}" if len(runs) == 1 else f"{len(runs)} runs"


def made_of(found: Findings) -> list[str]:
    """A sentence about each run, and one where its cases only restate those of the published report."""
    restated = not all(run.info.beside_published for run in found.pool.runs) and any(
        row.case in found.cases for row in CASES
    )
    lines = [RESTATED] if restated else []
    return (
        [
            (f"{plain(run.info.id)}: " if len(found.pool.runs) > 1 else "")
            + f"verifaible {plain(run.info.version)}, {len(run.info.cases)} cases, gate: {run.info.gate}. "
            + _WEB[run.info.web]
            for run in found.pool.runs
        ]
        + lines
        + _served(found)
    )


def _served(found: Findings) -> list[str]:
    """A sentence for each model that providers behind its endpoint served, and how often each did."""
    counts: dict[str, Counter[str]] = {}
    for result in found.pool.results:
        counts.setdefault(result.model, Counter()).update(result.served_by)
    return [
        f"{plain(model)} was served by "
        + ", ".join(f"{plain(name)} ({count} trials)" for name, count in by.most_common())
        + "."
        for model, by in counts.items()
        if by
    ]


def _lost(run: RunData) -> int:
    """How many trials of a run that ended have no result; 0 where it does not say how many there were."""
    trials = run.info.settings.get("trials")
    if not isinstance(trials, int):
        return 0
    return max(0, len(run.info.models) * len(run.info.cases) * trials - len(run.results))


def warnings(found: Findings) -> list[str]:
    """What a reader must know before the figures."""
    told = []
    for run in found.pool.runs:
        if run.info.finished_at is None:
            told.append(f"{plain(run.info.id)} did not end: it was stopped, or is still under way.")
        elif lost := _lost(run):
            told.append(
                f"{lost} trials of {plain(run.info.id)} are in no figure: their lines in results.jsonl are "
                f"missing or damaged. Run them again: verifaible bench --resume {plain(str(run.path))}"
            )
        if run.info.replayed is not None:
            replayed = run.info.replayed
            told.append(
                f"{plain(run.info.id)} repeats the recorded model calls of {plain(replayed.run)} "
                f"({replayed.exact} requests word for word, {replayed.differing} not)."
            )
    for one in found.summaries:
        if not one.rankable:
            told.append(
                f"{plain(one.model)} is not rankable: {one.errors} of its {one.trials} trials ended by an "
                "error of the machine or the endpoint, more than 5 %. Repeat the run."
            )
    told += [
        ("Not comparable: " if each.grave else "Differs: ") + plain(each.message)
        for each in found.pool.differences
    ]
    return told


def all_tables(found: Findings) -> tuple[Table, ...]:
    """Every table, in order; the appendices last."""
    beside = same_cases(found)
    why = failures(found)
    return (
        *score_tables(found),
        *([beside] if beside else []),
        *usage_tables(found),
        matrix(found),
        *([why] if why.rows else []),
        token_details(found),
    )


# --- Markdown


def markdown(found: Findings) -> str:
    """The whole report as Markdown."""
    lines, more = not_verified(found)
    listed = [f"- {escaped(line)}" for line in lines]
    if more:
        listed.append(f"- … and {more:,} more, which `results.jsonl` has.")
    return markdown_page(
        title(found),
        made_of(found),
        warnings(found),
        all_tables(found),
        source=NOT_OURS if found.published else "",
        end=[*(["## Not verified", "\n".join(listed)] if lines else []), HASHES],
    )


# --- terminal


def terminal(found: Findings) -> list[RenderableType]:
    """The tables for the terminal, what a reader must know first above them."""
    return drawn(all_tables(found), warnings(found))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def terminal_summary(found: Findings) -> list[RenderableType]:
    """Each model in a few lines: what is verified, correct, and what it cost."""
    from rich.text import Text

    lines = []
    for one in found.summaries:
        correct = sum(each.facts.answer_correct for each in found.pool.results if each.model == one.model)
        cost = "unknown" if one.total_tokens else "none"
        if one.cost_usd is not None:
            cost = f"{one.cost_usd:.4f} US dollars"
        if one.cost.per_verified is not None:
            cost += f", {one.cost.per_verified:.4f} a verified trial"
        lines += [
            f"{plain(one.model)}: {_count(one.trials, 'trial')} of {_count(one.cases, 'case')}",
            f"  verified  {rate(one.verified)}",
            f"  correct   {correct}/{one.trials}",
            f"  score     {one.average:.1f} of 100",
            f"  cost      {cost}",
        ]
    return [*drawn((), warnings(found)), Text("\n".join(lines))]


# --- JSON


def as_json(found: Findings) -> dict[str, Any]:
    """The report for programs: figures, not words."""
    lines, more = not_verified(found)
    return {
        "runs": [
            {
                **run.info.model_dump(
                    mode="json", include={"id", "version", "web", "gate", "cases", "limits"}
                ),
                "path": str(run.path),
                "finished": run.info.finished_at is not None,
            }
            for run in found.pool.runs
        ],
        "warnings": warnings(found),
        "comparable": not any(each.grave for each in found.pool.differences),
        "differences": [each.model_dump() for each in found.pool.differences],
        "models": [one.model_dump(mode="json") for one in found.summaries],
        "scores": [
            each.model_dump(mode="json", include={"model", "case", "trial", "score", "verified", "failure"})
            for each in found.pool.results
        ],
        "published": {
            "source": SOURCE,
            "models": [
                {**each.model_dump(mode="json"), "scores": published_scores(each.name)}
                for each in found.published
            ],
        },
        "not_verified": lines,
        "not_verified_left_out": more,
    }


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
    name = "unreviewed page" if result.unreviewed else result.failure
    named = f" ({name.replace('_', ' ')})" if name else ""
    return (
        f"{plain(result.model)}, {plain(result.case)}, trial {result.trial}: {result.score}{named}. {shown}"
    )
