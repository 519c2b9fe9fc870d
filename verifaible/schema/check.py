"""Checks of citations, what is known after them, and what a list shows; small, so that a list is quick."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import reduce
from typing import Literal, Self, TypeAlias

from pydantic import AwareDatetime

from verifaible.schema.anchor import Shown
from verifaible.schema.base import EvidenceType, Record

#: ``verified`` same place, exact; ``moved`` exact elsewhere on the page; ``changed`` found near,
#: differs; ``ambiguous`` several places; ``gone``; ``blocked`` captcha, login, consent, soft
#: 404; ``error`` the check itself failed.
Verdict: TypeAlias = Literal["verified", "moved", "changed", "ambiguous", "gone", "blocked", "error"]


CheckKind: TypeAlias = Literal["self", "rehash", "offline", "live"]


class DiffToken(Record):
    """One word of a difference. ``kind`` says what sort of word it is."""

    op: Literal["same", "removed", "added"]
    text: str
    kind: Literal["word", "number", "date", "unit", "negation"] = "word"


class Check(Record):
    """One later check of a citation.

    ``kind``: ``self`` when the citation was made, ``rehash`` (no browser), ``offline`` replay,
    ``live`` re-check. ``found`` is the words found, or the nearest; ``difference`` leads from what was
    cited to what is there, word by word. ``text_similarity`` and ``overlap`` (rectangles, intersection
    over union) are from 0 to 1.
    """

    citation_id: str
    at: AwareDatetime
    kind: CheckKind
    verdict: Verdict
    message: str
    found: str = ""
    difference: tuple[DiffToken, ...] = ()
    text_similarity: float | None = None
    overlap: float | None = None
    duration_s: float = 0.0

    @classmethod
    def failed(cls, citation_id: str, kind: CheckKind, message: str) -> Check:
        """A check that could not be made, as of now."""
        at = datetime.now(UTC)
        return cls(citation_id=citation_id, at=at, kind=kind, verdict="error", message=message)


class State(Record):
    """What is known of a citation: of its capture, and of the live web; neither hides the other.

    Each has the last check that looked there (a check of kind ``live``, and one of any other kind), None
    before the first.
    """

    capture_verdict: Verdict | None = None
    capture_checked_at: datetime | None = None
    live_verdict: Verdict | None = None
    live_checked_at: datetime | None = None

    @classmethod
    def of(cls, checks: Iterable[Check]) -> State:
        """The state after a history, oldest check first."""
        return reduce(State.after, checks, cls())

    def after(self, check: Check) -> Self:
        """The state after one more check; one that is older than the last of its kind changes nothing."""
        where = "live" if check.kind == "live" else "capture"
        last: datetime | None = getattr(self, f"{where}_checked_at")
        if last is not None and last > check.at:
            return self
        return self.model_copy(update={f"{where}_verdict": check.verdict, f"{where}_checked_at": check.at})

    @property
    def overall(self) -> Verdict | None:
        """One verdict of both: that of the capture if it does not hold, else that of the last live look."""
        if self.capture_verdict not in (None, "verified"):
            return self.capture_verdict
        return self.live_verdict or self.capture_verdict

    @property
    def said(self) -> str:
        """Both in words: ``capture: verified · live: changed 2026-11-20``."""
        live = f"{self.live_verdict} {self.live_checked_at:%Y-%m-%d}" if self.live_verdict else "not checked"
        return f"capture: {self.capture_verdict or 'not checked'} · live: {live}"


class IndexRow(State):
    """What a list shows of a citation; ``verdict`` is its :attr:`State.overall`, and
    ``checked_at`` of the last check of either kind. ``shown`` is the evidence, shortened at its end.
    """

    id: str
    created_at: datetime
    claim: str
    text: str
    shown: Shown
    source_url: str
    title: str
    evidence_type: EvidenceType
    capture_sha256: str
    replay: Literal["page", "snapshot"] = "page"
    replay_reason: str = ""
    verdict: Verdict | None = None
    checked_at: datetime | None = None

    @property
    def said(self) -> str:
        """As :attr:`State.said`, with the grade of replay and its reason, unless it is the best."""
        graded = f" · replay: {self.replay} ({self.replay_reason})" if self.replay != "page" else ""
        return super().said + graded

    def after(self, check: Check) -> Self:
        """As :meth:`State.after`."""
        row = super().after(check)
        times = filter(None, (row.capture_checked_at, row.live_checked_at))
        return row.model_copy(update={"verdict": row.overall, "checked_at": max(times, default=None)})
