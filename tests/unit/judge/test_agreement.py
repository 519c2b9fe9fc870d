"""Agreement: kappas against published worked examples, and tables of a folder with its annotations."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.judge.made import annotate, answer, claims, folder
from verifaible.judge.agreement import agreement_of, cohen_kappa, quadratic_kappa
from verifaible.judge.annotations import read_annotations
from verifaible.judge.folder import JudgeFolder
from verifaible.reporting.tables import Cell, Table
from verifaible.schema.judged import ERROR_CATEGORIES


def expand(matrix: list[list[int]]) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]


@pytest.mark.parametrize(
    ("matrix", "kappa"),
    [
        ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.492),  # J. Cohen (1960)
        ([[53, 5, 2], [11, 14, 5], [1, 6, 3]], 0.429),  # J. L. Fleiss, J. Cohen, B. S. Everitt (1969)
    ],
)
def test_kappa_of_published_examples(matrix: list[list[int]], kappa: float) -> None:
    assert cohen_kappa(expand(matrix)) == pytest.approx(kappa, abs=0.0005)


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


def cell(tables: tuple[Table, ...], name: str, row: str, column: str) -> Cell:
    found = next(each for each in tables if each.name == name)
    return next(each.cells[found.columns.index(column)] for each in found.rows if each.cells[0].text == row)


def rate(judged: JudgeFolder, annotator: str, kind: str, values: dict[str, object], claim: str = "") -> None:
    for query, value in values.items():
        annotate(judged, answer=f"m:{query}", annotator=annotator, kind=kind, claim=claim, value=str(value))


def test_rubric(tmp_path: Path) -> None:
    scores = {"q1": 1, "q2": 2, "q3": 3, "q4": 1, "q5": 2, "q6": 3}
    items = [answer("m", query, rubric=(5, 5, value)) for query, value in scores.items()]
    judged = folder(tmp_path, [*items, answer("m", "q7", rubric=(5, 5, "failed"))])
    rate(judged, "Ann", "depth", {"q1": 1, "q2": 2, "q3": 3, "q4": 1, "q5": 3, "q6": 2, "q7": 9})
    rate(judged, "Bo", "depth", {"q1": 1, "q2": 2})
    found = agreement_of(judged, read_annotations(judged).rows)
    assert cell(found, "agreement_scores", "Depth", "Answers").value == 7
    assert cell(found, "agreement_scores", "Depth", "Pairs").value == 8
    assert cell(found, "agreement_scores", "Depth", "Not decided").value == 1
    kappa = cell(found, "agreement_scores", "Depth", "Kappa, quadratic")
    # pairs: (1,1) (2,2) (3,3) (1,1) (3,2) (2,3) (1,1) (2,2): 2/8 apart; by chance 2 * 37/64
    people = [1, 2, 3, 1, 3, 2, 1, 2]
    judge = [1, 2, 3, 1, 2, 3, 1, 2]
    chance = sum((one - two) ** 2 for one in people for two in judge) / 64
    assert kappa.value == pytest.approx(1 - (2 / 8) / chance)
    assert cell(found, "agreement_scores", "Depth", "Kappa (published)").text == "0.4178"


def test_taxonomy_beside_always_no(tmp_path: Path) -> None:
    items = [answer("m", f"q{at}", errors=(1 if at in (0, 1) else 0,) * 7) for at in range(20)]
    judged = folder(tmp_path, items)
    rate(judged, "Ann", "inconsistent_claims", {f"q{at}": int(at in (1, 2)) for at in range(20)})
    found = agreement_of(judged, read_annotations(judged).rows)

    def figure(column: str, row: str = "Inconsistent claims") -> float | None:
        return cell(found, "agreement_taxonomy", row, column).value

    assert figure("Accuracy") == figure("Always no") == 0.9  # right as often as saying nothing
    assert figure("Accuracy", "All") == 0.9
    printed = cell(found, "agreement_taxonomy", "Paper (published)", "Accuracy")
    assert (printed.value, printed.state) == (93.45, "published")
    assert cell(found, "agreement_taxonomy", "Paper (published)", "Always no").value == 93.18


def test_claims(tmp_path: Path) -> None:
    judged = folder(
        tmp_path, [answer("m", "q1", claims(["direct/exact", "incorrect/fabricated", "direct/failed"]))]
    )
    for claim, value in (("c1", "exact"), ("c2", "contradiction"), ("c3", "exact")):
        rate(judged, "Ann", "hallucination", {"q1": value}, claim)
    found = agreement_of(judged, read_annotations(judged).rows)
    same = cell(found, "agreement_claims", "Hallucination check", "The same")
    assert (same.value, same.n) == (0.5, 2)
    assert cell(found, "agreement_claims", "Hallucination check", "Not decided").value == 1


def test_nothing_is_said_of_nothing(tmp_path: Path) -> None:
    judged = folder(tmp_path, [answer("m", "q1", rubric=(5,), errors=(0,) * len(ERROR_CATEGORIES))])
    assert agreement_of(judged, read_annotations(judged).rows) == ()


def test_what_nobody_judged_is_no_agreement(tmp_path: Path) -> None:
    judged = folder(tmp_path, [answer("m", "q1", rubric=("not_judged",) * 4)], judge="")
    rate(judged, "Ann", "depth", {"q1": 5})
    found = agreement_of(judged, read_annotations(judged).rows)
    assert cell(found, "agreement_scores", "Depth", "Pairs").value == 0
    assert cell(found, "agreement_scores", "Depth", "Kappa, quadratic").value is None
