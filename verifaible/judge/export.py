"""What users of the public scripts know, as CSV: a file for each of their sheets, with its columns.

Columns of ours stand behind theirs. What was not judged says so in its cell, and is never a number. Names of
columns are those of ``script.py``, ``citation_hallucination_check.py`` and ``run_error_taxonomy.py`` of
sentient-agi/CryptoAnalystBench; their ranks are not judged here, and have none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev, pvariance, quantiles
from typing import Final

from verifaible.judge.metrics import (
    CheckRow,
    CitationMetrics,
    HallucinationMetrics,
    Share,
    evidence_of,
    is_cited,
    judged_words,
    outcome_found,
    whole,
)
from verifaible.judge.results import LABELS, AnswerResult, Results, ScoreName, score_outcomes, unjudged
from verifaible.judge.tables import present_cell
from verifaible.reporting.csv_files import Sheet, Value
from verifaible.reporting.outcomes import Outcomes
from verifaible.runs.lines import usable
from verifaible.schema.judged import DIMENSIONS, ERROR_CATEGORIES, JudgedAnswer, JudgedClaim, JudgeInfo

EVALUATION: Final = "evaluation.csv"
STATISTICS: Final = "evaluation_statistics.csv"
TAGS: Final = "evaluation_tags.csv"
ERRORS: Final = "evaluation_errors.csv"
TAXONOMY: Final = "error_taxonomy.csv"
PROPORTIONS: Final = "error_taxonomy_proportions.csv"
CITATIONS: Final = "citations.csv"
HALLUCINATION: Final = "hallucination.csv"
CLAIMS: Final = "claims.csv"
_COUNTS: Final = ("judged", "failed", "abstained", "not_judged", "coverage")
_CAPITAL_COUNTS: Final = tuple(name.capitalize() for name in _COUNTS)
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
_OURS: Final = ("answer_id", "query", *_COUNTS, "by_rules")
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
#: Scores up to this one are low, in the public scripts.
LOW_SCORE: Final = 8
_DESCRIPTIONS: Final = (
    "What is said is out of date, or does not say when it holds.",
    "The answer contradicts itself.",
    "Sources disagree, and the answer neither settles nor mentions it.",
    "Facts stand side by side, and nothing is made of them.",
    "Mechanisms, assumptions or risks that a reader needs are missing.",
    "A strong claim about the future without its uncertainty.",
    "Only a part of the question is answered, or another question.",
)
_VERIFIED: Final = {"exact": "VERIFIED (exact)", "derivable": "VERIFIED (derivable)"}


class Export:
    """Writes the CSV files of a folder; only those of the run's protocols.

    Args:
        folder: where they go.
        info: what the run was made of.

    Raises:
        RunError: one cannot be written.
    """

    def __init__(self, folder: Path, info: JudgeInfo) -> None:
        self._folder, self._info = folder, info
        self._sheets: tuple[Sheet, ...] = ()
        if {"citations", "hallucination"} & set(info.protocols):
            bounds = ("precision_low", "precision_high", "completeness_low", "completeness_high")
            rates = ("contradiction", "verification_low", "verification_high")
            with usable(folder):
                self._sheets = (
                    Sheet(folder / CITATIONS, [*CITATION_COLUMNS, *_OURS, *bounds]),
                    Sheet(folder / HALLUCINATION, [*HALLUCINATION_COLUMNS, *_OURS, *rates]),
                    Sheet(folder / CLAIMS, CLAIM_COLUMNS),
                )

    def add(self, judged: JudgedAnswer, claims: Sequence[JudgedClaim], result: AnswerResult) -> None:
        """Take an answer with its claims, in the order of the input.

        Raises:
            RunError: a file cannot be written.
        """
        if not self._sheets:
            return
        citations, hallucination, by_claim = self._sheets
        cited, found = unjudged(self._info, "citations"), unjudged(self._info, "hallucination")
        with usable(self._folder):
            citations.add(_citation_row(judged, result.citations, claims, cited))
            hallucination.add(_hallucination_row(judged, result.hallucination, claims, found))
            for claim in claims:
                by_claim.add(_claim_row(judged, claim, cited, found))

    def finish(self, results: Results) -> tuple[Path, ...]:
        """Put the files in their places, those of scores too.

        Raises:
            RunError: one cannot be written.
        """
        scores = {
            "rubric": (_evaluation, _statistics, _tags, _errors),
            "taxonomy": (_taxonomy, _proportions),
        }
        with usable(self._folder):
            made = [sheet.save() for sheet in self._sheets]
            for protocol, writers in scores.items():
                if protocol in self._info.protocols:
                    made += [write(self._folder, results) for write in writers]
        return tuple(made)


def _evaluation(folder: Path, results: Results) -> Path:
    """Scores of each answer with their reasons, and what the input had."""
    fixed = ["query", "model", *_with_reasons(DIMENSIONS), "tags"]
    given = dict.fromkeys(name for each in results.answers for name in each.judged.answer.columns)
    responses = [f"{model}_response" for model in results.models]
    originals = [name for name in dict.fromkeys((*given, *responses)) if name not in fixed]
    answers: dict[str, dict[str, str]] = {}
    for each in results.answers:
        answers.setdefault(each.query, {}).setdefault(f"{each.model}_response", each.judged.answer.answer)
    ours = [f"verifaible_{name}" for name in ("answer_id", "answered_at", *_COUNTS)]
    sheet = Sheet(folder / EVALUATION, [*fixed, *originals, *ours])
    for each in results.answers:
        known = answers[each.query] | each.judged.answer.columns
        at = each.judged.answer.answered_at
        sheet.add(
            [
                *(each.query, each.model, *_scores(each, DIMENSIONS, results.unjudged("rubric"))),
                *(_tags_of(each), *(known.get(name, "") for name in originals)),
                *(each.id, at.isoformat() if at else "", *_ended(score_outcomes((each,), *DIMENSIONS))),
            ]
        )
    return sheet.save()


def _statistics(folder: Path, results: Results) -> Path:
    """Population variance and linear quantiles, as in the public script."""
    theirs = ("Model", "Metric", "Mean", "Std", "Variance", "Min", "Max", "Median", "Q25", "Q75", "Count")
    sheet = Sheet(folder / STATISTICS, [*theirs, *_CAPITAL_COUNTS])
    for model in results.models:
        for name in DIMENSIONS:
            values, outcomes = _values(results.of(model), name), score_outcomes(results.of(model), name)
            figures: list[Value] = [outcomes.why_none(results.unjudged("rubric"))] * 8
            if values:
                low, middle, high = quartiles(values)
                spread = (fmean(values), pstdev(values), pvariance(values))
                figures = [round(each, 2) for each in spread]
                figures += [whole(min(values)), whole(max(values))]
                figures += [round(each, 2) for each in (middle, low, high)]
            sheet.add([model, name.replace("_", " ").title(), *figures, len(values), *_ended(outcomes)])
    return sheet.save()


def quartiles(values: Sequence[float]) -> Sequence[float]:
    """The three quartiles, linear between neighbours (numpy's default)."""
    return quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3


def _tags(folder: Path, results: Results) -> Path:
    """Average scores of each model for each tag."""
    averages = [f"avg_{name}" for name in DIMENSIONS]
    sheet = Sheet(folder / TAGS, ["tag", "model", *averages, "total_queries", *_COUNTS])
    for tag in results.tags:
        for model in results.models:
            answers = [each for each in results.of(model) if tag in each.tags]
            row: list[Value] = []
            for name in DIMENSIONS:
                values, outcomes = _values(answers, name), score_outcomes(answers, name)
                missing = outcomes.why_none(results.unjudged("rubric"))
                row.append(round(fmean(values), 3) if values else missing)
            if answers:
                sheet.add([tag, model, *row, len(answers), *_ended(score_outcomes(answers, *DIMENSIONS))])
    return sheet.save()


def _errors(folder: Path, results: Results) -> Path:
    """The public script lets its judge invent clusters of errors; ours are counted from the taxonomy."""
    theirs = ("Model", "Metric", "Error Type", "Description", "Occurrence Count", "Total Low Scores")
    more = ("Total Queries", "Severity", "Example Queries", "Example Issues")
    sheet = Sheet(folder / ERRORS, [*theirs, *more, *_CAPITAL_COUNTS])
    for model in results.models:
        answers = results.of(model)
        scores = [[score for name in DIMENSIONS for score in _values((each,), name)] for each in answers]
        low: Value = sum(min(each, default=LOW_SCORE + 1) <= LOW_SCORE for each in scores)
        low = low if any(scores) else results.unjudged("rubric")
        for name, description in zip(ERROR_CATEGORIES, _DESCRIPTIONS, strict=True):
            outcomes = score_outcomes(answers, name)
            present = [each for each in answers if (each.value(name) or 0) >= 0.5]
            told = outcomes.why_none(results.unjudged("taxonomy"))
            sheet.add(
                [
                    *(model, "Error Taxonomy", LABELS[name], description),
                    *(len(present) if outcomes.decided else told, low, len(answers), "not judged"),
                    "; ".join(each.query for each in present[:3]),
                    "; ".join(each.judged.taxonomy[name].reason for each in present[:3]),
                    *_ended(outcomes),
                ]
            )
    return sheet.save()


def _taxonomy(folder: Path, results: Results) -> Path:
    """The seven categories of each answer with their reasons."""
    columns = ["query", "tags", *_with_reasons(ERROR_CATEGORIES), "model", "answer_id", *_COUNTS]
    sheet = Sheet(folder / TAXONOMY, columns)
    for each in results.answers:
        scores = _scores(each, ERROR_CATEGORIES, results.unjudged("taxonomy"))
        ended = _ended(score_outcomes((each,), *ERROR_CATEGORIES))
        sheet.add([each.query, _tags_of(each), *scores, each.model, each.id, *ended])
    return sheet.save()


def _proportions(folder: Path, results: Results) -> Path:
    """Over all answers first, as the public script has it; then model by model, where there are several."""
    ours = ("Model", "Low 95 %", "High 95 %", *_CAPITAL_COUNTS)
    sheet = Sheet(folder / PROPORTIONS, ["Metric", "Proportion present", "Count present", *ours])
    groups = [("all", results.answers)] if len(results.models) != 1 else []
    groups += [(model, results.of(model)) for model in results.models]
    for model, answers in groups:
        for name in ERROR_CATEGORIES:
            outcomes = score_outcomes(answers, name)
            cell = present_cell(answers, name, results.unjudged("taxonomy"))
            figures: list[Value] = [cell.text, cell.text, model, cell.text, cell.text]
            if cell.value is not None:
                figures = [cell.value, round(cell.value * outcomes.decided), model, cell.low, cell.high]
            sheet.add([name, *figures, *_ended(outcomes)])
    return sheet.save()


def _citation_row(
    judged: JudgedAnswer, found: CitationMetrics, claims: Sequence[JudgedClaim], unjudged: str
) -> list[Value]:
    told = found.outcomes.why_none(unjudged)
    # a count over claims of which none was decided is no count
    cited = found.cited == 0 or found.undecided_cited < found.cited
    bare = found.missing + found.not_needed > 0 or found.outcomes.undecided == found.undecided_cited
    summary: dict[str, Value] = {
        "total_claims_identified": found.outcomes.all,
        "claims_with_citations": found.cited,
        "correctly_cited_direct": found.direct if cited else told,
        "correctly_cited_derivable": found.derivable if cited else told,
        "incorrectly_cited": found.incorrect if cited else told,
        "missing_citations": found.missing if bare else told,
        "no_citation_needed": found.not_needed if bare else told,
    }
    metrics: dict[str, Value] = {
        "citation_precision_percentage": _percent(found.precision, found.outcomes, unjudged),
        "citation_completeness_percentage": _percent(found.completeness, found.outcomes, unjudged),
    }
    missing = [
        {"claim": claim.claim.text, "should_cite": ", ".join(_supporting(claim))}
        for claim in claims
        if claim.citations is not None and claim.citations.status == "missing"
    ]
    details = {
        "summary": summary,
        "metrics": metrics,
        "verification": {"formula_check": found.formula_check, "is_valid": found.is_valid},
        "missing_citations_details": missing,
    }
    reason = (
        f"{found.direct + found.derivable} of {found.precision.decided} decided claims with a mark are "
        f"supported, {found.incorrect} are not; {found.missing} lack a citation"
    )
    steps = [_step(claim, claim.citations, _STATUS, unjudged) for claim in claims]
    before, behind = _around(judged, found, told, reason, details=details, steps=steps)
    checks = (found.is_valid, found.formula_check, json.dumps(missing, ensure_ascii=False))
    ends = (*_bounds(found.precision), *_bounds(found.completeness))
    return [*before, *summary.values(), *metrics.values(), *checks, *behind, *ends]


def _hallucination_row(
    judged: JudgedAnswer, found: HallucinationMetrics, claims: Sequence[JudgedClaim], unjudged: str
) -> list[Value]:
    told, known = found.outcomes.why_none(unjudged), found.outcomes.decided > 0
    summary: dict[str, Value] = {
        "total_claims_identified": found.outcomes.all,
        "verified_exact": found.exact if known else told,
        "verified_derivable": found.derivable if known else told,
        "fabricated": found.unverified if known else told,
    }
    share = _percent(found.verified, found.outcomes, unjudged)
    details = {"summary": summary, "metrics": {"verification_rate_percentage": share}}
    reason = (
        f"{found.exact + found.derivable} of {found.outcomes.decided} decided claims are in the sources; "
        f"{found.fabricated} are in none, {found.contradiction} are contradicted"
    )
    steps = [
        _step(claim, claim.hallucination, _VERIFIED, unjudged)
        for claim in claims
        if claim.hallucination is not None or claim.claim.factual
    ]
    before, behind = _around(judged, found, told, reason, details=details, steps=steps)
    contradicted = found.contradiction if known else told
    return [*before, *summary.values(), share, *behind, contradicted, *_bounds(found.verified)]


def _around(
    judged: JudgedAnswer,
    found: CitationMetrics | HallucinationMetrics,
    told: str,
    reason: str,
    *,
    details: Mapping[str, object],
    steps: Sequence[str],
) -> tuple[list[Value], list[Value]]:
    """What stands before the figures of a check, and what stands behind them."""
    answer, span = judged.answer, judged.answer.span
    label = told if found.label == "not judged" else found.label
    reason = f"{reason}; {found.outcomes.undecided} of {found.outcomes.all} claims are undecided."
    result = json.dumps({**details, "label": label, "justification": reason}, ensure_ascii=False)
    ids = (span.session_id, span.trace_id, span.span_id, span.span_name, span.span_kind, span.parent_id)
    return (
        [answer.model, *ids, answer.answer, result, "\n".join(steps)],
        [label, reason, answer.id, answer.query, *_ended(found.outcomes), found.by_rules],
    )


def _claim_row(judged: JudgedAnswer, claim: JudgedClaim, cited: str, found: str) -> list[Value]:
    answer, said, evidence = judged.answer, claim.claim, evidence_of(claim)
    first, *more = evidence.passages if evidence and evidence.passages else (None,)
    links = {source.id: source.url for source in answer.sources}
    place: list[Value] = [""] * 8
    if first is not None:
        place = [first.quote, first.source, links.get(first.source, ""), first.capture, first.file]
        place += [first.start, first.end, first.pointer]
    checks: list[Value] = []
    for row, told in (
        (claim.citations, cited),
        (claim.hallucination, found if said.factual else "opinion"),
    ):
        checks += [judged_words(row, told), *((row.by, row.reason) if row else ("", ""))]
    calculation = evidence.derivation.formula if evidence and evidence.derivation else ""
    return [
        *(answer.id, answer.model, said.id, said.start, said.end, said.text, said.kind),
        *(", ".join((*said.cites, *said.broken)), *checks),
        *(calculation, evidence.said if evidence else "", *place),
        json.dumps([each.model_dump() for each in more if each], ensure_ascii=False) if more else "",
    ]


def _step(claim: JudgedClaim, row: CheckRow | None, names: dict[str, str], told: str) -> str:
    status = str(judged_words(row, told))
    reason = f" | {row.reason}" if row is not None and row.outcome == "decided" and row.reason else ""
    cites = ", ".join((*claim.claim.cites, *claim.claim.broken)) if is_cited(claim) else "none"
    return f"{claim.claim.id} {claim.claim.text} | cites: {cites} | {names.get(status, status)}{reason}"


def _supporting(claim: JudgedClaim) -> list[str]:
    """Sources that support a claim, wherever they are cited."""
    found = claim.anywhere
    if found is None or outcome_found(found) not in ("supported", "derived"):
        return []
    return list(dict.fromkeys(passage.source for passage in found.passages))


def _percent(share: Share, outcomes: Outcomes, unjudged: str) -> Value:
    """A share in per cent, or why there is none."""
    if share.value is not None:
        return round(100 * share.value, 2)
    return (outcomes if share.of else Outcomes()).why_none(unjudged)


def _bounds(share: Share) -> list[Value]:
    """What the undecided claims could still make of a share, in per cent."""
    return ["nothing to judge" if end is None else round(100 * end, 2) for end in (share.low, share.high)]


def _ended(outcomes: Outcomes) -> list[Value]:
    """Columns :data:`_COUNTS`."""
    part: Value = round(outcomes.decided / outcomes.all, 4) if outcomes.all else "nothing to judge"
    return [outcomes.decided, outcomes.failed, outcomes.abstain, outcomes.not_judged, part]


def _values(answers: Sequence[AnswerResult], name: ScoreName) -> list[float]:
    return [value for each in answers if (value := each.value(name)) is not None]


def _with_reasons(names: Sequence[ScoreName]) -> list[str]:
    return [column for name in names for column in (name, f"{name}_reasoning")]


def _scores(each: AnswerResult, names: Sequence[ScoreName], unjudged: str) -> list[Value]:
    """Each score, and the reason that was given for it."""
    scores = [each.score(name) for name in names]
    return [cell for it in scores for cell in (judged_words(it, unjudged), it.reason if it else "")]


def _tags_of(each: AnswerResult) -> str:
    """The tags as the input had them."""
    return each.judged.answer.columns.get("tags") or "\n".join(each.tags)
