"""What the rows of an answer's claims add up to: the citation check and the hallucination check.

Formulas and labels are those of the seed (appendices C and D), computed from the rows alone. What nobody
decided is never counted as right or wrong: each figure is over what was decided, with how much that is, and
with the figures that the undecided claims could still make of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from verifaible.reporting.outcomes import Outcomes
from verifaible.schema.base import Record
from verifaible.schema.judged import (
    CitationRow,
    CitationStatus,
    HallucinationRow,
    HallucinationStatus,
    JudgedClaim,
    Score,
)
from verifaible.schema.verdict import Verdict

#: ``no claims``: there is nothing that the check could be about. ``undetermined``: the undecided claims could
#: still change the label. ``not judged``: no claim was decided, and nobody was asked.
CitationLabel: TypeAlias = Literal[
    "correct", "partially correct", "incorrect", "no claims", "undetermined", "not judged"
]
HallucinationLabel: TypeAlias = Literal[
    "factual", "partially factual", "hallucinated", "no claims", "undetermined", "not judged"
]
CheckRow: TypeAlias = CitationRow | HallucinationRow
#: A line of judging: of a claim, or of an answer's score.
Judgement: TypeAlias = Score | CheckRow


class Share(Record):
    """A share from 0 to 1 of which a part may be undecided.

    Attributes:
        value: over what was decided; None where that says nothing.
        low: if every undecided claim went against it; None where there is nothing to share.
        high: if every undecided claim went for it.
        decided: claims that the value rests on.
        of: claims that it is about.
    """

    value: float | None
    low: float | None
    high: float | None
    decided: int
    of: int

    @classmethod
    def of_counts(cls, good: int, bad: int, undecided: int) -> Share:
        """The good ones of all, where each is good, bad or undecided."""
        decided, of = good + bad, good + bad + undecided
        value = good / decided if decided else None
        ends = (good / of, (good + undecided) / of) if of else (None, None)
        return cls(value=value, low=ends[0], high=ends[1], decided=decided, of=of)


class CheckMetrics(Record):
    """A check of an answer: how often each verdict was given, and what they make.

    Attributes:
        outcomes: of the claims that the check is about.
        counts: claims by status, every status of the check.
        by_rules: claims that were decided without a model.
        share: of citations the precision, (direct + derivable) / (direct + derivable + incorrect); of
            hallucination the verified claims, (exact + derivable) / all.
        label: by :func:`citation_label` or :func:`hallucination_label`.
    """

    outcomes: Outcomes
    counts: dict[str, int]
    by_rules: int
    share: Share
    label: CitationLabel | HallucinationLabel

    @property
    def supported(self) -> int:
        """Claims that a source says, or that follow from sources."""
        return sum(self.counts.get(name, 0) for name in ("direct", "exact", "derivable"))


class CitationMetrics(CheckMetrics):
    """The citation check of an answer.

    Attributes:
        factual: claims that state something a source could hold.
        cited_factual: those of them with a mark; both need no judge.
        cited: claims with a mark, those that need none left out (``claims_with_citations``).
        completeness: cited / (all - not needed), which needs no judge; None where no claim needs a citation,
            or nobody looked.
    """

    factual: int
    cited_factual: int
    cited: int
    completeness: float | None


def citation_label(precision: float | None, completeness: float | None) -> CitationLabel:
    """The label of the seed's appendix C, step 6.

    ``correct`` where both are 1; ``incorrect`` where either is at most one half; else ``partially correct``.
    The seed's words for the last two overlap: the worse of the two figures decides.

    Args:
        precision: None where no claim is cited.
        completeness: None where no claim needs a citation: then there are ``no claims``.
    """
    if completeness is None:
        return "no claims"
    worse = completeness if precision is None else min(precision, completeness)
    if worse == 1:
        return "correct"
    return "incorrect" if worse <= 0.5 else "partially correct"


def hallucination_label(verified: int, unverified: int) -> HallucinationLabel:
    """The label of the seed's appendix D, step 6.

    ``factual`` where all are verified, derivable ones among them; ``hallucinated`` where more are unverified
    than verified; else ``partially factual``, at exactly one half too. Without claims: ``no claims``.
    """
    if verified + unverified == 0:
        return "no claims"
    if unverified == 0:
        return "factual"
    return "hallucinated" if unverified > verified else "partially factual"


def is_cited(claim: JudgedClaim) -> bool:
    """Whether a claim has a mark, one that leads nowhere included."""
    return bool(claim.claim.cites or claim.claim.broken)


def citation_metrics(claims: Sequence[JudgedClaim]) -> CitationMetrics:
    """The citation check of one answer from the rows of its claims; a claim without a row is not judged."""
    shown = [claim for claim in claims if _counts(claim, claim.citations)]
    outcomes = Outcomes.of(outcome(claim.citations) for claim in shown)
    status = Counter(_status(claim.citations) for claim in shown)
    marked = Counter(_status(claim.citations) for claim in shown if is_cited(claim))
    cited = marked.total() - marked["not_needed"]
    factual = [claim for claim in claims if claim.claim.factual]
    precision = Share.of_counts(status["direct"] + status["derivable"], status["incorrect"], marked[""])
    expected, bare_open = cited + status["missing"], status[""] - marked[""]
    completeness = cited / expected if expected and not bare_open else None
    worst, best = (citation_label(end, completeness) for end in (precision.low, precision.high))
    label: CitationLabel = worst if worst == best and not bare_open else "undetermined"
    return CitationMetrics(
        outcomes=outcomes,
        counts={name: status[name] for name in get_args(CitationStatus)},
        by_rules=sum(_by_rules(claim.citations) for claim in shown),
        share=precision,
        label="not judged" if outcomes.all and outcomes.all == outcomes.not_judged else label,
        factual=len(factual),
        cited_factual=sum(map(is_cited, factual)),
        cited=cited,
        completeness=completeness,
    )


def hallucination_metrics(claims: Sequence[JudgedClaim]) -> CheckMetrics:
    """The hallucination check of one answer, without its opinions; a claim without a row is not judged."""
    shown = [claim for claim in claims if _counts(claim, claim.hallucination)]
    outcomes = Outcomes.of(outcome(claim.hallucination) for claim in shown)
    status = Counter(_status(claim.hallucination) for claim in shown)
    good = status["exact"] + status["derivable"]
    bad = status["fabricated"] + status["contradiction"]
    worst = hallucination_label(good, bad + outcomes.undecided)
    best = hallucination_label(good + outcomes.undecided, bad)
    label: HallucinationLabel = worst if worst == best else "undetermined"
    return CheckMetrics(
        outcomes=outcomes,
        counts={name: status[name] for name in get_args(HallucinationStatus)},
        by_rules=sum(_by_rules(claim.hallucination) for claim in shown),
        share=Share.of_counts(good, bad, outcomes.undecided),
        label="not judged" if outcomes.all and outcomes.all == outcomes.not_judged else label,
    )


def _counts(claim: JudgedClaim, row: CheckRow | None) -> bool:
    """Whether a claim is in a check: every factual one, and an opinion that somebody was asked about."""
    return claim.claim.factual or (row is not None and row.outcome != "not_judged")


def _status(row: CheckRow | None) -> str:
    return str(verdict_of(row) or "")


def _by_rules(row: CheckRow | None) -> bool:
    return row is not None and row.outcome == "decided" and row.by == "rules"


# --- one row


def verdict_of(row: Judgement | None) -> float | str | None:
    """What was decided; None where nothing was, whatever else the row says."""
    if row is None or row.outcome != "decided":
        return None
    return row.value if isinstance(row, Score) else row.status


def outcome(row: Judgement | None) -> str:
    """How a judgement ended; decided without a verdict is a fault of whoever wrote it, not a verdict."""
    if row is None:
        return "not_judged"
    return "failed" if row.outcome == "decided" and verdict_of(row) is None else row.outcome


def judged_words(row: Judgement | None, unjudged: str) -> str | int | float:
    """What was decided; ``failed: ...``, ``abstained: ...`` or ``not judged: ...`` where nothing was."""
    verdict = verdict_of(row)
    if isinstance(verdict, float):
        return int(verdict) if verdict == int(verdict) else round(verdict, 4)
    if verdict is not None or row is None:
        return unjudged if verdict is None else verdict
    if row.outcome == "not_judged":
        return row.reason if row.reason.startswith("not judged") else unjudged
    told = fault_of(row)
    if row.outcome == "abstain":
        return f"abstained: {told}" if told else "abstained"
    return f"failed: {told or 'no usable reply'}"


def fault_of(row: Judgement) -> str:
    """Why nothing was decided: what the last vote that failed says, else the row's own reason."""
    return next((vote.fault for vote in reversed(row.votes) if vote.fault), "") or row.reason


def evidence_of(claim: JudgedClaim) -> Verdict | None:
    """The finding that a reader should see: that of the verdict, else the one of the rules that has words."""
    rows = (claim.hallucination, claim.citations)
    given = [row.finding for row in rows if row is not None and row.outcome == "decided"]
    known = [found for found in (*given, claim.anywhere, claim.finding) if found is not None]
    return next((found for found in known if found.passages), known[0] if known else None)
