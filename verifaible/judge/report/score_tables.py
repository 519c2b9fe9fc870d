"""Tables of what is judged of whole answers: rubric, kinds of error, the heat map, rankings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verifaible.judge.protocols.ranking import place_bias
from verifaible.judge.report import published
from verifaible.judge.report.cells import (
    Cell,
    Row,
    Table,
    beside_published,
    coloured,
    count,
    mean_cell,
    nothing,
    printed,
    proportion_cell,
    share_cell,
    words,
)
from verifaible.judge.report.metrics import Outcomes
from verifaible.judge.report.results import (
    LABELS,
    AnswerResult,
    Results,
    decided_value,
    rank_of,
    rank_outcomes,
    rubric_outcomes,
    taxonomy_outcomes,
)
from verifaible.reporting.tables import plain
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, Dimension, ErrorCategory
from verifaible.scoring.statistics import wilson_interval


def rubric_table(results: Results) -> Table:
    """Table 4: the mean of each dimension."""

    def cell(answers: Sequence[AnswerResult], name: Dimension) -> Cell:
        return _score_mean(answers, name, results.unjudged("rubric"))

    rows = [
        Row(cells=(words(model), *(cell(results.of(model), name) for name in DIMENSIONS)))
        for model in results.models
    ]
    return beside_published(
        ("Model", *(LABELS[name] for name in DIMENSIONS)),
        rows,
        lambda model: tuple(str(score) for score in model.rubric),
        beside=results.published,
        name="rubric",
        title="Rubric (table 4)",
        note=(
            "Points from 1 to 10; intervals over queries. The public scripts count each failure of their "
            "judge as 1 point."
        ),
    )


def taxonomy_table(results: Results) -> Table:
    """Table 9: the proportion of answers with each kind of error; models are the columns, as printed."""

    def cell(model: str, name: ErrorCategory) -> Cell:
        answers = results.of(model)
        values = [decided_value(each.judged.taxonomy.get(name)) for each in answers]
        present = sum(value is not None and value >= 0.5 for value in values)
        return proportion_cell(present, taxonomy_outcomes(answers, name), results.unjudged("taxonomy"))

    theirs = results.published
    rows = [
        Row(
            cells=(
                words(LABELS[name]),
                *(cell(model, name) for model in results.models),
                *(printed(str(model.errors[at])) for model in theirs),
            )
        )
        for at, name in enumerate(ERROR_CATEGORIES)
    ]
    return Table(
        name="taxonomy",
        title="Kinds of error (table 9)",
        columns=(
            "Kind of error",
            *map(plain, results.models),
            *(f"{model.name} (published)" for model in theirs),
        ),
        rows=tuple(rows),
        note=(
            "Share of answers with the error; Wilson intervals. The published columns are proportions from 0 "
            "to 1; the public scripts count each failure of their judge as all seven errors."
        ),
        source=published.SOURCE if theirs else "",
    )


def heat_map(results: Results) -> Table:
    """Figure 3: the mean of the four dimensions for each model and tag."""
    tags = results.tags
    told = results.unjudged("rubric")
    rows = []
    for model in results.models:
        answers = results.of(model)
        groups = [[each for each in answers if tag in each.tags] for tag in tags]
        rows.append(Row(cells=(words(model), *(_mean_of_four(group, told) for group in (*groups, answers)))))
    return Table(
        name="heat_map",
        title="Model and tag (figure 3)",
        columns=("Model", *map(plain, tags), "All"),
        rows=coloured(rows),
        note=(
            "Mean of the four dimensions over the answers of which all four were judged. Colours run from "
            "the lowest to the highest figure of this table."
        ),
    )


def ranking_table(results: Results) -> Table:
    """How models rank over all queries."""
    told = results.unjudged("ranking")
    rows = []
    for model in results.models:
        answers = results.of(model)
        outcomes = rank_outcomes(answers)
        ranked = [each for each in answers if each.place]
        wins = sum(each.place == 1 for each in ranked)
        interval = wilson_interval(wins, len(ranked))
        won = share_cell(wins / len(ranked), interval, len(ranked), outcomes.all) if ranked else None
        rows.append(
            Row(
                cells=(
                    words(model),
                    mean_cell(_by_query(ranked, rank_of), outcomes, told),
                    won or nothing(outcomes, told),
                )
            )
        )
    return Table(
        name="ranking",
        title="Ranking",
        columns=("Model", "Mean rank", "First place"),
        rows=tuple(rows),
        note=(
            "1 is best. A rank is the mean over balanced orders of the answers, judged without their "
            "models' names; answers of equal rank share a place."
        ),
    )


def place_table(results: Results) -> Table:
    """Whether the judge prefers a place: how answers were ranked by where they were shown."""
    ranks = [each.judged.rank for each in results.answers if each.judged.rank is not None]
    bias = place_bias(ranks)
    shown = zip(bias.mean_rank, bias.wins, strict=True) if bias else ()
    rows = [
        Row(
            cells=(
                words(str(place)),
                Cell(text=f"{mean:.2f}", state="figure", value=mean),
                Cell(text=f"{won * 100:.1f} %", state="figure", value=won),
            )
        )
        for place, (mean, won) in enumerate(shown, 1)
    ]
    return Table(
        name="places",
        title="Ranks by the place shown in",
        columns=("Shown as", "Mean rank", "First place"),
        rows=tuple(rows),
        note=(
            "Each answer stood in each place equally often: a judge without a preference for a place gives "
            "all rows about the same. Of the queries with the number of answers that most votes are about."
        ),
    )


def tag_rankings(results: Results) -> Table:
    """Rank and mean scores of each model for each tag; best rank first."""
    rows: list[tuple[str, float, Row]] = []
    for tag in results.tags:
        for model in results.models:
            answers = [each for each in results.of(model) if tag in each.tags]
            if not answers:
                continue
            ranked = [each for each in answers if each.place]
            rank = mean_cell(_by_query(ranked, rank_of), rank_outcomes(answers), results.unjudged("ranking"))
            scores = [_score_mean(answers, name, results.unjudged("rubric")) for name in DIMENSIONS]
            cells = (words(tag), words(model), rank, *scores, count(len(answers)))
            order = rank.value if rank.value is not None else float("inf")
            rows.append((tag, order, Row(cells=cells)))
    rows.sort(key=lambda each: each[:2])
    return Table(
        name="tag_rankings",
        title="Ranking by tag",
        columns=("Tag", "Model", "Mean rank", *(LABELS[name] for name in DIMENSIONS), "Answers"),
        rows=tuple(row for _, _, row in rows),
        note="Mean rank and mean points; few answers to a tag give wide intervals.",
    )


def _score_mean(answers: Sequence[AnswerResult], name: Dimension, told: str) -> Cell:
    def value(each: AnswerResult) -> float | None:
        return decided_value(each.judged.rubric.get(name))

    return mean_cell(_by_query(answers, value), rubric_outcomes(answers, name), told)


def _mean_of_four(answers: Sequence[AnswerResult], told: str) -> Cell:
    if not answers:
        return words("-")
    whole = [each for each in answers if each.mean_score is not None]
    if not whole:
        return nothing(sum((rubric_outcomes(answers, name) for name in DIMENSIONS), Outcomes()), told)
    outcomes = Outcomes(decided=len(whole), not_judged=len(answers) - len(whole))
    return mean_cell(_by_query(whole, lambda each: each.mean_score), outcomes, told)


def _by_query(
    answers: Sequence[AnswerResult], value: Callable[[AnswerResult], float | None]
) -> list[list[float]]:
    """The values that are known, those of one query together: they are not independent."""
    groups: dict[str, list[float]] = {}
    for each in answers:
        known = value(each)
        if known is not None:
            groups.setdefault(each.query, []).append(known)
    return list(groups.values())
