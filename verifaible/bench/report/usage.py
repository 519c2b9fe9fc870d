"""What trials took, in tables: tokens, rounds and time, the economy of the context, and money."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from verifaible.bench.report.summary import ModelSummary
from verifaible.bench.report.tables import Findings, ModelColumn
from verifaible.reporting.tables import PUBLISHED, Column, Table
from verifaible.scoring import published

#: Input tokens a case of the best published model (seed, section 4.4); the goal is 40 % of it.
SEED_INPUT_A_CASE: Final = 88_883
GOAL_SHARE: Final = 0.4


def usage_tables(found: Findings) -> tuple[Table, ...]:
    """Tokens, rounds, context economy and cost."""
    return (_tokens(found), _efficiency(found), _rounds(found), _economy(found), _cost(found))


_TOKENS: Final[tuple[ModelColumn, ...]] = (
    Column("Input", lambda one: f"{one.input_tokens:,}", lambda each: f"{each.input_tokens:,}"),
    Column("Output", lambda one: f"{one.output_tokens:,}", lambda each: f"{each.output_tokens:,}"),
    Column("Total", lambda one: f"{one.total_tokens:,}", lambda each: f"{each.total_tokens:,}"),
    Column(
        "Input / trial",
        lambda one: f"{one.input_tokens / one.trials:,.0f}",
        lambda each: f"{each.input_tokens / 21:,.0f}",
    ),
    Column(
        "Output / trial",
        lambda one: f"{one.output_tokens / one.trials:,.0f}",
        lambda each: f"{each.output_tokens / 21:,.0f}",
    ),
)
_SCORE_OF_TOKENS: Final[ModelColumn] = Column(
    "Score / 10K",
    lambda one: _per(one.total, one.total_tokens / 10_000),
    lambda each: _per(each.printed_total, each.total_tokens / 10_000),
)
_SCORE_OF_TIME: Final[ModelColumn] = Column(
    "Score / min",
    lambda one: _per(one.total, one.duration_s / 60),
    lambda each: _per(each.printed_total, each.total_minutes),
)


def _tokens(found: Findings) -> Table:
    whole, *others = _TOKENS
    columns: tuple[ModelColumn, ...] = (
        whole,
        Column("of it cached", lambda one: f"{one.cached_input_tokens:,}"),
        *others,
        _SCORE_OF_TOKENS,
        Column("Cost USD", lambda one: "-" if one.cost_usd is None else f"{one.cost_usd:.4f}"),
    )
    return found.table("Tokens and cost", columns)


def _efficiency(found: Findings) -> Table:
    columns: tuple[ModelColumn, ...] = (
        Column("Score", lambda one: f"{one.total:,}", lambda each: f"{each.printed_total:,}"),
        Column(
            "Output / input",
            lambda one: _share(one.output_tokens, one.input_tokens),
            lambda each: _share(each.output_tokens, each.input_tokens),
        ),
        Column("Reasoning tokens", lambda one: f"{one.reasoning_tokens:,}"),
        replace(_SCORE_OF_TOKENS, heading="Score / 10K tokens"),
        _SCORE_OF_TIME,
    )
    return found.table("Efficiency", columns)


def _rounds(found: Findings) -> Table:
    columns: tuple[ModelColumn, ...] = (
        Column("Rounds", lambda one: f"{one.rounds:.1f}", lambda each: f"{each.average_rounds:.1f}"),
        Column(
            "Tool calls",
            lambda one: f"{one.tool_calls:.1f}",
            lambda each: f"{each.average_tool_calls:.1f}",
        ),
        Column(
            "Time / trial",
            lambda one: f"{one.duration_s / one.trials:.1f} s",
            lambda each: f"{each.average_duration_s} s",
        ),
        Column(
            "Time, all trials",
            lambda one: f"{one.duration_s / 60:.1f} min",
            lambda each: f"{each.total_minutes:.1f} min",
        ),
        _SCORE_OF_TIME,
    )
    note = "Times are sums over trials, which may run in parallel."
    return found.table("Rounds and durations", columns, note)


def _economy(found: Findings) -> Table:
    columns: tuple[ModelColumn, ...] = (
        replace(_TOKENS[3], heading="Input tokens / trial"),
        Column(
            f"of {SEED_INPUT_A_CASE / 1000:.1f}K",
            lambda one: _share(one.input_tokens, SEED_INPUT_A_CASE * one.trials),
            lambda each: _share(each.input_tokens, SEED_INPUT_A_CASE * 21),
        ),
        Column("cached", lambda one: _share(one.cached_input_tokens, one.input_tokens)),
        Column(
            "Input / round",
            lambda one: f"{one.input_tokens / (one.rounds * one.trials):,.0f}" if one.rounds else "-",
            lambda each: f"{each.input_tokens / 21 / each.average_rounds:,.0f}",
        ),
    )
    return found.table(
        "Context economy",
        columns,
        f"GLM-5 took {SEED_INPUT_A_CASE / 1000:.1f}K input tokens a case ({PUBLISHED}); the goal is at most "
        f"{GOAL_SHARE * 100:.0f} % of it for the same trajectories. Cached tokens are input that the "
        "provider had read before.",
    )


def _cost(found: Findings) -> Table:
    def money(heading: str, amount: Callable[[ModelSummary], float | None]) -> ModelColumn:
        def told(one: ModelSummary) -> str:
            known = None if one.cost.total is None else amount(one)
            return "-" if known is None else f"{known:.4f}"

        return Column(heading, told)

    columns: tuple[ModelColumn, ...] = (
        money("USD", lambda one: one.cost.total),
        money("billed", lambda one: one.cost.billed),
        money("estimated", lambda one: one.cost.estimated),
        money("lost", lambda one: one.cost.lost),
        money("USD / trial", lambda one: (one.cost.total or 0.0) / one.trials),
        money("USD / verified trial", lambda one: one.cost.per_verified),
        Column("Trials without a price", lambda one: str(one.cost.unpriced)),
    )
    note = (
        "Billed: stated by the provider. Estimated: by dated list prices, where it states nothing. "
        "Lost: attempts that the machine failed and trials that never ended; it is not in USD, but in "
        f"USD / verified trial.{_lost(found)} The published report states no cost."
    )
    return found.table("Cost", columns, note, beside=())


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
    headings = ("Total input", "Total output", "Total", "Input / case", "Output / case")
    columns = [replace(each, heading=heading) for each, heading in zip(_TOKENS, headings, strict=True)]
    note = "A case counts once per trial: the published report has one trial of each."
    return found.table("Token details", columns, note)


def same_cases(found: Findings) -> Table | None:
    """Averages beside the published ones on the same cases; None where there is no such case."""
    shared = [row for row in published.CASES if row.case in found.cases]
    if not (shared and found.published):
        return None

    def means(one: ModelSummary) -> list[float]:
        scores: dict[str, list[int]] = {row.case: [] for row in shared}
        for result in found.pool.results:
            if result.model == one.model and result.case in scores:
                scores[result.case].append(result.score)
        return [sum(each) / len(each) for each in scores.values() if each]

    def average(one: ModelSummary) -> str:
        return f"{sum(means(one)) / len(means(one)):.1f}" if means(one) else "-"

    def printed(each: published.PublishedModel) -> str:
        at = published.MODELS.index(each)
        return f"{sum(row.scores[at] for row in shared) / len(shared):.1f}"

    columns: tuple[ModelColumn, ...] = (
        Column("Average", average, printed),
        Column("Cases", lambda one: f"{len(means(one))}", lambda _: f"{len(shared)}"),
    )
    note = "Published averages are worked out from the cells of the published matrix, not from its totals."
    return found.table("On the published cases", columns, note)


def _per(score: int, amount: float) -> str:
    return f"{score / amount:.1f}" if amount > 0 else "-"


def _share(part: float, whole: float) -> str:
    return f"{part / whole * 100:.1f} %" if whole > 0 else "-"
