"""Cells of what was judged: each says how much of it was, and why there is no figure where there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from verifaible.reporting.tables import Cell, Interval, Table, figure, words
from verifaible.schema.base import Record
from verifaible.stats import cluster_interval, wilson_interval


class Outcomes(Record):
    """How many items ended how; only the first are figures."""

    decided: int = 0
    failed: int = 0
    abstain: int = 0
    not_judged: int = 0

    @classmethod
    def of(cls, outcomes: Iterable[str]) -> Outcomes:
        """Count outcomes (:data:`verifaible.schema.judged.Outcome`)."""
        counts = Counter(outcomes)
        return cls(**{name: counts[name] for name in cls.model_fields})

    @property
    def all(self) -> int:
        """Every item."""
        return self.decided + self.undecided

    @property
    def undecided(self) -> int:
        """Those without a verdict."""
        return self.failed + self.abstain + self.not_judged

    def __add__(self, other: Outcomes) -> Outcomes:
        return Outcomes(
            **{name: getattr(self, name) + getattr(other, name) for name in Outcomes.model_fields}
        )

    def why_none(self, unjudged: str) -> str:
        """Why a figure over these has nothing to rest on.

        Args:
            unjudged: what to say where nobody was asked: ``not judged: no model``.
        """
        tried = [
            f"{name}: {number:,} of {self.all:,}"
            for name, number in (("failed", self.failed), ("abstained", self.abstain))
            if number
        ]
        if not tried:
            return unjudged if self.all else "nothing to judge"
        return "; ".join([*tried, *([unjudged] if self.not_judged else [])])


def nothing(outcomes: Outcomes, unjudged: str) -> Cell:
    """A cell that no figure can stand in, with the reason; see :meth:`Outcomes.why_none`."""
    return Cell(text=outcomes.why_none(unjudged), state="nothing", n=0, of=outcomes.all)


def mean_cell(
    clusters: Sequence[Sequence[float]], outcomes: Outcomes, unjudged: str, digits: int = 2
) -> Cell:
    """The mean of scores with its interval, for which the clusters are independent of each other.

    Args:
        clusters: the scores; those of one query, or of one answer, together. None is empty.
        outcomes: of everything that should have a score.
        unjudged: see :meth:`Outcomes.why_none`.
        digits: behind the decimal point.
    """
    values = [value for cluster in clusters for value in cluster]
    if not values:
        return nothing(outcomes, unjudged)
    interval = cluster_interval(clusters)
    return figure(fmean(values), f".{digits}f", interval, n=len(values), of=outcomes.all)


def share_cell(counts: Sequence[tuple[int, int]], outcomes: Outcomes, unjudged: str) -> Cell:
    """A share of items that come in clusters, as the claims of answers do, with its interval.

    Where all items are alike the interval is Wilson's, with clusters for trials, since the items of one
    cluster are not independent.

    Args:
        counts: of each cluster: items that count, and items that were decided.
        outcomes: of all the items.
        unjudged: see :meth:`Outcomes.why_none`.
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
        interval = cluster_interval([[1.0] * good + [0.0] * (each - good) for good, each in known])
    return figure(share, ".1f", interval, share=True, n=decided, of=outcomes.all)


def proportion_cell(present: int, outcomes: Outcomes, unjudged: str) -> Cell:
    """A share of independent items with its Wilson interval."""
    n = outcomes.decided
    if not n:
        return nothing(outcomes, unjudged)
    return figure(present / n, ".1f", wilson_interval(present, n), share=True, n=n, of=outcomes.all)


def bounds_cell(good: int, outcomes: Outcomes, unjudged: str) -> Cell:
    """A share if all that is undecided went against it, and if all went for it."""
    if not outcomes.all:
        return words("-")
    low, high = good / outcomes.all, (good + outcomes.undecided) / outcomes.all
    if not outcomes.decided:
        return Cell(text=unjudged, state="nothing", low=low, high=high, n=0, of=outcomes.all)
    text = f"{low * 100:.1f} %" if low == high else f"{low * 100:.1f}-{high * 100:.1f} %"
    return Cell(text=text, state="figure", low=low, high=high, n=outcomes.decided, of=outcomes.all)


def without_unjudged(tables: Sequence[Table]) -> tuple[tuple[Table, ...], tuple[str, ...]]:
    """The tables without the columns in which nothing was judged, and a line for each reason why.

    A table that has no other figures than counts then is left out whole. Failed and abstained judgements are
    results: they stay.
    """
    kept: list[Table] = []
    lacking: dict[str, list[str]] = {}
    for table in tables:
        empty = {at: why for at in range(1, len(table.columns)) if (why := _why_empty(table, at))}
        left = _without_columns(table, empty)
        whole = bool(empty) and not any(each.n or _tried(each) for row in left.rows for each in row.cells)
        kept += [] if whole else [left]
        for why in dict.fromkeys(empty.values()):
            columns = ", ".join(table.columns[at] for at in empty if empty[at] == why)
            lacking.setdefault(why, []).append(table.title if whole else f"{table.title}: {columns}")
    lines = (f"{why.replace(': ', ', ', 1).capitalize()}: {'; '.join(lacking[why])}." for why in lacking)
    return tuple(kept), tuple(lines)


def _why_empty(table: Table, at: int) -> str:
    """Why nothing in a column was judged; empty where something was, or nothing was to be."""
    cells = [row.cells[at] for row in table.rows]
    told = [each.text for each in cells if each.state == "nothing" and each.text.startswith("not judged")]
    others = [each for each in cells if each.state != "nothing" and each.text != "-" and each.n != 0]
    return told[0] if told and not others and not any(map(_tried, cells)) else ""


def _tried(cell: Cell) -> bool:
    """Whether a cell says that judging was tried and gave nothing."""
    return cell.state == "nothing" and cell.text.startswith(("failed", "abstained"))


def _without_columns(table: Table, empty: Iterable[int]) -> Table:
    """A table without columns, and without rows that only count what was not judged."""
    places = [at for at in range(len(table.columns)) if at not in set(empty)]
    rows = []
    for row in table.rows:
        figures = {each.text for each in row.cells if each.state == "figure"}
        if figures != {"0"} or not any(each.state == "nothing" for each in row.cells):
            rows.append(row.model_copy(update={"cells": tuple(row.cells[at] for at in places)}))
    columns = tuple(table.columns[at] for at in places)
    return table.model_copy(update={"columns": columns, "rows": tuple(rows)})
