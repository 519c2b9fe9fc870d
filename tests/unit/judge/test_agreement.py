"""Agreement against published worked examples, and against arithmetic done another way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.judge.agreement import cohen_kappa, quadratic_kappa


def expand(matrix: list[list[int]]) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]


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


def test_what_is_not_defined_is_not_a_number() -> None:
    assert cohen_kappa([]) is None
    assert cohen_kappa([("x", "x")] * 3) is None
    assert quadratic_kappa([(7.0, 7.0)] * 3) is None
