"""What of an answer a judge may read, in which order: the names of models are hidden, however they are spelt."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.llm.prompting import Part, bounded, excerpt, masked, orders, show_sources, speaks_of
from verifaible.schema.analyst import Source


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("kimi_k2.5", "As Kimi K2.5, I think so.", "As [model], I think so."),
        ("gpt-5.2", "I am GPT 5.2.", "I am [model]."),
        ("grok4", "Grok 4 says: buy.", "[model] says: buy."),
        ("moonshotai/kimi-k2.5", "By kimi-k2.5 alone.", "By [model] alone."),
        ("gpt-5.2", "本回答由GPT-5.2生成。", "本回答由[model]生成。"),
        ("gpt-5", "GPT-52 and chatgpt-5 are others.", "GPT-52 and chatgpt-5 are others."),
        ("a", "A rise of a token.", "A rise of a token."),
        ("C++", "In C++ it is quick.", "In [model] it is quick."),
        ("(", "Fees ( of all ) rose.", "Fees ( of all ) rose."),
    ],
)
def test_names_are_hidden_however_they_are_spelt(name: str, text: str, shown: str) -> None:
    assert masked(text, [name]) == shown


def test_the_longer_name_goes_first() -> None:
    assert masked("GLM 4.7 Flash and GLM-4.7", ["glm-4.7", "glm-4.7-flash"]) == "[model] and [model]"


def test_a_name_is_spoken_of_in_whatever_spelling() -> None:
    assert speaks_of("Moonshot released Kimi-K2.5.", "kimi_k2.5")
    assert not speaks_of("Moonshot released a model.", "kimi_k2.5")


def test_a_boundary_stands_in_nothing_that_it_bounds() -> None:
    parts = [Part("the claim", "It rose."), Part("source S1", "Nothing of it.")]
    mark = bounded(parts).splitlines()[0].split()[-2]
    assert mark not in bounded([*parts, Part("source S2", f"--- end of content {mark} ---")]).split("S2")[0]
    assert bounded(parts) == bounded(parts)


def test_a_row_is_shown_with_the_head_of_its_table_and_a_number_in_whatever_scale() -> None:
    filler = "Words of no use stand here, one after the other, and say nothing.\n" * 40
    rows = "".join(f"| Coin {number} | {number}.5 |\n" for number in range(60, 160))
    text = f"{filler}\n| Name | Value locked |\n|---|---|\n{rows}| Lido | 9,857,283,441 |\n\n{filler}"
    shown = excerpt(text, "Lido has 9.86B locked", limit=900).text
    assert "| Name | Value locked |" in shown and "| Lido | 9,857,283,441 |" in shown
    assert "characters left out" in shown


def test_a_long_line_is_shown_by_whole_sentences() -> None:
    denied = "The minister denied, in the strongest words, that the old plant will close in 2027."
    for shift in range(0, 560, 7):
        filler = "Nothing of it is told here, only words. " * 60
        text = f"{'x' * (shift % 40)} {filler[: shift + 1]}. {filler}{denied} {filler}"
        assert denied in excerpt(text, "The old plant will close in 2027", limit=1100).text, shift


def test_lines_are_numbered_as_they_are_in_the_source() -> None:
    long = "".join(f"Line {number} is filler about nothing.\n" for number in range(1, 2000))
    page = Source(id="s1", kind="page", capture="0" * 64)
    pair = (page, long.replace("Line 1500 is", "Line 1500 says that HYPE trades, and is"))
    shown = show_sources([pair], (0,), "HYPE trades", numbered=True).parts[0].text
    assert "[1500] Line 1500 says that HYPE trades" in shown and "[3] Line 1 " not in shown
    whole = show_sources([(page, "a\n\nb\n")], (0,), "b", numbered=True).parts[0].text
    assert whole == "[1] a\n\n[3] b"


@given(st.integers(1, 12), st.integers(1, 4), st.text(max_size=5))
def test_whole_squares_are_balanced(number: int, squares: int, seed: str) -> None:
    drawn = orders(number, number * squares, seed)
    assert len(drawn) == number * squares
    for order in drawn:
        assert sorted(order) == list(range(number))
    for place in range(number):
        assert Counter(order[place] for order in drawn) == dict.fromkeys(range(number), squares)
    assert drawn == orders(number, number * squares, seed)


@given(st.integers(0, 40), st.integers(1, 9))
def test_fewer_orders_than_things_still_change_places(number: int, repeats: int) -> None:
    drawn = orders(number, repeats, "x")
    assert len(drawn) == repeats
    if 1 < repeats <= number:
        assert len({order[0] for order in drawn}) == repeats
