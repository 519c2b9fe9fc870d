from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.evidence.samples import NOW, QUOTE, URL, add
from verifaible.bench.run.folder import RunFolder, Transcript
from verifaible.claims.markers import marks_of
from verifaible.errors import RunError, UnknownModel
from verifaible.evidence.sources import SourceTexts
from verifaible.judge.load import read_input
from verifaible.schema.chat import Usage
from verifaible.schema.run import ModelEvent, RunInfo, ScoreFacts, ToolEvent, TrialCitation, TrialResult
from verifaible.store.store import Store

SEARCH = """Results for "rate":

1. Release
   https://statistics.example/release
   The rate was 5.33% in February.
2. Other
   https://other.example/
   Nothing of it.
"""


def run_of(folder: Path, citation: str) -> Path:
    run = RunFolder.create(folder / "runs", ("m",))
    run.write_info(
        RunInfo(
            id="r",
            started_at=NOW,
            version="1",
            models=("m",),
            web="offline",
            gate="answer",
            cases={"c1": "0" * 64},
        )
    )
    made = TrialCitation(number=1, id=citation, evidence_type="text", source_url=URL, text=QUOTE)
    facts = ScoreFacts(
        answer_correct=True, citation_created=True, citation_in_text=True, evidence_type_match=True
    )
    result = TrialResult(
        model="m",
        case="c1",
        category="text",
        trial=1,
        score=100,
        verified=True,
        facts=facts,
        answer="The rate was 5.33% [@v:1].",
        citations=(made,),
        finished_at=NOW,
    )
    events = (
        ModelEvent(round=1, text="", tool_calls=1, usage=Usage()),
        ToolEvent(round=1, name="verifaible_web_search", arguments='{"query": "rate"}', result=SEARCH),
        ToolEvent(
            round=2,
            name="verifaible_web_fetch",
            arguments=json.dumps({"url": URL}),
            result="--- content ---\nAll 5.33%",
        ),
        ToolEvent(round=3, name="crypto_price", arguments="{}", result='{"usd": 36.36}'),
        ToolEvent(
            round=4,
            name="verifaible_web_fetch",
            arguments="not json",
            result="Not loaded.",
            error_code="page_not_loaded",
        ),
        ToolEvent(
            round=5,
            name="verifaible_cite",
            arguments=json.dumps({"source_url": URL}),
            result="Citation 1",
            citation=1,
        ),
    )
    run.add(
        result,
        Transcript(
            model="m", case="c1", trial=1, question="What was the rate?", answer=result.answer, events=events
        ),
    )
    return run.path


def test_a_trial_is_an_answer_with_its_citations_and_what_its_tools_gave(
    tmp_path: Path, store: Store
) -> None:
    citation = add(store)
    path = run_of(tmp_path, citation.id)
    (found,) = read_input(path, store=store).answers
    assert (found.origin, found.query, found.model, found.answered_at) == (
        "trial",
        "What was the rate?",
        "m",
        NOW,
    )
    assert (found.sources_known, found.faults) == (True, ())
    assert [(each.id, each.kind) for each in found.sources] == [
        ("@v:1", "citation"),
        ("call 1", "context"),
        ("call 2", "page"),
        ("call 3", "api"),
        ("call 4", "context"),
        ("call 5", "context"),
    ]
    assert [each.resolved.cites for each in marks_of(found)] == [("@v:1",)]
    texts = SourceTexts(store)
    assert QUOTE in texts.text(found.sources[0])
    assert "5.33%" in texts.text(found.sources[1])
    assert (found.sources[2].url, found.sources[2].title) == (URL, "verifaible_web_fetch")
    assert texts.data(found.sources[3]) == {"usd": 36.36}
    assert read_input(path, store=store).answers == (found,)
    assert read_input(path / "results.jsonl", store=store).answers == (found,)
    with pytest.raises(UnknownModel, match="It has: m"):
        read_input(path, store=store, models=["other"])


def test_a_citation_or_a_transcript_that_is_gone_is_a_fault(tmp_path: Path, store: Store) -> None:
    path = run_of(tmp_path, "0" * 20)
    (found,) = read_input(path, store=store).answers
    assert [fault.code for fault in found.faults] == ["citation_missing"]
    transcript = next((path / "trials").iterdir())
    transcript.write_text("{")
    (found,) = read_input(path, store=store).answers
    assert [fault.code for fault in found.faults] == ["trace_unreadable", "citation_missing"]
    assert (found.answer, found.sources_known) == ("The rate was 5.33% [@v:1].", False)
    transcript.unlink()
    (found,) = read_input(path, store=store).answers
    assert found.faults[0].code == "trace_missing"


def test_a_folder_that_is_no_run(tmp_path: Path, store: Store) -> None:
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(RunError, match="damaged"):
        read_input(tmp_path, store=store)
