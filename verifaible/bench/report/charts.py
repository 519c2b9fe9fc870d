"""The charts of a report."""

from __future__ import annotations

from verifaible.bench.report.summary import Rate
from verifaible.bench.report.tables import Findings
from verifaible.bench.report.usage import GOAL_SHARE, SEED_INPUT_A_CASE
from verifaible.reporting.charts import MAX_BARS, BarRow, Chart, bar_chart
from verifaible.reporting.tables import PUBLISHED, Interval, plain
from verifaible.scoring.failure_reasons import FAILURES

#: Which chart stands above which table.
CHARTS = {
    "Leaderboard": "average",
    "Verified score": "verified",
    "Categories": "categories",
    "Failures": "failures",
    "Context economy": "tokens",
    "Cost": "cost",
}


def charts(found: Findings) -> tuple[Chart, ...]:
    """The charts of a report; those without anything to show are left out."""
    made = (
        _scores(found),
        _verified(found),
        _categories(found),
        _failures(found),
        _tokens(found),
        _cost(found),
    )
    return tuple(chart for chart in made if chart is not None)


def _scores(found: Findings) -> Chart:
    rows = []
    for one in found.summaries[:MAX_BARS]:
        ends = (one.average_low, one.average_high)
        rows.append(_bar(plain(one.model), one.average, "ours", ends if ends[0] < ends[1] else None))
    rows += [_bar(f"{each.name} ({PUBLISHED})", each.printed_average, "theirs") for each in found.published]
    legend = (("ours", "measured here, with its 95 % interval"), *_theirs(found))
    return bar_chart("average", "Average score", "points of 100", rows, 100, legend=legend)


def _bar(label: str, points: float, kind: str, ends: Interval | None = None) -> BarRow:
    return BarRow(label, f"{points:.1f}", ((points, kind, ""),), ends)


def _theirs(found: Findings) -> tuple[tuple[str, str], ...]:
    return (("theirs", PUBLISHED),) if found.published else ()


def _verified(found: Findings) -> Chart:
    rows = []
    for one in found.summaries[:MAX_BARS]:
        rows += [
            BarRow(plain(one.model)),
            _share("full score", one.full, "soft"),
            _share("verified", one.verified, "ours"),
        ]
    legend = (("soft", "full score"), ("ours", "verified"))
    return bar_chart("verified", "Full score and verified", "per cent of trials", rows, 100, legend=legend)


def _share(label: str, measured: Rate, kind: str) -> BarRow:
    parts = ((100 * measured.count / measured.of, kind, ""),)
    ends = (100 * measured.low, 100 * measured.high)
    return BarRow(label, f"{measured.count}/{measured.of}", parts, ends)


def _categories(found: Findings) -> Chart | None:
    names = list(dict.fromkeys(group.name for one in found.summaries for group in one.by_category))
    if len(names) < 2 or len(names) > MAX_BARS:
        return None
    rows = []
    for name in names:
        rows.append(BarRow(plain(name)))
        for one in found.summaries[:6]:
            for group in one.by_category:
                if group.name == name:
                    rows.append(_bar(plain(one.model), group.points / group.trials, "ours"))
    return bar_chart("categories", "Average score by category", "points of 100", rows, 100)


def _failures(found: Findings) -> Chart | None:
    reasons = [reason for reason in FAILURES if any(reason in one.failures for one in found.summaries)]
    if not reasons:
        return None
    rows = []
    for one in found.summaries[:MAX_BARS]:
        parts = tuple(
            (100 * one.failures[reason] / one.trials, f"s{at % 12}", str(one.failures[reason]))
            for at, reason in enumerate(reasons)
            if reason in one.failures
        )
        count = sum(one.failures.values())
        rows.append(BarRow(plain(one.model), f"{count}/{one.trials}", parts))
    legend = tuple((f"s{at % 12}", reason.replace("_", " ")) for at, reason in enumerate(reasons))
    return bar_chart("failures", "Why trials failed", "per cent of trials", rows, 100, legend=legend)


def _tokens(found: Findings) -> Chart | None:
    used = [one for one in found.summaries if one.input_tokens][:MAX_BARS]
    if not used:
        return None
    rows = []
    for one in used:
        cached, whole = one.cached_input_tokens / one.trials, one.input_tokens / one.trials
        parts = ((cached, "soft", ""), (max(0.0, whole - cached), "ours", ""))
        rows.append(BarRow(plain(one.model), f"{whole / 1000:.1f}K", parts))
    rows += [
        BarRow(
            f"{each.name} ({PUBLISHED})",
            f"{each.input_tokens / 21_000:.1f}K",
            ((each.input_tokens / 21, "theirs", ""),),
        )
        for each in found.published
    ]
    goal = GOAL_SHARE * SEED_INPUT_A_CASE
    return bar_chart(
        "tokens",
        "Input tokens a trial",
        "tokens",
        rows,
        max(sum(value for value, _, _ in row.parts) for row in rows),
        mark=(goal, f"goal {goal / 1000:.1f}K"),
        legend=(("soft", "read from the cache"), ("ours", "not cached"), *_theirs(found)),
    )


def _cost(found: Findings) -> Chart | None:
    known = [one for one in found.summaries if one.cost.total][:MAX_BARS]
    if not known:
        return None
    rows = []
    for one in known:
        cost = one.cost
        parts = ((cost.billed, "ours", ""), (cost.estimated, "soft", ""), (cost.lost, "lost", ""))
        rows.append(BarRow(plain(one.model), f"{(cost.total or 0.0) + cost.lost:.4f}", parts))
    largest = max(sum(value for value, _, _ in row.parts) for row in rows)
    legend = (("ours", "billed"), ("soft", "estimated"), ("lost", "lost"))
    return bar_chart("cost", "What it cost", "US dollars", rows, largest, legend=legend)
