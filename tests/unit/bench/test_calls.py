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
from verifaible.errors import ContentRefused
from verifaible.llm.base import AnswerForm, ModelClient
from verifaible.llm.scripted import ScriptedModel
from verifaible.runs.calls import RecordedCall, RecordingClient, ReplayingClient
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
    tmp_path: Path, name: str, model: ModelClient | None, replayed: RunFolder | None = None
) -> RunFolder:
    settings = Settings(home=REPOSITORY, store=str(tmp_path / "store"), browser="/no/browser")
    folder = RunFolder.create(tmp_path / name, ("m",))
    limits = Limits(seconds=None if replayed else 600.0)
    entrant = replayed_entrant("m", limits) if model is None else Entrant("m", ModelAgent(model, "m", limits))
    plan = Plan((entrant,), CASES, concurrency=3, limits=limits)
    with patch.object(loop, "asyncio", SimpleNamespace(**{**vars(asyncio), "timeout": timeout})):
        await Runner(settings, plan, folder, lambda *_: None, replayed=replayed).run()
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
    repeated = await run(tmp_path, "repeated", None, recorded)

    before, now = scores(recorded), scores(repeated)
    assert {name: each["ended_by"] for name, each in before.items()} == {
        "a": "answer",
        "b": "seconds",
        "c": "model_error",
    }
    assert now == before
    replayed = repeated.info().replayed
    assert replayed is not None
    assert (replayed.exact, replayed.differing) == (4, 0)
    told = {each.case: each.events for each in recorded.transcripts()}
    for transcript in repeated.transcripts():
        events = [event.model_copy(update={"duration_s": 0}) for event in transcript.events]
        assert events == [event.model_copy(update={"duration_s": 0}) for event in told[transcript.case]]
    again = await run(tmp_path, "again", None, repeated)
    assert scores(again) == before  # a repeated run can be repeated


async def test_request_that_differs_is_told_and_still_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: RunFolder
) -> None:
    monkeypatch.setattr("verifaible.agent.loop.task_prompt", lambda task: f"Another prompt: {task.question}")
    repeated = await run(tmp_path, "repeated", None, recorded)
    replayed = repeated.info().replayed
    assert replayed is not None
    assert (replayed.exact, replayed.differing) == (0, 4)
    assert scores(repeated)["a"]["answer"] == "36"


async def test_replay_that_needs_more_than_was_recorded_is_the_machines_fault(
    tmp_path: Path, recorded: RunFolder
) -> None:
    (path,) = (recorded.path / "trials").glob("m--a--*")
    kept = json.loads(path.read_text())
    path.write_text(json.dumps({**kept, "calls": []}))
    repeated = await run(tmp_path, "repeated", None, recorded)
    lost: TrialResult = next(each for each in repeated.results() if each.case == "a")
    assert lost.ended_by == "infrastructure"
    assert lost.error is not None
    assert "has no answer 1 of m in a, trial 1" in lost.error


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


async def test_the_form_of_an_answer_is_recorded_and_compared() -> None:
    kept: list[RecordedCall] = []
    key = TrialKey(model="m", case="a", trial=1)
    form = AnswerForm(name="verdict", parameters={"type": "object"})
    ask = (Message(role="user", text="Is it?"),)
    scripted = ScriptedModel([ModelTurn(text="{}"), ModelTurn(text="yes")])
    recording = RecordingClient(scripted, kept.append)
    await recording.complete(ask, (), form=form)
    await recording.complete(ask, ())
    assert [request.form for request in scripted.requests] == [form, None]
    replay = ReplayingClient(kept, key)
    assert (await replay.complete(ask, (), form=form)).text == "{}"
    assert (await replay.complete(ask, ())).text == "yes"
    assert (replay.exact, replay.differing) == (2, [])
    other = ReplayingClient(kept, key)
    await other.complete(ask, ())
    await other.complete(ask, (), form=form)
    assert other.differing == [
        "m a trial 1 turn 1",
        "m a trial 1 turn 2",
    ]
