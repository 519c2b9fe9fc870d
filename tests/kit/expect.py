"""What a row says of an output, compared with the output; every difference is a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_MATCHERS = {
    "matches": "a regular expression found in the text",
    "contains": "a part of a text, an item of a list, or a list of these",
    "lacks": "the opposite of contains",
    "keys": "keys that an object has, others allowed",
    "only_keys": "exactly the keys of an object",
    "length": "of a list, a text or an object",
    "at_least": "a number",
    "at_most": "a number",
    "one_of": "values",
    "type": "string, number, boolean, array, object or null",
    "not": "another value",
    "absent": "true: nothing is there",
    "any": "an item of the list fits this",
    "all": "each item of the list fits this",
}
_ABSENT = object()


def differences(expected: Mapping[str, Any], given: Any) -> list[str]:
    """Sentences on where a value differs from what a row expects of it; an empty list: it fits.

    Args:
        expected: JSON Pointer to a value, or to an object of matchers (``{"contains": "5.33"}``).
            The empty pointer is the whole value. Numbers are compared by value, everything else by equality.
        given: the value, of JSON types.
    """
    found: list[str] = []
    for pointer, wanted in expected.items():
        found += [f"{pointer or 'the value'}: {fault}" for fault in _faults(wanted, _at(given, pointer))]
    return found


def lacking(parts: Sequence[str], text: str, *, name: str) -> list[str]:
    """Sentences on the parts that a text does not have, white space folded."""
    folded = fold(text)
    return [f"{name} lacks {part!r}; it is:\n{text[:3000]}" for part in parts if fold(part) not in folded]


def present(parts: Sequence[str], text: str, *, name: str) -> list[str]:
    """Sentences on the parts that a text has and must not have."""
    folded = fold(text)
    return [f"{name} has {part!r}; it is:\n{text[:3000]}" for part in parts if fold(part) in folded]


def fold(text: str) -> str:
    """A text with each run of white space as one space: lines are wrapped by the width of a terminal."""
    return re.sub(r"\s+", " ", text)


def _at(value: Any, pointer: str) -> Any:
    for name in pointer.split("/")[1:]:
        key = name.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and re.fullmatch(r"-?\d+", key) and -len(value) <= int(key) < len(value):
            value = value[int(key)]
        else:
            return _ABSENT
    return value


def _faults(wanted: Any, given: Any) -> Iterator[str]:
    if not (isinstance(wanted, Mapping) and wanted and set(wanted) <= set(_MATCHERS)):
        if given is _ABSENT:
            yield f"nothing is there, expected {_short(wanted)}"
        elif (type(wanted) is not type(given) and not _numbers(wanted, given)) or wanted != given:
            yield f"{_short(given)}, expected {_short(wanted)}"
        return
    for matcher, value in wanted.items():
        if (fault := _fault(matcher, value, given)) is not None:
            yield fault


def _fault(matcher: str, value: Any, given: Any) -> str | None:
    if matcher == "absent":
        return (
            None
            if (given is _ABSENT) == value
            else f"{_short(given)}, expected {'nothing' if value else 'it'}"
        )
    if given is _ABSENT:
        return f"nothing is there, expected {matcher} {_short(value)}"
    if matcher == "any":
        fits = isinstance(given, list) and any(not list(_inside(value, each)) for each in given)
        return None if fits else f"no item of {_short(given)} fits {_short(value)}"
    if matcher == "all":
        unfit = [each for each in given if list(_inside(value, each))] if isinstance(given, list) else [given]
        return f"{_short(unfit)} do not fit {_short(value)}" if unfit or not given else None
    return None if _holds(matcher, value, given) else f"{_short(given)}, expected {matcher} {_short(value)}"


def _holds(matcher: str, value: Any, given: Any) -> bool:  # noqa: PLR0911 - a line a matcher
    match matcher:
        case "matches":
            return isinstance(given, str) and re.search(value, given) is not None
        case "contains":
            return all(_has(given, each) for each in _list(value))
        case "lacks":
            return not any(_has(given, each) for each in _list(value))
        case "keys":
            return isinstance(given, Mapping) and set(value) <= set(given)
        case "only_keys":
            return isinstance(given, Mapping) and set(value) == set(given)
        case "length":
            return isinstance(given, str | list | Mapping) and len(given) == value
        case "at_least":
            return _numbers(value, given) and bool(given >= value)
        case "at_most":
            return _numbers(value, given) and bool(given <= value)
        case "one_of":
            return bool(given in value)
        case "type":
            return bool(_type(given) == value)
        case "not":
            return bool(given != value)
    raise AssertionError(matcher)


def _inside(value: Any, given: Any) -> Iterator[str]:
    """Faults of an item: against pointers if the keys are such, else against a value or a matcher."""
    if isinstance(value, Mapping) and value and all(key == "" or key.startswith("/") for key in value):
        yield from differences(value, given)
    else:
        yield from _faults(value, given)


def _has(given: Any, part: Any) -> bool:
    if isinstance(given, str):
        return isinstance(part, str) and fold(part) in fold(given)
    return isinstance(given, list | Mapping) and part in given


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _numbers(*values: Any) -> bool:
    return all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)


def _type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return names[type(value)]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 300 else f"{text[:300]}…"
