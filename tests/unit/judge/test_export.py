"""The CSV files: columns as users of the public scripts know them, and nothing invented in a cell."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.unit.judge.made import answer, claim, claims, derived, folder, passage
from verifaible.judge.export import write_csv
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.results import read_results
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES
from verifaible.schema.verdict import Verdict

PUBLIC = (
    *("query model tags response session_id trace_id context.span_id claims_with_citations".split()),
    *("correctly_cited_direct correctly_cited_derivable incorrectly_cited missing_citations".split()),
    *("no_citation_needed citation_precision_percentage citation_completeness_percentage".split()),
    *("verified_exact verified_derivable fabricated verification_rate_percentage".split()),
    *(each for name in (*DIMENSIONS, *ERROR_CATEGORIES) for each in (name, f"{name}_reasoning")),
)


def write(judged: JudgeFolder) -> tuple[Path, ...]:
    return write_csv(judged, read_results(judged))


def rows_of(judged: JudgeFolder, name: str = "answers.csv") -> list[dict[str, str]]:
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
            answer("m2", "q2", claims(["not_judged/not_judged"])),
        ],
    )


def test_only_what_was_asked_for_is_written(judged: JudgeFolder, tmp_path: Path) -> None:
    assert set(PUBLIC) <= rows_of(judged)[0].keys()
    made = folder(tmp_path / "one", [answer("m1", "q", claims(["direct"]))], protocols=("citations",))
    assert not {"depth", "fabricated", "shallow_synthesis"} & rows_of(made)[0].keys()
    assert [each.name for each in write(made)] == ["answers.csv", "claims.csv"]
    assert not list(made.path.glob(".*.new"))


def test_scores_and_counts_and_what_failed(judged: JudgeFolder) -> None:
    first, second, third = rows_of(judged)
    assert (first["temporal_relevance"], first["depth"], first["inconsistent_claims"]) == ("8", "7", "1")
    assert second["data_consistency"] == "failed: prose instead of JSON"
    assert (second["depth"], second["inconsistent_claims"]) == ("abstained", "failed: prose instead of JSON")
    assert (second["rubric_judged"], second["rubric_failed"], second["rubric_abstained"]) == ("2", "1", "1")
    assert third["temporal_relevance"] == "not judged"
    assert (first["citation_total_claims_identified"], first["claims_with_citations"]) == ("5", "4")
    assert (first["correctly_cited_direct"], first["correctly_cited_derivable"]) == ("1", "1")
    assert float(first["citation_precision_percentage"]) == pytest.approx(66.67)
    assert float(first["citation_completeness_percentage"]) == 80
    assert (first["citation_judged"], first["citation_failed"]) == ("4", "1")
    assert (first["verified_exact"], first["verified_derivable"], first["fabricated"]) == ("1", "1", "2")
    assert (first["contradiction"], first["verification_rate_percentage"]) == ("1", "50.0")
    assert second["citation_label"] == "no claims"
    assert second["citation_precision_percentage"] == "nothing to judge"
    assert third["citation_label"] == third["correctly_cited_direct"] == "not judged"


def test_without_a_model_cells_say_so(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("m1", "q", claims(["not_judged/not_judged"]))], judge="")
    (row,) = rows_of(made)
    unjudged = (*DIMENSIONS, *ERROR_CATEGORIES, "citation_label", "citation_precision_percentage")
    assert {row[name] for name in unjudged} == {"not judged: no model"}


def test_every_claim_has_its_evidence(tmp_path: Path) -> None:
    against = Verdict(outcome="contradicted", passages=(passage("$3.9B", start=40, end=45),), said="$3.9B")
    made = [
        claim("", 1, "derivable", "derivable", finding=derived(), anywhere=derived()),
        claim("", 2, "incorrect", "contradiction", by="rules", anywhere=against),
    ]
    first, second = rows_of(folder(tmp_path, [answer("m1", "q", made)]), "claims.csv")
    assert first["derivation"] == "percent_change(TVL before 4.0 USD, TVL now 4.9 USD) = 22.5 %"
    assert (first["quote"], first["url"]) == ("TVL before 4.0", "https://example.com/tvl")
    assert json.loads(first["further_passages"])[0]["quote"] == "TVL now 4.9"
    assert (second["hallucination"], second["hallucination_by"]) == ("contradiction", "rules")
    assert (second["source_says"], second["quote_start"], second["quote_end"]) == ("$3.9B", "40", "45")
    assert len(second["capture"]) == 64


def test_what_people_gave_is_there_as_it_was(tmp_path: Path) -> None:
    columns = {"gold": "42", "model": "not mine", "tags": "['a', 'b']"}
    long = "\x1b[31m\r\n" + "😀x" * 40_000
    (row,) = rows_of(folder(tmp_path, [answer("m1", "q", columns=columns, answer=long)]))
    assert json.loads(row["columns"]) == columns
    assert (row["model"], row["tags"], row["response"]) == ("m1", "['a', 'b']", long)


def test_nothing_in_a_cell_is_run(tmp_path: Path) -> None:
    hostile = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "#N/A", "=cmd|' /C calc'!A0"]
    made = [claim("", at, "direct", text=text) for at, text in enumerate(hostile, 1)]
    judged = folder(tmp_path, [answer("=HYPERLINK(1)", "=q", made)])
    rows = rows_of(judged, "claims.csv")
    assert [row["claim"] for row in rows] == [f"'{each}" if each[0] != "#" else each for each in hostile]
    assert not any(cell.startswith(tuple("=+-@\t\r")) for row in rows for cell in row.values())
    (row,) = rows_of(judged)
    assert (row["query"], row["model"]) == ("'=q", "'=HYPERLINK(1)")


def test_a_rerun_writes_the_same_bytes(judged: JudgeFolder) -> None:
    first = [path.read_bytes() for path in write(judged)]
    assert [path.read_bytes() for path in write(judged)] == first
