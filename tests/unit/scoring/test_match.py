from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tests.kit.cases import cases
from verifaible.schema.case import Case, Expected, ListExpected, NumberExpected, TextExpected
from verifaible.scoring.match import (
    answer_markers,
    context_visible,
    expectation,
    match_answer,
    match_evidence,
)


def number(value: str, unit: str = "", tolerance: str = "0") -> NumberExpected:
    return NumberExpected(kind="number", value=Decimal(value), unit=unit, tolerance=Decimal(tolerance))


def text(value: str, *aliases: str) -> TextExpected:
    return TextExpected(kind="text", value=value, aliases=aliases)


BUREAUS = number("36")
REBAR = number("-0.7", "%")
DEALS = number("61", "笔")
IORB = number("5.4", "%")
BOWMAN = text("Bowman")
HEAD = text("李宗阳")


def read(expected: dict[str, Any]) -> Expected:
    """What a row expects of an answer."""
    return TypeAdapter(Expected).validate_python(expected)


@cases("matching", "stated")
def test_stated(expected: dict[str, Any], answer: str, correct: bool) -> None:
    result = match_answer(answer, read(expected))
    assert result.correct is correct, result.explanation
    assert result.spans
    assert all(0 <= start < end <= len(answer) for start, end in result.spans)


@cases("matching", "not stated")
def test_not_stated(expected: dict[str, Any], answer: str, correct: bool) -> None:
    result = match_answer(answer, read(expected))
    assert result.correct is correct, result.spans
    assert result.spans == ()
    assert result.explanation.startswith("Expected")
    assert result.explanation.endswith(".")


def test_spans_lie_in_the_answer_as_given() -> None:
    answer = "<think>60</think>共 **61** 笔 [@v:1]"
    ((start, end),) = match_answer(answer, DEALS).spans
    assert answer[start:end] == "61** 笔"


@cases("matching", "reason")
def test_explanation_names_the_reason(expected: dict[str, Any], answer: str, words: str) -> None:
    assert words in match_answer(answer, read(expected)).explanation


def test_an_echo_of_the_question_is_no_answer() -> None:
    question = "Is it true that there are 36 bureaus?"
    assert not match_answer(f"{question} I cannot say.", BUREAUS, question=question).correct
    assert match_answer(f"{question} Yes, 36.", BUREAUS, question=question).correct


@cases("matching", "denying verb")
def test_the_verb_behind_a_name_may_deny_what_was_asked(
    answer: str, correct: bool, expected: dict[str, Any], question: str
) -> None:
    assert match_answer(answer, read(expected), question=question).correct == correct
    # without the question nobody knows what the verb denies
    assert match_answer(answer, read(expected)).correct


def test_of_a_list_both_ends_of_a_change_count() -> None:
    both = ListExpected(kind="list", items=(number("5.4", "%"), number("4.9", "%")))
    assert match_answer("cut from 5.4% to 4.9%", both).correct


def test_evidence_may_hold_the_level_before_a_change() -> None:
    assert match_evidence("cut from 5.4% to 4.9%", IORB).correct


def test_list_needs_every_item_and_takes_ends_of_ranges() -> None:
    expected = ListExpected(kind="list", items=(number("4.75", "%"), number("5", "%")))
    assert match_answer("4-3/4 to 5 percent", expected).correct
    result = match_answer("4-3/4 percent", expected)
    assert not result.correct
    assert "5 %" in result.explanation


def test_evidence_is_read_as_it_stands() -> None:
    assert match_evidence("螺纹钢\t-0.7", REBAR).correct
    assert match_evidence("地方政府债\t61\t12.5", DEALS).correct
    assert not match_evidence("0.7", REBAR).correct
    assert not match_evidence("61\n167".replace("61", "60"), DEALS).correct
    # a page may deny a value elsewhere; an answer may not
    assert match_evidence("It was 36, not 36 as in the draft", BUREAUS).correct


def case(answer: str, question: str = "?", **fields: object) -> Case:
    raw = {"id": "c", "category": "text", "url": "https://a.example/", "question": question}
    return Case.model_validate({**raw, "answer": answer, **fields})


@cases("matching", "expectation")
def test_expectation(answer: str, question: str, expected: dict[str, Any]) -> None:
    assert expectation(case(answer, question)) == read(expected)


def test_expectation_of_lists_and_explicit_ones() -> None:
    assert expectation(case("李宗阳、王五")) == ListExpected(kind="list", items=(HEAD, text("王五")))
    explicit = case("36", expect={"kind": "text", "value": "thirty-six"})
    assert expectation(explicit) == text("thirty-six")


@pytest.mark.parametrize(
    "answer", ["140489 万人", "36", "-0.7 %", "1823.5", "7,242,119,013", "李宗阳", "a、b", "-1.03"]
)
def test_every_answer_meets_its_own_expectation(answer: str) -> None:
    assert match_answer(answer, expectation(case(answer))).correct


@cases("matching", "markers", tuples=True)
def test_answer_markers(answer: str, numbers: tuple[int, ...]) -> None:
    assert answer_markers(answer) == numbers


DECIMALS = st.decimals(
    min_value=Decimal("-9999999"), max_value=Decimal("9999999"), places=2, allow_nan=False
).filter(lambda value: value != 0)


def formatted(value: Decimal, form: int) -> str:
    forms = (
        f"{value:f}",
        f"{value:,f}",
        f"{value:f}0",
        f"{value:f}".replace("-", "−"),
        f"{value:f}".translate(str.maketrans("0123456789.-", "０１２３４５６７８９．－")),
        f"{value:,f}".replace(",", "\u2009"),
        f"结果为{value:f}。",
        f"**{value:f}**",
        f"the value is {value:,f}, as printed [@v:1]",
        f"{'下降' if value < 0 else ''}{abs(value):f}",
        f"{'fell by ' if value < 0 else ''}{abs(value):,f}",
    )
    return forms[form % len(forms)]


@given(DECIMALS, st.integers(0, 10))
def test_every_form_of_a_number_matches_itself(value: Decimal, form: int) -> None:
    assert match_answer(formatted(value, form), number(str(value))).correct


@given(DECIMALS, st.integers(0, 10), st.integers(0, 20), st.integers(1, 9))
@example(Decimal("36.00"), 0, 0, 1)
def test_a_changed_digit_never_matches(value: Decimal, form: int, place: int, step: int) -> None:
    digits = f"{value:f}"
    places = [index for index, char in enumerate(digits) if char.isdigit()]
    at = places[place % len(places)]
    changed = Decimal(digits[:at] + str((int(digits[at]) + step) % 10) + digits[at + 1 :])
    assume(changed != 0)
    assert not match_answer(formatted(changed, form), number(str(value))).correct


@given(st.text(max_size=80))
def test_any_text_can_be_read(answer: str) -> None:
    result = match_answer(answer, REBAR)
    assert result.correct == bool(result.spans)


@cases("dates", "context")
def test_a_context_is_visible_where_it_stands_whole(text: str, wanted: str, there: bool) -> None:
    assert context_visible(text, wanted) is there
