"""What trials took, in tables: tokens, rounds and time, the economy of the context, and money."""

from __future__ import annotations

from typing import Final

from verifaible.bench.report.summary import ModelSummary
from verifaible.bench.report.tables import PUBLISHED, Findings, with_published
from verifaible.reporting.tables import Table, plain
from verifaible.scoring import published

#: Input tokens a case of the best published model (seed, section 4.4); the goal is 40 % of it.
SEED_INPUT_A_CASE: Final = 88_883
GOAL_SHARE: Final = 0.4


def usage_tables(found: Findings) -> tuple[Table, ...]:
    """Tokens, rounds, context economy and cost."""
    return (_tokens(found), _efficiency(found), _rounds(found), _economy(found), _cost(found))


def _tokens(found: Findings) -> Table:
    rows = [
        (
            plain(one.model),
            f"{one.input_tokens:,}",
            f"{one.cached_input_tokens:,}",
            f"{one.output_tokens:,}",
            f"{one.total_tokens:,}",
            f"{one.input_tokens / one.trials:,.0f}",
            f"{one.output_tokens / one.trials:,.0f}",
            _per(one.total, one.total_tokens / 10_000),
            "-" if one.cost_usd is None else f"{one.cost_usd:.4f}",
        )
        for one in found.summaries
    ]
    columns = (
        *("Model", "Input", "of it cached", "Output", "Total", "Input / trial", "Output / trial"),
        *("Score / 10K", "Cost USD"),
    )
    return with_published(
        found,
        "Tokens and cost",
        columns,
        rows,
        lambda each: (
            f"{each.input_tokens:,}",
            "-",
            f"{each.output_tokens:,}",
            f"{each.total_tokens:,}",
            f"{each.input_tokens / 21:,.0f}",
            f"{each.output_tokens / 21:,.0f}",
            _per(each.printed_total, each.total_tokens / 10_000),
            "-",
        ),
    )


def _efficiency(found: Findings) -> Table:
    rows = [
        (
            plain(one.model),
            f"{one.total:,}",
            _share(one.output_tokens, one.input_tokens),
            f"{one.reasoning_tokens:,}",
            _per(one.total, one.total_tokens / 10_000),
            _per(one.total, one.duration_s / 60),
        )
        for one in found.summaries
    ]
    return with_published(
        found,
        "Efficiency",
        ("Model", "Score", "Output / input", "Reasoning tokens", "Score / 10K tokens", "Score / min"),
        rows,
        lambda each: (
            f"{each.printed_total:,}",
            _share(each.output_tokens, each.input_tokens),
            "-",
            _per(each.printed_total, each.total_tokens / 10_000),
            _per(each.printed_total, each.total_minutes),
        ),
    )


def _rounds(found: Findings) -> Table:
    rows = [
        (
            plain(one.model),
            f"{one.rounds:.1f}",
            f"{one.tool_calls:.1f}",
            f"{one.duration_s / one.trials:.1f} s",
            f"{one.duration_s / 60:.1f} min",
            _per(one.total, one.duration_s / 60),
        )
        for one in found.summaries
    ]
    return with_published(
        found,
        "Rounds and durations",
        ("Model", "Rounds", "Tool calls", "Time / trial", "Time, all trials", "Score / min"),
        rows,
        lambda each: (
            f"{each.average_rounds:.1f}",
            f"{each.average_tool_calls:.1f}",
            f"{each.average_duration_s} s",
            f"{each.total_minutes:.1f} min",
            _per(each.printed_total, each.total_minutes),
        ),
        "Times are of the trials themselves, added up; trials may run side by side.",
    )


def _economy(found: Findings) -> Table:
    rows = [
        (
            plain(one.model),
            f"{one.input_tokens / one.trials:,.0f}",
            _share(one.input_tokens, SEED_INPUT_A_CASE * one.trials),
            _share(one.cached_input_tokens, one.input_tokens),
            f"{one.input_tokens / (one.rounds * one.trials):,.0f}" if one.rounds else "-",
        )
        for one in found.summaries
    ]
    return with_published(
        found,
        "Context economy",
        ("Model", "Input tokens / trial", f"of {SEED_INPUT_A_CASE / 1000:.1f}K", "cached", "Input / round"),
        rows,
        lambda each: (
            f"{each.input_tokens / 21:,.0f}",
            _share(each.input_tokens, SEED_INPUT_A_CASE * 21),
            "-",
            f"{each.input_tokens / 21 / each.average_rounds:,.0f}",
        ),
        f"GLM-5 took {SEED_INPUT_A_CASE / 1000:.1f}K input tokens a case ({PUBLISHED}); the goal is at most "
        f"{GOAL_SHARE * 100:.0f} % of it for the same trajectories. Cached tokens are input that the "
        "provider had read before.",
    )


def _cost(found: Findings) -> Table:
    return Table(
        title="Cost",
        columns=(
            "Model",
            "USD",
            "billed",
            "estimated",
            "lost",
            "USD / trial",
            "USD / verified trial",
            "Trials without a price",
        ),
        rows=tuple(_cost_row(one) for one in found.summaries),
        note=(
            "Billed: stated by the provider. Estimated: by dated list prices, where it states nothing. "
            "Lost: attempts that the machine failed and trials that never ended; it is not in USD, but in "
            f"USD / verified trial.{_lost(found)} The published report states no cost."
        ),
    )


def _cost_row(one: ModelSummary) -> tuple[str, ...]:
    cost = one.cost
    if cost.total is None:
        return (plain(one.model), *("-",) * 6, str(cost.unpriced))
    return (
        plain(one.model),
        f"{cost.total:.4f}",
        f"{cost.billed:.4f}",
        f"{cost.estimated:.4f}",
        f"{cost.lost:.4f}",
        f"{cost.total / one.trials:.4f}",
        "-" if cost.per_verified is None else f"{cost.per_verified:.4f}",
        str(cost.unpriced),
    )


def _lost(found: Findings) -> str:
    repeated = sum(one.cost.repeated for one in found.summaries)
    unanswered = sum(one.cost.unanswered for one in found.summaries)
    tokens = sum(one.cost.lost_tokens for one in found.summaries)
    told = ""
    if repeated or tokens:
        told += f" {repeated} trials were begun again; {tokens:,} tokens were lost."
    if unanswered:
        told += f" Of {unanswered} calls nothing came back, and nobody knows what they cost."
    return told


def token_details(found: Findings) -> Table:
    """Tokens in full (seed, appendix C)."""
    rows = [
        (
            plain(one.model),
            f"{one.input_tokens:,}",
            f"{one.output_tokens:,}",
            f"{one.total_tokens:,}",
            f"{one.input_tokens / one.trials:,.0f}",
            f"{one.output_tokens / one.trials:,.0f}",
        )
        for one in found.summaries
    ]
    return with_published(
        found,
        "Token details",
        ("Model", "Total input", "Total output", "Total", "Input / case", "Output / case"),
        rows,
        lambda each: (
            f"{each.input_tokens:,}",
            f"{each.output_tokens:,}",
            f"{each.total_tokens:,}",
            f"{each.input_tokens / 21:,.0f}",
            f"{each.output_tokens / 21:,.0f}",
        ),
        "A case is counted once a trial: the published report has one trial of each.",
    )


def same_cases(found: Findings) -> Table | None:
    """Averages beside the published ones on the same cases; None where there is no such case."""
    shared = [row for row in published.CASES if row.case in found.cases]
    if not (shared and found.published):
        return None
    rows = []
    for one in found.summaries:
        scores: dict[str, list[int]] = {row.case: [] for row in shared}
        for result in found.pool.results:
            if result.model == one.model and result.case in scores:
                scores[result.case].append(result.score)
        means = [sum(each) / len(each) for each in scores.values() if each]
        rows.append((plain(one.model), f"{sum(means) / len(means):.1f}" if means else "-", f"{len(means)}"))
    return with_published(
        found,
        "On the published cases",
        ("Model", "Average", "Cases"),
        rows,
        lambda each: (
            f"{sum(row.scores[published.MODELS.index(each)] for row in shared) / len(shared):.1f}",
            f"{len(shared)}",
        ),
        "Published averages are worked out from the cells of the published matrix, not from its totals.",
    )


def _per(score: int, amount: float) -> str:
    return f"{score / amount:.1f}" if amount > 0 else "-"


def _share(part: float, whole: float) -> str:
    return f"{part / whole * 100:.1f} %" if whole > 0 else "-"
