"""What stands in the cells of a workbook: a figure where there is one, and words where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from verifaible.judge.report.cells import nothing
from verifaible.judge.report.metrics import Outcomes, Share
from verifaible.judge.report.workbook import Value
from verifaible.schema.judged import CitationRow, HallucinationRow, RankRow, Score, Vote


def score_words(score: Score | None, unjudged: str) -> Value:
    """The value of a score; ``failed: ...``, ``abstained: ...`` or ``not judged: ...`` of what has none."""
    if score is None:
        return unjudged
    if score.outcome == "decided" and score.value is not None:
        return rounded(score.value)
    return _without(score.outcome, score.reason, score.votes, unjudged)


def rank_words(rank: RankRow | None, unjudged: str) -> Value:
    """The rank of an answer, or why it has none."""
    if rank is None:
        return unjudged
    if rank.outcome == "decided" and rank.rank is not None:
        return rounded(rank.rank)
    return _without(rank.outcome, rank.reason, rank.votes, unjudged)


def row_words(row: CitationRow | HallucinationRow | None, unjudged: str) -> str:
    """The verdict of a claim, or why it has none."""
    if row is None:
        return unjudged
    if row.outcome == "decided" and row.status is not None:
        return row.status
    return _without(row.outcome, row.reason, row.votes, unjudged)


def _without(outcome: str, reason: str, votes: Sequence[Vote], unjudged: str) -> str:
    if outcome == "not_judged":
        return reason if reason.startswith("not judged") else unjudged
    told = next((vote.fault for vote in reversed(votes) if vote.fault), "") or reason
    if outcome == "abstain":
        return f"abstained: {told}" if told else "abstained"
    return f"failed: {told or 'no usable reply'}"


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


def rounded(value: float) -> int | float:
    """A whole number as one."""
    return int(value) if value == int(value) else round(value, 4)


def quantile(values: Sequence[float], part: float) -> float:
    """A quantile, linear between neighbours (numpy's default)."""
    ordered = sorted(values)
    at = part * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)
