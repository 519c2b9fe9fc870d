"""Agreement of a judged folder with its annotations, figures by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.judge.made import annotate, answer, claims, folder
from verifaible.judge.agreement import agreement_of
from verifaible.judge.folder import JudgeFolder
from verifaible.reporting.tables import Cell, Table
from verifaible.schema.judged import ERROR_CATEGORIES


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
    found = agreement_of(judged)
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
    found = agreement_of(judged)

    def figure(column: str, row: str = "Inconsistent claims") -> float | None:
        return cell(found, "agreement_taxonomy", row, column).value

    assert figure("Present") == 2
    assert figure("Accuracy") == figure("Always no") == 0.9  # right as often as saying nothing
    assert figure("Precision") == figure("Recall") == 0.5
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
    found = agreement_of(judged)
    same = cell(found, "agreement_claims", "Hallucination check", "The same")
    assert (same.value, same.n) == (0.5, 2)
    assert cell(found, "agreement_claims", "Hallucination check", "Not decided").value == 1
    row = "Hallucination check: fabricated"
    assert cell(found, "agreement_statuses", row, "Precision").value == 0.0
    assert cell(found, "agreement_statuses", row, "Recall").text == "-"


def test_faults_are_shown_and_nothing_is_said_of_nothing(tmp_path: Path) -> None:
    judged = folder(tmp_path, [answer("m", "q1", rubric=(5,), errors=(0,) * len(ERROR_CATEGORIES))])
    assert agreement_of(judged) == ()
    (judged.path / "annotations.csv").write_text("answer,annotator,kind,value\nm:q1,Ann,depth,99\n")
    (faults,) = agreement_of(judged)
    assert faults.name == "annotation_faults"
    assert faults.rows[0].cells[0].text == "2"


def test_what_nobody_judged_is_no_agreement(tmp_path: Path) -> None:
    judged = folder(tmp_path, [answer("m", "q1", rubric=("not_judged",) * 4)], judge="")
    rate(judged, "Ann", "depth", {"q1": 5})
    found = agreement_of(judged)
    assert cell(found, "agreement_scores", "Depth", "Pairs").value == 0
    assert cell(found, "agreement_scores", "Depth", "Kappa, quadratic").value is None
