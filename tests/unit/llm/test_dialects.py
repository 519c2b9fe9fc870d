"""Tool calls written as text, in the forms of the models' own chat templates."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifaible.llm.dialects import read_text_calls, with_text_calls
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


FORMS |= {
    "fenced, function and parameters": f"```json\n{json.dumps({'function': 'web_fetch', 'parameters': ARGUMENTS})}\n```",
    "fenced, as the api has it": (
        f"```json\n{json.dumps({'type': 'function', 'function': {'name': 'web_fetch', 'arguments': JSON}})}\n```"
    ),
    "fenced, under tool_calls": f"```\n{json.dumps({'tool_calls': [json.loads(CALL)]})}\n```",
    "fenced, of another name": f"```tool_call\n{CALL}\n```",
    "deepseek v3.2": (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="web_fetch">\n'
        '<｜DSML｜parameter name="url" string="true">123</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="page" string="false">2</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="steps" string="false">[{"type": "wait"}]</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls><｜end▁of▁sentence｜>"
    ),
    "deepseek v4, json body": (
        f'<｜DSML｜tool_calls>\n<｜DSML｜invoke name="web_fetch">\n{JSON}\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'
    ),
    "deepseek, last token lost": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>web_fetch<｜tool▁sep｜>{JSON}",
    "kimi, last token lost": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.web_fetch:12<|tool_call_argument_begin|>"
        + JSON
    ),
    "tagged, last tag lost": f"<tool_call>\n{CALL}\n",
    "qwen coder": (
        "<tool_call>\n<function=web_fetch>\n<parameter=url>\n123\n</parameter>\n<parameter=page>\n2\n</parameter>\n"
        '<parameter=steps>\n[{"type": "wait"}]\n</parameter>\n</function>\n</tool_call>'
    ),
    "llama function tag": f"<function=web_fetch>{JSON}</function><|eom_id|>",
    "glm 5, no lines": (
        "<tool_call>web_fetch<arg_key>url</arg_key><arg_value>123</arg_value><arg_key>page</arg_key>"
        '<arg_value>2</arg_value><arg_key>steps</arg_key><arg_value>[{"type": "wait"}]</arg_value></tool_call>'
    ),
    "llama": f"<|python_tag|>{json.dumps({'name': 'web_fetch', 'parameters': ARGUMENTS})}<|eom_id|>",
    "llama, bare": json.dumps({"type": "function", "name": "web_fetch", "parameters": ARGUMENTS}),
    "mistral": f"[TOOL_CALLS] [{CALL}]",
    "mistral, with ids": f"[TOOL_CALLS][{json.dumps({**json.loads(CALL), 'id': 'abc123def'})}]</s>",
    "mistral, newer": f"[TOOL_CALLS]web_fetch[ARGS]{JSON}",
    "mistral, call id": f"[TOOL_CALLS]web_fetch[CALL_ID]abc123def[ARGS]{JSON}</s>",
    "harmony": (
        f"<|start|>assistant<|channel|>commentary to=functions.web_fetch <|constrain|>json<|message|>{JSON}<|call|>"
    ),
    "harmony, recipient in the role": (
        f"<|start|>assistant to=functions.web_fetch<|channel|>commentary json<|message|>{JSON}<|call|>"
    ),
    "harmony, start and end lost": f"<|channel|>commentary to=functions.web_fetch<|message|>{JSON}",
    "phi": f"<|tool_call|>[{CALL}]<|/tool_call|>",
    "granite": f"<|tool_call|>[{CALL}]",
}


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


@pytest.mark.parametrize(
    "text",
    [
        # an answer, and how it was found, at its end
        f"The index was 90.9 [@v:1]. Call used:\n```json\n{CALL}\n```",
        # words behind it
        f"A call looks like this:\n```json\n{CALL}\n```\nIt reads one page.",
        f"```json\n{CALL}\n```\nis what I did; the answer is 5 [@v:2].",
        # code in a line
        f"Models write `<tool_call>{CALL}</tool_call>` for that",
        f"Models write ``<tool_call>{CALL}</tool_call>`` for that",
        # in a sentence that goes on
        f"I wrote <tool_call>{CALL}</tool_call> and got 5.",
        # a page that is quoted
        f"The page says:\n> <tool_call>{CALL}</tool_call>\nThat is text of the page [@v:1].",
        f"```text\n<tool_call>{CALL}</tool_call>\n```\nis in the page.",
        # more than the call in the JSON, which is an answer in JSON
        f'{{"answer": 5, "calls": [{CALL}]}}',
        f"Answer: {CALL}",
    ],
)
def test_quoted_calls_are_not_run(text: str) -> None:
    assert read_text_calls(text, TOOLS) == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        f"Citation [@v:1] has the first figure; now the second.\n<tool_call>{CALL}</tool_call>",
        f"The `web_fetch` tool will do.\n```json\n{CALL}\n```\n",
        f"Reading. <tool_call>{CALL}</tool_call>",
        f"```xml\n<tool_call>{CALL}</tool_call>\n```",
        f"Here is code:\n```python\nx = 1\n```\nNow:\n<tool_call>{CALL}</tool_call>",
        f"<tool_call>{CALL}</tool_call>\nI wait for the page.",
        f"<think>The page is needed.\n<tool_call>{CALL}</tool_call>",
        f"<tool_call>\n{CALL}\n</tool_call>\n<tool_response>\nIt says 5.\n</tool_response>\nThe answer is 5 [@v:1].",
        f"<tool_call>{CALL}</tool_call>.",
    ],
)
def test_calls_beside_text_are_run(text: str) -> None:
    rest, calls = read_text_calls(text, TOOLS)
    assert [json.loads(arguments) for _, arguments in calls] == [ARGUMENTS]
    assert "5" not in rest


@pytest.mark.parametrize(
    "text",
    [
        '<|python_tag|>{"name": "web_fetch", "parameters": {"url": "1"}}; {"name": "web_fetch", "parameters": {"url": "2"}}',
        '{"name": "web_fetch", "parameters": {"url": "1"}}\n{"name": "web_fetch", "parameters": {"url": "2"}}',
        '[TOOL_CALLS]web_fetch[ARGS]{"url": "1"}[TOOL_CALLS]web_fetch[ARGS]{"url": "2"}',
        '[TOOL_CALLS][{"name": "web_fetch", "arguments": {"url": "1"}}, {"name": "web_fetch", "arguments": {"url": "2"}}]',
        '```json\n{"name": "web_fetch", "arguments": {"url": "1"}}\n```\nand then\n```json\n{"name": "web_fetch", "arguments": {"url": "2"}}\n```',
        '```\n<tool_call>{"name": "web_fetch", "arguments": {"url": "1"}}</tool_call>\n'
        '<tool_call>{"name": "web_fetch", "arguments": {"url": "2"}}</tool_call>\n```',
    ],
)
def test_several_calls_in_one_text(text: str) -> None:
    _, calls = read_text_calls(text, TOOLS)
    assert [json.loads(arguments)["url"] for _, arguments in calls] == ["1", "2"]


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


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("[THINK]a[/THINK]b", "b"),
        ("<think>a</think>b", "b"),
        ("<think>a\n</think>\nb<thinking>c</thinking>", "b"),
        ("a, so it is b</think>\nc", "c"),
        ("b<think>a", "b"),
        ("b", "b"),
        ("<think>a</think>", ""),
    ],
)
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
