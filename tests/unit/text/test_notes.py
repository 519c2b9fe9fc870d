from __future__ import annotations

import pytest

from verifaible.old.text.same import footnote_marks


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("It rose.[1] Then", ["[1]"]),
        ("It rose[12][13].", ["[12]", "[13]"]),
        ("It rose[a].", ["[a]"]),
        ("It rose[note 3].", ["[note 3]"]),
        ("增长［3］。", ["［3］"]),
        ("增长〔注2〕。", ["〔注2〕"]),
        ("It rose.¹ Then", ["¹"]),
        ("It rose¹,² then", ["¹,²"]),
        ("in 2024¹ it", ["¹"]),
        ("some 14,200² of", ["²"]),
        ("Berlinᵃ grew", ["ᵃ"]),
        ("收入¹增长", ["¹"]),
    ],
)
def test_marks_of_footnotes(text: str, marks: list[str]) -> None:
    assert [text[start:end] for start, end in footnote_marks(text)] == marks


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("10² people", id="a power"),
        pytest.param("25 km² of land", id="a unit"),
        pytest.param("1.5 m³", id="a volume"),
        pytest.param("12 metres²", id="a unit in full"),
        pytest.param("25 平方米²", id="a Chinese unit"),
        pytest.param("10⁻⁹ m", id="a negative power"),
        pytest.param("(a + b)² = c", id="a power of a bracket"),
        pytest.param("xⁿ", id="an exponent in letters"),
        pytest.param("see [1]", id="nothing before it"),
        pytest.param("¹ Source: the bank", id="the note itself"),
        pytest.param("an array[index]", id="words in brackets"),
        pytest.param("[1] Source", id="the beginning"),
        pytest.param("call f[1234]", id="four figures"),
    ],
)
def test_what_is_none(text: str) -> None:
    assert footnote_marks(text) == []
