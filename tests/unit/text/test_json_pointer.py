"""Values of JSON by their pointers, and where each stands in the text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.text.json_pointer import unescaped_key, value_spans

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(_JSON, st.sampled_from([None, 2]), st.booleans())
def test_each_value_stands_where_its_span_says(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    spans = value_spans(text)
    assert spans[""] == (0, len(text))
    for pointer, (start, end) in spans.items():
        there = value
        for part in map(unescaped_key, pointer.split("/")[1:]):
            there = there[int(part) if isinstance(there, list) else part]
        assert json.loads(text[start:end]) == there


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    text = '{"a": {"x": 1}, "a": {"y": [2, 3]}}'
    spans = value_spans(text)
    assert set(spans) == {"", "/a", "/a/y", "/a/y/0", "/a/y/1"}
    assert text[slice(*spans["/a/y/1"])] == "3"


@pytest.mark.parametrize(
    ("pointer", "expected"), [("/a~1b", "1"), ("/m~0n", "2"), ("/", "3"), ("/list/0", "4")]
)
def test_keys_are_escaped_as_the_specification_says(pointer: str, expected: str) -> None:
    text = '{"a/b": 1, "m~n": 2, "": 3, "list": [4]}'
    assert text[slice(*value_spans(text)[pointer])] == expected


@pytest.mark.parametrize("text", ["", "{", '{"a": }', "[1,]", "[" * 100_000])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        value_spans(text)
