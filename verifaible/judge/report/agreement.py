"""How well ratings agree: kappa, alpha, and how well a yes or no is found. Pure arithmetic."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Final, Literal, TypeAlias, TypeVar

from verifaible.schema.base import Record

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
RESAMPLES: Final = 1000
#: Of fewer resamples than this share that have a value, no interval is told.
_USABLE: Final = 0.9

ItemT = TypeVar("ItemT")


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa of two raters who put the same things into classes.

    Source: J. Cohen, A Coefficient of Agreement for Nominal Scales (1960).

    Returns:
        From -1 to 1; None where it is not defined: no pairs, or both always say the same one class.
    """
    if not pairs:
        return None
    first, second = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    n = len(pairs)
    agree = sum(one == two for one, two in pairs) / n
    chance = sum(first[name] * second[name] for name in first) / n**2
    return None if chance == 1 else (agree - chance) / (1 - chance)


def quadratic_kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Cohen's kappa weighted by the squared distance of two scores, which need not be whole numbers.

    Source: J. Cohen, Weighted Kappa (1968), with the weights of J. L. Fleiss, J. Cohen, The Equivalence of
    Weighted Kappa and the Intraclass Correlation Coefficient (1973).

    Returns:
        At most 1; None where it is not defined: no pairs, or both always give the same one score.
    """
    if len({score for pair in pairs for score in pair}) < 2:
        return None
    n = len(pairs)
    seen = sum((one - two) ** 2 for one, two in pairs) / n
    mean_one, mean_two = sum(one for one, _ in pairs) / n, sum(two for _, two in pairs) / n
    spread_one = sum((one - mean_one) ** 2 for one, _ in pairs) / n
    spread_two = sum((two - mean_two) ** 2 for _, two in pairs) / n
    by_chance = spread_one + spread_two + (mean_one - mean_two) ** 2
    return 1 - seen / by_chance


def krippendorff_alpha(units: Sequence[Sequence[ItemT]], level: Level) -> float | None:
    """Krippendorff's alpha of any number of raters; what a rater did not rate is left out of a unit.

    Args:
        units: the values that each unit was given; units with fewer than two tell nothing.
        level: how far apart two values are: the same or not, their ranks, or their squared difference.

    Source: K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).

    Returns:
        At most 1; None where it is not defined: no unit with two values, or all values are the same.
    """
    shared = [unit for unit in units if len(unit) > 1]
    totals: Counter[ItemT] = Counter(value for unit in shared for value in unit)
    n = totals.total()
    if len(totals) < 2:
        return None
    apart = _distances(totals, level)
    seen = 0.0
    for unit in shared:
        counts = Counter(unit)
        inside = sum(
            counts[one] * counts[two] * apart[one, two] for one in counts for two in counts if one != two
        )
        seen += inside / (len(unit) - 1)
    by_chance = sum(
        totals[one] * totals[two] * apart[one, two] for one in totals for two in totals if one != two
    )
    return 1 - (n - 1) * seen / by_chance


def _distances(totals: Counter[ItemT], level: Level) -> dict[tuple[ItemT, ItemT], float]:
    if level == "nominal":
        return {(one, two): float(one != two) for one in totals for two in totals}
    ordered = sorted(totals, key=_number)
    distances: dict[tuple[ItemT, ItemT], float] = {}
    for at, one in enumerate(ordered):
        between = 0.0
        for two in ordered[at:]:
            between += totals[two]
            rank = between - (totals[one] + totals[two]) / 2
            apart = rank if level == "ordinal" else _number(two) - _number(one)
            distances[one, two] = distances[two, one] = 0.0 if one == two else apart**2
    return distances


def _number(value: object) -> float:
    if isinstance(value, int | float):
        return float(value)
    raise TypeError(f"{value!r} is no number: values of this kind have no order, use the level nominal.")


class Found(Record):
    """How well a yes or no was found, beside what always saying no would reach.

    Attributes:
        n: items.
        present: those where the truth is yes.
        accuracy: part that is right; None of none.
        precision: part of what was found that is there; None where nothing was found.
        recall: part of what is there that was found; None where nothing is there.
        all_zero: accuracy of always saying no; None of none.
    """

    n: int
    present: int
    accuracy: float | None
    precision: float | None
    recall: float | None
    all_zero: float | None


def found_of(pairs: Sequence[tuple[bool, bool]]) -> Found:
    """Compare pairs of truth and what was said."""
    counts = Counter(pairs)
    hits, present = counts[True, True], counts[True, True] + counts[True, False]
    said, n = hits + counts[False, True], len(pairs)
    return Found(
        n=n,
        present=present,
        accuracy=(hits + counts[False, False]) / n if n else None,
        precision=hits / said if said else None,
        recall=hits / present if present else None,
        all_zero=(n - present) / n if n else None,
    )


def resampled(
    groups: Sequence[Sequence[ItemT]], statistic: Callable[[list[ItemT]], float | None], seed: int
) -> tuple[float, float] | None:
    """The 95 % percentile bootstrap interval of a statistic, whole groups (answers) drawn again.

    Returns:
        None where there are fewer than two groups, where more than one resample in ten has no value, or where
        all resamples give the same: that a few groups are alike does not make the statistic certain.
    """
    if len(groups) < 2:
        return None
    draw = random.Random(seed)  # noqa: S311 - resampling, not secrecy
    values = []
    for _ in range(RESAMPLES):
        value = statistic([item for group in draw.choices(groups, k=len(groups)) for item in group])
        if value is not None:
            values.append(value)
    if len(values) < _USABLE * RESAMPLES:
        return None
    values.sort()
    cut = int(0.025 * len(values))
    low, high = values[cut], values[-1 - cut]
    return (low, high) if low < high else None
