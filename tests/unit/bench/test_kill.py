"""A run that is killed at any moment and continued loses no finished trial and no spend."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.kit.marks import nightly
from tests.servers.openai_server import JsonObject, OpenAIServer, Reply, function_call, message, response
from tests.unit.bench.samples import REPOSITORY, case
from verifaible.bench.run_dir import RunFolder
from verifaible.runs.lines import Lines
from verifaible.runs.spend import SpendLine
from verifaible.schema.run import TrialResult

CASES = 8
CONCURRENCY = 2
TOKENS: dict[str, Any] = {"input_tokens": 100, "output_tokens": 10}


class Model:
    """Calls a tool that there is not, then answers; wakes whoever waits for the next request."""

    def __init__(self) -> None:
        self.asked = 0
        self._came = threading.Condition()

    def __call__(self, body: JsonObject) -> Reply:
        with self._came:
            self.asked += 1
            self._came.notify_all()
        if any(item.get("type") == "function_call_output" for item in body["input"]):
            return response(message("36 [@v:1]"), **TOKENS, cost=0.5)
        return response(function_call("no_such_tool", {}), **TOKENS, cost=0.5)

    def wait_for(self, number: int, process: subprocess.Popen[bytes]) -> None:
        """Return when so many requests have come, or the process has ended."""
        with self._came:
            while self.asked < number and process.poll() is None:
                self._came.wait(0.05)


def start(tmp_path: Path, base_url: str, *arguments: str) -> subprocess.Popen[bytes]:
    given = ("--base-url", base_url, "--concurrency", str(CONCURRENCY), "--json", *arguments)
    return subprocess.Popen(
        [sys.executable, "-m", "verifaible.bench", *given],
        cwd=REPOSITORY,
        env={**os.environ, "VERIFAIBLE_HOME": str(tmp_path), "VERIFAIBLE_API_KEY": "sk-test"},
        stdout=subprocess.DEVNULL,
        stderr=(tmp_path / "said.txt").open("ab"),
    )


def folder_of(runs: Path, tmp_path: Path, process: subprocess.Popen[bytes]) -> RunFolder:
    """The folder of the run, as soon as the run has begun."""
    while process.poll() is None:
        for path in runs.iterdir() if runs.is_dir() else ():
            if (path / "run.json").is_file():
                return RunFolder(path)
        time.sleep(0.01)
    raise AssertionError((tmp_path / "said.txt").read_text())


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("kills", "trials"), [(2, 3), nightly(50, 10)])
def test_killed_at_random_moments_and_continued(
    kills: int, trials: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"
    monkeypatch.setenv("VERIFAIBLE_RUNS", str(runs))
    chance = random.Random(20261121)
    for number in range(CASES):
        content = case(id=f"c{number}").model_dump(mode="json", exclude_defaults=True)
        (tmp_path / "cases").mkdir(exist_ok=True)
        (tmp_path / "cases" / f"c{number}.json").write_text(json.dumps(content))
    model = Model()
    with OpenAIServer(model, api_key="sk-test") as server:
        plan = ("--model", "some/model", "--web", "live", "--trials", str(trials))
        process = start(tmp_path, server.base_url, *plan)
        run = folder_of(runs, tmp_path, process)
        results = run.path / "results.jsonl"
        before: list[TrialResult] = []
        for _ in range(kills):
            model.wait_for(model.asked + chance.randrange(1, 7), process)
            time.sleep(chance.random() * 0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
            whole = list(Lines(results, TrialResult))
            assert whole[: len(before)] == before
            assert len(run.transcripts()) == len(whole)
            before = whole
            process = start(tmp_path, server.base_url, "--resume", str(run.path))
        assert process.wait(timeout=300) == 0, (tmp_path / "said.txt").read_text()

    lines = Lines(results, TrialResult).read()
    assert sorted((each.case, each.trial) for each in lines) == [
        (f"c{number}", trial) for number in range(CASES) for trial in range(1, trials + 1)
    ]
    assert {each.error for each in lines} == {None}
    calls = Lines(run.spend_path, SpendLine).read()
    made = {line.call for line in calls if line.usage is None}
    paid = [line for line in calls if line.usage is not None]
    assert {line.call for line in paid} <= made
    # a call is written down before it is sent: none that came to the server is missing
    assert model.asked <= len(made) <= model.asked + kills * CONCURRENCY
    # and its cost when it is back: only of calls under way at a kill nobody knows it
    assert len(made) - len(paid) <= kills * CONCURRENCY
    spend = run.spend()["some/model"]
    assert (spend.calls, spend.unanswered) == (len(paid), len(made) - len(paid))
    assert spend.usage.cost_usd == pytest.approx(0.5 * len(paid))
    assert spend.usage.input_tokens == 100 * len(paid)
    assert sum(each.input_tokens for each in lines) == 100 * 2 * len(lines) <= spend.usage.input_tokens
    assert run.info().resumed_at
