"""A verdict as the record that the rules and the rows of judging have."""

from __future__ import annotations

from typing import Final

from verifaible.schema.judged import Finding, RuleVerdict
from verifaible.schema.verdict import Verdict

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
