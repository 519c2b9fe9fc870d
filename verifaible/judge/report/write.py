"""The files of a report: ``report.html``, ``report.md``, ``tables.json`` and the CSV files."""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from verifaible.bench.report.markdown import HASHES
from verifaible.evidence.report import render
from verifaible.judge.folder import JudgeFolder
from verifaible.judge.report.cells import without_unjudged
from verifaible.judge.report.claim_views import STANDINGS, ClaimView, Standing, claim_view
from verifaible.judge.report.export import Export
from verifaible.judge.report.metrics import Verdict, fault_of
from verifaible.judge.report.results import AnswerResult, Gathering, Results, joined
from verifaible.judge.report.tables import all_tables
from verifaible.reporting.pages import read_style
from verifaible.reporting.tables import LEVELS, Table, escaped, markdown_page, plain, shortened
from verifaible.runs.lines import usable
from verifaible.schema.chat import Usage
from verifaible.schema.judged import JudgedAnswer, JudgedClaim, JudgeInfo

HTML: Final = "report.html"
MARKDOWN: Final = "report.md"
TABLES: Final = "tables.json"
_PACKAGES = ("verifaible.judge", "verifaible.evidence")
#: Rows of the table of answers that a page shows; ``tables.json`` has all.
MAX_ROWS = 300


def write_outputs(folder: JudgeFolder) -> tuple[Path, ...]:
    """Write every report of a folder, judged or being judged.

    Returns:
        ``report.html``, ``report.md``, ``tables.json``, and the CSV files.

    Raises:
        RunError: the folder holds no run, is damaged, or cannot be written.
    """
    export = Export(folder.path, folder.info)
    report = read_report(folder, export)
    return (*_write_pages(folder.path, report), *export.finish(report.results))


def _write_pages(path: Path, report: Report) -> list[Path]:
    tables = json.dumps(as_json(report), ensure_ascii=False, indent=1) + "\n"
    made = []
    for name, text in ((HTML, page(report)), (MARKDOWN, markdown(report)), (TABLES, tables)):
        with usable(path / name):
            temporary = path / f".{name}.new"
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path / name)
        made.append(path / name)
    return made


def page(report: Report) -> str:
    """``report.html``: one file that loads and runs nothing; every text that is not ours is escaped."""
    tables = [(table.anchor, table, max(0, len(table.rows) - MAX_ROWS)) for table in report.readable]
    hidden = len(report.results.answers) - len(report.shown)
    return render(
        "judged.html",
        css=read_style("verifaible.judge", "judged.css"),
        packages=_PACKAGES,
        title=title(report),
        made_of=made_of(report),
        warnings=warnings(report),
        tables=tables,
        max_rows=MAX_ROWS,
        levels=LEVELS,
        shown=[(each, _grouped(each)) for each in report.shown],
        hidden=hidden,
        standings=STANDINGS,
        lists=[each for each in (failure_lines(report), fault_lines(report)) if each[1]],
        not_ours=NOT_OURS if any(table.source for table in report.readable) else "",
        proof=PROOF,
        open_up_to=3,
    )


def _grouped(shown: Shown) -> list[tuple[Standing, list[ClaimView]]]:
    """Claims by how they stand, the worst first."""
    return [
        (standing, claims)
        for standing in STANDINGS
        if (claims := [claim for claim in shown.claims if claim.standing == standing])
    ]


# Everything that is written of a folder of judged answers: pages, tables for programs, CSV.
#
# The folder is read once, answer by answer. What a page has no room for is in ``claims.jsonl``, and the page
# says so.

#: Claims that a page shows one by one, all answers together, and of one answer.
MAX_CLAIMS: Final = 3000
MAX_CLAIMS_OF_ANSWER: Final = 200
#: Reasons why a judge was not asked that stand before the figures.
MAX_REASONS: Final = 5
#: Lines of a list of faults or failures.
MAX_LINES: Final = 40
NOT_OURS: Final = (
    "Rows and columns marked “published” are copied from the paper; they were not measured here."
)
PROOF: Final = (
    f"{HASHES} A quote stands at the offsets given, in code points, in the file named, in the capture with "
    "that SHA-256; “verifaible judge verify” looks again at every one of them."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer that a page shows claim by claim; ``left_out`` counts claims it has no room for."""

    query: str
    model: str
    result: AnswerResult
    claims: tuple[ClaimView, ...]
    left_out: int


@dataclass(frozen=True)
class Report:
    """What the reports of a folder are drawn from.

    Attributes:
        shown: the answers shown claim by claim; those after them are in the tables alone.
        faults: of the input, an answer's in a line.
        failures: why judging failed, and how often.
        left: why a judge was not asked, and how often.
    """

    results: Results
    tables: tuple[Table, ...]
    shown: tuple[Shown, ...]
    faults: tuple[str, ...]
    failures: tuple[tuple[str, int], ...]
    left: tuple[tuple[str, int], ...] = ()

    @cached_property
    def readable(self) -> tuple[Table, ...]:
        """The tables that say something; :func:`warnings` names what was not judged, in a line."""
        return without_unjudged(self.tables)[0]


def read_report(folder: JudgeFolder, export: Export | None = None) -> Report:
    """Read a folder once, for all its reports.

    Args:
        folder: judged, or being judged.
        export: takes each answer as it comes.

    Raises:
        RunError: it holds no run, or is damaged.
    """
    with _no_cycles():
        return _read(folder, export)


def _read(folder: JudgeFolder, export: Export | None) -> Report:
    gathering = Gathering(folder.info)
    stray: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    left: Counter[str] = Counter()
    shown: list[Shown] = []
    faults = [_input_fault(each) for each in folder.info.settings.get("input_faults", ())]
    room = MAX_CLAIMS
    for judged, claims in joined(folder, stray):
        result = gathering.add(judged, claims)
        if export is not None:
            export.add(judged, result, claims)
        rows = _verdicts(judged, claims)
        failures.update(fault_of(row) or "no usable reply" for row in rows if row.outcome == "failed")
        left.update(row.reason for row in rows if row.outcome == "not_judged" and row.reason)
        faults += [_fault(judged, each.code, each.message) for each in judged.answer.faults]
        if room > 0:
            kept = claims[: min(room, MAX_CLAIMS_OF_ANSWER)]
            told = (gathering.unjudged("citations"), gathering.unjudged("hallucination"))
            views = tuple(claim_view(each, judged.answer.sources, told) for each in kept)
            asked, model = shortened(judged.answer.query), plain(judged.answer.model)
            shown.append(Shown(asked, model, result, views, len(claims) - len(kept)))
            room -= max(1, len(kept))
    gathering.stray = stray.total()
    results = gathering.results()
    return Report(
        results=results,
        tables=all_tables(results),
        shown=tuple(shown),
        faults=tuple(faults),
        failures=tuple(failures.most_common()),
        left=tuple(left.most_common()),
    )


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


def title(report: Report) -> str:
    """What was judged: ``answers.csv, 12 answers``."""
    count = len(report.results.answers)
    name = plain(Path(report.results.info.input.replace("\\", "/")).name) or "Judged answers"
    return f"{name}: {count} answer{'' if count == 1 else 's'}"


def made_of(report: Report) -> list[str]:
    """How it was judged, and what it cost."""
    info = report.results.info
    who = f"judge: {plain(info.judge)}" if info.judge else "no judge: rules alone"
    told = [
        # No time and no folder: a rerun writes the same bytes. Both are in judge.json.
        f"verifaible {plain(info.version)}; {who}; {', '.join(info.protocols)}."
    ]
    if info.judge:
        usage = total_usage(info)
        cost = "cost not known" if usage.cost_usd is None else f"{usage.cost_usd:.4f} US dollars"
        tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
        told.append(
            f"Each item was asked {info.repeats} time{'' if info.repeats == 1 else 's'}: "
            f"{info.calls + info.cached_calls:,} replies, new or from the cache; {tokens}; {cost}. The judge "
            "saw no model's name."
        )
    by_judge = sum(each.judged.claims_by == "judge" for each in report.results.answers)
    claims = sum(each.claims for each in report.results.answers)
    told.append(
        f"{claims:,} claims; {by_judge} of {len(report.results.answers)} answers were split by the judge, "
        "the others by rules. Every count and percentage here was added up from the lines of single claims."
    )
    return told


def warnings(report: Report) -> list[str]:
    """What a reader must know before the figures."""
    results, told = report.results, []
    told += [plain(str(note)) for note in results.info.settings.get("notes", ())]
    if results.info.finished_at is None:
        told.append("The run did not end: it was stopped, or is still under way.")
    if not results.answers:
        told.append("No answer was judged.")
    if results.answers:
        told += [
            compared_with_sources(results),
            *(each.line() for each in without_unjudged(report.tables)[1]),
        ]
    if lost := sum(max(0, each.judged.claims - each.claims) for each in results.answers):
        told.append(f"{lost:,} claims are in no figure: their lines in claims.jsonl are missing or damaged.")
    if report.failures:
        count = sum(number for _, number in report.failures)
        told.append(f"{count:,} judgements failed. They are in no figure; the list below says why.")
    if results.info.judge:
        told += [
            f"{count:,} judgements were not made. {_capital(plain(why))}"
            for why, count in report.left[:MAX_REASONS]
        ]
    if report.faults:
        told.append(
            f"{len(report.faults):,} faults of the input are listed below; nothing else of it is lost."
        )
    unknown = sum(not each.judged.answer.sources_known for each in results.answers)
    if unknown:
        told.append(f"Of {unknown:,} answers the sources are not known: nothing in them can be refuted.")
    uncovered = sum(each.judged.coverage.covered < each.judged.coverage.sentences for each in results.answers)
    if uncovered:
        told.append(f"In {uncovered:,} answers some sentences are in no claim.")
    if results.stray:
        told.append(f"{results.stray:,} claims belong to an answer that was not finished; they are left out.")
    return told


def compared_with_sources(results: Results) -> str:
    """How much rests on sources: of the claims with a mark, and of all that state a fact."""
    marked = [each.citations.precision for each in results.answers]
    stated = [each.hallucination.outcomes for each in results.answers]
    compared, of = sum(each.decided for each in marked), sum(each.of for each in marked)
    held, every = sum(each.decided for each in stated), sum(each.all for each in stated)
    return (
        f"{compared:,} of {of:,} marked claims were compared with the sources they cite, and {held:,} of "
        f"{every:,} factual claims with all sources of their answer."
    )


def markdown(report: Report) -> str:
    """``report.md``: the tables, faults and failures; the claims are in the page and in the JSONL."""
    parts: list[str] = []
    for heading, lines, more in (failure_lines(report), fault_lines(report)):
        if lines:
            parts += [f"## {heading}", "\n".join(f"- {escaped(line)}" for line in lines)]
        if more:
            parts.append(f"… and {more:,} more.")
    return markdown_page(
        title(report),
        made_of(report),
        warnings(report),
        report.readable,
        source=NOT_OURS if any(table.source for table in report.readable) else "",
        end=[*parts, PROOF],
    )


def as_json(report: Report) -> dict[str, Any]:
    """``tables.json``: every figure, for programs."""
    return {
        "run": _run_of(report.results.info),
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
    return usage.model_copy(
        update={name: None if cost is None else round(cost, 8) for name, cost in costs.items()}
    )


def _run_of(info: JudgeInfo) -> dict[str, Any]:
    """What a run was made of, without what differs in a rerun: its name, its times, what the cache saved."""
    said = info.model_dump(
        mode="json", exclude={"id", "started_at", "finished_at", "calls", "cached_calls", "usage"}
    )
    said["settings"].pop("cached_usage", None)
    usage = total_usage(info).model_dump(mode="json")
    return {**said, "replies": info.calls + info.cached_calls, "usage": usage}


def failure_lines(report: Report) -> tuple[str, list[str], int]:
    """Heading, lines, and how many more: why judging failed."""
    lines = [f"{plain(fault)}: {count:,} times" for fault, count in report.failures[:MAX_LINES]]
    return "Failed judgements", lines, max(0, len(report.failures) - MAX_LINES)


def fault_lines(report: Report) -> tuple[str, list[str], int]:
    """The same: what of the input could not be used."""
    return "Faults of the input", list(report.faults[:MAX_LINES]), max(0, len(report.faults) - MAX_LINES)


def _input_fault(fault: dict[str, Any]) -> str:
    return f"{plain(str(fault.get('message', '')))} ({str(fault.get('code', '')).replace('_', ' ')})"


def _fault(judged: JudgedAnswer, code: str, message: str) -> str:
    query = plain(judged.answer.query[:80])
    return f"{plain(judged.answer.model)}, “{query}”: {plain(message)} ({code.replace('_', ' ')})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _verdicts(judged: JudgedAnswer, claims: Sequence[JudgedClaim]) -> list[Verdict]:
    """Every judgement of an answer and of its claims."""
    found: list[Verdict | None] = [*judged.rubric.values(), *judged.taxonomy.values()]
    found += [row for claim in claims for row in (claim.citations, claim.hallucination)]
    return [row for row in found if row is not None]
