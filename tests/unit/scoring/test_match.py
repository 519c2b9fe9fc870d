from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from verifaible.schema.case import Case, ListExpected, NumberExpected, TextExpected
from verifaible.scoring.match import answer_markers, expectation, match_answer, match_evidence


def number(value: str, unit: str = "", tolerance: str = "0") -> NumberExpected:
    return NumberExpected(kind="number", value=Decimal(value), unit=unit, tolerance=Decimal(tolerance))


def text(value: str, *aliases: str) -> TextExpected:
    return TextExpected(kind="text", value=value, aliases=aliases)


POPULATION = number("140489", "万人")
BUREAUS = number("36")
PMI = number("49.3", "%")
REBAR = number("-0.7", "%")
HOUSES = number("90.9")
INDEX = number("49.4")
DEALS = number("61", "笔")
SHARE = number("3.97", "%")
FUNDS = number("1823.5", "亿元")
LENDING = number("7242119013", "元")
ASSETS = number("-1.03", "%")
IORB = number("5.4", "%")
CUT_TO = number("4.9", "%")
YIELD = number("4.22")
NEURONS = number("784")
BOWMAN = text("Bowman")
HEAD = text("李宗阳")
QUOTE = text("They will in a minute")

YES = [
    (POPULATION, "140489"),
    (POPULATION, "140489万人"),
    (POPULATION, "140,489 万人"),
    (POPULATION, "2025年末全国人口为140489万人[@v:1]。"),
    (POPULATION, "14.0489亿人"),
    (POPULATION, "约14.0489亿"),
    (POPULATION, "14亿489万人"),
    (POPULATION, "1,404,890,000人"),
    (POPULATION, "1404890000"),
    (POPULATION, "1.40489 billion people"),
    (POPULATION, "1,404.89 million people"),
    (POPULATION, "十四亿零四百八十九万人"),
    (POPULATION, "１４０４８９万人"),
    (POPULATION, "140\u202f489 万人"),
    (BUREAUS, "36"),
    (BUREAUS, "36."),
    (BUREAUS, "36个"),
    (BUREAUS, "设立了36个证券监管局"),
    (BUREAUS, "三十六个证券监管局"),
    (BUREAUS, "thirty-six bureaus"),
    (BUREAUS, "There are Thirty Six of them"),
    (BUREAUS, "36家"),
    (BUREAUS, "**36** bureaus"),
    (BUREAUS, "| 监管局 | 36 |"),
    (BUREAUS, "３６"),
    (BUREAUS, "36.0"),
    (BUREAUS, "36,而不是35"),
    (BUREAUS, "not 35 but 36"),
    (BUREAUS, "不是35而是36个"),
    (BUREAUS, "not only 36 bureaus but also 2 offices"),
    (BUREAUS, "- 36 bureaus"),
    (BUREAUS, "1. 36 bureaus in all"),
    (BUREAUS, "<b>36</b>"),
    (BUREAUS, r"$\boxed{36}$"),
    (BUREAUS, "36 个证监局 [@v:1][@v:2]"),
    (BUREAUS, "<think>35?</think>36"),
    (BUREAUS, "thoughts about 35</think>\n36"),
    (PMI, "49.3"),
    (PMI, "49.3%"),
    (PMI, "49.30 %"),
    (PMI, "PMI为49.3%，比上月下降0.8个百分点"),
    (PMI, "下降0.8个百分点，至49.3%"),
    (PMI, "降至49.3%"),
    (PMI, "回落到49.3％"),
    (PMI, "PMI49.3%"),
    (PMI, "４９．３％"),
    (PMI, "百分之四十九点三"),
    (PMI, "百分之49.3"),
    (PMI, "49.3 per cent"),
    (PMI, "dropped from 50.1 to 49.3 percent"),
    (PMI, r"49.3\%"),
    (REBAR, "-0.7"),
    (REBAR, "-0.7%"),
    (REBAR, "−0.7%"),
    (REBAR, "–0.7%"),
    (REBAR, "－０．７％"),
    (REBAR, "-0.70 %"),
    (REBAR, "涨跌幅为-0.7%"),
    (REBAR, "涨跌幅(%)：-0.7"),
    (REBAR, "2026年1月下旬-0.7%"),
    (REBAR, "下降0.7%"),
    (REBAR, "下降了0.7%"),
    (REBAR, "下跌0.7%"),
    (REBAR, "价格下跌约0.7%"),
    (REBAR, "环比跌0.7%"),
    (REBAR, "跌幅0.7%"),
    (REBAR, "跌幅为0.7%"),
    (REBAR, "降幅达0.7%"),
    (REBAR, "0.7%的跌幅"),
    (REBAR, "负0.7%"),
    (REBAR, "负百分之零点七"),
    (REBAR, "fell 0.7%"),
    (REBAR, "fell by 0.7 percent"),
    (REBAR, "fell slightly, by 0.7%; down 0.7%"),
    (REBAR, "was down 0.7%"),
    (REBAR, "decreased by 0.7%"),
    (REBAR, "declined 0.7%"),
    (REBAR, "a decline of 0.7%"),
    (REBAR, "a 0.7% decline"),
    (REBAR, "dropped 0.7 per cent"),
    (REBAR, "minus 0.7 percent"),
    (REBAR, "negative 0.7%"),
    (REBAR, "(0.7)%"),
    (REBAR, "**-0.7**%"),
    (REBAR, "**−0.7 %**"),
    (REBAR, "-**0.7**%"),
    (REBAR, "`-0.7`"),
    (REBAR, "分别下降0.3%和0.7%"),
    (REBAR, "fell 0.3% and 0.7%"),
    (REBAR, "下降0.3%、0.5%和0.7%"),
    (HOUSES, "90.9"),
    (HOUSES, "郑州为90.9[@v:1]，平顶山为91.1"),
    (HOUSES, "90.90"),
    (INDEX, "49.4%"),
    (INDEX, "商务活动指数为49.4"),
    (INDEX, "49.4点"),
    (DEALS, "61"),
    (DEALS, "61笔"),
    (DEALS, "61 笔"),
    (DEALS, "六十一笔"),
    (DEALS, "61 transactions"),
    (DEALS, "61 local government bond trades"),
    (DEALS, "61个"),
    (DEALS, "2025年2月11日地方政府债成交61笔"),
    (SHARE, "3.97%"),
    (SHARE, "3.97"),
    (SHARE, "贵州茅台占3.97 %"),
    (FUNDS, "1823.5"),
    (FUNDS, "1823.50亿元"),
    (FUNDS, "1,823.5 亿"),
    (FUNDS, "182,350,000,000元"),
    (FUNDS, "182.35 billion yuan"),
    (FUNDS, "RMB 182.35 billion"),
    (FUNDS, "0.18235万亿元"),
    (FUNDS, "¥182.35bn"),
    (FUNDS, "18235000万元"),
    (LENDING, "7,242,119,013"),
    (LENDING, "7242119013元"),
    (LENDING, "72.42119013亿元"),
    (LENDING, "72.42119013 亿"),
    (LENDING, "7.242119013 billion yuan"),
    (LENDING, "７，２４２，１１９，０１３元"),
    (LENDING, "7{,}242{,}119{,}013"),
    (LENDING, "7.242119013×10^9元"),
    (LENDING, "7.242119013×10⁹ 元"),
    (LENDING, "人民币7,242,119,013元"),
    (LENDING, "724211.9013万元"),
    (ASSETS, "-1.03%"),
    (ASSETS, "减少1.03%"),
    (ASSETS, "降低 1.03％"),
    (ASSETS, "增减变动幅度为-1.03"),
    (ASSETS, "decrease of 1.03%"),
    (IORB, "5.4%"),
    (IORB, "5.40 %"),
    (IORB, "5.4 percent, effective February 1, 2024"),
    (IORB, "5.40％"),
    (IORB, "The rate stays at 5.4"),
    (IORB, "five point four percent"),
    (IORB, "5.4%¹"),
    (CUT_TO, "下调至4.9%"),
    (CUT_TO, "lowered to 4.9 percent"),
    (CUT_TO, "cut from 5.4% to 4.9%"),
    (CUT_TO, "由5.4%下调0.5个百分点至4.9%"),
    (CUT_TO, "reduced by 0.5 percentage points to 4.90%"),
    (number("4.75"), "4-3/4"),
    (number("4.75", "%"), "4-3/4 percent"),
    (number("5.25", "%"), "5¼ percent"),
    (YIELD, "4.22"),
    (YIELD, "10 Yr: 4.22%"),
    (YIELD, "02/06/2026\t4.22"),
    (NEURONS, "784"),
    (NEURONS, "28×28=784"),
    (NEURONS, "28x28 = 784 neurons"),
    (NEURONS, "784-dimensional"),
    (NEURONS, "seven hundred eighty-four"),
    (NEURONS, "seven hundred and eighty-four neurons"),
    (NEURONS, "七百八十四个神经元"),
    (NEURONS, "784个神经元，来自28*28的像素"),
    (number("2024"), "in 2024"),
    (number("2024"), "2024年"),
    (number("0.5", "pp"), "0.5 percentage points"),
    (number("0.5", "个百分点"), "上升0.5个百分点"),
    (number("25", "bp"), "25 basis points"),
    (number("25", "基点"), "25 bps"),
    (number("10", "%", "0.5"), "10.4%"),
    (number("182", "亿元", "1"), "18.25 billion yuan"),
    (BOWMAN, "Bowman"),
    (BOWMAN, "bowman"),
    (BOWMAN, "Michelle W. Bowman [@v:1]"),
    (BOWMAN, "Bowman's vote"),
    (BOWMAN, "Bowman’s vote"),
    (BOWMAN, "**Bow**man"),
    (BOWMAN, "唯一投反对票的是Bowman"),
    (BOWMAN, "ＢＯＷＭＡＮ"),
    (BOWMAN, "All members except Bowman voted for the action."),
    (BOWMAN, "Not Waller but Bowman"),
    (BOWMAN, "Bowman, not Waller"),
    (text("Michelle Bowman", "Bowman"), "Governor Bowman dissented"),
    (HEAD, "李宗阳"),
    (HEAD, "负责人：李宗阳。"),
    (HEAD, "李 宗 阳"),
    (HEAD, "李\u3000宗阳"),
    (HEAD, "郑州分公司的负责人是“李宗阳”"),
    (HEAD, "不是王五，而是李宗阳"),
    (QUOTE, "They will in a minute"),
    (QUOTE, "they will, in a minute."),
    (QUOTE, "“They will in a minute.”"),
    (QUOTE, "THEY WILL IN A MINUTE!"),
    (QUOTE, "She said: 'They will...\nin a minute'"),
    (QUOTE, "*They will* in a minute"),
    (text("don't know"), "I don’t know"),
    (text("C++"), "written in c++"),
    (text("2025-02-10"), "2025年2月10日"),
    (DEALS, "$61$ 笔"),
    (DEALS, "$$61$$ 笔"),
    (LENDING, "$7{,}242{,}119{,}013$ 元"),
    (LENDING, "7 242 119 013 元"),
    (LENDING, "7，242，119，013元"),
    (LENDING, "72亿4211万9013元"),
    (POPULATION, "1 404 890 000"),
    (POPULATION, "由140828万人减至140489万人"),
    (REBAR, "↓0.7%"),
    (REBAR, "▼ 0.7%"),
    (REBAR, "下挫0.7%"),
    (REBAR, "跌去0.7%"),
    (PMI, "PMI49.3"),
    (PMI, "49.3%, down from 50.1%"),
    (CUT_TO, "lowered from 5.4 to 4.9"),
    # a dictionary would be needed to know where a Chinese name ends
    (HEAD, "李宗阳明"),
]

NO = [
    (POPULATION, "140489 人"),
    (POPULATION, "14.05亿人"),
    (POPULATION, "140488万人"),
    (POPULATION, "140489万元"),
    (POPULATION, "14.0489万人"),
    (POPULATION, "1140489万人"),
    (POPULATION, "140489%"),
    (POPULATION, ""),
    (BUREAUS, "136"),
    (BUREAUS, "236"),
    (BUREAUS, "2036"),
    (BUREAUS, "360"),
    (BUREAUS, "36.5"),
    (BUREAUS, "3.6"),
    (BUREAUS, "0.36"),
    (BUREAUS, "36%"),
    (BUREAUS, "36 percent"),
    (BUREAUS, "36万"),
    (BUREAUS, "1,036"),
    (BUREAUS, "36,000"),
    (BUREAUS, "-36"),
    (BUREAUS, "not 36"),
    (BUREAUS, "It is not 36 but 35"),
    (BUREAUS, "不是36个"),
    (BUREAUS, "并非36"),
    (BUREAUS, "35 rather than 36"),
    (BUREAUS, "35 instead of 36"),
    (BUREAUS, "35，而非36"),
    (BUREAUS, "isn't 36"),
    (BUREAUS, "36 is wrong"),
    (BUREAUS, "36 is not correct"),
    (BUREAUS, "36是错误的"),
    (BUREAUS, "more than 36"),
    (BUREAUS, "超过36个"),
    (BUREAUS, "不足36个"),
    (BUREAUS, "at least 36"),
    (BUREAUS, "36个以上"),
    (BUREAUS, "36+"),
    (BUREAUS, "35-36"),
    (BUREAUS, "between 35 to 36"),
    (BUREAUS, "36至40个"),
    (BUREAUS, "[@v:36]"),
    (BUREAUS, "不知道 [@v:1,36]"),
    (BUREAUS, "不知道 [@v:1,36,]"),
    (BUREAUS, "不知道 [@v:1, 36 bureaus]"),
    (BUREAUS, "不知道 \\[@v:36\\]"),
    (BUREAUS, "【@v:36】"),
    (BUREAUS, "[36]"),
    (BUREAUS, "see https://www.csrc.gov.cn/36/index.html?n=36"),
    (BUREAUS, "[页面](https://www.csrc.gov.cn/c36)"),
    (BUREAUS, "12:36"),
    (BUREAUS, "第36号"),
    (BUREAUS, "the 36th bureau"),
    (BUREAUS, "GLM-36"),
    (BUREAUS, "v1.36.0"),
    (BUREAUS, "36G"),
    (BUREAUS, "36 months"),
    (BUREAUS, "36个百分点"),
    (BUREAUS, "36bp"),
    (BUREAUS, "<think>36</think>I do not know"),
    (BUREAUS, "<think>it may be 36"),
    (BUREAUS, "36</think>unknown"),
    (BUREAUS, "It is 36. No: it is not 36."),
    (BUREAUS, "2/36"),
    (BUREAUS, "Table 36"),
    (BUREAUS, "附件36"),
    (BUREAUS, "600036"),
    (PMI, "49.4%"),
    (PMI, "下降49.3%"),
    (PMI, "49.3个百分点"),
    (PMI, "149.3%"),
    (PMI, "49.35%"),
    (PMI, "49"),
    (PMI, "低于49.3%"),
    (REBAR, "0.7"),
    (REBAR, "0.7%"),
    (REBAR, "+0.7"),
    (REBAR, "+0.7%"),
    (REBAR, "上涨0.7%"),
    (REBAR, "-0.75"),
    (REBAR, "-0.07"),
    (REBAR, "-10.7"),
    (REBAR, "-0.8%，此前为0.7%"),
    (REBAR, "下降0.3%，上涨0.7%"),
    (REBAR, "价格下降。0.7%"),
    (REBAR, "fell to 0.7%"),
    (REBAR, "降至0.7%"),
    (REBAR, "下降0.7个百分点"),
    (REBAR, "没有下降0.7%"),
    (REBAR, "did not fall 0.7%"),
    (REBAR, "跌幅收窄0.7%"),
    (REBAR, "涨跌0.7%"),
    (REBAR, "CPI-0.7%"),
    (REBAR, "1.2%-0.7%"),
    (REBAR, "no decline; up 0.7%"),
    (REBAR, "不是-0.7%"),
    (HOUSES, "91.1"),
    (HOUSES, "90.09"),
    (HOUSES, "90"),
    (HOUSES, "90.9个百分点"),
    (DEALS, "167"),
    (DEALS, "161"),
    (DEALS, "61万"),
    (DEALS, "61亿元"),
    (DEALS, "61%"),
    (DEALS, "61只"),
    (DEALS, "2061"),
    (SHARE, "5.33%"),
    (SHARE, "3.97个百分点"),
    (SHARE, "-3.97%"),
    (SHARE, "3.97亿"),
    (FUNDS, "1823.5元"),
    (FUNDS, "1823.5万元"),
    (FUNDS, "1823.5 billion yuan"),
    (FUNDS, "182.35 billion US dollars"),
    (FUNDS, "US$182.35 billion"),
    (FUNDS, "1823.4亿元"),
    (FUNDS, "1823亿元"),
    (FUNDS, "1.8235"),
    (LENDING, "7,242,119,012"),
    (LENDING, "72.42亿元"),
    (LENDING, "7,242,119"),
    (LENDING, "242,119,013"),
    (LENDING, "7 and 242 and 119 and 013"),
    (LENDING, "17,242,119,013"),
    (LENDING, "7,242,119,013股"),
    (LENDING, "$7,242,119,013"),
    (LENDING, "7,242,119,013万元"),
    (LENDING, "7,242,119,0130"),
    (ASSETS, "1.03%"),
    (ASSETS, "增长1.03%"),
    (ASSETS, "-1.3%"),
    (ASSETS, "-1.03元"),
    (IORB, "5.4 basis points"),
    (IORB, "5.4个百分点"),
    (IORB, "5.45%"),
    (IORB, "15.4%"),
    (IORB, "540 basis points"),
    (IORB, "5.04"),
    (IORB, "not 5.4 percent"),
    (IORB, "5.3-5.4 percent"),
    (IORB, "section 5.4.1"),
    (CUT_TO, "reduced by 4.9 percent"),
    (CUT_TO, "下调4.9%"),
    (CUT_TO, "4.8 to 4.9 percent"),
    (number("4.75"), "4-3/8"),
    (number("4.75"), "3/4"),
    (YIELD, "4.2"),
    (YIELD, "4/22"),
    (YIELD, "4.22.1"),
    (NEURONS, "28×28"),
    (NEURONS, "784%"),
    (NEURONS, "1784"),
    (NEURONS, "seven hundred eighty-five"),
    (number("2025"), "2025-02-10"),
    (number("10"), "2025年2月10日"),
    (number("10"), "10 Yr"),
    (number("2"), "February 2, 2025"),
    (number("0.5", "%"), "0.5 percentage points"),
    (number("0.5", "pp"), "0.5%"),
    (number("10", "%", "0.5"), "10.6%"),
    (BOWMAN, "Bowmans"),
    (BOWMAN, "Bowman2"),
    (BOWMAN, "Waller"),
    (BOWMAN, "not Bowman"),
    (BOWMAN, "It was Waller, not Bowman."),
    (BOWMAN, "Waller instead of Bowman"),
    (BOWMAN, "not Governor Michelle W. Bowman"),
    (BOWMAN, "https://www.federalreserve.gov/Bowman"),
    (BOWMAN, "<think>Bowman</think>Waller"),
    (BOWMAN, "Bow man"),
    (HEAD, "李宗"),
    (HEAD, "不是李宗阳"),
    (HEAD, "并非李宗阳"),
    (HEAD, "李、宗、阳"),
    (QUOTE, "They will"),
    (QUOTE, "They will be there in a minute"),
    (QUOTE, "in a minute they will"),
    (QUOTE, "They'll in a minute"),
    (text("2025-02-10"), "2026年2月10日"),
    (DEALS, "$61 and $62"),
    (DEALS, "61岁"),
    (DEALS, "61天"),
    (DEALS, "61人"),
    (DEALS, "between 50 and 61"),
    (DEALS, "50-61"),
    (BUREAUS, "36号令"),
    (BUREAUS, "036"),
    (REBAR, "▲0.7%"),
    (CUT_TO, "lowered from 4.9 to 4.4"),
    (CUT_TO, "4.4 percent, down from 4.9 percent"),
    (CUT_TO, "从4.9%下调至4.4%"),
    (CUT_TO, "由4.9%下调0.5个百分点至4.4%"),
    (IORB, "from 5.4 to 5.3"),
]


@pytest.mark.parametrize(("expected", "answer"), YES, ids=[f"{i}:{a}" for i, (_, a) in enumerate(YES)])
def test_stated(expected: NumberExpected | TextExpected, answer: str) -> None:
    result = match_answer(answer, expected)
    assert result.correct, result.explanation
    assert result.spans
    assert all(0 <= start < end <= len(answer) for start, end in result.spans)


@pytest.mark.parametrize(("expected", "answer"), NO, ids=[f"{i}:{a}" for i, (_, a) in enumerate(NO)])
def test_not_stated(expected: NumberExpected | TextExpected, answer: str) -> None:
    result = match_answer(answer, expected)
    assert not result.correct, result.spans
    assert result.spans == ()
    assert result.explanation.startswith("Expected")
    assert result.explanation.endswith(".")


def test_the_table_is_large_enough() -> None:
    assert len(YES) + len(NO) >= 200


def test_spans_lie_in_the_answer_as_given() -> None:
    answer = "<think>60</think>共 **61** 笔 [@v:1]"
    ((start, end),) = match_answer(answer, DEALS).spans
    assert answer[start:end] == "61** 笔"


@pytest.mark.parametrize(
    ("expected", "answer", "words"),
    [
        (REBAR, "0.7%", "other sign"),
        (IORB, "5.4 basis points", "another unit"),
        (POPULATION, "140489 人", "another scale"),
        (BUREAUS, "not 36", "denial"),
        (BUREAUS, "over 36", "limit"),
        (BUREAUS, "[@v:36]", "marker"),
        (BUREAUS, "35-36", "range"),
        (BUREAUS, "from 36 to 38", "an earlier level"),
        (BUREAUS, "35 or 34", "states 35, 34 instead"),
        (BUREAUS, "unknown", "states no number"),
        (BUREAUS, "36, but not 36", "both states and denies"),
        (BOWMAN, "not Bowman", "only denies"),
        (BOWMAN, "Waller", "does not state"),
    ],
)
def test_explanation_names_the_reason(
    expected: NumberExpected | TextExpected, answer: str, words: str
) -> None:
    assert words in match_answer(answer, expected).explanation


def test_an_echo_of_the_question_is_no_answer() -> None:
    question = "Is it true that there are 36 bureaus?"
    assert not match_answer(f"{question} I cannot say.", BUREAUS, question=question).correct
    assert match_answer(f"{question} Yes, 36.", BUREAUS, question=question).correct


@pytest.mark.parametrize(
    ("answer", "correct"),
    [
        ("Nobody dissented, Bowman voted yes", False),
        ("It was Waller; Bowman voted in favor", False),
        ("Bowman voted for the action", False),
        ("Bowman did not dissent", False),
        ("Bowman, who didn't actually dissent", False),
        ("Bowman dissented; Waller did not dissent", True),
        ("Bowman did not support the action", True),
        ("Bowman did not vote for the action", True),
        ("Bowman voted for a smaller cut", True),
        ("Bowman voted against", True),
    ],
)
def test_the_verb_behind_a_name_may_deny_what_was_asked(answer: str, correct: bool) -> None:
    question = "Who cast the only dissenting vote at the meeting?"
    assert match_answer(answer, BOWMAN, question=question).correct == correct
    # without the question nobody knows what the verb denies
    assert match_answer(answer, BOWMAN).correct


def test_of_a_list_both_ends_of_a_change_count() -> None:
    both = ListExpected(kind="list", items=(number("5.4", "%"), number("4.9", "%")))
    assert match_answer("cut from 5.4% to 4.9%", both).correct


def test_evidence_may_hold_the_level_before_a_change() -> None:
    assert match_evidence("cut from 5.4% to 4.9%", IORB).correct


def test_list_needs_every_item_and_takes_ends_of_ranges() -> None:
    expected = ListExpected(kind="list", items=(number("4.75", "%"), number("5", "%")))
    assert match_answer("4-3/4 to 5 percent", expected).correct
    result = match_answer("4-3/4 percent", expected)
    assert not result.correct
    assert "5 %" in result.explanation


def test_evidence_is_read_as_it_stands() -> None:
    assert match_evidence("螺纹钢\t-0.7", REBAR).correct
    assert match_evidence("地方政府债\t61\t12.5", DEALS).correct
    assert not match_evidence("0.7", REBAR).correct
    assert not match_evidence("61\n167".replace("61", "60"), DEALS).correct
    # a page may deny a value elsewhere; an answer may not
    assert match_evidence("It was 36, not 36 as in the draft", BUREAUS).correct


def case(answer: str, question: str = "?", **fields: object) -> Case:
    raw = {"id": "c", "category": "text", "url": "https://a.example/", "question": question}
    return Case.model_validate({**raw, "answer": answer, **fields})


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        ("140489 万人", "2025年中国全国总人口数量", POPULATION),
        ("36", "设立了多少个证券监管局？", BUREAUS),
        ("49.3 %", "PMI为多少(%)", PMI),
        ("-0.7 %", "涨跌幅(%)是多少？", REBAR),
        ("90.9", "同比是多少？", HOUSES),
        ("-1.8", "涨跌幅(%)是多少？", number("-1.8", "%")),
        ("61 笔", "成交笔数", DEALS),
        ("3.97", "比例(%)是多少", SHARE),
        ("1823.5", "基金成交金额（亿元）是多少？", FUNDS),
        ("7,242,119,013", "金额(元)是多少", LENDING),
        ("-1.03", "浦发银行（600000）每股净资产（元）的增减变动幅度（％）是多少？", number("-1.03", "％")),
        ("4.22", "10年期(10 Yr)收益率是多少？", YIELD),
        ("5.4 %", "准备金余额利率(IORB rate)是多少？", IORB),
        ("784", "有多少个神经元？", NEURONS),
        ("18", "在位多少个月？", number("18", "个月")),
        ("thirty-six", "?", BUREAUS),
        ("-3亿元", "?", number("-3", "亿元")),
        ("李宗阳", "?", HEAD),
        ("Bowman", "?", BOWMAN),
        ("They will in a minute", "?", QUOTE),
        ("007", "?", text("007")),
        ("2025-02-10", "?", text("2025-02-10")),
        ("36 of 40", "?", text("36 of 40")),
    ],
)
def test_expectation(answer: str, question: str, expected: NumberExpected | TextExpected) -> None:
    assert expectation(case(answer, question)) == expected


def test_expectation_of_lists_and_explicit_ones() -> None:
    assert expectation(case("李宗阳、王五")) == ListExpected(kind="list", items=(HEAD, text("王五")))
    explicit = case("36", expect={"kind": "text", "value": "thirty-six"})
    assert expectation(explicit) == text("thirty-six")


@pytest.mark.parametrize(
    "answer", ["140489 万人", "36", "-0.7 %", "1823.5", "7,242,119,013", "李宗阳", "a、b", "-1.03"]
)
def test_every_answer_meets_its_own_expectation(answer: str) -> None:
    assert match_answer(answer, expectation(case(answer))).correct


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("x [@v:3]", (3,)),
        ("[@v:1][@v:2]", (1, 2)),
        ("[@v:1,2]", (1, 2)),
        ("[@v:1, @v:2]", (1, 2)),
        ("【@v:3】", (3,)),
        ("［＠ｖ：３］", (3,)),
        ("[@V: 4 ]", (4,)),
        ("[@v:2] [@v:1] [@v:2]", (2, 1)),
        ("`[@v:5]`", (5,)),
        ("**[@v:6]**", (6,)),
        ("<think>[@v:1]</think> none", ()),
        ("@v:3 and [3] and [@w:3]", ()),
    ],
)
def test_answer_markers(answer: str, numbers: tuple[int, ...]) -> None:
    assert answer_markers(answer) == numbers


DECIMALS = st.decimals(
    min_value=Decimal("-9999999"), max_value=Decimal("9999999"), places=2, allow_nan=False
).filter(lambda value: value != 0)


def formatted(value: Decimal, form: int) -> str:
    forms = (
        f"{value:f}",
        f"{value:,f}",
        f"{value:f}0",
        f"{value:f}".replace("-", "−"),
        f"{value:f}".translate(str.maketrans("0123456789.-", "０１２３４５６７８９．－")),
        f"{value:,f}".replace(",", "\u2009"),
        f"结果为{value:f}。",
        f"**{value:f}**",
        f"the value is {value:,f}, as printed [@v:1]",
        f"{'下降' if value < 0 else ''}{abs(value):f}",
        f"{'fell by ' if value < 0 else ''}{abs(value):,f}",
    )
    return forms[form % len(forms)]


@given(DECIMALS, st.integers(0, 10))
def test_every_form_of_a_number_matches_itself(value: Decimal, form: int) -> None:
    assert match_answer(formatted(value, form), number(str(value))).correct


@given(DECIMALS, st.integers(0, 10), st.integers(0, 20), st.integers(1, 9))
@example(Decimal("36.00"), 0, 0, 1)
def test_a_changed_digit_never_matches(value: Decimal, form: int, place: int, step: int) -> None:
    digits = f"{value:f}"
    places = [index for index, char in enumerate(digits) if char.isdigit()]
    at = places[place % len(places)]
    changed = Decimal(digits[:at] + str((int(digits[at]) + step) % 10) + digits[at + 1 :])
    assume(changed != 0)
    assert not match_answer(formatted(changed, form), number(str(value))).correct


@given(st.text(max_size=80))
def test_any_text_can_be_read(answer: str) -> None:
    result = match_answer(answer, REBAR)
    assert result.correct == bool(result.spans)
