"""Tool planning: how calls are counted, the published table made again, simulated runs over real HTTP, reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.command_line import run_command
from tests.kit.public import PUBLIC, needs_public
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, error
from tests.unit.crypto.scripted import calls as scripted
from tests.unit.llm.chat_server import ChatServer, call, completion
from verifaible.crypto.planning.caller import (
    Call,
    Plan,
    Prompt,
    System,
    plan,
    read_calls,
    read_prompts,
    tools,
)
from verifaible.crypto.planning.measure import (
    PLANS,
    PUBLISHED_ROWS,
    PUBLISHED_SHA256,
    Measured,
    baselines,
    measured,
    prompts_sha256,
    run_plans,
)
from verifaible.errors import RunError
from verifaible.llm.scripted import ScriptedModel
from verifaible.runs.lines import Lines
from verifaible.schema.chat import ModelTurn, Usage

FILES = PUBLIC / "coinvisor"
PRICE, CHART, CHAIN = "realTimeMarketInfoTool", "klineAnalysisTool", "onChainInfoTool"
needs_prompts = needs_public("coinvisor")


def calls(*names: str, **arguments: Any) -> tuple[Call, ...]:
    return tuple(Call(name=name, arguments=arguments) for name in names)


def system(name: str, prompts: Sequence[Prompt], *made: tuple[Call, ...] | None) -> System:
    return System(name=name, calls={each.prompt: said for each, said in zip(prompts, made, strict=True)})


def written(path: Path, prompts: Sequence[Prompt]) -> Path:
    path.write_text(json.dumps([each.model_dump() for each in prompts]), encoding="utf-8")
    return path


PROMPTS = (
    Prompt(prompt="Is QUX worth buying?", tool_call=calls(PRICE, CHART, symbol="QUX")),
    Prompt(prompt="What is a block?", tool_call=()),
    Prompt(prompt="Who moved QUX today?", tool_call=calls(CHAIN, symbol="QUX")),
)


def test_a_prompt_that_failed_scores_nothing_even_where_nothing_was_needed() -> None:
    one = measured(PROMPTS, system("m", PROMPTS, PROMPTS[0].tool_call, None, PROMPTS[2].tool_call))
    assert one.names.precision == one.names.recall == pytest.approx(2 / 3)
    assert (one.failed, one.exact) == (1, 2)


@needs_prompts
def test_table_1_comes_out_of_the_public_files() -> None:
    prompts = read_prompts(FILES / "gt.json")
    assert prompts_sha256(prompts) == PUBLISHED_SHA256
    for name, printed in zip(("base_xlam", "rl_xlam"), PUBLISHED_ROWS, strict=True):
        one = measured(prompts, read_calls(FILES / f"{name}.json", prompts))
        assert _printed(one) == printed[1:]
    with_arguments = [
        f"{measured(prompts, read_calls(FILES / f'{name}.json', prompts)).with_arguments.f1:.3f}"
        for name in ("base_xlam", "rl_xlam")
    ]
    assert with_arguments == ["0.350", "0.399"]


def _printed(one: Measured) -> tuple[str, ...]:
    return tuple(f"{value:.3f}" for value in (one.names.recall, one.names.precision, one.names.f1))


@needs_prompts
def test_a_caller_that_always_calls_the_seven_common_tools_beats_both() -> None:
    prompts = read_prompts(FILES / "gt.json")
    found = {each.name: measured(prompts, each) for each in baselines(prompts)}
    seven = found["always the 7 common tools"]
    assert f"{seven.names.f1:.3f}" == "0.784"
    never = found["never"]
    assert never.names.f1 == pytest.approx(86 / 500)


@needs_prompts
def test_the_tools_are_those_of_the_annotated_calls_and_take_their_arguments() -> None:
    known = {tool.name: tool.parameters for tool in tools()[:-1]}
    made = [each for prompt in read_prompts(FILES / "gt.json") for each in prompt.tool_call]
    assert set(known) == {each.name for each in made}
    for each in made:
        assert isinstance(each.arguments, dict)
        assert (
            set(known[each.name].get("required", ()))
            <= set(each.arguments)
            <= set(known[each.name]["properties"])
        )


# --- files


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("{}", "list"),
        ('[{"prompt": "a", "tool_call": [{"arguments": {}}]}]', r"entry 1, tool_call\.0\.name"),
        ('[{"prompt": "a"}]', "entry 1, tool_call"),
        ('[{"prompt": "a", "tool_call": []}, {"prompt": "a", "tool_call": []}]', "entry 2"),
        ("[]", "no prompt"),
    ],
)
def test_a_file_of_prompts_with_a_fault_is_refused_with_its_place(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "prompts.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RunError, match=said):
        read_prompts(path)


def test_calls_that_lack_a_prompt_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="1 of 3 prompts"):
        read_calls(written(tmp_path / "calls.json", PROMPTS[:2]), PROMPTS)


# --- runs


class Setting:
    """The command with a scripted model behind a local server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prompts = written(folder / "prompts.json", PROMPTS)

    def plan(self, *arguments: str) -> CompletedProcess[str]:
        environment = {
            "VERIFAIBLE_HOME": str(self.folder),
            "VERIFAIBLE_RETRY_S": "1",
            "HOME": str(self.folder),
        }
        return run_command(
            ["crypto", "plan", "--prompts", str(self.prompts), *arguments],
            environment=environment,
            folder=self.folder,
        )

    def asked(self, server: OpenAIServer, *arguments: str) -> CompletedProcess[str]:
        model = ("--model", "maker/model-1", "--base-url", server.base_url, "--api", "chat")
        return self.plan(*model, "--output", str(self.folder / "run"), *arguments)


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(tmp_path)


def planner(said: dict[str, list[list[JsonObject]]], seen: list[JsonObject]) -> Callable[[JsonObject], Reply]:
    """A model that calls what it is told to by prompt and by decision, and then stops."""

    def answer(body: JsonObject) -> Reply:
        seen.append(body)
        prompt = next(each["content"] for each in body["messages"] if each["role"] == "user")
        decision = sum(each["role"] == "assistant" for each in body["messages"])
        made = said.get(prompt, [])
        return completion("", *made[decision]) if decision < len(made) else completion("Done.")

    return answer


SAID = {
    PROMPTS[0].prompt: [
        [call(PRICE, {"symbol": "QUX"}), call(CHART, {"symbol": "QUX"}, "call_2")],
        [call("no_tool_call", {})],
    ],
    PROMPTS[2].prompt: [[call(CHAIN, {"symbol": "QUX"})]],
}


def test_a_model_plans_in_parallel_and_what_failed_is_asked_again_alone(setting: Setting) -> None:
    seen: list[JsonObject] = []
    sound, broken = planner(SAID, seen), True

    def failing(body: JsonObject) -> Reply:
        fails = broken and body["messages"][-1]["content"] == PROMPTS[2].prompt
        return error(400, "No.") if fails else sound(body)

    with ChatServer(failing) as server:
        refused = setting.asked(server, "--max-cost", "0.01")
        result = setting.asked(server, "--json")
        broken, first = False, list(seen)
        seen.clear()
        again = setting.asked(server, "--json")
        written(setting.prompts, PROMPTS[:2])
        other = setting.asked(server)
    written(setting.prompts, PROMPTS)
    assert refused.returncode == 2 and "not known" in refused.stderr
    # in parallel, and nothing is executed
    assert [tool["function"]["name"] for tool in first[0]["tools"]] == [each.name for each in tools()]
    results = [each["content"] for body in first for each in body["messages"] if each["role"] == "tool"]
    assert results == ["simulated", "simulated"]
    # what failed counts 0 and stays in every mean
    one = json.loads(result.stdout)["systems"][0]
    assert result.returncode == 1
    assert (one["failed"], one["prompts"], one["names"]["recall"]) == (1, 3, pytest.approx(2 / 3))
    assert (again.returncode, {body["messages"][1]["content"] for body in seen}) == (0, {PROMPTS[2].prompt})
    told = json.loads(again.stdout)["systems"]
    assert (told[0]["names"]["precision"], told[0]["names"]["recall"], told[0]["exact"]) == (1, 1, 3)
    assert other.returncode == 2 and "differs in: prompts" in other.stderr
    # the plans can be measured again from the public form
    run = setting.folder / "run"
    calls_again = json.loads(setting.plan("--calls", str(run / "calls.json"), "--json").stdout)
    assert calls_again["systems"][0]["names"] == told[0]["names"]


async def test_a_tool_that_does_not_exist_counts_as_called_and_the_model_is_told() -> None:
    client = ScriptedModel(
        [scripted(("onChainTool", {}), (CHAIN, {"symbol": "QUX"})), ModelTurn(text="Done.")]
    )
    made = await plan(1, PROMPTS[2].prompt, client)
    assert [each.name for each in made.tool_call] == ["onChainTool", CHAIN]
    replies = [each.text for each in client.requests[1].messages if each.role == "tool"]
    assert "no tool" in replies[0] and replies[1] == "simulated"


async def test_prompts_that_the_money_does_not_reach_stay_counted(tmp_path: Path) -> None:
    client = ScriptedModel([ModelTurn(text="None.", usage=Usage(input_tokens=9, cost_usd=0.02))] * 3)
    made = await run_plans(PROMPTS, tmp_path, client, at_once=3, most_cost_usd=0.01)
    assert (len(client.requests), measured(PROMPTS, System("m", made)).failed) == (1, 2)
    made = await run_plans(PROMPTS, tmp_path, client, most_cost_usd=1)
    assert (len(client.requests), measured(PROMPTS, System("m", made)).failed) == (3, 0)
    assert sum(each.usage.cost_usd or 0.0 for each in Lines(tmp_path / PLANS, Plan)) == pytest.approx(0.06)


# --- reports


def test_two_files_stand_side_by_side_and_published_rows_stand_only_where_asked_for(setting: Setting) -> None:
    half = written(
        setting.folder / "half.json",
        [PROMPTS[0].model_copy(update={"tool_call": calls(PRICE)}), *PROMPTS[1:]],
    )
    whole = written(setting.folder / "whole.json", PROMPTS)
    out = setting.folder / "out"
    result = setting.plan("--calls", str(whole), "--calls", str(half), "--output", str(out))
    assert result.returncode == 0, result.stderr
    assert "whole" in result.stdout and "half" in result.stdout
    page = (out / "report.md").read_text(encoding="utf-8")
    assert "always the" in page and "published" not in page
    beside = setting.plan("--calls", str(whole), "--published")
    assert "0.528" in beside.stdout
    assert "other prompts" in beside.stdout
