"""The words, signs and figures that every report of a checked text has in common."""

from __future__ import annotations

import bisect
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from verifaible.reporting.tables import plain
from verifaible.schema.checked import (
    CLAIM_VERDICTS,
    Checked,
    CheckedClaim,
    CheckedSource,
    ClaimVerdict,
    SourceState,
)

#: ``error``: somebody must mend it; ``warning``: somebody must look; ``note``: good to know; ``none``: fine.
Level: TypeAlias = Literal["error", "warning", "note", "none"]
_WRONG: Final[tuple[ClaimVerdict, ...]] = ("contradicted", "altered", "not_in_source")
_OPEN: Final[tuple[ClaimVerdict, ...]] = ("undecided", "unreadable", "no_source")
_NUMBER: Final = re.compile(r"\d[\d,'\u2009]*(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Term:
    """How a verdict or a state is shown: a sign, so that it does not depend on colour, a word, a sentence."""

    sign: str
    word: str
    level: Level
    meaning: str


VERDICTS: Final[dict[ClaimVerdict, Term]] = {
    "contradicted": Term("✕", "contradicted", "error", "A source that the claim cites says otherwise."),
    "altered": Term("≠", "quotation altered", "error", "Words given as a quotation are not the source's."),
    "not_in_source": Term(
        "∅", "not in the source", "error", "The cited source was read whole and does not have it."
    ),
    "unreadable": Term(
        "⊘", "source not readable", "warning", "None of the sources that it cites could be read."
    ),
    "undecided": Term(
        "?", "not checked", "warning", "The cited source was read; nothing decided whether it says so."
    ),
    "supported": Term("✓", "supported", "none", "A source that the claim cites says so."),
    "calculated": Term(
        "=", "supported by calculation", "none", "The claim follows from values in its sources."
    ),
    "no_source": Term("○", "no source given", "note", "The text names no source for the claim."),
    "not_checkable": Term("–", "not checkable", "none", "An opinion, a recommendation or a question."),
}
STATES: Final[dict[SourceState, Term]] = {
    "read": Term("✓", "read", "none", "It was opened and sealed."),
    "gone": Term("✕", "gone", "error", "The server says that the source is not there."),
    "made_up": Term("✕", "leads nowhere", "error", "Its host does not exist, or the address cannot be one."),
    "blocked": Term("⊘", "blocked", "warning", "The site did not show its content."),
    "paywall": Term("⊘", "paywall", "warning", "The content is behind a paywall."),
    "login": Term("⊘", "login", "warning", "The content is behind a login."),
    "error": Term("!", "not opened", "warning", "The source could not be opened; it may be tried again."),
}


def exit_status(checked: Checked, *, allow_undecided: bool = False) -> int:
    """The status with which ``verifaible check`` ends.

    0: every checkable claim is supported. 1: something is contradicted, altered or not in its source, or a
    source is gone or made up. 3: none of these, but something is undecided, unreadable or names no source;
    ``allow_undecided`` makes it 0.
    """
    lost = any(source.state in ("gone", "made_up") for source in checked.sources)
    if lost or checked.count(*_WRONG):
        return 1
    return 3 if checked.count(*_OPEN) and not allow_undecided else 0


@dataclass(frozen=True)
class View:
    """A checked text as its reports ask for it."""

    checked: Checked

    @cached_property
    def sources(self) -> dict[str, CheckedSource]:
        """Sources by id."""
        return {source.id: source for source in self.checked.sources}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The places of sources in their list, by id, counted from 1."""
        return {source.id: number for number, source in enumerate(self.checked.sources, 1)}

    @cached_property
    def cited(self) -> Counter[str]:
        """How many claims cite each source."""
        return Counter(name for claim in self.checked.claims for name in set(claim.claim.cites))

    @cached_property
    def findings(self) -> tuple[CheckedClaim, ...]:
        """The claims that somebody must look at, the worst first, then in the order of the text."""
        return tuple(
            claim
            for verdict in CLAIM_VERDICTS
            if VERDICTS[verdict].level in ("error", "warning")
            for claim in self.checked.claims
            if claim.verdict == verdict
        )

    @cached_property
    def unread(self) -> tuple[CheckedSource, ...]:
        """The sources that could not be read, in order."""
        return tuple(source for source in self.checked.sources if source.state != "read")

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(at + 1 for at, char in enumerate(self.checked.text) if char == "\n")]

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of a code point, both counted from 1."""
        line = bisect.bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def where(self, claim: CheckedClaim) -> str:
        """``report.md:12:5``."""
        line, column = self.place(claim.claim.start)
        return f"{plain(self.checked.name)}:{line}:{column}"

    @cached_property
    def coverage(self) -> str:
        """How many claims, checked, wrong and open: the first thing that every report says."""
        checked = self.checked
        if not checked.checkable:
            return "The text has no claim that a source could hold."
        words = ("not checked", "with no source that could be read", "without a source")
        counted = zip(map(checked.count, _OPEN), words, strict=True)
        parts = [f"{count} {what}" for count, what in counted if count]
        noun = "claim" if checked.checkable == 1 else "claims"
        counts = f"{checked.compared} checked, {checked.count(*_WRONG)} wrong, {checked.count(*_OPEN)} open"
        why = f" ({', '.join(parts)})" if parts else ""
        return f"{checked.checkable} {noun}: {counts}{why}."

    @cached_property
    def advice(self) -> str:
        """What decides the claims that were read and are open; empty where a model was asked, or none is."""
        count = self.checked.count("undecided")
        if not count or self.checked.judge:
            return ""
        noun = "1 claim was" if count == 1 else f"{count} claims were"
        name = plain(self.checked.name)
        command = f"verifaible check {name if name == '-' else shlex.quote(name)} --judge MODEL"
        return f"{noun} read beside the source but not decided by rules. A model decides: {command}"

    @cached_property
    def counts(self) -> tuple[tuple[ClaimVerdict, int], ...]:
        """How many claims have which verdict; those that none has are left out."""
        found = ((verdict, self.checked.count(verdict)) for verdict in VERDICTS)
        return tuple((verdict, count) for verdict, count in found if count)

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The coverage for programs."""
        checked = self.checked
        counts = {verdict: checked.count(verdict) for verdict in VERDICTS}
        figures = {"checkable": checked.checkable, "compared": checked.compared, "verdicts": counts}
        return {"words": self.coverage, **figures}

    @cached_property
    def made_by(self) -> str:
        """Who checked, and when."""
        judge = f"judge: {plain(self.checked.judge)}" if self.checked.judge else "by rules alone"
        moment = f"{self.checked.checked_at:%Y-%m-%d %H:%M} {self.checked.checked_at.tzname() or ''}".strip()
        return f"verifaible {plain(self.checked.version)}, {judge}, {moment}"

    def details(self, claim: CheckedClaim) -> Iterator[tuple[str, str]]:
        """What a reader must see beside a claim: what it is, and the words."""
        if claim.said:
            yield "the source says", claim.said
        if claim.derivation:
            yield "calculation", formula(claim)
        if claim.nearest and not claim.said:
            yield "nearest", claim.nearest.passage.quote
        if claim.verdict == "unreadable":
            cited = (self.sources.get(name) for name in claim.claim.cites)
            yield from (("source", source_words(each)) for each in cited if each and each.state != "read")
        if claim.reason:
            yield "why", claim.reason


def source_words(source: CheckedSource) -> str:
    """What became of a source that could not be read, in a line."""
    term = STATES[source.state]
    status = f" (status {source.status})" if source.status >= 400 else ""
    return f"{term.word}{status}: {source.said or term.meaning}"


def formula(claim: CheckedClaim) -> str:
    """The calculation of a claim in one line, its result with as many digits as the claim shows."""
    derivation = claim.derivation
    if derivation is None:
        return ""
    shown = [len(match[1] or "") for match in _NUMBER.finditer(claim.claim.text)]
    stated = [Decimal(re.sub(r"[,'\u2009]", "", match[0])) for match in _NUMBER.finditer(claim.claim.text)]
    result = derivation.result
    same = [
        digits for digits, value in zip(shown, stated, strict=True) if abs(round(result, digits)) == value
    ]
    digits = same[0] if same else max(shown, default=0)
    rounded = round(result, digits)
    # of a result that is smaller than all that the claim shows nothing would be left
    return (derivation.model_copy(update={"result": rounded}) if rounded else derivation).formula
