from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from verifaible.anchoring.fold import fold, footnote_marks


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("郑　　州", "郑州"),
        ("１４０４８９万人", "140489万人"),
        ("“Growth” – fast", '"growth"-fast'),
        ("it’s", "it's"),
        ("«oui»", '"oui"'),
        ("「増加」", '"増加"'),
        ("and so on…", "and so on..."),
        ("ﬁnal oﬃce", "final office"),
        ("cafe\u0301", "café"),
        ("ｶﾞｽ", "ガス"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
        ("infor\u00admation", "information"),
        ("zero\u200bwidth\u2060", "zerowidth"),
        ("\u202bעברית\u202c", "עברית"),
        ("a\U000e0061\U000e007f", "a"),
        ("STRASSE", "Straße"),
        ("−0.7", "-0.7"),
        ("5 ％", "5%"),
        ("℃", "°C"),
        ("㎏", "kg"),
        ("㎡", "m²"),
        ("№ 5", "no5"),
        ("a\u00a0b\u202fc\u2009d\u3000e\tf\ng", "abcdefg"),
        ("𝟏𝟐", "12"),
        ("葛\U000e0100城", "葛城"),
        ("ΑΣ", "ας"),
    ],
)
def test_what_reads_alike_folds_alike(one: str, other: str) -> None:
    assert fold(one).text == fold(other).text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10²", "102"),
        ("10²", "10"),
        ("H₂O", "H2O"),
        ("1½", "11/2"),
        ("½", "1⁄2"),
        ("①", "1"),
        ("⒈5", "1.5"),
        ("2㋀", "21月"),
        ("1.5", "1,5"),
        ("1.5", "15"),
        ("0.7", "-0.7"),
        ("5%", "5"),
        ("5%", "5‰"),
        ("$5", "€5"),
        ("$5", "5"),
        ("±5", "5"),
        ("not", ""),
        ("同意", "不同意"),
        ("e", "é"),
        ("が", "か"),
        ("３", "٣"),
    ],
)
def test_what_means_something_else_stays_apart(one: str, other: str) -> None:
    assert fold(one).text != fold(other).text


def test_offsets_lead_back_to_code_points() -> None:
    text = "😀 ﬁn\u0301e\u200b 𠮷…"
    folded = fold(text)
    assert folded.text == "😀fińe𠮷..."
    spans = [text[start:end] for start, end in zip(folded.starts, folded.ends, strict=True)]
    assert spans == ["😀", "ﬁ", "ﬁ", "n\u0301", "e", "𠮷", "…", "…", "…"]
    assert folded.span(0, len(folded.text)) == (0, len(text))


def test_a_slice_may_cut_a_character_of_the_original() -> None:
    folded = fold("ﬁn…")
    assert folded.is_cut(1, 3)
    assert folded.is_cut(0, 4)
    assert not folded.is_cut(0, 3)


def test_blanks_can_be_kept() -> None:
    assert fold("a b\u00a0c\nd−5 １，２", keep_space=True).text == "a b\u00a0c\nd−5 １，２"


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("人口¹增长", "人口增长"),
        ("population²", "population"),
        ("He said so.[12] Then", "hesaidso.then"),
        ("rates[a]", "rates"),
        ("总数〔3〕", "总数"),
        ("growth¹,²", "growth"),
        ("10²", "10²"),
        ("10⁻³", "10⁻³"),
        ("5 km²", "5km²"),
        ("3 m³", "3m³"),
        ("9 square metre²", "9squaremetre²"),
        ("9平方米²", "9平方米²"),
        ("(a+b)²", "(a+b)²"),
        ("[12] first", "[12]first"),
    ],
)
def test_footnote_marks_are_dropped_and_exponents_are_not(text: str, without: str) -> None:
    assert fold(text, drop_superscripts=True).text == without


def test_footnote_marks_are_spans() -> None:
    assert footnote_marks("a word¹ and[2]") == [(6, 7), (11, 14)]


@given(st.text())
def test_spans_never_go_back_and_stay_inside(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    assert all(0 <= s < e <= len(text) for s, e in zip(folded.starts, folded.ends, strict=True))


@given(st.text(alphabet=st.characters(codec="utf-8", categories=("L", "N", "P", "Zs"))))
def test_folding_is_the_same_for_both_canonical_forms(text: str) -> None:
    composed, taken_apart = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert fold(composed).text == fold(taken_apart).text


@given(st.text())
def test_folding_a_folded_text_changes_nothing(text: str) -> None:
    once = fold(text).text
    # Where a blank parted a mark from a letter, dropping it leaves them to be composed.
    assume(unicodedata.normalize("NFC", once) == once)
    assert fold(once).text == once


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_two_numbers_never_fold_alike(one: int, other: int) -> None:
    assert (fold(str(one)).text == fold(str(other)).text) == (one == other)
