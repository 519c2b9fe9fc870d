"""What a run does when a trial, a model, the machine or the store fails; no page is opened here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.unit.archive.helpers import get
from tests.unit.bench.samples import case, home_with_one_site
from verifaible.agent.base import Event, Task, Watch
from verifaible.archive.lookup import Archive
from verifaible.archive.recording import Recorder
from verifaible.bench.agents import Entrant
from verifaible.bench.cases import digest
from verifaible.bench.config import Plan
from verifaible.bench.run_dir import RECORDED_SITES, RunFolder
from verifaible.bench.runner import Runner
from verifaible.config import Settings
from verifaible.errors import InfrastructureError, RunError, StoreError
from verifaible.runs.progress import Progress
from verifaible.schema.case import Case
from verifaible.schema.chat import Usage
from verifaible.schema.citation import WebMode
from verifaible.schema.run import AgentOutcome, ModelEvent, ToolEvent, TrialCitation, TrialResult
from verifaible.store.store import Store
from verifaible.tools.toolbox import Toolbox

CASES = tuple(case(id=name) for name in ("a", "b", "c"))
ANSWER = AgentOutcome(answer="36", rounds=1, usage=Usage(input_tokens=5, output_tokens=2, cost_usd=0.5))
REFUSED = AgentOutcome(answer="", ended_by="model_error", error="The key is wrong. Use another.")


class Scripted:
    """An agent that does for each case what a function says, and keeps what it was given."""

    name = "scripted"

    def __init__(self, act: Callable[[Task, Watch], AgentOutcome]) -> None:
        self._act = act
        self.toolboxes: list[Toolbox] = []
        self.tasks: list[Task] = []

    async def run(self, task: Task, toolbox: Toolbox, watch: Watch) -> AgentOutcome:
        await asyncio.sleep(0)
        self.toolboxes.append(toolbox)
        self.tasks.append(task)
        return self._act(task, watch)


class Run:
    """A run of scripted agents, with its folder and everything it reported."""

    def __init__(self, tmp_path: Path) -> None:
        self.settings = Settings(home=home_with_one_site(tmp_path), store=str(tmp_path / "store"))
        self.folder = RunFolder.create(tmp_path / "runs", ("scripted",))
        self.events: list[tuple[str, str, int, Event | TrialResult]] = []

    async def __call__(self, *agents: Scripted, cases: Sequence[Case] = CASES, trials: int = 1) -> None:
        entrants = tuple(Entrant(f"m{place}", agent) for place, agent in enumerate(agents))
        plan = Plan(entrants, tuple(cases), trials=trials, concurrency=1)
        await Runner(self.settings, plan, self.folder, self._watch).run()

    def _watch(self, model: str, case: Case, trial: int, event: Event | TrialResult) -> None:
        self.events.append((model, case.id, trial, event))

    @property
    def results(self) -> dict[str, TrialResult]:
        return {each.case: each for each in self.folder.results()}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def turn(number: int, usage: Usage) -> ModelEvent:
    return ModelEvent(round=number, text="", tool_calls=1, usage=usage)


async def test_every_trial_of_every_model(run: Run) -> None:
    agents = (Scripted(lambda task, watch: ANSWER), Scripted(lambda task, watch: ANSWER))
    await run(*agents, trials=2)
    done = run.folder.results()
    assert {(each.model, each.trial, each.case) for each in done} == {
        (model, trial, name) for model in ("m0", "m1") for trial in (1, 2) for name in "abc"
    }
    assert len(done) == len({id(each) for agent in agents for each in agent.toolboxes}) == 12
    assert all(
        (each.score, each.cost_usd, each.input_tokens, each.output_tokens) == (40, 0.5, 5, 2) for each in done
    )
    info = run.folder.info()
    assert (info.models, info.web, info.gate) == (("m0", "m1"), "offline", "answer")
    assert info.cases == {each.id: digest(each) for each in CASES}
    assert info.finished_at is not None
    assert info.finished_at >= info.started_at
    assert [each[3] for each in run.events] == list(done)


async def test_many_trials_are_no_more_tasks_than_few(run: Run) -> None:
    most = 0

    def act(task: Task, watch: Watch) -> AgentOutcome:
        nonlocal most
        most = max(most, len(asyncio.all_tasks()))
        return ANSWER

    await run(Scripted(act), trials=20)
    assert len(run.folder.results()) == 60
    assert most < 30


async def test_agents_are_never_shown_the_answer(run: Run) -> None:
    agent = Scripted(lambda task, watch: ANSWER)
    await run(agent, cases=[case(answer="774411", expect={"kind": "number", "value": "774411"})])
    assert "774411" not in repr(agent.tasks)
    assert "774411" not in agent.tasks[0].model_dump_json()


async def test_machine_that_fails_is_tried_again_with_fresh_tools(run: Run) -> None:
    left = [InfrastructureError("The browser died."), InfrastructureError("The browser died again.")]

    def act(task: Task, watch: Watch) -> AgentOutcome:
        if left:
            raise left.pop()
        return ANSWER

    agent = Scripted(act)
    await run(agent)
    assert [each.error for each in run.folder.results()] == [None] * 3
    assert len(agent.toolboxes) == len({id(each) for each in agent.toolboxes}) == 5


async def test_machine_that_keeps_failing_costs_the_trial_and_keeps_what_it_cost(run: Run) -> None:
    def act(task: Task, watch: Watch) -> AgentOutcome:
        if task.id != "b":
            return ANSWER
        watch(turn(1, Usage(input_tokens=10, output_tokens=1, cost_usd=0.25)))
        watch(ToolEvent(round=1, name="web_fetch", arguments="{}", result="?"))
        raise InfrastructureError("The disk is full. Free some space.")

    await run(Scripted(act))
    assert {name: each.score for name, each in run.results.items()} == {"a": 40, "b": 0, "c": 40}
    lost = run.results["b"]
    assert (lost.ended_by, lost.error) == ("infrastructure", "The disk is full. Free some space.")
    assert (lost.rounds, lost.tool_calls, lost.input_tokens, lost.output_tokens) == (1, 1, 10, 1)
    assert (lost.cost_usd, lost.attempts) == (0.25, 3)
    assert lost.lost_usage == Usage(input_tokens=20, output_tokens=2, cost_usd=0.5)
    (transcript,) = [each for each in run.folder.transcripts() if each.case == "b"]
    assert (len(transcript.events), len(transcript.lost_events)) == (2, 4)


async def test_fault_of_ours_costs_one_trial(run: Run) -> None:
    def act(task: Task, watch: Watch) -> AgentOutcome:
        if task.id == "a":
            raise ZeroDivisionError("division by zero")
        return ANSWER

    agent = Scripted(act)
    await run(agent)
    assert run.results["a"].error == "unexpected ZeroDivisionError: division by zero"
    assert run.results["a"].ended_by == "infrastructure"
    assert [run.results[name].score for name in "bc"] == [40, 40]
    assert len(agent.tasks) == 3


async def test_fault_while_evidence_is_checked_costs_one_trial(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited = TrialCitation(number=1, id="x", evidence_type="text", source_url="https://example.com", text="36")

    def act(task: Task, watch: Watch) -> AgentOutcome:
        return ANSWER.model_copy(update={"citations": (cited,)}) if task.id == "b" else ANSWER

    monkeypatch.setattr(Store, "get", lambda store, name: 1 / 0)
    await run(Scripted(act))
    lost = run.results["b"]
    assert (lost.ended_by, lost.score, lost.verified) == ("infrastructure", 0, False)
    assert lost.error is not None
    assert lost.error.startswith("unexpected ZeroDivisionError while the evidence was checked")
    assert (lost.input_tokens, lost.cost_usd) == (5, 0.5)
    assert [run.results[name].score for name in "ac"] == [40, 40]


async def test_citation_that_the_store_lost_stops_the_run(run: Run) -> None:
    cited = TrialCitation(number=1, id="0" * 16, evidence_type="text", source_url="https://x.com", text="36")
    agent = Scripted(lambda task, watch: ANSWER.model_copy(update={"citations": (cited,)}))
    with pytest.raises(RunError, match="0" * 16):
        await run(agent)
    assert len(agent.tasks) == 1
    assert run.folder.info().finished_at is None


async def test_endpoint_that_gives_nothing_at_all_stops_the_run(run: Run) -> None:
    agent = Scripted(lambda task, watch: REFUSED)
    with pytest.raises(RunError, match="The key is wrong") as caught:
        await run(agent)
    assert str(run.folder.path) in str(caught.value)
    assert [each.case for each in run.folder.results()] == ["a"]
    assert run.results["a"].ended_by == "model_error"


async def test_one_refused_case_does_not_end_the_run_of_a_model_that_answers(run: Run) -> None:
    agent = Scripted(lambda task, watch: REFUSED if task.id == "b" else ANSWER)
    await run(agent)
    assert {name: each.ended_by for name, each in run.results.items()} == {
        "a": "answer",
        "b": "model_error",
        "c": "answer",
    }
    assert run.folder.info().finished_at is not None


async def test_results_that_cannot_be_written_stop_the_run(run: Run) -> None:
    agent = Scripted(lambda task, watch: ANSWER)
    (run.folder.path / "trials").rmdir()
    with pytest.raises(RunError, match="cannot be read or written"):
        await run(agent)
    assert len(agent.tasks) == 1
    assert run.folder.results() == ()


async def test_progress_that_cannot_be_written_once_is_told_and_written_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, told = run.folder.write_progress, list[int]()

    def away_at_first(progress: Progress) -> None:
        if len(told) == 1:
            raise RunError("The disk was full.")
        write(progress)

    monkeypatch.setattr(run.folder, "write_progress", away_at_first)
    plan = Plan((Entrant("m0", Scripted(lambda task, watch: ANSWER)),), CASES, concurrency=1)
    await Runner(
        run.settings, plan, run.folder, run._watch, progress=lambda progress: told.append(progress.done)
    ).run()
    assert told[-1] == len(CASES)
    written = run.folder.progress()
    assert written is not None
    assert written.done == len(CASES)


# --- what was recorded


class Recorded(Run):
    """A run of one agent that keeps a page in each trial, and then does what a function says."""

    async def __call__(self, *agents: Scripted, cases: Sequence[Case] = CASES, trials: int = 1) -> None:
        mode: WebMode = "record"
        plan = Plan(tuple(Entrant("m", agent) for agent in agents), tuple(cases), web=mode, concurrency=1)
        runner = Runner(self.settings, plan, self.folder, self._watch)
        self.recorder = runner._recorder
        await runner.run()

    def keep(self, task: Task) -> None:
        self.recorder.add(f"https://example.org/{task.id}", [get(f"https://example.org/{task.id}", b"<p>x")])

    @property
    def kept(self) -> list[str]:
        archive = Archive.open(sorted((self.folder.path / RECORDED_SITES).glob("*.wacz")))
        try:
            return sorted(archive.urls())
        finally:
            archive.close()


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    return Recorded(tmp_path)


async def test_a_run_that_is_stopped_keeps_what_it_recorded(recorded: Recorded) -> None:
    def act(task: Task, watch: Watch) -> AgentOutcome:
        recorded.keep(task)
        return REFUSED

    with pytest.raises(RunError, match="The key is wrong"):
        await recorded(Scripted(act))
    assert recorded.kept == ["https://example.org/a"]
    assert recorded.folder.info().finished_at is None


async def test_a_run_that_is_interrupted_keeps_what_it_recorded(recorded: Recorded) -> None:
    class Endless(Scripted):
        async def run(self, task: Task, toolbox: Toolbox, watch: Watch) -> AgentOutcome:
            outcome = await super().run(task, toolbox, watch)
            if task.id == "b":
                running.cancel()  # as asyncio.run does when SIGINT comes
                await asyncio.Event().wait()
            return outcome

    def act(task: Task, watch: Watch) -> AgentOutcome:
        recorded.keep(task)
        return ANSWER

    running = asyncio.create_task(recorded(Endless(act)))
    with pytest.raises(asyncio.CancelledError):
        await running
    assert recorded.kept == ["https://example.org/a", "https://example.org/b"]
    assert [each.case for each in recorded.folder.results()] == ["a"]


async def test_a_stopped_run_whose_recording_cannot_be_written_tells_both(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StoreError("The recording cannot be written (No space left on device). Free some space.")

    def act(task: Task, watch: Watch) -> AgentOutcome:
        recorded.keep(task)
        return REFUSED

    monkeypatch.setattr(Recorder, "write", full)
    with pytest.raises(RunError, match=r"The key is wrong.*No space left"):
        await recorded(Scripted(act))


async def test_a_run_that_recorded_nothing_writes_no_folder_for_it(recorded: Recorded) -> None:
    await recorded(Scripted(lambda task, watch: ANSWER))
    assert not (recorded.folder.path / RECORDED_SITES).exists()
