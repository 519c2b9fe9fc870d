"""Answers decided at the places of an executor: the same bytes in the same order, whatever is lost there."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from tests.unit.judge.commanded import CONTEXT, FIRST, SAME, SECOND, Command, command, write_input
from tests.unit.judge.nli.test_nli_command import tiny
from tests.unit.runs.losing import Losing
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.judge import command as judge_command
from verifaible.judge import deciding
from verifaible.judge.deciding import at_workers
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.nli.entailment import Entailment
from verifaible.runs.executor import Opening

__all__ = ["command", "tiny"]

#: Of very different length, so that later ones are done first.
ANSWERS = {
    "gpt5": [8 * FIRST, FIRST, SECOND, 4 * SECOND, SECOND, FIRST],
    "grok4": [SECOND, SECOND, 5 * FIRST, FIRST, SECOND, SECOND],
}


class Workers:
    """Stands for a cluster: what is opened there goes through a pickle, and calls are lost."""

    def __init__(self, *lost: int) -> None:
        self.lost = frozenset(lost)
        self.executor: Losing | None = None
        self.sent = b""

    def __call__(self, opening: Opening) -> Losing:
        self.sent = pickle.dumps(opening)
        self.executor = Losing(pickle.loads(self.sent), 3, self.lost)
        return self.executor


def outputs(folder: JudgeFolder) -> dict[str, bytes]:
    return {name: (folder.path / name).read_bytes() for name in SAME}


@pytest.mark.parametrize("options", [["--offline"], ["--judge", "nli"]])
def test_what_workers_decide_is_what_is_decided_here(
    options: list[str], command: Command, tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = [f"Where does Hyperliquid stand in week {number}?" for number in range(6)]
    table = write_input(tmp_path / "input", ANSWERS, queries=queries, context=CONTEXT)
    here = command.done("all", table, *options)
    workers = Workers(1, 4, 6)
    monkeypatch.setattr(judge_command, "executor_of", lambda *_, **__: workers)
    there = command.done("all", table, *options, "--executor", "ray")
    assert workers.executor is not None
    assert len(workers.executor.calls) == 12 + 3
    assert b"sk-test" not in workers.sent
    assert outputs(there) == outputs(here)
    lines = (there.path / "answers.jsonl").read_text().splitlines()
    assert [json.loads(line)["answer"]["query"] for line in lines] == [each for each in queries for _ in "12"]


def dying(name: str, *_: object) -> list[str]:
    """Decides nothing, and ends the process that it is in, unless that is the one of the test."""
    if multiprocessing.parent_process() is not None:
        os._exit(1)
    return [name]


async def test_answers_are_decided_here_where_a_process_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "by_rules", dying)
    deciders = deciding.Deciding(2)
    try:
        asked: Any = deciders.found
        found = await asyncio.gather(*(asked(name, [], [], ()) for name in "abc"))
        assert [*found, await asked("d", [], [], ())] == [["a"], ["b"], ["c"], ["d"]]
    finally:
        deciders.close()


async def test_another_model_at_a_worker_is_told(command: Command, tiny: None) -> None:
    settings = Settings()
    workers = Workers()
    at_workers(workers, settings, Entailment.open(settings))
    opening = pickle.loads(workers.sent)
    async with opening():
        pass
    with (Path(settings.nli_model) / "tokenizer.json").open("a") as opened:
        opened.write("\n")
    with pytest.raises(ConfigError, match="tiny-nli at a worker is another model"):
        async with opening():
            pass


async def test_a_worker_needs_no_key_and_not_the_folder_of_the_command(
    command: Command, tiny: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Path(Settings().nli_model)
    secrets = {
        "tavily_api_key": "tvly-1",
        "proxy": "http://me:pass-2@proxy.example:80",
        "index": "db://u:pass-3@h",
    }
    monkeypatch.chdir(model.parent)
    settings = Settings.model_validate({"nli_model": model.name, **secrets})
    workers = Workers()
    at_workers(workers, settings, Entailment.open(settings))
    monkeypatch.chdir("/")
    assert not [each for each in (b"sk-test", b"tvly-1", b"pass-2", b"pass-3") if each in workers.sent]
    async with pickle.loads(workers.sent)() as deciding:
        assert deciding is not None


def test_an_executor_that_there_is_not_is_told_before_anything_is_read(
    command: Command, tmp_path: Path
) -> None:
    ran = command("all", tmp_path / "nothing.csv", "--offline", "--executor", "slurm")
    assert ran.status == 2
    assert "neither local, ray nor ray:ADDRESS" in ran.err
