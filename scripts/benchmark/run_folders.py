"""Made-up run folders, with results as models leave them, for the measurements of the viewer."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from verifaible.schema.run import RunInfo, ScoreFacts, TrialCitation, TrialResult
from verifaible.scoring.gate import gated_score

_CATEGORIES = ("text", "table", "dynamic", "dynamic+pdf", "video")
_LANGUAGES = ("zh", "en", "ja", "ko", "de", "ar")
_FAILURES = ("wrong_answer", "wrong_date", "round_trip_exhaustion", "premature_stop", "navigation_failure")


@dataclass(frozen=True, slots=True)
class Shape:
    """How many models did how many cases how often."""

    models: int
    cases: int
    trials: int


def trial_of(chance: random.Random, skill: float, case: int) -> dict[str, object]:
    """The fields of a made-up trial that depend on how it went."""
    right = chance.random() < skill - 0.3 * (case % 5 > 1)
    cited, typed = right and chance.random() < 0.97, chance.random() < 0.94
    facts = ScoreFacts(
        answer_correct=right,
        citation_created=cited,
        citation_in_text=cited,
        evidence_type_match=cited and typed,
    )
    score = gated_score(facts)
    verified = score == 100 and chance.random() < 0.95
    reason = "[@v:1]: The highlighted region does not hold the value. Expected 61 笔, found 167 笔 instead."
    return {
        "facts": facts,
        "score": score,
        "verified": verified,
        "verified_reasons": () if verified else (reason,),
        "failure": "" if verified else chance.choice(_FAILURES) if not right else "evidence_not_verified",
    }


def make(folder: Path, shape: Shape) -> Path:
    """Write a run folder of this shape."""
    chance = random.Random(shape.models)  # noqa: S311 - made-up figures, not secrets
    folder.mkdir(parents=True)
    names = [f"case_{at:04}" for at in range(shape.cases)]
    models = tuple(f"vendor/model-{at}" for at in range(shape.models))
    now = datetime.now(UTC)
    run = RunInfo(
        id=folder.name,
        started_at=now,
        finished_at=now,
        version="0",
        models=models,
        web="offline",
        gate="answer",
        cases=dict.fromkeys(names, "0" * 64),
    )
    (folder / "run.json").write_text(run.model_dump_json(), encoding="utf-8")
    cited = tuple(
        TrialCitation(
            number=number,
            id=f"{number:020x}",
            evidence_type="table",
            source_url="https://www.example.com/market/bonddata/overview/day/",
            text="地方政府债 61",
        )
        for number in (1, 2)
    )
    with (folder / "results.jsonl").open("w", encoding="utf-8") as file:
        for place, model in enumerate(models):
            for at, case in enumerate(names):
                for number in range(1, shape.trials + 1):
                    result = TrialResult.model_validate(
                        {
                            "model": model,
                            "case": case,
                            "category": _CATEGORIES[at % 5],
                            "language": _LANGUAGES[at % 6],
                            "trial": number,
                            "answer": "2025年2月11日，地方政府债的成交笔数为 61 笔[@v:1]。" * 12,
                            "citations": cited,
                            "rounds": chance.randint(3, 30),
                            "tool_calls": chance.randint(2, 29),
                            "input_tokens": chance.randint(15_000, 60_000),
                            "output_tokens": chance.randint(300, 3_000),
                            "cost_usd": round(chance.random() / 20, 6),
                            "duration_s": round(chance.random() * 200, 3),
                            "finished_at": now,
                            **trial_of(chance, 0.97 - 0.05 * place, at),
                        }
                    )
                    file.write(result.model_dump_json() + "\n")
    return folder
