"""Where a quote may begin and end."""

from __future__ import annotations

import pytest

from verifaible.old.text.words import whole


def widened(text: str, quote: str, language: str = "en") -> str:
    start = text.index(quote)
    first, last = whole(text, start, start + len(quote), language)
    return text[first:last]


@pytest.mark.parametrize(
    ("text", "quote", "language"),
    [
        ("the disagreement ended", "disagreement ended", "en"),
        ("a well-known fact", "a well-known", "en"),
        ("(agreed)", "agreed", "en"),
        ("“agreed”, he said", "agreed", "en"),
        ("the firm's plan", "plan", "en"),
        ("l’État a payé", "État a payé", "fr"),
        ("dell'Italia", "Italia", "it"),
        ("it rose - not fell", "not fell", "en"),
        ("rate: 5.4%, then", "5.4%", "en"),
        ("in 2024, 5 died", "5 died", "en"),
        ("同意该方案", "该方案", "zh"),
        ("达到100，200人", "200人", "zh"),
        ("a \u200eword", "word", "en"),
        ("the whole text", "the whole text", "en"),
    ],
)
def test_edges_between_words_are_left(text: str, quote: str, language: str) -> None:
    assert widened(text, quote, language) == quote


@pytest.mark.parametrize(
    ("text", "quote", "language", "word"),
    [
        ("the disagreement ended", "agreement ended", "en", "disagreement ended"),
        ("was unchanged in May", "changed in", "en", "unchanged in"),
        ("a well-known fact", "known fact", "en", "well-known fact"),
        ("a non‑smoking zone", "smoking zone", "en", "non‑smoking zone"),
        ("the firm's plan", "the firm", "en", "the firm's"),
        ("it isn’t so", "it is", "en", "it isn’t"),
        ("il n'est pas", "est pas", "fr", "n'est pas"),
        ("unmöglich war es", "möglich", "de", "unmöglich"),
        ("неправильно", "правильно", "ru", "неправильно"),
        ("عدم الوجود", "وجود", "ar", "الوجود"),
        ("승인하지 않았다", "승인하", "ko", "승인하지"),
        ("कानून", "कान", "hi", "कानून"),
        ("マンション", "マン", "ja", "マンション"),
        ("net -5.4 million", "5.4 million", "en", "-5.4 million"),
        ("net −5.4", "5.4", "en", "−5.4"),
        ("some 1,234 people", "234", "en", "1,234"),
        ("rose 5.4%", "5.4", "en", "5.4%"),
        ("rose 5.4%", "5", "en", "5.4%"),
    ],
)
def test_a_word_or_a_quantity_that_is_cut_is_made_whole(
    text: str, quote: str, language: str, word: str
) -> None:
    assert widened(text, quote, language) == word


def test_both_edges_may_cut() -> None:
    assert widened("the disagreements grew", "agreement") == "disagreements"


def test_the_full_stop_of_a_sentence_is_no_part_of_what_it_ends_with() -> None:
    text = "Remont kosztował 12,5 mln zł. Potem"
    assert whole(text, 0, text.index("."), "pl") == (0, text.index("."))
    assert widened(text, "12,5 mln", "pl").startswith("12,5 mln zł")


def test_the_edges_of_the_text_cut_nothing() -> None:
    assert whole("word", 0, 4) == (0, 4)
    assert whole("", 0, 0) == (0, 0)


def test_a_word_far_inside_a_long_text_is_seen() -> None:
    text = "words of it " * 2000 + "the disagreement" + " and more words" * 2000
    assert widened(text, "agreement") == "disagreement"
