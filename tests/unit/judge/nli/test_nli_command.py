"""The local judge at the command line: calibrated, then asked for what the rules leave open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.judge.commanded import Command, command, write_input
from tests.unit.judge.nli.tiny import write_model

__all__ = ["command"]

CONTEXT = """From [https://news.example/council]: src_1
The council approved, on Tuesday, a new budget for the library. The mayor did not praised the new plan for the museum.

From [https://news.example/tower]: src_2
The museum tower lies, in rain, east of the river and is open every day.
"""
ANSWER = """The council approved a library budget (src_1). The mayor praised the museum plan (src_1).
The museum tower lies open east of the river (src_1). The library approved the tower in August (src_2).
"""


@pytest.fixture
def labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERIFAIBLE_NLI_MODEL", str(write_model(tmp_path / "tiny-nli")))
    rows = []
    for number in range(40):
        more = f"It is closed in August {number}."
        rows += [
            {"claim": "The tower is open every day.", "label": "supported", "sources": [f"Open is the tower every day. {more}"]},
            {"claim": "The mayor praised the plan.", "label": "refuted", "sources": [f"{more} The mayor did not praised the plan."]},
            {"claim": "The council approved the plan.", "label": "neither", "sources": [f"The council met. {more}"]},
        ]  # fmt: skip
    path = tmp_path / "labelled.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def calibrated(command: Command, *arguments: str | Path) -> dict[str, Any]:
    ran = command("calibrate", *arguments, "--model", "nli", "--json")
    assert ran.status == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_a_calibration_says_thresholds_with_their_intervals(command: Command, labelled: Path) -> None:
    command.home.mkdir()
    ran = command("calibrate", labelled, "--model", "nli")
    assert ran.status == 0, ran.err
    assert "nli:tiny-nli: 120 claims, thresholds at 90% right or more" in ran.out
    assert "supported: from 0.99" in ran.out
    assert "40 of 40 right (91.2 to 100.0 %)" in ran.out
    found = json.loads((command.home / "nli.json").read_text())
    assert found["claims"] == {"neither": 40, "refuted": 40, "supported": 40}
    other = calibrated(command, labelled, "--precision", "0.99", "--output", command.home / "other.json")
    assert (other["supported"]["at"], other["refuted"]["at"]) == (None, None)


def test_the_local_judge_decides_what_the_rules_leave_open(
    command: Command, labelled: Path, tmp_path: Path
) -> None:
    command.home.mkdir()
    calibrated(command, labelled)
    table = write_input(tmp_path / "input", {"gpt5": [ANSWER]}, context=CONTEXT)
    folder = command.done("all", table, "--judge", "nli")
    rows = {each.claim.text.split(" (")[0]: each for each in folder.claims()}
    council = rows["The council approved a library budget"].citations
    assert council and (council.status, council.by) == ("direct", "judge")
    mayor = rows["The mayor praised the museum plan"].citations
    assert mayor and mayor.status == "incorrect" and mayor.finding
    assert mayor.finding.said == "The mayor did not praised the new plan for the museum."
    tower = rows["The museum tower lies open east of the river"]
    assert tower.citations and tower.citations.status != "direct"  # it cites the other source
    assert tower.hallucination and tower.hallucination.status == "exact"
    strange = rows["The library approved the tower in August"].citations
    assert strange and strange.outcome == "not_judged"
    assert folder.info.judge == "nli:tiny-nli"
    assert folder.info.settings["calibration"]["claims"]["supported"] == 40
    (answer,) = folder.answers()
    assert {score.outcome for score in answer.rubric.values()} == {"not_judged"}
    assert command("verify", "latest").status == 0  # each passage stands in its capture, to the byte


def test_without_a_calibration_the_rules_decide_alone_and_it_is_said(
    command: Command, labelled: Path, tmp_path: Path
) -> None:
    table = write_input(tmp_path / "input", {"gpt5": [ANSWER]}, context=CONTEXT)
    ran = command("citations", table, "--judge", "nli")
    assert ran.status == 0
    assert "nli:tiny-nli was not calibrated, so it decides nothing" in ran.err
    rows = [each.citations for each in command.latest().claims()]
    assert {row.by for row in rows if row} <= {"rules", ""}


def test_another_models_calibration_is_refused_before_anything_is_read(
    command: Command, labelled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command.home.mkdir()
    calibrated(command, labelled)
    monkeypatch.setenv(
        "VERIFAIBLE_NLI_MODEL", str(write_model(tmp_path / "other", ("entailment",), names=["LABEL_0"]))
    )
    ran = command("all", tmp_path / "missing.csv", "--judge", "nli")
    assert ran.status == 2
    assert "calibrates tiny-nli" in ran.err and "judge calibrate" in ran.err


def test_the_local_judge_does_not_split_answers(command: Command, labelled: Path) -> None:
    ran = command("all", labelled, "--judge", "nli", "--claims", "judge")
    assert (ran.status, "a judge that writes" in ran.err) == (2, True)
