from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from verifaible.anchoring.find import find
from verifaible.evidence.verify import header_labels
from verifaible.extract.html import html_document
from verifaible.schema.anchor import Anchor, AnchorRequest
from verifaible.schema.case import Case
from verifaible.schema.citation import Citation
from verifaible.scoring.commitment import MAX_COMPETING_NUMBERS
from verifaible.scoring.verified import MAX_REGION_NUMBERS, EvidenceFacts, verified_score

PAGE = "https://www.sse.com.cn/market/bonddata/overview/day/"


def case(**fields: Any) -> Case:
    raw = {
        "id": "cn_dynamic_001",
        "category": "dynamic",
        "url": PAGE,
        "question": "2025年2月11日地方政府债成交笔数",
        "answer": "61 笔",
        "context": ["2025-02-11"],
    }
    return Case.model_validate({**raw, **fields})


def evidence(number: int = 1, text: str = "61", **changes: Any) -> EvidenceFacts:
    table = changes.pop(
        "table", {"mode": "crosshair", "row_path": ["地方政府债"], "column_path": ["成交笔数"]}
    )
    anchor = Anchor.model_validate({"evidence_type": "table", "text": text, "table": table})
    urls = {key: changes.pop(key) for key in ("final_url", "document_url") if key in changes}
    citation = Citation.model_validate(
        {
            "id": f"id{number}",
            "created_at": "2026-02-01T00:00:00Z",
            "claim": "61 trades",
            "source_url": PAGE,
            "final_url": PAGE,
            **urls,
            "request": {"evidence_type": "table"},
            "anchor": anchor,
            "capture": {
                "sha256": "0" * 64,
                "state_sha256": "0" * 64,
                "size_bytes": 1,
                "captured_at": "2026-02-01T00:00:00Z",
                "web": "offline",
            },
        }
    )
    known = {"reverified": True, "visible_text": "债券成交概览\n2025-02-11\n地方政府债\t61\t12.5"}
    return EvidenceFacts.model_validate({"number": number, "citation": citation, **known, **changes})


ANSWER = "2025年2月11日地方政府债成交61笔[@v:1]"


def test_a_carried_answer_passes_without_reasons() -> None:
    result = verified_score(case(), ANSWER, [evidence()])
    assert result.passed
    assert result.reasons == ()


@pytest.mark.parametrize(
    ("answer", "facts", "reason"),
    [
        ("60笔[@v:1]", [evidence()], "The answer is not correct"),
        ("61笔", [evidence()], "it has no marker"),
        ("61笔[@v:7]", [evidence()], "[@v:7], which this trial did not make"),
        ("61笔[@v:1]", [], "did not make"),
        ("<think>[@v:1]</think>61笔", [evidence()], "it has no marker"),
        (ANSWER, [evidence(reverified=False, reverify_message="The quote is gone")], "The quote is gone"),
        (ANSWER, [evidence(text="167")], "does not hold the value"),
        (ANSWER, [evidence(text="161")], "does not hold the value"),
        (ANSWER, [evidence(text="-61")], "does not hold the value"),
        (ANSWER, [evidence(text="")], "does not hold the value"),
        (ANSWER, [evidence(final_url="https://sse.com.cn.evil.example/")], "not on the case's site"),
        (ANSWER, [evidence(final_url="https://evilsse.com.cn/")], "not on the case's site"),
        (ANSWER, [evidence(document_url="https://cdn.example/a.pdf")], "not on the case's site"),
        (ANSWER, [evidence(visible_text="2026-02-11\n61")], "'2025-02-11' is not visible"),
        (ANSWER, [evidence(visible_text="")], "not visible"),
        (ANSWER, [evidence(table={"mode": "table"})], "whole table"),
        (
            ANSWER,
            [evidence(text="61 " + " ".join(str(n) for n in range(1000, 1000 + MAX_REGION_NUMBERS)))],
            "singles none out",
        ),
    ],
)
def test_each_missing_condition_is_one_reason(answer: str, facts: list[EvidenceFacts], reason: str) -> None:
    result = verified_score(case(), answer, facts)
    assert not result.passed
    (found,) = result.reasons
    assert reason in found
    assert found.endswith(".")


def test_every_failed_condition_is_named() -> None:
    bad = evidence(text="167", reverified=False, visible_text="")
    result = verified_score(case(), "60笔[@v:1]", [bad])
    assert len(result.reasons) == 4


def test_an_unmarked_citation_does_not_help() -> None:
    facts = [evidence(1, text="167"), evidence(2)]
    assert not verified_score(case(), ANSWER, facts).passed
    assert verified_score(case(), ANSWER + "[@v:2]", facts).passed


def test_conditions_must_meet_in_one_citation() -> None:
    right_value_wrong_page = evidence(1, final_url="https://other.example/")
    right_page_wrong_value = evidence(2, text="167")
    result = verified_score(case(), "61笔[@v:1][@v:2]", [right_value_wrong_page, right_page_wrong_value])
    assert not result.passed


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("-0.7", "-0.7%"),
        ("−0.7", "下降0.7%"),
        ("螺纹钢价格下降0.7%", "fell 0.7%"),
        ("3250.0\t-24.3\t-0.7", "-0.7"),
        ("－０．７", "**-0.7 %**"),
    ],
)
def test_cells_are_read_in_the_unit_of_the_case(text: str, answer: str) -> None:
    rebar = case(answer="-0.7 %", question="涨跌幅(%)是多少？")
    assert verified_score(rebar, f"{answer} [@v:1]", [evidence(text=text)]).passed


@pytest.mark.parametrize("text", ["0.7", "-0.75", "-0.7个百分点", "上涨0.7%"])
def test_cells_with_another_value_do_not_carry(text: str) -> None:
    rebar = case(answer="-0.7 %", question="涨跌幅(%)是多少？")
    assert not verified_score(rebar, "-0.7% [@v:1]", [evidence(text=text)]).passed


def test_context_may_stand_in_the_header_path() -> None:
    table = {"mode": "crosshair", "row_path": ["地方政府债"], "column_path": ["2025年", "2月11日"]}
    assert verified_score(case(), ANSWER, [evidence(table=table, visible_text="")]).passed


def test_a_document_of_the_same_site_counts() -> None:
    facts = evidence(document_url="https://static.sse.com.cn/disclosure/a.pdf")
    named = case(pages=["https://static.sse.com.cn/disclosure/*"])
    assert verified_score(named, ANSWER, [facts]).passed


def others(count: int) -> str:
    return "、".join(f"{number}笔" for number in range(501, 501 + count))


def test_a_stuffed_list_is_not_an_answer() -> None:
    assert verified_score(case(), f"{ANSWER}。其他为{others(MAX_COMPETING_NUMBERS)}", [evidence()]).passed
    result = verified_score(case(), f"{ANSWER}。其他为{others(MAX_COMPETING_NUMBERS + 1)}", [evidence()])
    assert not result.passed
    assert "states 9 other numbers" in result.reasons[0]


PMI = case(answer="49.3 %", question="2026年1月，我国制造业PMI是百分之多少？", context=[])
CITY = case(answer="90.9", question="郑州二手住宅同比指数是多少？", context=[])
LENT = case(answer="7,242,119,013 元", question="融券余量金额是多少元？", context=[])


@pytest.mark.parametrize(
    ("asked", "text", "answer"),
    [
        (PMI, "49.3", "49.3%或50.1%或48%[@v:1]"),
        (PMI, "49.3", "不知道是49.3%还是50.1%[@v:1]"),
        (PMI, "49.3", "要么49.3%，要么50.1%[@v:1]"),
        (PMI, "49.3", "50.1%、48%或者49.3%[@v:1]"),
        (PMI, "49.3", "either 50.1 or maybe 49.3 percent [@v:1]"),
        (PMI, "49.3", "49.3% / 50.1% [@v:1]"),
        (PMI, "49.3", "49.3%[@v:1]或50.1%"),
        (CITY, "90.9", "90.9[@v:1] 91.1 96.9 97 98 99 100 101"),
        (CITY, "90.9", "91.1、96.9、97，90.9[@v:1]"),
        (CITY, "90.9", "91.1\n96.9\n97\n90.9[@v:1]"),
    ],
)
def test_a_hedge_is_not_a_commitment(asked: Case, text: str, answer: str) -> None:
    result = verified_score(asked, answer, [evidence(text=text)])
    assert not result.passed
    (reason,) = result.reasons
    assert "does not commit itself" in reason


@pytest.mark.parametrize(
    ("asked", "text", "answer"),
    [
        (PMI, "49.3", "49.3%，比上月下降0.8个百分点；大型企业50.3、中型48.7、小型47.4[@v:1]"),
        (PMI, "49.3", "制造业和非制造业分别为49.3、50.1[@v:1]"),
        (PMI, "49.3", "49.3%或者说四十九点三[@v:1]"),
        (PMI, "49.3", "49.3%，不是50.1%或48%[@v:1]"),
        (PMI, "49.3\t50.1", "49.3%或50.1%[@v:1]"),
        (CITY, "99.1\t90.9\t96.9\t97", "99.1、90.9、96.9、97[@v:1]"),
        (LENT, "7,242,119,013", "7,242,119,013元或72.4亿元[@v:1]"),
    ],
)
def test_an_honest_comparison_commits_itself(asked: Case, text: str, answer: str) -> None:
    result = verified_score(asked, answer, [evidence(text=text)])
    assert result.passed, result.reasons


@pytest.mark.parametrize(
    "extra",
    [
        "",
        "（2024年1月2日、2024年3月4日、2023年5月6日、2022年7月8日）",
        "<think>1 2 3 4 5 6 7 8 9 10 11 12</think>",
        "61 61 61.0 六十一 61笔",
    ],
)
def test_what_does_not_compete(extra: str) -> None:
    assert verified_score(case(), extra + ANSWER, [evidence()]).passed


def test_numbers_of_question_and_region_do_not_compete() -> None:
    listed = " ".join(str(number) for number in range(501, 515))
    region = evidence(text=f"61 {listed}")
    assert verified_score(case(), f"{ANSWER} {listed}", [region]).passed
    asked = case(question=f"Which of {listed} or more?")
    assert verified_score(asked, f"{ANSWER} {listed}", [evidence()]).passed


def quoted(before: str, text: str, behind: str, **changes: Any) -> EvidenceFacts:
    """A citation of a part of a sentence."""
    facts = evidence(1, text, **changes)
    anchor = Anchor(evidence_type="text", text=text, evidence=before + text + behind, in_evidence=len(before))
    return facts.model_copy(update={"citation": facts.citation.model_copy(update={"anchor": anchor})})


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (quoted("2025-02-11 there were ", "61 笔", "."), ""),
        (quoted("2025-02-11 there were not ", "61 笔", "."), "only as a denial"),
        (quoted("2025-02-11: more than ", "61 笔", "."), "only as a limit"),
        (quoted("2025-02-11: ", "60 笔", ", not counted: 61 笔."), "does not hold the value"),
    ],
)
def test_the_value_stands_in_the_quote_and_its_sentence_says_how(facts: EvidenceFacts, reason: str) -> None:
    score = verified_score(case(), ANSWER, [facts])
    assert score.passed == (not reason), score.reasons
    assert not reason or reason in " ".join(score.reasons)


#: The pages of a case, the address of the evidence, and whether it is one of them.
PAGES = [
    ((), PAGE, True),
    ((), PAGE.replace("https", "http").replace("www", "WWW"), True),
    ((), f"{PAGE}#", True),
    ((), f"{PAGE}#:~:text=x", True),
    ((), f"{PAGE}?shown=NjE", False),
    ((), f"{PAGE}#NjE", False),
    ((), f"{PAGE}index.html", False),
    ((), "https://www.sse.com.cn/search?q=NjEg56yU", False),
    ((), "https://static.sse.com.cn/61.pdf", False),
    ((f"{PAGE}*",), f"{PAGE}?date=2025-02-11", True),
    (("https://*.sse.com.cn/",), "https://static.sse.com.cn/", None),
    (("https://www.sse.com.cn/笔/",), "https://www.sse.com.cn/%E7%AC%94/", True),
    (("https://www.sse.com.cn/a.b",), "https://www.sse.com.cn/aXb", False),
    (("https://www.sse.com.cn",), "https://www.sse.com.cn/", True),
]


@pytest.mark.parametrize(("pages", "url", "named"), PAGES)
def test_evidence_counts_on_the_pages_of_the_case(
    pages: tuple[str, ...], url: str, named: bool | None
) -> None:
    if named is None:
        with pytest.raises(ValidationError, match="whole host"):
            case(pages=pages)
        return
    score = verified_score(case(pages=pages), ANSWER, [evidence(final_url=url)])
    assert (score.passed, score.unreviewed) == (named, () if named else (url,)), score.reasons


def test_only_what_nothing_else_speaks_against_is_unreviewed() -> None:
    elsewhere = f"{PAGE}?q=x"
    assert verified_score(case(), ANSWER, [evidence(final_url=elsewhere)]).unreviewed == (elsewhere,)
    for answer, facts in (
        ("60笔[@v:1]", evidence(final_url=elsewhere)),
        (ANSWER, evidence(final_url=elsewhere, text="62")),
        (ANSWER, evidence(final_url="https://other.example/")),
    ):
        score = verified_score(case(), answer, [facts])
        assert (score.passed, score.unreviewed) == (False, ())
    both = verified_score(case(), ANSWER + "[@v:2]", [evidence(final_url=elsewhere), evidence(2)])
    assert (both.passed, both.unreviewed) == (True, ())


def test_the_pages_of_a_case_are_those_that_its_oracle_cites() -> None:
    step = {"tool": "verifaible_cite", "arguments": {"source_url": f"{PAGE}?day=1", "claim": "x"}}
    played = case(oracle={"steps": [step], "answer": "{1} [@v:1]"})
    assert played.trusted_pages == (f"{PAGE}?day=1",)
    assert case(pages=["https://a.example/"]).trusted_pages == ("https://a.example/",)
    assert case().trusted_pages == (PAGE,)


def test_text_expectations() -> None:
    head = case(answer="李宗阳", question="负责人是谁？", context=[])
    assert verified_score(head, "李宗阳[@v:1]", [evidence(text="负责人：李宗\n阳")]).passed
    assert not verified_score(head, "李宗阳[@v:1]", [evidence(text="负责人：王五")]).passed


def test_of_a_list_each_item_needs_a_citation() -> None:
    both = case(answer="李宗阳、王五", question="谁？", context=[])
    first, second = evidence(1, text="李宗阳"), evidence(2, text="王五")
    assert verified_score(both, "李宗阳[@v:1]和王五[@v:2]", [first, second]).passed
    result = verified_score(both, "李宗阳和王五[@v:1]", [first, second])
    assert not result.passed
    assert "王五" in result.reasons[0]


def test_local_hosts_match_exactly() -> None:
    local = case(url="http://127.0.0.1:8000/", pages=["http://127.0.0.1:9000/*", "http://127.0.0.2:8000/*"])
    assert verified_score(local, ANSWER, [evidence(final_url="http://127.0.0.1:9000/a")]).passed
    assert not verified_score(local, ANSWER, [evidence(final_url="http://127.0.0.2:8000/a")]).passed


METALS = """流通领域 | 单位 | 本期价格 | 涨跌幅（%）
螺纹钢（Φ20mm，HRB400E） | 吨 | 3250.0 | -0.7
线材 | 吨 | 3400.1 | -0.2
铝锭（A00） | 吨 | 23012.5 | -0.7"""
MONTHLY = """月份 | PMI | 生产
2025年1月 | 49.1 | 49.8
2月 | 50.2 | 52.5
7月 | 49.3 | 50.5
2026年1月 | 49.3 | 50.6
2月 | 49.0 | 49.3"""
LISTED = """序号 | 比例 | 公司 | 省份
1 | 3.9 | 甲公司 | 浙江
2 | 3.9 | 乙公司 | 广东"""
RENTS = """指标 | 1月 | 1月
指标 | 环比 | 同比
家庭服务 | 0.2 | -0.4
其中：租赁房房租 | -0.1 | -0.4"""


def cited(table: str, row: tuple[str, ...], column: tuple[str, ...]) -> EvidenceFacts:
    """A citation of a table of td only, as the collector makes it and re-verifying reads it."""
    lines = [line.split(" | ") for line in table.splitlines()]
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in lines)
    request = AnchorRequest(evidence_type="table", row=row, column=column)
    document = html_document(f"<table>{rows}</table>", PAGE)
    found = find(document, request)
    assert found.anchor is not None and found.anchor.table is not None, found
    seen = "2026年1月下旬 2026年1月\n" + table
    return evidence(
        text=found.text,
        table=found.anchor.table.model_dump(),
        visible_text=seen,
        headers=header_labels(document, found.table, found.anchor.table.mode),
    )


@pytest.mark.parametrize(
    ("table", "row", "column", "answer", "context", "passed"),
    [
        (
            METALS,
            ("螺纹钢（Φ20mm，HRB400E）",),
            ("涨跌幅（%）",),
            "-0.7 %",
            ["2026年1月下旬", "螺纹钢"],
            True,
        ),
        (METALS, ("铝锭（A00）",), ("涨跌幅（%）",), "-0.7 %", ["2026年1月下旬", "螺纹钢"], False),
        (METALS, (), ("涨跌幅（%）",), "-0.7 %", ["螺纹钢"], False),
        (METALS, ("螺纹钢（Φ20mm，HRB400E）",), (), "-0.7 %", ["螺纹钢"], True),
        (METALS, ("螺纹钢（Φ20mm，HRB400E）",), (), "-0.7 %", ["螺纹钢", "涨跌幅（%）"], True),
        (MONTHLY, ("2026年1月",), ("PMI",), "49.3 %", ["2026年1月"], True),
        (MONTHLY, ("2025年7月",), ("PMI",), "49.3 %", ["2026年1月"], False),
        (MONTHLY, ("2026年2月",), ("生产",), "49.3 %", ["2026年1月"], False),
        (MONTHLY, ("2025年2月",), ("PMI",), "50.2 %", ["2025年2月"], True),
        (MONTHLY, ("2026年2月",), ("生产",), "49.3 %", ["2026年2月", "生产"], True),
        (MONTHLY, ("2026年1月",), ("PMI",), "49.3 %", ["2026年1月", "生产"], False),
        (RENTS, ("其中：租赁房房租",), ("同比",), "-0.4 %", ["租赁房房租"], True),
        (RENTS, ("家庭服务",), ("同比",), "-0.4 %", ["租赁房房租"], False),
        (LISTED, ("甲公司",), ("比例",), "3.9 %", ["甲公司"], True),
        (LISTED, ("1",), ("比例",), "3.9 %", ["甲公司"], True),
        (LISTED, ("2",), ("比例",), "3.9 %", ["甲公司"], False),
    ],
)
def test_an_equal_value_of_another_row_does_not_carry(
    table: str, row: tuple[str, ...], column: tuple[str, ...], answer: str, context: list[str], passed: bool
) -> None:
    asked = case(answer=answer, question="?(%)", context=context)
    result = verified_score(asked, f"{answer}[@v:1]", [cited(table, row, column)])
    assert result.passed == passed, result.reasons
    assert passed or "The highlighted cell is not the one of" in result.reasons[0]


def test_header_labels_have_implied_years_and_further_names() -> None:
    assert cited(MONTHLY, ("2026年1月",), ("PMI",)).headers[3:6] == ("2026年1月", "2026年 2月", "月份")
    assert "1\t甲公司\t浙江" in cited(LISTED, ("1",), ("比例",)).headers
