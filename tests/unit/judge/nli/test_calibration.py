from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.judge.nli.tiny import write_model
from verifaible.config import Settings
from verifaible.errors import ConfigError, RunError
from verifaible.judge.nli.calibration import (
    Calibration,
    read_calibration,
    read_labelled,
    threshold,
    write_calibration,
)
from verifaible.judge.nli.model import ModelFiles, find_model
from verifaible.scoring.statistics import wilson_interval


def test_the_threshold_is_the_lowest_at_which_the_interval_is_above_what_is_wished() -> None:
    scored = [(0.9, True)] * 100 + [(0.7, True)] * 30 + [(0.7, False)] * 3 + [(0.4, False)] * 40
    found = threshold(scored, 0.9)
    assert (found.at, found.decided, found.right) == (0.7, 133, 130)
    assert found.interval == wilson_interval(130, 133)
    assert threshold(scored, 0.95).at == 0.9
    assert threshold(scored, 0.97).at is None


def test_claims_of_one_probability_are_taken_together_in_whatever_order_they_come() -> None:
    scored = [(0.8, True)] * 50 + [(0.8, False)] * 50
    assert threshold(scored, 0.5).at is None
    assert threshold(scored[::-1], 0.5).at is None


def test_few_claims_and_claims_that_are_not_decided_make_no_threshold() -> None:
    assert threshold([], 0.5).at is None
    assert threshold([(1.0, True)] * 5, 0.9).at is None
    assert threshold([(0.0, True)] * 500, 0.9).at is None


@pytest.fixture
def files(tmp_path: Path) -> ModelFiles:
    return find_model(Settings(nli_model=str(write_model(tmp_path / "model"))))


def test_a_calibration_is_read_back_only_for_the_same_files(files: ModelFiles, tmp_path: Path) -> None:
    made = Calibration(
        **files.identity(),
        reading=1,
        precision=0.9,
        claims={"supported": 40},
        supported=threshold([(0.9, True)] * 40, 0.9),
        refuted=threshold([], 0.9),
    )
    assert set(made.sha256) == {"config.json", "tokenizer.json", "model.onnx"}
    path = tmp_path / "nli.json"
    write_calibration(made, path)
    assert read_calibration(path, files, 1) == made
    with pytest.raises(ConfigError, match="how passages are read"):
        read_calibration(path, files, 2)
    with (files.folder / "tokenizer.json").open("a") as opened:
        opened.write("\n")
    with pytest.raises(ConfigError, match="or its files"):
        read_calibration(path, files, 1)
    path.write_text("{}")
    with pytest.raises(ConfigError, match="no calibration that can be read"):
        read_calibration(path, files, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no json", "line 2: Invalid JSON"),
        (json.dumps({"claim": "It rained.", "sources": ["x"], "label": "true"}), "line 2: label: Input"),
        (json.dumps({"claim": "It rained.", "sources": [], "label": "neither"}), "line 2: sources: Tuple"),
        (json.dumps({"claim": "It rained.", "label": "neither"}), "line 2: sources: Field required"),
    ],
)
def test_a_line_that_is_no_labelled_claim_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "labelled.jsonl"
    good = json.dumps({"claim": "It rained.", "sources": ["It\u2028rained."], "label": "supported"})
    path.write_text(f"{good}\n{line}\n")
    with pytest.raises(RunError, match=said):
        list(read_labelled(path))
    path.write_text(f"{good}\n\n")
    assert [each.label for each in read_labelled(path)] == ["supported"]
