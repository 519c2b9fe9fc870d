from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verifaible.anchoring.diff import render_diff
from verifaible.anchoring.fold import fold
from verifaible.anchoring.quote import exact_spans, find_quote
from verifaible.text.words import whole

ENGLISH = """Federal Reserve issues FOMC statement
For release at 2:00 p.m. EST, January 29, 2025

Recent indicators suggest that economic activity has continued to expand at a solid pace. The
unemployment rate has stabilized at a low level in recent months, and labor market conditions remain
solid. The Committee decided to maintain the target range for the federal funds rate at 4-1/4 to
4-1/2 percent. Exports rose 5.4% to $1,234.5 million; imports fell by −0.7% in May 2024. The plan was
not approved by the board. It covers 12 345 people, 36 firms and 136 towns. Area: 25 km² (10² plots).
The company’s “best quarter” – so far… The oﬃce in Zu\u0308rich isn’t closed. COVID-19 cases fell."""

CHINESE = """2025年国民经济和社会发展统计公报
国家统计局　2026年2月28日
　　年末全国人口１４０４８９万人，比上年末减少339万人，其中城镇常住人口95380万人。全年出生人口792万人，
出生率为5.63‰；自然增长率为-2.41‰。居民消费价格下降0.3%，郑　　州同比上涨1.2%。股东会不同意
该方案。“十四五”时期，全国万元国内生产总值能耗¹下降4.1%[2]。"""

OTHER = """😀 𠮷野家の売上は123億円で、前年比4.5％増加した。損失は発生しない。
대한민국의 인구는 5,175만 명이다. 정부는 이 안을 승인하지 않았다.
عدد السكان ١٤٠ مليون نسمة \u202bשלום עולם\u202c 25
हिन्दी में लिखा गया पाठ। Cafe\u0301 nai\u0308ve"""


@pytest.mark.parametrize(
    ("page", "quote", "text"),
    [
        (ENGLISH, "economic activity has continued to expand", "economic activity has continued to expand"),
        (ENGLISH, "labor market conditions remain solid.", "labor market conditions remain\nsolid."),
        (ENGLISH, "4-1/4 to 4-1/2 percent", "4-1/4 to\n4-1/2 percent"),
        (ENGLISH, "fell by -0.7% in May 2024", "fell by −0.7% in May 2024"),
        (ENGLISH, "rose 5.4 % to $1,234.5 million", "rose 5.4% to $1,234.5 million"),
        (ENGLISH, 'company\'s "best quarter" - so far...', "company’s “best quarter” – so far…"),
        (ENGLISH, "the office in Zürich isn't closed", "The oﬃce in Zu\u0308rich isn’t closed"),
        (ENGLISH, "covers 12\u202f345 people", "covers 12 345 people"),
        (ENGLISH, "36 firms", "36 firms"),
        (ENGLISH, "25 km²", "25 km²"),
        (ENGLISH, "10² plots", "10² plots"),
        (CHINESE, "年末全国人口140489万人", "年末全国人口１４０４８９万人"),
        (CHINESE, "全年出生人口792万人，出生率为5.63‰", "全年出生人口792万人，\n出生率为5.63‰"),
        (CHINESE, "自然增长率为−2.41‰", "自然增长率为-2.41‰"),
        (CHINESE, "郑州同比上涨1.2％", "郑　　州同比上涨1.2%"),
        (CHINESE, "股东会不同意该方案", "股东会不同意\n该方案"),
        (CHINESE, "生产总值能耗下降4.1%。", "生产总值能耗¹下降4.1%[2]。"),
        (CHINESE, "2026年2月28日", "2026年2月28日"),
        (CHINESE, "339万人", "339万人"),
        (OTHER, "𠮷野家の売上は123億円", "𠮷野家の売上は123億円"),
        (OTHER, "前年比4.5%増加した", "前年比4.5％増加した"),
        (OTHER, "인구는 5,175만 명이다", "인구는 5,175만 명이다"),
        (OTHER, "정부는 이 안을 승인하지 않았다", "정부는 이 안을 승인하지 않았다"),
        (OTHER, "عدد السكان ١٤٠ مليون", "عدد السكان ١٤٠ مليون"),
        (OTHER, "שלום עולם", "שלום עולם"),
        (OTHER, "हिन्दी में लिखा", "हिन्दी में लिखा"),
        (OTHER, "Café naïve", "Cafe\u0301 nai\u0308ve"),
        (OTHER, "😀", "😀"),
    ],
)
def test_exact_quotes_are_verified_with_the_words_of_the_page(page: str, quote: str, text: str) -> None:
    match = find_quote(page, quote)
    assert (match.status, match.text) == ("verified", text)
    assert page[match.start : match.end] == text
    assert match.score == 1.0
    assert match.prefix == page[max(0, match.start - 64) : match.start]
    assert match.suffix == page[match.end : match.end + 64]


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        # a digit
        (ENGLISH, "rose 5.5% to $1,234.5 million"),
        (ENGLISH, "rose 5.4% to $1,234.6 million"),
        (ENGLISH, "rose 54% to $1,234.5 million"),
        (ENGLISH, "rose 5,4% to $1,234.5 million"),
        (ENGLISH, "January 28, 2025"),
        (CHINESE, "全国人口140488万人"),
        (CHINESE, "全国人口14048万人"),
        (CHINESE, "减少338万人"),
        (OTHER, "売上は124億円"),
        (OTHER, "인구는 5,176만 명이다"),
        (OTHER, "عدد السكان ١٤١ مليون"),
        # a unit
        (ENGLISH, "rose 5.4% to $1,234.5 billion"),
        (ENGLISH, "rose 5.4% to €1,234.5 million"),
        (ENGLISH, "area: 25 km"),
        (ENGLISH, "area: 25 km³"),
        (ENGLISH, "rose 5.4 percent to"),
        (CHINESE, "年末全国人口140489亿人"),
        (CHINESE, "出生率为5.63%"),
        (CHINESE, "居民消费价格下降0.3‰"),
        # a sign
        (ENGLISH, "imports fell by 0.7% in May 2024"),
        (ENGLISH, "0.7% in May 2024"),
        (ENGLISH, "exports rose -5.4%"),
        (CHINESE, "自然增长率为2.41‰"),
        (CHINESE, "2.41‰"),
        (CHINESE, "居民消费价格下降-0.3%"),
        # a date
        (ENGLISH, "fell by -0.7% in May 2025"),
        (ENGLISH, "fell by -0.7% in June 2024"),
        (CHINESE, "国家统计局 2026年2月27日"),
        (CHINESE, "2024年国民经济和社会发展统计公报"),
        # a negation
        (ENGLISH, "The plan was approved by the board"),
        (ENGLISH, "covers 12345 people"),
        (ENGLISH, "THE OFFICE IN ZÜRICH ISN'T CLOSED"),
        (ENGLISH, "office in Zürich is closed"),
        (ENGLISH, "The unemployment rate has not stabilized"),
        (CHINESE, "股东会同意该方案"),
        (CHINESE, "居民消费价格不下降0.3%"),
        (OTHER, "損失は発生した"),
        (OTHER, "정부는 이 안을 승인하"),
        (OTHER, "前年比4.5%増加しない"),
        # a part of a number or of a word
        (ENGLISH, "36 towns"),
        (ENGLISH, "345 people"),
        (ENGLISH, "234.5 million"),
        (ENGLISH, "1/2 percent"),
        (ENGLISH, "(10"),
        (ENGLISH, "19 cases fell"),
        (ENGLISH, "nomic activity has"),
        (ENGLISH, "a solid pac"),
        (ENGLISH, "a low level in recent month"),
        (CHINESE, "人口5380万人"),
        (CHINESE, "380万人"),
        (CHINESE, "能耗¹下降4.1%[3]"),
        (CHINESE, "能耗²下降4.1%"),
    ],
)
def test_near_misses_are_never_exact(page: str, quote: str) -> None:
    match = find_quote(page, quote)
    assert match.status in ("changed", "gone", "ambiguous")
    assert match.text != quote
    if match.status == "changed":
        assert match.difference
        assert page[match.start : match.end] == match.text


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("136", "36"),
        ("3 6", "36"),
        ("1 36", "136"),
        ("12 3", "123"),
        ("12\n345", "1234 5"),
        ("360", "36"),
        ("36.5", "36"),
        ("36,000", "36"),
        ("0.36", "36"),
        (".36", "36"),
        ("12:36", "36"),
        ("2036-36", "36"),
        ("12\u00a0345 t", "345 t"),
        ("total - 0.7 %", "-0.7 %"),
        ("−0.7", "0.7"),
        ("− 0.7", "0.7"),
        ("±0.7", "0.7"),
        ("10–20", "20"),
        ("5bn", "5"),
        ("Q1 2025", "1 2025"),
        ("10²", "10"),
        ("10²", "102"),
        ("10⁻³", "10"),
        ("1½", "1"),
        ("十一月", "一月"),
        ("二十", "二"),
        ("notable", "not able"),
        ("not able", "notable"),
        ("the disagreement", "agreement"),
        ("50℃", "50°"),
        ("don’t", "don"),
        ("+0.7%", "0.7%"),
        ("a well-known fact", "known fact"),
        ("rate − 0.7", "-0.7"),
        ("cannot go", "can not go"),
        ("the firm's plan", "the firm"),
        ("1.5 per cent of it", "1.5"),
        ("on 5 May 2024", "5 May"),
        ("from 10 to 15 km", "from 10"),
    ],
)
def test_what_only_folds_alike_is_not_exact(page: str, quote: str) -> None:
    assert exact_spans(page, quote) == []
    assert find_quote(page, quote).status in ("changed", "gone", "ambiguous")


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("1 36", "36"),
        ("a table: 100 200 300", "100"),
        ("- 36 people came", "36 people came"),
        ("36家企业", "36"),
        ("达到100，200人", "200人"),
        ("１，２３４人", "1,234人"),
        ("No. 5 of 9", "5 of 9"),
        ("in 2025, 36 firms", "36 firms"),
        ("rose (36)", "36"),
        ("人口36", "36"),
        ("淹没三村", "三村"),
        ("GDP增长5%", "增长5%"),
        ("x₁ and x₂", "x₁"),
    ],
)
def test_real_boundaries_are_boundaries(page: str, quote: str) -> None:
    assert find_quote(page, quote).status == "verified"


ROWS = "Beijing rose 5.3 in 2024\nShanghai rose 5.3 in 2024\nTianjin rose 5.3 in 2024\n"


def test_repeated_quotes_are_ambiguous_and_shown() -> None:
    match = find_quote(ROWS, "rose 5.3")
    assert (match.status, match.occurrences, len(match.candidates)) == ("ambiguous", 3, 3)
    assert "Shanghai" in match.candidates[1]
    assert match.text == ""


@pytest.mark.parametrize(("near", "line"), [("Beijing", 0), ("Shanghai", 1), ("TIANJIN", 2)])
def test_near_tells_repeated_quotes_apart(near: str, line: int) -> None:
    match = find_quote(ROWS, "rose 5.3", near=near)
    assert match.status == "verified"
    assert ROWS[: match.start].count("\n") == line


def test_near_that_is_everywhere_tells_nothing_apart() -> None:
    assert find_quote(ROWS, "rose 5.3", near="in 2024").status == "ambiguous"


def test_near_that_is_nowhere_is_said() -> None:
    match = find_quote(ENGLISH, "36 firms", near="Shanghai")
    assert (match.status, match.near_found) == ("moved", False)


@pytest.mark.parametrize("line", [0, 1, 2])
def test_stored_context_tells_repeated_quotes_apart(line: int) -> None:
    start, end = exact_spans(ROWS, "rose 5.3")[line]
    match = find_quote(ROWS, "rose 5.3", prefix=ROWS[max(0, start - 64) : start], suffix=ROWS[end : end + 64])
    assert (match.status, match.start) == ("verified", start)


def test_position_tells_equal_contexts_apart() -> None:
    page = "x 5.3 x\n" * 20
    starts = [start for start, _ in exact_spans(page, "5.3")]
    assert find_quote(page, "5.3", expected_start=starts[9]).start == starts[9]
    assert find_quote(page, "5.3", expected_start=starts[9] + 4).status == "ambiguous"


def test_one_of_very_many_equal_places_is_found_by_its_position() -> None:
    page = "row 5.3 next\n" * 2000
    start = 13 * 1500 + 4
    match = find_quote(page, "5.3", prefix="next\nrow ", suffix=" next\nrow", expected_start=start)
    assert (match.status, match.start) == ("verified", start)


def test_exact_words_in_another_place_are_moved() -> None:
    start, end = exact_spans(ENGLISH, "economic activity has continued")[0]
    prefix, suffix = ENGLISH[start - 64 : start], ENGLISH[end : end + 64]
    page = "Elsewhere now. " * 9 + "He said economic activity has continued until winter. " + "More. " * 30
    match = find_quote(page, "economic activity has continued", prefix=prefix, suffix=suffix)
    assert match.status == "moved"
    again = find_quote(ENGLISH, "economic activity has continued", prefix=prefix, suffix=suffix)
    assert again.status == "verified"


def test_text_inserted_above_leaves_a_quote_verified() -> None:
    start, end = exact_spans(CHINESE, "居民消费价格下降0.3%")[0]
    prefix, suffix = CHINESE[start - 64 : start], CHINESE[end : end + 64]
    page = "新的导语。\n" * 40 + CHINESE
    match = find_quote(page, "居民消费价格下降0.3%", prefix=prefix, suffix=suffix, expected_start=start)
    assert match.status == "verified"


def _stored(page: str, quote: str) -> dict[str, str]:
    start, end = exact_spans(page, quote)[0]
    return {"prefix": page[max(0, start - 64) : start], "suffix": page[end : end + 64]}


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("5.4%", "5.6%", "[-5.4-]{+5.6+}"),
        ("$1,234.5 million", "$1,234.5 billion", "[-million-]{+billion+}"),
        ("rose", "never rose", "{+never+}"),
        ("−0.7%", "0.7%", "[-−0.7-]{+0.7+}"),
        ("May 2024", "May 2025", "[-May 2024-]{+May 2025+}"),
        ("imports fell", "imports also fell", "{+also+}"),
    ],
)
def test_an_edited_page_is_changed_and_says_how(old: str, new: str, shown: str) -> None:
    quote = "Exports rose 5.4% to $1,234.5 million; imports fell by −0.7% in May 2024."
    page = ENGLISH.replace(old, new, 1)
    assert page != ENGLISH
    match = find_quote(page, quote, **_stored(ENGLISH, quote))
    assert match.status == "changed"
    assert match.text == quote.replace(old, new, 1)
    assert shown in render_diff(match.difference)


def test_a_deleted_quote_is_gone_although_a_lookalike_stands_elsewhere() -> None:
    quote = "Exports rose 5.4% to $1,234.5 million; imports fell by −0.7% in May 2024."
    lookalike = "Exports rose 5.9% to $1,318.2 million; imports fell by −0.2% in May 2023."
    page = ENGLISH.replace(quote, "") + "\n\nAn archive of older notes follows here.\n" + lookalike
    assert find_quote(page, quote, **_stored(ENGLISH, quote)).status == "gone"


def test_the_next_row_of_a_list_is_no_changed_quote() -> None:
    rows = [f"{city} recorded growth of {value} percent in 2025." for city, value in
            [("Beijing", 5.3), ("Shanghai", 5.1), ("Tianjin", 4.8), ("Chongqing", 6.0)]]  # fmt: skip
    page = "\n".join(rows)
    stored = _stored(page, rows[1])
    without = "\n".join(row for row in rows if row != rows[1])
    assert find_quote(without, rows[1], **stored).status == "gone"


def test_a_quote_of_another_text_is_gone_with_the_nearest_words() -> None:
    match = find_quote(ENGLISH, "wholly unrelated gibberish zyx")
    assert (match.status, match.start, match.end, match.text) == ("gone", 0, 0, "")
    half = find_quote(ENGLISH, "labor market conditions have worsened badly of late")
    assert half.status == "gone"
    assert "labor market" in half.nearest


def test_several_similar_places_are_ambiguous() -> None:
    page = "Row one: total of 15 items sold.\nOther.\nRow two: total of 16 items sold."
    match = find_quote(page, "total of 17 items sold")
    assert (match.status, len(match.candidates)) == ("ambiguous", 2)


@pytest.mark.parametrize("quote", ["", " ", "\u200b\u00ad", "\n\t"])
def test_nothing_to_look_for_is_gone(quote: str) -> None:
    assert find_quote(ENGLISH, quote).status == "gone"


def test_an_empty_page_holds_nothing() -> None:
    assert find_quote("", "text").status == "gone"


WORDS = list(re.finditer(r"\S+", ENGLISH))


@given(st.integers(0, len(WORDS) - 1), st.integers(1, 30))
def test_words_cut_from_a_page_are_found_unless_they_cut_a_quantity(first: int, count: int) -> None:
    start, end = WORDS[first].start(), WORDS[min(first + count, len(WORDS)) - 1].end()
    match = find_quote(ENGLISH, ENGLISH[start:end], expected_start=start)
    cut = whole(ENGLISH, start, end, "en") != (start, end)
    assert (match.status == "verified") is not cut
    assert cut or (match.start, match.end) == (start, end)


def _cuts(char_before: int) -> bool:
    edge = CHINESE[max(0, char_before - 1) : char_before + 1]
    return not re.search(r"[\d.\-一二三四五六七八九十千百\s¹\[\]年月日人‰%万“”]", edge)


FREE = [edge for edge in range(len(CHINESE) + 1) if _cuts(edge)]
FREE_PAIRS = [(start, end) for start in FREE for end in FREE if 2 <= end - start <= 40]


@given(st.sampled_from(FREE_PAIRS))
def test_chinese_cut_anywhere_outside_a_number_is_found(span: tuple[int, int]) -> None:
    start, end = span
    match = find_quote(CHINESE, CHINESE[start:end], expected_start=start)
    assert (match.status, match.start, match.end) == ("verified", start, end)


DIGITS = [match.start() for match in re.finditer(r"\d", ENGLISH + CHINESE + OTHER)]
ALL = ENGLISH + CHINESE + OTHER


@given(st.sampled_from(DIGITS), st.integers(1, 9), st.integers(0, 40), st.integers(0, 40))
@example(DIGITS[0], 1, 0, 0)
def test_a_quote_with_one_digit_changed_is_never_exact(at: int, add: int, before: int, after: int) -> None:
    wrong = str((int(ALL[at]) + add) % 10)
    start, end = max(0, at - before), min(len(ALL), at + after + 1)
    quote = ALL[start:at] + wrong + ALL[at + 1 : end]
    match = find_quote(ALL, quote, expected_start=start)
    exact_elsewhere = match.status in ("verified", "moved") and match.start != start
    assert match.status in ("changed", "gone", "ambiguous") or (
        exact_elsewhere and fold(match.text).text == fold(quote).text
    )


@given(st.sampled_from(DIGITS), st.integers(8, 40), st.integers(8, 40))
def test_a_quote_with_one_digit_dropped_is_never_exact(at: int, before: int, after: int) -> None:
    start, end = max(0, at - before), min(len(ALL), at + after + 1)
    assert find_quote(ALL, ALL[start:at] + ALL[at + 1 : end]).status not in ("verified", "moved")


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("The non-manufacturing PMI was 49.4.", "manufacturing PMI was 49.4"),
        ("The rate was un-changed in May.", "changed in May"),
        ("净额为负5.4亿元。", "5.4亿元"),
        ("Growth was minus 5 percent.", "5 percent"),
        ("规模为3.5万亿元。", "规模为3.5万"),
        ("人口14亿489万人。", "人口14亿"),
        ("It costs HK$5 today.", "$5 today"),
        ("The answer is nowhere.", "is now here"),
    ],
)
def test_a_sign_a_scale_or_a_negation_left_out_is_never_exact(page: str, quote: str) -> None:
    assert find_quote(page, quote).status in ("changed", "gone")


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("1月份，非制造业商务活动指数为49.4%。", "非制造业商务活动指数为49.4%"),
        ("东非国家的贸易增长。", "国家的贸易增长"),
        ("1月份，非制造业商务活动指数为49.4%。", "制造业商务活动指数为49.4%"),
        ("净额为负5.4亿元。", "负5.4亿元"),
        ("人口14亿489万人。", "14亿489万人"),
        ("It costs US$5 and $5 more.", "$5 more"),
    ],
)
def test_what_only_looks_like_it_stays_exact(page: str, quote: str) -> None:
    assert find_quote(page, quote).status == "verified"


def test_two_places_without_the_context_it_had_are_ambiguous_wherever_they_stand() -> None:
    page = "Readers wrote:\nThe levy is 40 crowns a year.\n" + "Other news. " * 4
    page += "\nFrom an old edition:\nThe levy is 40 crowns a year.\nEnd."
    prefix, suffix = "Section 9 sets out what owners of dogs pay. ", " It is due in March."
    at = page.index("The levy")
    for expected in (at, at + 5, None):
        found = find_quote(
            page, "The levy is 40 crowns a year.", prefix=prefix, suffix=suffix, expected_start=expected
        )
        assert (found.status, len(found.candidates)) == ("ambiguous", 2)


@pytest.mark.parametrize(
    ("quote", "new"),
    [
        (
            "If the seller does not answer within ten days, the contract is void and the price is repaid.",
            "The contract is void and the price is repaid if the seller does not answer within ten days.",
        ),
        (
            "逾期不缴的，处以1万元以上5万元以下罚款，可以强制执行。",
            "处以1万元以上5万元以下罚款，可以强制执行，逾期不缴的。",
        ),
    ],
)
def test_a_sentence_in_another_order_between_its_surroundings_is_changed(quote: str, new: str) -> None:
    prefix, suffix = "Clause 12 of the agreement says: ", " Clause 13 speaks of the costs of storage."
    for status, page in (
        ("changed", prefix + new + suffix),
        ("gone", prefix + suffix),
        ("gone", prefix + "Nothing is said of it here any more, and nobody minds that." + suffix),
        ("gone", "Elsewhere stands this. " * 9 + new + " And more of that follows. " * 9),
    ):
        assert find_quote(page, quote, prefix=prefix, suffix=suffix, expected_start=33).status == status


def test_the_first_words_of_a_page_have_its_beginning_for_context() -> None:
    quote, suffix = "Levels by basin, end of month", "\nBasin\tCapacity\tJune\nUpper\t412.5\t301.2"
    page = "Levels by basin, end of usual" + suffix
    found = find_quote(page, quote, suffix=suffix, expected_start=0)
    assert (found.status, found.text) == ("changed", "Levels by basin, end of usual")


@pytest.mark.parametrize(
    ("page", "quote", "status"),
    [
        ("cost 1,250,\n000 crowns", "cost 1,250,000 crowns", "verified"),
        ("增加9.\n4万人", "增加9.4万人", "verified"),
        ("in 2021-\n2023 by", "in 2021-2023 by", "verified"),
        ("rooms 9.\n4 people came", "rooms 9.4 people came", "changed"),
        ("lots 12,\n40 and", "lots 12,40 and", "changed"),
    ],
)
def test_a_number_may_go_on_over_a_line_end_of_a_document(page: str, quote: str, status: str) -> None:
    assert find_quote(page, quote, hyphenated=True).status == status
    assert find_quote(page, quote).status == "changed"


def test_two_numbers_parted_by_a_comma_and_a_line_end_stay_two() -> None:
    page = "He sold 120,\n300 and 45 sheep."
    for hyphenated in (False, True):
        assert find_quote(page, "sold 120, 300 and 45", hyphenated=hyphenated).status == "verified"


FILLER = "Other words that fill the page stand in this place, and say nothing of the rate.\n"
FILLER_ZH = "本页的其他文字与空置率没有关系，只是用来占据位置的一句话而已。"


@pytest.mark.parametrize(
    ("old", "new", "quote", "status"),
    [
        ("In May the vacancy rate was 5.33% in Rome.", "An older note said that the vacancy rate was 5.33% there.",
         "vacancy rate was 5.33%", "moved"),
        ("In May the vacancy rate was 5.33%.", "An older note said that the vacancy rate was 5.33% there.",
         "vacancy rate was 5.33%", "moved"),
        ("The vacancy rate was 5.33% in Rome.", "An older note said that the vacancy rate was 5.33% there.",
         "vacancy rate was 5.33%", "moved"),
        ("In May the vacancy rate was 5.33% in Rome.", "In March the vacancy rate was 5.33% in Shanghai.",
         "vacancy rate was 5.33%", "moved"),
        ("In May the vacancy rate was 5.33% in Rome.", "In early May, the vacancy rate was 5.33% in all of Rome.",
         "vacancy rate was 5.33%", "verified"),
        ("In May the vacancy rate was 5.33% in Rome.", "In mai the vacancy rate was 5.33% in Roma.",
         "vacancy rate was 5.33%", "verified"),
        ("In May the vacancy rate was 5.33% in Rome.", "By and large the vacancy rate was 5.33% in Rome.",
         "vacancy rate was 5.33%", "verified"),
        ("今年二月上海写字楼空置率为5.33%，较上月下降。", "一份旧的说明曾经提到空置率为5.33%。", "空置率为5.33%", "moved"),
        ("今年二月上海写字楼空置率为5.33%，较上月下降。", "据悉，今年二月上海写字楼空置率为5.33%，较上月下降。",
         "空置率为5.33%", "verified"),
    ],
)  # fmt: skip
def test_the_words_right_beside_a_quote_weigh_more_than_those_further_off(
    old: str, new: str, quote: str, status: str
) -> None:
    filler = FILLER_ZH if "空" in quote else FILLER
    before = f"{filler}{old}\n{filler}"
    start = before.index(quote)
    prefix, suffix = before[max(0, start - 64) : start], before[start + len(quote) :][:64]
    page = f"{filler}{new}\n{filler}"
    match = find_quote(page, quote, prefix=prefix, suffix=suffix, expected_start=start)
    assert (match.status, match.text) == (status, quote)
