"""What a page says of a judged claim: a status, and the colour and the sign that go with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from verifaible.judge.metrics import outcome, outcome_found, verdict_of

if TYPE_CHECKING:
    from verifaible.judge.metrics import CheckRow, Found
    from verifaible.schema.judged import JudgedClaim

#: Which of the two checks of a claim a page shows.
Check: TypeAlias = Literal["citations", "hallucination"]
CHECKS: Final[tuple[Check, ...]] = ("citations", "hallucination")
#: Class of its colour, sign (so that it does not depend on colour), and name of each status.
_LOOKS: Final = {
    "direct": ("exact", "✓", "direct"),
    "exact": ("exact", "✓", "exact"),
    "derivable": ("derived", "∑", "derived"),
    "incorrect": ("refuted", "✕", "refuted"),
    "contradiction": ("refuted", "≠", "contradicted"),
    "fabricated": ("refuted", "✕", "in no source"),
    "missing": ("missing", "∅", "citation missing"),
    "undecided": ("undecided", "?", "undecided"),
    "failed": ("failed", "!", "judge failed"),
    "not_judged": ("not_judged", "○", "not judged"),
    "not_needed": ("not_needed", "–", "no source needed"),
}
TONES: Final[Mapping[str, str]] = {status: tone for status, (tone, _, _) in _LOOKS.items()}
SIGNS: Final[Mapping[str, str]] = {status: sign for status, (_, sign, _) in _LOOKS.items()}
NAMES: Final[Mapping[str, str]] = {status: name for status, (_, _, name) in _LOOKS.items()}
#: Statuses of each check, in the order in which pages list them.
STATUSES: Final[Mapping[Check, tuple[str, ...]]] = {
    "citations": tuple(each for each in _LOOKS if each not in ("exact", "contradiction", "fabricated")),
    "hallucination": tuple(each for each in _LOOKS if each not in ("direct", "incorrect", "missing")),
}
_LIGHTEST_FIRST: Final = (
    *("not_needed", "exact", "derived", "not_judged", "undecided", "missing", "failed", "refuted"),
)
#: Of claims over the same words, the tone of the greatest weight gives the colour.
WEIGHTS: Final[Mapping[str, int]] = {tone: weight for weight, tone in enumerate(_LIGHTEST_FIRST)}
_OF_FOUND: Final[Mapping[Check, Mapping[str, str]]] = {
    "citations": {
        "supported": "direct",
        "derived": "derivable",
        "contradicted": "incorrect",
        "not_found": "incorrect",
    },
    "hallucination": {
        "supported": "exact",
        "derived": "derivable",
        "contradicted": "contradiction",
        "not_found": "fabricated",
    },
}


def row_of(judged: JudgedClaim, check: Check) -> CheckRow | None:
    """The row of that check; None where it was not made."""
    return judged.citations if check == "citations" else judged.hallucination


def finding_of(judged: JudgedClaim, check: Check) -> Found | None:
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
    if row is not None:
        ended = outcome(row)
        return str(verdict_of(row)) if ended == "decided" else {"abstain": "undecided"}.get(ended, ended)
    if not judged.claim.factual:
        return "not_needed"
    found = finding_of(judged, check)
    return _OF_FOUND[check].get(outcome_found(found), "undecided") if found is not None else "not_judged"
