"""The report of one or several runs: as Markdown, as a page, for the terminal, and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from verifaible.bench import published
from verifaible.bench.metrics import ModelSummary, Rate
from verifaible.bench.pool import Findings, RunData
from verifaible.bench.tables import GOAL_SHARE, SEED_INPUT_A_CASE, further_tables, matrix, score_tables
from verifaible.reporting.charts import MAX_BARS, BarRow, Chart, bar_chart
from verifaible.reporting.pages import page_head, read_style, templates_of
from verifaible.reporting.tables import HASHES, PUBLISHED, Table, drawn, escaped, markdown_page, plain
from verifaible.schema.run import TrialResult

if TYPE_CHECKING:
    from rich.console import RenderableType

_WEB: Final = {
    "offline": (
        "Pages came from the offline archives. Archives marked synthetic are replicas: written by hand, "
        "not recorded from the real sites."
    ),
    "live": "Pages came from the live web on the day of the run.",
    "record": "Pages came from the live web on the day of the run and were recorded.",
}
NOT_OURS: Final = (
    f"Rows marked “{PUBLISHED}” are copied from the report of February 2026; they were not measured here."
)
RESTATED: Final = (
    "The cases restate the questions of the public set, so the published models do not stand beside these "
    "figures. They do for the public set itself (--cases testset.json), or with --published."
)
#: Trials that are listed one by one; a report of thousands names the rest by their number.
MAX_LISTED: Final = 200
#: Which chart stands above which table.
CHARTS: Final = {"Leaderboard": "average", "Categories": "verified"}
_PACKAGE: Final = "verifaible.bench"


def all_tables(found: Findings) -> tuple[Table, ...]:
    """Every table, in order."""
    return (*score_tables(found), matrix(found), *further_tables(found))


# --- sentences


def title(found: Findings) -> str:
    """``Run X``, or ``3 runs``."""
    return f"Run {plain(found.runs[0].info.id)}" if len(found.runs) == 1 else f"{len(found.runs)} runs"


def made_of(found: Findings) -> list[str]:
    """A sentence about each run and each provider, and one where the cases restate the published ones."""
    restated = not all(run.info.beside_published for run in found.runs) and any(
        row.case in found.cases for row in published.CASES
    )
    served: dict[str, Counter[str]] = {}
    for result in found.results:
        served.setdefault(result.model, Counter()).update(result.served_by)
    return [
        *(
            (f"{plain(run.info.id)}: " if len(found.runs) > 1 else "")
            + f"verifaible {plain(run.info.version)}, {len(run.info.cases)} cases, gate: {run.info.gate}. "
            + _WEB[run.info.web]
            for run in found.runs
        ),
        *([RESTATED] if restated else []),
        *(
            f"{plain(model)} was served by "
            + ", ".join(f"{plain(name)} ({count} trials)" for name, count in by.most_common())
            + "."
            for model, by in served.items()
            if by
        ),
    ]


def warnings(found: Findings) -> list[str]:
    """What a reader must know before the figures."""
    lines = [line for run in found.runs for line in _warnings_of(run)]
    lines += [
        f"{plain(one.model)} is not rankable: {one.errors} of its {one.trials} trials ended by an "
        "error of the machine or the endpoint, more than 5 %. Repeat the run."
        for one in found.summaries
        if not one.rankable
    ]
    return lines + [
        ("Not comparable: " if each.grave else "Differs: ") + plain(each.message)
        for each in found.differences
    ]


def _warnings_of(run: RunData) -> list[str]:
    info, lines = run.info, []
    trials = info.settings.get("trials")
    planned = len(info.models) * len(info.cases) * trials if isinstance(trials, int) else 0
    if info.finished_at is None:
        lines.append(f"{plain(info.id)} did not end: it was stopped, or is still under way.")
    elif planned > len(run.results):
        lines.append(
            f"{planned - len(run.results)} trials of {plain(info.id)} are in no figure: their lines in "
            "results.jsonl are missing or damaged. Run them again: "
            f"verifaible bench --resume {plain(str(run.path))}"
        )
    if (replayed := info.replayed) is not None:
        lines.append(
            f"{plain(info.id)} repeats the recorded model calls of {plain(replayed.run)} "
            f"({replayed.exact} requests word for word, {replayed.differing} not)."
        )
    return lines


def not_verified(found: Findings) -> tuple[list[str], int]:
    """A line for each trial that is not verified, and how many more there are."""
    lost = [result for result in found.results if not result.verified]
    return list(map(_line, lost[:MAX_LISTED])), max(0, len(lost) - MAX_LISTED)


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


# --- forms


def markdown(found: Findings) -> str:
    """The whole report as Markdown."""
    lines, more = not_verified(found)
    listed = [f"- {escaped(line)}" for line in lines]
    listed += [f"- … and {more:,} more, which `results.jsonl` has."] if more else []
    return markdown_page(
        title(found),
        made_of(found),
        warnings(found),
        all_tables(found),
        source=NOT_OURS if found.published else "",
        end=[*(["## Not verified", "\n".join(listed)] if lines else []), HASHES],
    )


def terminal(found: Findings) -> list[RenderableType]:
    """The tables for the terminal, what a reader must know first above them."""
    return drawn(all_tables(found), warnings(found))


def terminal_summary(found: Findings) -> list[RenderableType]:
    """Each model in a few lines: what is verified, correct, and what it cost."""
    from rich.text import Text

    def counted(number: int, noun: str) -> str:
        return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

    lines = []
    for one in found.summaries:
        cost = "unknown" if one.total_tokens else "none"
        if one.cost_usd is not None:
            cost = f"{one.cost_usd:.4f} US dollars"
        if one.cost.per_verified is not None:
            cost += f", {one.cost.per_verified:.4f} a verified trial"
        lines += [
            f"{plain(one.model)}: {counted(one.trials, 'trial')} of {counted(one.cases, 'case')}",
            f"  verified  {one.verified}",
            f"  correct   {one.correct}/{one.trials}",
            f"  score     {one.average:.1f} of 100",
            f"  cost      {cost}",
        ]
    return [*drawn((), warnings(found)), Text("\n".join(lines))]


def as_json(found: Findings) -> dict[str, Any]:
    """The report for programs: figures, not words."""
    lines, more = not_verified(found)
    of_run = {"id", "version", "web", "gate", "cases", "limits"}
    of_trial = {"model", "case", "trial", "score", "verified", "failure"}
    return {
        "runs": [
            {
                **run.info.model_dump(mode="json", include=of_run),
                "path": str(run.path),
                "finished": run.info.finished_at is not None,
            }
            for run in found.runs
        ],
        "warnings": warnings(found),
        "comparable": not any(each.grave for each in found.differences),
        "differences": [each.model_dump() for each in found.differences],
        "models": [one.model_dump(mode="json") for one in found.summaries],
        "scores": [each.model_dump(mode="json", include=of_trial) for each in found.results],
        "published": {
            "source": published.SOURCE,
            "models": [
                {**each.model_dump(mode="json"), "scores": published.published_scores(each.name)}
                for each in found.published
            ],
        },
        "not_verified": lines,
        "not_verified_left_out": more,
    }


def page(found: Findings) -> str:
    """The whole report as one HTML file that loads nothing and runs nothing."""
    lines, more = not_verified(found)
    known = {chart.name: chart for chart in charts(found)}
    return (
        templates_of(_PACKAGE)
        .get_template("report.html")
        .render(
            head=page_head(read_style(_PACKAGE, "report.css"), pictures=False, indexed=False),
            title=title(found),
            made_of=made_of(found),
            warnings=warnings(found),
            sections=[(table, known.get(CHARTS.get(table.title, ""))) for table in all_tables(found)],
            not_ours=NOT_OURS if found.published else "",
            hashes=HASHES,
            headlines=_headlines(found),
            lines=lines,
            more=more,
        )
    )


def _headlines(found: Findings) -> list[tuple[str, str, str]]:
    """Name, figure and remark of what the best model reached."""
    if not found.summaries:
        return []
    best = found.summaries[0]
    low, high = best.average_low, best.average_high
    lines = [
        ("Average score", f"{best.average:.1f}", "" if low == high else f"{low:.1f}-{high:.1f}"),
        ("Verified", f"{best.verified.count}/{best.verified.of}", str(best.verified).partition(" ")[2]),
    ]
    if best.input_tokens:
        share = best.input_tokens / best.trials / SEED_INPUT_A_CASE
        goal = f"of {SEED_INPUT_A_CASE / 1000:.1f}K; the goal is {GOAL_SHARE * 100:.0f} %"
        lines.append(("Input tokens a trial", f"{share * 100:.0f} %", goal))
    if best.cost.per_verified is not None:
        lines.append(("US dollars", f"{best.cost.per_verified:.4f}", "a verified trial"))
    return [(f"{plain(best.model)}: {label}", shown, remark) for label, shown, remark in lines]


# --- charts


def charts(found: Findings) -> tuple[Chart, ...]:
    """Average scores, and full scores beside verified ones, with their intervals."""
    averages, verified = [], []
    for one in found.summaries[:MAX_BARS]:
        averages.append(_average_bar(one))
        verified += [
            BarRow(plain(one.model)),
            _share("full score", one.full, "soft"),
            _share("verified", one.verified, "ours"),
        ]
    for each in found.published:
        parts = ((each.printed_average, "theirs", ""),)
        averages.append(BarRow(f"{each.name} ({PUBLISHED})", f"{each.printed_average:.1f}", parts))
    theirs = (("theirs", PUBLISHED),) if found.published else ()
    legend = (("ours", "measured here, with its 95 % interval"), *theirs)
    kinds = (("soft", "full score"), ("ours", "verified"))
    return (
        bar_chart("average", "Average score", "points of 100", averages, 100, legend=legend),
        bar_chart("verified", "Full score and verified", "per cent of trials", verified, 100, legend=kinds),
    )


def _average_bar(one: ModelSummary) -> BarRow:
    ends = (one.average_low, one.average_high)
    parts = ((one.average, "ours", ""),)
    return BarRow(plain(one.model), f"{one.average:.1f}", parts, ends if ends[0] < ends[1] else None)


def _share(label: str, measured: Rate, kind: str) -> BarRow:
    parts = ((100 * measured.count / measured.of, kind, ""),)
    return BarRow(label, f"{measured.count}/{measured.of}", parts, (100 * measured.low, 100 * measured.high))
