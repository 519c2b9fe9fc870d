"""Answers decided in several processes: the same bytes in the same order as in one."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from tests.kit.marks import nightly
from tests.unit.factcheck.nli.test_nli_command import tiny
from tests.unit.judge.commanded import CONTEXT, FIRST, SAME, SECOND, Command, command, write_input
from verifaible.factcheck import deciding
from verifaible.judge.folder import JudgeFolder

__all__ = ["command", "tiny"]

#: Of very different length, so that later ones are done first.
ANSWERS = {
    "gpt5": [8 * FIRST, FIRST, SECOND, 4 * SECOND, SECOND, FIRST],
    "grok4": [SECOND, SECOND, 5 * FIRST, FIRST, SECOND, SECOND],
}


def outputs(folder: JudgeFolder) -> dict[str, bytes]:
    return {name: (folder.path / name).read_bytes() for name in SAME}


@pytest.mark.parametrize("options", [["--offline"], nightly(["--judge", "nli"])])
def test_what_several_processes_decide_is_what_one_does(
    options: list[str], command: Command, tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = [f"Where does Hyperliquid stand in week {number}?" for number in range(6)]
    table = write_input(tmp_path / "input", ANSWERS, queries=queries, context=CONTEXT)
    here = command.done("run", table, *options)
    monkeypatch.setattr(deciding, "_FEWEST", 1)
    there = command.done("run", table, *options)
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
