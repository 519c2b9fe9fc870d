from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.factcheck.nli.tiny import INT32, LABELS, write_model
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.factcheck.nli.model import CrossEncoder, find_model

CLAIM = "The council approved the budget."
SAYS_SO = "On Tuesday the council approved a budget for the museum."
DENIES = "The council did not, on Tuesday, approved the budget."
ELSE = "The tower lies east of the river."


def loaded(folder: Path, *labels: str, **changes: Any) -> CrossEncoder:
    write_model(folder, labels or LABELS, **changes)
    return CrossEncoder(find_model(Settings(nli_model=str(folder))))


@pytest.mark.parametrize("labels", [LABELS, LABELS[::-1], ("entailment", "neutral", "contradiction")])
def test_the_labels_of_the_config_say_which_value_is_which(tmp_path: Path, labels: tuple[str, ...]) -> None:
    model = loaded(tmp_path, *labels)
    says, denies, other = (model.judge(each, CLAIM) for each in (SAYS_SO, DENIES, ELSE))
    assert says.entailment > 0.9
    assert says.contradiction < 0.1
    assert denies.contradiction > 0.9
    assert denies.entailment < 0.1
    assert max(other.entailment, other.contradiction) < 0.1


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (("entailment", "neutral"), ("entailment", "not_entailment")),
        (("neutral", "entailment"), ("NOT ENOUGH INFO", "SUPPORTS")),
        (("neutral", "entailment"), ("LABEL_0", "LABEL_1")),  # as MiniCheck has it
        (("entailment",), ("LABEL_0",)),  # as HHEM has it
    ],
)
def test_models_of_two_labels_or_one_tell_no_contradiction(
    tmp_path: Path, labels: tuple[str, ...], names: tuple[str, ...]
) -> None:
    model = loaded(tmp_path, *labels, names=names)
    says, denies = (model.judge(each, CLAIM) for each in (SAYS_SO, DENIES))
    assert says.entailment > 0.9
    assert denies.entailment < 0.1
    assert says.contradiction == denies.contradiction == 0


def test_only_what_a_model_asks_for_is_fed_and_in_its_type(tmp_path: Path) -> None:
    without = loaded(tmp_path / "a", inputs=("input_ids", "attention_mask"))
    assert without.judge(SAYS_SO, CLAIM).entailment > 0.9
    narrow = loaded(tmp_path / "b", kind=INT32)
    assert narrow.judge(ELSE, CLAIM).entailment < 0.1


def test_a_long_passage_is_read_in_windows_and_the_claim_is_never_cut(tmp_path: Path) -> None:
    model = loaded(tmp_path)
    passage = "  " + "The tower lies east of the river, and it is open every day. " * 9 + SAYS_SO
    spans = model.windows(passage, CLAIM)
    assert len(spans) > 2
    quotes = [passage[start:end] for start, end in spans]
    assert " ".join(quotes).split() == passage.split()  # no word is lost, cut or read twice
    read = [model._tokenizer.encode(quote, CLAIM) for quote in quotes]
    assert all(len(each.ids) <= 64 for each in read)
    assert {each.type_ids.count(1) for each in read} == {7}  # six of the claim, and the end
    assert model.judge(quotes[-1], CLAIM).entailment > 0.9
    assert model.windows(SAYS_SO, "the budget " * 30) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "tokenizer.json").unlink(), "no tokenizer.json"),
        (lambda folder: (folder / "model.onnx").unlink(), "no model.onnx or onnx/model.onnx"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"no model"), "cannot be loaded"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("no json"), "cannot be loaded"),
        (lambda folder: write_model(folder, names=("0", "1", "2")), "calls no label entailment"),
        (lambda folder: write_model(folder, names=("entailment", "neutral")), "for 2 labels"),
    ],
)
def test_files_that_cannot_be_used_are_named(tmp_path: Path, spoil: Any, said: str) -> None:
    write_model(tmp_path)
    spoil(tmp_path)
    with pytest.raises(ConfigError, match=said):
        CrossEncoder(find_model(Settings(nli_model=str(tmp_path)))).judge(ELSE, CLAIM)


def test_a_model_that_reads_something_else_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path)
    path = tmp_path / "model.onnx"
    path.write_bytes(path.read_bytes().replace(b"token_type_ids", b"pixels_of_page"))
    with pytest.raises(ConfigError, match="pixels_of_page, which a judge does not have"):
        CrossEncoder(find_model(Settings(nli_model=str(tmp_path))))


def test_what_is_missing_is_said_with_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_model(tmp_path)
    files = find_model(Settings(nli_model=str(tmp_path)))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ConfigError, match=r"pip install 'verifaible\[nli\]'"):
        CrossEncoder(files)
