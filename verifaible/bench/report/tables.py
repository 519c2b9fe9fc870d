"""What a report says of scores, in tables: ranks, verified score, errors, groups of cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from verifaible.bench.report.data import Pool
from verifaible.bench.report.ranking import Place, Ranking
from verifaible.bench.report.summary import Bounds, GroupSummary, ModelSummary, Rate
from verifaible.reporting.tables import Table, plain
from verifaible.scoring import published

PUBLISHED: Final = "published"


@dataclass(frozen=True, slots=True)
class Findings:
    """What a report is drawn from."""

    pool: Pool
    summaries: tuple[ModelSummary, ...]
    ranking: Ranking
    published_anyway: bool = False

    @property
    def published(self) -> tuple[published.PublishedModel, ...]:
        """The published models, where they may stand beside ours: asked the same, or wanted all the same."""
        same = all(run.info.beside_published for run in self.pool.runs)
        return published.MODELS if same or self.published_anyway else ()

    @property
    def cases(self) -> tuple[str, ...]:
        """Every case, in order."""
        return self.pool.cases

    def place(self, model: str) -> Place | None:
        """The place of a model; None where it is not ranked."""
        return next((each for each in self.ranking.places if each.model == model), None)


def rate(measured: Rate) -> str:
    """``17/21 (60-92 %)``."""
    return f"{measured.count}/{measured.of} ({measured.low * 100:.0f}-{measured.high * 100:.0f} %)"


def with_published(  # noqa: PLR0917
    found: Findings,
    title: str,
    columns: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    printed: Callable[[published.PublishedModel], tuple[str, ...]],
    note: str = "",
) -> Table:
    """A table of our models with the published ones below."""
    below = [(f"{each.name} ({PUBLISHED})", *printed(each)) for each in found.published]
    marked = tuple(range(len(rows), len(rows) + len(below)))
    return Table(title=title, columns=columns, rows=(*rows, *below), note=note, published=marked)


def score_tables(found: Findings) -> tuple[Table, ...]:
    """Everything about scores, for the front of a report."""
    tables = [_leaderboard(found), _verified(found)]
    if len(found.summaries) > 1:
        tables.append(_ranking(found))
    if any(one.errors for one in found.summaries):
        tables.append(_errors(found))
    tables.append(_categories(found))
    tables += _groups(found, "Languages", [one.by_language for one in found.summaries])
    tables += _groups(found, "Difficulties", [one.by_difficulty for one in found.summaries])
    return tuple(tables)


def _leaderboard(found: Findings) -> Table:
    k = max((one.k for one in found.summaries), default=1)
    rows = [
        (
            plain(one.model),
            _place(found, one),
            f"{one.total:,}",
            _average(one),
            rate(one.passed),
            rate(one.full),
            rate(one.verified),
            str(one.errors),
            f"{one.pass_at_k:.2f}",
            f"{one.pass_hat_k:.2f}",
        )
        for one in found.summaries
    ]
    note = (
        "Pass: score over 0. Full: 100. Verified: the same trial, counted only if its evidence carries "
        "the answer. Errors (machine or endpoint) stay in the denominator. Intervals are 95 % (Wilson "
        "for shares, bootstrap over cases for averages, which has none where all cases are equal); with 21 "
        "cases those of 17/21 and 21/21 overlap. "
        f"pass@{k}: at least one of {k} trials passes, pass^{k}: all of them. The published total of "
        "DeepSeek-R1 is printed as 1,080; the cells of its own matrix add up to "
        f"{published.cell_total('DeepSeek-R1'):,}."
    )
    return with_published(
        found,
        "Leaderboard",
        (
            "Model",
            "Rank",
            "Total",
            "Average",
            "Pass",
            "Full",
            "Verified",
            "Errors",
            f"pass@{k}",
            f"pass^{k}",
        ),
        rows,
        lambda each: (
            "-",
            f"{each.printed_total:,}",
            f"{each.printed_average:.1f}",
            f"{each.printed_passed}/21",
            f"{each.printed_full}/21",
            *("-",) * 4,
        ),
        note,
    )


def _average(one: ModelSummary) -> str:
    """The average; its interval only where there is one, since equal cases leave nothing to draw from."""
    if one.average_low == one.average_high:
        return f"{one.average:.1f}"
    return f"{one.average:.1f} ({one.average_low:.1f}-{one.average_high:.1f})"


def _by_cases(one: ModelSummary) -> str:
    if one.verified_low == one.verified_high:
        return "-"
    return f"{one.verified_low * 100:.0f}-{one.verified_high * 100:.0f} %"


def _place(found: Findings, one: ModelSummary) -> str:
    if not one.rankable:
        return "not rankable"
    place = found.place(one.model)
    return place.shown if place else "-"


def _verified(found: Findings) -> Table:
    k = max((one.k for one in found.summaries), default=1)
    rows = [
        (
            plain(one.model),
            rate(one.verified),
            _by_cases(one),
            f"{one.full.count - one.verified.count:+d}",
            f"{one.verified_at_k:.2f}",
            f"{one.verified_hat_k:.2f}",
        )
        for one in found.summaries
    ]
    return Table(
        title="Verified score",
        columns=("Model", "Verified", "By cases", "Full less verified", f"pass@{k}", f"pass^{k}"),
        rows=tuple(rows),
        note=(
            "A trial is verified if a citation that its answer marks was made in it, re-verifies from its "
            "capture, stands on the case's site, shows the context asked for, and highlights the value. "
            "By cases: the 95 % interval if cases, with all their trials, are drawn again. The published "
            "report has no such score."
        ),
    )


def _ranking(found: Findings) -> Table:
    rows = []
    for each in found.ranking.neighbours:
        first, second = found.place(each.pair.first), found.place(each.pair.second)
        assert first is not None and second is not None
        rows.append(
            (
                f"{plain(each.pair.first)} ({first.tier}) - {plain(each.pair.second)} ({second.tier})",
                f"{each.score.mean_difference:+.1f} ({each.score.low:+.1f} to {each.score.high:+.1f})",
                f"{each.score.better} / {each.score.worse} / {each.score.equal}",
                f"{each.pair.p_value:.3g}",
                f"{each.pair.p_adjusted:.3g}",
                "yes" if each.pair.told_apart else "no",
                f"{each.verified.mean_difference:+.1f} %, p {each.verified.p_value:.3g}",
            )
        )
    return Table(
        title="Which places can be told apart",
        columns=(
            "Neighbours (tier)",
            "Difference of averages",
            "Cases better / worse / equal",
            "p",
            "p, Holm",
            "Told apart",
            "Verified",
        ),
        rows=tuple(rows),
        note=(
            "Compared on the same cases: sign-flip permutation test on the differences case by case, "
            "two-sided, corrected for all pairs (Holm); paired bootstrap interval. Models that share a "
            "letter cannot be told apart at 5 %. In the leaderboard a rank such as 1-3 is the range of "
            "places that a model may have."
            + ("" if found.ranking.complete else " Some models share no case and were not compared.")
        ),
    )


def _errors(found: Findings) -> Table:
    def span(bounds: Bounds) -> str:
        return f"{bounds.low * 100:.0f}-{bounds.high * 100:.0f} %"

    rows = [
        (
            plain(one.model),
            f"{one.errors}/{one.trials} ({one.errors / one.trials * 100:.1f} %)",
            f"{one.average_bounds.low:.1f}-{one.average_bounds.high:.1f}",
            span(one.passed_bounds),
            span(one.verified_bounds),
            "yes" if one.rankable else "no",
        )
        for one in found.summaries
    ]
    return Table(
        title="Errors of the machine and the endpoint",
        columns=("Model", "Errors", "Average", "Pass", "Verified", "Rankable"),
        rows=tuple(rows),
        note=(
            "Each range is what the figure is if every error had failed, and if every error had passed. "
            "With more than 5 % of errors a model is not ranked: repeat the run."
        ),
    )


def _categories(found: Findings) -> Table:
    names = list(dict.fromkeys(part.category for one in found.summaries for part in one.categories))
    rows = []
    for one in found.summaries:
        parts = {part.category: part for part in one.categories}
        cells = [
            f"{parts[name].points} / {parts[name].trials * 100}" if name in parts else "-" for name in names
        ]
        rows.append((plain(one.model), *cells))

    def printed(model: published.PublishedModel) -> tuple[str, ...]:
        at = published.MODELS.index(model)
        points = [[row.scores[at] for row in published.CASES if row.category == name] for name in names]
        return tuple(f"{sum(each)} / {len(each) * 100}" if each else "-" for each in points)

    return with_published(found, "Categories", ("Model", *map(plain, names)), rows, printed)


def _groups(found: Findings, title: str, groups: Sequence[Sequence[GroupSummary]]) -> list[Table]:
    """A table by language or difficulty; none where nothing has one."""
    names = list(dict.fromkeys(group.name for each in groups for group in each))
    if not any(names):
        return []
    rows = []
    for one, known in zip(found.summaries, groups, strict=True):
        named = {group.name: group for group in known}
        rows.append((plain(one.model), *(_group(named.get(name)) for name in names)))
    return [
        Table(
            title=title,
            columns=("Model", *(plain(name) or "not named" for name in names)),
            rows=tuple(rows),
            note="Average score; behind it how many of its trials are verified.",
        )
    ]


def _group(group: GroupSummary | None) -> str:
    if group is None:
        return "-"
    return f"{group.points / group.trials:.1f}, {group.verified.count}/{group.verified.of}"
