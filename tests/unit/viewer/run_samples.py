"""Run folders for the viewer's tests, made by the bench's own classes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.unit.bench.samples import info, result
from verifaible.bench.run_dir import RunFolder, Transcript
from verifaible.runs.progress import Progress
from verifaible.schema.chat import Usage
from verifaible.schema.run import ModelEvent, RunInfo, ToolEvent, TrialCitation, TrialResult

STARTED = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
#: A page's text that would like to run, to load and to turn the direction of what follows.
HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=alert(1)></pre></main><h1>x</h1> "
    "\x00\x1b[2J \u202eevil\u202c {{ 7 * 7 }} &amp; <iframe src=//evil.example></iframe>"
)
SECRET = Usage(
    input_tokens=1_200, cached_input_tokens=1_000, output_tokens=80, reasoning_tokens=30, cost_usd=0.0021
)


def cited(number: int, citation_id: str, text: str = "36 bureaus") -> TrialCitation:
    """A citation of a trial."""
    return TrialCitation(
        number=number, id=citation_id, evidence_type="text", source_url="https://example.com/page", text=text
    )


def write_run(
    runs: Path,
    name: str,
    results: list[TrialResult],
    transcripts: dict[str, Transcript] | None = None,
    **changes: object,
) -> Path:
    """A run folder with these trials; ``transcripts`` are by case, the others have none but the question."""
    folder = RunFolder(runs / name)
    (folder.path / "trials").mkdir(parents=True)
    told: RunInfo = info(*results, **{"id": name, "started_at": STARTED, **changes})
    folder.write_info(told)
    for each in results:
        plain = Transcript(
            model=each.model, case=each.case, trial=each.trial, question="How many?", answer=each.answer
        )
        folder.add(each, (transcripts or {}).get(each.case, plain))
    return folder.path


def tell(folder: RunFolder, done: int = 1, **changes: object) -> None:
    """Say how far a run is, as one that is under way does."""
    now = Progress(at=datetime.now(UTC), total=3, done=done, failed=1, cost_usd=0.0123)
    folder.write_progress(now.model_copy(update=changes))


def rich_trial(citation_id: str = "0" * 20) -> tuple[TrialResult, Transcript]:
    """A trial with everything: thoughts, calls, an error, a citation, a lost attempt."""
    long_text = "\n".join(f"Line {number} of the page, with some words behind it." for number in range(400))
    trial = result(
        model="z-ai/glm-5",
        case="us_text_001",
        category="text",
        language="en",
        answer="There are **36** bureaus [@v:1], as `the page` says 【@v：2】. More: [here](https://example.com/x).",
        citations=(cited(1, citation_id), cited(2, "f" * 20)),
        rounds=3,
        tool_calls=2,
        input_tokens=3_600,
        cached_input_tokens=3_000,
        output_tokens=240,
        reasoning_tokens=90,
        cost_usd=0.0063,
        attempts=2,
        duration_s=21.5,
        tool_errors={"page_error": 1},
        served_by=("DeepInfra", f"Novita {HOSTILE}"),
    )
    events = (
        ModelEvent(
            round=1, text="", reasoning="First I open the page.", tool_calls=1, usage=SECRET, duration_s=3.2
        ),
        ToolEvent(
            round=1,
            name="web_fetch",
            arguments='{"url": "https://example.com/page", "note": "中文"}',
            result="The page could not be loaded. " + HOSTILE,
            error_code="page_error",
            duration_s=4.0,
        ),
        ModelEvent(round=2, text="Then I cite it.", reasoning="", tool_calls=1, usage=SECRET, duration_s=2.0),
        ToolEvent(
            round=2,
            name="verifaible_cite",
            arguments='{"claim": "' + "x" * 900 + '"}',
            result="Citation 1 is verified and stored.\n" + long_text,
            citation=1,
            duration_s=7.5,
        ),
        ModelEvent(round=3, text="There are 36 bureaus.", tool_calls=0, usage=SECRET, duration_s=4.8),
    )
    transcript = Transcript(
        model=trial.model,
        case=trial.case,
        trial=trial.trial,
        question="How many bureaus are there?",
        answer=trial.answer,
        events=events,
        lost_events=events[:2],
    )
    return trial, transcript


def sample_runs(runs: Path, citation_id: str = "0" * 20) -> None:
    """Three runs: a rich one of three models, an unfinished one, and one that is damaged."""
    trial, transcript = rich_trial(citation_id)
    results = [trial]
    for at, case in enumerate(("cn_text_001", "cn_table_001", "us_table_001", "video_001")):
        category = case.split("_")[-2]
        results.append(
            result(
                case=case,
                category=category,
                language="zh" if case.startswith("cn") else "en",
                input_tokens=20_000 + at,
                output_tokens=900,
                cost_usd=0.01,
                billed_usd=0.008,
            )
        )
    for at, each in enumerate(list(results)):
        score = (100, 80, 40, 0, 100)[at]
        failure = ("", "no_marker", "no_citation", "wrong_answer", "evidence_not_verified")[at]
        reasons = ("It shows another value.",) if failure else ()
        results.append(
            each.model_copy(
                update={
                    "model": "other/model",
                    "score": score,
                    "failure": failure,
                    "attempts": 1,
                    "verified": not failure,
                    "verified_reasons": reasons,
                    "citations": (),
                }
            )
        )
        ended = "infrastructure" if at == 1 else "answer"
        results.append(
            each.model_copy(
                update={
                    "model": "third/model-with-a-long-name-2026-03",
                    "score": score // 2,
                    "failure": "wrong_answer",
                    "verified": False,
                    "ended_by": ended,
                    "citations": (),
                    "attempts": 1,
                }
            )
        )
    write_run(
        runs,
        "20260301T093000Z-z-ai-glm-5+other-model",
        results,
        {trial.case: transcript},
        finished_at=STARTED + timedelta(minutes=12),
        settings={"trials": 1},
    )
    write_run(runs, "20260302T080000Z-started", [result()], settings={"trials": 3}, models=("z-ai/glm-5",))
    broken = runs / "20260228T080000Z-broken"
    broken.mkdir()
    (broken / "run.json").write_text("{", encoding="utf-8")
