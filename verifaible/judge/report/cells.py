"""Cells of what was judged: each says how much of it was, and why there is no figure where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Final, TypeAlias

from verifaible.judge.report import published
from verifaible.judge.report.metrics import Outcomes, Share
from verifaible.judge.report.results import Results
from verifaible.reporting.tables import Cell, Column, Interval, Row, Table, figure, table_of, words
from verifaible.scoring.statistics import student_quantile, wilson_interval

#: Less spread than this is that of the arithmetic.
_NO_SPREAD: Final = 1e-12
#: A column of what was judged of each model.
ModelColumn: TypeAlias = Column[str, published.PublishedModel]
HOW: Final = (
    "Behind the comma: judged of all. Ranges in brackets are 95 % intervals (Student's, over clusters); what "
    "was not judged, or failed, is in no figure."
)


def nothing(outcomes: Outcomes, unjudged: str) -> Cell:
    """A cell that no figure can stand in, with the reason.

    Args:
        outcomes: of the items it is about, none of them decided.
        unjudged: what to say where nobody was asked: ``not judged: no model``.
    """
    told = []
    if outcomes.failed:
        told.append(f"failed: {outcomes.failed:,} of {outcomes.all:,}")
    if outcomes.abstain:
        told.append(f"abstained: {outcomes.abstain:,} of {outcomes.all:,}")
    if not told:
        told = [unjudged if outcomes.all else "nothing to judge"]
    elif outcomes.not_judged:
        told.append(unjudged)
    return Cell(text="; ".join(told), state="nothing", n=0, of=outcomes.all)


def mean_cell(
    clusters: Sequence[Sequence[float]], outcomes: Outcomes, unjudged: str, digits: int = 2
) -> Cell:
    """The mean of scores with its interval, for which the clusters are independent of each other.

    Args:
        clusters: the scores; those of one query, or of one answer, together. None is empty.
        outcomes: of everything that should have a score.
        unjudged: as in :func:`nothing`.
        digits: behind the decimal point.
    """
    values = [value for cluster in clusters for value in cluster]
    if not values:
        return nothing(outcomes, unjudged)
    interval = mean_interval(clusters)
    return figure(fmean(values), f".{digits}f", interval, n=len(values), of=outcomes.all)


def claims_cell(counts: Sequence[tuple[int, int]], outcomes: Outcomes, unjudged: str) -> Cell:
    """A share of claims with its interval, for which the answers are independent of each other.

    Where all claims are alike the interval is Wilson's, with answers for
    trials, since the claims of one answer are not independent.

    Args:
        counts: of each answer: claims that count, and claims that were decided.
        outcomes: of all the claims.
        unjudged: as in :func:`nothing`.
    """
    known = [(good, decided) for good, decided in counts if decided]
    decided = sum(each for _, each in known)
    if not decided:
        return nothing(outcomes, unjudged)
    share = sum(good for good, _ in known) / decided
    interval: Interval | None
    if share in (0, 1):
        interval = wilson_interval(len(known) if share else 0, len(known))
    else:
        interval = mean_interval([[1.0] * good + [0.0] * (each - good) for good, each in known])
    return share_cell(share, interval, decided, outcomes.all)


def mean_interval(clusters: Sequence[Sequence[float]]) -> Interval | None:
    """The 95 % interval of the mean of all values, of which those of a cluster are not independent.

    Student's interval of the mean as a ratio of sums. Of 30 and 200 clusters it held the truth in as many
    simulated runs as a percentile bootstrap over them, up to four more or one less of a hundred; of values
    that are rare (2 %) both held it in too few, 82 of a hundred at 30 clusters. One cluster alone has none,
    and neither have clusters whose means are all alike: that nothing varies among a few does not make the
    mean certain.

    Args:
        clusters: the values; none is empty.

    Source: W. G. Cochran, Sampling Techniques (1977), section 6.4, for the variance of a ratio.
    """
    count = len(clusters)
    if count < 2:
        return None
    size = sum(map(len, clusters)) / count
    mean = fmean(map(sum, clusters)) / size
    apart = [(sum(cluster) - mean * len(cluster)) / size for cluster in clusters]
    error = sqrt(sum(each**2 for each in apart) / (count * (count - 1)))
    if error < _NO_SPREAD * max(1.0, abs(mean)):
        return None
    half = student_quantile(0.975, count - 1) * error
    lowest, highest = min(map(min, clusters)), max(map(max, clusters))
    return max(lowest, mean - half), min(highest, mean + half)


def share_cell(share: float, interval: Interval | None, n: int, of: int) -> Cell:
    """A share that was reckoned already; one answer alone has no interval."""
    return figure(share, ".1f", interval, share=True, n=n, of=of)


def proportion_cell(present: int, outcomes: Outcomes, unjudged: str) -> Cell:
    """A share of independent answers with its Wilson interval."""
    n = outcomes.decided
    if not n:
        return nothing(outcomes, unjudged)
    return share_cell(present / n, wilson_interval(present, n), n, outcomes.all)


def bounds_cell(good: int, outcomes: Outcomes, unjudged: str) -> Cell:
    """A share if all that is undecided went against it, and if all went for it."""
    if not outcomes.all:
        return words("-")
    low, high = good / outcomes.all, (good + outcomes.undecided) / outcomes.all
    if not outcomes.decided:
        return Cell(text=unjudged, state="nothing", low=low, high=high, n=0, of=outcomes.all)
    text = f"{low * 100:.1f} %" if low == high else f"{low * 100:.1f}-{high * 100:.1f} %"
    return Cell(text=text, state="figure", low=low, high=high, n=outcomes.decided, of=outcomes.all)


def span_cell(share: Share, unjudged: str) -> Cell:
    """A share of an answer's claims with what the undecided ones could still make of it."""
    if share.low is None or share.high is None:
        return words("-")
    low, high, of = share.low, share.high, share.of
    if share.value is None:
        return Cell(text=unjudged, state="nothing", low=low, high=high, n=0, of=of)
    shown = None if low == high else (low, high)
    made = figure(share.value, ".0f", shown, share=True, n=share.decided, of=of)
    return made.model_copy(update={"low": low, "high": high})


def model_table(
    results: Results,
    title: str,
    columns: Sequence[ModelColumn],
    *,
    name: str,
    note: str,
) -> Table:
    """A table with a row for each model, the published ones below.

    Args:
        results: whose models they are.
        title: of the table.
        columns: all but the first.
        name: of the table, for programs.
        note: what a reader must know, before :data:`HOW`.
    """
    first: ModelColumn = Column("Model", words, lambda each: f"{each.name} (published)")
    source = published.SOURCE if results.published else ""
    models = (results.models, results.published)
    return table_of(title, (first, *columns), *models, name=name, note=f"{note} {HOW}", source=source)


@dataclass(frozen=True, slots=True)
class Unjudged:
    """What was not judged for the same reason: tables, and of those that are shown their columns."""

    why: str
    left_out: tuple[tuple[str, tuple[str, ...]], ...]

    def line(self) -> str:
        """One line for a reader."""
        names = [f"{title}: {', '.join(columns)}" if columns else title for title, columns in self.left_out]
        return f"{self.why.replace(': ', ', ', 1).capitalize()}: {'; '.join(names)}."


def without_unjudged(tables: Sequence[Table]) -> tuple[tuple[Table, ...], tuple[Unjudged, ...]]:
    """The tables without the columns in which nothing was judged, and what was left out, by the reason why.

    A table that has no other figures than counts then is left out whole. Failed and abstained judgements are
    results: they stay.
    """
    kept: list[Table] = []
    lacking: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for table in tables:
        empty = {at: why for at in range(1, len(table.columns)) if (why := _why_empty(table, at))}
        left = _with_columns(table, [at for at in range(len(table.columns)) if at not in empty])
        whole = bool(empty) and not any(each.n or _ended(each) for row in left.rows for each in row.cells)
        kept += [] if whole else [left]
        for why in dict.fromkeys(empty.values()):
            columns = () if whole else tuple(table.columns[at] for at in empty if empty[at] == why)
            lacking.setdefault(why, []).append((table.title, columns))
    return tuple(kept), tuple(Unjudged(why, tuple(names)) for why, names in lacking.items())


def _why_empty(table: Table, at: int) -> str:
    """Why nothing in a column was judged; empty where something was, or nothing was to be."""
    cells = [row.cells[at] for row in table.rows]
    told = [each.text for each in cells if each.state == "nothing" and each.text.startswith("not judged")]
    others = [each for each in cells if each.state != "nothing" and each.text != "-" and each.n != 0]
    return told[0] if told and not others and not any(map(_ended, cells)) else ""


def _ended(cell: Cell) -> bool:
    """Whether a cell says that judging was tried and gave nothing."""
    return cell.state == "nothing" and cell.text.startswith(("failed", "abstained"))


def _with_columns(table: Table, places: Sequence[int]) -> Table:
    rows = tuple(
        row.model_copy(update={"cells": tuple(row.cells[at] for at in places)})
        for row in table.rows
        if not _counts_nothing(row)
    )
    return table.model_copy(update={"columns": tuple(table.columns[at] for at in places), "rows": rows})


def _counts_nothing(row: Row) -> bool:
    """Whether a row counts what was not judged: its counts are all 0, and a cell says why."""
    figures = [each.text for each in row.cells if each.state == "figure"]
    return any(each.state == "nothing" for each in row.cells) and set(figures) == {"0"}
