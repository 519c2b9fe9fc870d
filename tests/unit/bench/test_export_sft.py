"""Trials as lines for fine-tuning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.unit.bench.samples import case, info, result
from verifaible.bench.export import examples
from verifaible.bench.run_dir import RunFolder, RunPrompt, Transcript
from verifaible.errors import RunError
from verifaible.schema.chat import ToolSpec, Usage
from verifaible.schema.run import ModelEvent, ToolEvent, TrialResult

TOOLS = tuple(
    ToolSpec(name=name, description=f"Does {name}.", parameters={"type": "object", "properties": {}})
    for name in ("web_fetch", "verifaible_cite")
)
PROMPT = RunPrompt(system="You cite.", task="Start: $url\nQuestion: $question", tools=TOOLS)
CASE = case(id="cn_text_001")


def said(number: int, text: str = "", calls: int = 0, reasoning: str = "") -> ModelEvent:
    return ModelEvent(round=number, text=text, tool_calls=calls, reasoning=reasoning, usage=Usage())


def called(number: int, name: str, call_id: str = "", result: str = "page") -> ToolEvent:
    return ToolEvent(round=number, name=name, arguments='{"url": "u"}', result=result, call_id=call_id)


EVENTS = (
    said(1, "I look at both.", 2, "Two pages may help."),
    called(1, "web_fetch", "a"),
    called(1, "web_fetch", "b", "other"),
    said(2, "", 1),
    called(2, "verifaible_cite", "a", "Citation 1"),
    said(3, "36 [@v:1]", reasoning="That is it."),
)


def folder_of(path: Path, *trials: tuple[TrialResult, tuple[ModelEvent | ToolEvent, ...]]) -> RunFolder:
    folder = RunFolder(path / "run")
    (folder.path / "trials").mkdir(parents=True)
    folder.write_info(info(*(each for each, _ in trials)))
    folder.write_prompt(PROMPT)
    for each, events in trials:
        folder.add(
            each,
            Transcript(
                model=each.model,
                case=each.case,
                trial=each.trial,
                question="How many bureaus cost $5?",
                answer=each.answer,
                events=events,
            ),
        )
    return folder


def lines(folder: RunFolder, **chosen: Any) -> list[dict[str, Any]]:
    found = examples(folder, {"cn_text_001": CASE}, **chosen)
    return [json.loads(json.dumps(example)) for example in found if example is not None]


def checked(line: dict[str, Any]) -> None:
    """Raise unless OpenAI's own types take the line and every call has its result, in order."""
    messages = line["messages"]
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam  # takes a second

    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(messages)
    TypeAdapter(list[ChatCompletionToolParam]).validate_python(line["tools"])
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
            continue
        assert not open_calls
        open_calls = [call["id"] for call in message.get("tool_calls", ())]
    assert not open_calls
    assert messages[-1]["role"] == "assistant"
    ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert len(set(ids)) == len(ids)


def test_a_whole_trial(tmp_path: Path) -> None:
    (line,) = lines(folder_of(tmp_path, (result(answer="36 [@v:1]"), EVENTS)))
    checked(line)
    assert [message["role"] for message in line["messages"]] == [
        *("system", "user", "assistant", "tool", "tool", "assistant", "tool", "assistant"),
    ]
    assert line["messages"][1]["content"] == (
        "Start: https://example.com/page\nQuestion: How many bureaus cost $5?"
    )
    both = line["messages"][2]
    assert both["content"] == "I look at both."
    assert [call["function"]["name"] for call in both["tool_calls"]] == ["web_fetch", "web_fetch"]
    assert [message["content"] for message in line["messages"][3:5]] == ["page", "other"]
    assert line["messages"][5]["content"] is None
    assert line["messages"][-1] == {"role": "assistant", "content": "36 [@v:1]"}
    assert line["parallel_tool_calls"] is True
    assert line["tools"][0]["function"]["name"] == "web_fetch"
    assert line["metadata"]["reasoning"] == [
        {"message": 2, "text": "Two pages may help."},
        {"message": 7, "text": "That is it."},
    ]
    assert (line["metadata"]["score"], line["metadata"]["verified"]) == (100, True)


def test_calls_written_as_text_stand_there_once(tmp_path: Path) -> None:
    text = 'I fetch it.\n```json\n{"name": "web_fetch", "arguments": {"url": "u"}}\n```'
    events = (said(1, text), called(1, "web_fetch", "text_call_1_1"), said(2, "36"))
    (line,) = lines(folder_of(tmp_path, (result(answer="36"), events)))
    checked(line)
    assert line["messages"][2]["content"] == "I fetch it."
    assert len(line["messages"][2]["tool_calls"]) == 1


def test_agent_without_a_model(tmp_path: Path) -> None:
    events = (called(1, "web_fetch"), called(2, "verifaible_cite"))
    (line,) = lines(folder_of(tmp_path, (result(answer="36 [@v:1]"), events)))
    checked(line)
    assert [message["role"] for message in line["messages"]][2:] == [
        *("assistant", "tool", "assistant", "tool", "assistant"),
    ]
    assert line["parallel_tool_calls"] is False


def test_a_silent_turn_is_left_out(tmp_path: Path) -> None:
    events = (said(1, ""), said(2, "36"))
    (line,) = lines(folder_of(tmp_path, (result(answer="36"), events)))
    checked(line)
    assert len(line["messages"]) == 3


def test_what_is_chosen(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path,
        (result(trial=1), EVENTS),
        (result(trial=2, score=80, verified=False), EVENTS),
        (result(trial=3, score=0, ended_by="rounds", answer=""), EVENTS[:3]),
        (result(trial=4, model="other"), EVENTS),
    )
    assert [line["metadata"]["trial"] for line in lines(folder)] == [1, 2, 4]
    assert [line["metadata"]["trial"] for line in lines(folder, min_score=90)] == [1, 4]
    assert [line["metadata"]["trial"] for line in lines(folder, verified=True, models=("other",))] == [4]
    assert sum(one is None for one in examples(folder, {"cn_text_001": CASE})) == 1


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, (result(), EVENTS))
    with pytest.raises(RunError, match="has no trial of nobody"):
        lines(folder, models=("nobody",))
    with pytest.raises(RunError, match="not among the cases"):
        list(examples(folder, {}))
    (folder.path / "prompt.json").unlink()
    with pytest.raises(RunError, match=r"no prompt\.json"):
        lines(folder)
