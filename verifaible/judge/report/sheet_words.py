"""What stands in the cells of a workbook: a figure where there is one, and words where there is none."""

from __future__ import annotations

from verifaible.judge.report.cells import nothing
from verifaible.judge.report.metrics import Outcomes, Share, Verdict, fault_of, verdict_of
from verifaible.reporting.workbook import Value


def row_words(row: Verdict | None, unjudged: str) -> Value:
    """What was decided; ``failed: ...``, ``abstained: ...`` or ``not judged: ...`` where nothing was."""
    if row is None:
        return unjudged
    verdict = verdict_of(row)
    if verdict is not None:
        return verdict if isinstance(verdict, str) else rounded(verdict)
    if row.outcome == "not_judged":
        return row.reason if row.reason.startswith("not judged") else unjudged
    told = fault_of(row)
    if row.outcome == "abstain":
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
