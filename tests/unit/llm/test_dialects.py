"""Tool calls written as text, in the forms of the models' own chat templates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.cases import cases
from tests.kit.suites import load
from verifaible.llm.text_calls import read_text_calls, with_text_calls
from verifaible.llm.thoughts import split_thoughts
from verifaible.schema.chat import ModelTurn, ToolCall, ToolSpec

TOOLS = (
    ToolSpec(
        name="web_fetch",
        description="",
        parameters={
            "type": "object",
            "properties": {
                "url": {"type": "string"},
                "page": {"type": "integer"},
                "steps": {"type": "array", "items": {}},
            },
        },
    ),
)
ARGUMENTS = {"url": "123", "page": 2, "steps": [{"type": "wait"}]}
JSON = json.dumps(ARGUMENTS)
CALL = json.dumps({"name": "web_fetch", "arguments": ARGUMENTS})

FORMS = {row.id.removeprefix("form/"): row.input["text"] for row in load("tool_calls", kind="form")}


def made(calls: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """The calls that were read, as a row has them."""
    return [{"name": name, "arguments": json.loads(arguments)} for name, arguments in calls]


@pytest.mark.parametrize("form", FORMS)
def test_form(form: str) -> None:
    text, calls = read_text_calls(FORMS[form], TOOLS)
    assert text == ""
    assert [(name, json.loads(arguments)) for name, arguments in calls] == [("web_fetch", ARGUMENTS)]


#: Bare JSON is a call only where it is the whole text.
@pytest.mark.parametrize("form", [form for form in FORMS if not FORMS[form].startswith("{")])
def test_form_behind_a_sentence(form: str) -> None:
    text, calls = read_text_calls(f"I open the page first.\n\n{FORMS[form]}\n", TOOLS)
    assert text == "I open the page first."
    assert len(calls) == 1


@pytest.mark.parametrize("form", FORMS)
def test_form_that_an_answer_quotes_is_not_run(form: str) -> None:
    quoted = (
        f"The index was 90.9 [@v:1]. I found it with this call:\n\n{FORMS[form]}\n\nwhich gave [@v:1].",
        f"The index was 90.9. The call was\n\n~~~\n{FORMS[form]}\n~~~\n\nand it gave the table.",
    )
    for text in quoted:
        assert read_text_calls(text, TOOLS) == (text, ())


@cases("tool_calls", "quoted")
def test_quoted_calls_are_not_run(text: str, calls: list[Any]) -> None:
    assert read_text_calls(text, TOOLS) == (text, tuple(calls))


@cases("tool_calls", "beside text")
def test_calls_beside_text_are_run(text: str, calls: list[Any]) -> None:
    rest, found = read_text_calls(text, TOOLS)
    assert made(found) == calls
    assert "5" not in rest


@cases("tool_calls", "several")
def test_several_calls_in_one_text(text: str, calls: list[Any]) -> None:
    assert made(read_text_calls(text, TOOLS)[1]) == calls


def test_several_calls_keep_their_order_and_the_text_around_them() -> None:
    other = CALL.replace("123", "456")
    text, calls = read_text_calls(
        f"First.\n<tool_call>{CALL}</tool_call><tool_call>{other}</tool_call>", TOOLS
    )
    assert text == "First."
    assert [json.loads(arguments)["url"] for _, arguments in calls] == ["123", "456"]


@cases("tool_calls", "no call")
def test_text_without_a_call_stays(text: str, calls: list[Any]) -> None:
    assert read_text_calls(text, TOOLS) == (text, tuple(calls))


@pytest.mark.parametrize("arguments", ["{'url': '1'}", '{"url": "1",}', '{url: "1"}', '{"url": "1"'])
@pytest.mark.parametrize(
    "form",
    [
        "<｜tool▁call▁begin｜>web_fetch<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
        '<tool_call>\n{"name": "web_fetch", "arguments": {}}\n</tool_call>',
    ],
)
def test_arguments_that_are_nearly_json_are_read_or_reach_the_tool(form: str, arguments: str) -> None:
    [(name, read)] = read_text_calls(form.replace("{}", arguments, 1), TOOLS)[1]
    assert name == "web_fetch"
    if arguments.endswith("}"):
        assert json.loads(read) == {"url": "1"}


def test_broken_arguments_reach_the_tool_that_explains_them() -> None:
    text = '<｜tool▁call▁begin｜>web_fetch<｜tool▁sep｜>{"url": "1" "page"}<｜tool▁call▁end｜>'
    assert read_text_calls(text, TOOLS)[1] == (("web_fetch", '{"url": "1" "page"}'),)


def test_line_breaks_inside_json_strings_are_read() -> None:
    text = '<tool_call>{"name": "web_fetch", "arguments": {"url": "a\nb"}}</tool_call>'
    assert json.loads(read_text_calls(text, TOOLS)[1][0][1]) == {"url": "a\nb"}


def test_harmony_channels() -> None:
    text = (
        "<|channel|>analysis<|message|>Let me think.<|end|><|start|>assistant<|channel|>final<|message|>"
        "It is 5 [@v:1].<|return|>"
    )
    assert split_thoughts(text) == ("Let me think.", "It is 5 [@v:1].")
    call = "<|start|>assistant<|channel|>commentary to=functions.web_fetch<|message|>{}<|call|>"
    thought, rest = split_thoughts(f"<|channel|>analysis<|message|>Hm.<|end|>{call}")
    assert (thought, read_text_calls(rest, TOOLS)) == ("Hm.", ("", (("web_fetch", "{}"),)))


@cases("tool_calls", "thoughts")
def test_thoughts_are_stripped(text: str, rest: str) -> None:
    assert split_thoughts(text)[1] == rest


def test_turn_with_a_text_call() -> None:
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    turn = ModelTurn(
        text=f"<think>{CALL}</think>Reading.<tool_call>{CALL}</tool_call>",
        provider_items=(thought, {"type": "message", "content": "whole"}),
    )
    read = with_text_calls(turn, TOOLS, "r1")
    assert read.text == "Reading."
    assert [call.id for call in read.tool_calls] == ["r1_1"]
    assert [item.get("type", item.get("role")) for item in read.provider_items] == [
        "reasoning",
        "assistant",
        "function_call",
    ]
    assert read.provider_items[0] == thought
    assert with_text_calls(turn.model_copy(update={"provider_items": ()}), TOOLS, "r1").provider_items == ()


def test_calls_in_thoughts_are_no_calls() -> None:
    read = with_text_calls(ModelTurn(text=f"<think><tool_call>{CALL}</tool_call></think>Done."), TOOLS, "r1")
    assert (read.text, read.tool_calls) == ("Done.", ())


def test_turn_with_its_own_calls_stays_as_it_is() -> None:
    turn = ModelTurn(text=FORMS["tagged"], tool_calls=(ToolCall(id="c", name="web_fetch", arguments="{}"),))
    assert with_text_calls(turn, TOOLS, "r1") is turn


PIECES = [
    *(
        "<tool_call>",
        "</tool_call>",
        "<think>",
        "</think>",
        "```",
        "```json\n",
        "`",
        "\n",
        " ",
        "web_fetch",
        CALL,
    ),
    *("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", '<｜DSML｜invoke name="web_fetch">'),
    *(
        "</｜DSML｜invoke>",
        "<function=web_fetch>",
        "</function>",
        "<parameter=url>",
        "</parameter>",
        "[TOOL_CALLS]",
    ),
    *(
        "<|channel|>",
        "<|message|>",
        "<|call|>",
        " to=functions.web_fetch",
        "<|python_tag|>",
        "<arg_key>",
        "{",
        "}",
    ),
    *(
        "</arg_key>",
        "<arg_value>",
        "</arg_value>",
        "[ARGS]",
        "[@v:1]",
        "word",
        "<tool_response>",
        "[",
        "]",
        ";",
    ),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_no_text_breaks_the_reading(text: str) -> None:
    turn = with_text_calls(ModelTurn(text=text), TOOLS, "r")
    assert all(call.name == "web_fetch" for call in turn.tool_calls)
    if not turn.tool_calls:
        assert turn.text == split_thoughts(text)[1]
