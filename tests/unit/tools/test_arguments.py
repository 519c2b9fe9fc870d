"""What the models see of the tools, and what they may send."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.unit.tools.contexts import Hits, call, context
from verifaible.schema.case import TOOLS
from verifaible.schema.run import ToolReply
from verifaible.search.base import SearchHit
from verifaible.tools.action_steps import ActionStepsArguments, action_steps
from verifaible.tools.analyze_page import analyze_page
from verifaible.tools.toolbox import Tool, parsed
from verifaible.tools.video_transcript import timestamp, video_transcript
from verifaible.tools.web_fetch import web_fetch
from verifaible.tools.web_search import web_search

FACTORIES = (web_search, web_fetch, analyze_page, action_steps, video_transcript)
HIT = SearchHit(
    title="A title",
    url="https://example.org/a",
    snippet="Words\nof it",
    published="2026-02-06",
    source="test",
)


@pytest.mark.parametrize(
    ("factory", "name"),
    [
        (web_search, "verifaible_web_search"),
        (web_fetch, "web_fetch"),
        (analyze_page, "analyze_page"),
        (action_steps, "test_action_steps"),
        (video_transcript, "video_transcript"),
    ],
)
def test_names_and_schemas(factory: Any, name: str) -> None:
    tool: Tool[Any] = factory(context())
    spec = tool.spec()
    assert spec.name == name
    assert 40 < len(spec.description) < 500
    Draft202012Validator.check_schema(spec.parameters)
    assert "search_depth" not in spec.parameters["properties"]


@pytest.mark.parametrize("factory", FACTORIES)
async def test_unknown_argument_is_refused_with_its_name(factory: Any) -> None:
    reply: ToolReply = await call(factory(context()), url="https://example.org", query="x", colour="red")
    assert reply.error_code == "bad_arguments"
    assert "colour: " in reply.text


async def test_search_shows_hits_and_tolerates_two_habits() -> None:
    search = Hits(HIT, HIT)
    reply = await call(
        web_search(context(search=search)), query="words", search_depth="advanced", include_answer=True
    )
    assert reply.error_code == ""
    assert "1. A title\n   https://example.org/a\n   published 2026-02-06\n   Words of it" in reply.text
    assert search.asked == [("words", 5)]


@pytest.mark.parametrize("number", [0, 11])
async def test_search_refuses_other_numbers_of_results(number: int) -> None:
    reply = await call(web_search(context()), query="words", max_results=number)
    assert reply.error_code == "bad_arguments"
    assert "max_results" in reply.text


async def test_search_without_hits_says_what_to_do() -> None:
    reply = await call(web_search(context()), query="words")
    assert reply.error_code == ""
    assert "Try fewer or other words" in reply.text


def test_steps_and_anchors_in_the_forms_that_models_send() -> None:
    one = ActionStepsArguments.model_validate(
        {
            "url": "https://example.org",
            "action_steps": '[{"type": "click", "elementText": "Query"}]',
            "verify_type": "table",
            "row_anchor": "Zhengzhou",
            "col_anchor": ["Index", "Year"],
        }
    )
    assert one.action_steps[0].type == "click"
    assert (one.row_anchor, one.col_anchor) == (("Zhengzhou",), ("Index", "Year"))


_STEPS = {"url": "https://example.org/", "action_steps": [{"type": "scroll", "direction": "bottom"}]}


@pytest.mark.parametrize(
    "sent",
    [
        {**_STEPS, "anchor": None, "verify_type": None},
        {**_STEPS, "action_steps": [{**_STEPS["action_steps"][0], "selector": None, "amount": None}]},  # type: ignore[dict-item]
        json.dumps(_STEPS),
        json.dumps(json.dumps(_STEPS)),
    ],
    ids=["null beside", "null in a step", "an object", "the object as a string"],
)
def test_null_means_not_given_and_a_string_may_hold_the_object(sent: Any) -> None:
    tool = action_steps(context())
    read = parsed(tool.name, tool.arguments, sent if isinstance(sent, str) else json.dumps(sent))
    assert read == ActionStepsArguments.model_validate(_STEPS)


def test_a_line_break_in_a_string_is_let_pass() -> None:
    tool = web_search(context())
    read = parsed(tool.name, tool.arguments, '{"query": "two\nlines"}')
    assert read.query == "two\nlines"


async def test_bad_step_is_named_by_its_place() -> None:
    reply = await call(action_steps(context()), url="https://example.org", action_steps=[{"type": "jump"}])
    assert reply.error_code == "bad_arguments"
    assert "action_steps.0" in reply.text


@pytest.mark.parametrize(
    "arguments",
    [{}, {"video_id": "iG9CE55wbtY", "start_s": 60, "end_s": 30}, {"video_id": "iG9CE55wbtY", "end_s": 0}],
)
async def test_transcript_refuses_what_it_cannot_mean(arguments: dict[str, Any]) -> None:
    reply = await call(video_transcript(context()), **arguments)
    assert reply.error_code == "bad_arguments"


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (67.9, "1:07"), (3600, "1:00:00"), (5025, "1:23:45")]
)
def test_times(seconds: float, shown: str) -> None:
    assert timestamp(seconds) == shown


def test_heavy_libraries_wait_until_they_are_needed() -> None:
    modules = "web_search, web_fetch, analyze_page, action_steps, video_transcript"
    code = (
        f"import sys; from verifaible.tools import {modules}; "
        "heavy = ('pymupdf', 'bs4', 'playwright', 'youtube_transcript_api', 'lxml.html'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_case_knows_the_tools_that_there_are() -> None:
    names = {factory(context()).name for factory in FACTORIES} | {"verifaible_cite"}
    assert set(TOOLS) == names
