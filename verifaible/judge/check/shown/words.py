"""The words, signs and figures that every output of a checked text has in common."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from verifaible.reporting.tables import Table, plain, row
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


@dataclass(frozen=True, slots=True)
class Told:
    """How a verdict or a state is told: a sign, so that it does not depend on colour, a word, a sentence."""

    sign: str
    word: str
    level: Level
    meaning: str


VERDICTS: Final[dict[ClaimVerdict, Told]] = {
    "contradicted": Told("✕", "contradicted", "error", "A source that the claim cites says otherwise."),
    "altered": Told("≠", "quotation altered", "error", "Words given as a quotation are not the source's."),
    "not_in_source": Told(
        "∅", "not in the source", "error", "The cited source was read whole and does not have it."
    ),
    "unreadable": Told(
        "⊘", "source not readable", "warning", "None of the sources that it cites could be read."
    ),
    "undecided": Told(
        "?", "read, not decided", "warning", "The cited source was read; nothing decided whether it says so."
    ),
    "no_source": Told("○", "no source given", "note", "The text names no source for the claim."),
    "supported": Told("✓", "supported", "none", "A source that the claim cites says so."),
    "calculated": Told(
        "=", "supported by calculation", "none", "The claim follows from values in its sources."
    ),
    "not_checkable": Told("–", "not checkable", "none", "An opinion, a recommendation or a question."),
}
STATES: Final[dict[SourceState, Told]] = {
    "read": Told("✓", "read", "none", "It was opened and sealed."),
    "gone": Told("✕", "gone", "error", "The server says that the source is not there."),
    "made_up": Told("✕", "leads nowhere", "error", "Its host does not exist, or the address cannot be one."),
    "blocked": Told("⊘", "blocked", "warning", "The site did not show its content."),
    "paywall": Told("⊘", "paywall", "warning", "The content is behind a paywall."),
    "login": Told("⊘", "login", "warning", "The content is behind a login."),
    "error": Told("!", "not opened", "warning", "The source could not be opened; it may be tried again."),
}


@dataclass(frozen=True)
class View:
    """A checked text as outputs ask for it."""

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
        text = self.checked.text
        return [0, *(at + 1 for at, char in enumerate(text) if char == "\n")]

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
        """How much was compared with a source, in one sentence: the first thing that every output says."""
        checked = self.checked
        if not checked.checkable:
            return "The text has no claim that a source could hold."
        left = [
            f"{count} {words}"
            for verdict, words in (
                ("undecided", "read, not decided"),
                ("unreadable", "with no source that could be read"),
                ("no_source", "without a source"),
            )
            if (count := checked.count(verdict))  # type: ignore[arg-type]
        ]
        noun = "claim was" if checked.checkable == 1 else "claims were"
        told = f"{checked.compared} of {checked.checkable} checkable {noun} compared with their source"
        return "; ".join([told, *left]) + "."

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The same for programs."""
        checked = self.checked
        counts = {verdict: checked.count(verdict) for verdict in VERDICTS}
        figures = {"checkable": checked.checkable, "compared": checked.compared, "verdicts": counts}
        return {"words": self.coverage, **figures}

    @cached_property
    def counts(self) -> Table:
        """How many claims have which verdict; those that none has are left out."""
        return Table(
            title="Claims",
            columns=("Verdict", "Claims"),
            rows=tuple(
                row(f"{told.sign} {told.word}", f"{count:,}")
                for verdict, told in VERDICTS.items()
                if (count := self.checked.count(verdict))
            ),
        )

    @cached_property
    def made_by(self) -> str:
        """Who checked, and when."""
        judge = f"judge: {plain(self.checked.judge)}" if self.checked.judge else "by rules alone"
        moment = f"{self.checked.checked_at:%Y-%m-%d %H:%M} {self.checked.checked_at.tzname() or ''}".strip()
        return f"verifaible {plain(self.checked.version)}, {judge}, {moment}"

    def tells(self, claim: CheckedClaim) -> Iterator[tuple[str, str]]:
        """What a reader must see beside a claim: what it is, and the words."""
        if claim.said:
            yield "the source says", claim.said
        if claim.derivation:
            yield "calculation", claim.derivation.formula
        if claim.nearest and not claim.said:
            yield "nearest", claim.nearest.passage.quote
        if claim.verdict == "unreadable":
            cited = (self.sources.get(name) for name in claim.claim.cites)
            yield from (("source", source_words(each)) for each in cited if each and each.state != "read")
        if claim.reason:
            yield "why", claim.reason


def source_words(source: CheckedSource) -> str:
    """What became of a source that could not be read, in a line."""
    told = STATES[source.state]
    status = f" (status {source.status})" if source.status >= 400 else ""
    return f"{told.word}{status}: {source.said or told.meaning}"
