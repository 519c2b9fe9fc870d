"""Endpoints that go away, have no tool calling, or are many providers behind one name."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, error, message, response
from tests.unit.llm.chat_server import ChatServer, completion
from verifaible.errors import ModelUnreachable
from verifaible.llm.catalogue import Api, ModelEntry
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import ApiClient, RetryPolicy
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.responses import ResponsesClient
from verifaible.llm.text_calls import with_text_calls
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec

ASK = [Message(role="system", text="Be exact."), Message(role="user", text="How many?")]
TOOLS = [
    ToolSpec(
        name="web_fetch",
        description="Reads a page.",
        parameters={"type": "object", "properties": {"url": {"type": "string"}}},
    )
]


class Clock:
    """A time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def client_of(server: OpenAIServer, api: Api, clock: Clock, **entry: object) -> ApiClient:
    """A real client of a local server."""
    kind = ChatClient if api == "chat" else ResponsesClient
    model = ModelEntry.model_validate({"name": "m", "slug": "maker/m", **entry})
    retry = RetryPolicy(spread=lambda: 0.0)
    return kind(model, Endpoint(server.base_url), sleep=clock.sleep, clock=lambda: clock.now, retry=retry)


def served(api: Api, script: object) -> OpenAIServer:
    """A local server that speaks an API."""
    return (ChatServer if api == "chat" else OpenAIServer)(script)  # type: ignore[arg-type]


def said(api: Api, text: str, **fields: object) -> Reply:
    """An answer in text, in an API's form."""
    return completion(text, **fields) if api == "chat" else response(message(text), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_one_that_was_never_there_is_soon_given_up(api: Api) -> None:
    clock = Clock()
    with served(api, lambda _: Reply(drop="before")) as server:
        client = client_of(server, api, clock)
        with pytest.raises(ModelUnreachable):
            await client.complete(ASK, TOOLS)
        assert clock.now <= 15
        await client.aclose()


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("charset", ["undefined", "utf-16", "base64"])
async def test_a_charset_that_a_header_makes_up_changes_no_answer(api: Api, charset: str) -> None:
    reply = replace(said(api, "12 é"), headers={"Content-Type": f"application/json; charset={charset}"})
    with served(api, lambda _: reply) as server:
        client = client_of(server, api, Clock())
        assert (await client.complete(ASK, TOOLS)).text == "12 é"
        await client.aclose()


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("fault", ["connection", "middle", "status"])
@pytest.mark.parametrize(("minutes", "survives"), [(3, True), (5, False)])
async def test_a_cut_of_the_network_is_waited_for(api: Api, fault: str, minutes: int, survives: bool) -> None:
    clock = Clock()
    lost = {
        "connection": Reply(drop="before"),
        "middle": Reply(said(api, "lost").body, drop="middle"),
        "status": error(503, "No way there."),
    }[fault]
    with served(api, lambda _: lost if 0 < clock.now < minutes * 60 else said(api, "36")) as server:
        client = client_of(server, api, clock)
        await client.complete(ASK, TOOLS)
        clock.now = 0.1
        if survives:
            turn = await client.complete(ASK, TOOLS)
            assert turn.text == "36"
            assert len(turn.notes) == len(server.requests) - 2
            assert turn.notes[0].startswith("asked again after 1.0 s, since ")
        else:
            with pytest.raises(ModelUnreachable) as caught:
                await client.complete(ASK, TOOLS)
            assert 180 < clock.now <= 241
            assert len(caught.value.notes) == len(server.requests) - 2
        await client.aclose()


NO_TOOLS = [
    error(400, "registry.ollama.ai/library/gemma:2b does not support tools"),
    error(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    error(404, 'No endpoints found that support tool use. Try disabling "web_fetch".'),
    error(500, "tools param requires --jinja flag"),
    error(400, "`tool calling` is not supported with this model"),
    error(400, "Unrecognized request argument supplied: tools"),
    error(422, "tools: Extra inputs are not permitted"),
]


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("refusal", NO_TOOLS, ids=lambda reply: reply.body["error"]["message"][:30])
async def test_an_endpoint_without_tools_has_them_written_into_the_conversation(
    api: Api, refusal: Reply
) -> None:
    call = '<tool_call>\n{"name": "web_fetch", "arguments": {"url": "http://a/"}}\n</tool_call>'

    def answer(body: JsonObject) -> Reply:
        if "tools" in body:
            return refusal
        return said(api, "It is 36." if "the page" in json.dumps(body) else f"I look.\n\n{call}")

    with served(api, answer) as server:
        client = client_of(server, api, Clock())
        first = with_text_calls(await client.complete(ASK, TOOLS), TOOLS, "t1")
        assert [(each.name, each.arguments) for each in first.tool_calls] == [
            ("web_fetch", '{"url": "http://a/"}')
        ]
        assert any("without tools, which the endpoint refuses" in note for note in first.notes)
        result = Message(role="tool", text="the page", tool_call_id=first.tool_calls[0].id)
        last = await client.complete([*ASK, first.as_message(), result], TOOLS)
        await client.aclose()
    assert last.text == "It is 36."
    assert len(server.requests) == 3, "what the endpoint refuses is not sent again"
    sent = json.dumps(server.requests[-1].body, ensure_ascii=False)
    assert "Reads a page." in sent
    assert "Result of web_fetch:\\nthe page" in sent
    assert '"role": "tool"' not in sent


async def test_tools_are_written_from_the_start_where_the_models_file_says_so() -> None:
    with ChatServer([completion("36")]) as server:
        client = client_of(server, "chat", Clock(), tools="text")
        assert (await client.complete(ASK, TOOLS)).notes == (
            "the tools were written into the conversation (tools: text)",
        )
        await client.aclose()
    assert "tools" not in server.requests[0].body


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_malformed_arguments_go_back_wrapped_and_reach_the_tool_as_they_came(api: Api) -> None:
    broken = '{"url": "http://a/"'
    item = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "web_fetch", "arguments": broken}
    made = {"id": "c1", "type": "function", "function": {"name": "web_fetch", "arguments": broken}}
    first = completion("", made) if api == "chat" else response(item)
    with served(api, [first, said(api, "36")]) as server:
        client = client_of(server, api, Clock())
        turn = await client.complete(ASK, TOOLS)
        assert turn.tool_calls == (ToolCall(id="c1", name="web_fetch", arguments=broken),)
        result = Message(role="tool", text="Error: no JSON.", tool_call_id="c1")
        own = ModelTurn(tool_calls=turn.tool_calls).as_message()
        for answer in (turn.as_message(), own):
            with served(api, [said(api, "36")]) as other:
                again = client_of(other, api, Clock())
                await again.complete([*ASK, answer, result], TOOLS)
                await again.aclose()
            sent = other.requests[0].body
            back = (
                sent["messages"][2]["tool_calls"][0]["function"]["arguments"]
                if api == "chat"
                else next(each for each in sent["input"] if each.get("type") == "function_call")["arguments"]
            )
            assert json.loads(back) == {"malformed_arguments": broken}
        await client.aclose()


ROUTED = {"endpoints": {"available": [{"provider": "X"}, {"provider": "Novita", "selected": True}]}}


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"provider": "DeepInfra"}, "DeepInfra"),
        ({"openrouter_metadata": ROUTED}, "Novita"),
        ({}, ""),
    ],
)
async def test_the_serving_provider(api: Api, fields: JsonObject, expected: str) -> None:
    with served(api, lambda _: said(api, "36", **fields)) as server:
        client = client_of(server, api, Clock(), provider=["deepinfra/fp8", "novita"])
        assert (await client.complete(ASK, TOOLS)).served_by == expected
        await client.aclose()
    wanted = {"order": ["deepinfra/fp8", "novita"], "allow_fallbacks": False}
    assert [request.body["provider"] for request in server.requests] == [wanted]
