"""Why a trial did not get everything: made-up trials, and the failures that the seed publishes.

Of each failure in the seed's Appendix B, what it tells is made into a trial: the value and the date that
were returned, the rounds, the cited type. What it does not tell is filled in as such trials go.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from verifaible.schema.case import Case
from verifaible.schema.run import AgentOutcome, FailureReason, ToolEvent, TrialCitation, VerifiedScore
from verifaible.scoring.failure_reasons import FAILURES, name_failure
from verifaible.scoring.gate import facts_of
from verifaible.scoring.match import expectation, match_answer

CASES = Path(__file__).resolve().parents[3] / "cases"


def case_of(name: str) -> Case:
    return Case.model_validate(json.loads((CASES / f"{name}.json").read_text(encoding="utf-8")))


def tool(name: str, result: str = "", error_code: str = "", **arguments: Any) -> ToolEvent:
    return ToolEvent(
        round=1, name=name, arguments=json.dumps(arguments), result=result, error_code=error_code
    )


def cited(
    number: int = 1, kind: str = "table", text: str = "", url: str = "https://x.test/"
) -> TrialCitation:
    fields = {"number": number, "id": f"c{number}", "evidence_type": kind, "source_url": url, "text": text}
    return TrialCitation.model_validate(fields)


def named(
    case: Case, answer: str, *, reasons: tuple[str, ...] = ("Something is not right.",), **outcome: Any
) -> FailureReason:
    done = AgentOutcome(answer=answer, **outcome)
    facts = facts_of(case, answer, done.citations)
    verdict = VerifiedScore(passed=not reasons, reasons=reasons)
    stated = match_answer(answer, expectation(case), question=case.question).stated
    return name_failure(case, done, facts, verdict, stated)


PAGE = tool(
    "test_action_steps", "基金成交概况 数据日期：2026-02-10 成交金额 5613.46 亿元", url="https://sse.test/"
)
R1_ROUNDS = {"rounds": 5, "tool_calls": 4}


def test_what_got_everything_has_no_reason() -> None:
    case = case_of("cn_dynamic_001")
    assert named(case, "61 笔[@v:1]", reasons=(), citations=(cited(text="61"),)) == ""


SEED: list[tuple[str, str, str, dict[str, Any], FailureReason]] = [
    (
        "cn_table_002",
        "Kimi",
        "郑州2026年1月二手住宅价格同比为 99.5[@v:1]。",
        {
            "citations": (cited(text="99.5"),),
            "events": (tool("web_fetch", "2026年1月70个大中城市 郑州 99.5 90.9 北京 99.8 91.6"),),
        },
        "wrong_answer",
    ),
    (
        "cn_table_002",
        "R1",
        "2026年1月，郑州的二手住宅同比指数是 91.1[@v:1]。",
        {
            "citations": (cited(text="91.1"),),
            "events": (tool("web_fetch", "2026年1月份二手住宅 石家庄 91.1 郑州 90.9"),),
        },
        "wrong_answer",
    ),
    (
        "cn_table_004",
        "R1",
        "耐用消费品同比下降 1.8%[@v:1]。",
        {"citations": (cited(kind="text", text="耐用消费品价格下降1.8%"),)},
        "type_mismatch",
    ),
    (
        "cn_dynamic_001",
        "MiniMax",
        "",
        {"ended_by": "rounds", "rounds": 30, "events": (PAGE,) * 29},
        "round_trip_exhaustion",
    ),
    (
        "cn_dynamic_001",
        "R1",
        "2025年2月11日，地方政府债的成交笔数为 167 笔[@v:1]。",
        {
            "citations": (cited(text="167"),),
            "events": (tool("test_action_steps", "每日概况 2026-02-11 地方政府债 167 笔 3.2 亿"),),
        },
        "wrong_date",
    ),
    (
        "cn_dynamic_002",
        "MiniMax, Kimi",
        "名列第一的股票占总市值的 5.33%[@v:1]。",
        {
            "citations": (cited(text="5.33"),),
            "events": (tool("test_action_steps", "数据日期 2026-02-10 工商银行 市价总值 5.33%"),),
        },
        "wrong_date",
    ),
    (
        "cn_dynamic_002",
        "R1",
        "截至2026年2月10日，第一名占总市值的 5.33%。",
        R1_ROUNDS,
        "wrong_date",
    ),
    ("cn_dynamic_003", "Kimi", "", {"ended_by": "rounds", "rounds": 30}, "round_trip_exhaustion"),
    (
        "cn_dynamic_003",
        "R1",
        "要得到该数据，需要先在页面上选择日期，然后读取表格中的成交金额。",
        {**R1_ROUNDS, "events": (tool("web_fetch", "基金成交概况"), tool("analyze_page", "date input"))},
        "premature_stop",
    ),
    (
        "cn_dynamic_004",
        "Kimi",
        "2025年2月10日融券余量金额为 17,835,204,391 元[@v:1]。",
        {
            "citations": (cited(text="17835204391"),),
            "events": (tool("verifaible_cite", "Highlighted 17835204391 in the row 20260210"),),
            "reasons": ("[@v:1]: The context '2025-02-10' is not visible in the capture.",),
        },
        "wrong_date",
    ),
    (
        "cn_dynamic_pdf_001",
        "R1",
        "抱歉，我未能在公告页面找到该PDF文件。",
        {
            **R1_ROUNDS,
            "events": (
                tool("web_fetch", "公告列表"),
                tool("test_action_steps", "click failed", "step_failed"),
                tool("web_fetch", "404", "page_not_loaded"),
            ),
        },
        "navigation_failure",
    ),
    (
        "cn_dynamic_pdf_002",
        "R1",
        "公告页面中没有找到浦发银行2025年度业绩快报公告，无法给出数值。",
        {**R1_ROUNDS, "events": (tool("web_fetch", "上市公司公告 查询"), tool("analyze_page", "inputs"))},
        "navigation_failure",
    ),
    (
        "cn_dynamic_pdf_001",
        "Kimi",
        "郑州分公司的负责人是李宗阳[@v:1]。",
        {"citations": (cited(kind="text", text="负责人：李宗阳"),)},
        "type_mismatch",
    ),
    (
        "us_text_003",
        "MiniMax",
        "The rate was lowered to 4.9 percent [@v:1].",
        {"citations": (cited(kind="pdf", text="4.9 percent"),)},
        "type_mismatch",
    ),
    ("video_002", "R1", "The input layer has 784 neurons.", R1_ROUNDS, "no_citation"),
]


@pytest.mark.parametrize(
    ("case", "model", "answer", "outcome", "expected"), SEED, ids=lambda each: str(each)[:30]
)
def test_published_failures(
    case: str, model: str, answer: str, outcome: dict[str, Any], expected: FailureReason
) -> None:
    assert named(case_of(case), answer, **outcome) == expected


TABLE: list[tuple[str, str, str, dict[str, Any], FailureReason]] = [
    ("machine", "cn_text_001", "", {"ended_by": "infrastructure"}, "infrastructure"),
    ("endpoint", "cn_text_001", "", {"ended_by": "model_error"}, "model_error"),
    ("tokens", "cn_text_001", "", {"ended_by": "tokens"}, "other_limit"),
    ("seconds", "cn_text_001", "", {"ended_by": "seconds"}, "other_limit"),
    ("cost", "cn_text_001", "", {"ended_by": "cost"}, "other_limit"),
    ("silent from the start", "cn_text_001", "", {}, "premature_stop"),
    ("silent after a page", "cn_text_001", "", {"events": (tool("web_fetch", "x"),)}, "premature_stop"),
    (
        "silent after pages that did not open",
        "cn_text_001",
        "",
        {"events": (tool("web_fetch", "", "page_not_loaded"), tool("web_fetch", "", "offline_miss"))},
        "navigation_failure",
    ),
    (
        "gave up in English because of a wall",
        "us_table_001",
        "I was unable to access the Treasury page.",
        {"events": (tool("web_fetch", "", "page_blocked"),)},
        "navigation_failure",
    ),
    (
        "gave up although the page was open",
        "us_table_001",
        "I'm sorry, I could not determine the rate.",
        {"events": (tool("web_fetch", "rates"), tool("analyze_page", "tables"))},
        "premature_stop",
    ),
    (
        "gave up in Japanese",
        "us_text_002",
        "申し訳ありませんが、見つかりませんでした。",
        {"events": (tool("web_fetch", "", "page_not_loaded"),)},
        "navigation_failure",
    ),
    (
        "a tool that is not about pages went wrong",
        "cn_text_001",
        "",
        {"events": (tool("web_fetch", "page"), tool("verifaible_cite", "", "bad_arguments"))},
        "premature_stop",
    ),
    (
        "a wrong name",
        "us_text_002",
        "Christopher J. Waller[@v:1]",
        {"citations": (cited(kind="text", text="Waller"),)},
        "wrong_answer",
    ),
    (
        "another date in the answer alone",
        "us_table_001",
        "On February 6, 2025 it was 4.49 percent.",
        {},
        "wrong_date",
    ),
    (
        "both dates in the answer, the value from the wrong one",
        "us_table_001",
        "For February 6, 2026 I read 4.49 percent[@v:1].",
        {
            "citations": (cited(text="4.49"),),
            "events": (tool("web_fetch", "Date 10 Yr\n02/06/2025 4.49"),),
        },
        "wrong_date",
    ),
    (
        "the wrong column of the right date",
        "us_table_001",
        "On February 6, 2026 it was 4.85 percent[@v:1].",
        {
            "citations": (cited(text="4.85"),),
            "events": (tool("web_fetch", "Date 10 Yr 30 Yr\n02/05/2026 4.21 4.86\n02/06/2026 4.22 4.85"),),
        },
        "wrong_answer",
    ),
    (
        "the row of the day before",
        "us_table_001",
        "On February 6, 2026 it was 4.21 percent[@v:1].",
        {
            "citations": (cited(text="4.21"),),
            "events": (tool("web_fetch", "Date 10 Yr\n02/05/2026 4.21\n02/06/2026 4.22"),),
        },
        "wrong_date",
    ),
    (
        "a case without a date",
        "video_002",
        "The input layer has 28 neurons[@v:1].",
        {"citations": (cited(kind="video", text="28"),)},
        "wrong_answer",
    ),
    ("right, uncited", "cn_text_001", "140489万人", {}, "no_citation"),
    (
        "right, without a marker",
        "cn_text_001",
        "140489万人",
        {"citations": (cited(kind="text"),)},
        "no_marker",
    ),
    (
        "right, with a marker of nothing",
        "cn_text_001",
        "140489万人[@v:7]",
        {"citations": (cited(kind="text"),)},
        "no_marker",
    ),
    (
        "right and cited, but not shown",
        "cn_text_001",
        "140489万人[@v:1]",
        {"citations": (cited(kind="text", text="全国人口"),)},
        "evidence_not_verified",
    ),
    (
        "right value, but the date of the capture is another",
        "cn_dynamic_001",
        "61 笔[@v:1]",
        {
            "citations": (cited(text="61"),),
            "reasons": ("[@v:1]: The context '2025-02-11' is not visible in the capture.",),
        },
        "evidence_not_verified",
    ),
    (
        "the limit counts before what was said on the way",
        "cn_dynamic_001",
        "",
        {"ended_by": "rounds", "citations": (cited(text="167"),)},
        "round_trip_exhaustion",
    ),
]


@pytest.mark.parametrize(
    ("about", "case", "answer", "outcome", "expected"), TABLE, ids=[row[0] for row in TABLE]
)
def test_made_up_trials(
    about: str, case: str, answer: str, outcome: dict[str, Any], expected: FailureReason
) -> None:
    assert named(case_of(case), answer, **outcome) == expected


def test_every_reason_has_words() -> None:
    reasons = {row[-1] for row in (*SEED, *TABLE)}
    assert reasons == set(FAILURES)
