"""Checks of citations, what is known after them, and what a list shows; small, so that a list is quick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

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
    at: datetime
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
    def of(cls, checks: Sequence[Check]) -> State:
        """The state after a history, oldest check first."""
        last: dict[str, object] = {}
        for check in checks:
            where = "live" if check.kind == "live" else "capture"
            last |= {f"{where}_verdict": check.verdict, f"{where}_checked_at": check.at}
        return cls.model_validate(last)

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
    verdict: Verdict | None
    checked_at: datetime | None

    @property
    def said(self) -> str:
        """As :attr:`State.said`, with the grade of replay and its reason, unless it is the best."""
        graded = f" · replay: {self.replay} ({self.replay_reason})" if self.replay != "page" else ""
        return super().said + graded

    @classmethod
    def of_columns(cls, columns: Mapping[str, Any]) -> IndexRow:
        """A row as a database has it, where what was never checked is an empty text."""
        never = {name: None for name in CHECKED if columns[name] == ""}
        shown = Shown.model_validate_json(columns["shown"])
        return cls.model_validate({**columns, **never, "shown": shown})


#: What is None until a check is there.
CHECKED = ("verdict", "checked_at", *State.model_fields)
