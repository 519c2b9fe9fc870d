"""From what the rules found to the rows of the two claim checks; what they leave open is for a judge.

A mark that leads to no source counts as a citation, and as an incorrect one where other marks of the answer
do lead to sources: the reader who follows it finds nothing. Where none does, it is not known what the answer
calls its sources, and nothing can be said of the mark.
"""

from __future__ import annotations

from typing import Final

from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.judged import (
    CitationRow,
    CitationStatus,
    Finding,
    HallucinationRow,
    HallucinationStatus,
    RuleVerdict,
)
from verifaible.schema.verdict import Verdict

#: Why a claim was not judged.
NO_MODEL: Final = "not judged: no model"
NO_SOURCES: Final = "not judged: the words of the sources are not known"
NO_NAMES: Final = "not judged: no mark of the answer leads to a source, so it is not known what it calls them"

_CITED: Final[dict[str, CitationStatus]] = {"exact": "direct", "derived": "derivable", "refuted": "incorrect"}


def citation_by_rules(
    claim: Claim, answer: AnalystAnswer, finding: Finding | None, *, marks_lead: bool
) -> CitationRow:
    """The citation check of a claim as far as rules decide it.

    Args:
        claim: the claim.
        answer: its answer.
        finding: what the rules found in the sources that it cites; None where it cites none that is known.
        marks_lead: whether any mark of the answer leads to a source.

    Returns:
        The row; ``not_judged`` where a judge has to say.
    """
    if not claim.factual:
        return _citation("not_needed", None, "It states nothing that a source could hold.")
    if not claim.cites and not claim.broken:
        return _citation("missing", None, "It states a fact and cites nothing.")
    if finding is not None and finding.verdict in _CITED:
        return _citation(_CITED[finding.verdict], finding, finding.reason)
    if not claim.cites and answer.sources_known and marks_lead:
        return _citation("incorrect", None, f"{', '.join(claim.broken)} leads to no source.")
    if not claim.cites:
        return CitationRow(outcome="not_judged", reason=NO_NAMES if answer.sources_known else NO_SOURCES)
    return CitationRow(outcome="not_judged", finding=finding, reason=NO_MODEL)


def hallucination_by_rules(
    claim: Claim, answer: AnalystAnswer, anywhere: Finding | None
) -> HallucinationRow | None:
    """The hallucination check of a claim as far as rules decide it; None for what states no fact.

    Args:
        claim: the claim.
        answer: its answer.
        anywhere: what the rules found in all sources of the answer; None where it has none.
    """
    if not claim.factual:
        return None
    if not answer.sources_known or anywhere is None:
        return HallucinationRow(outcome="not_judged", reason=NO_SOURCES)
    status: HallucinationStatus | None = None
    if anywhere.verdict == "exact":
        status = "exact"
    elif anywhere.verdict == "derived":
        status = "derivable"
    elif anywhere.verdict == "refuted":
        status = "contradiction" if anywhere.said else "fabricated"
    if status is None:
        return HallucinationRow(outcome="not_judged", finding=anywhere, reason=NO_MODEL)
    return HallucinationRow(
        outcome="decided", status=status, by="rules", finding=anywhere, reason=anywhere.reason
    )


def _citation(status: CitationStatus, finding: Finding | None, reason: str) -> CitationRow:
    return CitationRow(outcome="decided", status=status, by="rules", finding=finding, reason=reason)


_AS_RULES: Final[dict[str, RuleVerdict]] = {
    "supported": "exact",
    "derived": "derived",
    "contradicted": "refuted",
    "not_found": "refuted",
    "open": "undecided",
}


def finding_of(verdict: Verdict) -> Finding:
    """A verdict as the record that rows have."""
    return Finding(
        verdict=_AS_RULES[verdict.outcome],
        passages=verdict.passages,
        derivation=verdict.derivation,
        said=verdict.said,
        reason=verdict.reason,
    )
