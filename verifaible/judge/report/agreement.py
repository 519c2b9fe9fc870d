"""How well ratings agree: kappa, and how well a yes or no is found. Pure arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from verifaible.schema.base import Record


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
