"""Model calls that are kept by content and given again without a model."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
import pytest_asyncio

from tests.unit.bench.samples import REPOSITORY, case
from verifaible.agent import loop
from verifaible.agent.loop import Limits, ModelAgent
from verifaible.bench.agents import Entrant, replayed_entrant
from verifaible.bench.config import Plan
from verifaible.bench.run_dir import RunFolder
from verifaible.bench.runner import Runner
from verifaible.config import Settings
from verifaible.errors import ContentRefused, RunError
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.llm.scripted import ScriptedModel
from verifaible.runs.calls import CallRecorder, CallReplay
from verifaible.schema.chat import Message, ModelTurn, ToolCall, ToolSpec, Usage
from verifaible.schema.run import RunInfo, TrialKey, TrialResult

CASES = tuple(case(id=name, question=f"How many are there in {name}?") for name in ("a", "b", "c"))
#: That of a trial, for a model that lets it pass.
DEADLINE: ContextVar[asyncio.Timeout] = ContextVar("DEADLINE")
USAGE = Usage(input_tokens=10, cached_input_tokens=4, output_tokens=2, cost_usd=0.125, billed_usd=0.125)


def timeout(seconds: float | None) -> asyncio.Timeout:
    deadline = asyncio.timeout(seconds)
    DEADLINE.set(deadline)
    return deadline


class Model:
    """Searches offline, then answers; refuses case c, stays silent about b until the clock runs out."""

    def __init__(self) -> None:
        self.asked: list[tuple[Message, ...]] = []

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, form: AnswerForm | None = None
    ) -> ModelTurn:
        self.asked.append(tuple(messages))
        question = messages[1].text
        if "in c?" in question:
            raise ContentRefused("It may not say that. Use another model.")
        if messages[-1].role == "tool":
            if "in b?" in question:
                DEADLINE.get().reschedule(0.0)  # now
                await asyncio.sleep(60)
            return ModelTurn(text="36", reasoning="I saw it.", usage=USAGE, duration_s=1.5)
        call = ToolCall(id="1", name="verifaible_web_search", arguments=json.dumps({"query": "债券"}))
        items = ({"type": "reasoning", "encrypted_content": "x", "n": 2**60},)
        return ModelTurn(text="Let me see.", tool_calls=(call,), usage=USAGE, provider_items=items)

    async def aclose(self) -> None:
        return


async def run(
    tmp_path: Path, name: str, model: ModelClient | None, replay: CallReplay | None = None
) -> RunFolder:
    settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"), browser="/no/browser")
    folder = RunFolder.create(tmp_path / name, ("m",))
    limits = Limits(seconds=None if replay else 600.0)
    entrant = replayed_entrant("m", limits) if model is None else Entrant("m", ModelAgent(model, "m", limits))
    plan = Plan((entrant,), CASES, concurrency=3, limits=limits, record_calls=replay is None)
    with patch.object(loop, "asyncio", SimpleNamespace(**{**vars(asyncio), "timeout": timeout})):
        await Runner(settings, plan, folder, lambda *_: None, replay=replay).run()
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def original(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run that was recorded; one of its cases takes as long as it may."""
    return await run(tmp_path_factory.mktemp("original"), "recorded", Model())


@pytest.fixture
def recorded(original: RunFolder, tmp_path: Path) -> RunFolder:
    """The same in a folder of its own, to be changed at will."""
    return RunFolder(shutil.copytree(original.path, tmp_path / "recorded" / original.path.name))


def scores(folder: RunFolder) -> dict[str, dict[str, object]]:
    volatile = {"duration_s", "finished_at"}
    return {each.case: each.model_dump(exclude=volatile) for each in folder.results()}


async def test_run_is_repeated_without_its_model(tmp_path: Path, recorded: RunFolder) -> None:
    replay = CallReplay(recorded)
    repeated = await run(tmp_path, "repeated", None, replay)

    before, now = scores(recorded), scores(repeated)
    assert {name: each["ended_by"] for name, each in before.items()} == {
        "a": "answer",
        "b": "seconds",
        "c": "model_error",
    }
    assert now == before
    assert (replay.exact, replay.differing) == (4, [])
    assert repeated.info().replayed is not None
    told = {each.case: each.events for each in recorded.transcripts()}
    for transcript in repeated.transcripts():
        events = [event.model_copy(update={"duration_s": 0}) for event in transcript.events]
        assert events == [event.model_copy(update={"duration_s": 0}) for event in told[transcript.case]]


async def test_messages_are_kept_once(recorded: RunFolder) -> None:
    blobs = [json.loads(line) for line in (recorded.path / "calls" / "blobs.jsonl").read_text().splitlines()]
    assert len(blobs) == len({each["sha256"] for each in blobs})
    system = [
        each for each in blobs if isinstance(each["value"], dict) and each["value"].get("role") == "system"
    ]
    assert len(system) == 1


@pytest.mark.nightly
async def test_request_that_differs_is_told_and_still_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: RunFolder
) -> None:
    monkeypatch.setattr("verifaible.agent.loop.task_prompt", lambda task: f"Another prompt: {task.question}")
    replay = CallReplay(recorded)
    repeated = await run(tmp_path, "repeated", None, replay)
    assert replay.exact == 0
    assert sorted(replay.differing)[0].startswith(
        "m a trial 1 turn 1: message 2, from character 1: 'Start page"
    )
    assert scores(repeated)["a"]["answer"] == "36"


async def test_replay_that_needs_more_than_was_recorded_is_the_machines_fault(
    tmp_path: Path, recorded: RunFolder
) -> None:
    index = recorded.path / "calls" / "index.jsonl"
    lines = index.read_text().splitlines(keepends=True)
    index.write_text("".join(line for line in lines if '"a"' not in line or "assistant" in line))
    repeated = await run(tmp_path, "repeated", None, CallReplay(recorded))
    lost: TrialResult = next(each for each in repeated.results() if each.case == "a")
    assert lost.ended_by == "infrastructure"
    assert lost.error is not None
    assert "has no answer 1 of m in a, trial 1" in lost.error


async def test_damaged_and_missing_recordings_are_refused(tmp_path: Path, recorded: RunFolder) -> None:
    blobs = recorded.path / "calls" / "blobs.jsonl"
    blobs.write_text(blobs.read_text().replace("I saw it.", "I made it up."))
    with pytest.raises(RunError, match="the recorded calls are damaged"):
        await run(tmp_path, "repeated", None, CallReplay(recorded))

    empty = RunFolder.create(tmp_path / "empty", ("m",))
    with pytest.raises(RunError, match="has no recorded calls"):
        CallReplay(empty)


def test_infos_of_older_runs_are_read(tmp_path: Path) -> None:
    fields = {
        "id": "old",
        "started_at": "2026-02-21T08:00:00Z",
        "version": "0.1.0",
        "models": ["m"],
        "web": "offline",
        "gate": "answer",
        "cases": {},
    }
    assert RunInfo.model_validate(fields).locked == {}


async def test_the_form_of_an_answer_is_recorded_and_compared(tmp_path: Path) -> None:
    run_folder = RunFolder.create(tmp_path, ("m",))
    key = TrialKey(model="m", case="a", trial=1)
    form = AnswerForm(name="verdict", parameters={"type": "object"})
    ask = (Message(role="user", text="Is it?"),)
    scripted = ScriptedModel([ModelTurn(text="{}"), ModelTurn(text="yes")])
    recording = CallRecorder(run_folder.path).wrapped(scripted, key, "1")
    await recording.complete(ask, (), form=form)
    await recording.complete(ask, ())
    assert [request.form for request in scripted.requests] == [form, None]
    replay = CallReplay(run_folder)
    client = replay.client(key)
    assert (await client.complete(ask, (), form=form)).text == "{}"
    assert (await client.complete(ask, ())).text == "yes"
    assert (replay.exact, replay.differing) == (2, [])
    other = CallReplay(run_folder)
    client = other.client(key)
    await client.complete(ask, ())
    await client.complete(ask, (), form=form)
    assert other.differing == [
        "m a trial 1 turn 1: the form of the answer",
        "m a trial 1 turn 2: the form of the answer",
    ]
