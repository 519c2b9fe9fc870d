"""Tables of what is judged of whole answers: rubric, kinds of error, the heat map."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verifaible.judge.report import published
from verifaible.judge.report.cells import ModelColumn, mean_cell, model_table, nothing, proportion_cell
from verifaible.judge.report.metrics import Outcomes
from verifaible.judge.report.results import (
    LABELS,
    AnswerResult,
    Results,
    decided_value,
    rubric_outcomes,
    taxonomy_outcomes,
)
from verifaible.reporting.tables import (
    Cell,
    Column,
    Table,
    coloured,
    plain,
    printed,
    row,
    words,
)
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, Dimension, ErrorCategory


def rubric_table(results: Results) -> Table:
    """Table 4: the mean of each dimension."""

    def column(at: int, name: Dimension) -> ModelColumn:
        def ours(model: str) -> Cell:
            return _score_mean(results.of(model), name, results.unjudged("rubric"))

        return Column(LABELS[name], ours, lambda model: str(model.rubric[at]))

    return model_table(
        results,
        "Rubric (table 4)",
        [column(at, name) for at, name in enumerate(DIMENSIONS)],
        name="rubric",
        note=(
            "Points from 1 to 10; intervals over queries. The public scripts count each failure of their "
            "judge as 1 point."
        ),
    )


def taxonomy_table(results: Results) -> Table:
    """Table 9: the proportion of answers with each kind of error; models are the columns, as printed."""

    told = results.unjudged("taxonomy")
    theirs = results.published
    rows = [
        row(
            LABELS[name],
            *(present_cell(results.of(model), name, told) for model in results.models),
            *(printed(str(model.errors[at])) for model in theirs),
        )
        for at, name in enumerate(ERROR_CATEGORIES)
    ]
    models = (*map(plain, results.models), *(f"{model.name} (published)" for model in theirs))
    return Table(
        name="taxonomy",
        title="Kinds of error (table 9)",
        columns=("Kind of error", *models),
        rows=tuple(rows),
        note=(
            "Share of answers with the error; Wilson intervals. The published columns are proportions from 0 "
            "to 1; the public scripts count each failure of their judge as all seven errors."
        ),
        source=published.SOURCE if theirs else "",
    )


def present_cell(answers: Sequence[AnswerResult], name: ErrorCategory, unjudged: str) -> Cell:
    """The proportion of answers with a kind of error."""
    values = [decided_value(each.judged.taxonomy.get(name)) for each in answers]
    present = sum(value is not None and value >= 0.5 for value in values)
    return proportion_cell(present, taxonomy_outcomes(answers, name), unjudged)


def heat_map(results: Results) -> Table:
    """Figure 3: the mean of the four dimensions for each model and tag."""
    tags = results.tags
    told = results.unjudged("rubric")
    rows = []
    for model in results.models:
        answers = results.of(model)
        groups = [[each for each in answers if tag in each.tags] for tag in tags]
        rows.append(row(words(model), *(_mean_of_four(group, told) for group in (*groups, answers))))
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
