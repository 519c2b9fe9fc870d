"""Reading finished runs: line by line, without the answers, several under one roof."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.bench.samples import info, result
from verifaible.bench.pool import MAX_MESSAGE, findings, in_order, read_run
from verifaible.bench.run_dir import RunFolder, find_run
from verifaible.errors import RunError
from verifaible.schema.run import TrialResult


def folder_of(path: Path, *trials: TrialResult, **changes: Any) -> Path:
    """A run folder with these trials."""
    path.mkdir(parents=True)
    folder = RunFolder(path)
    folder.write_info(info(*trials, **{"id": path.name, **changes}))
    with (path / "results.jsonl").open("wb") as file:
        file.writelines(each.model_dump_json().encode() + b"\n" for each in trials)
    return path


def test_what_a_report_does_not_need_is_not_kept(tmp_path: Path) -> None:
    long = result(case="b", verified=False, verified_reasons=("x" * 5000, "y", "z", "w"), error="e" * 5000)
    path = folder_of(tmp_path / "run", result(case="a"), long, cases={"b": "1", "a": "2"})
    read = read_run(path)
    assert [each.case for each in read.results] == ["b", "a"]
    assert all(not each.answer and not each.citations for each in read.results)
    assert len(read.results[0].verified_reasons) == 3
    assert len(read.results[0].verified_reasons[0]) < MAX_MESSAGE + 10
    assert len(read.results[0].error or "") < MAX_MESSAGE + 10


def test_torn_line_and_repeated_trial(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "run", result(score=0), result(score=80), result(case="b"))
    with (path / "results.jsonl").open("a") as file:
        file.write('{"model": "torn')
    assert [(each.case, each.score) for each in read_run(path).results] == [("cn_text_001", 80), ("b", 100)]


def test_no_run_no_trial(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"run\.json cannot be read"):
        read_run(tmp_path)
    empty = folder_of(tmp_path / "empty", models=("nop",))
    with pytest.raises(RunError, match="has no finished trial"):
        read_run(empty)


def test_finding_a_run(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    one, two = folder_of(runs / "20260101-a", result()), folder_of(runs / "20260201-b", result())
    assert find_run("20260101-a", runs) == one
    assert find_run("latest", runs) == two
    assert find_run(str(one), tmp_path) == one
    with pytest.raises(RunError, match=r"no run\.json"):
        find_run("20260301-c", runs)
    with pytest.raises(RunError, match="There is no run"):
        find_run("latest", tmp_path / "nothing")


def test_a_model_of_two_runs_is_named_with_its_run(tmp_path: Path) -> None:
    one = read_run(folder_of(tmp_path / "one", result(), result(model="oracle")))
    two = read_run(folder_of(tmp_path / "two", result(score=0)))
    together = findings([one, two])
    assert [each.model for each in together.results] == ["z-ai/glm-5 @ one", "oracle", "z-ai/glm-5 @ two"]
    assert together.differences == ()
    with pytest.raises(RunError, match="given twice"):
        findings([one, one])


@pytest.mark.parametrize(
    ("changes", "grave", "said"),
    [
        ({"gate": "citation"}, True, "gate citation, not answer"),
        ({"cases": {"cn_text_001": "1" * 64}}, True, "other texts of 1 cases (cn_text_001)"),
        ({"cases": {"cn_text_001": "0" * 64, "more": "0" * 64}}, True, "with 1 cases (more)"),
        ({"web": "live"}, False, "web live, not offline"),
        ({"version": "9"}, False, "verifaible 9, not 0.0"),
        ({"limits": {"rounds": 5}}, False, "limits rounds 5, not none"),
        ({"locked": {"prompts": {"system.md": "2"}}}, False, "other prompts"),
    ],
)
def test_what_makes_runs_differ(tmp_path: Path, changes: dict[str, Any], grave: bool, said: str) -> None:
    one = read_run(folder_of(tmp_path / "one", result()))
    two = read_run(folder_of(tmp_path / "two", result(model="oracle"), **changes))
    (found,) = findings([one, two]).differences
    assert found.grave == grave
    assert found.message == f"two against one: {said}."


def test_a_case_of_another_text_is_another_case(tmp_path: Path) -> None:
    one = read_run(folder_of(tmp_path / "one", result(case="a"), result(case="b")))
    changed = {"a": "1" * 64, "b": "0" * 64}
    trials = (result(case="a", model="m"), result(case="b", model="m"))
    two = read_run(folder_of(tmp_path / "two", *trials, cases=changed))
    together = findings([one, two])
    assert together.cases == ("a", "b", "a @ two")
    assert [(each.case, each.model) for each in together.results if each.model == "m"] == [
        ("b", "m"),
        ("a @ two", "m"),
    ]


def test_order_of_unknown_cases() -> None:
    found = in_order([result(case="z"), result(case="b", trial=2), result(case="b")], ["b"])
    assert [(each.case, each.trial) for each in found] == [("b", 1), ("b", 2), ("z", 1)]
