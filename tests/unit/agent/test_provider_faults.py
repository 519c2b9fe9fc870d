"""A trial at each provider's dialect, with each fault in front of each of its calls: it ends with its cited answer, or
with an error of the endpoint. No fault of an endpoint is the model's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import cycle, product

import pytest

from tests.kit.marks import nightly
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, function_call, message, response
from tests.unit.agent.test_loop import CITE, FETCH, TASK
from tests.unit.agent.tools import toolbox
from tests.unit.bench.samples import result
from tests.unit.llm.chat_server import ChatServer, call, completion
from verifaible.agent.base import unwatched
from verifaible.agent.loop import ModelAgent
from verifaible.bench.metrics import is_error
from verifaible.llm.catalogue import ModelEntry
from verifaible.llm.chat import ChatClient
from verifaible.llm.client import RetryPolicy
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.responses import ResponsesClient
from verifaible.schema.run import AgentOutcome

ANSWER = "It is 90.9 [@v:1]."
#: An answer of which the half has come.
HALF = "It is 9"


@dataclass(frozen=True)
class Dialect:
    """How a provider writes answers, and how it says that it failed.

    Attributes:
        said: fields of its message beside the answer.
        fields: of the body.
        busy: the body of its 429.
        own: faults that come with status 200, by name.
        responses: whether it speaks the Responses API.
    """

    busy: JsonObject
    own: Mapping[str, Reply]
    said: JsonObject = field(default_factory=dict)
    fields: JsonObject = field(default_factory=dict)
    responses: bool = False

    def calls(self, name: str, arguments: JsonObject | str) -> Reply:
        if self.responses:
            return response(function_call(name, arguments))
        return completion(None, call(name, arguments), message=self.said, **self.fields)

    def answers(self) -> Reply:
        if self.responses:
            return response(message(ANSWER))
        return completion(ANSWER, message=self.said, **self.fields)


def _cut(reason: str) -> Reply:
    return completion(HALF, finish_reason=reason)


DIALECTS: dict[str, Dialect] = {
    "openrouter": Dialect(
        busy={"error": {"message": "Provider returned error", "code": 429, "metadata": {"provider_name": "Novita"}}},
        said={"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}], "refusal": None},
        fields={"provider": "Novita"},
        own={
            "error in a body": Reply({"error": {"code": 502, "message": "Provider returned error"}}),
            "error in a choice": Reply(
                {"choices": [{"error": {"code": 502, "message": "x"}, "message": {"content": HALF}}]}
            ),
            "cut": _cut("error"),
        },
    ),
    "deepseek": Dialect(
        busy={"error": {"message": "Rate limit reached", "type": "rate_limit_error", "param": None, "code": None}},
        said={"reasoning_content": "Hm."},
        own={"cut": _cut("insufficient_system_resource")},
    ),
    "zai": Dialect(
        busy={"error": {"code": "1302", "message": "High concurrency usage of this API"}},
        said={"reasoning_content": "Hm."},
        fields={"request_id": "r1"},
        own={"cut": _cut("network_error")},
    ),
    "moonshot": Dialect(
        busy={"error": {"message": "The engine is currently overloaded", "type": "engine_overloaded_error"}},
        said={"reasoning_content": "Hm."},
        own={"cut": _cut("abort")},
    ),
    "minimax": Dialect(
        busy={"base_resp": {"status_code": 1002, "status_msg": "rate limit"}},
        said={"reasoning_details": [{"type": "reasoning.text", "text": "Hm."}], "name": "MiniMax AI"},
        fields={"base_resp": {"status_code": 0, "status_msg": ""}, "input_sensitive": False},
        own={
            "busy in a body": Reply({"choices": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}}),
            "failed in a body": Reply({"id": "", "base_resp": {"status_code": 1000, "status_msg": "unknown error"}}),
            "cut": Reply({"choices": [{"message": {"content": HALF}}], "base_resp": {"status_code": 1001}}),
        },
    ),
    "responses": Dialect(
        busy={"error": {"message": "Rate limit reached", "type": "tokens", "code": "rate_limit_exceeded"}},
        own={
            "error in a body": response(
                message(HALF), status="failed", error={"code": "server_error", "message": "x"}
            ),
            "cut": response(message(HALF), status="failed"),
            "cancelled": response(message(HALF), status="cancelled"),
        },
        responses=True,
    ),
}  # fmt: skip

FAULTS: dict[str, Callable[[Dialect], Reply]] = {
    "busy": lambda one: Reply(one.busy, 429, {"Retry-After": "7"}),
    "failing": lambda _: Reply({"error": {"message": "Internal error", "type": "server_error"}}, 500),
    "gateway": lambda _: Reply(b"<html>502 Bad Gateway</html>", 502, {"Content-Type": "text/html"}),
    "reset": lambda _: Reply(drop="before"),
    "broken off": lambda one: Reply(one.answers().body, drop="middle"),
    "half a body": lambda one: Reply(json.dumps(one.answers().body).encode()[:-30]),
    "nothing in it": lambda one: response(output=[]) if one.responses else Reply({"choices": []}),
    "a page": lambda _: Reply(b"<html>We will be back soon</html>", 200, {"Content-Type": "text/html"}),
    "drops": lambda _: Reply({"never": "read"}, drip=True),
    "own": lambda one: one.own["cut"],
}


class Provider:
    """A model that fetches, cites and answers; its endpoint fails at a call, once or from then on."""

    def __init__(self, dialect: Dialect, fault: Reply, at: int, *, lasting: bool) -> None:
        self._dialect = dialect
        self._fault = fault
        self._left = 0 if at < 0 else 10**6 if lasting else 1
        self._at = at

    def __call__(self, body: JsonObject) -> Reply:
        done = json.dumps(body["input"] if self._dialect.responses else body["messages"])
        place = ("Zhengzhou: 90.9" in done) + ("Cited as" in done)
        if self._left and place >= self._at:
            self._left -= 1
            return self._fault
        return self._dialect.calls(*(FETCH, CITE)[place]) if place < 2 else self._dialect.answers()


#: Each dialect, fault and call is in one of these; the other combinations are tried nightly.
USUAL = [*zip(cycle(DIALECTS), FAULTS, cycle((0, 1, 2)))]
combinations = pytest.mark.parametrize(
    ("name", "fault", "at"),
    [each if each in USUAL else nightly(*each) for each in product(DIALECTS, FAULTS, (0, 1, 2))],
)


async def trial(dialect: Dialect, provider: Provider, *, timeout_s: float = 30) -> AgentOutcome:
    """A trial whose waits take no time."""
    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    kind, serves = (ResponsesClient, OpenAIServer) if dialect.responses else (ChatClient, ChatServer)
    with serves(provider) as server:
        client = kind(
            ModelEntry.model_validate({"name": "m", "slug": "maker/m"}),
            Endpoint(server.base_url),
            retry=RetryPolicy(spread=lambda: 0.0),
            timeout_s=timeout_s,
            sleep=sleep,
            clock=lambda: now,
        )
        try:
            return await ModelAgent(client, "m").run(TASK, toolbox(), unwatched)
        finally:
            await client.aclose()


def assert_answered(outcome: AgentOutcome) -> None:
    assert (outcome.answer, outcome.ended_by, outcome.error) == (ANSWER, "answer", "")
    assert [each.text for each in outcome.citations] == ["90.9"]


def assert_the_endpoints(outcome: AgentOutcome) -> None:
    """The trial is shown apart, named, and done again by ``--resume``."""
    assert (outcome.answer, outcome.ended_by) == ("", "model_error")
    assert outcome.error_code in ("model_unreachable", "model_answer_invalid"), outcome.error
    found = result(ended_by=outcome.ended_by, error_code=outcome.error_code, finished_at=datetime.now(UTC))
    assert is_error(found)


@combinations
async def test_a_fault_that_passes_costs_nothing(name: str, fault: str, at: int) -> None:
    dialect = DIALECTS[name]
    timeout_s = 0.5 if fault == "drops" else 30
    provider = Provider(dialect, FAULTS[fault](dialect), at, lasting=False)
    outcome = await trial(dialect, provider, timeout_s=timeout_s)
    assert_answered(outcome)
    assert any(note.startswith("asked again") for note in outcome.notes)


@combinations
async def test_a_fault_that_stays_is_the_endpoints(name: str, fault: str, at: int) -> None:
    dialect = DIALECTS[name]
    timeout_s = 0.2 if fault == "drops" else 30
    provider = Provider(dialect, FAULTS[fault](dialect), at, lasting=True)
    assert_the_endpoints(await trial(dialect, provider, timeout_s=timeout_s))


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name, one in DIALECTS.items() for fault in one.own]
)
async def test_what_only_this_provider_says(name: str, fault: str) -> None:
    dialect = DIALECTS[name]
    assert_answered(await trial(dialect, Provider(dialect, dialect.own[fault], 2, lasting=False)))
    assert_the_endpoints(await trial(dialect, Provider(dialect, dialect.own[fault], 1, lasting=True)))


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("arguments", ['{"url": "http://site', "[1]", "url=x", ""])
async def test_malformed_arguments_reach_the_tool_and_the_trial_goes_on(name: str, arguments: str) -> None:
    dialect = DIALECTS[name]
    outcome = await trial(dialect, Provider(dialect, dialect.calls(FETCH[0], arguments), 0, lasting=False))
    assert_answered(outcome)
    assert outcome.tool_calls == 3


async def test_what_asking_again_does_not_change_has_its_name() -> None:
    dialect = DIALECTS["minimax"]
    reply = Reply({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}})
    outcome = await trial(dialect, Provider(dialect, reply, 0, lasting=True))
    assert (outcome.ended_by, outcome.error_code) == ("model_error", "no_credit")
