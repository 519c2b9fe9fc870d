"""The CSV files: columns as users of the public scripts know them, and nothing invented in a cell."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.unit.judge.made import answer, claim, claims, derived, folder, passage
from verifaible.judge.export import Export
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.results import read_results
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, Finding

SPAN = "model_name session_id trace_id context.span_id span_name span_kind parent_id response"
COLUMNS = {
    "evaluation.csv": "query model temporal_relevance temporal_relevance_reasoning data_consistency "
    "data_consistency_reasoning depth depth_reasoning relevance relevance_reasoning tags",
    "citations.csv": f"{SPAN} total_claims_identified claims_with_citations correctly_cited_direct "
    "correctly_cited_derivable incorrectly_cited missing_citations no_citation_needed "
    "citation_precision_percentage citation_completeness_percentage label",
    "hallucination.csv": f"{SPAN} total_claims_identified verified_exact verified_derivable fabricated "
    "verification_rate_percentage label",
    "claims.csv": "answer_id model claim_id",
    "error_taxonomy.csv": " ".join(
        ["query tags", *(f"{each} {each}_reasoning" for each in ERROR_CATEGORIES)]
    ),
}
"""The public columns of each file; blanks in a name are underlines here."""


def write(judged: JudgeFolder) -> tuple[Path, ...]:
    export = Export(judged)
    return export.finish(read_results(judged, export.add))


def rows_of(judged: JudgeFolder, name: str) -> list[dict[str, str]]:
    """The rows of one of the files, which are written first."""
    write(judged)
    with (judged.path / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def judged(tmp_path: Path) -> JudgeFolder:
    made = claims(["direct/exact", "derivable/derivable", "incorrect/fabricated", "missing/contradiction"])
    made.append(claim("", 5, "failed", "failed", finding=None))
    return folder(
        tmp_path,
        [
            answer("m1", "q1", made, rubric=(8, 9, 7, 10), errors=(0, 1, 0, 0, 0, 0, 1)),
            answer("m2", "q1", (), rubric=(6, "failed", "abstain", 9), errors=(1, "failed")),
            answer("m1", "q2", claims(["direct/exact"]), rubric=(9, 9, 9, 9), errors=(0,) * 7),
            answer("m2", "q2", claims(["not_judged/not_judged"])),
        ],
    )


def test_files_and_columns(judged: JudgeFolder) -> None:
    assert {each.name for each in write(judged)} == set(COLUMNS)
    for name, columns in COLUMNS.items():
        with (judged.path / name).open(encoding="utf-8", newline="") as file:
            found = [each.replace(" ", "_") for each in next(csv.reader(file))]
        assert set(columns.split()) <= set(found), name


def test_only_what_was_asked_for_is_written(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("m1", "q", claims(["direct"]))], protocols=("citations",))
    assert [each.name for each in write(made)] == ["citations.csv", "claims.csv"]
    assert not list(made.path.glob(".*.new"))


def test_scores_and_what_failed(judged: JudgeFolder) -> None:
    first, second, _, fourth = rows_of(judged, "evaluation.csv")
    assert (first["temporal_relevance"], first["depth"]) == ("8", "7")
    assert second["data_consistency"] == "failed: prose instead of JSON"
    assert second["depth"] == "abstained"
    assert second["coverage"] == "0.5"
    assert fourth["temporal_relevance"] == "not judged"


def test_counts_of_the_checks(judged: JudgeFolder) -> None:
    first, empty, _, unjudged = rows_of(judged, "citations.csv")
    assert first["total_claims_identified"] == "5"
    assert first["claims_with_citations"] == "4"
    assert (first["correctly_cited_direct"], first["correctly_cited_derivable"]) == ("1", "1")
    assert float(first["citation_precision_percentage"]) == pytest.approx(66.67)
    assert (first["judged"], first["failed"], first["coverage"]) == ("4", "1", "0.8")
    assert empty["label"] == "no claims"
    assert empty["citation_precision_percentage"] == "nothing to judge"
    assert unjudged["label"] == unjudged["correctly_cited_direct"] == "not judged"
    found = rows_of(judged, "hallucination.csv")[0]
    assert (found["verified_exact"], found["verified_derivable"], found["fabricated"]) == ("1", "1", "2")
    assert found["contradiction"] == "1"
    assert float(found["verification_rate_percentage"]) == 50


def test_without_a_model_cells_say_so(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("m1", "q", claims(["not_judged/not_judged"]))], judge="")
    (row,) = rows_of(made, "evaluation.csv")
    assert {row[name] for name in DIMENSIONS} == {"not judged: no model"}
    (row,) = rows_of(made, "citations.csv")
    assert row["citation_precision_percentage"] == row["label"] == "not judged: no model"
    (row,) = rows_of(made, "error_taxonomy.csv")
    assert {row[name] for name in ERROR_CATEGORIES} == {"not judged: no model"}


def test_every_claim_has_its_evidence(tmp_path: Path) -> None:
    made = [
        claim("", 1, "derivable", "derivable", finding=derived(), anywhere=derived()),
        claim(
            "",
            2,
            "incorrect",
            "contradiction",
            by="rules",
            anywhere=Finding(verdict="refuted", passages=(passage("$3.9B", start=40, end=45),), said="$3.9B"),
        ),
    ]
    first, second = rows_of(folder(tmp_path, [answer("m1", "q", made)]), "claims.csv")
    assert first["derivation"] == "percent_change(TVL before 4.0 USD, TVL now 4.9 USD) = 22.5 %"
    assert (first["quote"], first["url"]) == ("TVL before 4.0", "https://example.com/tvl")
    assert json.loads(first["further_passages"])[0]["quote"] == "TVL now 4.9"
    assert (second["hallucination"], second["hallucination_by"]) == ("contradiction", "rules")
    assert (second["source_says"], second["quote_start"], second["quote_end"]) == ("$3.9B", "40", "45")
    assert len(second["capture"]) == 64


def test_what_people_gave_stands_behind_as_it_was(tmp_path: Path) -> None:
    columns = {"gold": "42", "model": "not mine", "tags": "['a', 'b']"}
    (row,) = rows_of(folder(tmp_path, [answer("m1", "q", columns=columns)]), "evaluation.csv")
    assert row["gold"] == "42"
    assert row["model"] == "m1"
    assert row["tags"] == "['a', 'b']"
    assert row["response"].startswith("TVL rose")


def test_nothing_in_a_cell_is_run(tmp_path: Path) -> None:
    hostile = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "#N/A", "=cmd|' /C calc'!A0"]
    made = [claim("", at, "direct", text=text) for at, text in enumerate(hostile, 1)]
    judged = folder(tmp_path, [answer("=HYPERLINK(1)", "=q", made)])
    rows = rows_of(judged, "claims.csv")
    assert [row["claim"] for row in rows] == [f"'{each}" if each[0] != "#" else each for each in hostile]
    assert not any(cell.startswith(tuple("=+-@\t\r")) for row in rows for cell in row.values())
    (row,) = rows_of(judged, "evaluation.csv")
    assert (row["query"], row["model"]) == ("'=q", "'=HYPERLINK(1)")


def test_long_answers_and_controls_are_all_there(tmp_path: Path) -> None:
    long = "\x1b[31m\r\n" + "😀x" * 40_000
    judged = folder(tmp_path, [answer("m1", "q", claims(["direct"]), answer=long)])
    assert rows_of(judged, "citations.csv")[0]["response"] == long
    assert rows_of(judged, "evaluation.csv")[0]["response"] == long


def test_a_rerun_writes_the_same_bytes(judged: JudgeFolder) -> None:
    first = [path.read_bytes() for path in write(judged)]
    assert [path.read_bytes() for path in write(judged)] == first
