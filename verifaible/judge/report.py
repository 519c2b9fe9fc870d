"""The reports of a folder of judged answers: ``report.html``, ``report.md``, ``tables.json``, CSV files.

The folder is read once, answer by answer. What a page has no room for is in ``claims.jsonl``, and the page
says so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from verifaible.bench.report.markdown import HASHES
from verifaible.evidence.report import render
from verifaible.judge.export import ClaimRow, Export, claim_row
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import fault_of
from verifaible.judge.results import AnswerResult, Results, read_results
from verifaible.judge.tables import all_tables
from verifaible.reporting.outcomes import without_unjudged
from verifaible.reporting.pages import read_style
from verifaible.reporting.tables import LEVELS, Table, escaped, markdown_page, plain, shortened
from verifaible.runs.lines import write_whole
from verifaible.schema.chat import Usage
from verifaible.schema.judged import JudgedAnswer, JudgedClaim, JudgeInfo

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


@dataclass
class Report:
    """What the reports of a folder are drawn from.

    Attributes:
        results: of the folder.
        shown: the answers shown claim by claim; those after them are in the tables alone.
        faults: of the input, one in a line.
        failures: why judging failed, and how often.
        left: why a judge was not asked, and how often.
    """

    results: Results
    shown: list[ShownAnswer] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Every table."""
        return all_tables(self.results)

    @cached_property
    def readable(self) -> tuple[Table, ...]:
        """The tables that say something; :func:`warnings` names what was not judged, in a line."""
        return without_unjudged(self.tables)[0]

    @property
    def not_ours(self) -> str:
        """What to know of published figures, where there are any."""
        return _NOT_OURS if any(table.source for table in self.readable) else ""


def write_outputs(folder: JudgeFolder) -> tuple[Path, ...]:
    """Write every report of a folder, judged or being judged.

    Returns:
        ``report.html``, ``report.md``, ``tables.json``, and the CSV files.

    Raises:
        RunError: the folder holds no run, is damaged, or cannot be written.
    """
    export = Export(folder)
    report = read_report(folder, export)
    tables = json.dumps(as_json(report), ensure_ascii=False, indent=1) + "\n"
    made = {HTML: page(report), MARKDOWN: markdown(report), TABLES: tables}
    for name, text in made.items():
        write_whole(folder.path / name, text)
    return (*(folder.path / name for name in made), *export.finish())


def read_report(folder: JudgeFolder, export: Export | None = None) -> Report:
    """Read a folder once, for all its reports.

    Args:
        folder: judged, or being judged.
        export: takes each answer with its claims as it comes.

    Raises:
        RunError: it holds no run, or is damaged.
    """
    info = folder.info
    report = Report(Results(info, ()))
    for each in info.settings.get("input_faults", ()):
        report.faults.append(_fault(str(each.get("message", "")), str(each.get("code", ""))))
    room = MAX_CLAIMS

    def take(judged: JudgedAnswer, claims: tuple[JudgedClaim, ...], result: AnswerResult) -> None:
        nonlocal room
        if export is not None:
            export.add(judged, claims, result)
        answer = judged.answer
        checks = [row for claim in claims for row in (claim.citations, claim.hallucination)]
        for each in (*judged.rubric.values(), *judged.taxonomy.values(), *checks):
            if each is not None and each.outcome == "failed":
                report.failures[fault_of(each) or "no usable reply"] += 1
            elif each is not None and each.outcome == "not_judged" and each.reason:
                report.left[each.reason] += 1
        about = f"{plain(answer.model)}, “{plain(answer.query[:80])}”: "
        report.faults += [about + _fault(fault.message, fault.code) for fault in answer.faults]
        if room > 0:
            rows = [claim_row(judged, claim, info) for claim in claims[:room]]
            report.shown.append(ShownAnswer(result, rows, len(claims) - len(rows)))
            room -= max(1, len(rows))

    report.results = read_results(folder, take)
    return report


def _fault(message: str, code: str) -> str:
    return f"{plain(message)} ({code.replace('_', ' ')})"


def page(report: Report) -> str:
    """``report.html``: one file that loads and runs nothing; every text that is not ours is escaped."""
    return render(
        "judged.html",
        css=read_style("verifaible.judge", "judged.css"),
        packages=("verifaible.judge", "verifaible.evidence"),
        title=title(report),
        made_of=made_of(report),
        warnings=warnings(report),
        report=report,
        max_rows=MAX_ROWS,
        max_lines=MAX_LINES,
        levels=LEVELS,
        proof=_PROOF,
        plain=plain,
        shortened=shortened,
    )


def markdown(report: Report) -> str:
    """``report.md``: the tables and faults; the claims are in the page and in the JSONL."""
    faults = [f"- {escaped(line)}" for line in report.faults[:MAX_LINES]]
    told = ["## Faults of the input", "\n".join(faults)] if faults else []
    return markdown_page(
        title(report),
        made_of(report),
        warnings(report),
        report.readable,
        source=report.not_ours,
        end=[*told, _PROOF],
    )


def as_json(report: Report) -> dict[str, Any]:
    """``tables.json``: every figure, for programs; a rerun writes the same bytes."""
    info = report.results.info
    # without what differs in a rerun: its name, its times, what the cache saved
    differs = {"id", "started_at", "finished_at", "calls", "cached_calls", "usage"}
    run = info.model_dump(mode="json", exclude=differs)
    run["settings"].pop("cached_usage", None)
    run |= {"replies": info.calls + info.cached_calls, "usage": total_usage(info).model_dump(mode="json")}
    return {
        "run": run,
        "warnings": warnings(report),
        "tables": [table.as_json() for table in report.tables],
        "answers": [
            {
                "id": each.answer.id,
                "model": each.answer.model,
                "query": each.answer.query,
                "claims": each.claims,
                "citations": each.citations.model_dump(mode="json"),
                "hallucination": each.hallucination.model_dump(mode="json"),
            }
            for each in report.results.answers
        ],
        "failures": [{"fault": fault, "count": count} for fault, count in report.failures.most_common()],
        "faults": report.faults,
    }


def total_usage(info: JudgeInfo) -> Usage:
    """Tokens and cost of all replies, whether they were asked for now or came from the cache."""
    cached = info.settings.get("cached_usage")
    usage = info.usage + Usage.model_validate(cached) if cached else info.usage
    # Sums of the same costs in another order differ in their last digits.
    costs = {name: getattr(usage, name) for name in ("cost_usd", "billed_usd")}
    return usage.model_copy(update={name: cost and round(cost, 8) for name, cost in costs.items()})


def title(report: Report) -> str:
    """What was judged: ``answers.csv, 12 answers``."""
    number = len(report.results.answers)
    name = plain(Path(report.results.info.input.replace("\\", "/")).name) or "Judged answers"
    return f"{name}: {number} answer{'' if number == 1 else 's'}"


def made_of(report: Report) -> list[str]:
    """How it was judged, and what it cost; no time and no folder, which ``judge.json`` has."""
    info, answers = report.results.info, report.results.answers
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


def warnings(report: Report) -> list[str]:
    """What a reader must know before the figures."""
    info, answers = report.results.info, report.results.answers

    def number(counts: Callable[[AnswerResult], int]) -> int:
        return sum(map(counts, answers))

    lost = number(lambda each: max(0, each.judged.claims - each.claims))
    failed = report.failures.most_common(MAX_REASONS)
    unknown = number(lambda each: not each.answer.sources_known)
    uncovered = number(lambda each: each.judged.coverage.covered < each.judged.coverage.sentences)
    left = report.left.most_common(MAX_REASONS) if info.judge else ()
    told = [
        *(plain(str(note)) for note in info.settings.get("notes", ())),
        info.finished_at is None
        and "The run did not end: it was stopped, or is still under way. Answers without all their claims "
        "are left out.",
        not answers and "No answer was judged.",
        *(without_unjudged(report.tables)[1] if answers else ()),
        lost and f"{lost:,} claims are in no figure: their lines in claims.jsonl are missing or damaged.",
        *(f"{count:,} judgements failed, and are in no figure. {_sentence(why)}" for why, count in failed),
        *(f"{count:,} judgements were not made. {_sentence(why)}" for why, count in left),
        report.faults
        and f"Faults of the input: {len(report.faults):,}, listed below; nothing else of it is lost.",
        unknown and f"Of {unknown:,} answers the sources are not known: nothing in them can be refuted.",
        uncovered and f"In {uncovered:,} answers some sentences are in no claim.",
    ]
    return [line for line in told if isinstance(line, str) and line]


def _sentence(text: str) -> str:
    text = plain(text)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
