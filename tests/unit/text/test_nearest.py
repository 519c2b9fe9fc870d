from __future__ import annotations

import pytest

from verifaible.text.nearest import Passages, passages_of

TEXTS = (
    "The council met on Tuesday. It approved a budget of $1,250,000 for the library. Nobody spoke against it.",
    "| Year | Visitors |\n|---|---|\n| 2023 | 48,211 |\n| 2024 | 51,902 |\n\nThe museum was closed in August.",
    "公司第三季度营收为十二亿元。净利润同比下降。",
)


def words(texts: tuple[str, ...], query: str, count: int = 1) -> list[str]:
    return [texts[near.text][near.start : near.end] for near in Passages(texts).nearest(query, count)]


@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("The library's budget was approved", "It approved a budget of $1,250,000 for the library."),
        ("1250000 dollars were given", "It approved a budget of $1,250,000 for the library."),
        ("In 2024 there were 51902 visitors", "| 2024 | 51,902 |"),
        ("It closes in August", "The museum was closed in August."),  # by the beginnings of words
        ("第三季度的营收", "公司第三季度营收为十二亿元。"),
    ],
)
def test_the_sentence_or_row_that_has_most_of_a_query_comes_first(query: str, passage: str) -> None:
    assert words(TEXTS, query) == [passage]


def test_the_share_is_of_the_query_and_weighs_rare_words_most() -> None:
    found = Passages(TEXTS).nearest
    (whole,) = found("approved a budget for the library", 1)
    (part,) = found("approved a budget for the zoo", 1)
    (stray,) = found("the zoo of Vienna", 1)
    assert whole.share == pytest.approx(1)
    assert 1 > part.share > 0.5 > stray.share > 0


def test_nothing_is_near_to_a_query_whose_words_stand_nowhere() -> None:
    assert Passages(TEXTS).nearest("Zürich?") == []
    assert Passages(TEXTS).nearest("…") == []
    assert Passages(()).nearest("budget") == []
    assert Passages(("", "\n\n", "|---|")).nearest("budget") == []


def test_equally_near_passages_come_in_their_order_and_no_more_than_wanted() -> None:
    texts = ("It rained.", "It rained.", "It rained.")
    assert [near.text for near in Passages(texts).nearest("rained", 2)] == [0, 1]


def test_some_of_the_texts_are_looked_at_and_what_stands_around_a_passage_is_of_its_text() -> None:
    texts = ("One. Two rained.", "It rained. Three. Four. Five.")
    passages = Passages(texts)
    assert passages.nearest("rained", texts=()) == []
    (near,) = passages.nearest("rained", texts={1})
    start, end = passages.around(near, 2)
    assert texts[1][start:end] == "It rained. Three. Four."


def test_a_line_broken_for_its_width_is_no_end_of_a_sentence() -> None:
    text = "The board found that the works at the northern dam had\nnot been finished in time.\nOpen points"
    assert [text[start:end] for start, end in passages_of(text)] == [
        "The board found that the works at the northern dam had\nnot been finished in time.",
        "Open points",
    ]


def test_what_never_ends_is_parted_without_losing_a_word() -> None:
    text = '{"values":[' + ",".join(f'"{number}"' for number in range(2000)) + "]}"
    spans = list(passages_of(text))
    assert max(end - start for start, end in spans) <= 1000
    assert "".join(text[start:end] for start, end in spans) == text
    assert [text[near.start : near.end].count('"1234"') for near in Passages([text]).nearest("1234", 1)] == [
        1
    ]
