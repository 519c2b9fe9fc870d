"""The two checks of each answer, and every claim with its evidence, as CSV."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from verifaible.judge.report.cells import nothing
from verifaible.judge.report.claim_views import evidence_of, row_words
from verifaible.judge.report.metrics import (
    CitationMetrics,
    HallucinationMetrics,
    Outcomes,
    Share,
    is_cited,
)
from verifaible.judge.report.results import AnswerResult, unjudged
from verifaible.reporting.csv_files import Sheet, Value
from verifaible.schema.judged import (
    CitationRow,
    Finding,
    HallucinationRow,
    JudgedAnswer,
    JudgedClaim,
    JudgeInfo,
)
from verifaible.schema.verdict import Passage

CITATIONS: Final = "citations.csv"
HALLUCINATION: Final = "hallucination.csv"
CLAIMS: Final = "claims.csv"
_SPAN: Final = (
    *("model_name", "session_id", "trace_id", "context.span_id", "span_name", "span_kind", "parent_id"),
    *("response", "eval_result", "chain"),
)
CITATION_COLUMNS: Final = (
    *_SPAN,
    *("total_claims_identified", "claims_with_citations", "correctly_cited_direct"),
    *("correctly_cited_derivable", "incorrectly_cited", "missing_citations", "no_citation_needed"),
    *("citation_precision_percentage", "citation_completeness_percentage", "is_valid", "formula_check"),
    *("missing_citations_details", "label", "justification"),
)
HALLUCINATION_COLUMNS: Final = (
    *_SPAN,
    *("total_claims_identified", "verified_exact", "verified_derivable", "fabricated"),
    *("verification_rate_percentage", "label", "justification"),
)
_OURS: Final = ("answer_id", "query", "judged", "failed", "abstained", "not_judged", "coverage", "by_rules")
CLAIM_COLUMNS: Final = (
    *("answer_id", "model", "claim_id", "start", "end", "claim", "kind", "cites", "citation", "citation_by"),
    *("citation_reason", "hallucination", "hallucination_by", "hallucination_reason", "derivation"),
    *("source_says", "quote", "source", "url", "capture", "file", "quote_start", "quote_end", "pointer"),
    "further_passages",
)
_STATUS: Final = {
    "direct": "CORRECTLY CITED (direct)",
    "derivable": "CORRECTLY CITED (derivable)",
    "incorrect": "INCORRECTLY CITED",
    "missing": "MISSING CITATION",
    "not_needed": "NO CITATION NEEDED",
}
_VERIFIED: Final = {"exact": "VERIFIED (exact)", "derivable": "VERIFIED (derivable)"}


class ClaimExport:
    """Writes ``citations.csv``, ``hallucination.csv`` and ``claims.csv``, answer by answer.

    Raises:
        OSError: a file cannot be written.
    """

    def __init__(self, folder: Path, info: JudgeInfo) -> None:
        self._told = {name: unjudged(info, name) for name in ("citations", "hallucination")}
        bounds = [f"{name}_{end}" for name in ("precision", "completeness") for end in ("low", "high")]
        self._citation = Sheet(folder / CITATIONS, [*CITATION_COLUMNS, *_OURS, *bounds])
        self._hallucination = Sheet(
            folder / HALLUCINATION,
            [*HALLUCINATION_COLUMNS, *_OURS, "contradiction", "verification_low", "verification_high"],
        )
        self._claims = Sheet(folder / CLAIMS, CLAIM_COLUMNS)

    def add(self, judged: JudgedAnswer, result: AnswerResult, claims: Sequence[JudgedClaim]) -> None:
        """Take an answer with its claims."""
        self._citation.add(self._citation_row(judged, result.citations, claims))
        self._hallucination.add(self._hallucination_row(judged, result.hallucination, claims))
        links = {source.id: source.url for source in judged.answer.sources}
        for claim in claims:
            self._claims.add(self._claim_row(judged, claim, links))

    def save(self) -> tuple[Path, ...]:
        """Put the files in their places.

        Raises:
            OSError: one cannot be written.
        """
        return tuple(each.save() for each in (self._citation, self._hallucination, self._claims))

    def _citation_row(
        self, judged: JudgedAnswer, found: CitationMetrics, claims: Sequence[JudgedClaim]
    ) -> list[Value]:
        unjudged = self._told["citations"]
        told = total_words(found.outcomes, unjudged)
        # a count over claims of which none was decided is no count
        cited = found.cited == 0 or found.undecided_cited < found.cited
        bare_known = found.missing + found.not_needed > 0 or found.outcomes.undecided == found.undecided_cited
        summary: dict[str, Value] = {
            "total_claims_identified": found.outcomes.all,
            "claims_with_citations": found.cited,
            "correctly_cited_direct": found.direct if cited else told,
            "correctly_cited_derivable": found.derivable if cited else told,
            "incorrectly_cited": found.incorrect if cited else told,
            "missing_citations": found.missing if bare_known else told,
            "no_citation_needed": found.not_needed if bare_known else told,
        }
        metrics: dict[str, Value] = {
            "citation_precision_percentage": share_words(found.precision, found.outcomes, unjudged),
            "citation_completeness_percentage": share_words(found.completeness, found.outcomes, unjudged),
        }
        missing = [
            {"claim": claim.claim.text, "should_cite": ", ".join(_sources(claim))}
            for claim in claims
            if claim.citations is not None and claim.citations.status == "missing"
        ]
        whole = {
            "summary": summary,
            "metrics": metrics,
            "verification": {"formula_check": found.formula_check, "is_valid": found.is_valid},
            "missing_citations_details": missing,
        }
        reason = (
            f"{found.direct + found.derivable} of {found.precision.decided} decided claims with a mark are "
            f"supported, {found.incorrect} are not; {found.missing} lack a citation; "
        )
        steps = [_step(claim, claim.citations, _STATUS, unjudged) for claim in claims]
        first, last = _verdict(judged, found, told, reason, whole)
        return [
            *(*first, "\n".join(steps), *summary.values(), *metrics.values()),
            *(found.is_valid, found.formula_check, json.dumps(missing, ensure_ascii=False), *last),
            *_ends(found.precision, found.completeness),
        ]

    def _hallucination_row(
        self, judged: JudgedAnswer, found: HallucinationMetrics, claims: Sequence[JudgedClaim]
    ) -> list[Value]:
        unjudged = self._told["hallucination"]
        told = total_words(found.outcomes, unjudged)
        known = found.outcomes.decided > 0
        summary: dict[str, Value] = {
            "total_claims_identified": found.outcomes.all,
            "verified_exact": found.exact if known else told,
            "verified_derivable": found.derivable if known else told,
            "fabricated": found.unverified if known else told,
        }
        share = share_words(found.verified, found.outcomes, unjudged)
        reason = (
            f"{found.exact + found.derivable} of {found.outcomes.decided} decided claims are in the sources; "
            f"{found.fabricated} are in none, {found.contradiction} are contradicted; "
        )
        steps = [
            _step(claim, claim.hallucination, _VERIFIED, unjudged)
            for claim in claims
            if claim.hallucination is not None or claim.claim.factual
        ]
        whole = {"summary": summary, "metrics": {"verification_rate_percentage": share}}
        first, last = _verdict(judged, found, told, reason, whole)
        contradicted = found.contradiction if known else told
        return [
            *first,
            "\n".join(steps),
            *summary.values(),
            share,
            *last,
            contradicted,
            *_ends(found.verified),
        ]

    def _claim_row(self, judged: JudgedAnswer, claim: JudgedClaim, links: dict[str, str]) -> list[Value]:
        answer, said = judged.answer, claim.claim
        cited, found = claim.citations, claim.hallucination
        finding = evidence_of(claim)
        passages = finding.passages if finding else ()
        more = [each.model_dump() for each in passages[1:]]
        verdict = row_words(found, self._told["hallucination"]) if found or said.factual else "opinion"
        return [
            *(answer.id, answer.model, said.id, said.start, said.end, said.text, said.kind),
            *(", ".join((*said.cites, *said.broken)), row_words(cited, self._told["citations"])),
            *((cited.by, cited.reason) if cited else ("", "")),
            *(verdict, *((found.by, found.reason) if found else ("", ""))),
            *(_formula(finding), finding.said if finding else ""),
            *(_place(passages[0], links) if passages else [""] * 8),
            json.dumps(more, ensure_ascii=False) if more else "",
        ]


def _formula(finding: Finding | None) -> str:
    return finding.derivation.formula if finding and finding.derivation else ""


def _verdict(
    judged: JudgedAnswer,
    found: CitationMetrics | HallucinationMetrics,
    told: str,
    reason: str,
    whole: dict[str, Any],
) -> tuple[list[Value], list[Value]]:
    """What stands before the steps of a check, and what stands behind its figures."""
    answer, span = judged.answer, judged.answer.span
    label = told if found.label == "not judged" else found.label
    reason += f"{found.outcomes.undecided} of {found.outcomes.all} claims are undecided."
    whole = {**whole, "label": label, "justification": reason}
    return (
        [
            *(answer.model, span.session_id, span.trace_id, span.span_id, span.span_name, span.span_kind),
            *(span.parent_id, answer.answer, json.dumps(whole, ensure_ascii=False)),
        ],
        [label, reason, answer.id, answer.query, *outcome_words(found.outcomes), found.by_rules],
    )


def _step(
    claim: JudgedClaim, row: CitationRow | HallucinationRow | None, names: dict[str, str], told: str
) -> str:
    status = str(row_words(row, told))
    reason = f" | {row.reason}" if row is not None and row.outcome == "decided" and row.reason else ""
    cites = ", ".join((*claim.claim.cites, *claim.claim.broken)) if is_cited(claim) else "none"
    return f"{claim.claim.id} {claim.claim.text} | cites: {cites} | {names.get(status, status)}{reason}"


def _sources(claim: JudgedClaim) -> list[str]:
    """Sources that support a claim, wherever they are cited."""
    finding = claim.anywhere
    if finding is None or finding.verdict not in ("exact", "derived"):
        return []
    return list(dict.fromkeys(passage.source for passage in finding.passages))


def _place(passage: Passage, links: dict[str, str]) -> list[Value]:
    return [
        *(passage.quote, passage.source, links.get(passage.source, ""), passage.capture, passage.file),
        *(passage.start, passage.end, passage.pointer),
    ]


def _ends(*shares: Share) -> list[Value]:
    """What the undecided claims could still make of shares, in per cent."""
    ends = [end for share in shares for end in (share.low, share.high)]
    return ["nothing to judge" if end is None else round(100 * end, 2) for end in ends]


def total_words(outcomes: Outcomes, unjudged: str) -> str:
    """Why a figure over many has nothing to rest on."""
    return nothing(outcomes, unjudged).text


def share_words(share: Share, outcomes: Outcomes, unjudged: str) -> Value:
    """A share in per cent, or why there is none."""
    if share.value is not None:
        return round(100 * share.value, 2)
    return total_words(outcomes if share.of else Outcomes(), unjudged)


def outcome_words(outcomes: Outcomes) -> list[Value]:
    """Judged, failed, abstained, not judged, and the part that was judged."""
    part: Value = round(outcomes.decided / outcomes.all, 4) if outcomes.all else "nothing to judge"
    return [outcomes.decided, outcomes.failed, outcomes.abstain, outcomes.not_judged, part]
