"""The workbooks: sheets and columns as users of the public scripts know them, and nothing invented in a cell."""

from __future__ import annotations

import builtins
import json
import sys
import time
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.judge.made import answer, claim, claims, derived, folder, info, passage
from verifaible.errors import ConfigError
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report.results import Gathering, joined
from verifaible.judge.report.sheets import Workbooks, quartiles
from verifaible.reporting.workbook import MAX_CHARACTERS
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, Finding

CITATION = [
    "model_name",
    "session_id",
    "trace_id",
    "context.span_id",
    "span_name",
    "span_kind",
    "parent_id",
    "response",
    "eval_result",
    "chain",
    "total_claims_identified",
    "claims_with_citations",
    "correctly_cited_direct",
    "correctly_cited_derivable",
    "incorrectly_cited",
    "missing_citations",
    "no_citation_needed",
    "citation_precision_percentage",
    "citation_completeness_percentage",
    "is_valid",
    "formula_check",
    "missing_citations_details",
    "label",
    "justification",
]
HALLUCINATION = [
    "model_name",
    "session_id",
    "trace_id",
    "context.span_id",
    "span_name",
    "span_kind",
    "parent_id",
    "response",
    "eval_result",
    "chain",
    "total_claims_identified",
    "verified_exact",
    "verified_derivable",
    "fabricated",
    "verification_rate_percentage",
    "label",
    "justification",
]


def write(judged: JudgeFolder) -> tuple[Path, ...]:
    books, gathering = Workbooks(judged.path, judged.info), Gathering(judged.info)
    for each, rows in joined(judged):
        books.add(each, gathering.add(each, rows), rows)
    return books.finish(gathering.results())


def rows_of(path: Path, sheet: str) -> list[dict[str, Any]]:
    values = list(openpyxl.load_workbook(path)[sheet].values)
    return [dict(zip(map(str, values[0]), row, strict=True)) for row in values[1:]]


def heading(path: Path, sheet: str) -> list[str]:
    return [str(cell.value) for cell in next(iter(openpyxl.load_workbook(path)[sheet].rows))]


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


def test_files_sheets_and_columns(judged: JudgeFolder) -> None:
    evaluation, claims_book, taxonomy = write(judged)
    assert [each.name for each in (evaluation, claims_book, taxonomy)] == [
        "evaluation.xlsx",
        "citation_hallucination.xlsx",
        "error_taxonomy.xlsx",
    ]
    assert openpyxl.load_workbook(evaluation).sheetnames == [
        "Evaluation Results",
        "Per-Model Statistics",
        "Tag-wise Scores",
        "Error Analysis - Per Model",
    ]
    assert openpyxl.load_workbook(claims_book).sheetnames == ["Citation", "Hallucination", "Claims"]
    assert openpyxl.load_workbook(taxonomy).sheetnames == ["Evaluation Results", "Summary"]
    fixed = ["query", "model"]
    for name in DIMENSIONS:
        fixed += [name, f"{name}_reasoning"]
    fixed += ["tags"]
    assert heading(evaluation, "Evaluation Results")[: len(fixed)] == fixed
    assert heading(evaluation, "Per-Model Statistics")[:11] == [
        *("Model", "Metric", "Mean", "Std", "Variance", "Min", "Max", "Median", "Q25", "Q75", "Count")
    ]
    assert heading(evaluation, "Tag-wise Scores")[:7] == [
        *("tag", "model"),
        *(f"avg_{name}" for name in DIMENSIONS),
        "total_queries",
    ]
    assert heading(evaluation, "Error Analysis - Per Model")[:10] == [
        *("Model", "Metric", "Error Type", "Description", "Occurrence Count", "Total Low Scores"),
        *("Total Queries", "Severity", "Example Queries", "Example Issues"),
    ]
    assert heading(claims_book, "Citation")[: len(CITATION)] == CITATION
    assert heading(claims_book, "Hallucination")[: len(HALLUCINATION)] == HALLUCINATION
    expected = ["query", "tags"]
    for category in ERROR_CATEGORIES:
        expected += [category, f"{category}_reasoning"]
    assert heading(taxonomy, "Evaluation Results")[:16] == expected
    assert heading(taxonomy, "Summary")[:3] == ["Metric", "Proportion present", "Count present"]


def test_only_what_was_asked_for_is_written(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("m1", "q", claims(["direct"]))], protocols=("citations",))
    assert [each.name for each in write(made)] == ["citation_hallucination.xlsx"]


def test_scores_and_what_failed(judged: JudgeFolder) -> None:
    evaluation, _, _ = write(judged)
    first, second, _, fourth = rows_of(evaluation, "Evaluation Results")
    assert (first["temporal_relevance"], first["depth"]) == (8, 7)
    assert second["data_consistency"] == "failed: prose instead of JSON"
    assert second["depth"] == "abstained"
    assert second["verifaible_coverage"] == 0.5
    assert fourth["temporal_relevance"] == "not judged"
    statistics = {(row["Model"], row["Metric"]): row for row in rows_of(evaluation, "Per-Model Statistics")}
    one = statistics["m1", "Temporal Relevance"]
    assert (one["Mean"], one["Std"], one["Variance"], one["Count"]) == (8.5, 0.5, 0.25, 2)
    assert (one["Q25"], one["Median"], one["Q75"]) == (8.25, 8.5, 8.75)
    none = statistics["m2", "Data Consistency"]
    assert none["Count"] == 0
    assert none["Mean"] == "failed: 1 of 2; not judged"


def test_scores_by_tag(judged: JudgeFolder) -> None:
    evaluation, _, _ = write(judged)
    first, second = rows_of(evaluation, "Tag-wise Scores")
    assert (first["tag"], first["model"], first["avg_temporal_relevance"]) == ("DeFi", "m1", 8.5)
    assert (second["model"], second["avg_temporal_relevance"], second["total_queries"]) == ("m2", 6.0, 2)
    assert second["avg_data_consistency"] == "failed: 1 of 2; not judged"


def test_counts_of_the_checks(judged: JudgeFolder) -> None:
    _, book, _ = write(judged)
    first, empty, _, unjudged = rows_of(book, "Citation")
    assert first["total_claims_identified"] == 5
    assert first["claims_with_citations"] == 4
    assert (first["correctly_cited_direct"], first["correctly_cited_derivable"]) == (1, 1)
    assert first["citation_precision_percentage"] == pytest.approx(66.67)
    assert first["is_valid"] is True
    assert (first["judged"], first["failed"], first["coverage"]) == (4, 1, 0.8)
    assert json.loads(first["missing_citations_details"]) == [{"claim": "Value 4 is 4.", "should_cite": ""}]
    whole = json.loads(first["eval_result"])
    assert whole["summary"]["incorrectly_cited"] == first["incorrectly_cited"] == 1
    assert "c5 Value 5 is 5. | cites: src_1 | failed: half a JSON" in first["chain"]
    assert empty["label"] == "no claims"
    assert empty["citation_precision_percentage"] == "nothing to judge"
    assert unjudged["label"] == unjudged["correctly_cited_direct"] == "not judged"
    found = rows_of(book, "Hallucination")[0]
    assert (found["verified_exact"], found["verified_derivable"], found["fabricated"]) == (1, 1, 2)
    assert found["contradiction"] == 1
    assert found["verification_rate_percentage"] == 50


def test_without_a_model_cells_say_so(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("m1", "q", claims(["not_judged/not_judged"]))], judge="")
    evaluation, book, taxonomy = write(made)
    (row,) = rows_of(evaluation, "Evaluation Results")
    assert {row[name] for name in DIMENSIONS} == {"not judged: no model"}
    (row,) = rows_of(book, "Citation")
    assert row["citation_precision_percentage"] == row["label"] == "not judged: no model"
    (row,) = rows_of(taxonomy, "Evaluation Results")
    assert {row[name] for name in ERROR_CATEGORIES} == {"not judged: no model"}
    for row in rows_of(taxonomy, "Summary"):
        assert row["Proportion present"] == row["Count present"] == "not judged: no model"
    for row in rows_of(evaluation, "Error Analysis - Per Model"):
        assert row["Occurrence Count"] == row["Total Low Scores"] == "not judged: no model"


def test_proportions_of_errors(judged: JudgeFolder) -> None:
    _, _, taxonomy = write(judged)
    rows = {(row["Model"], row["Metric"]): row for row in rows_of(taxonomy, "Summary")}
    stale = rows["all", "staleness_missing_time_bounds"]
    assert (stale["Count present"], stale["Judged"], stale["Not_judged"]) == (1, 3, 1)
    assert stale["Proportion present"] == pytest.approx(1 / 3)
    inconsistent = rows["m2", "inconsistent_claims"]
    assert inconsistent["Proportion present"] == "failed: 1 of 2; not judged"


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
    _, book, _ = write(folder(tmp_path, [answer("m1", "q", made)]))
    first, second = rows_of(book, "Claims")
    assert first["derivation"] == "percent_change(TVL before 4.0 USD, TVL now 4.9 USD) = 22.5 %"
    assert (first["quote"], first["url"]) == ("TVL before 4.0", "https://example.com/tvl")
    assert json.loads(first["further_passages"])[0]["quote"] == "TVL now 4.9"
    assert (second["hallucination"], second["hallucination_by"]) == ("contradiction", "rules")
    assert (second["source_says"], second["quote_start"], second["quote_end"]) == ("$3.9B", 40, 45)
    assert len(second["capture"]) == 64


def test_what_people_gave_stands_behind_as_it_was(tmp_path: Path) -> None:
    columns = {"gold": "42", "model": "not mine", "tags": "['a', 'b']"}
    evaluation, _, _ = write(folder(tmp_path, [answer("m1", "q", columns=columns)]))
    (row,) = rows_of(evaluation, "Evaluation Results")
    assert row["gold"] == "42"
    assert row["model"] == "m1"
    assert row["tags"] == "['a', 'b']"
    assert row["m1_response"].startswith("TVL rose")


def test_nothing_in_a_cell_is_run(tmp_path: Path) -> None:
    hostile = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "#N/A", "=cmd|' /C calc'!A0"]
    made = [claim("", at, "direct", text=text) for at, text in enumerate(hostile, 1)]
    _, book, _ = write(folder(tmp_path, [answer("=HYPERLINK(1)", "=q", made)]))
    sheet = openpyxl.load_workbook(book)["Claims"]
    assert {cell.data_type for row in sheet.rows for cell in row} <= {
        "s",
        "inlineStr",
        "n",
    }  # no formula, no error
    assert [row["claim"] for row in rows_of(book, "Claims")] == hostile


def test_controls_and_long_answers(tmp_path: Path) -> None:
    long = "\x00\x1b[31m" + "😀x" * 40_000
    evaluation, book, _ = write(folder(tmp_path, [answer("m1", "q", claims(["direct"]), answer=long)]))
    cell = rows_of(book, "Citation")[0]["response"]
    assert cell.startswith("\ufffd\ufffd[31m😀x")
    assert len(cell.encode("utf-16-le")) // 2 <= MAX_CHARACTERS
    assert cell.endswith("the JSONL files have all of it]")
    assert rows_of(evaluation, "Evaluation Results")


def test_a_rerun_writes_the_same_bytes(judged: JudgeFolder) -> None:
    first = [path.read_bytes() for path in write(judged)]
    time.sleep(2.1)  # a ZIP file's clock ticks every two seconds
    assert [path.read_bytes() for path in write(judged)] == first


def test_without_openpyxl_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("openpyxl"):
            raise ImportError(name)
        return real(name, *rest, **more)

    for name in [each for each in sys.modules if each.startswith("openpyxl")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ConfigError, match=r"pip install 'verifaible\[judge\]'"):
        Workbooks(tmp_path, info())


@given(st.lists(st.floats(0, 10), min_size=1, max_size=30))
def test_quartiles_are_numpys(values: list[float]) -> None:
    numpy = pytest.importorskip("numpy")
    assert quartiles(values) == pytest.approx(list(numpy.quantile(values, [0.25, 0.5, 0.75])))
