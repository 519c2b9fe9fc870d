"""Values of JSON by their pointers, and where each stands in the text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifaible.text.json_pointer import read_json, value_at, value_spans

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
        assert json.loads(text[start:end]) == value_at(value, pointer)


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    text = '{"a": {"x": 1}, "a": {"y": [2, 3]}}'
    spans = value_spans(text)
    assert set(spans) == {"", "/a", "/a/y", "/a/y/0", "/a/y/1"}
    assert text[slice(*spans["/a/y/1"])] == "3"


@pytest.mark.parametrize(("pointer", "expected"), [("/a~1b", 1), ("/m~0n", 2), ("/", 3), ("/list/0", 4)])
def test_keys_are_escaped_as_the_specification_says(pointer: str, expected: int) -> None:
    value = read_json('{"a/b": 1, "m~n": 2, "": 3, "list": [4]}')
    assert value_at(value, pointer) == expected


@pytest.mark.parametrize("pointer", ["a", "/b", "/list/1", "/list/01", "/list/-", "/list/0/x"])
def test_a_pointer_to_nothing_is_an_error(pointer: str) -> None:
    with pytest.raises(KeyError):
        value_at(read_json('{"a": 1, "list": [4]}'), pointer)


@pytest.mark.parametrize("text", ["", "{", '{"a": }', "[1,]", "[" * 100_000])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        value_spans(text)
