"""Scoring saved trials again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.unit.bench.samples import case, info, result, transcript
from tests.unit.evidence.samples import QUOTE, add
from verifaible.bench.cases import digest, load_cases
from verifaible.bench.pool import read_run
from verifaible.bench.rescore import Rescored, rescore
from verifaible.bench.run_dir import RunFolder
from verifaible.cli.bench import bench
from verifaible.errors import RunError
from verifaible.schema.case import Case
from verifaible.schema.chat import Usage
from verifaible.schema.run import ModelEvent, TrialCitation, TrialResult
from verifaible.scoring.gate import Gate
from verifaible.store.store import Store

RATE = case(
    id="rate",
    url="https://statistics.example/release",
    question="What was the rate in February?",
    answer="5.33 %",
    evidence_types=["text"],
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def run_of(path: Path, *trials: TrialResult, cases: dict[str, str], **changes: Any) -> RunFolder:
    folder = RunFolder(path)
    (path / "trials").mkdir(parents=True)
    folder.write_info(info(*trials, cases=cases, **changes))
    for each in trials:
        folder.add(each, transcript(each))
    return folder


def cited(citation_id: str) -> tuple[TrialCitation, ...]:
    source = "https://statistics.example/release"
    return (TrialCitation(number=1, id=citation_id, evidence_type="text", source_url=source, text=QUOTE),)


def trial(**changes: Any) -> TrialResult:
    return result(**{"case": "rate", "answer": "It was 5.33 % [@v:1].", **changes})


def again(folder: RunFolder, cases: dict[str, Case], store: Store, gate: Gate | None = None) -> Rescored:
    return rescore(folder, folder.path.parent / "runs", cases, store, gate)


def grades(found: Rescored) -> list[tuple[int, bool, str]]:
    return [(each.score, each.verified, each.failure) for each in read_run(Path(found.path)).results]


def test_nothing_changes_where_nothing_changed(tmp_path: Path, store: Store) -> None:
    citation = add(store)
    folder = run_of(tmp_path / "run", trial(citations=cited(citation.id)), cases={"rate": digest(RATE)})
    before = (folder.path / "results.jsonl").read_bytes()
    found = again(folder, {"rate": RATE}, store)
    assert (found.trials, found.changed, found.changed_cases, found.without_evidence) == (1, (), (), 0)
    assert RunFolder(Path(found.path)).info().rescored == folder.info().id
    assert grades(found) == [(100, True, "")]
    assert (folder.path / "results.jsonl").read_bytes() == before


def test_a_changed_case_changes_the_score(tmp_path: Path, store: Store) -> None:
    citation = add(store)
    folder = run_of(tmp_path / "run", trial(citations=cited(citation.id)), cases={"rate": digest(RATE)})
    before = (folder.path / "results.jsonl").read_bytes()
    now = RATE.model_copy(update={"answer": "4.18 %"})
    found = again(folder, {"rate": now}, store)
    assert found.changed == ("z-ai/glm-5, rate, trial 1: 100 verified → 0 not verified",)
    assert (found.changed_cases, found.difference) == (("rate",), -100)
    assert grades(found) == [(0, False, "wrong_answer")]
    (told,) = read_run(Path(found.path)).results
    assert any("not correct" in each for each in told.verified_reasons)
    assert (folder.path / "results.jsonl").read_bytes() == before


def test_the_evidence_is_looked_at_again(tmp_path: Path, store: Store) -> None:
    citation = add(store)
    capture = next(Path(store.location).glob("captures/*.wacz"))
    folder = run_of(tmp_path / "run", trial(citations=cited(citation.id)), cases={"rate": digest(RATE)})
    capture.write_bytes(capture.read_bytes() + b"x")
    found = again(folder, {"rate": RATE}, store)
    assert grades(found) == [(100, False, "evidence_not_verified")]


def test_an_unreviewed_page_is_accepted_by_a_person(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFAIBLE_HOME", str(tmp_path))
    cases = tmp_path / "mine"
    cases.mkdir()
    start = "https://statistics.example/"
    raw = {"id": "rate", "category": "text", "url": start, "question": "What was it?", "answer": "5.33 %"}
    (cases / "rate.json").write_text(json.dumps(raw))
    (before,) = load_cases(cases, None)
    cited_now = cited(add(store).id)
    folder = run_of(tmp_path / "run", trial(citations=cited_now), cases={"rate": digest(before)})
    scored = again(folder, {"rate": before}, store)
    (found,) = read_run(Path(scored.path)).results
    page = "https://statistics.example/release"
    assert (found.score, found.verified, found.unreviewed) == (100, False, (page,))
    assert "is none of the pages of the case" in found.verified_reasons[0]
    asked = ["accept", scored.path, "rate", "--cases", str(cases)]
    assert CliRunner().invoke(bench, [*asked, "--trial", "2"]).exit_code != 0
    done = CliRunner().invoke(bench, asked)
    assert (done.exit_code, done.stdout) == (0, f"{page}\n"), done.output
    (now,) = load_cases(cases, None)
    assert now == before.model_copy(update={"pages": (start, page)})
    assert grades(again(folder, {"rate": now}, store)) == [(100, True, "")]


def test_evidence_that_is_not_in_the_store_is_neither_held_nor_refuted(tmp_path: Path, store: Store) -> None:
    trials = (
        trial(citations=cited("0123456789abcdef0123")),
        trial(trial=2, citations=cited("0123456789abcdef0123"), answer="It was 4 % [@v:1]."),
        trial(trial=3, citations=cited("0123456789abcdef0123"), verified=False),
    )
    folder = run_of(tmp_path / "run", *trials, cases={"rate": digest(RATE)})
    found = again(folder, {"rate": RATE}, store)
    assert found.without_evidence == 3
    assert [each[:2] for each in grades(found)] == [(100, True), (0, False), (100, False)]


def test_trials_of_a_case_that_is_gone_keep_their_grades(tmp_path: Path, store: Store) -> None:
    folder = run_of(tmp_path / "run", trial(score=65, verified=False), cases={"rate": "0"})
    found = again(folder, {}, store)
    assert (found.unknown_cases, found.changed) == (("rate",), ())
    assert grades(found) == [(65, False, "")]


def test_another_gate(tmp_path: Path, store: Store) -> None:
    without = trial(answer="It was 5.33 %.", score=40, verified=False)
    folder = run_of(tmp_path / "run", without, cases={"rate": digest(RATE)})
    assert again(folder, {"rate": RATE}, store).changed == ()
    assert grades(again(folder, {"rate": RATE}, store, "citation")) == [(0, False, "no_citation")]


def test_old_trials_get_the_reason_that_they_lack(tmp_path: Path, store: Store) -> None:
    lost = trial(answer="", score=0, ended_by="rounds")
    folder = run_of(tmp_path / "run", lost, cases={"rate": digest(RATE)})
    found = again(folder, {"rate": RATE}, store)
    assert found.changed == ()
    assert grades(found) == [(0, False, "round_trip_exhaustion")]


def test_a_transcript_that_is_gone_is_no_obstacle(tmp_path: Path, store: Store) -> None:
    folder = run_of(tmp_path / "run", trial(answer="", score=0), cases={"rate": digest(RATE)})
    for path in (folder.path / "trials").iterdir():
        path.unlink()
    found = again(folder, {"rate": RATE}, store)
    assert grades(found) == [(0, False, "premature_stop")]


def test_a_run_without_trials(tmp_path: Path, store: Store) -> None:
    folder = run_of(tmp_path / "run", cases={"rate": "0"}, models=("a",))
    with pytest.raises(RunError, match="no finished trial"):
        again(folder, {"rate": RATE}, store)
    assert not (tmp_path / "runs").exists()


def test_what_was_scored_again_can_be_scored_again_and_has_cost_the_same(
    tmp_path: Path, store: Store
) -> None:
    folder = run_of(tmp_path / "run", trial(answer="It was 5.33 %."), cases={"rate": digest(RATE)})
    folder.spend_path.write_text("", encoding="utf-8")
    first = again(folder, {"rate": RATE}, store, "citation")
    second = again(RunFolder(Path(first.path)), {"rate": RATE}, store, "answer")
    assert [each[0] for each in (*grades(first), *grades(second))] == [0, 40]
    assert RunFolder(Path(second.path)).spend_path.exists()


def test_events_of_the_transcript_decide_the_reason(tmp_path: Path, store: Store) -> None:
    folder = run_of(tmp_path / "run", trial(answer="", score=0), cases={"rate": digest(RATE)})
    kept = folder.transcript(trial().key)
    event = {"round": 1, "name": "web_fetch", "arguments": "{}", "result": "", "error_code": "page_blocked"}
    said = ModelEvent(round=1, text="", tool_calls=1, usage=Usage())
    changed = kept.model_validate({**kept.model_dump(), "events": [said.model_dump(), event]})
    next((folder.path / "trials").iterdir()).write_text(changed.model_dump_json(), encoding="utf-8")
    found = again(folder, {"rate": RATE}, store)
    assert grades(found) == [(0, False, "navigation_failure")]
