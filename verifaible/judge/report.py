"""The reports of a folder of judged answers: ``report.html``, ``report.md``, ``tables.json``, CSV files.

What a page has no room for is in ``claims.jsonl``, and the page says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from verifaible.evidence.report import render
from verifaible.judge.export import ClaimRow, claim_row, write_csv
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.results import AnswerResult, Results, joined, read_results
from verifaible.judge.tables import all_tables
from verifaible.reporting.outcomes import without_unjudged
from verifaible.reporting.pages import read_style
from verifaible.reporting.tables import HASHES, LEVELS, escaped, markdown_page, plain, shortened
from verifaible.runs.lines import write_whole
from verifaible.schema.chat import Usage
from verifaible.schema.judged import JudgeInfo

HTML: Final = "report.html"
MARKDOWN: Final = "report.md"
TABLES: Final = "tables.json"
#: Rows of a table, and claims, that a page shows; the JSON files have all.
MAX_ROWS: Final = 300
MAX_CLAIMS: Final = 3000
#: Faults of the input that are listed, and reasons of one kind that stand before the figures.
MAX_LINES: Final = 40
MAX_REASONS: Final = 5
_NOT_OURS: Final = (
    "Rows and columns marked “published” are copied from the paper; they were not measured here."
)
_PROOF: Final = (
    f"{HASHES} A quote stands at the offsets given, in code points, in the file named, in the capture with "
    "that SHA-256; “verifaible judge verify” looks again at every one of them."
)


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer that a page shows, and its claims as ``claims.csv`` has them.

    ``left_out`` counts claims that it has no room for.
    """

    result: AnswerResult
    claims: Sequence[ClaimRow]
    left_out: int


def write_outputs(folder: JudgeFolder) -> tuple[Path, ...]:
    """Write every report of a folder, judged or being judged.

    Returns:
        ``report.html``, ``report.md``, ``tables.json``, and the CSV files.

    Raises:
        RunError: the folder holds no run, is damaged, or cannot be written.
    """
    results = read_results(folder)
    tables = json.dumps(as_json(results), ensure_ascii=False, indent=1) + "\n"
    made = {HTML: page(results, _shown(folder, results)), MARKDOWN: markdown(results), TABLES: tables}
    for name, text in made.items():
        write_whole(folder.path / name, text)
    return (*(folder.path / name for name in made), *write_csv(folder, results))


def _shown(folder: JudgeFolder, results: Results) -> list[ShownAnswer]:
    """The answers that a page shows claim by claim; those after them are in the tables alone."""
    shown: list[ShownAnswer] = []
    room = MAX_CLAIMS
    for (judged, claims), result in zip(joined(folder), results.answers, strict=False):
        if room <= 0:
            break
        rows = [claim_row(judged, claim, results) for claim in claims[:room]]
        shown.append(ShownAnswer(result, rows, len(claims) - len(rows)))
        room -= max(1, len(rows))
    return shown


def _faults(results: Results) -> list[str]:
    """What of the input could not be used, a line each."""
    of_input = results.info.settings.get("input_faults", ())
    found = [("", str(each.get("message", "")), str(each.get("code", ""))) for each in of_input]
    for each in results.answers:
        about = f"{each.answer.model}, “{each.answer.query[:80]}”: "
        found += [(about, fault.message, fault.code) for fault in each.answer.faults]
    return [f"{plain(about + message)} ({code.replace('_', ' ')})" for about, message, code in found]


def page(results: Results, shown: Sequence[ShownAnswer]) -> str:
    """``report.html``: one file that loads and runs nothing; every text that is not ours is escaped."""
    return render(
        "judged.html",
        css=read_style("verifaible.judge", "judged.css"),
        packages=("verifaible.judge", "verifaible.evidence"),
        title=title(results),
        made_of=made_of(results),
        warnings=warnings(results),
        tables=without_unjudged(all_tables(results))[0],
        faults=_faults(results),
        shown=shown,
        answers=len(results.answers),
        not_ours=_not_ours(results),
        max_rows=MAX_ROWS,
        max_lines=MAX_LINES,
        levels=LEVELS,
        proof=_PROOF,
        plain=plain,
        shortened=shortened,
    )


def markdown(results: Results) -> str:
    """``report.md``: the tables and faults; the claims are in the page and in the JSONL."""
    faults = [f"- {escaped(line)}" for line in _faults(results)[:MAX_LINES]]
    told = ["## Faults of the input", "\n".join(faults)] if faults else []
    return markdown_page(
        title(results),
        made_of(results),
        warnings(results),
        without_unjudged(all_tables(results))[0],
        source=_not_ours(results),
        end=[*told, _PROOF],
    )


def _not_ours(results: Results) -> str:
    return _NOT_OURS if any(table.source for table in all_tables(results)) else ""


def as_json(results: Results) -> dict[str, Any]:
    """``tables.json``: every figure, for programs; a rerun writes the same bytes."""
    info = results.info
    # without what differs in a rerun: its name, its times, what the cache saved
    differs = {"id", "started_at", "finished_at", "calls", "cached_calls", "usage"}
    run = info.model_dump(mode="json", exclude=differs)
    run["settings"].pop("cached_usage", None)
    run |= {"replies": info.calls + info.cached_calls, "usage": total_usage(info).model_dump(mode="json")}
    return {
        "run": run,
        "warnings": warnings(results),
        "tables": [table.as_json() for table in all_tables(results)],
        "answers": [
            {
                "id": each.answer.id,
                "model": each.answer.model,
                "query": each.answer.query,
                "claims": each.claims,
                "citations": each.citations.model_dump(mode="json"),
                "hallucination": each.hallucination.model_dump(mode="json"),
            }
            for each in results.answers
        ],
        "failures": [{"fault": fault, "count": count} for fault, count in results.failures.most_common()],
        "faults": _faults(results),
    }


def total_usage(info: JudgeInfo) -> Usage:
    """Tokens and cost of all replies, whether they were asked for now or came from the cache."""
    cached = info.settings.get("cached_usage")
    usage = info.usage + Usage.model_validate(cached) if cached else info.usage
    # Sums of the same costs in another order differ in their last digits.
    costs = {name: getattr(usage, name) for name in ("cost_usd", "billed_usd")}
    return usage.model_copy(update={name: cost and round(cost, 8) for name, cost in costs.items()})


def title(results: Results) -> str:
    """What was judged: ``answers.csv, 12 answers``."""
    number = len(results.answers)
    name = plain(Path(results.info.input.replace("\\", "/")).name) or "Judged answers"
    return f"{name}: {number} answer{'' if number == 1 else 's'}"


def made_of(results: Results) -> list[str]:
    """How it was judged, and what it cost; no time and no folder, which ``judge.json`` has."""
    info, answers = results.info, results.answers
    who = f"judge: {plain(info.judge)}" if info.judge else "no judge: rules alone"
    told = [f"verifaible {plain(info.version)}; {who}; {', '.join(info.protocols)}."]
    if info.judge:
        usage = total_usage(info)
        cost = "cost not known" if usage.cost_usd is None else f"{usage.cost_usd:.4f} US dollars"
        told.append(
            f"Each item was asked {info.repeats} time{'' if info.repeats == 1 else 's'}: "
            f"{info.calls + info.cached_calls:,} replies, new or from the cache; "
            f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out; {cost}. "
            "The judge saw no model's name."
        )
    by_judge = sum(each.judged.claims_by == "judge" for each in answers)
    told.append(
        f"{sum(each.claims for each in answers):,} claims; {by_judge} of {len(answers)} answers were split "
        "by the judge, the others by rules. Every count and percentage here was added up from the lines of "
        "single claims."
    )
    return told


def warnings(results: Results) -> list[str]:
    """What a reader must know before the figures."""
    info, answers = results.info, results.answers

    def number(counts: Callable[[AnswerResult], int]) -> int:
        return sum(map(counts, answers))

    lost = number(lambda each: max(0, each.judged.claims - each.claims))
    failed = results.failures.most_common(MAX_REASONS)
    unknown = number(lambda each: not each.answer.sources_known)
    uncovered = number(lambda each: each.judged.coverage.covered < each.judged.coverage.sentences)
    faults = len(_faults(results))
    left = results.left.most_common(MAX_REASONS) if info.judge else ()
    told = [
        *(plain(str(note)) for note in info.settings.get("notes", ())),
        info.finished_at is None
        and "The run did not end: it was stopped, or is still under way. Answers without all their claims "
        "are left out.",
        not answers and "No answer was judged.",
        *(without_unjudged(all_tables(results))[1] if answers else ()),
        lost and f"{lost:,} claims are in no figure: their lines in claims.jsonl are missing or damaged.",
        *(f"{count:,} judgements failed, and are in no figure. {_sentence(why)}" for why, count in failed),
        *(f"{count:,} judgements were not made. {_sentence(why)}" for why, count in left),
        faults and f"Faults of the input: {faults:,}, listed below; nothing else of it is lost.",
        unknown and f"Of {unknown:,} answers the sources are not known: nothing in them can be refuted.",
        uncovered and f"In {uncovered:,} answers some sentences are in no claim.",
    ]
    return [line for line in told if isinstance(line, str) and line]


def _sentence(text: str) -> str:
    text = plain(text)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
