"""Comparing models on the same cases."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb, gcd, lcm
from typing import Final

from verifaible.schema.base import Record
from verifaible.stats import bootstrap_mean_interval

#: Above this many bits the distribution of all sign flips takes longer than a few milliseconds to count.
EXACT_BITS: Final = 4_000_000
SIGN_FLIP_DRAWS: Final = 20_000


class SignFlip(Record):
    """A two-sided p-value; ``exact`` if every assignment of signs was counted."""

    p_value: float
    exact: bool


class Paired(Record):
    """Two models on the cases that both have: the first minus the second, a mean of cases.

    ``low`` and ``high`` are the 95 % interval of the difference (paired bootstrap over cases),
    ``p_value`` is of the sign-flip test, ``exact`` as in :class:`SignFlip`. ``better``, ``worse`` and
    ``equal`` count the cases by the first model's side.
    """

    cases: int
    mean_difference: float
    low: float
    high: float
    p_value: float
    exact: bool
    better: int
    worse: int
    equal: int


def compare_paired(
    first: Mapping[str, Sequence[int]], second: Mapping[str, Sequence[int]], seed: int
) -> Paired:
    """Compare two models on the cases that both have; several trials of a case count as their mean.

    Args:
        first: points of each trial, by case.
        second: the same of the other model.
        seed: for what is drawn.

    Raises:
        ValueError: no case in common.
    """
    differences = _differences(first, second)
    low, high = bootstrap_mean_interval([float(each) for each in differences], seed)
    test = sign_flip_test(differences, seed=seed)
    return Paired(
        cases=len(differences),
        mean_difference=float(sum(differences, Fraction()) / len(differences)),
        low=low,
        high=high,
        p_value=test.p_value,
        exact=test.exact,
        better=sum(each > 0 for each in differences),
        worse=sum(each < 0 for each in differences),
        equal=sum(each == 0 for each in differences),
    )


def _differences(
    first: Mapping[str, Sequence[int]], second: Mapping[str, Sequence[int]]
) -> list[Fraction | int]:
    """The first model's mean less the second's, exactly, for each case that both have.

    Raises:
        ValueError: no case in common.
    """
    pairs = [(trials, second[case]) for case, trials in first.items() if case in second]
    if not pairs:
        raise ValueError("The two have no case in common.")
    return [
        Fraction(sum(one) * len(two) - sum(two) * len(one), len(one) * len(two))
        if len(one) * len(two) > 1
        else one[0] - two[0]
        for one, two in pairs
    ]


def sign_flip_test(
    differences: Sequence[Fraction | int], *, seed: int = 0, exact_bits: int = EXACT_BITS
) -> SignFlip:
    """How often a mean difference at least as large comes about if each pair's order were chance.

    Exact while the distribution of all sums has at most ``exact_bits`` bits; else 20,000 draws
    with the seed, the observed one counted among them, so that no p-value is 0.

    Source: E. J. G. Pitman, Significance Tests Which May be Applied to Samples from any Populations
    (1937); B. Phipson, G. K. Smyth, Permutation P-values Should Never Be Zero (2010).
    """
    sizes = _whole_numbers(differences)
    total, seen = sum(map(abs, sizes)), abs(sum(sizes))
    if seen == 0:
        return SignFlip(p_value=1.0, exact=True)
    # |sum| >= seen means: what is flipped adds up to at most this, or the mirror image of it
    at_most = (total - seen) // 2
    width = len(sizes) + 2
    if (total + 1) * width <= exact_bits:
        hits = 2 * _subsets_up_to(at_most, [abs(size) for size in sizes], width)
        return SignFlip(p_value=float(Fraction(hits, 2 ** len(sizes))), exact=True)
    draw = random.Random(seed)  # noqa: S311 - resampling, not secrecy
    groups = tuple(Counter(map(abs, sizes)).items())
    hits = 0
    for _ in range(SIGN_FLIP_DRAWS):
        # the number of heads in as many tosses as there are equal sizes
        flipped = sum(size * draw.getrandbits(count).bit_count() for size, count in groups)
        hits += flipped <= at_most or total - flipped <= at_most
    return SignFlip(p_value=(hits + 1) / (SIGN_FLIP_DRAWS + 1), exact=False)


def _whole_numbers(differences: Sequence[Fraction | int]) -> list[int]:
    """The differences that are not nought, as whole numbers in the same proportions."""
    exact = [each for each in differences if each]
    scale = lcm(*(each.denominator for each in exact))
    whole = [each.numerator * (scale // each.denominator) for each in exact]
    shared = gcd(*whole) or 1
    return [each // shared for each in whole]


def _subsets_up_to(limit: int, sizes: Sequence[int], width: int) -> int:
    """How many subsets of ``sizes`` add up to at most ``limit``.

    The counts of all sums stand side by side in one integer, ``width`` bits each, so that adding an
    element is one shift and one addition.
    """
    counts = 1
    for size in sizes:
        counts += counts << (size * width)
    kept = counts & ((1 << ((limit + 1) * width)) - 1)
    # digits to the base 2**width, whose sum is smaller than the base less one
    return kept % ((1 << width) - 1)


def mcnemar_p_value(only_first: int, only_second: int) -> float:
    """The exact two-sided McNemar test of passes on the same cases.

    Args:
        only_first: cases that only the first model passed.
        only_second: cases that only the second passed.

    Source: Q. McNemar, Note on the sampling error of the difference between correlated proportions
    or percentages (1947), with the binomial distribution instead of its approximation.

    Raises:
        ValueError: a negative count.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError(f"Counts must not be negative: {only_first}, {only_second}.")
    n, fewer = only_first + only_second, min(only_first, only_second)
    return min(1.0, float(Fraction(2 * sum(comb(n, k) for k in range(fewer + 1)), 2**n)))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """The p-values of a family of tests, adjusted so that one false finding among all is as rare.

    Source: S. Holm, A Simple Sequentially Rejective Multiple Test Procedure (1979).
    """
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for step, at in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        running = max(running, min(1.0, p_values[at] * (len(p_values) - step)))
        adjusted[at] = running
    return tuple(adjusted)
