"""Answers told while they come: both APIs against a local server, over real HTTP and the real openai library."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, error, message, response
from tests.unit.llm.chat_server import ChatServer, completion
from verifaible.errors import ContentRefused, ModelUnreachable
from verifaible.llm.catalogue import resolve
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.opening import ChatClient, ResponsesClient
from verifaible.llm.retry import RetryPolicy
from verifaible.llm.scripted import ScriptedModel
from verifaible.llm.streaming import StreamingClient, streamed
from verifaible.schema.chat import Message, ModelTurn

ASK = (Message(role="system", text="Be exact."), Message(role="user", text="城市?"))
PIECES = ("重庆 is ", "the city", ", by 2", "4,000 km².")
TEXT = "".join(PIECES)


def chunks(*pieces: str, finish: str = "stop", **delta: Any) -> tuple[JsonObject, ...]:
    """Chunks of Chat Completions."""

    def chunk(delta: JsonObject, finish: str | None = None) -> JsonObject:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "model": "m",
            "choices": choices,
            "usage": None,
        }

    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "cost": 0.01}
    return (
        *(chunk({"role": "assistant", "content": each, **delta}) for each in pieces),
        *([chunk({}, finish)] if finish else []),
        *([{"id": "chatcmpl-1", "model": "m", "choices": [], "usage": usage}] if finish else []),
    )


def parts(*pieces: str, last: str = "completed", **fields: Any) -> tuple[JsonObject, ...]:
    """Events of the Responses API."""
    deltas = ({"type": "response.output_text.delta", "delta": each, "item_id": "msg_1"} for each in pieces)
    body = response(message("".join(pieces)), cost=0.01).body
    assert isinstance(body, dict)
    ended = {"type": f"response.{last}", "response": {**body, "status": last, **fields}}
    return {"type": "response.created", "response": {}}, *deltas, ended


class Api:
    """One of the two APIs, with its server and its form of events."""

    def __init__(self, name: str) -> None:
        self.chat = name == "chat"
        self.events = chunks if self.chat else parts

    def server(self, *replies: Reply) -> OpenAIServer:
        return (ChatServer if self.chat else OpenAIServer)(replies)

    def client(self, server: OpenAIServer) -> ChatClient | ResponsesClient:
        place = Endpoint(base_url=server.base_url, api_key="sk-test", key_name="OPENROUTER_API_KEY")
        policy = RetryPolicy(total_s=0.5, first_wait_s=0.01, spread=lambda: 0.0)
        return (ChatClient if self.chat else ResponsesClient)(resolve("glm-5"), place, retry=policy)

    async def ask(self, *replies: Reply) -> tuple[ModelTurn, list[tuple[str, bool]], OpenAIServer]:
        told: list[tuple[str, bool]] = []
        with self.server(*replies) as server:
            client = self.client(server)
            try:
                turn = await client.stream(ASK, lambda piece, again: told.append((piece, again)))
            finally:
                await client.aclose()
        return turn, told, server


@pytest.fixture(params=["chat", "responses"])
def api(request: pytest.FixtureRequest) -> Api:
    return Api(request.param)


async def test_text_is_told_while_it_comes(api: Api) -> None:
    first, told = threading.Event(), []

    def take(piece: str, again: bool) -> None:
        told.append(piece)
        first.set()

    with api.server(Reply(events=api.events(*PIECES), pause=first)) as server:
        client = api.client(server)
        assert isinstance(client, StreamingClient)
        # of the Responses API the first event has no text, and the server waits behind it
        if not api.chat:
            first.set()
        turn = await asyncio.wait_for(client.stream(ASK, take), 60)
        await client.aclose()
    assert turn.text == "".join(told) == TEXT
    assert len(told) == len(PIECES)
    assert (turn.usage.input_tokens, turn.usage.output_tokens, turn.usage.cost_usd) == (100, 10, 0.01)
    assert server.requests[0].body["stream"] is True


async def test_an_answer_that_breaks_off_is_asked_for_again(api: Api) -> None:
    whole, part = api.events(*PIECES), api.events("Something else")[: 1 if api.chat else 2]
    for broken in (Reply(events=part), Reply(events=part, drop="middle"), error(503, "busy")):
        turn, told, server = await api.ask(broken, Reply(events=whole))
        assert turn.text == TEXT
        assert len(server.requests) == 2
        begun = max(place for place, (_, again) in enumerate(told) if again) if broken.events else 0
        assert "".join(piece for piece, _ in told[begun:]) == TEXT
    with pytest.raises(ModelUnreachable):
        await api.ask(*[Reply(events=part)] * 20)


async def test_a_character_that_is_sent_in_two_halves_is_whole(api: Api) -> None:
    turn, _, _ = await api.ask(Reply(events=api.events("It rose \ud83d", "\ude80, says \udc00 who.")))
    assert turn.text == "It rose 🚀, says \ufffd who."
    assert ModelTurn.model_validate_json(turn.model_dump_json()) == turn


async def test_thoughts_are_not_told(api: Api) -> None:
    pieces = ("<thi", "nk>It may be", " Chengdu.</think>", "\n\nIt is ", "重庆.")
    turn, told, _ = await api.ask(Reply(events=api.events(*pieces)))
    assert turn.text == "It is 重庆."
    assert "Chengdu" in turn.reasoning
    begun = max((place for place, (_, again) in enumerate(told) if again), default=0)
    assert "".join(piece for piece, _ in told[begun:]).strip() == turn.text
    assert "Chengdu" not in str(told)


async def test_a_server_that_does_not_stream_is_told_at_the_end(api: Api) -> None:
    whole = completion(TEXT) if api.chat else response(message(TEXT))
    turn, told, _ = await api.ask(whole)
    assert told == [(turn.text, False)] == [(TEXT, False)]
    refused = error(400, "Unknown parameter: 'stream'.")
    turn, told, server = await api.ask(refused, whole)
    assert told == [(TEXT, False)]
    assert "stream" not in server.requests[1].body


async def test_an_error_within_the_stream_is_that_error(api: Api) -> None:
    filtered = api.events("So", finish="content_filter") if api.chat else parts(
        "So", last="incomplete", incomplete_details={"reason": "content_filter"}
    )  # fmt: skip
    with pytest.raises(ContentRefused):
        await api.ask(Reply(events=filtered))
    said = {"error": {"code": 503, "message": "provider is overloaded"}}
    event = {**api.events("So")[0], **said} if api.chat else {"type": "error", **said}
    turn, _, server = await api.ask(Reply(events=(event,)), Reply(events=api.events(*PIECES)))
    assert (turn.text, len(server.requests)) == (TEXT, 2)


async def test_reasoning_beside_the_text_is_kept_and_not_told() -> None:
    turn, told, _ = await Api("chat").ask(Reply(events=chunks("It is.", reasoning="Let me see.")))
    assert (turn.text, turn.reasoning) == ("It is.", "Let me see.")
    assert told == [("It is.", False)]


async def test_a_client_that_cannot_stream_is_told_by_sentences() -> None:
    told: list[str] = []
    model = ScriptedModel([ModelTurn(text="It is 3.5. Or more!\n- a list\n- 終わり。")])
    await streamed(model, ASK, lambda piece, again: told.append(piece))
    assert told == ["It is 3.5. ", "Or more!\n", "- a list\n", "- 終わり。"]
