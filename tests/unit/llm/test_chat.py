"""The Chat Completions client against a local server, over real HTTP and the real openai library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.servers.openai_server import OpenAIServer, Reply, error
from tests.unit.llm.chat_server import ChatServer, call, completion
from verifaible.errors import (
    ContentRefused,
    ModelAnswerInvalid,
    ModelNotThere,
    ModelRejected,
    ModelUnreachable,
    OutputCutOff,
)
from verifaible.llm.catalogue import ModelEntry, resolve
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import RetryPolicy
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.text_calls import with_text_calls
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec

TOOLS = (
    ToolSpec(
        name="web_fetch",
        description="Reads a page.",
        parameters={"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
    ),
)
ASK = (Message(role="system", text="Be exact."), Message(role="user", text="城市?"))


async def no_wait(seconds: float) -> None:
    """A sleep that takes no time."""


def client_of(server: OpenAIServer, entry: ModelEntry | None = None, key: str = "sk-test") -> ChatClient:
    place = Endpoint(server.base_url, key, "OPENROUTER_API_KEY")
    return ChatClient(entry or resolve("glm-5"), place, sleep=no_wait, retry=RetryPolicy(spread=lambda: 0.0))


async def ask(
    server: OpenAIServer, messages: Sequence[Message] = ASK, *, entry: ModelEntry | None = None
) -> ModelTurn:
    client = client_of(server, entry)
    try:
        return await client.complete(messages, TOOLS)
    finally:
        await client.aclose()


async def converse(server: OpenAIServer, rounds: int, client: ChatClient | None = None) -> list[ModelTurn]:
    """Several rounds of one conversation, every call answered."""
    client = client or client_of(server)
    messages, turns = list(ASK), []
    for number in range(rounds):
        turn = with_text_calls(await client.complete(messages, TOOLS), TOOLS, f"t{number}")
        turns.append(turn)
        messages.append(turn.as_message())
        messages += [
            Message(role="tool", text=f"page {made.id}", tool_call_id=made.id) for made in turn.tool_calls
        ]
    await client.aclose()
    return turns


async def test_request_carries_model_temperature_tools_and_conversation() -> None:
    with ChatServer([completion("郑州")], api_key="sk-test") as server:
        turn = await ask(server)
    assert (turn.text, turn.model) == ("郑州", "z-ai/glm-5")
    assert server.requests[0].headers["authorization"] == "Bearer sk-test"
    assert server.requests[0].body == {
        "model": "z-ai/glm-5",
        "temperature": 0.3,
        "messages": [
            {"role": "system", "content": "Be exact."},
            {"role": "user", "content": "城市?"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "web_fetch",
                    "description": "Reads a page.",
                    "parameters": TOOLS[0].parameters,
                },
            }
        ],
    }


async def test_settings_of_an_entry_are_sent() -> None:
    entry = ModelEntry(
        name="m",
        slug="m",
        temperature=None,
        max_output_tokens=4096,
        request={"model": "not this", "chat_template_kwargs": {"enable_thinking": False}},
    )
    with ChatServer([completion("a")]) as server:
        await ask(server, entry=entry)
    body = server.requests[0].body
    assert (body["model"], body["max_tokens"]) == ("m", 4096)
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "temperature" not in body


async def test_rounds_pass_calls_back_by_id_and_in_order_and_keep_the_prefix() -> None:
    pair = [call("web_fetch", {"url": "http://a/"}, "c1"), call("web_fetch", {}, "c2")]
    single = call("web_fetch", {"url": "http://c/?q=%E9"}, "c3")
    with ChatServer([completion(None, *pair), completion("Next.", single), completion("ok")]) as server:
        turns = await converse(server, 3)
    assert [[made.id for made in turn.tool_calls] for turn in turns] == [["c1", "c2"], ["c3"], []]
    first, second, third = (request.body["messages"] for request in server.requests)
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert third[2:] == [
        {"role": "assistant", "content": None, "tool_calls": pair},
        {"role": "tool", "tool_call_id": "c1", "content": "page c1"},
        {"role": "tool", "tool_call_id": "c2", "content": "page c2"},
        {"role": "assistant", "content": "Next.", "tool_calls": [single]},
        {"role": "tool", "tool_call_id": "c3", "content": "page c3"},
    ]
    prefix = server.requests[0].raw.split(b'"messages":', 1)[1].split(b"}]", 1)[0]
    assert all(prefix in request.raw for request in server.requests)


async def test_usage_has_cached_and_reasoning_tokens_and_the_billed_cost() -> None:
    usage = {
        "prompt_tokens": 1000,
        "prompt_tokens_details": {"cached_tokens": 400},
        "completion_tokens": 50,
        "completion_tokens_details": {"reasoning_tokens": 20},
        "total_tokens": 1050,
        "cost": 0.0123,
    }
    with ChatServer([completion("a", usage=usage)]) as server:
        turn = await ask(server)
    assert turn.usage.model_dump() == {
        "input_tokens": 1000,
        "cached_input_tokens": 400,
        "output_tokens": 50,
        "reasoning_tokens": 20,
        "cost_usd": 0.0123,
        "billed_usd": 0.0123,
    }


async def test_cost_in_a_header_of_litellm_goes_before_the_estimate() -> None:
    stated = Reply(completion("a").body, headers={"x-litellm-response-cost": "0.5"})
    unknown = Reply(completion("a").body, headers={"x-litellm-response-cost": "0.0"})
    with ChatServer([stated, unknown]) as server:
        first, second = await ask(server), await ask(server)
    assert (first.usage.cost_usd, first.usage.billed_usd) == (0.5, 0.5)
    assert second.usage.billed_usd is None
    assert second.usage.cost_usd == pytest.approx((100 * 1 + 10 * 3.2) / 1_000_000)


# --- reasoning

DETAILS = [
    {"type": "reasoning.text", "text": "I should read it.", "signature": "sig", "index": 0},
    {"type": "reasoning.encrypted", "data": "gAAA", "index": 1},
]
THOUGHTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"reasoning_content": "I should read it."}, {"reasoning_content": "I should read it."}),
    ({"reasoning": "I should read it."}, {"reasoning": "I should read it."}),
    ({"reasoning": "I should read it.", "reasoning_details": DETAILS}, {"reasoning_details": DETAILS}),
    (
        {"reasoning_content": "I should read it.", "reasoning": "I should read it."},
        {"reasoning_content": "I should read it."},
    ),
    (
        {"thinking_blocks": [{"type": "thinking", "thinking": "I should read it.", "signature": "s"}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "I should read it.", "signature": "s"}]},
    ),
]


@pytest.mark.parametrize(("fields", "kept"), THOUGHTS)
async def test_reasoning_is_read_and_goes_back_with_the_calls(
    fields: dict[str, Any], kept: dict[str, Any]
) -> None:
    nothing: dict[str, Any] = {
        "provider_specific_fields": {"refusal": None},
        "annotations": [],
        "audio": None,
    }
    script = [completion(None, call("web_fetch", {}, "c1"), message={**fields, **nothing}), completion("ok")]
    with ChatServer(script) as server:
        first, _ = await converse(server, 2)
    assert first.reasoning == "I should read it."
    sent = server.requests[1].body["messages"][2]
    assert sent == {
        "role": "assistant",
        "content": None,
        "tool_calls": [call("web_fetch", {}, "c1")],
        **kept,
    }


async def test_signatures_beside_a_call_go_back() -> None:
    signed = call("web_fetch", {}, "c1", extra_content={"google": {"thought_signature": "abc"}})
    with ChatServer([completion(None, signed), completion("ok")]) as server:
        await converse(server, 2)
    assert server.requests[1].body["messages"][2]["tool_calls"] == [signed]


async def test_thinking_parts_and_tags_are_reasoning_not_text() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "It is "},
        {"type": "text", "text": "5."},
    ]
    with ChatServer([completion(parts), completion("<think>Hm.</think>It is 5.")]) as server:
        for _ in range(2):
            turn = await ask(server)
            assert (turn.reasoning, turn.text) == ("Hm.", "It is 5.")


@pytest.mark.parametrize(
    "refusal",
    [
        "Unsupported parameter: messages[2].reasoning_content",
        "property 'reasoning_content' is unsupported",
        "1 validation error: messages.2.assistant.reasoning_content: Extra inputs are not permitted",
    ],
)
async def test_endpoint_that_refuses_reasoning_is_asked_without_from_then_on(refusal: str) -> None:
    thought = {"reasoning_content": "Hm."}
    signed = call("web_fetch", {}, "c1", extra_content={"google": {}, "x": 1})
    script = [
        completion(None, signed, message=thought),
        error(400, refusal),
        completion(None, call("web_fetch", {}, "c2"), message=thought),
        completion("ok"),
    ]
    with ChatServer(script) as server:
        turns = await converse(server, 3)
    assert [turn.reasoning for turn in turns] == ["Hm.", "Hm.", ""]
    refused, again, last = (json.dumps(request.body) for request in server.requests[1:])
    assert "reasoning_content" in refused and "extra_content" in refused
    for text in (again, last):
        assert "reasoning_content" not in text and "extra_content" not in text


async def test_endpoint_that_misses_reasoning_is_not_asked_without() -> None:
    missing = "The reasoning_content in the thinking mode must be passed back to the API."
    script = [
        completion(None, call("web_fetch", {}, "c1"), message={"reasoning": "Hm."}),
        error(400, missing),
    ]
    with ChatServer(script) as server, pytest.raises(ModelRejected, match="must be passed back"):
        await converse(server, 2)
    assert len(server.requests) == 2


# --- fields that some models refuse


@pytest.mark.parametrize(
    "refusal",
    [
        error(
            400, "Unsupported value: 'temperature' does not support 0.3 with this model.", "unsupported_value"
        ),
        Reply({"error": {"code": 400, "message": "temperature is not supported with this model"}}),
        Reply(
            {
                "error": {
                    "code": 400,
                    "message": "Provider returned error",
                    "metadata": {"raw": '{"error": {"message": "`temperature` may only be set to 1"}}'},
                }
            },
            400,
        ),
        Reply({"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]}, 422),
    ],
)
async def test_temperature_is_left_out_once_it_was_refused(refusal: Reply) -> None:
    with ChatServer([refusal, completion("a"), completion("b")]) as server:
        client = client_of(server)
        assert [(await client.complete(ASK, TOOLS)).text for _ in range(2)] == ["a", "b"]
        await client.aclose()
    assert ["temperature" in request.body for request in server.requests] == [True, False, False]


async def test_newer_name_of_the_output_limit_is_used_where_the_older_is_refused() -> None:
    refusal = error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    entry = ModelEntry(name="m", slug="m", max_output_tokens=99)
    with ChatServer([refusal, completion("a")]) as server:
        await ask(server, entry=entry)
    assert [request.body.get("max_tokens") for request in server.requests] == [99, None]
    assert server.requests[1].body["max_completion_tokens"] == 99


async def test_trials_that_are_refused_at_once_all_go_on() -> None:
    def temperature_refused(body: dict[str, Any]) -> Reply:
        return error(400, "No temperature.") if "temperature" in body else completion("a")

    with ChatServer(temperature_refused) as server:
        client = client_of(server)
        turns = await asyncio.gather(*(client.complete(ASK, TOOLS) for _ in range(6)))
        await client.aclose()
    assert [turn.text for turn in turns] == ["a"] * 6


async def test_field_of_an_entry_that_is_refused_is_left_out_too() -> None:
    def refused(body: dict[str, Any]) -> Reply:
        return error(400, "No temperature.") if "temperature" in body else completion("a")

    entry = ModelEntry(
        name="m", slug="m", temperature=None, request={"temperature": 1, "reasoning": {"effort": "low"}}
    )
    with ChatServer(refused) as server:
        assert (await ask(server, entry=entry)).text == "a"
    assert server.requests[1].body["reasoning"] == {"effort": "low"}


async def test_refusal_that_stays_is_an_error_not_a_loop() -> None:
    def refuse(body: object) -> Reply:
        return error(400, "Bad temperature.")

    with ChatServer(refuse) as server, pytest.raises(ModelRejected, match="Bad temperature"):
        await ask(server)
    assert len(server.requests) == 2


# --- odd answers


@pytest.mark.parametrize(
    "made",
    [
        [call("web_fetch", {}, None), call("web_fetch", {}, None)],
        [call("web_fetch", {}, ""), call("web_fetch", {}, "")],
        [call("web_fetch", {}, "same"), call("web_fetch", {}, "same")],
        [call("web_fetch", {}, 0), call("web_fetch", {}, 1)],
        [call("web_fetch", {}, "x" * 65), call("web_fetch", {}, ["no"])],
        [{"function": {"name": "web_fetch", "arguments": {}}}, {"name": "web_fetch", "arguments": "{}"}],
    ],
)
async def test_malformed_ids_become_ids_that_can_be_sent_back(made: list[dict[str, Any]]) -> None:
    with ChatServer([completion(None, *made), completion("ok")]) as server:
        first, last = await converse(server, 2)
    ids = [one.id for one in first.tool_calls]
    assert len(set(ids)) == 2
    assert last.text == "ok"  # the server refuses a result without its call
    sent = server.requests[1].body["messages"]
    assert [one["id"] for one in sent[2]["tool_calls"]] == ids
    assert [one["tool_call_id"] for one in sent[3:]] == ids


async def test_ids_of_ours_are_the_same_for_the_same_answer() -> None:
    reply = completion(None, call("web_fetch", {}, ""), call("web_fetch", {}, ""))
    with ChatServer([reply, reply]) as server:
        first, second = await ask(server), await ask(server)
    assert first.tool_calls == second.tool_calls
    assert all(len(one.id) == 9 and one.id.isalnum() for one in first.tool_calls)


@pytest.mark.parametrize(
    ("arguments", "read", "sent"),
    [
        ({"url": "http://a/"}, {"url": "http://a/"}, {"url": "http://a/"}),
        (None, {}, {}),
        ("", {}, {}),
        ("{'url': 1}", "{'url': 1}", {"malformed_arguments": "{'url': 1}"}),
        ('["http://a/"]', ["http://a/"], {"malformed_arguments": '["http://a/"]'}),
    ],
)
async def test_arguments_reach_the_tool_as_they_came_and_the_server_as_an_object(
    arguments: Any, read: Any, sent: Any
) -> None:
    made = {"id": "c1", "type": "function", "function": {"name": "web_fetch", "arguments": arguments}}
    with ChatServer([completion(None, made), completion("ok")]) as server:
        first, _ = await converse(server, 2)
    got = first.tool_calls[0].arguments
    assert (got if isinstance(read, str) else json.loads(got)) == read
    back = server.requests[1].body["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(back) == sent


async def test_answers_that_lack_fields_are_read() -> None:
    old = {"role": "assistant", "content": None, "function_call": {"name": "web_fetch", "arguments": "{}"}}
    script = [
        Reply({"choices": [{"message": {"content": "plain"}}]}),
        Reply({"choices": [{"text": "completion"}]}),
        Reply({"choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]}),
        Reply({"choices": [{"message": {"content": "x", "tool_calls": None}}], "usage": None}),
        Reply({"choices": [{"message": old}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}),
    ]
    with ChatServer(script) as server:
        turns = [await ask(server) for _ in range(5)]
    assert [turn.text for turn in turns] == ["plain", "completion", "No.", "x", ""]
    assert [made.name for made in turns[4].tool_calls] == ["web_fetch"]
    assert (turns[4].usage.input_tokens, turns[4].usage.output_tokens) == (7, 2)


async def test_empty_text_is_an_answer() -> None:
    with ChatServer([completion("")]) as server:
        assert (await ask(server)).text == ""


@pytest.mark.parametrize(
    "broken",
    [
        Reply(b'{"choices": [{"mess'),
        Reply(b"<html>hello</html>", headers={"Content-Type": "text/html"}),
        Reply(b"\xff\xfe"),
        Reply(b"[" * 100_000),
        Reply(b"[]"),
        Reply({}),
        Reply({"choices": []}),
        Reply({"choices": [None]}),
        Reply({"choices": "none"}),
        completion(None),
        completion(None, message={"reasoning_content": "I think and say nothing."}),
        completion("", finish_reason="tool_calls"),
    ],
)
async def test_unreadable_and_empty_answers_are_asked_for_once_more(broken: Reply) -> None:
    with ChatServer([broken, completion("ok"), broken, broken, broken]) as server:
        assert (await ask(server)).text == "ok"
        with pytest.raises(ModelAnswerInvalid):
            await ask(server)
    assert len(server.requests) == 4


async def test_text_that_utf_8_cannot_hold_is_replaced() -> None:
    odd = completion("a").body
    assert isinstance(odd, dict)
    raw = json.dumps(odd).replace('"content": "a"', '"content": "\\ud83d \\ud83d\\ude00"').encode()
    with ChatServer([Reply(raw)]) as server:
        assert (await ask(server)).text == "\ufffd 😀"


async def test_answer_cut_off_before_anything_was_said_has_its_name() -> None:
    cut = completion(None, finish_reason="length", message={"reasoning_content": "Long"})
    with ChatServer([cut, cut]) as server, pytest.raises(OutputCutOff, match="max_output_tokens"):
        await ask(server)
    with ChatServer([completion("As far as", finish_reason="length")]) as server:
        assert (await ask(server)).text == "As far as"


@pytest.mark.parametrize("content", [None, "", "The ans"])
async def test_content_filter_has_its_name(content: str | None) -> None:
    stopped = completion(content, finish_reason="content_filter")
    with ChatServer([stopped]) as server, pytest.raises(ContentRefused, match="content_filter"):
        await ask(server)


# --- failures

PROVIDER = {"choices": [{"error": {"code": 502, "message": "Upstream idle"}, "finish_reason": "error"}]}


@pytest.mark.parametrize(
    "failure",
    [
        Reply(PROVIDER),
        completion("Half an ans", finish_reason="error"),
        Reply({"error": {"code": 429, "message": "Rate limited upstream"}}),
        Reply({"error": {"code": "rate_limit_exceeded", "message": "Slow down"}}),
        Reply({"object": "error", "message": "engine dead", "code": 500}),
        Reply(b"upstream connect error", 503, {"Content-Type": "text/plain"}),
        error(529, "Overloaded"),
        Reply(completion("lost").body, drop="before"),
        Reply(completion("lost").body, drop="middle"),
    ],
)
async def test_failures_that_may_pass_are_tried_again(failure: Reply) -> None:
    with ChatServer([failure, completion("ok")]) as server:
        assert (await ask(server)).text == "ok"
    assert len(server.requests) == 2


async def test_wrong_api_names_the_other_one() -> None:
    match = r"no /chat/completions below .*--api responses"
    reply = error(404, "Invalid URL (POST /v1/chat/completions)")
    with ChatServer([reply]) as server, pytest.raises(ModelNotThere, match=match):
        await ask(server)


async def test_rate_limit_is_given_up_after_the_time_limit_not_before_its_attempts() -> None:
    waits: list[float] = []
    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        waits.append(seconds)
        now += seconds

    with ChatServer(lambda body: error(429, "Slow down.", retry_after="50")) as server:
        client = ChatClient(
            resolve("glm-5"),
            Endpoint(server.base_url),
            sleep=sleep,
            clock=lambda: now,
            retry=RetryPolicy(total_s=220, spread=lambda: 0.0),
        )
        with pytest.raises(ModelUnreachable, match=r"asked 5 times.*HTTP 429"):
            await client.complete(ASK, TOOLS)
        await client.aclose()
    assert waits == [50.0] * 4


# --- calls written as text


async def test_call_written_as_text_goes_back_as_a_call_with_its_reasoning() -> None:
    text = 'Reading.\n<tool_call>\n{"name": "web_fetch", "arguments": {"url": "http://a/"}}\n</tool_call>'
    script = [
        completion(f"<think>Hm.</think>{text}", message={"reasoning_content": "Before."}),
        completion("ok"),
    ]
    with ChatServer(script) as server:
        first, last = await converse(server, 2)
    assert (first.text, first.reasoning) == ("Reading.", "Before.\n\nHm.")
    assert first.tool_calls == (ToolCall(id="t0_1", name="web_fetch", arguments='{"url": "http://a/"}'),)
    assert last.text == "ok"
    assert server.requests[1].body["messages"][2:] == [
        {
            "role": "assistant",
            "content": "Reading.",
            "tool_calls": [call("web_fetch", {"url": "http://a/"}, "t0_1")],
            "reasoning_content": "Before.",
        },
        {"role": "tool", "tool_call_id": "t0_1", "content": "page t0_1"},
    ]


async def test_turns_without_provider_items_are_written_as_messages() -> None:
    made = ToolCall(id="t1", name="web_fetch", arguments="{}")
    turn = Message(role="assistant", text="Looking.", tool_calls=(made,))
    result = Message(role="tool", text="page", tool_call_id="t1")
    with ChatServer([completion("ok")]) as server:
        assert (await ask(server, [*ASK, turn, result])).text == "ok"
    assert server.requests[0].body["messages"][2] == {
        "role": "assistant",
        "content": "Looking.",
        "tool_calls": [call("web_fetch", {}, "t1")],
    }


async def test_a_picture_goes_to_a_model_that_takes_pictures_and_to_no_other() -> None:
    shown = Message(role="user", text="What does it show?", pictures=("iVBORw0KGgo=",))
    content: list[Any] = []
    for takes in (True, False):
        entry = ModelEntry(name="m", slug="m", pictures=takes)
        with ChatServer([completion("a chart")], api_key="sk-test") as server:
            await ask(server, [shown], entry=entry)
        content.append(server.requests[0].body["messages"][0]["content"])
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    assert content == [[{"type": "text", "text": shown.text}, picture], shown.text]
