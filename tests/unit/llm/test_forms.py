"""An answer in a form, from endpoints that know schemas, that know less, and that know nothing of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any, Literal

import pytest
from pydantic import ValidationError

from tests.servers.openai_server import OpenAIServer, Reply, error, message, response
from tests.unit.llm.chat_server import ChatServer, completion
from verifaible.errors import ContentRefused, ModelRejected
from verifaible.llm.base import AnswerForm
from verifaible.llm.catalogue import ModelEntry
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import ApiClient, RetryPolicy
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.responses import ResponsesClient
from verifaible.llm.scripted import ScriptedModel
from verifaible.schema.chat import Message, ModelTurn

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
FORM = AnswerForm(name="verdict", parameters=SCHEMA)
ASK = (Message(role="system", text="Reply with JSON."), Message(role="user", text="Is it?"))
SAID = '{"verdict": "yes"}'
Kind = Literal["chat", "responses"]


async def no_wait(seconds: float) -> None:
    """A sleep that takes no time."""


def server_of(kind: Kind, script: Any) -> OpenAIServer:
    return (ChatServer if kind == "chat" else OpenAIServer)(script)


def client_of(kind: Kind, server: OpenAIServer, **entry: Any) -> ApiClient:
    model = ModelEntry(name="m", slug="m", **entry)
    place = Endpoint(server.base_url, "sk-test")
    client = ChatClient if kind == "chat" else ResponsesClient
    return client(model, place, sleep=no_wait, retry=RetryPolicy(spread=lambda: 0.0))


def good(kind: Kind) -> Reply:
    return completion(SAID) if kind == "chat" else response(message(SAID))


def wanted(kind: Kind, body: dict[str, Any]) -> Any:
    """The form in a request."""
    return body.get("response_format") if kind == "chat" else (body.get("text") or {}).get("format")


def types(kind: Kind, server: OpenAIServer) -> list[str]:
    return [(wanted(kind, request.body) or {}).get("type", "") for request in server.requests]


async def asked(
    kind: Kind, script: Iterable[Reply] | Any, times: int = 1
) -> tuple[list[ModelTurn], OpenAIServer]:
    with server_of(kind, script) as server:
        client = client_of(kind, server)
        turns = [await client.complete(ASK, (), form=FORM) for _ in range(times)]
        await client.aclose()
    return turns, server


async def test_a_form_is_a_strict_schema_in_chat() -> None:
    turns, server = await asked("chat", [good("chat")])
    assert turns[0].text == SAID
    assert server.requests[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
    }


async def test_a_form_is_a_strict_schema_in_responses() -> None:
    turns, server = await asked("responses", [good("responses")])
    assert turns[0].text == SAID
    form = {"type": "json_schema", "name": "verdict", "strict": True, "schema": SCHEMA}
    assert server.requests[0].body["text"] == {"format": form}


@pytest.mark.parametrize("kind", ["chat", "responses"])
async def test_without_a_form_nothing_is_sent(kind: Kind) -> None:
    with server_of(kind, [good(kind)]) as server:
        client = client_of(kind, server)
        await client.complete(ASK, ())
        await client.aclose()
    assert not {"response_format", "text"} & set(server.requests[0].body)


async def test_other_settings_of_the_text_are_kept() -> None:
    with OpenAIServer([good("responses")]) as server:
        client = client_of("responses", server, request={"text": {"verbosity": "low"}})
        await client.complete(ASK, (), form=FORM)
        await client.aclose()
    assert server.requests[0].body["text"]["verbosity"] == "low"
    assert server.requests[0].body["text"]["format"]["name"] == "verdict"


REFUSALS = (
    "'response_format' of type 'json_schema' is not supported with this model.",
    "Invalid parameter: 'text.format' of type '{type}' is not supported with this model.",
    "This response_format type is unavailable now",
    "Invalid schema for response_format 'verdict': In context=(), enum is not permitted.",
    "structured outputs are not supported",
    "guided_json is not enabled on this server",
    "Failed to compile grammar",
    "json_object mode is not supported by this model",
)


@pytest.mark.parametrize("kind", ["chat", "responses"])
@pytest.mark.parametrize("words", REFUSALS)
async def test_an_endpoint_that_refuses_the_form_is_asked_for_less_and_remembered(
    kind: Kind, words: str
) -> None:
    def endpoint(body: dict[str, Any]) -> Reply:
        return error(400, words) if wanted(kind, body) else good(kind)

    turns, server = await asked(kind, endpoint, times=2)
    assert [turn.text for turn in turns] == [SAID, SAID]
    assert types(kind, server) == ["json_schema", "json_object", "", ""]


@pytest.mark.parametrize("kind", ["chat", "responses"])
async def test_an_endpoint_that_knows_objects_only_is_asked_for_one(kind: Kind) -> None:
    def endpoint(body: dict[str, Any]) -> Reply:
        refused = (wanted(kind, body) or {}).get("type") == "json_schema"
        return error(400, "json_schema is not supported", "unsupported_parameter") if refused else good(kind)

    _, server = await asked(kind, endpoint, times=3)
    assert types(kind, server) == ["json_schema", "json_object", "json_object", "json_object"]


@pytest.mark.parametrize("kind", ["chat", "responses"])
async def test_temperature_and_form_are_left_out_one_by_one(kind: Kind) -> None:
    def endpoint(body: dict[str, Any]) -> Reply:
        if "temperature" in body:
            return error(400, "Unsupported parameter: temperature")
        return error(400, "response_format: unknown") if wanted(kind, body) else good(kind)

    turns, server = await asked(kind, endpoint)
    assert turns[0].text == SAID
    assert len(server.requests) == 4


@pytest.mark.parametrize("kind", ["chat", "responses"])
async def test_calls_at_once_leave_the_form_out_together(kind: Kind) -> None:
    def endpoint(body: dict[str, Any]) -> Reply:
        return error(400, "json_schema and json_object are unknown") if wanted(kind, body) else good(kind)

    with server_of(kind, endpoint) as server:
        client = client_of(kind, server)
        turns = await asyncio.gather(*(client.complete(ASK, (), form=FORM) for _ in range(8)))
        await client.aclose()
    assert {turn.text for turn in turns} == {SAID}


@pytest.mark.parametrize("kind", ["chat", "responses"])
async def test_a_refusal_of_something_else_is_not_blamed_on_the_form(kind: Kind) -> None:
    with pytest.raises(ModelRejected, match="top_k"):
        await asked(kind, [error(400, "Unknown field top_k")])


async def test_a_refusal_in_the_place_of_the_form_is_an_error() -> None:
    parts = [{"type": "refusal", "refusal": "I cannot\n judge this."}]
    of_responses = response({**message(""), "content": parts})
    with pytest.raises(ContentRefused, match=r"declined to answer \(I cannot judge this\)\. Use"):
        await asked("responses", [of_responses])
    with pytest.raises(ContentRefused, match=r"declined to answer \(No\)") as failed:
        await asked("chat", [completion(None, message={"refusal": "No."})])
    assert (failed.value.usage.input_tokens, failed.value.usage.output_tokens) == (100, 10)
    with pytest.raises(ContentRefused, match="declined"):
        await asked("chat", [completion([{"type": "refusal", "refusal": "x" * 5_000}])])


@pytest.mark.parametrize("refusal", [None, "", {"refusal": None}, []])
async def test_an_empty_refusal_is_none(refusal: Any) -> None:
    turns, _ = await asked("chat", [completion(SAID, message={"refusal": refusal})])
    assert turns[0].text == SAID


async def test_without_a_form_a_refusal_is_what_the_model_said() -> None:
    with ChatServer([completion(None, message={"refusal": "No."})]) as server:
        client = client_of("chat", server)
        assert (await client.complete(ASK, ())).text == "No."
        await client.aclose()


async def test_a_scripted_model_notes_the_form() -> None:
    model = ScriptedModel([ModelTurn(text=SAID)])
    await model.complete(ASK, (), form=FORM)
    assert model.requests[0].form == FORM


@pytest.mark.parametrize("name", ["", "with blank", "x" * 65, "ä"])
def test_a_name_that_endpoints_would_refuse_is_refused_by_us(name: str) -> None:
    with pytest.raises(ValidationError):
        AnswerForm(name=name, parameters={})


def test_a_form_is_json() -> None:
    assert json.loads(FORM.model_dump_json())["parameters"] == SCHEMA
