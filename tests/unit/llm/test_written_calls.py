"""Tool calls as models and servers were seen to write them, and answers that only show such calls.

``tests/suites/tool_calls.jsonl`` names the source of each form; the pages and questions in it are made up. Those of
``heldout-1`` were not looked at until the grammar could be run on them.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from tests.kit.suites import Row, load
from verifaible.llm.text_calls import with_text_calls
from verifaible.schema.chat import ModelTurn, ToolSpec

NAMES = (
    *("web_search", "web_fetch", "analyze_page", "test_action_steps", "get_transcript", "cite"),
    *("verifaible_cite", "verifaible_web_search", "video_transcript"),
)
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def tools(calls: list[dict[str, Any]] = []) -> list[ToolSpec]:  # noqa: B006
    """Tools whose schemas have the arguments of these calls."""
    properties: dict[str, dict[str, Any]] = {name: {"url": {"type": "string"}} for name in NAMES}
    for call in calls:
        for key, value in call["arguments"].items():
            properties.setdefault(call["name"], {})[key] = {"type": TYPES[type(value)]}
    return [
        ToolSpec(name=name, description="", parameters={"type": "object", "properties": fields})
        for name, fields in properties.items()
    ]


@pytest.mark.parametrize("row", load("tool_calls", kind="written"), ids=lambda row: row.id)
def test_a_call_is_read_in_every_form(row: Row) -> None:
    calls = row.expect["calls"]
    read = with_text_calls(ModelTurn(text=row.input["text"]), tools(calls), "r").tool_calls
    made = [{"name": call.name, "arguments": json.loads(call.arguments)} for call in read]
    assert made == calls


def test_no_answer_that_shows_a_call_makes_one() -> None:
    shown = load("tool_calls", kind="shown")
    false = [
        row.id for row in shown if with_text_calls(ModelTurn(text=row.input["text"]), tools(), "r").tool_calls
    ]
    assert (len(shown), false) == (200, [])


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "<tool_call>",
            "web_fetch(",
            "{",
            "[",
            '<invoke name="web_fetch">',
            "<tool_call>web_fetch<arg_key>",
        ),
        *("```json\n", "<pre>", '{"a":', "web_fetch ", "\"web_fetch' {", "<!--"),
    ],
)
def test_the_work_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    small, large = steps(piece * 500), steps(piece * 2_000)
    assert large < 6 * small


def steps(text: str) -> int:
    """Calls of functions while a text is read."""
    count = 0

    def called(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(called)
    try:
        with_text_calls(ModelTurn(text=text), tools(), "r")
    finally:
        sys.setprofile(None)
    return count
