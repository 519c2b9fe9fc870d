"""Refusals in the words of each provider: each has its error and its sentence, and is asked for once."""

from __future__ import annotations

import pytest

from tests.kit.suites import Row, load
from tests.servers.openai_server import OpenAIServer, Reply
from tests.unit.llm.chat_server import ChatServer
from verifaible import errors
from verifaible.errors import ModelRejected
from verifaible.llm.catalogue import resolve
from verifaible.llm.chat import ChatClient
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.failures import Asked, Passing, from_status
from verifaible.llm.responses import ResponsesClient
from verifaible.schema.chat import Message

ASK = (Message(role="user", text="城市?"),)
KEY = "sk-test"
SERVED = {"chat": (ChatServer, ChatClient), "responses": (OpenAIServer, ResponsesClient)}
CASES = [
    pytest.param(row, api, id=f"{row.id}:{api}")
    for row in load("model_refusals")
    for api in row.input["apis"]
]


@pytest.mark.parametrize(("row", "api"), CASES)
async def test_a_refusal_has_its_name_and_is_not_repeated(row: Row, api: str) -> None:
    served, kind = SERVED[api]
    with served([Reply(row.input["body"], row.input["status"])]) as server:
        client = kind(resolve("glm-5"), Endpoint(server.base_url, KEY, "OPENROUTER_API_KEY"))
        with pytest.raises(ModelRejected) as caught:
            await client.complete(ASK, ())
        await client.aclose()
    assert type(caught.value) is getattr(errors, row.expect["error"])
    said = str(caught.value)
    assert said.endswith(".") and KEY not in said
    assert not [words for words in row.expect["says"] if words not in said]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "wait_s"),
    [
        ({"error": {"code": 429, "message": "x", "details": [{"retryDelay": "36s"}]}}, 36),
        ([{"error": {"code": 429, "message": "x", "details": [{"retryDelay": "1.5s"}]}}], 1.5),
        ({"error": {"code": 429, "message": "x", "metadata": {"headers": {"Retry-After": "90"}}}}, 90),
        ({"error": {"code": 429, "message": "x", "metadata": {"headers": {"X-RateLimit-Reset": "1"}}}}, 0),
        ({"error": {"code": 429, "message": "x"}}, None),
    ],
)
def test_the_wait_that_a_body_names_is_heeded(body: object, wait_s: float | None) -> None:
    asked = Asked(Endpoint("https://api.example/v1", KEY, "OPENROUTER_API_KEY"), "/chat/completions", "m")
    found = from_status(429, body, {}, asked)
    assert isinstance(found, Passing)
    assert found.retry_after_s == wait_s
