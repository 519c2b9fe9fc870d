"""The charts of a report, as geometry: bars in per cent of the width, drawn by the page's template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.bench.report.summary import ModelSummary
from verifaible.bench.report.tables import PUBLISHED, Findings
from verifaible.bench.report.usage import GOAL_SHARE, SEED_INPUT_A_CASE
from verifaible.reporting.tables import plain
from verifaible.scoring.failure_reasons import FAILURES

#: Pixels from one bar to the next, of the label above it included; of a heading; below the last bar.
_STEP, _HEADING, _FOOT = 38, 30, 24
#: More models than this make no readable chart; the tables have all.
MAX_BARS: Final = 24
_MAX_LABEL: Final = 30


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a bar: where it begins and how long it is, in per cent; ``kind`` is its style."""

    x: float
    width: float
    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its label; without segments it is a heading. ``y`` is the label's line, in pixels."""

    y: int
    label: str
    whole_label: str
    shown: str = ""
    segments: tuple[Segment, ...] = ()
    whisker: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart; ``described`` tells in words what it shows. ``mark`` is a line across all bars."""

    name: str
    title: str
    described: str
    bars: tuple[Bar, ...]
    height: int
    ticks: tuple[tuple[float, str], ...]
    mark: tuple[float, str] | None = None
    legend: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Row:
    """A bar before it has a place."""

    label: str
    shown: str = ""
    parts: tuple[tuple[float, str, str], ...] = ()
    whisker: tuple[float, float] | None = None


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
    rows = [
        _Row(
            plain(one.model),
            f"{one.average:.1f}",
            ((one.average, "ours", ""),),
            (one.average_low, one.average_high) if one.average_low < one.average_high else None,
        )
        for one in found.summaries[:MAX_BARS]
    ]
    rows += [
        _Row(
            f"{each.name} ({PUBLISHED})",
            f"{each.printed_average:.1f}",
            ((each.printed_average, "theirs", ""),),
        )
        for each in found.published
    ]
    legend = (("ours", "measured here, with its 95 % interval"), *_theirs(found))
    return _chart("average", "Average score", "points of 100", rows, 100, legend=legend)


def _theirs(found: Findings) -> tuple[tuple[str, str], ...]:
    return (("theirs", PUBLISHED),) if found.published else ()


def _verified(found: Findings) -> Chart:
    rows = []
    for one in found.summaries[:MAX_BARS]:
        rows += [
            _Row(plain(one.model)),
            _Row("full score", f"{one.full.count}/{one.full.of}", *_share(one, "full")),
            _Row("verified", f"{one.verified.count}/{one.verified.of}", *_share(one, "verified")),
        ]
    legend = (("soft", "full score"), ("ours", "verified"))
    return _chart("verified", "Full score and verified", "per cent of trials", rows, 100, legend=legend)


def _share(one: ModelSummary, kind: str) -> tuple[tuple[tuple[float, str, str], ...], tuple[float, float]]:
    measured = one.full if kind == "full" else one.verified
    part = (100 * measured.count / measured.of, "soft" if kind == "full" else "ours", "")
    return (part,), (100 * measured.low, 100 * measured.high)


def _categories(found: Findings) -> Chart | None:
    names = list(dict.fromkeys(group.name for one in found.summaries for group in one.by_category))
    if len(names) < 2 or len(names) > MAX_BARS:
        return None
    rows = []
    for name in names:
        rows.append(_Row(plain(name)))
        for one in found.summaries[:6]:
            for group in one.by_category:
                if group.name == name:
                    mean = group.points / group.trials
                    rows.append(_Row(plain(one.model), f"{mean:.1f}", ((mean, "ours", ""),)))
    return _chart("categories", "Average score by category", "points of 100", rows, 100)


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
        rows.append(_Row(plain(one.model), f"{count}/{one.trials}", parts))
    legend = tuple((f"s{at % 12}", reason.replace("_", " ")) for at, reason in enumerate(reasons))
    return _chart("failures", "Why trials failed", "per cent of trials", rows, 100, legend=legend)


def _tokens(found: Findings) -> Chart | None:
    used = [one for one in found.summaries if one.input_tokens][:MAX_BARS]
    if not used:
        return None
    rows = []
    for one in used:
        cached, whole = one.cached_input_tokens / one.trials, one.input_tokens / one.trials
        parts = ((cached, "soft", ""), (max(0.0, whole - cached), "ours", ""))
        rows.append(_Row(plain(one.model), f"{whole / 1000:.1f}K", parts))
    rows += [
        _Row(
            f"{each.name} ({PUBLISHED})",
            f"{each.input_tokens / 21_000:.1f}K",
            ((each.input_tokens / 21, "theirs", ""),),
        )
        for each in found.published
    ]
    goal = GOAL_SHARE * SEED_INPUT_A_CASE
    return _chart(
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
        rows.append(_Row(plain(one.model), f"{(cost.total or 0.0) + cost.lost:.4f}", parts))
    largest = max(sum(value for value, _, _ in row.parts) for row in rows)
    legend = (("ours", "billed"), ("soft", "estimated"), ("lost", "lost"))
    return _chart("cost", "What it cost", "US dollars", rows, largest, legend=legend)


# --- geometry


def _chart(
    name: str,
    title: str,
    unit: str,
    rows: Sequence[_Row],
    most: float,
    *,
    mark: tuple[float, str] | None = None,
    legend: tuple[tuple[str, str], ...] = (),
) -> Chart:
    scale = 100 / most if most > 0 else 0.0
    bars, y = [], 0
    for row in rows:
        bars.append(_placed(row, y, scale))
        y += _STEP if row.parts else _HEADING
    return Chart(
        name=name,
        title=title,
        described=_described(unit, rows, mark),
        bars=tuple(bars),
        height=y + _FOOT,
        ticks=_ticks(most),
        mark=(round(mark[0] * scale, 2), mark[1]) if mark and mark[0] <= most else None,
        legend=legend,
    )


def _placed(row: _Row, y: int, scale: float) -> Bar:
    segments, x = [], 0.0
    for value, kind, text in row.parts:
        width = value * scale
        if width > 0:
            segments.append(Segment(round(x, 2), round(width, 2), kind, text if width >= 5 else ""))
        x += width
    whisker = (round(row.whisker[0] * scale, 2), round(row.whisker[1] * scale, 2)) if row.whisker else None
    label = row.label if len(row.label) <= _MAX_LABEL else row.label[: _MAX_LABEL - 1] + "…"
    return Bar(y + 15, label, row.label, row.shown, tuple(segments), whisker)


def _ticks(most: float) -> tuple[tuple[float, str], ...]:
    """Five ticks from nothing to the whole width."""
    values = [most * part / 4 for part in range(5)]
    return tuple((25.0 * at, _short(value)) for at, value in enumerate(values))


def _short(value: float) -> str:
    if value >= 10_000:
        return f"{value / 1000:.0f}K"
    return f"{value:.0f}" if value >= 20 or value == 0 else f"{value:.2g}"


def _described(unit: str, rows: Sequence[_Row], mark: tuple[float, str] | None) -> str:
    told = [
        f"{row.label} {row.shown}"
        + (f" ({row.whisker[0]:.0f} to {row.whisker[1]:.0f})" if row.whisker else "")
        if row.parts
        else f"{row.label}:"
        for row in rows[:MAX_BARS]
    ]
    more = f" And {len(rows) - MAX_BARS} more." if len(rows) > MAX_BARS else ""
    line = f" A line marks {mark[1]}." if mark else ""
    return f"Bars, in {unit}. {'; '.join(told)}.{more}{line} The table has the figures."
