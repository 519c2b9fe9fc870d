"""The commands about finished runs: data on standard output, talk on standard error."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.unit.bench.samples import REPOSITORY, case, info, result, transcript, write
from tests.unit.bench.test_report_data import folder_of
from verifaible.bench.run_dir import RunFolder, RunPrompt
from verifaible.cli import bench as report_commands
from verifaible.console.options import SHORT_HELP
from verifaible.errors import RunError


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VERIFAIBLE_STORE", str(tmp_path / "store"))


def run(command: click.Command, *arguments: object) -> Result:
    done = CliRunner().invoke(command, [str(each) for each in arguments], **SHORT_HELP)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def two_models(path: Path) -> Path:
    return folder_of(path, result(), result(model="oracle", score=0))


def test_report_in_every_format(tmp_path: Path) -> None:
    path = two_models(tmp_path / "run")
    shown = run(report_commands.report, path)
    assert "Leaderboard" in shown.stdout
    assert (path / "report.md").read_text().startswith("# Run run")
    assert run(report_commands.report, path, "--format", "markdown").stdout.startswith("# Run run\n")
    assert run(report_commands.report, path, "--format", "html").stdout.startswith("<!doctype html>")
    told = json.loads(run(report_commands.report, path, "--json").stdout)
    assert told == json.loads(run(report_commands.report, path, "--format", "json").stdout)
    assert [each["model"] for each in told["models"]] == ["z-ai/glm-5", "oracle"]


@pytest.mark.parametrize(
    ("name", "begin"), [("r.html", "<!doctype"), ("r.md", "# Run"), ("r.json", "{"), ("r.txt", "Leaderboard")]
)
def test_output_decides_the_format(tmp_path: Path, name: str, begin: str) -> None:
    path = two_models(tmp_path / "run")
    done = run(report_commands.report, path, "--output", tmp_path / name)
    assert not done.stdout
    assert f"Written: {tmp_path / name}" in done.stderr
    assert begin in (tmp_path / name).read_text()[:600]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    path = two_models(tmp_path / "run")
    with pytest.raises(RunError, match="cannot be written"):
        run(report_commands.report, path, "--output", tmp_path / "no" / "r.html")
    done = run(report_commands.report, path, "--json", "--format", "html")
    assert done.exit_code == 2
    assert "contradict" in done.stderr


def test_compare(tmp_path: Path) -> None:
    path = two_models(tmp_path / "run")
    assert "oracle against z-ai/glm-5" in run(report_commands.compare, path).stdout
    told = json.loads(run(report_commands.compare, path, "--json").stdout)
    assert told["flipped"] == ["cn_text_001"]
    assert told["measures"][0]["paired"]["mean_difference"] == -100.0
    beside = run(report_commands.compare, "published:glm-5", path, "--model", "oracle")
    assert "oracle against GLM-5 (published)" in beside.stdout
    turned = json.loads(
        run(report_commands.compare, path, "published:glm-5", "--model", "oracle", "--json").stdout
    )
    assert turned["second"] == "GLM-5 (published)"
    assert run(report_commands.compare, path, path, path).exit_code == 2
    with pytest.raises(RunError, match="both sides are published"):
        run(report_commands.compare, "published:glm-5", "published:kimi-k2.5")


def test_several_runs_in_every_format(tmp_path: Path) -> None:
    one = folder_of(tmp_path / "one", result())
    two = folder_of(tmp_path / "two", result(model="oracle"), gate="citation")
    both = (report_commands.report, one, two)
    assert "Not comparable" in run(*both).stdout
    assert "Not comparable" in run(*both, "--format", "markdown").stdout
    assert "Not comparable" in run(*both, "--format", "html").stdout
    told = json.loads(run(*both, "--json").stdout)
    assert told["comparable"] is False
    assert {each["model"] for each in told["models"]} == {"z-ai/glm-5", "oracle"}
    assert not (one / "report.md").exists()


def test_rescore_then_report_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = tmp_path / "cases"
    cases.mkdir()
    write(cases / "a.json", case(id="a", answer="37").model_dump(mode="json", exclude_defaults=True))
    folder = RunFolder(folder_of(tmp_path / "run", result(case="a", answer="36", score=40, verified=False)))
    (folder.path / "trials").mkdir()
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    told = json.loads(run(report_commands.rescore, folder.path, "--cases", cases, "--json").stdout)
    assert (told["difference"], told["of"]) == (-40, folder.info().id)
    totals = [
        json.loads(run(report_commands.report, path, "--json").stdout)["models"][0]["total"]
        for path in (folder.path, told["path"])
    ]
    assert totals == [40, 0]
    done = run(report_commands.rescore, folder.path, "--cases", cases)
    assert "40 not verified → 0 not verified" in done.stdout
    assert "verifaible bench compare" in done.stderr


def test_export(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    (folder.path / "trials").mkdir(parents=True)
    trial = result()
    folder.write_info(info(trial))
    folder.write_prompt(RunPrompt(system="s", task="$question", tools=()))
    folder.add(trial, transcript(trial))
    folder.add(result(trial=2, score=0, answer="", ended_by="rounds"), transcript(result(trial=2)))
    cases = ("--cases", REPOSITORY / "cases")
    done = run(report_commands.export_run, folder.path, *cases)
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["messages"][-1]["content"] == trial.answer
    assert done.stderr == "1 examples; 0 trials filtered out, 1 without an answer.\n"
    output = tmp_path / "sft.jsonl"
    quiet = run(
        report_commands.export_run, folder.path, *cases, "--min-score", 50, "--output", output, "--json"
    )
    told = json.loads(quiet.stdout)
    assert (told["examples"], told["filtered"], told["unanswered"]) == (1, 1, 0)
    assert output.read_text().count("\n") == 1


def test_show_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = RunFolder(two_models(tmp_path / "run"))
    report_commands.show_run(folder, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["run"], told["report"]) == (str(folder.path), str(folder.path / "report.md"))
    report_commands.show_run(folder, as_json=False, tables=True)
    assert "Leaderboard" in capsys.readouterr().out


def test_a_run_ends_with_a_summary_of_a_few_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = RunFolder.create(tmp_path, ("a",))
    trials = [result(model="a"), result(model="a", trial=2, score=0, verified=False)]
    folder.write_info(info(*trials))
    for each in trials:
        folder.add(each, transcript(each))
    report_commands.show_run(folder, as_json=False)
    *_, name, verified, correct, score, cost, report = capsys.readouterr().out.splitlines()
    assert name == "a: 2 trials of 1 case"
    assert verified.startswith("  verified  1/2")
    assert correct.split() == ["correct", "1/2"]
    assert score.split()[1] == "50.0"
    assert cost.startswith("  cost ")
    assert report == f"Report: {folder.path / 'report.md'}"
