"""The tables: figures by hand, what is not judged in words, published figures as printed."""

from __future__ import annotations

import dataclasses
import hashlib
import random
from decimal import Decimal
from pathlib import Path

import pytest

from tests.unit.judge.made import answer, claim, claims, folder
from verifaible.judge import published
from verifaible.judge.compare import before_and_after
from verifaible.judge.results import Results, read_results
from verifaible.judge.tables import all_tables, tables_of
from verifaible.reporting.outcomes import Outcomes, mean_cell, share_cell, without_unjudged
from verifaible.reporting.tables import Cell, Table
from verifaible.schema.judged import ERROR_CATEGORIES
from verifaible.stats import cluster_interval


@pytest.fixture
def results(tmp_path: Path) -> Results:
    one = claims(
        ["direct/exact"] * 6 + ["derivable/derivable", "incorrect/fabricated", "missing/contradiction"]
    )
    two = claims(["direct/exact"] * 2 + ["failed/failed"])
    return read_results(
        folder(
            tmp_path,
            [
                answer("a", "q1", one, rubric=(8, 9, 7, 10), errors=(1, 0, 0, 0, 0, 0, 0)),
                answer("b", "q1", two, rubric=(6, "failed", 6, 6), errors=(0,) * 7),
                answer("a", "q2", two, rubric=(10, 9, 9, 8), errors=(0,) * 7, tags=("NFTs",)),
                answer("b", "q2", tags=("NFTs",)),
            ],
        )
    )


def table(results: Results, name: str) -> Table:
    return next(each for each in all_tables(results) if each.name == name)


def cell(results: Results, name: str, row: str, column: str) -> Cell:
    found = table(results, name)
    at = found.columns.index(column)
    return next(each.cells[at] for each in found.rows if each.cells[0].text == row)


def test_means_of_the_rubric(results: Results) -> None:
    found = cell(results, "rubric", "a", "Temporal relevance")
    assert (found.value, found.n, found.of) == (9.0, 2, 2)
    assert found.low is not None and found.high is not None
    assert found.low <= 9 <= found.high
    failed = cell(results, "rubric", "b", "Data consistency")
    assert failed.value is None
    assert failed.text == "failed: 1 of 2; not judged"
    single = cell(results, "rubric", "b", "Depth")
    assert (single.value, single.low, single.n, single.of) == (6.0, None, 1, 2)


def test_parts_of_the_claims(results: Results) -> None:
    exact = cell(results, "hallucination", "a", "Exact")
    assert exact.value == pytest.approx(8 / 11)
    assert (exact.n, exact.of) == (11, 12)
    fabricated = cell(results, "hallucination", "a", "Fabricated")
    assert fabricated.value == pytest.approx(2 / 11)
    assert cell(results, "hallucination", "a", "Of these contradicted").value == pytest.approx(1 / 11)
    bounds = cell(results, "hallucination", "a", "Verified, bounds")
    assert (bounds.low, bounds.high) == (9 / 12, 10 / 12)


def test_citations_as_the_paper_counts_them_and_as_we_do(results: Results) -> None:
    assert cell(results, "citations", "a", "Preciseness").value == pytest.approx(11 / 12)
    precision = cell(results, "citations", "a", "Precision")
    assert precision.value == pytest.approx(9 / 10)
    assert (precision.n, precision.of) == (10, 11)


def test_kinds_of_error(results: Results) -> None:
    found = cell(results, "taxonomy", "Staleness / missing time bounds", "a")
    assert (found.value, found.n, found.of) == (0.5, 2, 2)
    assert found.low is not None and 0 < found.low < 0.5
    assert cell(results, "taxonomy", "Shallow synthesis", "b").n == 1


def test_the_heat_map_takes_answers_of_which_all_four_were_judged(results: Results) -> None:
    assert cell(results, "heat_map", "a", "DeFi").value == 8.5
    assert cell(results, "heat_map", "a", "NFTs").value == 9.0
    assert cell(results, "heat_map", "a", "NFTs").level == 9
    assert cell(results, "heat_map", "a", "DeFi").level == 0
    lacking = cell(results, "heat_map", "b", "DeFi")
    assert lacking.value is None
    assert lacking.level is None


def test_coverage_counts_every_outcome(results: Results) -> None:
    assert cell(results, "coverage", "rubric", "Failed").value == 1
    assert cell(results, "coverage", "rubric", "Not judged").value == 4
    assert cell(results, "coverage", "hallucination", "Items").value == 15


def test_where_no_model_was_asked_cells_say_so(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("a", "q", claims(["not_judged/not_judged"]))], judge="")
    found = {each.name: each for each in tables_of(made)}
    assert {each.text for each in found["rubric"].rows[0].cells[1:]} == {"not judged: no model"}
    assert {row.cells[1].text for row in found["taxonomy"].rows} == {"not judged: no model"}
    assert found["hallucination"].rows[0].cells[1].text == "not judged: no model"
    assert found["heat_map"].rows[0].cells[1].text == "not judged: no model"
    # a mark is a mark, whoever judges
    assert found["citations"].rows[0].cells[1].text.startswith("100.0 %")


def test_what_was_not_judged_is_one_line_and_no_table(tmp_path: Path) -> None:
    made = folder(
        tmp_path,
        [
            answer("a", "q", claims(["not_judged/not_judged"])),
            answer("b", "q", claims(["direct/not_judged"])),
        ],
        judge="",
    )
    kept, lines = without_unjudged(tables_of(made))
    assert [each.name for each in kept] == ["coverage", "citations"]
    assert all(
        "not judged" not in each.text for table in kept[:1] for row in table.rows for each in row.cells
    )
    (left_out,) = lines
    assert left_out.startswith("Not judged, no model: Claims and their sources (table 7); Rubric (table 4); ")
    # one of the two was judged: the column stays, and says so of the other
    assert [row.cells[2].value for row in kept[1].rows] == [None, 1.0]


def test_what_failed_is_a_result(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("a", "q", claims(["failed/failed"]), rubric=("failed",) * 4)])
    kept, _ = without_unjudged(tables_of(made))
    assert {"rubric", "hallucination"} <= {each.name for each in kept}


def test_coverage_of_citations_is_what_was_compared_with_a_source(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("a", "q", claims(["direct", "not_judged", "missing", "missing"]))])
    (row,) = [each for each in tables_of(made)[0].rows if each.cells[0].text == "citations"]
    assert row.cells[-1].text == "50.0 %, 1/2"


def test_what_was_not_asked_for_is_no_failure_of_a_model(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("a", "q", claims(["direct"]))], protocols=("citations",))
    found = {each.name: each for each in tables_of(made)}
    assert found["rubric"].rows[0].cells[1].text == "not judged: not asked for"
    assert [row.cells[0].text for row in found["coverage"].rows] == ["citations"]


def test_no_failure_is_ever_a_score(tmp_path: Path) -> None:
    draw = random.Random(7)
    items, scores = [], []
    for at in range(1000):
        failed = draw.random() < 0.4
        scores.append(None if failed else draw.randint(5, 10))
        items.append(answer("a", f"q{at}", rubric=("failed" if failed else scores[-1] or 0,) * 4))
    found = cell(read_results(folder(tmp_path, items)), "rubric", "a", "Depth")
    known = [score for score in scores if score is not None]
    assert found.value == pytest.approx(sum(known) / len(known))
    assert (found.n, found.of) == (len(known), 1000)


def test_an_empty_folder_has_tables(tmp_path: Path) -> None:
    for each in tables_of(folder(tmp_path, [])):
        assert each.as_text().startswith(each.title)


def test_every_way_to_draw_a_table_has_every_cell(results: Results) -> None:
    for each in all_tables(results):
        text = each.as_text()
        for row in each.rows:
            assert len(row.cells) == len(each.columns)
            for one in row.cells:
                assert one.text in text
        assert Table.model_validate(each.as_json()) == each


# --- published figures


def test_table_9_is_made_of_198_answers() -> None:
    for model in published.MODELS:
        for share in model.errors:
            counts = [round(Decimal(count) / published.QUERIES, 3) for count in range(published.QUERIES + 1)]
            assert share in counts


def test_the_papers_accuracy_is_what_always_no_reaches() -> None:
    assert published.all_zero_accuracy() == Decimal("93.18")
    assert abs(published.all_zero_accuracy() - published.TAXONOMY_ACCURACY) < Decimal("0.3")


def test_published_rows_are_marked_and_stand_only_beside_the_published_queries(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rubric", "hallucination", "citations", "taxonomy"):
        found = table(results, name)
        assert not found.source
        assert not [row for row in found.rows if row.published]
        assert not [column for column in found.columns if "published" in column]
    asked = hashlib.sha256(b"q1\nq2").hexdigest()
    monkeypatch.setattr(published, "QUERIES_SHA256", asked)
    results = dataclasses.replace(results)
    for name in ("rubric", "hallucination", "citations"):
        found = table(results, name)
        theirs = [row for row in found.rows if row.published]
        assert len(theirs) == 5
        assert found.source == published.SOURCE
        assert all(row.cells[0].text.endswith("(published)") for row in theirs)
    assert len(table(results, "taxonomy").columns) == 1 + 2 + 5
    assert len(published.MODELS[0].errors) == len(ERROR_CATEGORIES)


# --- intervals


@pytest.mark.parametrize(("answers", "runs", "least"), [(12, 600, 0.90), (80, 400, 0.92)])
def test_an_interval_holds_the_truth_nearly_as_often_as_it_says(
    answers: int, runs: int, least: float
) -> None:
    draw = random.Random(5)
    hits = 0
    for _ in range(runs):
        clusters = []
        for _ in range(answers):
            share = draw.betavariate(6, 2)
            clusters.append([float(draw.random() < share) for _ in range(draw.randint(3, 20))])
        low, high = cluster_interval(clusters) or (2.0, 2.0)
        hits += low <= 0.75 <= high
    assert least <= hits / runs <= 0.98


def test_all_alike_is_not_certain() -> None:
    found = share_cell([(10, 10)] * 8, Outcomes(decided=80), "")
    assert found.value == 1.0
    assert found.low is not None and 0.6 < found.low < 0.8  # eight answers, not eighty claims


def test_answers_that_are_alike_have_no_interval_of_no_width() -> None:
    share = share_cell([(2, 3)] * 3, Outcomes(decided=9), "")
    mean = mean_cell([[7.1], [7.1], [7.1]], Outcomes(decided=3), "")
    assert (share.low, share.high, mean.low, mean.high) == (None, None, None, None)
    assert share.text == "66.7 %, 9/9"
    assert mean.text == "7.10, 3/3"


def test_one_answer_has_no_interval() -> None:
    assert share_cell([(3, 4)], Outcomes(decided=4), "").low is None
    assert mean_cell([[7.0, 8.0]], Outcomes(decided=2), "").low is None


# --- reading


def test_claims_of_an_answer_that_was_not_finished_are_left_out(tmp_path: Path) -> None:
    made = folder(tmp_path, [answer("a", "q1", claims(["direct/exact"] * 4)), answer("a", "nothing")])
    judged, rows = answer("a", "q2", claims(["direct/exact"] * 2))
    for each in (*rows, claim("nobody", 1, "direct")):
        made.add_claim(each)
    made.add_answer(judged)
    assert [each.claims for each in read_results(made).answers] == [4, 0, 2]


# --- before and after


def test_before_and_after(tmp_path: Path) -> None:
    draw = random.Random(2)
    scores = {f"q{at}": draw.randint(4, 8) for at in range(20)}
    before = [answer("a", q, claims(["direct/fabricated"]), rubric=(s, s, s, s)) for q, s in scores.items()]
    after = [
        answer("a", q, claims(["direct/exact"]), rubric=(s + 1, s, s, "failed")) for q, s in scores.items()
    ]
    before.append(answer("a", "only before", rubric=(1, 1, 1, 1)))
    after.append(answer("b", "q1", rubric=(1, 1, 1, 1)))
    (scored,) = before_and_after(folder(tmp_path / "1", before), folder(tmp_path / "2", after))
    (row,) = scored.rows
    rise, same, _, failed, verified, _ = row.cells[1:]
    assert (rise.value, rise.n, rise.of) == (1.0, 20, 20)
    assert "20↑ 0↓" in rise.text
    assert same.value == 0.0
    assert failed.value is None
    assert failed.text == "not judged in both"
    assert "b" in scored.note
    assert verified.value == pytest.approx(100)


def test_means_of_repeats_are_compared_exactly(tmp_path: Path) -> None:
    before = [answer("a", f"q{at}", rubric=(7 + 1 / 3,) * 4) for at in range(6)]
    after = [answer("a", f"q{at}", rubric=(7 + 2 / 3,) * 4) for at in range(6)]
    (scored,) = before_and_after(folder(tmp_path / "1", before), folder(tmp_path / "2", after))
    found = scored.rows[0].cells[1]
    assert found.value == pytest.approx(1 / 3)
    assert "p 0.12" in found.text  # 2 / 2**6, times the four cells of the table
