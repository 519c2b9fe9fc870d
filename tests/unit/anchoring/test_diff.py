from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.anchoring.diff import render_diff, word_diff


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("末全国人口 140489 万人", "末全国人口 140490 万人", "末全国人口 [-140489-]{+140490+} 万人"),
        ("rose 0.3 percent", "rose 0.4 percent", "rose [-0.3-]{+0.4+} percent"),
        ("fell −0.7%", "fell 0.7%", "fell [-−-] 0.7%"),
        ("同意该方案", "不同意该方案", "{+不+}同意该方案"),
        ("it is safe", "it is not safe", "it is {+not+} safe"),
        ("价值5亿元", "价值5万元", "价值5[-亿-]{+万+}元"),
        ("on 2025-02-10", "on 2025-02-11", "on 2025-02-[-10-]{+11+}"),
        ("in May 2024 it", "in May 2025 it", "in May [-2024-]{+2025+} it"),
        ("2025年2月", "2025年3月", "2025年[-2-]{+3+}月"),
        ("The cat", "the CAT", ""),
        ("a “b”", 'a "b"', ""),
        ("", "new words", "{+new words+}"),
        ("old words", "", "[-old words-]"),
        ("one two", "one\ntwo three", "one two {+three+}"),
    ],
)
def test_differences_in_one_line(old: str, new: str, shown: str) -> None:
    assert render_diff(word_diff(old, new)) == shown


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        ("140489", "number"),
        ("1,234.5", "number"),
        ("１２３", "number"),
        ("%", "unit"),
        ("million", "unit"),
        ("not", "word"),
    ],
)
def test_kinds_of_words(token: str, kind: str) -> None:
    assert [found.kind for found in word_diff("", token)] == [kind]


def test_long_unchanged_text_is_shortened() -> None:
    shown = render_diff(word_diff("x " * 100 + "old" + " y" * 100, "x " * 100 + "new" + " y" * 100))
    assert len(shown) < 80
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert "[-old-]{+new+}" in shown


@given(st.text(alphabet="ab1 不年.%", max_size=30), st.text(alphabet="ab1 不年.%", max_size=30))
def test_a_difference_holds_all_of_the_new_text(old: str, new: str) -> None:
    tokens = word_diff(old, new)
    kept = "".join(token.text for token in tokens if token.op != "removed")
    assert "".join(kept.split()) == "".join(new.split())


@given(st.text(max_size=60))
def test_nothing_differs_from_itself(text: str) -> None:
    assert all(token.op == "same" for token in word_diff(text, text))
