"""Plain text of Markdown, and where each of its characters was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.text.markdown import THINKING, plain


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


def test_thinking_ends_with_its_tag() -> None:
    text = "so it is 36</think>It is 37."
    for pattern in THINKING:
        text = pattern.sub("", text)
    assert text == "It is 37."
