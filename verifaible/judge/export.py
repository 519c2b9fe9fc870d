"""What users of the public scripts know, as CSV: a line for each answer with the columns of their sheets.

Columns of ours stand behind theirs. What was not judged says so in its cell, and is never a number. Names of
columns are those of ``script.py``, ``citation_hallucination_check.py`` and ``run_error_taxonomy.py`` of
sentient-agi/CryptoAnalystBench.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from verifaible.judge.folder import JudgeFolder
from verifaible.judge.metrics import (
    CheckMetrics,
    CitationMetrics,
    evidence_of,
    judged_words,
)
from verifaible.judge.results import AnswerResult, Results, ScoreName, score_outcomes, unjudged
from verifaible.reporting.csv_files import Sheet, Value
from verifaible.reporting.outcomes import Outcomes
from verifaible.runs.lines import usable
from verifaible.schema.judged import (
    DIMENSIONS,
    ERROR_CATEGORIES,
    JudgedAnswer,
    JudgedClaim,
    JudgeInfo,
    Protocol,
)

_Row: TypeAlias = dict[str, Value]
#: A claim with its verdicts and its evidence.
ClaimRow: TypeAlias = _Row


class Export:
    """Writes the CSV files of a folder; only those of the run's protocols that have a line."""

    def __init__(self, folder: JudgeFolder) -> None:
        self._folder, self._info = folder.path, folder.info
        self._sheets: dict[str, Sheet] = {}

    def add(self, judged: JudgedAnswer, claims: Sequence[JudgedClaim], result: AnswerResult) -> None:
        """Take an answer with its claims, in the order of the input.

        Raises:
            RunError: a file cannot be written.
        """
        info = self._info
        if "citations" in info.protocols:
            row = _citation_row(judged, result.citations, unjudged(info, "citations"))
            self._write("citations.csv", row)
        if "hallucination" in info.protocols:
            row = _hallucination_row(judged, result.hallucination, unjudged(info, "hallucination"))
            self._write("hallucination.csv", row)
        if {"citations", "hallucination"} & set(info.protocols):
            for claim in claims:
                self._write("claims.csv", claim_row(judged, claim, self._info))

    def finish(self, results: Results) -> tuple[Path, ...]:
        """Put the files in their places, those of scores too.

        Raises:
            RunError: one cannot be written.
        """
        sheets: tuple[tuple[Protocol, str, Sequence[ScoreName]], ...] = (
            ("rubric", "evaluation.csv", DIMENSIONS),
            ("taxonomy", "error_taxonomy.csv", ERROR_CATEGORIES),
        )
        given = dict.fromkeys(name for each in results.answers for name in each.answer.columns)
        for protocol, name, parts in sheets:
            for each in results.answers if protocol in self._info.protocols else ():
                self._write(name, _score_row(each, parts, results.unjudged(protocol), given))
        with usable(self._folder):
            return tuple(sheet.save() for sheet in self._sheets.values())

    def _write(self, name: str, row: _Row) -> None:
        with usable(self._folder):
            if name not in self._sheets:
                self._sheets[name] = Sheet(self._folder / name, list(row))
            self._sheets[name].add(row.values())


def _score_row(
    each: AnswerResult, parts: Sequence[ScoreName], unjudged: str, given: Mapping[str, None]
) -> _Row:
    """Scores of an answer with their reasons, and what the input had."""
    answer = each.answer
    row: _Row = {"query": answer.query, "model": answer.model}
    for name in parts:
        score = each.score(name)
        row |= {name: judged_words(score, unjudged), f"{name}_reasoning": score.reason if score else ""}
    row["tags"] = answer.columns.get("tags") or "\n".join(answer.tags)
    row |= {name: answer.columns.get(name, "") for name in given if name not in row}
    at = answer.answered_at.isoformat() if answer.answered_at else ""
    row |= {"response": answer.answer, "answer_id": answer.id, "answered_at": at}
    return row | _ended(score_outcomes((each,), *parts))


def _citation_row(judged: JudgedAnswer, found: CitationMetrics, unjudged: str) -> _Row:
    told, counts = found.outcomes.why_none(unjudged), found.counts
    # a count over claims of which none was decided is no count
    known = found.cited == 0 or found.share.decided > 0
    return _answer_row(
        judged,
        found,
        unjudged,
        claims_with_citations=found.cited,
        correctly_cited_direct=counts["direct"] if known else told,
        correctly_cited_derivable=counts["derivable"] if known else told,
        incorrectly_cited=counts["incorrect"] if known else told,
        missing_citations=counts["missing"] if found.label != "not judged" else told,
        no_citation_needed=counts["not_needed"] if found.label != "not judged" else told,
        citation_precision_percentage=_percent(found.share.value, found.outcomes, unjudged),
        citation_completeness_percentage=_percent(found.completeness, found.outcomes, unjudged),
    )


def _hallucination_row(judged: JudgedAnswer, found: CheckMetrics, unjudged: str) -> _Row:
    told, counts = found.outcomes.why_none(unjudged), found.counts
    known = found.outcomes.decided > 0
    return _answer_row(
        judged,
        found,
        unjudged,
        verified_exact=counts["exact"] if known else told,
        verified_derivable=counts["derivable"] if known else told,
        fabricated=counts["fabricated"] + counts["contradiction"] if known else told,
        verification_rate_percentage=_percent(found.share.value, found.outcomes, unjudged),
        contradiction=counts["contradiction"] if known else told,
    )


def _answer_row(judged: JudgedAnswer, found: CheckMetrics, unjudged: str, **figures: Value) -> _Row:
    """The row of an answer: what it is, the figures of a check, and how much of it was judged."""
    answer, span = judged.answer, judged.answer.span
    row: _Row = {
        "model_name": answer.model,
        "session_id": span.session_id,
        "trace_id": span.trace_id,
        "context.span_id": span.span_id,
        "span_name": span.span_name,
        "span_kind": span.span_kind,
        "parent_id": span.parent_id,
        "response": answer.answer,
        "total_claims_identified": found.outcomes.all,
    }
    label = found.outcomes.why_none(unjudged) if found.label == "not judged" else found.label
    ours: _Row = {"label": label, "answer_id": answer.id, "query": answer.query, "by_rules": found.by_rules}
    return row | figures | ours | _ended(found.outcomes)


def claim_row(judged: JudgedAnswer, claim: JudgedClaim, info: JudgeInfo) -> ClaimRow:
    """A line of ``claims.csv``; of several passages the first, the others as JSON behind it."""
    answer, said, evidence = judged.answer, claim.claim, evidence_of(claim)
    passages = [each.model_dump(mode="json") for each in evidence.passages] if evidence else []
    first = passages[0] if passages else {}
    links = {source.id: source.url for source in answer.sources}
    row: _Row = {"answer_id": answer.id, "model": answer.model, "claim_id": said.id}
    row |= {"start": said.start, "end": said.end, "claim": said.text, "kind": said.kind}
    row["cites"] = ", ".join((*said.cites, *said.broken))
    checks = (
        ("citation", claim.citations, unjudged(info, "citations")),
        (
            "hallucination",
            claim.hallucination,
            unjudged(info, "hallucination") if said.factual else "opinion",
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


def _percent(share: float | None, outcomes: Outcomes, unjudged: str) -> Value:
    """A share in per cent, or why there is none."""
    if share is not None:
        return round(100 * share, 2)
    return outcomes.why_none(unjudged) if outcomes.undecided else "nothing to judge"


def _ended(outcomes: Outcomes) -> _Row:
    """How many items were judged, and how the others ended."""
    part: Value = round(outcomes.decided / outcomes.all, 4) if outcomes.all else "nothing to judge"
    counts = {"judged": outcomes.decided, "failed": outcomes.failed, "abstained": outcomes.abstain}
    return {**counts, "not_judged": outcomes.not_judged, "coverage": part}
