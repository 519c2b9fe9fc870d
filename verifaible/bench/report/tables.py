"""What a report says of scores, in tables: leaderboard, verified score, errors, groups of cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from verifaible.bench.report.data import Pool
from verifaible.bench.report.summary import Bounds, GroupSummary, ModelSummary, Rate
from verifaible.reporting.tables import PUBLISHED, Cell, Column, Table, figure, plain, table_of
from verifaible.scoring import published
from verifaible.scoring.published import PublishedModel

ModelColumn: TypeAlias = Column[ModelSummary, PublishedModel]
_MODEL: Final[ModelColumn] = Column(
    "Model", lambda one: plain(one.model), lambda each: f"{each.name} ({PUBLISHED})"
)


@dataclass(frozen=True, slots=True)
class Findings:
    """What a report is drawn from."""

    pool: Pool
    summaries: tuple[ModelSummary, ...]
    published_anyway: bool = False

    @property
    def published(self) -> tuple[PublishedModel, ...]:
        """The published models, where they may stand beside ours: asked the same, or wanted all the same."""
        same = all(run.info.beside_published for run in self.pool.runs)
        return published.MODELS if same or self.published_anyway else ()

    @property
    def cases(self) -> tuple[str, ...]:
        """Every case, in order."""
        return self.pool.cases

    def table(
        self,
        title: str,
        columns: Sequence[ModelColumn],
        note: str = "",
        beside: Sequence[PublishedModel] | None = None,
    ) -> Table:
        """A table of our models with the published ones below.

        Args:
            title: of the table.
            columns: all but the first.
            note: what a reader must know.
            beside: other published models than those that may stand there.
        """
        theirs = self.published if beside is None else beside
        return table_of(title, (_MODEL, *columns), self.summaries, theirs, note=note)


def rate(measured: Rate) -> str:
    """``17/21 (60-92 %)``."""
    return f"{measured.count}/{measured.of} ({measured.low * 100:.0f}-{measured.high * 100:.0f} %)"


def score_tables(found: Findings) -> tuple[Table, ...]:
    """Everything about scores, for the front of a report."""
    tables = [_leaderboard(found), _verified(found)]
    if any(one.errors for one in found.summaries):
        tables.append(_errors(found))
    tables.append(_categories(found))
    tables += _groups(found, "Languages", [one.by_language for one in found.summaries])
    tables += _groups(found, "Difficulties", [one.by_difficulty for one in found.summaries])
    return tuple(tables)


def _leaderboard(found: Findings) -> Table:
    k = max((one.k for one in found.summaries), default=1)
    columns: tuple[ModelColumn, ...] = (
        Column("Rank", lambda one: _rank(found, one)),
        Column("Total", lambda one: f"{one.total:,}", lambda each: f"{each.printed_total:,}"),
        Column("Average", _average, lambda each: f"{each.printed_average:.1f}"),
        Column("Pass", lambda one: rate(one.passed), lambda each: f"{each.printed_passed}/21"),
        Column("Full", lambda one: rate(one.full), lambda each: f"{each.printed_full}/21"),
        Column("Verified", lambda one: rate(one.verified)),
        Column("Errors", lambda one: str(one.errors)),
        Column(f"pass@{k}", lambda one: f"{one.pass_at_k:.2f}"),
        Column(f"pass^{k}", lambda one: f"{one.pass_hat_k:.2f}"),
    )
    note = (
        "Pass: score over 0. Full: 100. Verified: the same trial, counted only if its evidence carries "
        "the answer. Errors (machine or endpoint) stay in the denominator. Intervals are 95 % (Wilson "
        "for shares, bootstrap over cases for averages, which has none where all cases are equal); with 21 "
        "cases those of 17/21 and 21/21 overlap, and ranks may be chance (see bench compare). "
        f"pass@{k}: at least one of {k} trials passes, pass^{k}: all of them. The published total of "
        "DeepSeek-R1 is printed as 1,080; the cells of its own matrix add up to "
        f"{published.cell_total('DeepSeek-R1'):,}."
    )
    return found.table("Leaderboard", columns, note)


def _average(one: ModelSummary) -> Cell:
    """The average; its interval only where there is one, since equal cases leave nothing to draw from."""
    ends = (one.average_low, one.average_high)
    return figure(one.average, ".1f", ends if ends[0] != ends[1] else None)


def _by_cases(one: ModelSummary) -> str:
    if one.verified_low == one.verified_high:
        return "-"
    return f"{one.verified_low * 100:.0f}-{one.verified_high * 100:.0f} %"


def _rank(found: Findings, one: ModelSummary) -> str:
    """The place by average; models with the same average share one."""
    if not one.rankable:
        return "not rankable"
    return str(1 + sum(each.rankable and each.average > one.average for each in found.summaries))


def _verified(found: Findings) -> Table:
    k = max((one.k for one in found.summaries), default=1)
    columns: tuple[ModelColumn, ...] = (
        Column("Verified", lambda one: rate(one.verified)),
        Column("By cases", _by_cases),
        Column("Full less verified", lambda one: f"{one.full.count - one.verified.count:+d}"),
        Column(f"pass@{k}", lambda one: f"{one.verified_at_k:.2f}"),
        Column(f"pass^{k}", lambda one: f"{one.verified_hat_k:.2f}"),
    )
    note = (
        "A trial is verified if a citation that its answer marks was made in it, re-verifies from its "
        "capture, stands on a page that the case names, shows the context asked for, and highlights the "
        "value. "
        "By cases: the 95 % interval when cases, with all their trials, are resampled. The published "
        "report has no such score."
    )
    return found.table("Verified score", columns, note, beside=())


def _errors(found: Findings) -> Table:
    def span(bounds: Bounds) -> str:
        return f"{bounds.low * 100:.0f}-{bounds.high * 100:.0f} %"

    def ends(one: ModelSummary) -> str:
        return f"{one.average_bounds.low:.1f}-{one.average_bounds.high:.1f}"

    columns: tuple[ModelColumn, ...] = (
        Column("Errors", lambda one: f"{one.errors}/{one.trials} ({one.errors / one.trials * 100:.1f} %)"),
        Column("Average", ends),
        Column("Pass", lambda one: span(one.passed_bounds)),
        Column("Verified", lambda one: span(one.verified_bounds)),
        Column("Rankable", lambda one: "yes" if one.rankable else "no"),
    )
    note = (
        "Each range is what the figure is if every error had failed, and if every error had passed. "
        "With more than 5 % of errors a model is not ranked: repeat the run."
    )
    return found.table("Errors of the machine and the endpoint", columns, note, beside=())


def _categories(found: Findings) -> Table:
    def column(name: str) -> ModelColumn:
        def ours(one: ModelSummary) -> str:
            parts = {part.category: part for part in one.categories}
            return f"{parts[name].points} / {parts[name].trials * 100}" if name in parts else "-"

        def theirs(model: PublishedModel) -> str:
            at = published.MODELS.index(model)
            points = [case.scores[at] for case in published.CASES if case.category == name]
            return f"{sum(points)} / {len(points) * 100}" if points else "-"

        return Column(plain(name), ours, theirs)

    names = dict.fromkeys(part.category for one in found.summaries for part in one.categories)
    return found.table("Categories", [column(name) for name in names])


def _groups(found: Findings, title: str, groups: Sequence[Sequence[GroupSummary]]) -> list[Table]:
    """A table by language or difficulty; none where nothing has one."""
    known = {
        (one.model, group.name): group
        for one, each in zip(found.summaries, groups, strict=True)
        for group in each
    }

    def told(group: GroupSummary | None) -> str:
        if group is None:
            return "-"
        return f"{group.points / group.trials:.1f}, {group.verified.count}/{group.verified.of}"

    def column(name: str) -> ModelColumn:
        return Column(plain(name) or "not named", lambda one: told(known.get((one.model, name))))

    names = list(dict.fromkeys(group.name for each in groups for group in each))
    note = "Average score, then how many of the trials are verified."
    return [found.table(title, [column(name) for name in names], note, beside=())] if any(names) else []
