"""Annotations: a sheet to fill in, and what of it cannot be used is told line by line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.judge.made import annotate, answer, claim, claims, folder
from verifaible.errors import ConfigError, RunError
from verifaible.judge.annotations import (
    COLUMNS,
    FILE,
    STATUSES,
    VALUES,
    Annotations,
    read_annotations,
    write_sheet,
)
from verifaible.judge.folder import JudgeFolder
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES

HEAD = "answer,annotator,kind,claim,value,note\n"
GOOD = {"answer": "m1:q", "annotator": "Ann", "kind": "depth", "value": "5"}


@pytest.fixture
def judged(tmp_path: Path) -> JudgeFolder:
    return folder(tmp_path, [answer("m1", "q", claims(["direct/exact", "missing/fabricated"]))])


def read(judged: JudgeFolder, text: str | bytes) -> Annotations:
    (judged.path / FILE).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_annotations(judged)


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


# --- the empty sheet


def test_a_sheet_has_a_line_for_each_thing_and_says_nothing_of_the_judge(
    judged: JudgeFolder, tmp_path: Path
) -> None:
    path = tmp_path / "ann.csv"
    assert write_sheet(judged, " Ann ", path) == 2 * len(STATUSES) + len(DIMENSIONS) + len(ERROR_CATEGORIES)
    rows = rows_of(path)
    assert tuple(rows[0])[: len(COLUMNS)] == COLUMNS
    assert {(row["answer"], row["annotator"], row["value"]) for row in rows} == {("m1:q", "Ann", "")}
    assert [(row["claim"], row["kind"]) for row in rows[:4]] == [
        (claim, kind) for claim in ("c1", "c2") for kind in STATUSES
    ]
    assert tuple(row["kind"] for row in rows[4:]) == (*DIMENSIONS, *ERROR_CATEGORIES)
    (judged_answer,), (first, _) = judged.answers(), judged.claims()
    assert rows[0]["text"] == first.claim.text
    assert judged_answer.answer.answer in rows[4]["text"]
    assert rows[0]["sources"]
    said = {row["kind"]: row["values"] for row in rows}
    assert said["citations"] == ", ".join(STATUSES["citations"])
    assert (said["depth"], said["shallow_synthesis"]) == ("1 to 10", "0, 1")
    # As it was written it says nothing, and no line of it is a fault.
    assert read_annotations(judged, path) == Annotations()


def test_a_sheet_that_was_filled_in_is_read(judged: JudgeFolder, tmp_path: Path) -> None:
    path = tmp_path / "ann.csv"
    write_sheet(judged, "Ann", path)
    rows = rows_of(path)
    for row in rows:
        row["value"] = (STATUSES.get(row["kind"]) or ("1",))[0]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, tuple(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    found = read_annotations(judged, path)
    assert found.faults == ()
    assert [(each.kind, each.claim) for each in found.rows] == [(row["kind"], row["claim"]) for row in rows]
    assert {each.kind for each in found.rows} == set(VALUES)


def test_the_sheets_of_several_people_are_read_together(judged: JudgeFolder, tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text(HEAD + "m1:q,Ann,depth,,5,\n")
    two.write_text(HEAD + "m1:q,Bo,depth,,6,\nm1:q,Bo,depth,,99,\n")
    found = read_annotations(judged, one, two)
    assert [(each.annotator, each.value) for each in found.rows] == [("Ann", "5"), ("Bo", "6")]
    (fault,) = found.faults
    assert fault.startswith("two.csv, line 3: ")


def test_a_sheet_takes_the_place_of_nobodys_work(judged: JudgeFolder) -> None:
    annotate(judged, **GOOD)
    with pytest.raises(ConfigError, match="exists"):
        write_sheet(judged, "Ann", judged.path / FILE)
    with pytest.raises(ConfigError, match="--annotator"):
        write_sheet(judged, " ", judged.path / "other.csv")
    assert not (judged.path / "other.csv").exists()
    assert [each.value for each in read_annotations(judged).rows] == ["5"]


def test_a_spreadsheet_runs_nothing_of_a_sheet(tmp_path: Path) -> None:
    texts = ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", "'=x", "''", "'tis"]
    said = [claim("m1:q", number, text=text) for number, text in enumerate(texts, 1)]
    judged = folder(tmp_path, [(answer("m1", "q")[0], said)])
    path = tmp_path / "sheet.csv"
    write_sheet(judged, "=Ann", path)
    for row in rows_of(path):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


def test_a_long_answer_is_in_it_and_is_read_past(tmp_path: Path) -> None:
    made, said = answer("m1", "q", claims(["direct/exact"]))
    long = made.model_copy(update={"answer": made.answer.model_copy(update={"answer": "word " * 40_000})})
    judged = folder(tmp_path, [(long, said)])
    path = tmp_path / "sheet.csv"
    write_sheet(judged, "Ann", path)
    path.write_text(path.read_text("utf-8-sig") + "m1:q,Ann,depth,,5,,,,\n")
    found = read_annotations(judged, path)
    assert (found.faults, [each.value for each in found.rows]) == ((), ["5"])


# --- reading


def test_the_last_word_of_an_annotator_counts_and_can_be_taken_back(judged: JudgeFolder) -> None:
    assert read_annotations(judged) == Annotations()
    for value in ("7", "4"):
        annotate(judged, **GOOD | {"value": value})
    annotate(judged, **GOOD | {"annotator": "Bo", "value": "9"})
    found = read_annotations(judged).rows
    assert [(each.annotator, each.value) for each in found] == [("Ann", "4"), ("Bo", "9")]
    annotate(judged, **GOOD | {"value": ""})
    assert [(each.annotator, each.value) for each in read_annotations(judged).rows] == [("Bo", "9")]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"value": "11"}, "1 to 10"),
        ({"value": "0"}, "1 to 10"),
        ({"value": "7.5"}, "1 to 10"),
        ({"value": "nan"}, "1 to 10"),
        ({"value": "good"}, "1 to 10"),
        ({"kind": "beauty"}, "Take one of"),
        ({"kind": "overconfident_prediction", "value": "2"}, "0, 1"),
        ({"kind": "citations", "claim": "c1", "value": "exact"}, "direct"),
        ({"kind": "hallucination", "claim": "c9", "value": "exact"}, "no claim"),
        ({"kind": "hallucination", "claim": "", "value": "exact"}, "no claim"),
        ({"claim": "c1"}, "Leave claim empty"),
        ({"answer": "nobody"}, "No answer"),
        ({"annotator": " "}, "Fill in"),
    ],
)
def test_bad_values_are_faults(judged: JudgeFolder, changes: dict[str, str], said: str) -> None:
    annotate(judged, **GOOD | changes)
    found = read_annotations(judged)
    assert found.rows == ()
    (fault,) = found.faults
    assert "line 2: " in fault and said in fault


def test_faults_have_their_line_and_the_others_are_read(judged: JudgeFolder) -> None:
    found = read(
        judged,
        HEAD
        + "m1:q,Ann,depth,,5,\n"
        + 'm1:q,Ann,depth,,99,"two\nlines"\n'
        + "\n"
        + "who,Ann,relevance,,6,\n"
        + "m1:q,Ann,relevance,,6\n"
        + "m1:q,Ann,relevance,,6,,,\n"
        + "m1:q,Ann,relevance,,6.0,fine\n",
    )
    assert [(each.kind, each.value) for each in found.rows] == [("depth", "5"), ("relevance", "6")]
    told = {3: "'99'", 6: "'who'", 7: "5 cells", 8: "8 cells"}
    for each, (line, words) in zip(found.faults, told.items(), strict=True):
        assert f"line {line}: " in each and words in each


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_spreadsheets_of_every_kind(judged: JudgeFolder, mark: str, end: str, bom: str) -> None:
    lines = [["Value", "kind", "annotator", "answer"], ["8", "depth", "Änn 李", "m1:q"]]
    found = read(judged, bom + end.join(mark.join(line) for line in lines))
    assert [(each.annotator, each.value) for each in found.rows] == [("Änn 李", "8")]


def test_a_whole_file_that_cannot_be_used_is_one_fault(judged: JudgeFolder) -> None:
    (fault,) = read(judged, "who,what\na,b\n").faults
    assert "line 1: The heading lacks" in fault
    (fault,) = read(judged, (HEAD + "m1:q,Bj\u00f6rn,depth,,5,\n").encode("latin-1")).faults
    assert "line 2: The file is not UTF-8" in fault
    assert read(judged, "").rows == ()
    with pytest.raises(RunError, match="cannot be read"):
        read_annotations(judged, judged.path / "none.csv")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    note=st.text(st.characters(codec="utf-8")), annotator=st.text(st.characters(codec="utf-8"), min_size=1)
)
def test_any_words_come_back(judged: JudgeFolder, note: str, annotator: str) -> None:
    (judged.path / FILE).unlink(missing_ok=True)
    if not annotator.strip() or annotator.startswith("'") or note.startswith("'"):
        return
    annotate(judged, **GOOD | {"annotator": annotator, "note": note})
    (row,) = read_annotations(judged).rows
    assert (row.annotator, row.note) == (annotator.strip(), note)
