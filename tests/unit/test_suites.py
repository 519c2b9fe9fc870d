"""Suites of cases: every row reads, no row and no file is lost, and what is pinned is what is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit import suites


def test_every_suite_is_as_it_is_pinned() -> None:
    now = suites.pins()
    assert now == json.loads(suites.PINS.read_text(encoding="utf-8"))
    assert len(now) >= 1


def test_every_file_belongs_to_a_suite() -> None:
    known = {suites.PINS, *suites.ROOT.rglob("README.md")}
    for name in suites.names():
        known |= {suites.ROOT / f"{name}.jsonl", *suites.files(name)}
    assert {path for path in suites.ROOT.rglob("*") if path.is_file()} == known


ROW = {"id": "a", "kind": "k", "split": "dev", "input": {}, "expect": {}, "why": "It is read."}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([json.dumps(ROW), "{"], "made.jsonl:2: "),
        ([json.dumps(ROW), json.dumps(ROW)], "made.jsonl:2: a second row with the id 'a'"),
        ([json.dumps(ROW | {"split": "later"})], "made.jsonl:1: "),
        ([json.dumps(ROW | {"why": ""})], "made.jsonl:1: "),
        ([json.dumps(ROW | {"more": 1})], "made.jsonl:1: "),
        ([json.dumps(ROW), ""], "made.jsonl:2: "),
        (None, "made.jsonl: there is no such suite"),
        ([json.dumps(ROW | {"input": {"a": [{"file": "gone.html"}]}})], "which does not exist"),
    ],
)
def test_a_fault_names_its_file_and_line(
    lines: list[str] | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suites, "ROOT", tmp_path)
    suites._rows.cache_clear()
    if lines is not None:
        (tmp_path / "made.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(suites.SuiteError) as raised:
        suites.load("made")
        suites.files("made")
    assert said in str(raised.value)


def test_rows_are_those_of_a_split_and_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites, "ROOT", tmp_path)
    suites._rows.cache_clear()
    other = ROW | {"id": "b", "split": "heldout-1", "input": {"quote": "one\u2028line"}}
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in (ROW, other))
    (tmp_path / "made.jsonl").write_text(text, encoding="utf-8")
    assert [row.id for row in suites.load("made")] == ["a", "b"]
    assert suites.load("made", split="heldout-1", kind="k")[0].input == {"quote": "one\u2028line"}
    with pytest.raises(suites.SuiteError, match="no row with split 'heldout-2'"):
        suites.load("made", split="heldout-2")


def test_a_row_less_is_named() -> None:
    before = {"made": {"rows": {"dev": 2}}, "gone": {"rows": {"dev": 1}}}
    assert suites.lost(before, {"made": {"rows": {"dev": 1, "heldout-1": 5}}}) == [
        "made, dev: 2 rows are pinned, 1 are there",
        "gone, dev: 1 rows are pinned, 0 are there",
    ]
