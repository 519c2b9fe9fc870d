"""Rewards: the rules' part, the judge's part, their sum, and a run whose replies are kept and used again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run_command
from tests.kit.public import PUBLIC, needs_public
from tests.servers.openai_server import JsonObject, Reply
from tests.unit.llm.chat_server import ChatServer, completion
from verifaible.crypto.planning.caller import Call, read_prompts, tools
from verifaible.crypto.planning.reward import correctness, reward_of, violations
from verifaible.llm.scripted import ScriptedModel
from verifaible.schema.chat import ModelTurn, Usage

FILES = PUBLIC / "coinvisor"
PRICE, CHART, TOP = "realTimeMarketInfoTool", "klineAnalysisTool", "popularCryptocurrencyTool"


def one(name: str, **arguments: Any) -> Call:
    return Call(name=name, arguments=arguments)


@pytest.mark.parametrize(
    ("calls", "kinds", "expected"),
    [
        ([one(PRICE, symbol="QUX"), one(CHART, symbol="QUX", days=30)], [], 1),
        ([one(PRICE)], ["parameter"], 2 / 3),
        ([one(PRICE, symbol="QUX", venue="x")], ["parameter"], 2 / 3),
        ([one(PRICE, symbol=7)], ["type"], 2 / 3),
        ([one(CHART, symbol="QUX", days=0)], ["parameter"], 2 / 3),
        ([one(CHART, symbol="QUX", days="30")], ["type"], 2 / 3),
        ([one(PRICE, symbol="Q"), one(PRICE, symbol="Q")], ["duplicate"], 2.5 / 3),
        (
            [one(PRICE), one(CHART), one(PRICE, symbol=1), one(CHART, symbol=1)],
            ["parameter"] * 2 + ["type"] * 2,
            0,
        ),
        ([Call(name=PRICE, arguments='{"symbol": ')], ["fatal"], 0),
    ],
)
def test_correctness_takes_a_penalty_for_each_violation(
    calls: Sequence[Call], kinds: list[str], expected: float
) -> None:
    found = violations(calls)
    assert [each.kind for each in found] == kinds
    assert correctness(found) == pytest.approx(expected)


@needs_public("coinvisor")
def test_the_annotated_calls_are_all_correct() -> None:
    for prompt in read_prompts(FILES / "gt.json"):
        assert correctness(violations(prompt.tool_call)) == 1, prompt


async def test_the_judge_reads_every_tool_the_question_and_the_calls() -> None:
    model = ScriptedModel([ModelTurn(text='{"coverage": 8.5, "relevance": 10}', usage=Usage())])
    made = await reward_of(1, "What is QUX worth?", [one(PRICE, symbol="QUX")], model)
    assert made.reward == pytest.approx(0.7 * 0.88 + 0.3)
    system, question = (each.text for each in model.requests[0].messages)
    assert all(each.name in system for each in tools()[:-1])
    assert question == f'Question: What is QUX worth?\nCalls: {PRICE} {{"symbol": "QUX"}}'


@pytest.mark.parametrize("said", ["", "9 and 8", '{"coverage": 11, "relevance": 3}', '{"coverage": 5}'])
async def test_a_judge_that_gives_no_scores_is_a_failure_and_no_reward(said: str) -> None:
    model = ScriptedModel([ModelTurn(text=said, usage=Usage())])
    made = await reward_of(1, "p", [], model)
    assert (made.reward, made.scores, made.correct) == (None, None, 1)
    assert made.error


def test_a_run_keeps_its_rewards_and_asks_again_only_for_those_that_failed(tmp_path: Path) -> None:
    asked: list[JsonObject] = []

    def answer(body: JsonObject) -> Reply:
        asked.append(body)
        bad = "Who moved" in str(body["messages"])
        return completion("no idea" if bad else '{"coverage": 6, "relevance": 8}')

    entries = [
        {"prompt": "Is QUX worth buying?", "tool_call": [{"name": PRICE, "arguments": {"symbol": "QUX"}}]},
        {"prompt": "What is a block?", "tool_call": []},
        {"prompt": "Who moved QUX today?", "tool_call": [{"name": TOP, "arguments": {"top_n": "many"}}]},
    ]
    file, out = tmp_path / "calls.json", tmp_path / "out"
    file.write_text(json.dumps(entries), encoding="utf-8")

    def run(*arguments: str) -> Any:
        return run_command(
            ["crypto", "reward", "--prompts", str(file), "--calls", str(file), "--json", *arguments],
            environment={"VERIFAIBLE_HOME": str(tmp_path), "VERIFAIBLE_RETRY_S": "1", "HOME": str(tmp_path)},
            folder=tmp_path,
        )

    with ChatServer(answer) as server:
        place = (
            "--judge",
            "maker/judge",
            "--base-url",
            server.base_url,
            "--api",
            "chat",
            "--output",
            str(out),
        )
        first = run(*place)
        assert len(asked) == 3
        again = run(*place)
        elsewhere = run(*place, "--base-url", "http://127.0.0.1:9/v1")
        spoken = run(*place, "--api", "responses")
        info = out / "reward.json"
        locked = json.loads(info.read_text(encoding="utf-8"))
        locked["locked"]["prompt"] = "of another version"
        info.write_text(json.dumps(locked), encoding="utf-8")
        prompted = run(*place)
    assert first.returncode == 1, first.stderr
    assert len(asked) == 4
    for ran, differing in ((elsewhere, "endpoint"), (spoken, "endpoint"), (prompted, "prompt")):
        assert (ran.returncode, f"differs in: {differing}." in " ".join(ran.stderr.split())) == (2, True)
    told, repeated = json.loads(first.stdout), json.loads(again.stdout)
    assert [each["reward"] for each in told["rewards"]] == [
        pytest.approx(0.7 * 0.64 + 0.3),
        pytest.approx(0.7 * 0.64 + 0.3),
        None,
    ]
    assert told["mean"] == pytest.approx(0.748)
    assert "1 of 3 plans have no reward" in told["warnings"][0]
    assert [each["reward"] for each in repeated["rewards"]] == [each["reward"] for each in told["rewards"]]
    alone = json.loads(run().stdout)
    assert [each["correct"] for each in alone["rewards"]] == [1, 1, pytest.approx(2 / 3)]
    assert alone["mean"] is None
