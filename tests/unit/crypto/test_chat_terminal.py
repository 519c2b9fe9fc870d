"""`verifaible crypto chat` and `crypto demo`: through a pipe, with a model over HTTP, stopped by Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, function_call, message, response
from tests.unit.crypto.working import NOW, REPOSITORY
from verifaible.cli.program import verifaible
from verifaible.crypto.chat.analyst import script
from verifaible.crypto.chat.conversations import (
    Answered,
    ConversationInfo,
    Conversations,
    ToolFinished,
    TurnEnded,
)
from verifaible.crypto.chat.terminal import annotated, lacking
from verifaible.errors import ConfigError
from verifaible.schema.data import NumberEvidence

TEXT = "Bitcoin is at $84,210.00 [src_1#/bitcoin/usd]."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the archives and nothing else."""
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "snapshots" / "sites").symlink_to(REPOSITORY / "snapshots" / "sites")
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    monkeypatch.setenv("VERIFAIBLE_API_KEY", "sk-test")
    return tmp_path


def run(*arguments: str, said: str = "") -> Result:
    return CliRunner().invoke(verifaible, ["crypto", *arguments], input=said, catch_exceptions=False)


def model(body: JsonObject) -> Reply:
    """Looks up the price of Bitcoin, and says it."""
    if not body.get("tools"):
        return response(message(TEXT))
    if any(item.get("type") == "function_call_output" for item in body["input"]):
        return response(function_call("no_tool_call", {}))
    return response(function_call("coingecko_price", {"coins": ["BTC"]}))


def offline(server: OpenAIServer) -> list[str]:
    return ["--model", "some/model", "--web", "offline", "--base-url", server.base_url]


def test_a_question_is_answered_once_for_scripts(home: Path) -> None:
    with OpenAIServer(model) as server:
        done = run("chat", *offline(server), "--once", "How is BTC?")
        told = run("chat", *offline(server), "--once", "How is BTC?", "--json")
    assert done.exit_code == 0
    assert TEXT in done.stdout
    assert "coingecko_price" in done.stderr and "coingecko_price" not in done.stdout
    events = [json.loads(line) for line in told.stdout.splitlines()]
    assert [event["type"] for event in events] == [
        "turn_started", "tool_started", "tool_finished", "answered",
    ]  # fmt: skip


def test_conversations_are_listed_as_json_and_deleted(home: Path) -> None:
    info = ConversationInfo(started_at=NOW, caller="a/b", answerer="c/d")
    name = Conversations(home / "conversations").new(info).id
    (listed,) = map(json.loads, run("chat", "--list", "--json").stdout.splitlines())
    assert (listed["id"], listed["title"], listed["caller"]) == (name, "", "a/b")
    assert "a/b and c/d" in run("chat", "--list").stdout
    deleted = run("chat", "--delete", name)
    assert (deleted.exit_code, deleted.stdout, deleted.stderr) == (0, "", f"Deleted: {name}\n")
    assert run("chat", "--list").stdout == ""


def test_a_model_that_refuses_ends_with_status_1_and_the_reason(home: Path) -> None:
    with OpenAIServer(lambda body: Reply({"error": {"message": "overloaded"}}, 400)) as server:
        done = run("chat", *offline(server), "--once", "How is BTC?")
    assert done.exit_code == 1
    assert "No answer (failed)" in done.stderr and "overloaded" in done.stderr


@pytest.mark.nightly
def test_conversations_go_on_and_are_listed(home: Path) -> None:
    prompt = script().questions[0].prompt
    first = run("chat", "--model", "demo", said=f"{prompt}\n\n/unknown\n/retry\n")
    assert first.exit_code == 0
    assert "-13.1 %" in first.stdout and "[calc_1]" in first.stdout
    assert "/quit" in first.stderr
    (conversation,) = Conversations(home / "conversations").all()
    assert f"--resume {conversation.id}" in first.stderr
    assert len(conversation.turns()) == 1
    again = run("chat", "--resume", conversation.id, said="Something else?\n/quit\n")
    assert "word for word" in again.stdout
    assert len(conversation.turns()) == 2
    with pytest.raises(ConfigError, match="Leave out --model"):
        run("chat", "--resume", conversation.id, "--model", "x")
    assert prompt[:40] in run("chat", "--list").stdout


def test_nothing_is_kept_of_a_conversation_without_a_question(home: Path) -> None:
    assert run("chat", "--model", "demo", said="").exit_code == 0
    assert "Give --model" in run("chat").output
    assert run("chat", "--list").stdout == ""


def test_numbers_without_evidence_are_marked_where_they_stand() -> None:
    answered = Answered(
        text="At 70,000 or 80\x1b[2J.",
        numbers=(
            NumberEvidence(start=3, end=9, status="none"),
            NumberEvidence(start=13, end=15, status="wrong", mark="src_1", reason="It says 81."),
        ),
    )
    assert [annotated(answered), *lacking(answered)] == [
        "At 70,000 [no evidence] or 80 [wrong]�[2J.", "", "Lacking evidence:", "- 70,000: no mark", "- 80: It says 81.",
    ]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another signal there")
def test_ctrl_c_stops_the_answer_and_the_conversation_goes_on(home: Path) -> None:
    asked, held = threading.Event(), threading.Event()

    def hangs(body: JsonObject) -> Reply:
        if body.get("tools"):
            return response(function_call("no_tool_call", {}))
        asked.set()
        return (
            response(message("Here it is."))
            if held.is_set()
            else Reply(response(message("x")).body, hold=held)
        )

    with OpenAIServer(hangs) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "verifaible.cli", "crypto", "chat", *offline(server)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write("How is BTC?\n")
        process.stdin.flush()
        assert asked.wait(120)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        while "Stopped" not in (line := process.stderr.readline()):
            assert line
        held.set()
        (conversation,) = Conversations(home / "conversations").all()
        (turn,) = conversation.turns()
        assert isinstance(turn.end, TurnEnded) and turn.end.reason == "stopped"
        out, _ = process.communicate("/retry\n", timeout=300)
    assert process.returncode == 0
    assert "Here it is." in out


def test_the_demo_says_at_once_which_extra_is_missing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "feedparser", None)
    with pytest.raises(ConfigError, match=r'pip install "verifaible\[crypto\]"'):
        run("demo")
    assert not Conversations(home / "conversations").all()


def test_the_demo_needs_no_key_and_says_what_it_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERIFAIBLE_API_KEY")
    done = run("demo")
    assert done.exit_code == 0, done.output
    assert "scripted" in done.stdout and "replicas" in done.stdout
    for each in script().questions:
        assert f"> {each.prompt}" in done.stdout
    (conversation,) = Conversations(home / "conversations").all()
    ends = [turn.end for turn in conversation.turns()]
    assert len(ends) == len(script().questions)
    numbers = [number for end in ends if isinstance(end, Answered) for number in end.numbers]
    assert len(numbers) >= 18
    assert {number.status for number in numbers} == {"resolved"}
    assert not [end.text for end in ends if isinstance(end, Answered) and "<<" in end.text]
    # each kind of display of the paper's tools, and a value that a call of the model's own computed
    shown = [each for turn in conversation.turns() for each in turn.events if isinstance(each, ToolFinished)]
    assert not [each.text for each in shown if each.error_code]
    assert {display.kind for each in shown for display in each.displays} == {"chart", "report", "table"}
    assert "calculate" in {each.name for each in shown}
