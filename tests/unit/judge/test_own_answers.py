"""Answers in our own form, judged on the captures that they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifaible.errors import RunError, UnknownModel
from verifaible.judge.own_answers import own_file, read_own
from verifaible.schema.analyst import AnalystAnswer, Source

MADE = AnalystAnswer(
    id="a1",
    origin="trial",
    model="m1",
    query="Where is HYPE?",
    answer="HYPE is at $33.46 [src_1].",
    sources=(Source(id="src_1", kind="api", capture="ab" * 32),),
    sources_known=True,
)


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_a_file_of_ours_is_known_by_its_lines_and_read_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", MADE.model_dump_json(exclude_defaults=True))
    assert own_file(path) == path
    assert read_own(path).answers == (MADE,)


@pytest.mark.parametrize(
    "line",
    [
        '{"query": "q", "answer": "x", "model": "m", "sources": [{"id": "src_1", "text": "words"}]}',
        "no JSON",
        "",
    ],
)
def test_other_records_are_left_to_their_own_reader(line: str, tmp_path: Path) -> None:
    assert own_file(written(tmp_path / "a.jsonl", line)) is None
    assert own_file(tmp_path) is None
    assert own_file(tmp_path / "none.jsonl") is None


def test_a_torn_line_is_a_fault_and_equal_answers_are_told_apart(tmp_path: Path) -> None:
    line = MADE.model_dump_json()
    found = read_own(written(tmp_path / "a.jsonl", line, "", line[:40], line))
    assert [each.id for each in found.answers] == ["a1", "a1-2"]
    assert [fault.code for fault in found.faults] == ["source_unreadable"]
    assert "line 3" in found.faults[0].message


def test_a_run_without_answers_and_a_model_that_is_not_there(tmp_path: Path) -> None:
    written(tmp_path / "harness.json", "{}")
    with pytest.raises(RunError, match="Let it go on"):
        own_file(tmp_path)
    path = written(tmp_path / "answers.jsonl", MADE.model_dump_json())
    assert own_file(tmp_path) == path
    with pytest.raises(UnknownModel, match="m1"):
        read_own(path, ["m2"])
    with pytest.raises(RunError, match="no answers"):
        read_own(written(tmp_path / "b.jsonl", "{}"))
