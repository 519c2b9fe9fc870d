"""Before and after: two folders of judged answers to the same queries (figure 4 of the paper)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import Share
from verifaible.judge.results import LABELS, AnswerResult, read_results
from verifaible.reporting.tables import Cell, Table, figure, row, words
from verifaible.schema.judged import DIMENSIONS, Dimension
from verifaible.scoring.paired import compare_paired, holm

#: Of what is drawn at random, so that the same rows give the same tables.
_SEED: Final = 20260221
#: Scores become whole numbers for the exact test; 2520 is divided by 1 to 10, so that no mean of up to ten
#: repeats is rounded.
_SCALE: Final = 2520
_Value: TypeAlias = Callable[[AnswerResult], float | None]


def before_and_after(before: JudgeFolder, after: JudgeFolder) -> tuple[Table, ...]:
    """The differences of the rubric, and of the shares of claims that were verified and rightly cited.

    A query counts where both folders have decided it for the model; several answers to it count as their
    mean.

    Raises:
        RunError: a folder holds no run, or is damaged.
    """

    def points(name: Dimension) -> _Value:
        return lambda each: each.value(name)

    def percent(share: Share) -> float | None:
        return None if share.value is None else 100 * share.value

    figures: dict[str, _Value] = {LABELS[name]: points(name) for name in DIMENSIONS}
    figures["Verified claims, %"] = lambda each: percent(each.hallucination.share)
    figures["Citation precision, %"] = lambda each: percent(each.citations.share)
    first, second = read_results(before), read_results(after)
    models = [model for model in first.models if model in second.models]
    lines = [
        [_difference(first.of(model), second.of(model), value) for value in figures.values()]
        for model in models
    ]
    adjusted = iter(holm([p for line in lines for _, p in line if p is not None]))
    rows = []
    for model, line in zip(models, lines, strict=True):
        cells = [
            cell if p is None else cell.model_copy(update={"text": f"{cell.text}, p {next(adjusted):.2g}"})
            for cell, p in line
        ]
        rows.append(row(words(model), *cells))
    left_out = [model for model in (*first.models, *second.models) if model not in models]
    told = f" Not in both folders, and left out: {', '.join(left_out)}." if left_out else ""
    table = Table(
        name="before_after",
        title="After less before (figure 4)",
        columns=("Model", *figures),
        rows=tuple(rows),
        note=(
            "Mean difference in points, of claims in per cent points, over the queries that both have, with "
            "its paired 95 % bootstrap interval; behind it the queries, how many rose and fell, and the "
            "p-value of a sign-flip test, corrected for all cells of this table (Holm). Positive is "
            f"better.{told}"
        ),
    )
    return (table,)


def _difference(
    before: Sequence[AnswerResult], after: Sequence[AnswerResult], value: _Value
) -> tuple[Cell, float | None]:
    first, second = _by_query(after, value), _by_query(before, value)
    shared = len(set(first) & set(second))
    of = len({each.answer.query for each in before} & {each.answer.query for each in after})
    if not shared:
        return Cell(text="not judged in both", state="nothing", n=0, of=of), None
    found = compare_paired(first, second, _SEED)
    mean, low, high = (each / _SCALE for each in (found.mean_difference, found.low, found.high))
    # equal differences of a few make nothing certain
    ends = (low, high) if shared > 1 and low < high else None
    told = f", {found.better}↑ {found.worse}↓"
    return figure(mean, "+.2f", ends, to=" to ", n=shared, of=of, more=told), found.p_value


def _by_query(answers: Sequence[AnswerResult], value: _Value) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for each in answers:
        if (known := value(each)) is not None:
            groups.setdefault(each.answer.query, []).append(round(known * _SCALE))
    return groups
