"""Before and after: two folders of judged answers to the same queries (figure 4 of the paper)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report.results import LABELS, AnswerResult, Results, decided_value, read_results
from verifaible.reporting.tables import Cell, Table, figure, row, words
from verifaible.schema.judged import DIMENSIONS, Dimension
from verifaible.scoring.paired import compare_paired, holm

#: Of what is drawn at random, so that the same rows give the same tables.
_SEED: Final = 20260221
#: Scores become whole numbers for the exact test; 2520 is divided by 1 to 10, so that no mean of up to ten
#: repeats is rounded.
_SCALE: Final = 2520
_NAMES: Final = {**LABELS, "verified": "Verified claims", "precision": "Citation precision"}


def before_and_after(before: JudgeFolder, after: JudgeFolder) -> tuple[Table, ...]:
    """What changed from one folder to the other, on the answers that both have.

    Raises:
        RunError: a folder holds no run, or is damaged.
    """
    return comparison_tables(read_results(before), read_results(after))


def comparison_tables(before: Results, after: Results) -> tuple[Table, ...]:
    """The differences of the rubric, and of the shares of claims that were verified and rightly cited.

    A query counts where both folders have decided it for the model; several answers to it count as their
    mean.
    """
    scores = tuple((name, _points(name)) for name in DIMENSIONS)
    shares = (("verified", _verified), ("precision", _precision))
    title = "After less before"
    return (
        _table(before, after, scores, ("before_after", f"{title}: rubric (figure 4)", "points")),
        _table(before, after, shares, ("before_after_claims", f"{title}: claims", "percentage points")),
    )


_Value = Callable[[AnswerResult], float | None]


def _table(
    before: Results,
    after: Results,
    figures: tuple[tuple[str, _Value], ...],
    named: tuple[str, str, str],
) -> Table:
    name, title, unit = named
    models = [model for model in before.models if model in after.models]
    factor = 100 if unit.startswith("percentage") else 1
    cells = [
        [_difference(before.of(model), after.of(model), value, factor) for _, value in figures]
        for model in models
    ]
    flat = [p for line in cells for _, p in line if p is not None]
    adjusted = iter(holm(flat))
    rows = []
    for model, line in zip(models, cells, strict=True):
        shown = [cell if p is None else _with_p(cell, next(adjusted)) for cell, p in line]
        rows.append(row(words(model), *shown))
    left_out = [model for model in (*before.models, *after.models) if model not in models]
    told = f" Not in both folders, and left out: {', '.join(left_out)}." if left_out else ""
    return Table(
        name=name,
        title=title,
        columns=("Model", *(_NAMES[figure] for figure, _ in figures)),
        rows=tuple(rows),
        note=(
            f"Mean difference in {unit} over the queries that both have, with its paired 95 % bootstrap "
            "interval; behind it the queries, how many rose and fell, and the p-value of a sign-flip test, "
            f"corrected for all cells of this table (Holm). Positive is better.{told}"
        ),
    )


def _difference(
    before: tuple[AnswerResult, ...], after: tuple[AnswerResult, ...], value: _Value, factor: int
) -> tuple[Cell, float | None]:
    first, second = _by_query(after, value), _by_query(before, value)
    shared = len(set(first) & set(second))
    of = len({each.query for each in before} & {each.query for each in after})
    if not shared:
        return Cell(text="not judged in both", state="nothing", n=0, of=of), None
    found = compare_paired(first, second, _SEED)
    scale = factor / _SCALE
    mean, low, high = found.mean_difference * scale, found.low * scale, found.high * scale
    spread = shared > 1 and low < high  # equal differences of a few queries do not make theirs certain
    told = f", {found.better}↑ {found.worse}↓"
    ends = (low, high) if spread else None
    cell = figure(mean, "+.2f", ends, to=" to ", n=shared, of=of, more=told)
    return cell, found.p_value


def _with_p(cell: Cell, p: float) -> Cell:
    return cell.model_copy(update={"text": f"{cell.text}, p {p:.2g}"})


def _by_query(answers: tuple[AnswerResult, ...], value: _Value) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for each in answers:
        known = value(each)
        if known is not None:
            groups.setdefault(each.query, []).append(round(known * _SCALE))
    return groups


def _points(name: Dimension) -> _Value:
    return lambda each: decided_value(each.judged.rubric.get(name))


def _verified(each: AnswerResult) -> float | None:
    return each.hallucination.verified.value


def _precision(each: AnswerResult) -> float | None:
    return each.citations.precision.value
