"""The evidence of an answer, from the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from verifaible.answers.markers import ID_BEGINNING, is_id
from verifaible.answers.support import CitedEvidence
from verifaible.errors import CitationNotFound, StoreError, StoreUnreachable
from verifaible.evidence.verify import Verified, verify
from verifaible.schema.anchor import Anchor
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store.store import Store
from verifaible.text.markers import is_number


@dataclass
class StoredEvidence:
    """An :class:`~verifaible.answers.check.EvidenceSource` over the citations that were made for an answer.

    Each is verified before it counts, without a browser.

    Attributes:
        store: where the citations are.
        numbers: number of a marker to the id of its citation; no others count, whatever else the store has.
        citations: those that were found, by id.
        checks: those that were made; nobody has recorded them yet.
    """

    store: Store
    numbers: Mapping[str, str]
    citations: dict[str, Citation] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)

    def find(self, target: str) -> CitedEvidence:
        """The citation that a marker leads to.

        Raises:
            CitationNotFound: the target leads nowhere.
            StoreError: the store cannot be read.
        """
        citation_id = self._id_behind(target)
        try:
            citation = self.store.get(citation_id)
        except (CitationNotFound, StoreUnreachable):
            raise
        except StoreError as error:
            return CitedEvidence(id=citation_id, ok=False, reason=str(error))
        self.citations[citation.id] = citation
        again = verify(citation, self.store)
        self.checks.append(again.check)
        return evidence_of(citation, _fault(again), page_text=again.visible_text)

    def _id_behind(self, target: str) -> str:
        if target in self.numbers:
            return self.numbers[target]
        if is_number(target):
            raise CitationNotFound(f"No citation of this answer has the number {target}. Cite again.")
        if not is_id(target):
            raise CitationNotFound(
                f"[@v:{target}] is neither a number nor the beginning of an id ({ID_BEGINNING} hexadecimal "
                "characters or more). Correct the marker."
            )
        citation_id = self.store.full_id(target)
        if citation_id not in self.numbers.values():
            raise CitationNotFound(f"The citation {citation_id} was not made for this answer. Cite again.")
        return citation_id


def _fault(again: Verified) -> str:
    """Why a citation does not count; empty if it does."""
    if again.check.verdict != "verified":
        return f"{again.check.verdict}. {again.check.message}"
    if again.unsent:
        return f"Nothing that the site sent holds {again.unsent[:60]!r}: a script of the citation may have."
    return ""


def evidence_of(citation: Citation, reason: str = "", *, page_text: str = "") -> CitedEvidence:
    """A citation as an answer rests on it; ``reason`` says why it does not count."""
    return CitedEvidence(
        id=citation.id,
        evidence_type=citation.evidence_type,
        text=citation.anchor.text,
        around=citation.anchor.around,
        headers=_headers(citation.anchor),
        title=citation.title,
        page_text=page_text,
        ok=not reason,
        reason=reason,
    )


def _headers(anchor: Anchor) -> tuple[str, ...]:
    table = anchor.table
    if table is None:
        return ()
    # a year and a month of one path belong together
    paths = (" ".join(table.row_path), " ".join(table.column_path))
    return tuple(each for each in (*paths, table.caption, table.heading) if each.strip())
