"""The tables of a run, for the terminal and for ``report.md``; the published figures stand beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifaible.bench.summary import ModelSummary, Rate
from verifaible.schema.base import Record
from verifaible.schema.run import RunInfo, TrialResult
from verifaible.scoring import published

if TYPE_CHECKING:
    from rich.console import RenderableType

PUBLISHED = "published"
_WEB = {
    "offline": (
        "Pages came from the offline archives. Archives marked synthetic are replicas: written by hand, "
        "not recorded from the real sites."
    ),
    "live": "Pages came from the live web on the day of the run.",
    "record": "Pages came from the live web on the day of the run and were recorded.",
}


class Table(Record):
    """A table before it is drawn; the first column is text, the others figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def tables(
    summaries: Sequence[ModelSummary], results: Sequence[TrialResult], info: RunInfo
) -> tuple[Table, ...]:
    """Leaderboard, categories, score matrix, tokens and cost, rounds and durations."""
    return (
        _leaderboard(summaries),
        _category_table(summaries),
        _matrix(summaries, results, info),
        _token_table(summaries),
        _round_table(summaries),
    )


def to_markdown(summaries: Sequence[ModelSummary], results: Sequence[TrialResult], info: RunInfo) -> str:
    """``report.md``."""
    parts = [
        f"# Run {info.id}",
        f"verifaible {info.version}, {len(info.cases)} cases, gate: {info.gate}. {_WEB[info.web]}",
        f"Rows marked “{PUBLISHED}” are copied from the report of February 2026; they were not measured "
        "here.",
    ]
    for table in tables(summaries, results, info):
        parts += [f"## {table.title}", _markdown_table(table)]
        if table.note:
            parts.append(table.note)
    parts += _failures(results)
    parts.append(
        "A hash proves that the bytes of a capture have not changed since they were captured. It does not "
        "prove that the server told the truth."
    )
    return "\n\n".join(parts) + "\n"


def to_terminal(
    summaries: Sequence[ModelSummary], results: Sequence[TrialResult], info: RunInfo
) -> tuple[RenderableType, ...]:
    """The same tables for the terminal."""
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn: list[RenderableType] = []
    for table in tables(summaries, results, info):
        out = Drawn(title=table.title, title_justify="left", title_style="bold")
        for index, name in enumerate(table.columns):
            out.add_column(name, justify="left" if index == 0 else "right")
        for row in table.rows:
            out.add_row(*(Text(cell) for cell in row), style="dim" if PUBLISHED in row[0] else "")
        drawn += [out, Text(table.note, style="dim")] if table.note else [out]
    return tuple(drawn)


# --- the tables


def _leaderboard(summaries: Sequence[ModelSummary]) -> Table:
    rows = [
        (
            one.model,
            f"{one.total:,}",
            f"{one.average:.1f} ({one.average_low:.1f}-{one.average_high:.1f})",
            _rate(one.passed),
            _rate(one.full),
            _rate(one.verified),
            str(one.errors),
            f"{one.pass_at_k:.2f}",
            f"{one.pass_hat_k:.2f}",
        )
        for one in summaries
    ]
    rows += [
        (
            f"{each.name} ({PUBLISHED})",
            f"{each.printed_total:,}",
            f"{each.printed_average:.1f}",
            f"{each.printed_passed}/21",
            f"{each.printed_full}/21",
            "-",
            "-",
            "-",
            "-",
        )
        for each in published.MODELS
    ]
    k = max((one.k for one in summaries), default=1)
    return Table(
        title="Leaderboard",
        columns=("Model", "Total", "Average", "Pass", "Full", "Verified", "Errors", f"pass@{k}", f"pass^{k}"),
        rows=tuple(rows),
        note=(
            "Pass: score over 0. Full: 100. Verified: the same trial, counted only if its evidence carries "
            "the answer. Errors (machine or endpoint) stay in the denominator. Intervals are 95 % (Wilson "
            "for shares, bootstrap for averages); with 21 cases those of 17/21 and 21/21 overlap. The "
            "published total of DeepSeek-R1 is printed as 1,080; the cells of its own matrix add up to "
            f"{published.cell_total('DeepSeek-R1'):,}."
        ),
    )


def _category_table(summaries: Sequence[ModelSummary]) -> Table:
    names = list(dict.fromkeys(part.category for one in summaries for part in one.categories))
    rows = []
    for one in summaries:
        parts = {part.category: part for part in one.categories}
        cells = [
            f"{parts[name].points} / {parts[name].trials * 100}" if name in parts else "-" for name in names
        ]
        rows.append((one.model, *cells))
    for index, model in enumerate(published.MODELS):
        points = {
            name: [case.scores[index] for case in published.CASES if case.category == name] for name in names
        }
        cells = [f"{sum(each)} / {len(each) * 100}" if each else "-" for each in points.values()]
        rows.append((f"{model.name} ({PUBLISHED})", *cells))
    return Table(title="Categories", columns=("Model", *names), rows=tuple(rows))


def _matrix(summaries: Sequence[ModelSummary], results: Sequence[TrialResult], info: RunInfo) -> Table:
    models = [one.model for one in summaries]
    printed = {case.case: case.scores for case in published.CASES}
    rows = []
    for case in info.cases:
        cells = []
        for model in models:
            trials = [each for each in results if each.case == case and each.model == model]
            cells.append(", ".join(_cell(trial) for trial in trials) or "-")
        rows.append((case, *cells, *(str(score) for score in printed.get(case, ("-",) * 4))))
    columns = (*models, *(f"{model.name} ({PUBLISHED})" for model in published.MODELS))
    return Table(
        title="Scores",
        columns=("Case", *columns),
        rows=tuple(rows),
        note="✓: verified. !: ended by an error of the machine or the endpoint.",
    )


def _cell(trial: TrialResult) -> str:
    mark = " ✓" if trial.verified else ""
    return f"{trial.score}{mark}{' !' if trial.ended_by in ('infrastructure', 'model_error') else ''}"


def _token_table(summaries: Sequence[ModelSummary]) -> Table:
    rows = [
        (
            one.model,
            f"{one.input_tokens:,}",
            f"{one.cached_input_tokens:,}",
            f"{one.output_tokens:,}",
            f"{one.total_tokens:,}",
            f"{one.input_tokens / one.trials:,.0f}",
            f"{one.output_tokens / one.trials:,.0f}",
            _score_per(one.total, one.total_tokens / 10_000),
            "-" if one.cost_usd is None else f"{one.cost_usd:.4f}",
        )
        for one in summaries
    ]
    rows += [
        (
            f"{each.name} ({PUBLISHED})",
            f"{each.input_tokens:,}",
            "-",
            f"{each.output_tokens:,}",
            f"{each.total_tokens:,}",
            f"{each.input_tokens / 21:,.0f}",
            f"{each.output_tokens / 21:,.0f}",
            _score_per(each.printed_total, each.total_tokens / 10_000),
            "-",
        )
        for each in published.MODELS
    ]
    return Table(
        title="Tokens and cost",
        columns=(
            "Model",
            "Input",
            "of it cached",
            "Output",
            "Total",
            "Input / trial",
            "Output / trial",
            "Score / 10K",
            "Cost USD",
        ),
        rows=tuple(rows),
    )


def _round_table(summaries: Sequence[ModelSummary]) -> Table:
    rows = [
        (
            one.model,
            f"{one.rounds:.1f}",
            f"{one.tool_calls:.1f}",
            f"{one.duration_s / one.trials:.1f} s",
            f"{one.duration_s / 60:.1f} min",
            _score_per(one.total, one.duration_s / 60),
        )
        for one in summaries
    ]
    rows += [
        (
            f"{each.name} ({PUBLISHED})",
            f"{each.average_rounds:.1f}",
            f"{each.average_tool_calls:.1f}",
            f"{each.average_duration_s} s",
            f"{each.total_minutes:.1f} min",
            _score_per(each.printed_total, each.total_minutes),
        )
        for each in published.MODELS
    ]
    return Table(
        title="Rounds and durations",
        columns=("Model", "Rounds", "Tool calls", "Time / trial", "Time, all trials", "Score / min"),
        rows=tuple(rows),
        note="Times are of the trials themselves, added up; trials may run side by side.",
    )


def _failures(results: Sequence[TrialResult]) -> list[str]:
    """Why each trial that is not verified is not."""
    lines = []
    for result in results:
        if result.verified:
            continue
        reasons = [result.error or "", *result.verified_reasons]
        if result.ended_by not in ("answer", "infrastructure", "model_error"):
            reasons.insert(0, f"Ended by its limit of {result.ended_by}.")
        shown = " ".join(dict.fromkeys(" ".join(reason.split()) for reason in reasons if reason))
        lines.append(f"- {result.model}, {result.case}, trial {result.trial}: {result.score}. {shown}")
    return ["## Not verified", "\n".join(lines)] if lines else []


def _rate(rate: Rate) -> str:
    return f"{rate.count}/{rate.of} ({rate.low * 100:.0f}-{rate.high * 100:.0f} %)"


def _score_per(score: int, amount: float) -> str:
    return f"{score / amount:.1f}" if amount > 0 else "-"


def _markdown_table(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = ["---", *("---:" for _ in table.columns[1:])]
    return "\n".join([line(table.columns), line(rule), *(line(row) for row in table.rows)])
