"""Verifying a folder again: it holds as it was written, and every change is found."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.servers.judge_server import JudgeServer
from tests.unit.judge.commanded import FIRST, SECOND, Command, command, write_input
from verifaible.config import Settings
from verifaible.evidence.sources import SourceTexts
from verifaible.judge.folder import JudgeFolder, reverify
from verifaible.store.store import Store

__all__ = ["command"]

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def folder(command: Command, tmp_path: Path) -> JudgeFolder:
    table = write_input(tmp_path / "input", {"gpt5": [FIRST], "grok4": [SECOND]})
    with JudgeServer() as server:
        command.at(server)
        return command.done(
            "run",
            table,
            "--judge",
            "deepseek-r1",
        )


def rewrite(folder: JudgeFolder, change: Change) -> None:
    path = folder.path / "claims.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        change(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def first_passage(folder: JudgeFolder, change: Change) -> None:
    """Change the first passage of the first claim that has one in its citation check."""
    done: list[bool] = []

    def changed(row: dict[str, Any]) -> None:
        passages = ((row.get("citations") or {}).get("finding") or {}).get("passages") or []
        if passages and not done:
            done.append(True)
            change(passages[0])

    rewrite(folder, changed)
    assert done


def test_everything_holds_as_it_was_written(command: Command, folder: JudgeFolder) -> None:
    with_judge = [
        judged.citations.by for judged in folder.claims() if judged.citations and judged.citations.finding
    ]
    assert {"rules", "judge"} <= set(with_judge)
    ran = command("verify", folder.path)
    assert (ran.status, ran.err) == (0, "")
    assert "7 of 7 passages hold" in ran.out
    told = json.loads(command("verify", "latest", "--json").out)
    assert told["ok"] is True
    assert told["supported"] > 0
    assert told["passages"] >= told["supported"]


@pytest.mark.parametrize(
    "change",
    [
        {"quote": "Hyperliquid closed October 2025 with $999.9 billion"},
        {"start": 1},
        {"end": 3},
        {"start": -5, "end": -1},
        {"end": 10**9},
        {"file": "evidence/none.txt"},
        {"capture": "0" * 64},
        {"pointer": "/hyperliquid/eur"},
    ],
)
def test_a_changed_passage_is_found(command: Command, folder: JudgeFolder, change: dict[str, Any]) -> None:
    first_passage(folder, lambda passage: passage.update(change))
    ran = command("verify", folder.path)
    assert ran.status == 1
    assert "100 %" not in ran.out
    assert len(ran.out.splitlines()) >= 2
    assert json.loads(command("verify", folder.path, "--json").out)["ok"] is False


def test_a_passage_of_another_answer_is_found(command: Command, folder: JudgeFolder, tmp_path: Path) -> None:
    """The words stand where they are said to stand, in a capture that the author never had."""
    other = write_input(
        tmp_path / "other",
        {"gpt5": ["Aave holds $12.5 billion in TVL (src_1)."]},
        context="From [https://m.example]: src_1\nAave holds $12.5 billion in TVL.",
    )
    stranger = command.done("run", other, "--protocol", "citations", "--offline")
    foreign = next(
        passage.model_dump(mode="json")
        for judged in stranger.claims()
        if judged.citations and judged.citations.finding
        for passage in judged.citations.finding.passages
    )
    first_passage(folder, lambda passage: passage.update(foreign))
    ran = command("verify", folder.path)
    assert ran.status == 1
    assert "no source of the answer" in ran.out


def test_a_supported_claim_without_words_is_found(command: Command, folder: JudgeFolder) -> None:
    def stripped(row: dict[str, Any]) -> None:
        if (row.get("citations") or {}).get("status") == "direct":
            row["citations"].pop("finding", None)

    rewrite(folder, stripped)
    ran = command("verify", folder.path)
    assert ran.status == 1
    assert "points to nothing" in ran.out


@pytest.mark.parametrize("damage", ["changed", "gone"])
def test_a_changed_capture_is_found(command: Command, folder: JudgeFolder, damage: str) -> None:
    wanted = next(
        judged.citations.finding.passages[0].capture
        for judged in folder.claims()
        if judged.citations and judged.citations.finding and judged.citations.finding.passages
    )
    (capture,) = [
        path for path in command.home.rglob("*.wacz") if wanted in path.as_posix().replace("/", "")
    ] or [path for path in command.home.rglob("*.wacz") if wanted[-40:] in path.name]
    if damage == "gone":
        capture.unlink()
    else:
        capture.chmod(0o644)
        with zipfile.ZipFile(capture, "a") as archive:
            archive.writestr("evidence/more.txt", "more")
    ran = command("verify", folder.path)
    assert ran.status == 1
    assert ("missing" if damage == "gone" else "was changed") in ran.out


def test_a_damaged_line_is_an_error(command: Command, folder: JudgeFolder) -> None:
    path = folder.path / "claims.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"claim"', b'"clam"', 1))
    ran = command("verify", folder.path)
    assert ran.status == 2
    assert "claims.jsonl" in ran.err


def test_the_function_counts_what_it_looked_at(command: Command, folder: JudgeFolder) -> None:
    store = Store.open(Settings())
    found = reverify(folder, SourceTexts(store))
    store.close()
    assert found.ok
    assert found.claims == sum(1 for _ in folder.claims())
