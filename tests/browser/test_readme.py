"""The README's section "Cite", word for word and in its order, on a store that the bench has just filled."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.command_line import run_command
from tests.unit.bench.samples import REPOSITORY
from verifaible.store.store import Store


def section(title: str) -> list[str]:
    """The commands under a heading of the README, but for the one that serves."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    behind = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    blocks = behind.split("```sh\n")[1:]
    return [
        line
        for block in blocks
        for line in block.partition("```")[0].splitlines()
        if not line.endswith(" serve")
    ]


@pytest.mark.nightly  # test_documented_commands runs every command of the README
@pytest.mark.slow
def test_cite_and_replay_word_for_word(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "VERIFAIBLE_HOME": str(REPOSITORY),
        "VERIFAIBLE_STORE": str(tmp_path / "store"),
    }

    def run(command: str) -> subprocess.CompletedProcess[str]:
        program, *arguments = shlex.split(command)
        assert program == "verifaible"
        return run_command(arguments, environment=environment, folder=tmp_path)

    made = run("verifaible bench --model oracle --case us_table_001 --case cn_text_001 --output runs")
    assert made.returncode == 0, made.stderr
    commands = section("Cite")
    assert [command.split()[1] for command in commands] == ["cite", "list", "replay", "verify", "export"]
    for command in commands:
        done = run(command)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    store = Store(tmp_path / "store")
    assert store.count() == 3
    exported = next(path for path in tmp_path.glob("verifaible-*") if path.is_dir())
    assert {"capture.wacz", "citation.jsonld", "evidence.html", "report.pdf", "VERIFY.txt"} <= {
        path.name for path in exported.iterdir()
    }
