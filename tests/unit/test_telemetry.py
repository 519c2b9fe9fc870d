"""Spans and figures of a process: off they cost nothing; on they say which model was asked, and not what."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.servers.openai_server import error
from tests.servers.otlp_receiver import Receiver
from tests.unit.llm.chat_server import ChatServer, completion
from tests.unit.llm.test_chat import client_of
from verifaible import telemetry
from verifaible.errors import ConfigError, KeyRejected
from verifaible.schema.chat import Message

KEY = "sk-planted-7d1f0c2e9b"
ASK = (Message(role="user", text="How many bureaus are there?"),)


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    pytest.importorskip("opentelemetry.sdk", reason="the extra telemetry is not installed")
    made = Receiver()
    monkeypatch.setattr(telemetry._Process, "sending", None)
    telemetry.start(made.address)
    sending = telemetry._Process.sending
    assert sending is not None
    yield made
    sending._spans.shutdown()
    sending._figures.shutdown()
    made.server.shutdown()


def test_off_nothing_is_imported_and_no_span_is_made() -> None:
    tried = (
        "import sys; from verifaible import telemetry; from verifaible.tools import toolbox\n"
        "with telemetry.span('a') as one, telemetry.span('b') as other: assert one is other\n"
        "telemetry.count('c', 1, 's'); assert telemetry.carried() == {}\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]"
    )
    subprocess.run([sys.executable, "-c", tried], check=True, timeout=300)


async def test_a_model_call_is_seen_by_the_conventions_and_not_what_was_said(receiver: Receiver) -> None:
    with ChatServer([completion("There are 36 bureaus."), error(401, "Wrong key.")]) as server:
        client = client_of(server, key=KEY)
        await client.complete(ASK, ())
        with pytest.raises(KeyRejected):
            await client.complete(ASK, ())
        await client.aclose()
    telemetry.flush()
    answered, refused = receiver.spans()
    told = {each.key: each.value for each in answered.attributes}
    assert answered.name == f"chat {client.entry.slug}" and answered.kind == 3  # a client
    assert told["gen_ai.operation.name"].string_value == "chat"
    assert told["gen_ai.request.model"].string_value == client.entry.slug
    assert told["gen_ai.usage.input_tokens"].int_value > 0
    assert {each.key: each.value.string_value for each in refused.attributes}[
        "error.type"
    ] == KeyRejected.code
    assert refused.status.code == 2 and not refused.status.message and not refused.events
    assert {"gen_ai.client.token.usage", "gen_ai.client.operation.duration"} <= receiver.metrics().keys()
    for secret in (KEY, "bureaus", "Wrong key"):
        assert secret.encode() not in receiver.sent, secret


async def test_work_elsewhere_is_part_of_the_trace_that_was_carried_there(receiver: Receiver) -> None:
    async def work() -> str:
        with telemetry.span("work"):
            return "done"

    with telemetry.span("run"):
        trace = telemetry.carried()
    assert await telemetry.within(trace, work()) == "done"
    telemetry.flush()
    assert ["run", "work"] in receiver.chains()


def test_an_address_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.sdk", reason="the extra telemetry is not installed")
    monkeypatch.setattr(telemetry._Process, "sending", None)
    with pytest.raises(ConfigError, match=r"OTEL_EXPORTER_OTLP_ENDPOINT.*127\.0\.0\.1:4318.*to nothing"):
        telemetry.start("collector:4318")


def test_where_the_extra_is_missing_both_variables_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry._Process, "sending", None)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter", None)
    for name in [each for each in sys.modules if each.startswith("opentelemetry.exporter.otlp")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ConfigError, match=r"OTEL_EXPORTER_OTLP_ENDPOINT.*verifaible\[telemetry\]"):
        telemetry.start("http://127.0.0.1:4318")
