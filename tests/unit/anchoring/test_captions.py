from __future__ import annotations

import pytest

from verifaible.old.anchoring.captions import find_caption
from verifaible.schema.transcript import Caption, Transcript


def transcript(*lines: tuple[float, float, str]) -> Transcript:
    captions = tuple(Caption(start_s=start, duration_s=length, text=text) for start, length, text in lines)
    return Transcript(video_id="v", language="en", captions=captions)


TALK = transcript(
    (0.0, 3.0, "Good afternoon. The committee decided"),
    (3.0, 3.0, "to leave the rate unchanged"),
    (6.0, 4.0, "at 4.25 percent. Inflation is not"),
    (10.0, 4.0, "where we want it to be."),
    (60.0, 4.0, "As I said, we decided"),
    (64.0, 4.0, "to leave the rate unchanged"),
    (68.0, 4.0, "because of 2.7 percent inflation."),
    (90.0, 4.0, "我们决定维持利率"),
    (94.0, 4.0, "不变，为3.5%。"),
)

ROLLING = transcript(
    (0.0, 4.0, "hello and welcome everyone"),
    (2.0, 4.0, "hello and welcome everyone to the press"),
    (4.0, 4.0, "to the press conference of today"),
    (6.0, 4.0, "conference of today we raised rates"),
    (8.0, 4.0, "we raised rates by 25 basis points"),
    (10.0, 4.0, "by 25 basis points"),
)


@pytest.mark.parametrize(
    ("quote", "start_s", "end_s", "text"),
    [
        ("Good afternoon", 0.0, 3.0, "Good afternoon"),
        ("decided to leave the rate unchanged at 4.25 percent", 0.0, 10.0,
         "decided\nto leave the rate unchanged\nat 4.25 percent"),
        ("Inflation is not where we want it", 6.0, 14.0, "Inflation is not\nwhere we want it"),
        ("2.7 percent inflation", 68.0, 72.0, "2.7 percent inflation"),
        ("维持利率不变，为3.5%", 90.0, 98.0, "维持利率\n不变，为3.5%"),
    ],
)  # fmt: skip
def test_a_quote_may_go_over_several_lines(quote: str, start_s: float, end_s: float, text: str) -> None:
    match = find_caption(TALK, quote)
    assert (match.status, match.start_s, match.end_s, match.text) == ("verified", start_s, end_s, text)


@pytest.mark.parametrize(
    ("at_s", "start_s"), [(0, 3.0), (5, 3.0), (64, 64.0), (70, 64.0), (95, 64.0), (30, 3.0)]
)
def test_of_two_occurrences_the_one_at_the_time_counts(at_s: float, start_s: float) -> None:
    match = find_caption(TALK, "to leave the rate unchanged", at_s=at_s)
    assert (match.status, match.start_s, match.in_window) == ("verified", start_s, True)


def test_without_a_time_two_occurrences_are_ambiguous() -> None:
    match = find_caption(TALK, "to leave the rate unchanged")
    assert (match.status, match.occurrences) == ("ambiguous", 2)
    assert [text.split(":")[0] for text in match.candidates] == ["3.0 s", "64.0 s"]


def test_outside_the_window_the_answer_says_where_it_is() -> None:
    match = find_caption(TALK, "2.7 percent inflation", at_s=5)
    assert (match.status, match.in_window, match.start_s) == ("moved", False, 68.0)
    assert find_caption(TALK, "2.7 percent inflation", at_s=5, window_s=90).status == "verified"


@pytest.mark.parametrize(
    "quote",
    [
        "at 4.35 percent",
        "Inflation is where we want it",
        "because of 2.7 basis points inflation",
        "维持利率不变，为3.6%",
        "leave the rate changed",
    ],
)
def test_near_misses_are_never_exact(quote: str) -> None:
    assert find_caption(TALK, quote).status in ("changed", "gone", "ambiguous")


def test_a_changed_quote_shows_what_is_said() -> None:
    match = find_caption(TALK, "unchanged at 4.50 percent")
    assert (match.status, match.text) == ("changed", "unchanged\nat 4.25 percent")
    assert [token.text for token in match.difference if token.op == "added"] == ["4.25"]


@pytest.mark.parametrize(
    ("quote", "start_s"),
    [
        ("hello and welcome everyone to the press conference of today", 0.0),
        ("welcome everyone", 0.0),
        ("we raised rates by 25 basis points", 6.0),
        ("to the press", 2.0),
        ("by 25 basis points", 8.0),
    ],
)
def test_rolling_captions_say_everything_once(quote: str, start_s: float) -> None:
    match = find_caption(ROLLING, quote)
    assert (match.status, match.start_s) == ("verified", start_s)
    assert " ".join(match.text.split()) == quote


def test_rolling_chinese_captions() -> None:
    rolling = transcript((0, 3, "今天我们宣布加息"), (1, 3, "今天我们宣布加息二十五"), (2, 3, "二十五个基点"))
    assert find_caption(rolling, "宣布加息").status == "verified"


def test_words_said_twice_in_a_row_are_kept() -> None:
    said = transcript((0.0, 2.0, "it is very"), (2.0, 2.0, "very hard"))
    assert find_caption(said, "it is very very hard").status == "verified"


def test_a_line_said_again_later_is_no_repeat() -> None:
    said = transcript((0.0, 2.0, "rates go up"), (30.0, 2.0, "rates go up"))
    assert find_caption(said, "rates go up").status == "ambiguous"
    assert find_caption(said, "rates go up", at_s=31).start_s == 30.0


@pytest.mark.parametrize("captions", [transcript(), transcript((0, 1, "  "))])
def test_no_captions_hold_nothing(captions: Transcript) -> None:
    assert find_caption(captions, "words").status == "gone"
