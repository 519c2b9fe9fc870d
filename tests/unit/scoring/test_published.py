"""The seed's 84 cells, computed from what its appendices say about answer, citation, marker and type."""

from __future__ import annotations

import pytest

from verifaible.bench.published import CASES, CATEGORIES, MODELS, cell_total, published_scores
from verifaible.schema.run import ScoreFacts
from verifaible.scoring.gate import gated_score

FULL = (True, True, True, True)
WRONG = (False, True, True, True)
TYPE = (True, True, True, False)
UNCITED = (True, False, False, False)

#: Appendix B; every other cell of the matrix is a full one.
FACTS = {
    ("cn_table_002", "Kimi-K2.5"): WRONG,
    ("cn_table_002", "DeepSeek-R1"): WRONG,
    ("cn_table_004", "DeepSeek-R1"): TYPE,
    ("cn_dynamic_001", "MiniMax-M2.5"): WRONG,
    ("cn_dynamic_001", "DeepSeek-R1"): WRONG,
    ("cn_dynamic_002", "MiniMax-M2.5"): WRONG,
    ("cn_dynamic_002", "Kimi-K2.5"): WRONG,
    ("cn_dynamic_002", "DeepSeek-R1"): WRONG,
    ("cn_dynamic_003", "MiniMax-M2.5"): WRONG,
    ("cn_dynamic_003", "Kimi-K2.5"): WRONG,
    ("cn_dynamic_003", "DeepSeek-R1"): WRONG,
    ("cn_dynamic_004", "MiniMax-M2.5"): WRONG,
    ("cn_dynamic_004", "Kimi-K2.5"): WRONG,
    ("cn_dynamic_004", "DeepSeek-R1"): WRONG,
    ("cn_dynamic_pdf_001", "DeepSeek-R1"): WRONG,
    ("cn_dynamic_pdf_001", "Kimi-K2.5"): TYPE,
    ("cn_dynamic_pdf_002", "DeepSeek-R1"): WRONG,
    ("us_text_003", "MiniMax-M2.5"): TYPE,
    ("video_001", "DeepSeek-R1"): WRONG,
    ("video_002", "DeepSeek-R1"): UNCITED,
}


def facts(case: str, model: str) -> ScoreFacts:
    answer, created, marked, evidence_type = FACTS.get((case, model), FULL)
    return ScoreFacts(
        answer_correct=answer,
        citation_created=created,
        citation_in_text=marked,
        evidence_type_match=evidence_type,
    )


CELLS = [(row.case, model.name) for row in CASES for model in MODELS]


@pytest.mark.parametrize(("case", "model"), CELLS)
def test_each_cell_follows_from_its_facts(case: str, model: str) -> None:
    assert gated_score(facts(case, model), "citation") == published_scores(model)[case]


def test_there_are_84_cells_of_21_cases() -> None:
    assert len(CELLS) == 84
    assert len({row.case for row in CASES}) == 21
    assert set(FACTS) <= set(CELLS)


def test_only_video_002_tells_the_two_gates_apart() -> None:
    differing = {
        cell for cell in CELLS if gated_score(facts(*cell), "answer") != gated_score(facts(*cell), "citation")
    }
    assert differing == {("video_002", "DeepSeek-R1")}
    assert gated_score(facts("video_002", "DeepSeek-R1"), "answer") == 40
    assert gated_score(facts("video_002", "DeepSeek-R1"), "citation") == 0


@pytest.mark.parametrize(
    ("model", "total", "passed", "full"),
    [
        ("GLM-5", 2100, 21, 21),
        ("MiniMax-M2.5", 1680, 17, 16),
        ("Kimi-K2.5", 1680, 17, 16),
        ("DeepSeek-R1", 1180, 12, 11),
    ],
)
def test_totals_are_the_sums_of_the_cells(model: str, total: int, passed: int, full: int) -> None:
    computed = [gated_score(facts(row.case, model), "citation") for row in CASES]
    assert sum(computed) == cell_total(model) == total
    assert sum(score > 0 for score in computed) == passed
    assert sum(score == 100 for score in computed) == full


def test_the_printed_figures_of_deepseek_r1_do_not_fit_its_own_cells() -> None:
    glm, minimax, kimi, deepseek = MODELS
    for model in (glm, minimax, kimi):
        scores = published_scores(model.name).values()
        assert model.printed_total == sum(scores)
        assert model.printed_passed == sum(score > 0 for score in scores)
        assert model.printed_full == sum(score == 100 for score in scores)
    # 11 cells of 100 and one of 80 are 1,180; the report prints 1,080, 11 and 10
    assert sorted(published_scores("DeepSeek-R1").values()) == [0] * 9 + [80] + [100] * 11
    assert (deepseek.printed_total, deepseek.printed_passed, deepseek.printed_full) == (1080, 11, 10)
    assert cell_total("DeepSeek-R1") - deepseek.printed_total == 100
    # and the report's own category table agrees with the cells
    assert sum(row.totals[3] for row in CATEGORIES) == cell_total("DeepSeek-R1")


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda row: row.name)
def test_the_category_table_is_the_sum_of_the_cells(category: object) -> None:
    row = next(row for row in CATEGORIES if row is category)
    members = [
        cells
        for cells in CASES
        if cells.category == row.category or (row.category, cells.category) == ("text", "text/table")
    ]
    assert len(members) == row.cases
    assert (
        tuple(sum(column) for column in zip(*(cells.scores for cells in members), strict=True)) == row.totals
    )


@pytest.mark.parametrize(
    ("index", "total_tokens", "average_input", "average_output"),
    [(0, 1_898_043, 88_883, 1_500), (1, 3_507_606, 164_437, 2_592), (2, 2_694_629, 126_422, 1_893)],
)
def test_tokens_add_up(index: int, total_tokens: int, average_input: int, average_output: int) -> None:
    model = MODELS[index]
    assert model.total_tokens == total_tokens
    assert round(model.input_tokens / 21) == average_input
    assert round(model.output_tokens / 21) == average_output


def test_durations_and_averages_fit_the_totals() -> None:
    for model in MODELS:
        assert model.average_duration_s * 21 / 60 == pytest.approx(model.total_minutes, abs=0.2)
        assert model.printed_total / 21 == pytest.approx(model.printed_average, abs=0.05)


def test_published_scores_by_either_name() -> None:
    assert published_scores("glm-5") == published_scores("GLM-5")
    with pytest.raises(KeyError, match="not among the published models"):
        published_scores("nop")
