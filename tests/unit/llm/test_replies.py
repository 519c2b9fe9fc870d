"""Replies of models as they are: names and arguments of calls, cut answers, servers that drop the tools."""

from __future__ import annotations

import json

import pytest

from tests.servers.openai_server import OpenAIServer, Reply, error, function_call, message, response
from tests.unit.llm.chat_server import ChatServer, call, completion
from verifaible.errors import ModelRejected
from verifaible.llm.calls import arguments_text, known_name
from verifaible.llm.catalogue import ModelEntry
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import RetryPolicy
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.responses import ResponsesClient
from verifaible.schema.chat import Message, ModelTurn, ToolSpec

KNOWN = ("web_fetch", "verifaible_cite")
FERRY = {"url": "https://ferry.example/", "quote": "It leaves at 6:40."}
TEXT = json.dumps(FERRY)
TOOLS = [
    ToolSpec(name=name, description="Reads a page. " * 40, parameters={"type": "object", "properties": {}})
    for name in KNOWN
]
ASK = [Message(role="system", text="Be exact."), Message(role="user", text="When does the ferry leave?")]
USED = {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920}


async def ask(server: OpenAIServer, messages: list[Message] = ASK, total_s: float = 0) -> ModelTurn:
    kind = ChatClient if isinstance(server, ChatServer) else ResponsesClient
    place, entry = Endpoint(server.base_url, "sk-test"), ModelEntry(name="m", slug="lab/m")
    client = kind(entry, place, retry=RetryPolicy(total_s=total_s, first_wait_s=0))
    try:
        return await client.complete(messages, TOOLS)
    finally:
        await client.aclose()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("web_fetch", "web_fetch"),
        ("web_fetch<|channel|>commentary", "web_fetch"),
        ("web_fetch<|channel|>json", "web_fetch"),
        ("functions.web_fetch", "web_fetch"),
        ("default_api.verifaible_cite", "verifaible_cite"),
        ("commentary to=functions.web_fetch", "web_fetch"),
        ("functions.web_fetch:3", "web_fetch"),
        ("web-fetch", "web_fetch"),
        ("Web_Fetch", "web_fetch"),
        (" web_fetch\n", "web_fetch"),
        ("web_fetchjson", "web_fetchjson"),
        ("read<|channel|>page", "read__channel__page"),
        ("web_fetch, verifaible_cite", "web_fetch__verifaible_cite"),
        ("読む", "__"),
        ("x" * 90, "x" * 64),
    ],
)
def test_the_name_of_a_call(given: str, name: str) -> None:
    assert known_name(given, KNOWN) == name


@pytest.mark.parametrize(
    "given",
    [
        json.dumps(TEXT),
        f"  {json.dumps(json.dumps(FERRY, indent=2))}\n",
        json.dumps(json.dumps(TEXT)),
        TEXT + "<|im_end|>",
        f"```json\n{TEXT}\n```",
    ],
)
def test_arguments_in_which_one_object_is_meant_are_read(given: str) -> None:
    assert json.loads(arguments_text(given)) == FERRY


def test_line_breaks_in_the_strings_of_arguments_are_read() -> None:
    assert json.loads(arguments_text('{"quote": "It leaves\nat 6:40."}')) == {"quote": "It leaves\nat 6:40."}


@pytest.mark.parametrize(
    "given", ["{'url': 1}", '{"url": 1}}', '"words"', "[1]", '{"url"', "null", TEXT + TEXT]
)
def test_other_arguments_reach_the_tool_as_they_came(given: str) -> None:
    assert arguments_text(given) == given


async def test_a_mended_call_goes_back_to_the_endpoint_so() -> None:
    made = call("functions.web_fetch<|channel|>commentary", json.dumps(TEXT))
    with ChatServer([completion(None, made, usage=USED), completion("At 6:40.", usage=USED)]) as server:
        turn = await ask(server)
        assert [(each.name, json.loads(each.arguments)) for each in turn.tool_calls] == [("web_fetch", FERRY)]
        result = Message(role="tool", text="It leaves at 6:40.", tool_call_id=turn.tool_calls[0].id)
        await ask(server, [*ASK, turn.as_message(), result])
        function = server.requests[-1].body["messages"][2]["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == ("web_fetch", FERRY)


async def test_a_mended_call_goes_back_to_the_other_api_so() -> None:
    made = function_call("web_fetch<|channel|>json", json.dumps(TEXT))
    with OpenAIServer([response(made), response(message("At 6:40."))]) as server:
        turn = await ask(server)
        result = Message(role="tool", text="It leaves at 6:40.", tool_call_id=turn.tool_calls[0].id)
        await ask(server, [*ASK, turn.as_message(), result])
        sent = next(item for item in server.requests[-1].body["input"] if item.get("type") == "function_call")
    assert (sent["name"], json.loads(sent["arguments"])) == ("web_fetch", FERRY)


@pytest.mark.parametrize(("finish", "cut"), [("length", True), ("stop", False)])
async def test_an_answer_that_is_cut_off_is_named(finish: str, cut: bool) -> None:
    with ChatServer([completion("It leaves at", finish_reason=finish, usage=USED)]) as server:
        turn = await ask(server)
    assert turn.text == "It leaves at"
    assert any("cut off" in note for note in turn.notes) is cut


async def test_an_answer_that_is_cut_off_is_named_in_the_other_api() -> None:
    reply = response(message("It leaves at"))
    assert isinstance(reply.body, dict)
    body = {**reply.body, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    with OpenAIServer([Reply(body)]) as server:
        assert any("cut off" in note for note in (await ask(server)).notes)


@pytest.mark.parametrize(
    ("tokens", "made", "dropped"),
    [(12, False, True), (12, True, False), (900, False, False), (0, False, False)],
)
async def test_a_server_that_drops_the_tools_is_named(tokens: int, made: bool, dropped: bool) -> None:
    usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5}
    calls = [call("web_fetch", FERRY)] if made else []
    with ChatServer([completion("I cannot search.", *calls, usage=usage)]) as server:
        turn = await ask(server)
    assert any("drop the tools" in note for note in turn.notes) is dropped


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 406, 410, 418, 422, 501])
async def test_what_cannot_pass_is_asked_once(status: int) -> None:
    with ChatServer([error(status, "no such thing"), completion("At 6:40.", usage=USED)]) as server:
        with pytest.raises(ModelRejected):
            await ask(server, total_s=60)
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_what_may_pass_is_asked_again(status: int) -> None:
    with ChatServer([error(status, "busy"), completion("At 6:40.", usage=USED)]) as server:
        assert (await ask(server, total_s=60)).text == "At 6:40."
        assert len(server.requests) == 2
