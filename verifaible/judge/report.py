"""The reports of a folder of judged answers: ``report.html``, ``report.md``, ``tables.json``, CSV files.

The folder is read once, answer by answer. What a page has no room for is in ``claims.jsonl``, and the page
says so.
"""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from verifaible.evidence.report import render
from verifaible.judge.export import Export
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import Judgement, evidence_of, fault_of, judged_words
from verifaible.judge.results import AnswerResult, Results, Visitor, read_results, unjudged
from verifaible.judge.tables import all_tables
from verifaible.reporting.outcomes import without_unjudged
from verifaible.reporting.pages import read_style
from verifaible.reporting.tables import HASHES, LEVELS, Table, escaped, markdown_page, plain, shortened
from verifaible.runs.lines import usable
from verifaible.schema.analyst import Source
from verifaible.schema.chat import Usage
from verifaible.schema.judged import JudgedAnswer, JudgedClaim, JudgeInfo
from verifaible.schema.verdict import Passage

HTML: Final = "report.html"
MARKDOWN: Final = "report.md"
TABLES: Final = "tables.json"
#: Rows of a table that a page shows; ``tables.json`` has all.
MAX_ROWS: Final = 300
#: Claims that a page shows one by one, all answers together, and of one answer.
MAX_CLAIMS: Final = 3000
MAX_CLAIMS_OF_ANSWER: Final = 200
#: Quotes of a claim that a page shows; the JSONL has the rest.
MAX_QUOTES: Final = 3
#: Lines of a list of faults or failures, and reasons that stand before the figures.
MAX_LINES: Final = 40
MAX_REASONS: Final = 5
#: How a claim stands, the worst first.
Standing: TypeAlias = Literal["wrong", "uncited", "open", "supported", "opinion"]
STANDINGS: Final[dict[Standing, tuple[str, str]]] = {
    "wrong": ("✕", "Not supported, or contradicted"),
    "uncited": ("!", "Needs a citation and has none"),
    "open": ("?", "Not decided"),
    "supported": ("✓", "Supported"),
    "opinion": ("–", "Nothing to support"),
}
NOT_OURS: Final = (
    "Rows and columns marked “published” are copied from the paper; they were not measured here."
)
PROOF: Final = (
    f"{HASHES} A quote stands at the offsets given, in code points, in the file named, in the capture with "
    "that SHA-256; “verifaible judge verify” looks again at every one of them."
)


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A claim on a page; ``checks`` are the two checks with their verdict, who gave it and why."""

    judged: JudgedClaim
    standing: Standing
    checks: tuple[tuple[str, str, str, str], ...]
    calculation: str
    said: str
    quotes: tuple[tuple[Passage, Source | None], ...]
    more_quotes: int

    @classmethod
    def of(cls, claim: JudgedClaim, sources: Sequence[Source], info: JudgeInfo) -> ShownClaim:
        """A claim with the sources of its answer."""
        known = {source.id: source for source in sources}
        evidence = evidence_of(claim)
        passages = evidence.passages if evidence else ()
        rows = (
            ("citation", claim.citations, unjudged(info, "citations")),
            ("sources", claim.hallucination, unjudged(info, "hallucination")),
        )
        checks = []
        for name, row, told in rows:
            if row is not None:
                by = {"rules": "by rules", "judge": "by the judge"}.get(row.by, "")
                said = (by, row.reason) if row.outcome == "decided" else ("", "")
                checks.append((name, str(judged_words(row, told)).replace("_", " "), *said))
        return cls(
            judged=claim,
            standing=standing_of(claim),
            checks=tuple(checks),
            calculation=evidence.derivation.formula if evidence and evidence.derivation else "",
            said=evidence.said if evidence else "",
            quotes=tuple((each, known.get(each.source)) for each in passages[:MAX_QUOTES]),
            more_quotes=max(0, len(passages) - MAX_QUOTES),
        )


def standing_of(claim: JudgedClaim) -> Standing:
    """How a claim stands: the worse of its two checks; decided ones go before what is open."""
    rows = (claim.citations, claim.hallucination)
    decided = {str(row.status) for row in rows if row is not None and row.outcome == "decided"}
    if decided & {"incorrect", "fabricated", "contradiction"}:
        return "wrong"
    if "missing" in decided:
        return "uncited"
    if decided & {"direct", "derivable", "exact"}:
        return "supported"
    return "opinion" if "not_needed" in decided or not claim.claim.factual else "open"


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer that a page shows claim by claim; ``left_out`` counts claims it has no room for."""

    result: AnswerResult
    claims: tuple[ShownClaim, ...]
    left_out: int

    @property
    def groups(self) -> list[tuple[Standing, list[ShownClaim]]]:
        """Claims by how they stand, the worst first."""
        groups = [(name, [each for each in self.claims if each.standing == name]) for name in STANDINGS]
        return [(name, claims) for name, claims in groups if claims]


@dataclass(frozen=True)
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
    shown: tuple[ShownAnswer, ...]
    faults: tuple[str, ...]
    failures: tuple[tuple[str, int], ...]
    left: tuple[tuple[str, int], ...] = ()

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Every table."""
        return all_tables(self.results)

    @cached_property
    def readable(self) -> tuple[Table, ...]:
        """The tables that say something; :func:`warnings` names what was not judged, in a line."""
        return without_unjudged(self.tables)[0]

    @property
    def lists(self) -> list[tuple[str, list[str], int]]:
        """Heading, lines, and how many more: why judging failed, what of the input could not be used."""
        failures = [f"{plain(fault)}: {count:,} times" for fault, count in self.failures]
        found = (("Failed judgements", failures), ("Faults of the input", list(self.faults)))
        return [(head, lines[:MAX_LINES], max(0, len(lines) - MAX_LINES)) for head, lines in found if lines]

    @property
    def not_ours(self) -> str:
        """What to know of published figures, where there are any."""
        return NOT_OURS if any(table.source for table in self.readable) else ""


def write_outputs(folder: JudgeFolder) -> tuple[Path, ...]:
    """Write every report of a folder, judged or being judged.

    Returns:
        ``report.html``, ``report.md``, ``tables.json``, and the CSV files.

    Raises:
        RunError: the folder holds no run, is damaged, or cannot be written.
    """
    export = Export(folder.path, folder.info)
    report = read_report(folder, export.add)
    tables = json.dumps(as_json(report), ensure_ascii=False, indent=1) + "\n"
    made = []
    for name, text in ((HTML, page(report)), (MARKDOWN, markdown(report)), (TABLES, tables)):
        made.append(folder.path / name)
        with usable(made[-1]):
            temporary = folder.path / f".{name}.new"
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(made[-1])
    return (*made, *export.finish(report.results))


def read_report(folder: JudgeFolder, visit: Visitor | None = None) -> Report:
    """Read a folder once, for all its reports.

    Args:
        folder: judged, or being judged.
        visit: takes each answer with its claims as it comes.

    Raises:
        RunError: it holds no run, or is damaged.
    """
    info = folder.info
    failures: Counter[str] = Counter()
    left: Counter[str] = Counter()
    shown: list[ShownAnswer] = []
    faults = [
        f"{plain(str(each.get('message', '')))} ({str(each.get('code', '')).replace('_', ' ')})"
        for each in info.settings.get("input_faults", ())
    ]
    room = MAX_CLAIMS

    def take(judged: JudgedAnswer, claims: tuple[JudgedClaim, ...], result: AnswerResult) -> None:
        nonlocal room
        if visit is not None:
            visit(judged, claims, result)
        rows = _judgements(judged, claims)
        failures.update(fault_of(row) or "no usable reply" for row in rows if row.outcome == "failed")
        left.update(row.reason for row in rows if row.outcome == "not_judged" and row.reason)
        about = f"{plain(judged.answer.model)}, “{plain(judged.answer.query[:80])}”"
        faults.extend(
            f"{about}: {plain(each.message)} ({each.code.replace('_', ' ')})" for each in judged.answer.faults
        )
        if room > 0:
            kept = claims[: min(room, MAX_CLAIMS_OF_ANSWER)]
            views = tuple(ShownClaim.of(each, judged.answer.sources, info) for each in kept)
            shown.append(ShownAnswer(result, views, len(claims) - len(kept)))
            room -= max(1, len(kept))

    with _no_cycles():
        results = read_results(folder, take)
    return Report(
        results, tuple(shown), tuple(faults), tuple(failures.most_common()), tuple(left.most_common())
    )


def _judgements(judged: JudgedAnswer, claims: Sequence[JudgedClaim]) -> list[Judgement]:
    """Every judgement of an answer and of its claims."""
    found: list[Judgement | None] = [*judged.rubric.values(), *judged.taxonomy.values()]
    found += [row for claim in claims for row in (claim.citations, claim.hallucination)]
    return [row for row in found if row is not None]


@contextmanager
def _no_cycles() -> Iterator[None]:
    """Let nobody look for cycles among the records, which have none: it would take half of the reading."""
    looked = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looked:
            gc.enable()


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
        levels=LEVELS,
        standings=STANDINGS,
        proof=PROOF,
        open_up_to=3,
        plain=plain,
        shortened=shortened,
    )


def markdown(report: Report) -> str:
    """``report.md``: the tables, faults and failures; the claims are in the page and in the JSONL."""
    parts: list[str] = []
    for heading, lines, more in report.lists:
        parts += [f"## {heading}", "\n".join(f"- {escaped(line)}" for line in lines)]
        parts += [f"… and {more:,} more."] if more else []
    return markdown_page(
        title(report),
        made_of(report),
        warnings(report),
        report.readable,
        source=report.not_ours,
        end=[*parts, PROOF],
    )


def as_json(report: Report) -> dict[str, Any]:
    """``tables.json``: every figure, for programs; a rerun writes the same bytes."""
    info = report.results.info
    # without what differs in a rerun: its name, its times, what the cache saved
    run = info.model_dump(
        mode="json", exclude={"id", "started_at", "finished_at", "calls", "cached_calls", "usage"}
    )
    run["settings"].pop("cached_usage", None)
    run |= {"replies": info.calls + info.cached_calls, "usage": total_usage(info).model_dump(mode="json")}
    return {
        "run": run,
        "warnings": warnings(report),
        "tables": [table.as_json() for table in report.tables],
        "answers": [
            {
                "id": each.id,
                "model": each.model,
                "query": each.query,
                "claims": each.claims,
                "citations": each.citations.model_dump(mode="json"),
                "hallucination": each.hallucination.model_dump(mode="json"),
            }
            for each in report.results.answers
        ],
        "failures": [{"fault": fault, "count": count} for fault, count in report.failures],
        "faults": list(report.faults),
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
    results, answers = report.results, report.results.answers

    def number(counts: Callable[[AnswerResult], int]) -> int:
        return sum(map(counts, answers))

    lost = number(lambda each: max(0, each.judged.claims - each.claims))
    failed = sum(count for _, count in report.failures)
    unknown = number(lambda each: not each.judged.answer.sources_known)
    uncovered = number(lambda each: each.judged.coverage.covered < each.judged.coverage.sentences)
    left = report.left[:MAX_REASONS] if results.info.judge else ()
    told = [
        *(plain(str(note)) for note in results.info.settings.get("notes", ())),
        results.info.finished_at is None and "The run did not end: it was stopped, or is still under way.",
        _compared(results) if answers else "No answer was judged.",
        *(without_unjudged(report.tables)[1] if answers else ()),
        lost and f"{lost:,} claims are in no figure: their lines in claims.jsonl are missing or damaged.",
        failed and f"{failed:,} judgements failed. They are in no figure; the list below says why.",
        *(f"{count:,} judgements were not made. {_sentence(why)}" for why, count in left),
        report.faults
        and f"{len(report.faults):,} faults of the input are listed below; nothing else of it is lost.",
        unknown and f"Of {unknown:,} answers the sources are not known: nothing in them can be refuted.",
        uncovered and f"In {uncovered:,} answers some sentences are in no claim.",
        results.stray
        and f"{results.stray:,} claims belong to an answer that was not finished; they are left out.",
    ]
    return [line for line in told if isinstance(line, str) and line]


def _compared(results: Results) -> str:
    """How much rests on sources: of the claims with a mark, and of all that state a fact."""
    marked = [each.citations.precision for each in results.answers]
    stated = [each.hallucination.outcomes for each in results.answers]
    return (
        f"{sum(each.decided for each in marked):,} of {sum(each.of for each in marked):,} marked claims were "
        f"compared with the sources they cite, and {sum(each.decided for each in stated):,} of "
        f"{sum(each.all for each in stated):,} factual claims with all sources of their answer."
    )


def _sentence(text: str) -> str:
    text = plain(text)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
