"""Hand-made cases, results and run folders."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.kit.public import PUBLIC
from verifaible.bench.run_dir import Transcript
from verifaible.schema.case import Case
from verifaible.schema.run import RunInfo, ScoreFacts, TrialResult

REPOSITORY = Path(__file__).resolve().parents[3]
CASES = REPOSITORY / "cases"
#: The public test set, where it lies beside the repository.
PUBLIC_SET = PUBLIC / "verifaible-bench/testset.json"

MOMENT = datetime(2026, 2, 21, 8, 0, tzinfo=UTC)


def home_with_one_site(folder: Path) -> Path:
    """A home whose offline web has one small site: all of them take half a second to open."""
    sites = folder / "snapshots" / "sites"
    sites.mkdir(parents=True)
    name = "www.coindesk.com.wacz"
    (sites / name).symlink_to(REPOSITORY / "snapshots" / "sites" / name)
    return folder


def fields(**changes: Any) -> dict[str, Any]:
    """The content of a good case file, with changes; None leaves a field out."""
    good = {
        "id": "sample_001",
        "category": "text",
        "url": "https://example.com/page",
        "question": "How many bureaus are there?",
        "answer": "36",
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


def case(**changes: Any) -> Case:
    """A good case, with changes."""
    return Case.model_validate(fields(**changes))


def write(path: Path, content: object) -> Path:
    """Write a JSON file."""
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def result(**changes: Any) -> TrialResult:
    """A trial with full score and verified evidence, with changes; the facts follow the score."""
    score = changes.get("score", 100)
    good: dict[str, Any] = {
        "model": "z-ai/glm-5",
        "case": "cn_text_001",
        "category": "text",
        "trial": 1,
        "score": score,
        "verified": score == 100,
        "facts": ScoreFacts(
            answer_correct=score > 0,
            citation_created=score >= 65,
            citation_in_text=score >= 80,
            evidence_type_match=score == 100,
        ),
        "answer": "140489 万人[@v:1]",
        "finished_at": MOMENT,
    }
    return TrialResult.model_validate({**good, **changes})


def transcript(of: TrialResult) -> Transcript:
    """The transcript of a trial."""
    return Transcript(model=of.model, case=of.case, trial=of.trial, question="?", answer=of.answer)


def info(*results: TrialResult, **changes: Any) -> RunInfo:
    """The ``run.json`` of a run with these trials."""
    good: dict[str, Any] = {
        "id": "20260221T080000Z-glm-5",
        "started_at": MOMENT,
        "version": "0.0",
        "models": tuple(dict.fromkeys(each.model for each in results)),
        "web": "offline",
        "gate": "answer",
        "cases": {each.case: "0" * 64 for each in results},
        "beside_published": True,
    }
    return RunInfo.model_validate({**good, **changes})
