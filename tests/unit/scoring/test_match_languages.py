"""Answers and evidence with the numbers of other languages."""

from __future__ import annotations

from decimal import Decimal

import pytest

from verifaible.schema.case import NumberExpected
from verifaible.scoring.match import match_answer, match_evidence

GERMAN = "Wie hoch ist die Gebühr nach der Tabelle?"


def number(value: str, unit: str = "") -> NumberExpected:
    return NumberExpected(kind="number", value=Decimal(value), unit=unit)


@pytest.mark.parametrize(
    ("expected", "answer", "correct"),
    [
        (number("12.4", "%"), "12,4 %", True),
        (number("12.4", "%"), "12.4 % [@v:1]", True),
        (number("12.4", "%"), "Der Anteil liegt bei 12,4 Prozent [@v:1].", True),
        (number("12.4", "%"), "12,5 %", False),
        (number("1638.5", "Euro"), "1.638,50 Euro", True),
        (number("1638.5", "Euro"), "EUR 1,638.50", True),
        (number("1638.5", "Euro"), "1638,50 €", True),
        (number("1638.5", "Euro"), "163,85 €", False),
        (number("3412"), "3.412 Verfahren", True),
        (number("3412"), "The stock is 3,412 cases.", True),
        (number("3412"), "The stock is 3.412 cases.", False),
        (number("3.412"), "3.412 Verfahren", False),
        (number("6", "Wochen"), "6 Wochen", True),
        (number("6", "Wochen"), "6 Monate", False),
        (number("6", "Wochen"), "6 weeks", True),
    ],
)
def test_answers_to_a_german_question(expected: NumberExpected, answer: str, correct: bool) -> None:
    assert match_answer(answer, expected, question=GERMAN).correct is correct


@pytest.mark.parametrize(
    ("expected", "answer", "correct"),
    [
        (number("48217", "百万円"), "482億1,700万円", True),
        (number("48217", "百万円"), "482.17億円", True),
        (number("48217", "百万円"), "48,217百万円です", True),
        (number("48217", "百万円"), "48,217円", False),
        (number("45000", "دينار"), "٤٥٬٠٠٠ دينار", True),
        (number("45000", "دينار"), "45 ألف دينار", True),
        (number("45000", "دينار"), "٧٥٬٠٠٠ دينار", False),
        (number("-7"), "فارق الأهداف \u200f-\u200e٧", True),
        (number("-7"), "٧", False),
    ],
)
def test_answers_in_japanese_and_arabic(expected: NumberExpected, answer: str, correct: bool) -> None:
    assert match_answer(answer, expected).correct is correct


@pytest.mark.parametrize(
    ("expected", "region", "correct"),
    [
        (number("12.4", "%"), "12,4", True),
        (number("12"), "12,4", False),
        (number("4"), "12,4", False),
        (number("2130.05"), "2.130,05", True),
        (number("12.4"), "1,2,3", False),
        (number("3412"), "Bestand am 31.12.2024 ist 3.412 und wurde geprüft", True),
        (number("3412"), "3.412", False),
        (number("18406"), "١٨٬٤٠٦", True),
        (number("2.74"), "٢٫٧٤", True),
    ],
)
def test_captured_regions_by_themselves(expected: NumberExpected, region: str, correct: bool) -> None:
    assert match_evidence(region, expected).correct is correct


@pytest.mark.parametrize(
    ("question", "region", "expected"),
    [
        (GERMAN, "3.412", number("3412")),
        (GERMAN, "0,87", number("0.87")),
        (GERMAN, "148,3 Vollkräfte", number("148.3")),
        ("What is the fee of the table?", "3.412", number("3.412")),
        ("What is the fee of the table?", "3,412", number("3412")),
    ],
)
def test_the_question_tells_how_to_read_a_bare_cell(
    question: str, region: str, expected: NumberExpected
) -> None:
    assert match_evidence(region, expected, question=question).correct
    other = number(f"{expected.value * 1000 if '.' in str(expected.value) else expected.value / 1000}")
    assert not match_evidence(region, other, question=question).correct
