from __future__ import annotations

import re
from typing import TypedDict

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kit.cases import cases
from tests.kit.suites import ROOT
from verifaible.old.anchoring.diff import render_diff
from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.quote import exact_spans, find_quote
from verifaible.old.text.words import whole

ENGLISH = (ROOT / "quotes/english.txt").read_text(encoding="utf-8")

CHINESE = (ROOT / "quotes/chinese.txt").read_text(encoding="utf-8")

OTHER = (ROOT / "quotes/other.txt").read_text(encoding="utf-8")


@cases("quotes", "verified")
def test_exact_quotes_are_verified_with_the_words_of_the_page(
    page: str, quote: str, text: str, status: str
) -> None:
    match = find_quote(page, quote)
    assert (match.status, match.text) == (status, text)
    assert page[match.start : match.end] == text
    assert match.score == 1.0
    assert match.prefix == page[max(0, match.start - 64) : match.start]
    assert match.suffix == page[match.end : match.end + 64]


@cases("quotes", "near miss")
def test_near_misses_are_never_exact(page: str, quote: str, statuses: list[str]) -> None:
    match = find_quote(page, quote)
    assert match.status in statuses
    assert match.text != quote
    if match.status == "changed":
        assert match.difference
        assert page[match.start : match.end] == match.text


@cases("quotes", "folds alike")
def test_what_only_folds_alike_is_not_exact(page: str, quote: str, statuses: list[str]) -> None:
    assert exact_spans(page, quote) == []
    assert find_quote(page, quote).status in statuses


@cases("quotes", "boundary")
def test_real_boundaries_are_boundaries(page: str, quote: str, status: str) -> None:
    assert find_quote(page, quote).status == status


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


class _Context(TypedDict):
    prefix: str
    suffix: str


def _stored(page: str, quote: str) -> _Context:
    start, end = exact_spans(page, quote)[0]
    return {"prefix": page[max(0, start - 64) : start], "suffix": page[end : end + 64]}


@cases("quotes", "edited")
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


@cases("quotes", "left out")
def test_a_sign_a_scale_or_a_negation_left_out_is_never_exact(
    page: str, quote: str, statuses: list[str]
) -> None:
    assert find_quote(page, quote).status in statuses


@cases("quotes", "looks like it")
def test_what_only_looks_like_it_stays_exact(page: str, quote: str, status: str) -> None:
    assert find_quote(page, quote).status == status


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


@cases("quotes", "another order")
def test_a_sentence_in_another_order_between_its_surroundings_is_changed(
    quote: str, new: str, status: str
) -> None:
    prefix, suffix = "Clause 12 of the agreement says: ", " Clause 13 speaks of the costs of storage."
    for found, page in (
        (status, prefix + new + suffix),
        ("gone", prefix + suffix),
        ("gone", prefix + "Nothing is said of it here any more, and nobody minds that." + suffix),
        ("gone", "Elsewhere stands this. " * 9 + new + " And more of that follows. " * 9),
    ):
        assert find_quote(page, quote, prefix=prefix, suffix=suffix, expected_start=33).status == found


def test_the_first_words_of_a_page_have_its_beginning_for_context() -> None:
    quote, suffix = "Levels by basin, end of month", "\nBasin\tCapacity\tJune\nUpper\t412.5\t301.2"
    page = "Levels by basin, end of usual" + suffix
    found = find_quote(page, quote, suffix=suffix, expected_start=0)
    assert (found.status, found.text) == ("changed", "Levels by basin, end of usual")


@cases("quotes", "line end")
def test_a_number_may_go_on_over_a_line_end_of_a_document(page: str, quote: str, status: str) -> None:
    assert find_quote(page, quote, hyphenated=True).status == status
    assert find_quote(page, quote).status == "changed"


def test_two_numbers_parted_by_a_comma_and_a_line_end_stay_two() -> None:
    page = "He sold 120,\n300 and 45 sheep."
    for hyphenated in (False, True):
        assert find_quote(page, "sold 120, 300 and 45", hyphenated=hyphenated).status == "verified"


FILLER = "Other words that fill the page stand in this place, and say nothing of the rate.\n"
FILLER_ZH = "本页的其他文字与空置率没有关系，只是用来占据位置的一句话而已。"


@cases("quotes", "surroundings")
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
