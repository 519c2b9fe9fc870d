from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.kit.cases import cases
from verifaible.old.anchoring.fold import fold
from verifaible.old.text.same import footnote_marks


@cases("folding", "alike")
def test_what_reads_alike_folds_alike(one: str, other: str) -> None:
    assert fold(one).text == fold(other).text


@cases("folding", "apart")
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


@cases("folding", "footnotes")
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


#: Long enough to be folded as a page is, with what pages hold.
_LONG = "Kein Blank, “no” mark² — 郑州　１２％… soft\u00adhyphen [3] and the ﬁrst\u200b line.\n" * 60


@given(st.text(max_size=40), st.integers(0, len(_LONG)), st.booleans())
def test_a_page_folds_character_by_character_as_a_short_text_does(put_in: str, at: int, drop: bool) -> None:
    page = _LONG[:at] + put_in + _LONG[at:]
    whole = fold(page, drop_superscripts=drop)
    assert len(whole.text) == len(whole.starts) == len(whole.ends)
    parts = dict(zip(whole.starts, whole.ends, strict=True))
    assert "".join(fold(page[start:end]).text for start, end in parts.items()) == whole.text
    left_out = set(range(len(page))) - {at for span in parts.items() for at in range(*span)}
    marks = {at for span in footnote_marks(page) for at in range(*span)} if drop else set()
    assert all(fold(page[at]).text == "" or at in marks for at in left_out)
    assert not marks & set(parts)


def test_every_offset_of_a_page_leads_to_its_folded_character() -> None:
    page, folded = _LONG, fold(_LONG)
    for offset in range(0, len(page), 7):
        at = folded.index(offset)
        assert at == len(folded.text) or folded.starts[at] >= offset
        assert not at or folded.starts[at - 1] < offset
    assert list(folded.starts[3:9]) == [folded.starts[at] for at in range(3, 9)]
    with pytest.raises(IndexError):
        _ = folded.starts[len(folded.text)]


def test_what_pages_have_most_folds_to_itself() -> None:
    for code in (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000)):
        assert fold(chr(code)).text == chr(code)


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("in 2023⁴ was", "in2023was"),
        ("1,870¹ families", "1,870families"),
        ("1,870ᵃ families", "1,870families"),
        ("150² and 10⁶", "150²and10⁶"),
        ("2ⁿ", "2ⁿ"),
        ("a wordᵃ,ᵇ here", "awordhere"),
    ],
)
def test_marks_behind_years_and_grouped_thousands_are_no_exponents(text: str, without: str) -> None:
    assert fold(text, drop_superscripts=True).text == without
