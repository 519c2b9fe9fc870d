"""The agent loop: with the scripted model, and over HTTP against the local server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.servers.openai_server import OpenAIServer, function_call, message, reasoning, response
from tests.unit.agent.tools import toolbox
from verifaible.agent.base import Event, Task, unwatched
from verifaible.agent.loop import Limits, ModelAgent, prompt, system_prompt, task_prompt
from verifaible.errors import ContextOverflow, InfrastructureError, ModelRejected, RunError
from verifaible.llm.base import AnswerForm
from verifaible.llm.catalogue import resolve
from verifaible.llm.endpoint import Endpoint
from verifaible.llm.responses import ResponsesClient
from verifaible.llm.scripted import ScriptedModel, ScriptedTurn
from verifaible.schema.case import Case
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec, Usage
from verifaible.schema.run import AgentOutcome, ModelEvent, ToolEvent

PAGE = "http://site.test/page"
CASE = Case.model_validate(
    {
        "id": "case_1",
        "category": "table",
        "language": "zh",
        "url": PAGE,
        "question": "郑州$url的指数是多少?",
        "answer": "secret 90.9",
        "context": ["secret context"],
        "oracle": {
            "steps": [{"tool": "verifaible_cite", "arguments": {"url": PAGE, "quote": "secret quote"}}],
            "answer": "{1} secret",
        },
    }
)
TASK = Task.of(CASE)


def calls(
    *pairs: tuple[str, object], tokens: int = 10, text: str = "", cost: float | None = None
) -> ModelTurn:
    made = tuple(
        ToolCall(
            id=f"id_{number}", name=name, arguments=value if isinstance(value, str) else json.dumps(value)
        )
        for number, (name, value) in enumerate(pairs)
    )
    usage = Usage(input_tokens=tokens, output_tokens=1, cost_usd=cost)
    return ModelTurn(text=text, tool_calls=made, usage=usage, model="m")


FETCH = ("web_fetch", {"url": PAGE})
CITE = ("verifaible_cite", {"url": PAGE, "quote": "90.9"})


async def run(
    turns: Sequence[ScriptedTurn], **limits: float
) -> tuple[AgentOutcome, ScriptedModel, list[Event]]:
    model = ScriptedModel(turns)
    seen: list[Event] = []
    agent = ModelAgent(model, "scripted", Limits.model_validate(limits))
    outcome = await agent.run(TASK, toolbox(), seen.append)
    return outcome, model, seen


async def test_a_trial_from_question_to_cited_answer() -> None:
    answer = ModelTurn(text="90.9 [@v:1]", usage=Usage(input_tokens=30, output_tokens=3))
    outcome, model, seen = await run([calls(FETCH), calls(CITE, text="Citing."), answer])
    assert outcome.answer == "90.9 [@v:1]"
    assert (outcome.rounds, outcome.tool_calls, outcome.ended_by, outcome.error) == (3, 2, "answer", "")
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (50, 5)
    assert [(citation.number, citation.text) for citation in outcome.citations] == [(1, "90.9")]
    assert list(outcome.events) == seen
    fetched, cited = [event for event in seen if isinstance(event, ToolEvent)]
    assert (fetched.round, fetched.arguments) == (1, json.dumps(FETCH[1]))
    assert fetched.result == f"{PAGE}: Zhengzhou: 90.9"
    assert (cited.round, cited.citation) == (2, 1)
    assert [event.text for event in seen if isinstance(event, ModelEvent)] == ["", "Citing.", "90.9 [@v:1]"]
    roles = [message.role for message in model.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]


async def test_the_model_sees_the_question_and_nothing_else_of_the_case() -> None:
    _, model, _ = await run([ModelTurn(text="?")])
    request = model.requests[0]
    text = "".join(entry.text for entry in request.messages)
    assert CASE.url in text
    assert CASE.question in text
    assert "secret" not in text
    assert [tool.name for tool in request.tools] == ["web_fetch", "verifaible_cite", "break_machine"]
    assert "secret" not in repr(TASK)


def test_the_system_prompt_is_short_and_says_what_matters() -> None:
    text = prompt("system.md")
    assert len(text) < 900 * 4  # about four characters a token in English
    for wanted in ("verifaible_cite", "[@v:1]", "exec_js", "fresh page", "table", "pdf", "video", "language"):
        assert wanted in text
    assert task_prompt(TASK).count(PAGE) == 1


async def test_errors_go_back_to_the_model() -> None:
    turns = [
        calls(
            ("verifaible_cite", {"url": PAGE, "quote": "91.1"}),
            ("web_fetch", "{not json"),
            ("web_fetch", {"link": PAGE}),
            ("rm", {}),
        ),
        ModelTurn(text="I cannot find it."),
    ]
    outcome, model, _ = await run(turns)
    assert outcome.answer == "I cannot find it."
    assert outcome.citations == ()
    results = [entry for entry in model.requests[1].messages if entry.role == "tool"]
    assert [entry.tool_call_id for entry in results] == ["id_0", "id_1", "id_2", "id_3"]
    expected = ("nearest text", "not valid JSON", "url: Field required", "no tool named")
    for entry, wanted in zip(results, expected, strict=True):
        assert wanted in entry.text
    codes = [event.error_code for event in outcome.events if isinstance(event, ToolEvent)]
    assert codes == ["anchor_not_found", "bad_arguments", "bad_arguments", "bad_arguments"]


async def test_calls_of_one_turn_run_in_their_order() -> None:
    first, second = (("verifaible_cite", {"url": PAGE, "quote": quote}) for quote in ("Zhengzhou", "90.9"))
    outcome, _, _ = await run([calls(first, second), ModelTurn(text="done")])
    assert [(citation.number, citation.text) for citation in outcome.citations] == [
        (1, "Zhengzhou"),
        (2, "90.9"),
    ]


async def test_an_empty_answer_is_asked_for_once_more() -> None:
    outcome, model, _ = await run([calls(CITE), ModelTurn(), ModelTurn(text="90.9 [@v:1]")])
    assert (outcome.answer, outcome.rounds) == ("90.9 [@v:1]", 3)
    assert model.requests[2].messages[-1] == Message(role="user", text=prompt("reminder.md"))


async def test_a_model_that_stays_silent_ends_with_an_empty_answer() -> None:
    outcome, model, _ = await run(
        [ModelTurn(), ModelTurn(text="<think>Nothing to say.</think>"), ModelTurn(text="x")]
    )
    assert (outcome.answer, outcome.ended_by, outcome.rounds) == ("", "answer", 2)
    assert len(model.requests) == 2


async def test_a_call_written_as_text_is_run() -> None:
    call = json.dumps({"name": FETCH[0], "arguments": FETCH[1]})
    text = f"<think>Read it.</think><tool_call>{call}</tool_call>"
    outcome, model, _ = await run(
        [ModelTurn(text=text), ModelTurn(text=text), ModelTurn(text="<think>.</think>90.9")]
    )
    assert (outcome.answer, outcome.tool_calls) == ("90.9", 2)
    ids = [entry.tool_call_id for entry in model.requests[2].messages if entry.role == "tool"]
    assert len(set(ids)) == 2
    assert isinstance(outcome.events[0], ModelEvent)
    assert outcome.events[0].text == text


@pytest.mark.parametrize(
    ("limits", "ended_by", "rounds"),
    [
        ({"rounds": 3}, "rounds", 3),
        ({}, "rounds", 30),
        ({"tokens": 33}, "tokens", 3),
        ({"cost_usd": 0.25}, "cost", 3),
    ],
)
async def test_limits_end_a_trial(limits: dict[str, float], ended_by: str, rounds: int) -> None:
    outcome, model, _ = await run([calls(CITE, cost=0.1)] * 40, **limits)
    assert (outcome.answer, outcome.ended_by, outcome.rounds) == ("", ended_by, rounds)
    assert len(model.requests) == rounds
    assert outcome.tool_calls == rounds - 1  # nobody would read the results of the last calls
    assert "limit" in outcome.error
    assert len(outcome.citations) == rounds - 1


async def test_an_answer_at_the_limit_counts() -> None:
    outcome, _, _ = await run([calls(FETCH), ModelTurn(text="90.9")], rounds=2)
    assert (outcome.answer, outcome.ended_by) == ("90.9", "answer")


class Hanging:
    """A model that never answers."""

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        await asyncio.Event().wait()
        raise AssertionError

    async def aclose(self) -> None: ...


async def test_the_time_limit_ends_a_call_that_hangs() -> None:
    outcome = await ModelAgent(Hanging(), "hanging", Limits(seconds=0.01)).run(TASK, toolbox(), unwatched)
    assert (outcome.answer, outcome.ended_by) == ("", "seconds")


async def test_a_time_out_inside_a_tool_is_not_the_limit() -> None:
    with pytest.raises(TimeoutError, match="inside"):
        await run([TimeoutError("inside")], seconds=60)


async def test_a_model_error_ends_the_trial_with_what_was_done() -> None:
    outcome, _, _ = await run([calls(CITE), ModelRejected("No credit left. Add credit.")])
    assert (outcome.answer, outcome.ended_by, outcome.rounds) == ("", "model_error", 1)
    assert outcome.error == "No credit left. Add credit."
    assert len(outcome.citations) == 1


async def test_what_a_model_error_costs_is_counted() -> None:
    error = ModelRejected("The model declined. Use another.")
    error.usage = Usage(input_tokens=7, cost_usd=0.6)
    outcome, _, _ = await run([calls(CITE, tokens=5, cost=0.1), error])
    assert outcome.usage.input_tokens == 12
    assert outcome.usage.cost_usd == pytest.approx(0.7)


async def test_a_broken_machine_is_no_fault_of_the_model() -> None:
    model = ScriptedModel([calls(FETCH), calls(("break_machine", {}))])
    seen: list[Event] = []
    with pytest.raises(InfrastructureError, match="crashed"):
        await ModelAgent(model, "scripted").run(TASK, toolbox(), seen.append)
    assert [type(event).__name__ for event in seen] == ["ModelEvent", "ToolEvent", "ModelEvent"]


async def test_a_whole_trial_over_http() -> None:
    thought = reasoning("Look it up.", encrypted="gAAAA")
    text_call = message(
        '<tool_call>{"name": "verifaible_cite", "arguments": {"url": "u", "quote": "90.9"}}</tool_call>'
    )
    script = [
        response(
            thought,
            function_call("web_fetch", {"url": PAGE}, "c1"),
            function_call("web_fetch", {"url": PAGE}, "c2"),
            cost=0.01,
        ),
        response(thought, text_call, cost=0.02),
        response(message("90.9 [@v:1]"), cost=0.03),
    ]
    with OpenAIServer(script) as server:
        client = ResponsesClient(resolve("glm-5"), Endpoint(server.base_url))
        outcome = await ModelAgent(client, "glm-5").run(TASK, toolbox(), unwatched)
        await client.aclose()
    assert outcome.error == ""
    assert (outcome.answer, outcome.rounds, outcome.tool_calls) == ("90.9 [@v:1]", 3, 3)
    assert outcome.usage.cost_usd == pytest.approx(0.06)
    bodies = [request.body for request in server.requests]
    assert (
        bodies[0]["instructions"]
        == bodies[1]["instructions"]
        == bodies[2]["instructions"]
        == prompt("system.md")
    )
    kinds = [item.get("type", item.get("role")) for item in bodies[2]["input"]]
    outputs = ["function_call_output", "function_call_output"]
    assert kinds == [
        *("message", "reasoning", "function_call", "function_call", *outputs),
        *("reasoning", "function_call", "function_call_output"),
    ]
    assert bodies[2]["input"][1] == thought
    assert bodies[2]["input"][-1]["output"] == "Cited as [@v:1]."


# --- prompts, and conversations that are too long


def test_prompts_by_name_and_by_file(tmp_path: Path) -> None:
    short, full = system_prompt("short", 30), system_prompt("full", 17)
    assert short == prompt("system.md")
    assert full.startswith(short)
    assert "you have 17" in full
    own = tmp_path / "own.md"
    own.write_text("Be exact. $url stays.\n", encoding="utf-8")
    assert system_prompt(str(own), 30) == "Be exact. $url stays."
    own.write_text(" ", encoding="utf-8")
    for wrong in (str(own), str(tmp_path / "none.md"), str(tmp_path)):
        with pytest.raises(RunError, match="--prompt"):
            system_prompt(wrong, 30)


@pytest.mark.parametrize(
    ("advice", "prompts"),
    [
        ("Quote exactly what stands there", "short full"),
        ("check that the date beside it", "short full"),
        ("Three ways to set a date", "full"),
        ("Before you call a function of the page, read it", "full"),
        ("After three failed tries", "full"),
        ("first citation by round 4 or 5", "full"),
        ("stop when the fact is cited", "full"),
        ("No address of a video? Search its title", "full"),
        ("`video_transcript` with `find`", "full"),
        ("are hints: look at the thing itself", "full"),
    ],
)
def test_a_prompt_gives_its_advice(advice: str, prompts: str) -> None:
    assert [name for name in ("short", "full") if advice in system_prompt(name, 30)] == prompts.split()


async def test_the_prompt_of_a_run_is_what_the_model_is_sent() -> None:
    model = ScriptedModel([ModelTurn(text="done")])
    await ModelAgent(model, "scripted", system="My prompt.").run(TASK, toolbox(), unwatched)
    assert model.requests[0].messages[0].text == "My prompt."


@pytest.mark.parametrize("again", [False, True])
async def test_a_conversation_that_is_too_long_is_folded_once_and_then_ends_by_name(again: bool) -> None:
    fetch = ToolCall(id="c1", name="web_fetch", arguments='{"url": "http://a/"}')
    overflow = ContextOverflow("The conversation is longer than it can read.")
    overflow.usage = Usage(input_tokens=5)
    end: list[ScriptedTurn] = [overflow] if again else [ModelTurn(text="It is 90.9.")]
    model = ScriptedModel([ModelTurn(tool_calls=(fetch,)), overflow, *end])
    outcome = await ModelAgent(model, "scripted").run(TASK, toolbox("long " * 2000), unwatched)
    first, second = model.requests[1].messages[-1].text, model.requests[2].messages[-1].text
    assert len(first) > 10_000
    assert len(second) < 2_000
    assert "ask for a part of it" in second
    assert any("folded" in note for note in outcome.notes)
    if again:
        assert (outcome.ended_by, outcome.error_code) == ("model_error", "context_overflow")
        assert outcome.usage.input_tokens == 10
    else:
        assert outcome.answer == "It is 90.9."


async def test_a_short_conversation_that_is_too_long_ends_at_once() -> None:
    model = ScriptedModel([ContextOverflow("Too long.")])
    outcome = await ModelAgent(model, "scripted").run(TASK, toolbox(), unwatched)
    assert outcome.error_code == "context_overflow"
    assert len(model.requests) == 1
