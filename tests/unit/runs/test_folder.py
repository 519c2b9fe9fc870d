"""Folders of runs: on this machine, each of its own name, and written to by one process at a time."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from verifaible.cli.bench import bench
from verifaible.console.options import read_settings
from verifaible.errors import ConfigError, RunError
from verifaible.judge.cli import judge
from verifaible.runs.folder import held, new_folder
from verifaible.runs.lines import write_whole

HOLDER = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from verifaible.runs.folder import held

    with held(Path(sys.argv[1])):
        print("held", flush=True)
        time.sleep(600)
    """
)


def test_a_second_process_is_refused_until_the_first_has_died(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(RunError, match="Another process"), held(tmp_path):
            pass
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()  # type: ignore[union-attr]
    with held(tmp_path):
        pass


def test_held_one_after_the_other(tmp_path: Path) -> None:
    for _ in range(3):
        with held(tmp_path):
            write_whole(tmp_path / "a", "1")
            with pytest.raises(RunError, match="Another process"), held(tmp_path):
                pass


def test_two_folders_of_one_second_are_two(tmp_path: Path) -> None:
    assert len({new_folder(tmp_path / "runs", "run").name for _ in range(3)}) == 3


def test_what_is_written_whole_is_there_and_can_be_replaced(tmp_path: Path) -> None:
    for text in ("1", "2"):
        write_whole(tmp_path / "run.json", text)
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"]
    assert (tmp_path / "run.json").read_text() == "2"


@pytest.mark.parametrize("name", ["VERIFAIBLE_RUNS", "VERIFAIBLE_REPLIES"])
def test_an_address_in_the_settings_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "s3://bucket/runs")
    with pytest.raises(ConfigError, match=rf"{name}='s3://bucket/runs': .*give a folder on this machine"):
        read_settings()
    monkeypatch.setenv(name, "")  # as if it were not set
    assert read_settings().runs is read_settings().replies is None


@pytest.mark.parametrize(
    ("command", "words"), [(bench, ("--model", "oracle")), (judge, ("run", "answers.csv"))]
)
def test_an_address_for_the_results_is_refused(
    command: click.Command, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, [*words, "--output", "s3://bucket/runs"])
    assert done.exit_code == 2
    assert "s3://bucket/runs is an address. Give a folder on this machine" in " ".join(done.stderr.split())
    assert not list(tmp_path.iterdir())
