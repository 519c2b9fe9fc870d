from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.anchoring.numbers.reading import find_numbers, noise_spans
from verifaible.text.flat import flatten
from verifaible.text.units import parse_unit


def values(text: str) -> list[str]:
    """Scaled values and units of what counts as a value."""
    return [
        f"{mention.scaled_value.normalize():f} {mention.unit}".strip()
        for mention in find_numbers(text)
        if mention.role == "value"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # grouping
        ("7,242,119,013", ["7242119013"]),
        ("1,2,3", ["1", "2", "3"]),
        ("72,4", ["72", "4"]),
        ("1234,567", ["1234", "567"]),
        ("1\u2009234\u202f567", ["1234567"]),
        ("1'234'567", ["1234567"]),
        ("１，２３４", ["1234"]),
        ("61，345", ["61", "345"]),
        ("7,242.5", ["7242.5"]),
        (".5", ["0.5"]),
        ("7 242 119 013 元", ["7242119013 CNY"]),
        ("1 404 890 000", ["1404890000"]),
        ("7\u00a0242\u00a0119\u00a0013", ["7242119013"]),
        ("61 345", ["61", "345"]),
        ("1 98 100 101", ["1", "98", "100", "101"]),
        ("100 101 102 98", ["100", "101", "102", "98"]),
        ("7，242，119，013元", ["7242119013 CNY"]),
        ("72亿4211万9013元", ["7242119013 CNY"]),
        ("1万亿2000亿元", ["1200000000000 CNY"]),
        ("14亿15亿", ["1400000000", "1500000000"]),
        ("PMI49.3，CPI0.2", ["49.3", "0.2"]),
        ("61岁 61页 61天", ["61 岁", "61 页", "61 天"]),
        # signs
        ("-0.7 −0.7 –0.7 +0.7", ["-0.7", "-0.7", "-0.7", "0.7"]),
        ("＋０．７", ["0.7"]),
        ("(-0.7)", ["-0.7"]),
        ("-$5", ["-5 USD"]),
        ("$-5", ["-5 USD"]),
        ("(0.3)%", ["-0.3 %"]),
        ("(1,234)", ["-1234"]),
        ("a (1,234) b", ["1234"]),
        ("通胀率(0.3%)", ["0.3 %"]),
        ("1.2%-0.7%", []),
        # scales and units
        ("72.4亿元", ["7240000000 CNY"]),
        ("3千万", ["30000000"]),
        ("1.2万亿", ["1200000000000"]),
        ("14亿489万人", ["1404890000 人"]),
        ("3万5000元", ["35000 CNY"]),
        ("1.4bn", ["1400000000"]),
        ("1.4B 2M 3k", ["1400000000", "2000000", "3000"]),
        ("3千米", ["3 千米"]),
        ("5.4 per cent", ["5.4 %"]),
        ("5.4％", ["5.4 %"]),
        ("0.5个百分点", ["0.5 pp"]),
        ("0.5 percentage points, 3 pp", ["0.5 pp", "3 pp"]),
        ("25 bps and 50 basis points", ["25 bp", "50 bp"]),
        ("百分之0.7", ["0.7 %"]),
        ("千分之三", ["3 ‰"]),
        ("US$5 and HK$6 and ¥7 and RMB 8", ["5 USD", "6 HKD", "7 CNY", "8 CNY"]),
        ("5 yuan, 6 dollars", ["5 CNY", "6 USD"]),
        ("61笔 36个 3,300点", ["61 笔", "36 个", "3300 点"]),
        ("10-year", ["10 年"]),
        # the unit does not cross a cell
        ("61\t笔", ["61"]),
        ("61\n%", ["61"]),
        # spelled
        ("三十六", ["36"]),
        ("一百零二个", ["102 个"]),
        ("十四亿人", ["1400000000 人"]),
        ("百分之零点七", ["0.7 %"]),
        ("两家", ["2 家"]),
        ("thirty-six", ["36"]),
        ("one hundred and two", ["102"]),
        ("two million", ["2000000"]),
        ("one point five billion", ["1500000000"]),
        ("统一 万一 十分 唯一 一个 一定 数十", []),
        ("one of the two", ["2"]),
        ("someone weighs", []),
        # fractions and powers
        ("4-3/4", ["4.75"]),
        ("5 1/4", ["5.25"]),
        ("4¾", ["4.75"]),
        ("3/4", ["0.75"]),
        ("1e3", ["1000"]),
        ("1.4×10^9", ["1400000000"]),
        ("1.4 × 10⁹", ["1400000000"]),
        ("2×10⁻²", ["0.02"]),
        ("49.3¹", ["49.3"]),
        ("49.3[1]", ["49.3"]),
        ("28×28=784", ["28", "28", "784"]),
    ],
)
def test_values(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("下降0.3%", ["-0.3 %"]),
        ("同比降1.8%", ["-1.8 %"]),
        ("跌幅为0.7%", ["-0.7 %"]),
        ("跌幅0.7%", ["-0.7 %"]),
        ("0.7%的跌幅", ["-0.7 %"]),
        ("减少 1.03 %", ["-1.03 %"]),
        ("回落0.2个百分点", ["-0.2 pp"]),
        ("负0.3%", ["-0.3 %"]),
        ("fell 0.3%", ["-0.3 %"]),
        ("decreased by 0.3%", ["-0.3 %"]),
        ("a decline of 0.3%", ["-0.3 %"]),
        ("a 0.3% drop", ["-0.3 %"]),
        ("minus 3", ["-3"]),
        ("↓0.7%", ["-0.7 %"]),
        ("▼ 0.7%", ["-0.7 %"]),
        ("↑0.7%", ["0.7 %"]),
        ("下挫0.7%", ["-0.7 %"]),
        ("跌去0.7%", ["-0.7 %"]),
        ("下挫至0.7%", ["0.7 %"]),
        # levels
        ("下调至4.9%", ["4.9 %"]),
        ("降至4.9", ["4.9"]),
        ("回落到4.9", ["4.9"]),
        ("fell to 4.9", ["4.9"]),
        ("lowered to 4.9", ["4.9"]),
        ("dropped from 5.4 to 4.9", ["5.4", "4.9"]),
        ("从5.4%下降到4.9%", ["5.4 %", "4.9 %"]),
        ("下调0.5个百分点至4.9%", ["-0.5 pp", "4.9 %"]),
        ("下降0.8个百分点,至49.3%", ["-0.8 pp", "49.3 %"]),
        # what names a fall without being one
        ("涨跌幅为-0.7%", ["-0.7 %"]),
        ("涨跌幅为0.7%", ["0.7 %"]),
        ("增减1.03", ["1.03"]),
        ("升降0.3", ["0.3"]),
        ("至少36", ["36"]),
        ("跌幅收窄0.2个百分点", ["0.2 pp"]),
        ("下降-0.3%", ["-0.3 %"]),
        # clauses
        ("价格下降，0.3%", ["0.3 %"]),
        ("Prices fell. 0.3% is", ["0.3 %"]),
        ("下降的原因有36个", ["36 个"]),
        ("下降0.3%，上涨0.5%", ["-0.3 %", "0.5 %"]),
        # coordination
        ("fell 0.3% and 0.5%", ["-0.3 %", "-0.5 %"]),
        ("分别下降0.3%和0.5%", ["-0.3 %", "-0.5 %"]),
        ("下降0.3%、0.5%和0.7%", ["-0.3 %", "-0.5 %", "-0.7 %"]),
        ("下降0.3%和36个", ["-0.3 %", "36 个"]),
    ],
)
def test_direction_words(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("3-4个", ["range", "range"]),
        ("3至4个", ["range", "range"]),
        ("4-3/4 to 5 percent", ["range", "range"]),
        ("4-3", ["marker", "marker"]),
        ("600916-1", ["marker", "marker"]),
        ("公司（600916）", ["marker"]),
        ("600916.SH", ["marker"]),
        ("1-2月", ["date", "date"]),
        ("1月-2月", ["date", "date"]),
        ("2025-02-10", ["date"] * 3),
        ("2025年2月10日", ["date"] * 3),
        ("2025.02.10", ["date"]),
        ("12:30", ["date", "date"]),
        ("下午3点", ["date"]),
        ("in 2025", ["date"]),
        ("[@v:12] [12] [^1] 【3】", ["marker"] * 4),
        ("https://a.example/36?x=3.5", ["marker", "marker"]),
        ("v1.2.3", ["marker"]),
        ("GLM-5 M2.5 5G", ["marker"] * 3),
        ("HRB400E A00 Q235 MiniMax-M2.5 Qwen2.5", ["marker"] * 5),
        ("36号令", ["ordinal"]),
        ("36号", ["ordinal"]),
        ("036", ["marker"]),
        ("0.36", ["value"]),
        ("between 50 and 61", ["range", "range"]),
        ("介于50和61之间", ["range", "range"]),
        ("在50%与61%之间", ["range", "range"]),
        ("50 and 61", ["value", "value"]),
        ("第36条", ["ordinal"]),
        ("36th", ["ordinal"]),
        ("Table 3", ["ordinal"]),
        ("1. a\n2. b", ["ordinal", "ordinal"]),
        ("36. a", ["value"]),
        ("1月-0.7%", ["date", "value"]),
        ("2025", ["value"]),
    ],
)
def test_roles(text: str, roles: list[str]) -> None:
    assert [mention.role for mention in find_numbers(text)] == roles


@pytest.mark.parametrize(
    ("text", "negated", "bound"),
    [
        ("36", False, False),
        ("not 36", True, False),
        ("不是36", True, False),
        ("rather than 36", True, False),
        ("没有下降0.3%", True, False),
        ("did not fall 0.3%", True, False),
        ("36 is wrong", True, False),
        ("not only 36", False, False),
        ("不仅36", False, False),
        ("超过36", False, True),
        ("more than 36", False, True),
        ("36以上", False, True),
        ("fell more than 36", False, True),
    ],
)
def test_denials_and_limits(text: str, negated: bool, bound: bool) -> None:
    (mention,) = find_numbers(text)
    assert (mention.negated, mention.bound) == (negated, bound)


@pytest.mark.parametrize(
    ("text", "earlier"),
    [
        ("from 5.4 to 5.3", ["5.4"]),
        ("lowered from January's 5.4 percent to about 5.3 percent", ["5.4 percent"]),
        ("由5.4%下调0.5个百分点至4.9%", ["5.4%"]),
        ("从2025年12月的50.1%降至49.3%", ["50.1%"]),
        ("49.3%, down from 50.1%", ["50.1%"]),
        ("lowered to 4.4 from 4.9", ["4.9"]),
        ("from 5.4", []),
        ("from 5.4. It fell to 5.3", []),
        ("由于PMI为49.3，降至50.1", []),
        ("从数据看为49.3%，降至50.1%", []),
        ("fell to 5.3", []),
        ("从1月制造业49.3%，非制造业达到49.4%", []),
        ("自1月制造业49.3%，非制造业为49.4%", []),
        ("由5.4%调为5.3%", ["5.4%"]),
    ],
)
def test_earlier_levels(text: str, earlier: list[str]) -> None:
    assert [mention.raw for mention in find_numbers(text) if mention.earlier] == earlier


@pytest.mark.parametrize(
    ("text", "source", "raw"),
    [
        ("为-0.7%。", "sign", "-0.7%"),
        ("下降0.7%", "word", "0.7%"),
        ("合计(0.3)%", "brackets", "(0.3)%"),
        ("共 61 笔", "", "61 笔"),
        ("约US$1.5 billion。", "", "US$1.5 billion"),
        ("百分之三十六", "", "百分之三十六"),
    ],
)
def test_sign_source_and_span(text: str, source: str, raw: str) -> None:
    (mention,) = find_numbers(text)
    assert (mention.sign_source, mention.raw) == (source, raw)
    assert text[mention.start : mention.end] == raw


def test_scale_is_kept_apart_from_the_value() -> None:
    (mention,) = find_numbers("72.4亿元")
    assert (mention.value, mention.scale) == (Decimal("72.4"), Decimal(10**8))
    assert mention.unit_raw == "亿元"
    assert not mention.percent
    assert find_numbers("5%")[0].percent


@pytest.mark.parametrize(
    ("written", "scale", "unit"),
    [
        ("亿元", 10**8, "CNY"),
        ("万人", 10**4, "人"),
        ("％", 1, "%"),
        ("percent", 1, "%"),
        ("billion yuan", 10**9, "CNY"),
        ("percentage points", 1, "pp"),
        ("US$", 1, "USD"),
        ("mg/dL", 1, "mg/dL"),
        ("", 1, ""),
    ],
)
def test_parse_unit(written: str, scale: int, unit: str) -> None:
    assert parse_unit(written) == (Decimal(scale), unit)


def test_noise_spans() -> None:
    text = "a [@v:1] b https://x.example/1 c"
    assert [text[start:end] for start, end in noise_spans(text)] == ["[@v:1]", "https://x.example/1"]


@given(st.text(max_size=200))
def test_flatten_moves_nothing(text: str) -> None:
    assert len(flatten(text)) == len(text)


@given(
    st.text(alphabet="0123456789.,-+−–%％年月日亿万元百分之点下降至fell to by()（） \t\n/[]@v:", max_size=60)
)
def test_mentions_are_ordered_disjoint_slices(text: str) -> None:
    mentions = find_numbers(text)
    assert all(text[mention.start : mention.end] == mention.raw for mention in mentions)
    assert all(a.end <= b.start for a, b in pairwise(mentions))


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12))
def test_formatted_decimals_are_read_back(value: Decimal) -> None:
    for written in (f"{value:f}", f"{value:,f}", f"为{value:f}元"):
        assert [mention.value for mention in find_numbers(written)] == [value]
