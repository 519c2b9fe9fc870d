"""Tool planning: how calls are counted, the published table made again, simulated runs over real HTTP, reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.command_line import run_command
from tests.kit.public import PUBLIC, needs_public
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, error
from tests.unit.llm.chat_server import ChatServer, call, completion
from verifaible.crypto.planning.caller import (
    MAX_DECISIONS,
    Call,
    Plan,
    PlanRun,
    Prompt,
    System,
    read_calls,
    read_prompts,
    tools,
)
from verifaible.crypto.planning.metrics import Measured, baselines, measured, overlap
from verifaible.crypto.planning.report import PUBLISHED_ROWS, PUBLISHED_SHA256, prompts_sha256
from verifaible.crypto.planning.run import PLANS, Planning, run_plans
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


@pytest.mark.parametrize(
    ("called", "needed", "expected"),
    [
        ({"a"}, {"a", "b"}, (1.0, 0.5)),
        ({"a", "b", "c", "d"}, {"a"}, (0.25, 1.0)),
        ({"c"}, {"a"}, (0.0, 0.0)),
        (set(), {"a"}, (0.0, 0.0)),
        ({"a"}, set(), (0.0, 0.0)),
        (set(), set(), (1.0, 1.0)),
    ],
)
def test_a_prompt_counts_as_the_paper_counts_it(
    called: set[str], needed: set[str], expected: tuple[float, float]
) -> None:
    assert overlap(called, needed) == expected


def test_f1_is_of_the_means_and_a_tool_called_twice_counts_once() -> None:
    made = system("m", PROMPTS, calls(PRICE, PRICE, symbol="QUX"), (), calls(PRICE, CHAIN, symbol="QUX"))
    one = measured(PROMPTS, made)
    assert (one.names.precision, one.names.recall) == pytest.approx((2.5 / 3, 2.5 / 3))
    assert one.names.f1 == pytest.approx(2.5 / 3)
    assert (one.exact, one.rightly_idle, one.idle, one.wrongly_idle, one.prompts) == (1, 1, 1, 0, 3)


def test_arguments_count_by_their_values_and_not_by_their_order() -> None:
    needed = (Prompt(prompt="p", tool_call=(Call(name=CHART, arguments={"symbol": "Q", "days": 90}),)),)
    same = system("m", needed, (Call(name=CHART, arguments={"days": 90, "symbol": "Q"}),))
    other = system("m", needed, (Call(name=CHART, arguments={"symbol": "Q"}),))
    assert measured(needed, same).with_arguments.f1 == 1
    assert (measured(needed, other).names.f1, measured(needed, other).with_arguments.f1) == (1, 0)


def test_a_prompt_that_failed_scores_nothing_even_where_nothing_was_needed() -> None:
    one = measured(PROMPTS, system("m", PROMPTS, PROMPTS[0].tool_call, None, PROMPTS[2].tool_call))
    assert one.names.precision == one.names.recall == pytest.approx(2 / 3)
    assert (one.failed, one.rightly_idle, one.exact) == (1, 0, 2)


@needs_prompts
def test_table_1_comes_out_of_the_public_files() -> None:
    prompts = read_prompts(FILES / "gt.json")
    assert prompts_sha256(prompts) == PUBLISHED_SHA256
    for name, printed in zip(("base_xlam", "rl_xlam"), PUBLISHED_ROWS, strict=True):
        one = measured(prompts, read_calls(FILES / f"{name}.json", prompts))
        assert _printed(one) == printed.figures
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
    assert found["always the most common set"].names == seven.names
    never = found["never"]
    assert never.names.f1 == pytest.approx(86 / 500)
    assert (never.rightly_idle, never.wrongly_idle) == (86, 414)


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
        return self.plan(*model, "--out", str(self.folder / "run"), *arguments)


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


def test_a_model_plans_in_parallel_and_nothing_is_executed(setting: Setting) -> None:
    seen: list[JsonObject] = []
    with ChatServer(planner(SAID, seen)) as server:
        result = setting.asked(server, "--json")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    one = told["systems"][0]
    assert (one["names"]["precision"], one["names"]["recall"], one["exact"]) == (1, 1, 3)
    assert len(seen) == 5
    assert [tool["function"]["name"] for tool in seen[0]["tools"]] == [each.name for each in tools()]
    results = [each["content"] for body in seen for each in body["messages"] if each["role"] == "tool"]
    assert set(results) == {"simulated"}
    run = setting.folder / "run"
    assert {each.name for each in run.iterdir()} >= {
        "plan.json", "plans.jsonl", "calls.json", "calls.jsonl", "report.md", "tables.json",
    }  # fmt: skip
    again = setting.plan("--calls", str(run / "calls.json"), "--json")
    assert json.loads(again.stdout)["systems"][0]["names"] == one["names"]


def test_a_caller_decides_at_most_six_times(setting: Setting) -> None:
    seen: list[JsonObject] = []
    endless = {each.prompt: [[call(PRICE, {"symbol": str(at)})] for at in range(20)] for each in PROMPTS}
    with ChatServer(planner(endless, seen)) as server:
        assert setting.asked(server).returncode == 0
    assert len(seen) == 3 * MAX_DECISIONS == 18


def test_no_tool_call_ends_a_plan_and_is_no_tool(setting: Setting) -> None:
    seen: list[JsonObject] = []
    stopping = {each.prompt: [[call("no_tool_call", {})], [call(PRICE, {})]] for each in PROMPTS}
    with ChatServer(planner(stopping, seen)) as server:
        told = json.loads(setting.asked(server, "--json").stdout)
    assert len(seen) == 3
    assert (told["systems"][0]["rightly_idle"], told["systems"][0]["wrongly_idle"]) == (1, 2)


def test_a_tool_that_does_not_exist_counts_as_called_and_the_model_is_told(setting: Setting) -> None:
    seen: list[JsonObject] = []
    said = {PROMPTS[2].prompt: [[call("onChainTool", "{no json"), call(CHAIN, {"symbol": "QUX"}, "call_2")]]}
    with ChatServer(planner(said, seen)) as server:
        told = json.loads(setting.asked(server, "--json").stdout)
    assert told["systems"][0]["names"]["precision"] == pytest.approx(1.5 / 3)
    replies = [each["content"] for each in seen[-1]["messages"] if each["role"] == "tool"]
    assert "no tool" in replies[0] and replies[1] == "simulated"


def test_a_failed_prompt_stays_counted_and_is_asked_again_alone(setting: Setting) -> None:
    seen: list[JsonObject] = []
    sound = planner(SAID, seen)

    broken = True

    def failing(body: JsonObject) -> Reply:
        fails = broken and body["messages"][-1]["content"] == PROMPTS[2].prompt
        return error(400, "No.") if fails else sound(body)

    with ChatServer(failing) as server:
        result = setting.asked(server, "--json")
        broken = False
        seen.clear()
        over = setting.asked(server)
        again = setting.asked(server, "--resume", "--json")
    assert result.returncode == 1
    one = json.loads(result.stdout)["systems"][0]
    assert (one["failed"], one["prompts"]) == (1, 3)
    assert one["names"]["recall"] == pytest.approx(2 / 3)
    assert over.returncode == 2 and "--resume" in over.stderr  # never over what is there
    assert again.returncode == 0
    assert {body["messages"][1]["content"] for body in seen} == {PROMPTS[2].prompt}
    assert json.loads(again.stdout)["systems"][0]["names"]["recall"] == 1


def test_a_kill_costs_only_the_prompt_under_way(setting: Setting) -> None:
    seen: list[JsonObject] = []
    with ChatServer(planner(SAID, seen)) as server:
        setting.asked(server)
        path = setting.folder / "run" / "plans.jsonl"
        path.write_bytes(path.read_bytes()[:-20])
        seen.clear()
        assert setting.asked(server, "--resume").returncode == 0
    assert {body["messages"][1]["content"] for body in seen} == {PROMPTS[2].prompt}


def test_other_prompts_do_not_go_on_in_the_same_folder(setting: Setting) -> None:
    with ChatServer(planner(SAID, [])) as server:
        setting.asked(server)
        written(setting.prompts, PROMPTS[:2])
        result = setting.asked(server, "--resume")
    assert result.returncode == 2
    assert "differs in: prompts" in result.stderr


def test_a_run_is_replayed_without_a_model(setting: Setting) -> None:
    with ChatServer(planner(SAID, [])) as server:
        first = json.loads(setting.asked(server, "--json").stdout)
    result = setting.plan("--replay", str(setting.folder / "run"), "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["systems"] == first["systems"]
    assert "5 requests word for word" in result.stderr


def test_a_rejected_key_ends_the_run(setting: Setting) -> None:
    seen: list[JsonObject] = []
    with ChatServer(lambda body: seen.append(body) or error(401, "Incorrect API key provided.")) as server:  # type: ignore[func-returns-value]
        result = setting.asked(server)
    assert result.returncode == 2
    assert len(seen) == 1


def test_a_limit_of_cost_needs_a_price(setting: Setting) -> None:
    with ChatServer(lambda body: completion("Nothing is needed.")) as server:
        refused = setting.asked(server, "--max-cost", "0.01")
    assert refused.returncode == 2 and "not known" in refused.stderr
    assert server.requests == []


async def test_prompts_that_the_money_does_not_reach_stay_counted(tmp_path: Path) -> None:
    client = ScriptedModel([ModelTurn(text="None.", usage=Usage(input_tokens=9, cost_usd=0.02))] * 3)
    info = PlanRun(model="m", described="m", started_at=datetime.now(UTC), version="0", locked={})
    spent = await run_plans(
        PROMPTS, tmp_path, Planning(client, info, at_once=3, most_cost_usd=0.01), resume=False
    )
    assert len(client.requests) == 1
    assert measured(PROMPTS, spent).failed == 2
    more = await run_plans(PROMPTS, tmp_path, Planning(client, info, most_cost_usd=1), resume=True)
    assert (len(client.requests), measured(PROMPTS, more).failed) == (3, 0)
    assert sum(each.usage.cost_usd or 0.0 for each in Lines(tmp_path / PLANS, Plan)) == pytest.approx(0.06)


# --- reports


def test_two_files_stand_side_by_side_and_published_rows_stand_only_where_asked_for(setting: Setting) -> None:
    half = written(
        setting.folder / "half.json",
        [PROMPTS[0].model_copy(update={"tool_call": calls(PRICE)}), *PROMPTS[1:]],
    )
    whole = written(setting.folder / "whole.json", PROMPTS)
    out = setting.folder / "out"
    result = setting.plan("--calls", str(whole), "--calls", str(half), "--out", str(out))
    assert result.returncode == 0, result.stderr
    assert "whole" in result.stdout and "half" in result.stdout
    page = (out / "report.md").read_text(encoding="utf-8")
    assert "always the" in page and "published" not in page
    beside = setting.plan("--calls", str(whole), "--published")
    assert "0.528" in beside.stdout
    assert "other prompts" in beside.stdout


def test_the_command_wants_one_thing_to_measure(setting: Setting) -> None:
    assert setting.plan().returncode == 2
    assert setting.plan("--model", "glm-5", "--replay", str(setting.folder)).returncode == 2
