"""The figures of a folder as CSV: ``answers.csv``, a line for each answer, and ``claims.csv``.

What was not judged says so in its cell, and is never a number. Columns are called as in ``script.py``,
``citation_hallucination_check.py`` and ``run_error_taxonomy.py`` of sentient-agi/CryptoAnalystBench; before a
name that two of their sheets have stands the check.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import CheckMetrics, evidence_of, judged_words
from verifaible.judge.results import AnswerResult, Results, ScoreName, joined, score_outcomes
from verifaible.reporting.csv_files import Sheet, Value
from verifaible.reporting.outcomes import Outcomes
from verifaible.runs.lines import usable
from verifaible.schema.judged import (
    DIMENSIONS,
    ERROR_CATEGORIES,
    JudgedAnswer,
    JudgedClaim,
    Protocol,
)

_Row: TypeAlias = dict[str, Value]
#: A claim with its verdicts and its evidence.
ClaimRow: TypeAlias = _Row


def write_csv(folder: JudgeFolder, results: Results) -> tuple[Path, ...]:
    """Write ``answers.csv``, and where claims were checked ``claims.csv``; one without a line is not written.

    Raises:
        RunError: one cannot be written.
    """
    sheets: dict[str, Sheet] = {}

    def add(name: str, row: _Row) -> None:
        if name not in sheets:
            sheets[name] = Sheet(folder.path / name, list(row))
        sheets[name].add(row.values())

    checked = {"citations", "hallucination"} & set(results.info.protocols)
    with usable(folder.path):
        for (judged, claims), result in zip(joined(folder), results.answers, strict=False):
            add("answers.csv", _answer_row(result, results))
            for claim in claims if checked else ():
                add("claims.csv", claim_row(judged, claim, results))
        return tuple(sheet.save() for sheet in sheets.values())


def _answer_row(result: AnswerResult, results: Results) -> _Row:
    """What an answer is, its scores with their reasons, and the figures of its checks."""
    answer, span = result.answer, result.answer.span
    row: _Row = {
        "answer_id": answer.id,
        "query": answer.query,
        "model": answer.model,
        "tags": answer.columns.get("tags") or "\n".join(answer.tags),
        "answered_at": answer.answered_at.isoformat() if answer.answered_at else "",
        "session_id": span.session_id,
        "trace_id": span.trace_id,
        "context.span_id": span.span_id,
        "response": answer.answer,
        "columns": json.dumps(answer.columns, ensure_ascii=False),
    }
    protocols: tuple[tuple[Protocol, Sequence[ScoreName]], ...] = (
        ("rubric", DIMENSIONS),
        ("taxonomy", ERROR_CATEGORIES),
    )
    for protocol, parts in protocols:
        for name in parts if protocol in results.info.protocols else ():
            score = result.score(name)
            row[name] = judged_words(score, results.unjudged(protocol))
            row[f"{name}_reasoning"] = score.reason if score else ""
        if protocol in results.info.protocols:
            row |= _ended(protocol, score_outcomes((result,), *parts))
    if "citations" in results.info.protocols:
        row |= _check_columns("citation", result.citations, results.unjudged("citations"))
        row["claims_with_citations"] = result.citations.cited
        row["citation_completeness_percentage"] = _percent(result.citations.completeness)
    if "hallucination" in results.info.protocols:
        row |= _check_columns("hallucination", result.hallucination, results.unjudged("hallucination"))
    return row


#: What the public scripts call our statuses, and the share of a check.
_COLUMNS = {
    "citation": {
        "direct": "correctly_cited_direct",
        "derivable": "correctly_cited_derivable",
        "incorrect": "incorrectly_cited",
        "missing": "missing_citations",
        "not_needed": "no_citation_needed",
        "share": "citation_precision_percentage",
    },
    "hallucination": {
        "exact": "verified_exact",
        "derivable": "verified_derivable",
        "fabricated": "fabricated",
        "contradiction": "contradiction",
        "share": "verification_rate_percentage",
    },
}


def _check_columns(name: str, found: CheckMetrics, unjudged: str) -> _Row:
    columns, told = _COLUMNS[name], found.outcomes.why_none(unjudged)
    row: _Row = {f"{name}_label": told if found.label == "not judged" else found.label}
    row[f"{name}_total_claims_identified"] = found.outcomes.all
    for status, count in found.counts.items():
        # contradictions among them, as the public scripts count
        number = count + found.counts["contradiction"] if status == "fabricated" else count
        # a count over claims of which none was decided is no count
        row[columns[status]] = number if number or found.outcomes.decided else told
    row[columns["share"]] = (
        told if found.share.value is None and found.share.of else _percent(found.share.value)
    )
    return row | _ended(name, found.outcomes)


def _percent(share: float | None) -> Value:
    return "nothing to judge" if share is None else round(100 * share, 2)


def _ended(name: str, outcomes: Outcomes) -> _Row:
    """How many items were judged, and how the others ended."""
    counts: _Row = {f"{name}_judged": outcomes.decided, f"{name}_failed": outcomes.failed}
    return counts | {f"{name}_abstained": outcomes.abstain, f"{name}_not_judged": outcomes.not_judged}


def claim_row(judged: JudgedAnswer, claim: JudgedClaim, results: Results) -> ClaimRow:
    """A line of ``claims.csv``; of several passages the first, the others as JSON behind it."""
    answer, said, evidence = judged.answer, claim.claim, evidence_of(claim)
    passages = [each.model_dump(mode="json") for each in evidence.passages] if evidence else []
    first = passages[0] if passages else {}
    links = {source.id: source.url for source in answer.sources}
    row: _Row = {"answer_id": answer.id, "model": answer.model, "claim_id": said.id}
    row |= {"start": said.start, "end": said.end, "claim": said.text, "kind": said.kind}
    row["cites"] = ", ".join((*said.cites, *said.broken))
    checks = (
        ("citation", claim.citations, results.unjudged("citations")),
        (
            "hallucination",
            claim.hallucination,
            results.unjudged("hallucination") if said.factual else "opinion",
        ),
    )
    for name, check, told in checks:
        row[name] = judged_words(check, told)
        row |= {f"{name}_by": check.by if check else "", f"{name}_reason": check.reason if check else ""}
    row["derivation"] = evidence.derivation.formula if evidence and evidence.derivation else ""
    row["source_says"] = evidence.said if evidence else ""
    row |= {name: first.get(name, "") for name in ("quote", "source", "capture", "file", "pointer")}
    row |= {"quote_start": first.get("start", ""), "quote_end": first.get("end", "")}
    row["url"] = links.get(str(first.get("source")), "")
    row["further_passages"] = json.dumps(passages[1:], ensure_ascii=False) if passages[1:] else ""
    return row
