"""Agreement against published worked examples, and against arithmetic done another way."""

from __future__ import annotations

import random

import pytest
import scipy  # its parts are loaded when they are first used: stats takes a second
from hypothesis import given
from hypothesis import strategies as st

from verifaible.judge.report.agreement import (
    cohen_kappa,
    found_of,
    krippendorff_alpha,
    quadratic_kappa,
    resampled,
)

# K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C to E: 4 observers, 12 units.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
UNITS = [[value for value in unit if value is not None] for unit in zip(*OBSERVERS, strict=True)]


def expand(matrix: list[list[int]]) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_own_example(level: str, alpha: float) -> None:
    assert krippendorff_alpha(UNITS, level) == pytest.approx(alpha, abs=0.0005)  # type: ignore[arg-type]


def test_krippendorffs_two_observers_with_nominal_data() -> None:
    # the same paper, section B: twelve units, five categories, alpha 0.692
    one = list("aabbdcccedda")
    two = list("babbbccceddd")
    assert krippendorff_alpha(list(zip(one, two, strict=True)), "nominal") == pytest.approx(0.692, abs=0.0005)


def test_krippendorffs_binary_example() -> None:
    # the same paper, section A: ten units, two observers, alpha 0.095
    one = (0, 1, 0, 0, 0, 0, 0, 0, 1, 0)
    two = (1, 1, 1, 0, 0, 1, 0, 0, 0, 0)
    assert krippendorff_alpha(list(zip(one, two, strict=True)), "nominal") == pytest.approx(0.095, abs=0.0005)


def test_cohens_example() -> None:
    # J. Cohen (1960): 200 things, three classes, kappa 0.492
    assert cohen_kappa(expand([[88, 14, 18], [10, 40, 10], [2, 6, 12]])) == pytest.approx(0.492, abs=0.0005)


def test_fleiss_cohen_and_everitts_example() -> None:
    # J. L. Fleiss, J. Cohen, B. S. Everitt (1969): 100 things, three classes, kappa 0.429
    assert cohen_kappa(expand([[53, 5, 2], [11, 14, 5], [1, 6, 3]])) == pytest.approx(0.429, abs=0.0005)


@pytest.mark.parametrize(
    ("one", "two", "kappa"),
    [
        ([1, 2, 3], [1, 2, 3], 1.0),
        ([1, 2, 1], [1, 2, 2], 0.4),
        ([1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 3, 2], 0.75),
        ([1, 2], [2, 1], -1.0),
    ],
)
def test_quadratic_kappa_of_known_pairs(one: list[int], two: list[int], kappa: float) -> None:
    assert quadratic_kappa(list(zip(one, two, strict=True))) == pytest.approx(kappa)


scores = st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10)), min_size=2, max_size=40)


@given(scores)
def test_quadratic_kappa_is_the_sum_over_its_matrix(pairs: list[tuple[int, int]]) -> None:
    n = len(pairs)
    seen = [[0.0] * 11 for _ in range(11)]
    for one, two in pairs:
        seen[one][two] += 1 / n
    rows = [sum(row) for row in seen]
    columns = [sum(row[j] for row in seen) for j in range(11)]
    above = sum(seen[i][j] * (i - j) ** 2 for i in range(11) for j in range(11))
    below = sum(rows[i] * columns[j] * (i - j) ** 2 for i in range(11) for j in range(11))
    found = quadratic_kappa(pairs)
    if below == 0:
        assert found is None
    else:
        assert found == pytest.approx(1 - above / below)


@given(scores)
def test_two_classes_have_one_kappa(pairs: list[tuple[int, int]]) -> None:
    halved = [(int(one > 5), int(two > 5)) for one, two in pairs]
    plain, weighted = cohen_kappa(halved), quadratic_kappa(halved)
    assert (plain is None) == (weighted is None)
    if plain is not None:
        assert weighted == pytest.approx(plain)


@given(st.lists(st.lists(st.integers(1, 5), max_size=4), min_size=1, max_size=12))
def test_interval_alpha_is_one_less_the_ratio_of_mean_squares(units: list[list[int]]) -> None:
    shared = [unit for unit in units if len(unit) > 1]
    values = [value for unit in shared for value in unit]
    found = krippendorff_alpha(units, "interval")
    if len(set(values)) < 2:
        assert found is None
        return
    n = len(values)
    seen = sum(
        (a - b) ** 2 / (len(unit) - 1)
        for unit in shared
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    chance = sum((a - b) ** 2 for i, a in enumerate(values) for j, b in enumerate(values) if i != j)
    assert found == pytest.approx(1 - (seen / n) / (chance / (n * (n - 1))))


def test_ordinal_alpha_needs_no_even_steps() -> None:
    stretched = [[value**3 for value in unit] for unit in UNITS]
    assert krippendorff_alpha(stretched, "ordinal") == pytest.approx(krippendorff_alpha(UNITS, "ordinal"))
    assert krippendorff_alpha(stretched, "interval") != pytest.approx(krippendorff_alpha(UNITS, "interval"))


def test_words_have_no_order() -> None:
    with pytest.raises(TypeError, match="nominal"):
        krippendorff_alpha([["a", "b"]], "interval")


def test_what_is_not_defined_is_not_a_number() -> None:
    assert cohen_kappa([]) is None
    assert cohen_kappa([("x", "x")] * 3) is None
    assert quadratic_kappa([(7.0, 7.0)] * 3) is None
    assert krippendorff_alpha([["x"], ["y"]], "nominal") is None


def test_always_no_is_told_beside_what_was_found() -> None:
    pairs = [(True, True)] * 2 + [(True, False)] + [(False, True)] + [(False, False)] * 16
    found = found_of(pairs)
    assert (found.n, found.present) == (20, 3)
    assert found.accuracy == 0.9
    assert found.all_zero == 0.85
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(2 / 3)
    silent = found_of([(True, False), (False, False)])
    assert silent.precision is None
    assert silent.accuracy == silent.all_zero == 0.5


def test_the_interval_of_a_mean_is_the_one_of_scipy() -> None:
    draw = random.Random(3)
    values = [draw.gauss(5, 2) for _ in range(60)]
    found = resampled([[value] for value in values], lambda sample: sum(sample) / len(sample), 1)
    theirs = scipy.stats.bootstrap((values,), lambda x: x.mean(), method="percentile", vectorized=False)
    assert found is not None
    assert found[0] == pytest.approx(theirs.confidence_interval.low, abs=0.1)
    assert found[1] == pytest.approx(theirs.confidence_interval.high, abs=0.1)


def test_answers_are_drawn_whole() -> None:
    groups = [[0.0] * 50, [1.0] * 50] * 4  # eight answers, each of one mind
    whole = resampled(groups, lambda sample: sum(sample) / len(sample), 1)
    singly = resampled([[value] for group in groups for value in group], lambda s: sum(s) / len(s), 1)
    assert whole is not None and singly is not None
    assert whole[1] - whole[0] > 3 * (singly[1] - singly[0])


def test_no_interval_where_most_draws_say_nothing() -> None:
    assert resampled([[("x", "x")], [("x", "x")]], cohen_kappa, 1) is None
    assert resampled([[("x", "y")]], cohen_kappa, 1) is None
