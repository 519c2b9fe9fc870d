"""The tables of a report (seed, sections 4.1 to 4.4, appendices A to C): what each column says of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from verifaible.bench import published
from verifaible.bench.metrics import GroupSummary, ModelSummary, grouped, is_error
from verifaible.bench.pool import Findings
from verifaible.bench.published import PublishedModel
from verifaible.reporting.tables import PUBLISHED, Cell, Column, Row, Table, figure, plain, row, table_of
from verifaible.schema.run import FailureReason, TrialResult
from verifaible.scoring.failure_reasons import FAILURES

ModelColumn: TypeAlias = Column[ModelSummary, PublishedModel]
#: Input tokens a case of the best published model (seed, section 4.4); the goal is 40 % of it.
SEED_INPUT_A_CASE: Final = 88_883
GOAL_SHARE: Final = 0.4
_CASES: Final = 21


def score_tables(found: Findings) -> tuple[Table, ...]:
    """Everything about scores, for the front of a report."""
    by_language = [one.by_language for one in found.summaries]
    by_difficulty = [one.by_difficulty for one in found.summaries]
    return (
        _leaderboard(found),
        _categories(found),
        *_groups(found, "Languages", by_language),
        *_groups(found, "Difficulties", by_difficulty),
    )


def further_tables(found: Findings) -> tuple[Table, ...]:
    """What trials took, why they failed, and the figures beside the published ones."""
    why = failures(found)
    return (
        *_same_cases(found),
        *([why] if why.rows else []),
        _tokens(found),
        _rounds(found),
        _cost(found),
    )


def _of_models(
    found: Findings, title: str, columns: Sequence[ModelColumn], note: str = "", *, beside: bool = True
) -> Table:
    """A table of our models, with the published ones below."""
    name = _col("Model", lambda one: plain(one.model), lambda each: f"{each.name} ({PUBLISHED})")
    theirs = found.published if beside else ()
    return table_of(title, (name, *columns), found.summaries, theirs, note=note)


def _col(
    heading: str,
    ours: Callable[[ModelSummary], Cell | str],
    theirs: Callable[[PublishedModel], str] | None = None,
) -> ModelColumn:
    return Column(heading, ours, theirs)


# --- scores


def _leaderboard(found: Findings) -> Table:
    k = max((one.k for one in found.summaries), default=1)

    def rank(one: ModelSummary) -> str:
        """The place by average; models with the same average share one."""
        better = (each.rankable and each.average > one.average for each in found.summaries)
        return str(1 + sum(better)) if one.rankable else "not rankable"

    def average(one: ModelSummary) -> Cell:
        """With its interval only where there is one: equal cases leave nothing to draw from."""
        ends = (one.average_low, one.average_high)
        return figure(one.average, ".1f", ends if ends[0] != ends[1] else None)

    def by_cases(one: ModelSummary) -> str:
        low, high = one.verified_low, one.verified_high
        return "-" if low == high else f"{low * 100:.0f}-{high * 100:.0f} %"

    return _of_models(
        found,
        "Leaderboard",
        (
            _col("Rank", rank),
            _col("Total", lambda one: f"{one.total:,}", lambda each: f"{each.printed_total:,}"),
            _col("Average", average, lambda each: f"{each.printed_average:.1f}"),
            _col("Pass", lambda one: str(one.passed), lambda each: f"{each.printed_passed}/{_CASES}"),
            _col("Full", lambda one: str(one.full), lambda each: f"{each.printed_full}/{_CASES}"),
            _col("Verified", lambda one: str(one.verified)),
            _col("by cases", by_cases),
            _col("Errors", lambda one: str(one.errors)),
            _col(f"pass@{k}", lambda one: f"{one.pass_at_k:.2f}"),
            _col(f"pass^{k}", lambda one: f"{one.pass_hat_k:.2f}"),
        ),
        "Pass: score over 0. Full: 100. Verified: the same trial, counted only if a citation that its answer "
        "marks was made in it, re-verifies from its capture, stands on a page that the case names, shows the "
        "context asked for, and highlights the value; by cases: the 95 % interval when cases, with all their "
        "trials, are resampled. The published report has no such score. Errors (machine or endpoint) stay in "
        "the denominator; with more than 5 % of them a model is not ranked. Intervals are 95 % (Wilson "
        "for shares, bootstrap over cases for averages, which has none where all cases are equal); with 21 "
        "cases those of 17/21 and 21/21 overlap, and ranks may be chance (see bench compare). "
        f"pass@{k}: at least one of {k} trials passes, pass^{k}: all of them. The published total of "
        "DeepSeek-R1 is printed as 1,080; the cells of its own matrix add up to "
        f"{published.cell_total('DeepSeek-R1'):,}.",
    )


def _categories(found: Findings) -> Table:
    def column(name: str) -> ModelColumn:
        def ours(one: ModelSummary) -> str:
            part = {each.name: each for each in one.by_category}.get(name)
            return f"{part.points} / {part.trials * 100}" if part else "-"

        def theirs(model: PublishedModel) -> str:
            at = published.MODELS.index(model)
            points = [case.scores[at] for case in published.CASES if case.category == name]
            return f"{sum(points)} / {len(points) * 100}" if points else "-"

        return _col(plain(name), ours, theirs)

    names = dict.fromkeys(part.name for one in found.summaries for part in one.by_category)
    return _of_models(found, "Categories", [column(name) for name in names])


def _groups(found: Findings, title: str, groups: Sequence[Sequence[GroupSummary]]) -> list[Table]:
    """A table by language or difficulty; none where nothing has one."""
    known = {
        (one.model, group.name): f"{group.points / group.trials:.1f}, {group.verified.count}/{group.trials}"
        for one, each in zip(found.summaries, groups, strict=True)
        for group in each
    }

    def column(name: str) -> ModelColumn:
        return _col(plain(name) or "not named", lambda one: known.get((one.model, name), "-"))

    names = list(dict.fromkeys(group.name for each in groups for group in each))
    note = "Average score, then how many of the trials are verified."
    return [_of_models(found, title, list(map(column, names)), note, beside=False)] if any(names) else []


def _same_cases(found: Findings) -> list[Table]:
    """Averages beside the published ones on the same cases; none where there is no such case."""
    shared = [row for row in published.CASES if row.case in found.cases]
    if not (shared and found.published):
        return []
    scores = {one.model: grouped(found.results, lambda each: each.case) for one in found.summaries}

    def means(one: ModelSummary) -> list[float]:
        trials = [
            [each.score for each in scores[one.model].get(row.case, ()) if each.model == one.model]
            for row in shared
        ]
        return [sum(each) / len(each) for each in trials if each]

    def ours(one: ModelSummary) -> str:
        return f"{sum(means(one)) / len(means(one)):.1f}" if means(one) else "-"

    def theirs(each: PublishedModel) -> str:
        at = published.MODELS.index(each)
        return f"{sum(row.scores[at] for row in shared) / len(shared):.1f}"

    columns = (
        _col("Average", ours, theirs),
        _col("Cases", lambda one: str(len(means(one))), lambda _: str(len(shared))),
    )
    note = "Published averages are worked out from the cells of the published matrix, not from its totals."
    return [_of_models(found, "On the published cases", columns, note)]


# --- what it took


def _per(score: float, amount: float) -> str:
    return f"{score / amount:.1f}" if amount > 0 else "-"


def _share(part: float, whole: float) -> str:
    return f"{part / whole * 100:.1f} %" if whole > 0 else "-"


def _tokens(found: Findings) -> Table:
    return _of_models(
        found,
        "Tokens and cost",
        (
            _col("Input", lambda one: f"{one.input_tokens:,}", lambda each: f"{each.input_tokens:,}"),
            _col("of it cached", lambda one: f"{one.cached_input_tokens:,}"),
            _col("Output", lambda one: f"{one.output_tokens:,}", lambda each: f"{each.output_tokens:,}"),
            _col("of it reasoning", lambda one: f"{one.reasoning_tokens:,}"),
            _col("Total", lambda one: f"{one.total_tokens:,}", lambda each: f"{each.total_tokens:,}"),
            _col(
                "Input / trial",
                lambda one: f"{one.input_tokens / one.trials:,.0f}",
                lambda each: f"{each.input_tokens / _CASES:,.0f}",
            ),
            _col(
                f"of {SEED_INPUT_A_CASE / 1000:.1f}K",
                lambda one: _share(one.input_tokens, SEED_INPUT_A_CASE * one.trials),
                lambda each: _share(each.input_tokens, SEED_INPUT_A_CASE * _CASES),
            ),
            _col(
                "Output / trial",
                lambda one: f"{one.output_tokens / one.trials:,.0f}",
                lambda each: f"{each.output_tokens / _CASES:,.0f}",
            ),
            _col(
                "Output / input",
                lambda one: _share(one.output_tokens, one.input_tokens),
                lambda each: _share(each.output_tokens, each.input_tokens),
            ),
            _col(
                "Score / 10K",
                lambda one: _per(one.total, one.total_tokens / 10_000),
                lambda each: _per(each.printed_total, each.total_tokens / 10_000),
            ),
            _col("Cost USD", lambda one: "-" if one.cost_usd is None else f"{one.cost_usd:.4f}"),
        ),
        "A case counts once per trial: the published report has one trial of each. GLM-5 took "
        f"{SEED_INPUT_A_CASE / 1000:.1f}K input tokens a case ({PUBLISHED}); the goal is at most "
        f"{GOAL_SHARE * 100:.0f} % of it for the same trajectories. Cached tokens are input that the "
        "provider had read before.",
    )


def _rounds(found: Findings) -> Table:
    return _of_models(
        found,
        "Rounds and durations",
        (
            _col("Rounds", lambda one: f"{one.rounds:.1f}", lambda each: f"{each.average_rounds:.1f}"),
            _col(
                "Tool calls",
                lambda one: f"{one.tool_calls:.1f}",
                lambda each: f"{each.average_tool_calls:.1f}",
            ),
            _col(
                "Time / trial",
                lambda one: f"{one.duration_s / one.trials:.1f} s",
                lambda each: f"{each.average_duration_s} s",
            ),
            _col(
                "Time, all trials",
                lambda one: f"{one.duration_s / 60:.1f} min",
                lambda each: f"{each.total_minutes:.1f} min",
            ),
            _col(
                "Score / min",
                lambda one: _per(one.total, one.duration_s / 60),
                lambda each: _per(each.printed_total, each.total_minutes),
            ),
        ),
        "Times are sums over trials, which may run in parallel.",
    )


def _cost(found: Findings) -> Table:
    def money(heading: str, amount: Callable[[ModelSummary], float | None]) -> ModelColumn:
        def shown(one: ModelSummary) -> str:
            known = None if one.cost.total is None else amount(one)
            return "-" if known is None else f"{known:.4f}"

        return _col(heading, shown)

    repeated = sum(one.cost.repeated for one in found.summaries)
    unanswered = sum(one.cost.unanswered for one in found.summaries)
    tokens = sum(one.cost.lost_tokens for one in found.summaries)
    lost = f" {repeated} trials were begun again; {tokens:,} tokens were lost." if repeated or tokens else ""
    if unanswered:
        lost += f" Of {unanswered} calls nothing came back, and nobody knows what they cost."
    return _of_models(
        found,
        "Cost",
        (
            money("USD", lambda one: one.cost.total),
            money("billed", lambda one: one.cost.billed),
            money("estimated", lambda one: one.cost.estimated),
            money("lost", lambda one: one.cost.lost),
            money("USD / trial", lambda one: (one.cost.total or 0.0) / one.trials),
            money("USD / verified trial", lambda one: one.cost.per_verified),
            _col("Trials without a price", lambda one: str(one.cost.unpriced)),
        ),
        "Billed: stated by the provider. Estimated: by dated list prices, where it states nothing. "
        "Lost: attempts that the machine failed and trials that never ended; it is not in USD, but in "
        f"USD / verified trial.{lost} The published report states no cost.",
        beside=False,
    )


# --- trials


def trials_of(found: Findings) -> dict[tuple[str, str], list[TrialResult]]:
    """The trials of each case by each model."""
    trials: dict[tuple[str, str], list[TrialResult]] = {}
    for result in found.results:
        trials.setdefault((result.case, result.model), []).append(result)
    return trials


def matrix(found: Findings) -> Table:
    """Every score (seed, appendix A)."""
    models, trials = [one.model for one in found.summaries], trials_of(found)
    printed = {case.case: case.scores for case in published.CASES if found.published}
    rows = [
        row(
            plain(case),
            *(_trials(trials.get((case, model), ())) for model in models),
            *map(str, printed.get(case, ("-",) * len(found.published))),
        )
        for case in found.cases
    ]
    return Table(
        title="Scores",
        columns=("Case", *map(plain, models), *(f"{each.name} ({PUBLISHED})" for each in found.published)),
        rows=tuple(rows),
        note="✓: verified. !: ended by an error of the machine or the endpoint.",
    )


def _trials(trials: Sequence[TrialResult]) -> Cell:
    """The trials of a case; of many how often each outcome came."""
    if not trials:
        return Cell(text="-")
    scores = [each.score for each in trials]
    shown = [
        f"{each.score}{' ✓' if each.verified else ''}{' !' if is_error(each) else ''}" for each in trials
    ]
    mark = "full" if min(scores) == 100 else "none" if max(scores) == 0 else "part"
    if len(shown) > 5:
        shown = [f"{count} × {cell}" for cell, count in Counter(shown).most_common()]
    return Cell(text=", ".join(shown), mark=mark)


def failures(found: Findings) -> Table:
    """How often each reason came (seed, appendix B)."""

    def of(reason: FailureReason) -> Row:
        counts = (str(one.failures.get(reason, 0)) for one in found.summaries)
        return row(reason.replace("_", " "), FAILURES[reason], *counts)

    reasons = [reason for reason in FAILURES if any(reason in one.failures for one in found.summaries)]
    return Table(
        title="Failures",
        columns=("Reason", "Meaning", *(plain(one.model) for one in found.summaries)),
        rows=tuple(map(of, reasons)),
        note="Named by rules over each trial's record: the first reason, from the outside in.",
    )
