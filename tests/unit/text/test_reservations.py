"""What a quote may not leave out of its sentence, in many languages."""

from __future__ import annotations

from tests.kit.cases import cases
from verifaible.old.text.reservations import left_out


def missing(sentence: str, quote: str, language: str) -> tuple[str, str] | None:
    start = sentence.index(quote)
    found = left_out(sentence, start, start + len(quote), language)
    return (found.kind, found.words) if found is not None else None


@cases("reservations", "negation")
def test_a_negation(language: str, sentence: str, quote: str, words: str) -> None:
    found = missing(sentence, quote, language)
    assert found is not None
    assert found[0] == "negation"
    assert words in found[1] or found[1] in words


@cases("reservations", "other")
def test_other_reservations(language: str, sentence: str, quote: str, kind: str) -> None:
    found = missing(sentence, quote, language)
    assert found is not None
    assert found[0] == kind


@cases("reservations", "none")
def test_what_leaves_out_nothing_of_weight(language: str, sentence: str, quote: str) -> None:
    assert missing(sentence, quote, language) is None


def test_a_longer_negation_goes_before_an_innocent_word_in_it() -> None:
    assert missing("股东会不同意该方案。", "该方案", "zh") == ("negation", "不同意")
    assert missing("股东会不同地区的方案。", "方案", "zh") is None
    assert missing("Most nebyl opraven.", "opraven", "cs") == ("negation", "nebyl")
    assert missing("Совет не только не одобрил план.", "одобрил план", "ru") is not None
