"""What the page of a citation shows, read out of its capture once: pictures by address, not by content."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from verifaible.evidence.export.bundle import fingerprint
from verifaible.evidence.export.report_view import EvidenceView, PictureName, view_of

if TYPE_CHECKING:
    from datetime import datetime

    from verifaible.evidence.store.store import Store


@dataclass(frozen=True, slots=True)
class Proof:
    """What stands behind a citation.

    Attributes:
        citation_sha256: of the citation's file.
        capture_bytes: size of the capture.
        entry: number of the custody entry that put the citation into the store.
        entry_at: when that was, by the clock of the machine.
        entry_sha256: of that entry's file.
        key: fingerprint of the key that signed the entry; empty if the store does not know it.
        made_with: the program and the browser that made the capture.
    """

    citation_sha256: str
    capture_bytes: int
    entry: int
    entry_at: datetime
    entry_sha256: str
    key: str
    made_with: str


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything of a citation that never changes.

    Attributes:
        view: the evidence.
        proof: the hashes.
        framed: whether the capture holds a page that a frame can show.
    """

    view: EvidenceView
    proof: Proof
    framed: bool


def shown_of(store: Store, citation_id: str) -> Shown:
    """Read a citation and its capture.

    Raises:
        CitationNotFound: there is no such citation.
        IntegrityError: a file of it is missing, or was changed.
    """
    citation = store.get(citation_id)
    data = store.citation_bytes(citation.id)
    entry = store.entry_of(citation.id)
    keys = {record.id: record for record in store.keys.all()}
    with store.open_capture(citation) as reader:
        view = view_of(
            citation,
            reader,
            store.pictures(citation),
            (),
            address=partial(_address, citation.id),
            step_address=lambda number, _: f"/captured/{citation.id}/step/{number}.jpg",
        )
        made: dict[str, Any] = reader.read_json("evidence/provenance.json")
        framed = "evidence/dom.html" in reader.names()
    proof = Proof(
        citation_sha256=hashlib.sha256(data).hexdigest(),
        capture_bytes=citation.capture.size_bytes,
        entry=entry.number,
        entry_at=entry.at,
        entry_sha256=hashlib.sha256(entry.to_bytes()).hexdigest(),
        key=fingerprint(keys[entry.key].public_key) if entry.key in keys else "",
        made_with=", ".join(str(made[name]) for name in ("software", "browser") if made.get(name)),
    )
    return Shown(view, proof, framed)


def _address(citation_id: str, name: PictureName, number: int, _: bytes, __: str) -> str:
    return f"/captured/{citation_id}/{name}" + ("" if name == "image" else f"/{number}")
