"""Plain text of Markdown, and where each of its characters was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.text.markdown import THOUGHT, plain


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("It rose **3.4 %** in _May_.", "It rose 3.4 % in May."),
        ("snake_case and 3*4*5", "snake_case and 3*4*5"),
        ("[Oslo](https://a.example/x_(y)) grew", "Oslo grew"),
        ("R&amp;D \\*not\\* `code`", "R&D *not* code"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_mark_up_is_not_seen(written: str, seen: str) -> None:
    assert plain(written).text == seen


@pytest.mark.parametrize("mark", ["[@v:1]", "[^2]", "[12]", "https://a.example/1"])
def test_markers_and_addresses_are_blank(mark: str) -> None:
    assert plain(f"grew {mark} fast").text.split() == ["grew", "fast"]


@given(st.text(alphabet="ab1 *_`~\\[]()&;^@v:.\n", max_size=40), st.integers(0, 9))
def test_each_character_stands_where_it_was_written(text: str, start: int) -> None:
    found = plain(text, start)
    assert len(found.text) == len(found.offsets)
    assert list(found.offsets) == sorted(set(found.offsets))
    for char, offset in zip(found.text, found.offsets, strict=True):
        assert char in (text[offset - start], " ", "&")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("so it is 36</think>It is 37.", "It is 37."),
        ("so it is 36.\n</think>\nIt is 37.", "\nIt is 37."),
        ("<think>36?</think>It is 37.", "It is 37."),
        (" <thinking>36?</thinking> <think>38?</think>It is 37.", "It is 37."),
        ("<think>It is 36", ""),
        ("It is 37. <think>36?</think>", None),
        ("It is 37.\n\n<think>\n\nIt is 38.", None),
        ("A stray </think> tag. It is 37.", None),
        ('It ends with "</think>". It is 37.', None),
        ("A model writes <think> first. It is 36.</think> It is 37.", None),
        ("```\n<think>hm</think>\n```\nIt is 37.", None),
    ],
)
def test_a_thought_is_what_a_text_begins_with(text: str, said: str | None) -> None:
    assert THOUGHT.sub("", text) == (text if said is None else said)
