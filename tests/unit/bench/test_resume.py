"""Continuing a run: with what it was begun with, and only what is not finished."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.unit.bench.samples import fields, write
from verifaible.agent.base import Task, Watch
from verifaible.agent.oracle import OracleAgent
from verifaible.bench.run_dir import RunFolder
from verifaible.cli.bench import bench
from verifaible.errors import InfrastructureError, RunError, VerifaibleError
from verifaible.schema.run import AgentOutcome
from verifaible.tools.toolbox import Toolbox


class Home:
    """A home of its own with three cases, and the command line in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "cases").mkdir()
        for name in "abc":
            self.case(name)

    def case(self, name: str, **changes: object) -> None:
        oracle = {"steps": [{"tool": "no_such_tool"}], "answer": "{1}"}
        content = fields(id=name, tags=["t"] if name == "a" else [], oracle=oracle, **changes)
        oracle["steps"] = [{"tool": "verifaible_cite", "arguments": {}}]
        write(self.path / "cases" / f"{name}.json", content)

    def __call__(self, *arguments: str) -> Result:
        given = {"VERIFAIBLE_HOME": str(self.path)}
        return CliRunner().invoke(bench, [*arguments, "--json"], env=given)

    def run(self, *arguments: str) -> RunFolder:
        """A run that ends well, and its folder."""
        done = self(*arguments)
        assert done.exception is None, done.exception
        return RunFolder(Path(json.loads(done.stdout)["run"]))

    def refused(self, *arguments: str) -> str:
        """The sentence that a command ends with."""
        done = self(*arguments)
        assert isinstance(done.exception, VerifaibleError), done.output
        return str(done.exception)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


NOP = ("--model", "nop", "--web", "live")


def keys(run: RunFolder) -> list[tuple[str, int]]:
    return [(result.case, result.trial) for result in run.results()]


def forget(run: RunFolder, keep: int) -> None:
    """Leave only the first results, as a kill would."""
    path = run.path / "results.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:keep]) + b'{"model": "no')


def test_only_what_is_not_finished_is_done(home: Home) -> None:
    run = home.run(*NOP, "--trials", "2")
    before = run.results()
    forget(run, 4)
    again = home.run("--resume", str(run.path))
    assert again.path == run.path
    assert again.results()[:4] == before[:4]
    assert sorted(keys(again)) == [(name, trial) for name in "abc" for trial in (1, 2)]
    assert len((run.path / "results.jsonl").read_bytes().splitlines()) == 6
    assert len(again.info().resumed_at) == 1
    assert again.info().started_at == run.info().started_at


@pytest.mark.nightly
def test_settings_are_those_of_the_run(home: Home) -> None:
    run = home.run(*NOP, "--case", "a", "--case", "b", "--gate", "citation", "--max-rounds", "7")
    forget(run, 1)
    again = home.run("--resume", str(run.path), "--concurrency", "1", "--gate", "citation")
    assert sorted(keys(again)) == [("a", 1), ("b", 1)]
    assert again.info().limits["rounds"] == 7
    assert home.refused("--resume", str(run.path), "--gate", "answer", "--trials", "3") == (
        "A run is continued with its own settings, and these differ: gate: citation -> answer; trials: 1 -> 3. "
        "Leave them out, or start a new run."
    )


@pytest.mark.nightly
def test_a_run_is_named_as_reports_name_it(home: Home) -> None:
    run = home.run(*NOP, "--case", "a")
    elsewhere = home.run(*NOP, "--case", "a", "--output", str(home.path / "elsewhere"))
    later = home.run(*NOP, "--case", "a", "--case", "b")
    forget(later, 1)
    for name, found in (("latest", later), (run.path.name, run), (later.path.name, later)):
        assert home.run("--resume", name).path == found.path
    assert len(later.results()) == 2
    again = home.run("--resume", "latest", "--output", str(home.path / "elsewhere"))
    assert again.path == elsewhere.path
    assert "no-such-run is not a run folder" in home.refused("--replay-calls", "no-such-run")


def test_changed_case_is_named(home: Home) -> None:
    run = home.run(*NOP)
    forget(run, 1)
    home.case("b", answer="37")
    said = home.refused("--resume", str(run.path))
    assert said.splitlines()[0] == f"{run.path} cannot be continued, because the run would not be the same:"
    (line,) = said.splitlines()[1:-1]
    assert line.startswith("  cases b: ")
    assert " -> " in line
    assert len(run.results()) == 1


def test_changed_prompt_version_and_tools_are_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    run = home.run(*NOP)
    monkeypatch.setattr("verifaible.bench.config.__version__", "9.9.9")
    monkeypatch.setattr("verifaible.bench.config.prompt", lambda name: f"another {name}")
    monkeypatch.setattr("verifaible.bench.runner.system_prompt", lambda *_: "another")
    lines = home.refused("--resume", str(run.path)).splitlines()[1:-1]
    assert [line.split(":")[0].strip() for line in lines] == [
        "prompts system.md",
        "prompts task.md",
        "prompts reminder.md",
        "versions verifaible",
    ]


def test_what_the_machine_failed_is_done_again_and_a_models_failure_is_not(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {"b"}

    async def act(self: OracleAgent, task: Task, toolbox: Toolbox, watch: Watch) -> AgentOutcome:
        if task.id in broken:
            raise InfrastructureError("The browser died.")
        if task.id == "c":
            return AgentOutcome(answer="", ended_by="rounds", error="The trial ended at its limit.")
        return AgentOutcome(answer="36")

    monkeypatch.setattr(OracleAgent, "run", act)
    run = home.run("--model", "oracle", "--web", "live")
    assert {each.case: each.ended_by for each in run.results()} == {
        "a": "answer",
        "b": "infrastructure",
        "c": "rounds",
    }
    broken.clear()
    again = home.run("--resume", str(run.path))
    assert {each.case: each.ended_by for each in again.results()} == {
        "a": "answer",
        "b": "answer",
        "c": "rounds",
    }
    # the failed one stays in the file: nothing that happened is taken back
    assert len((run.path / "results.jsonl").read_bytes().splitlines()) == 4


def test_run_that_another_process_runs_into_is_refused(home: Home) -> None:
    run = home.run(*NOP)
    holding = (
        "import sys; from pathlib import Path; from verifaible.bench.run_dir import RunFolder\n"
        "with RunFolder(Path(sys.argv[1])).held(): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holding, str(run.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(os.environ),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        assert "Another process is writing to" in home.refused("--resume", str(run.path))
        process.communicate()
    home.run("--resume", str(run.path))


def test_folder_that_is_no_run_is_refused(home: Home, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match=r"run\.json cannot be read"):
        RunFolder(tmp_path / "empty").info()
    assert "run.json cannot be read" in home.refused("--resume", str(tmp_path / "empty"))


@pytest.mark.nightly
def test_tags_and_limit_choose_cases(home: Home) -> None:
    assert keys(home.run(*NOP, "--tag", "t")) == [("a", 1)]
    assert sorted(keys(home.run(*NOP, "--limit", "2"))) == [("a", 1), ("b", 1)]
    assert "there is no such tag (there are: t)" in home.refused(*NOP, "--tag", "x")
    assert "no case has all of the given" in home.refused(*NOP, "--tag", "t", "--case", "b")
