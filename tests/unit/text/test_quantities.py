"""What belongs to one quantity, in many languages."""

from __future__ import annotations

from tests.kit.cases import cases
from verifaible.old.text.quantities import quantity_spans


def quantities(text: str, language: str) -> list[str]:
    return [text[start:end] for start, end in quantity_spans(text, language)]


@cases("quantities", "one")
def test_what_one_quantity_is(language: str, text: str, expected: list[str]) -> None:
    assert quantities(text, language) == expected


@cases("quantities", "apart")
def test_what_does_not_belong_to_one(text: str, language: str, expected: list[str]) -> None:
    assert quantities(text, language) == expected


def test_words_of_another_language_are_not_tried() -> None:
    assert quantities("5 Millionen", "fr") == ["5"]
    assert quantities("5 million", "fr") == ["5 million"]  # all write English
