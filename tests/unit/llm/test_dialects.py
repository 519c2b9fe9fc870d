"""Tool calls written as text, in the forms of the models' own chat templates."""

from __future__ import annotations

import json

import pytest

from verifaible.llm.dialects import read_text_calls, strip_thinking, with_text_calls
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

FORMS = {
    "fenced": f"```json\n{CALL}\n```",
    "fenced list": f"```\n[{CALL}]\n```",
    "whole text": CALL,
    "arguments as a string": json.dumps({"name": "web_fetch", "arguments": JSON}),
    "parameters": json.dumps({"name": "web_fetch", "parameters": ARGUMENTS}),
    "tagged": f"<tool_call>\n{CALL}\n</tool_call>",
    "deepseek r1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>web_fetch\n"
        f"```json\n{JSON}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "deepseek v3.1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>web_fetch<｜tool▁sep｜>"
        f"{JSON}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "kimi": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.web_fetch:0<|tool_call_argument_begin|>"
        f"{JSON}<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "glm": (
        "<tool_call>web_fetch\n<arg_key>url</arg_key>\n<arg_value>123</arg_value>\n<arg_key>page</arg_key>\n"
        '<arg_value>2</arg_value>\n<arg_key>steps</arg_key>\n<arg_value>[{"type": "wait"}]</arg_value>\n'
        "</tool_call>"
    ),
    "minimax": (
        '<minimax:tool_call>\n<invoke name="web_fetch">\n<parameter name="url">123</parameter>\n'
        '<parameter name="page">2</parameter>\n<parameter name="steps">[{"type": "wait"}]</parameter>\n'
        "</invoke>\n</minimax:tool_call>"
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_form(form: str) -> None:
    text, calls = read_text_calls(FORMS[form], TOOLS)
    assert text == ""
    assert [(name, json.loads(arguments)) for name, arguments in calls] == [("web_fetch", ARGUMENTS)]


def test_several_calls_keep_their_order_and_the_text_around_them() -> None:
    other = CALL.replace("123", "456")
    text, calls = read_text_calls(
        f"First.\n<tool_call>{CALL}</tool_call><tool_call>{other}</tool_call>", TOOLS
    )
    assert text == "First."
    assert [json.loads(arguments)["url"] for _, arguments in calls] == ["123", "456"]


@pytest.mark.parametrize(
    "text",
    [
        "The answer is 90.9 [@v:1].",
        '```json\n{"name": "Zhengzhou", "arguments": {}}\n```',
        '```json\n{"name": "web_fetch"}\n```',
        "```json\n{not json}\n```",
        "<tool_call>rm\n</tool_call>",
        "",
    ],
)
def test_text_without_a_call_stays(text: str) -> None:
    assert read_text_calls(text, TOOLS) == (text, ())


def test_broken_arguments_of_special_tokens_reach_the_tool_that_explains_them() -> None:
    text = "<｜tool▁call▁begin｜>web_fetch<｜tool▁sep｜>{'url': 1}<｜tool▁call▁end｜>"
    assert read_text_calls(text, TOOLS)[1] == (("web_fetch", "{'url': 1}"),)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<think>a</think>b", "b"),
        ("<think>a\n</think>\nb<thinking>c</thinking>", "b"),
        ("a, so it is b</think>\nc", "c"),
        ("b<think>a", "b"),
        ("b", "b"),
        ("<think>a</think>", ""),
    ],
)
def test_thoughts_are_stripped(text: str, rest: str) -> None:
    assert strip_thinking(text) == rest


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
