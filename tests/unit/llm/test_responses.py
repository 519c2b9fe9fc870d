"""The client against a local server, over real HTTP and the real openai library."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence

import pytest

from tests.servers.openai_server import (
    OpenAIServer,
    Reply,
    error,
    function_call,
    message,
    reasoning,
    response,
)
from verifaible.errors import (
    ContentRefused,
    ModelAnswerInvalid,
    ModelRejected,
    ModelUnreachable,
    OutputCutOff,
)
from verifaible.llm.catalogue import ModelEntry, resolve
from verifaible.llm.client import RetryPolicy
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.responses import ResponsesClient
from verifaible.schema.chat import Message, ModelTurn, ToolSpec

TOOLS = (
    ToolSpec(
        name="web_fetch",
        description="Reads a page.",
        parameters={"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
    ),
)
#: Waits that no chance lengthens or shortens.
STEADY = RetryPolicy(spread=lambda: 0.0)
ASK = (Message(role="system", text="Be exact."), Message(role="user", text="城市?"))


class Waits:
    """A sleep that only notes how long it was asked to."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def ask(
    server: OpenAIServer,
    messages: Sequence[Message] = ASK,
    *,
    entry: ModelEntry | None = None,
    key: str = "sk-test",
    sleep: Callable[[float], Awaitable[None]] | None = None,
    timeout_s: float = 20.0,
    retry: RetryPolicy | None = None,
) -> ModelTurn:
    client = ResponsesClient(
        entry or resolve("glm-5"),
        Endpoint(server.base_url, key, "OPENROUTER_API_KEY"),
        sleep=sleep or Waits(),
        timeout_s=timeout_s,
        retry=retry or STEADY,
    )
    try:
        return await client.complete(messages, TOOLS)
    finally:
        await client.aclose()


async def test_request_carries_model_temperature_tools_and_conversation() -> None:
    with OpenAIServer([response(message("郑州"))], api_key="sk-test") as server:
        turn = await ask(server)
    assert turn.text == "郑州"
    request = server.requests[0]
    assert request.headers["authorization"] == "Bearer sk-test"
    assert request.body == {
        "model": "z-ai/glm-5",
        "temperature": 0.3,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "instructions": "Be exact.",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "城市?"}]},
        ],
        "tools": [
            {
                "type": "function",
                "name": "web_fetch",
                "description": "Reads a page.",
                "parameters": TOOLS[0].parameters,
                "strict": False,
            }
        ],
    }


async def test_rounds_pass_items_back_unchanged_and_keep_the_prefix() -> None:
    thought = reasoning("I should read the page.", encrypted="gAAAA+/=")
    calls = [
        function_call("web_fetch", '{"url": "http://a/?q=%E9"}', "c1"),
        function_call("web_fetch", {}, "c2"),
    ]
    script = [
        response(thought, *calls),
        response(function_call("web_fetch", {}, "c3")),
        response(message("ok")),
    ]
    messages = list(ASK)
    with OpenAIServer(script) as server:
        for _ in range(3):
            turn = await ask(server, messages)
            messages.append(turn.as_message())
            messages += [
                Message(role="tool", text=f"page {call.id}", tool_call_id=call.id) for call in turn.tool_calls
            ]
    first, second, third = (request.body for request in server.requests)
    assert second["input"][1:4] == [thought, *calls]
    assert second["input"][4:] == [
        {"type": "function_call_output", "call_id": "c1", "output": "page c1"},
        {"type": "function_call_output", "call_id": "c2", "output": "page c2"},
    ]
    assert second["input"][: len(first["input"])] == first["input"]
    assert third["input"][: len(second["input"])] == second["input"]
    # byte for byte: what a provider's prompt cache compares
    texts = [
        json.dumps([body["instructions"], body["tools"]], ensure_ascii=False)
        for body in (first, second, third)
    ]
    assert texts[0].encode() == texts[1].encode() == texts[2].encode()
    prefix = server.requests[0].raw.split(b'"input":', 1)[1].split(b"]}]", 1)[0]
    assert all(prefix in request.raw for request in server.requests)


async def test_turn_has_parallel_calls_tokens_and_billed_cost() -> None:
    reply = response(
        message("Let me look."),
        function_call("web_fetch", {"url": "http://a/"}, "c1"),
        function_call("web_fetch", {"url": "http://b/"}, "c2"),
        model="z-ai/glm-5-20260211",
        input_tokens=1000,
        cached_tokens=400,
        output_tokens=50,
        reasoning_tokens=20,
        cost=0.0123,
    )
    with OpenAIServer([reply]) as server:
        turn = await ask(server)
    assert turn.text == "Let me look."
    assert [(call.id, json.loads(call.arguments)["url"]) for call in turn.tool_calls] == [
        ("c1", "http://a/"),
        ("c2", "http://b/"),
    ]
    assert turn.model == "z-ai/glm-5-20260211"
    assert turn.usage.model_dump() == {
        "input_tokens": 1000,
        "cached_input_tokens": 400,
        "output_tokens": 50,
        "reasoning_tokens": 20,
        "cost_usd": 0.0123,
        "billed_usd": 0.0123,
    }


async def test_cost_comes_from_the_catalogue_where_the_provider_states_none() -> None:
    reply = response(message("a"), input_tokens=1_000_000, cached_tokens=500_000, output_tokens=1_000_000)
    with OpenAIServer([reply, reply]) as server:
        known = await ask(server)
        unknown = await ask(server, entry=resolve("some/model"))
    assert known.usage.cost_usd == pytest.approx(0.5 * 1 + 0.5 * 0.2 + 3.2)
    assert unknown.usage.cost_usd is None


async def test_answers_that_lack_fields_are_read() -> None:
    bare_call = {"type": "function_call", "name": "web_fetch", "arguments": {"url": "http://a/"}}
    script = [
        Reply({"output": [{"type": "message", "content": "plain"}]}),
        Reply({"output": [bare_call], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}),
        Reply({"output": [], "output_text": "only text", "usage": None}),
        Reply({"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]}),
        response(message("ok")),
    ]
    with OpenAIServer(script) as server:
        plain, call, text, refusal = [await ask(server) for _ in range(4)]
        # the server refuses a call without id or with arguments that are no string
        result = Message(role="tool", text="page", tool_call_id=call.tool_calls[0].id)
        assert (await ask(server, [*ASK, call.as_message(), result])).text == "ok"
    assert (plain.text, text.text, refusal.text) == ("plain", "only text", "No.")
    assert plain.usage.input_tokens == 0
    assert plain.usage.cost_usd is None
    assert json.loads(call.tool_calls[0].arguments) == {"url": "http://a/"}
    assert (call.usage.input_tokens, call.usage.output_tokens) == (7, 2)


async def test_turns_without_provider_items_are_written_as_items() -> None:
    turn = ModelTurn.model_validate(
        {"text": "Looking.", "tool_calls": [{"id": "t1", "name": "web_fetch", "arguments": "{}"}]}
    )
    result = Message(role="tool", text="page", tool_call_id="t1")
    with OpenAIServer([response(message("ok"))]) as server:
        await ask(server, [*ASK, turn.as_message(), result])
    assert server.requests[0].body["input"][1:] == [
        {"role": "assistant", "content": "Looking."},
        {"type": "function_call", "call_id": "t1", "name": "web_fetch", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t1", "output": "page"},
    ]


async def test_wrong_key_is_refused_by_the_server() -> None:
    with OpenAIServer([], api_key="sk-right") as server, pytest.raises(ModelRejected, match="API key"):
        await ask(server)


async def test_rate_limit_waits_as_long_as_it_says() -> None:
    waits = Waits()
    script = [error(429, "Slow down.", retry_after="7"), error(503, "Busy."), response(message("ok"))]
    with OpenAIServer(script) as server:
        assert (await ask(server, sleep=waits)).text == "ok"
    assert waits.seconds == [7.0, 2.0]


async def test_rate_limit_that_asks_for_too_long_is_given_up_at_once() -> None:
    waits = Waits()
    script = [error(429, "Slow down.", retry_after="3600")]
    match = "asked once, and the last answer was HTTP 429"
    with OpenAIServer(script) as server, pytest.raises(ModelUnreachable, match=match):
        await ask(server, sleep=waits)
    assert waits.seconds == []


async def test_server_errors_are_given_up_after_four_minutes() -> None:
    waits = Waits()
    script = [error(500, "Boom.")] * 19
    match = "asked 12 times"
    with OpenAIServer(script) as server, pytest.raises(ModelUnreachable, match=match) as caught:
        await ask(server, sleep=waits)
    assert waits.seconds == [1.0, 2.0, 4.0, 8.0, 16.0, *[30.0] * 6]
    assert len(server.requests) == 12
    assert len(caught.value.notes) == 11
    assert server.base_url in str(caught.value)
    assert "Boom" in str(caught.value)


@pytest.mark.parametrize("drop", ["before", "middle"])
async def test_dropped_connections_are_tried_again(drop: str) -> None:
    lost = Reply(response(message("lost")).body, drop=drop)  # type: ignore[arg-type]
    with OpenAIServer([lost, response(message("ok"))]) as server:
        assert (await ask(server)).text == "ok"
    assert len(server.requests) == 2


async def test_an_answer_that_does_not_come_is_a_time_out() -> None:
    never = threading.Event()
    with OpenAIServer([Reply(hold=never), Reply(hold=never)]) as server:
        with pytest.raises(ModelUnreachable, match="did not answer in time"):
            await ask(server, timeout_s=0.05, retry=RetryPolicy(total_s=1.5, spread=lambda: 0.0))
        never.set()


async def test_connection_refused_names_the_host_and_what_to_check() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: refused for certain
        place = Endpoint(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        client = ResponsesClient(
            resolve("glm-5"), place, sleep=Waits(), retry=RetryPolicy(total_s=1.5, spread=lambda: 0.0)
        )
        with pytest.raises(ModelUnreachable) as caught:
            await client.complete(ASK, TOOLS)
        await client.aclose()
    assert place.host in str(caught.value)
    assert "VERIFAIBLE_BASE_URL" in str(caught.value)
    assert "server is running" in str(caught.value)


@pytest.mark.parametrize(
    "broken",
    [
        Reply(b'{"output": [{"type": "mess'),
        Reply(b"<html>hello</html>", headers={"Content-Type": "text/html"}),
        Reply(b"\xff\xfe"),
        Reply(b"[]"),
        response(),
        response(reasoning("I think and say nothing.")),
        response(output=None),
    ],
)
async def test_unreadable_and_empty_answers_are_asked_for_once_more(broken: Reply) -> None:
    with OpenAIServer([broken, response(message("ok")), broken, broken, broken]) as server:
        assert (await ask(server)).text == "ok"
        with pytest.raises(ModelAnswerInvalid):
            await ask(server)
    assert len(server.requests) == 4


async def test_tokens_of_an_empty_answer_are_counted() -> None:
    with OpenAIServer([response(cost=0.5), response(message("ok"), cost=0.25)]) as server:
        turn = await ask(server)
    assert turn.usage.input_tokens == 200
    assert turn.usage.cost_usd == 0.75


async def test_what_is_billed_for_no_answer_is_told_with_the_error() -> None:
    replies = [response(cost=0.5), response(cost=0.25)]
    with OpenAIServer(replies) as server, pytest.raises(ModelAnswerInvalid) as failed:
        await ask(server)
    assert failed.value.usage.input_tokens == 200
    assert failed.value.usage.cost_usd == 0.75


async def test_an_empty_message_is_a_turn() -> None:
    with OpenAIServer([response(message(""))]) as server:
        assert (await ask(server)).text == ""


async def test_endpoint_that_refuses_encrypted_reasoning_is_asked_without() -> None:
    refusal = error(400, "Encrypted content is not supported with this model.")
    with OpenAIServer([refusal, response(message("a")), response(message("b"))]) as server:
        client = ResponsesClient(resolve("glm-5"), Endpoint(server.base_url))
        assert [(await client.complete(ASK, TOOLS)).text for _ in range(2)] == ["a", "b"]
        await client.aclose()
    assert ["include" in request.body for request in server.requests] == [True, False, False]


async def test_one_client_serves_trials_at_once() -> None:
    with OpenAIServer(lambda body: response(message(body["input"][0]["content"][0]["text"]))) as server:
        client = ResponsesClient(resolve("glm-5"), Endpoint(server.base_url))
        asked = [client.complete((Message(role="user", text=f"q{i}"),), ()) for i in range(8)]
        turns = await asyncio.gather(*asked)
        await client.aclose()
    assert [turn.text for turn in turns] == [f"q{i}" for i in range(8)]
    assert all("tools" not in request.body for request in server.requests)


@pytest.mark.parametrize(
    ("field", "refusal"),
    [
        ("temperature", "Unsupported parameter: 'temperature' is not supported with this model."),
        ("store", "Unrecognized request argument supplied: store"),
        ("include", "Unknown parameter: 'include'."),
    ],
)
async def test_field_that_an_endpoint_refuses_is_left_out_from_then_on(field: str, refusal: str) -> None:
    with OpenAIServer([error(400, refusal), response(message("a")), response(message("b"))]) as server:
        client = ResponsesClient(resolve("glm-5"), Endpoint(server.base_url))
        assert [(await client.complete(ASK, TOOLS)).text for _ in range(2)] == ["a", "b"]
        await client.aclose()
    assert [field in request.body for request in server.requests] == [True, False, False]


async def test_error_about_something_else_changes_no_field() -> None:
    refusals = [
        error(400, "messages are wrong"),
        error(401, "temperature"),
        error(400, "context length, include"),
    ]
    with OpenAIServer([*refusals, response(message("a"))]) as server:
        client = ResponsesClient(resolve("glm-5"), Endpoint(server.base_url))
        for _ in refusals:
            with pytest.raises(ModelRejected):
                await client.complete(ASK, TOOLS)
        await client.complete(ASK, TOOLS)
        await client.aclose()
    assert {"temperature", "include", "store"} <= set(server.requests[-1].body)


async def test_settings_of_an_entry_are_sent() -> None:
    entry = ModelEntry(
        name="m", slug="m", temperature=None, max_output_tokens=64, request={"reasoning": {"effort": "high"}}
    )
    with OpenAIServer([response(message("a"))]) as server:
        await ask(server, entry=entry)
    body = server.requests[0].body
    assert (body["max_output_tokens"], body["reasoning"]) == (64, {"effort": "high"})
    assert "temperature" not in body


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (reasoning("I should read it."), "I should read it."),
        ({"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}, "Hm."),
        ({"type": "reasoning", "content": [{"type": "output_text", "text": "Hm."}]}, "Hm."),
        ({"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}, ""),
        ({"type": "reasoning", "summary": None, "content": None}, ""),
    ],
)
async def test_reasoning_that_can_be_read_is_in_the_turn(item: dict[str, object], text: str) -> None:
    with OpenAIServer([response(item, message("<think>Aloud.</think>ok"))]) as server:
        turn = await ask(server)
    assert turn.text == "ok"
    assert turn.reasoning == (f"{text}\n\nAloud." if text else "Aloud.")
    assert turn.provider_items[0] == item


async def test_doubled_call_ids_are_told_apart() -> None:
    twice = [function_call("web_fetch", {}, "same"), function_call("web_fetch", {}, "same")]
    with OpenAIServer([response(*twice), response(message("ok"))]) as server:
        turn = await ask(server)
        results = [Message(role="tool", text="page", tool_call_id=call.id) for call in turn.tool_calls]
        assert (await ask(server, [*ASK, turn.as_message(), *results])).text == "ok"
    first, second = turn.tool_calls
    assert first.id == "same" != second.id
    assert server.requests[1].body["input"][2]["call_id"] == second.id


async def test_incomplete_answers_have_names() -> None:
    cut = response(
        reasoning("Long."), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
    )
    stopped = response(message("The"), status="incomplete", incomplete_details={"reason": "content_filter"})
    with OpenAIServer([cut, cut, stopped]) as server:
        with pytest.raises(OutputCutOff):
            await ask(server)
        with pytest.raises(ContentRefused):
            await ask(server)


async def test_answer_that_comes_in_drops_is_a_time_out() -> None:
    """Bytes that keep coming do not start the time again."""

    async def dribble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n")
        try:
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.01)
        except OSError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(dribble, "127.0.0.1", 0)
    async with server:
        place = Endpoint(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        client = ResponsesClient(
            resolve("glm-5"),
            place,
            sleep=Waits(),
            timeout_s=0.2,
            retry=RetryPolicy(total_s=1.5, spread=lambda: 0.0),
        )
        with pytest.raises(ModelUnreachable, match="did not answer in time"):
            await client.complete(ASK, TOOLS)
        await client.aclose()


async def test_a_picture_goes_to_a_model_that_takes_pictures_and_to_no_other() -> None:
    shown = Message(role="user", text="What does it show?", pictures=("iVBORw0KGgo=",))
    kinds: list[list[str]] = []
    for takes in (True, False):
        with OpenAIServer([response(message("a chart"))], api_key="sk-test") as server:
            await ask(server, [shown], entry=ModelEntry(name="m", slug="m", pictures=takes))
        (item,) = server.requests[0].body["input"]
        kinds.append([part["type"] for part in item["content"]])
        if takes:
            assert item["content"][1]["image_url"] == "data:image/png;base64,iVBORw0KGgo="
    assert kinds == [["input_text", "input_image"], ["input_text"]]
