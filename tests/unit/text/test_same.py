"""Each row of the table of allowed differences, on both of its sides."""

from __future__ import annotations

import pytest

from verifaible.text.same import Span, same


def compared(source: str, quote: str, **options: object) -> str:
    return same(source, 0, len(source), quote, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("It rose to 5.33%.", "It rose to 5.33%."),
        ("It rose\n to\u00a05.33 %", "It rose to 5.33 %"),
        ("全国 人口", "全国 人口"),
    ],
)
def test_the_same_but_for_white_space_is_exact(source: str, quote: str) -> None:
    assert compared(source, quote) == "exact"


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        pytest.param("全国\n人口", "全国人口", id="no white space in Chinese"),
        pytest.param("2024年末", "2024 年末", id="white space beside Chinese"),
        pytest.param("he said “no” – ‘never’", "he said \"no\" – 'never'", id="quotation marks"),
        pytest.param("don’t co‑operate", "don't co-operate", id="apostrophe and hyphen"),
        pytest.param("pages 10–12", "pages 10-12", id="a range"),
        pytest.param("and so on…", "and so on...", id="an ellipsis"),
        pytest.param("ranged 5〜7度", "ranged 5~7度", id="a wave dash"),
        pytest.param("it was −5 °C", "it was -5 °C", id="a minus sign"),
        pytest.param("it was －$5", "it was -$5", id="a full-width minus sign"),
        pytest.param("ＧＤＰ：５％", "GDP:5%", id="full width"),
        pytest.param("ｶﾞｽ", "ガス", id="half width"),
        pytest.param("the ﬁnal eﬀect", "the final effect", id="ligatures"),
        pytest.param("ﻻ", "لا", id="presentation forms"),
        pytest.param("Cafe\u0301", "Café", id="composed"),
        pytest.param("in\u00advisi\u200bble\ufe0f", "invisible", id="no glyph"),
        pytest.param("The rate rose.", "the rate rose.", id="a small first letter"),
        pytest.param("itfaiye geldi", "İtfaiye geldi", id="a Turkish capital"),
        pytest.param("the rate rose.", "“The rate rose.”".strip("“”"), id="a capital first letter"),
        pytest.param("It rose.[1] Then it fell.²", "It rose. Then it fell.", id="footnotes left out"),
        pytest.param("It rose.[1] Then it fell.", "It rose.[1] Then it fell.", id="footnotes kept"),
    ],
)
def test_what_the_table_allows(source: str, quote: str) -> None:
    assert compared(source, quote) in ("allowed", "exact")


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        pytest.param("a political party", "apolitical party", id="a blank between words"),
        pytest.param("12 3", "123", id="a blank between figures"),
        pytest.param("한국 사람", "한국사람", id="a blank in Korean"),
        pytest.param("十 二", "十二", id="a blank between numerals"),
        pytest.param("5 mPa", "5 MPa", id="letter case"),
        pytest.param("Mr Brown left", "Mr brown left", id="letter case of a name"),
        pytest.param("5", "-5", id="a sign put in"),
        pytest.param("+5", "5", id="a sign left out"),
        pytest.param("a−b", "a-b", id="a minus sign that is no sign"),
        pytest.param("war–torn", "war-torn", id="a dash between words"),
        pytest.param("10²", "102", id="an exponent"),
        pytest.param("½", "1/2", id="a fraction"),
        pytest.param("5 ′", "5 '", id="a prime"),
        pytest.param("٥", "5", id="other figures"),
        pytest.param("straße", "strasse", id="a letter for two"),
        pytest.param("resume", "résumé", id="an accent"),
        pytest.param("Вася", "Bася", id="a look-alike"),
        pytest.param("1.5", "1,5", id="a decimal mark"),
        pytest.param("he said “yes”", "he said yes", id="quotation marks left out"),
        pytest.param("12\u202e34", "1234", id="an override"),
        pytest.param("It rose.[1] Then it fell.", "It rose.[2] Then it fell.", id="another footnote"),
        pytest.param("not here", "here", id="a word left out"),
        pytest.param("here", "", id="nothing"),
    ],
)
def test_what_it_does_not(source: str, quote: str) -> None:
    assert compared(source, quote) == ""


def test_letter_case_is_free_where_the_style_makes_it() -> None:
    everywhere: tuple[Span, ...] = ((4, 8),)
    assert compared("The bank of", "The BANK of", cased=everywhere) == "allowed"
    assert compared("The bank of", "The BANK OF", cased=everywhere) == ""


def test_a_hyphen_at_a_line_end_of_a_pdf_may_belong_to_the_word_or_not() -> None:
    for quote in ("the Wirtschaft grew", "the Wirt-schaft grew", "the Wirt- schaft grew"):
        assert compared("the Wirt-\nschaft grew", quote, broken_lines=True)
    assert not compared("the Wirt-\nschaft grew", "the Wirtschaft grew")
    assert compared("some 1,\n234 people", "some 1,234 people", broken_lines=True)


def test_what_surrounds_a_span_decides_about_its_sign() -> None:
    assert same("from −5 to", 5, 7, "-5") == "allowed"
    assert same("from a −b", 7, 9, "-b") == ""


#: A row of the table: pairs that it allows, and pairs beside them that it does not.
ROWS = {
    "white space": (
        [("a  b", "a b"), ("a\u2009b", "a b"), ("a\tb", "a b"), (" a b ", "a b"), ("a\u3000b", "a b")],
        [("ab", "a b"), ("a b", "ab"), ("no table", "notable"), ("5 000", "5000"), ("5\u2009000", "5000")],
    ),
    "white space beside East Asian characters": (
        [("中 国", "中国"), ("5 年", "5年"), ("GDP 增长", "GDP增长"), ("日本 の", "日本の"), ("中，a", "中， a")],
        [("三 五", "三五"), ("5 万", "5万"), ("가 나", "가나"), ("5 개", "5개"), ("Dr. Li", "Dr.Li")],
    ),
    "white space between figures and signs": (
        [("5 %", "5%"), ("5%", "5 %"), ("5\u00a0°C", "5°C"), ("5 ‰", "5‰"), ("5 ℃", "5℃")],
        [("5 kg", "5kg"), ("a %", "a%"), ("5 $", "5$"), ("% 5", "%5"), ("5 ′", "5′")],
    ),
    "glyphs of one mark": (
        [("„a“", '"a"'), ("«a»", "“a”"), ("「甲」", '"甲"'), ("‘a’", "'a'"), ("a‑b", "a-b"), ("a…", "a..."),
         ("5—6", "5-6"), ("a — b", "a - b"), ("5〜6", "5~6"), ("a–b", "a‒b")],
        [("'a'", '"a"'), ("a–b", "a-b"), ("a — 5", "a - 5"), ("a_b", "a-b"), ("a..", "a..."), ("a·b", "a-b"),
         ("5:6", "5-6"), ("a,b", "a;b"), ("a．b", "a,b")],
    ),
    "minus signs": (
        [("−5", "-5"), ("－5", "-5"), ("-5", "−5"), ("−$5", "-$5"), ("−.5", "-.5")],
        [("−5", "5"), ("−5", "+5"), ("±5", "+5"), ("a−b", "a-b"), ("−5", "~5")],
    ),
    "width and joined forms": (
        [("Ａ１", "A1"), ("ｱ", "ア"), ("ﬃ", "ffi"), ("ﻼ", "لا"), ("⼈", "人"), ("５０％", "50%")],
        [("①", "1"), ("™", "TM"), ("㎏", "kg"), ("Ⅳ", "IV"), ("ª", "a"), ("𝐀", "A"), ("x²", "x2"), ("æ", "ae")],
    ),
    "composed or decomposed": (
        [("é", "e\u0301"), ("Å", "\u212b"), ("が", "か\u3099"), ("각", "\u1100\u1161\u11a8"), ("Ω", "\u2126")],
        [("é", "e"), ("e\u0301", "e\u0300"), ("が", "か"), ("ё", "е"), ("ş", "s")],
    ),
    "what has no glyph": (
        [("a\u200bb", "ab"), ("a\u00adb", "ab"), ("a\ufe0f", "a"), ("\u200ea", "a"), ("a\u2060b", "ab")],
        [("a\u202eb", "ab"), ("a\u0601b", "ab"), ("a\u00b7b", "ab"), ("a\u20ddb", "ab"), ("a\ufffdb", "ab")],
    ),
    "the quote's first letter": (
        [("The rate", "the rate"), ("the rate", "The rate"), ("“The", "“the"), ("(The", "(the"), ("Élan", "élan")],
        [("The Rate", "the rate"), ("the US", "the us"), ("5 Mw", "5 MW"), ("the rate", "thE rate"), ("ſo", "su")],
    ),
    "footnote marks": (
        [("It rose.[1] It", "It rose. It"), ("rose¹ then", "rose then"), ("Berlinᵃ is", "Berlin is")],
        [("It rose. It", "It rose.[1] It"), ("rose¹ then", "rose² then"), ("rose¹ then", "rose1 then"),
         ("5 km² of", "5 km of"), ("10² of", "10 of"), ("It rose.[ab] It", "It rose. It")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_each_row_of_the_table_has_two_sides(row: str) -> None:
    allowed, refused = ROWS[row]
    assert [pair for pair in allowed if not compared(*pair)] == []
    assert [pair for pair in refused if compared(*pair)] == []


@pytest.mark.parametrize(
    ("source", "quote", "alike"),
    [
        ("some well-\nknown fact", "well-known fact", True),
        ("some well-\nknown fact", "wellknown fact", True),
        ("some well-known fact", "wellknown fact", False),
        ("some well -\nknown fact", "wellknown fact", False),
        ("grew by 1-\n2 points", "grew by 1-2 points", True),
        ("grew by 1-\n2 points", "grew by 12 points", False),
        ("some 1,\n234 people", "some 1,234 people", True),
        ("some 1,\n2345 people", "some 1,2345 people", False),
        ("grew by 1.\n5%", "grew by 1.5%", True),
        ("grew by 1.\n5 Then", "grew by 1.5 Then", False),
    ],
)
def test_a_line_end_of_a_pdf_joins_only_what_goes_on(source: str, quote: str, alike: bool) -> None:
    start = source.index(quote[:4])
    assert bool(same(source, start, len(source), quote, broken_lines=True)) is alike
