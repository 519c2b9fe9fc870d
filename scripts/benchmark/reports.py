"""Speed and memory of reports over many trials.

Run folders are made up: results as models leave them (an answer of some hundred characters, two citations,
reasons where a trial is not verified). Each report is a process of its own, from the command to the
written file; the peak is of that process.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from scripts.benchmark.table import Section
from verifaible.schema.run import RunInfo, ScoreFacts, TrialCitation, TrialResult
from verifaible.scoring.gate import gated_score

#: Goals of the project for 10,000 trials.
GOAL_SECONDS, GOAL_MEMORY_MB = 10.0, 500.0
_CATEGORIES = ("text", "table", "dynamic", "dynamic+pdf", "video")
_LANGUAGES = ("zh", "en", "ja", "ko", "de", "ar")
_FAILURES = ("wrong_answer", "wrong_date", "round_trip_exhaustion", "premature_stop", "navigation_failure")


@dataclass(frozen=True, slots=True)
class Shape:
    """How many models did how many cases how often."""

    models: int
    cases: int
    trials: int

    @property
    def total(self) -> int:
        """All trials together."""
        return self.models * self.cases * self.trials


SHAPES = (Shape(1, 21, 1), Shape(10, 100, 10), Shape(10, 1000, 1), Shape(4, 25, 100))


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
    chance = random.Random(shape.total)  # noqa: S311 - made-up figures, not secrets
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


#: What a report's process says of itself. Its own high-water mark: Linux lets ``ru_maxrss`` begin with that
#: of the process that started it.
_MEASURED = """
import atexit, resource, sys
from pathlib import Path

def say():
    used = resource.getrusage(resource.RUSAGE_SELF)
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peak = next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), None)
    unit = 1024**2 if sys.platform == "darwin" else 1024
    print(used.ru_utime + used.ru_stime, peak or used.ru_maxrss / unit)

atexit.register(say)
from verifaible.bench.report.commands import report
report(sys.argv[1:])
"""


def measure(run: Path, shape: str) -> tuple[float, float, float, int]:
    """Seconds by the clock and of the processor, peak memory in MB, and the bytes written."""
    output = run / f"report.{shape}"
    started = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(run), "--format", shape, "--output", str(output)],
        env={**os.environ, "VERIFAIBLE_HOME": str(run)},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    seconds = perf_counter() - started
    processor, memory = done.stdout.split()[-2:]
    return seconds, float(processor), float(memory), output.stat().st_size


def run(folder: Path, *, quick: bool) -> list[Section]:
    """Measure, and give the table."""
    rows = []
    for number, shape in enumerate(SHAPES):
        made = make(folder / f"run-{number}", shape)
        for form in ("html", "json"):
            seconds, processor, memory, size = measure(made, form)
            big = shape.total >= 10_000
            rows.append(
                (
                    f"{shape.total:,} trials ({shape.models} models, {shape.cases} cases), {form}",
                    f"{seconds:.1f} s",
                    f"under {GOAL_SECONDS:.0f} s" if big else "",
                    f"{processor:.1f} s",
                    f"{memory:.0f} MB",
                    f"under {GOAL_MEMORY_MB:.0f} MB" if big else "",
                    f"{size / 1000:.0f} KB",
                )
            )
    columns = ("report", "time", "goal", "processor", "peak", "goal", "file")
    explained = (__doc__ or "").split("\n\n")[-1].strip()
    return [Section("Reports", explained, columns, tuple(rows))]
