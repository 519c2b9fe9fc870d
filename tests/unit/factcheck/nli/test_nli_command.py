"""The local judge at the command line: asked for what the rules leave open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.factcheck.nli.tiny import write_model
from tests.unit.judge.commanded import Command, command, write_input

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
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFAIBLE_NLI_MODEL", str(write_model(tmp_path / "tiny-nli")))


@pytest.mark.usefixtures("tiny")
def test_the_local_judge_decides_what_the_rules_leave_open(command: Command, tmp_path: Path) -> None:
    table = write_input(tmp_path / "input", {"gpt5": [ANSWER]}, context=CONTEXT)
    folder = command.done("run", table, "--judge", "nli")
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
    assert strange.reason.startswith("The local model is not sure")
    open_ = rows["The library approved the tower in August"].hallucination
    assert open_ and open_.finding and open_.reason == open_.finding.reason
    assert folder.info.judge == "nli:tiny-nli"
    assert folder.info.settings["threshold"] == 0.95
    assert set(folder.info.settings["judge"]["sha256"]) == {"config.json", "tokenizer.json", "model.onnx"}
    (answer,) = folder.answers()
    assert {score.outcome for score in answer.rubric.values()} == {"not_judged"}
    assert command("verify", "latest").status == 0  # each passage stands in its capture, to the byte


def test_the_local_judge_does_not_split_answers(command: Command, tmp_path: Path) -> None:
    ran = command("run", tmp_path / "answers.csv", "--judge", "nli", "--split", "model")
    assert (ran.status, "a judge that writes" in ran.err) == (2, True)
