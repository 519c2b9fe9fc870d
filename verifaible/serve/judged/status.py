"""What a page says of a judged claim: a status, and the colour and the sign that go with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from verifaible.schema.judged import CitationRow, Finding, HallucinationRow, JudgedClaim

#: Which of the two checks of a claim a page shows.
Check: TypeAlias = Literal["citations", "hallucination"]
CHECKS: Final[tuple[Check, ...]] = ("citations", "hallucination")
#: How a status looks; the heaviest tone wins where claims share words.
Tone: TypeAlias = Literal[
    "exact", "derived", "refuted", "missing", "undecided", "failed", "not_judged", "not_needed"
]
#: Statuses of each check, in the order in which pages list them.
STATUSES: Final[Mapping[Check, tuple[str, ...]]] = {
    "citations": (
        "direct",
        "derivable",
        "incorrect",
        "missing",
        "undecided",
        "failed",
        "not_judged",
        "not_needed",
    ),
    "hallucination": (
        "exact",
        "derivable",
        "contradiction",
        "fabricated",
        "undecided",
        "failed",
        "not_judged",
        "not_needed",
    ),
}
TONES: Final[Mapping[str, Tone]] = {
    "direct": "exact",
    "exact": "exact",
    "derivable": "derived",
    "incorrect": "refuted",
    "contradiction": "refuted",
    "fabricated": "refuted",
    "missing": "missing",
    "undecided": "undecided",
    "failed": "failed",
    "not_judged": "not_judged",
    "not_needed": "not_needed",
}
NAMES: Final[Mapping[str, str]] = {
    "direct": "direct",
    "exact": "exact",
    "derivable": "derived",
    "incorrect": "refuted",
    "contradiction": "contradicted",
    "fabricated": "in no source",
    "missing": "citation missing",
    "undecided": "undecided",
    "failed": "judge failed",
    "not_judged": "not judged",
    "not_needed": "no source needed",
}
#: The sign of a status, so that it does not depend on colour.
SIGNS: Final[Mapping[str, str]] = {
    "direct": "✓",
    "exact": "✓",
    "derivable": "∑",
    "incorrect": "✕",
    "contradiction": "≠",
    "fabricated": "✕",
    "missing": "∅",
    "undecided": "?",
    "failed": "!",
    "not_judged": "○",
    "not_needed": "–",
}
#: Of claims over the same words, that of the greatest weight gives the colour.
WEIGHTS: Final[Mapping[Tone, int]] = {
    "refuted": 7,
    "failed": 6,
    "missing": 5,
    "undecided": 4,
    "not_judged": 3,
    "derived": 2,
    "exact": 1,
    "not_needed": 0,
}
_OF_RULES: Final[Mapping[Check, Mapping[str, str]]] = {
    "citations": {"exact": "direct", "derived": "derivable", "refuted": "incorrect"},
    "hallucination": {"exact": "exact", "derived": "derivable", "refuted": "fabricated"},
}


def row_of(judged: JudgedClaim, check: Check) -> CitationRow | HallucinationRow | None:
    """The row of that check; None where it was not made."""
    return judged.citations if check == "citations" else judged.hallucination


def finding_of(judged: JudgedClaim, check: Check) -> Finding | None:
    """What was found for that check: by whoever decided, else by the rules."""
    row = row_of(judged, check)
    if row is not None and row.finding is not None:
        return row.finding
    return judged.finding if check == "citations" else judged.anywhere


def status_of(judged: JudgedClaim, check: Check) -> str:
    """The status of a claim, one of ``STATUSES[check]``.

    ``undecided`` is said of a judge that would not say, and of rules that left it open with nobody asked.
    """
    row = row_of(judged, check)
    if row is None:
        return _by_rules(judged, check)
    if row.outcome == "decided":
        return row.status or "failed"
    return "undecided" if row.outcome == "abstain" else row.outcome


def _by_rules(judged: JudgedClaim, check: Check) -> str:
    """The status where the check was not made: as far as a finding of the rules says it."""
    if not judged.claim.factual:
        return "not_needed"
    if (found := finding_of(judged, check)) is None:
        return "not_judged"
    status = _OF_RULES[check].get(found.verdict, "undecided")
    return "contradiction" if status == "fabricated" and found.said else status
