"""``evidence.html``, from which ``report.pdf`` is printed."""

from __future__ import annotations

from dataclasses import dataclass

from verifaible.evidence.export import bundle, pages
from verifaible.evidence.export.report_view import EvidenceView, language_of, utc
from verifaible.evidence.export.statement import Signed, by_hand, not_proven, proven
from verifaible.schema.check import Check
from verifaible.store.entries import CustodyEntry

#: How a check was made, for people.
KINDS = {
    "self": "Replayed from its fresh capture, before it was accepted",
    "rehash": "Hashes, signatures, and the evidence found again in the capture",
    "offline": "Replayed from its capture in a browser, without a network",
    "live": "Looked at on the web",
}
_MATCHES = {
    "live": "from the internet",
    "exact": "from an archive, each address exactly",
    "normalised": "from an archive, addresses without cache-busters",
    "fuzzy": "from an archive, some answers only by resemblance",
}


@dataclass(frozen=True, slots=True)
class Proofs:
    """What stands behind a citation.

    ``check`` is the one made for the export, ``present`` the files for readers that it has.
    """

    check: Check
    software: str
    signed: Signed
    entry: CustodyEntry
    citation_sha256: str
    capture_signature: str
    present: frozenset[str]


def evidence_page(view: EvidenceView, proofs: Proofs) -> str:
    """The whole report as one HTML file that loads nothing and runs nothing."""
    live = next((check for check in reversed(view.checks) if check.kind == "live"), None)
    return pages.render(
        "evidence.html",
        v=view,
        c=view.citation,
        p=proofs,
        utc=utc,
        live=live,
        claim_language=language_of(view.citation.claim),
        proven=proven(view.citation),
        not_proven=not_proven(view.citation, proofs.signed.stamps is not None),
        checks=(*view.checks, proofs.check),
        by_hand=by_hand(view.citation, proofs.signed, proofs.present),
        facts=_facts(view, proofs),
        kinds=KINDS,
    )


# --- particulars


def _facts(view: EvidenceView, proofs: Proofs) -> list[tuple[str, str, bool]]:
    """Name, value, and whether the value is one to compare letter by letter."""
    c, signed = view.citation, proofs.signed
    facts = [("Asked for", c.source_url, False), ("Reached", c.final_url, False)]
    if c.document_url:
        facts.append(("Document", c.document_url, False))
    facts += [
        ("Captured", utc(c.capture.captured_at), False),
        ("Cited", utc(c.created_at), False),
        ("The page came", _MATCHES[c.capture.match], False),
    ]
    facts.append(("Replay", c.graded.removeprefix("Replay: "), False))
    if c.value_source.said:
        facts.append(("The words came from", c.value_source.said, False))
    if view.browser:
        facts.append(("Browser", view.browser, False))
    facts += [
        ("Citation", c.id, True),
        ("SHA-256 of citation.jsonld", proofs.citation_sha256, True),
        (f"SHA-256 of capture.wacz ({c.capture.size_bytes:,} bytes)", c.capture.sha256, True),
    ]
    facts += [(f"SHA-256 of {name}", sha256, True) for name, sha256 in bundle.picture_files(c).items()]
    facts += [
        ("Custody entry", f"number {proofs.entry.number} of {utc(proofs.entry.at)}", False),
        ("signed by key", bundle.fingerprint(signed.entry.public_key), True),
        ("Capture signed by key", bundle.fingerprint(signed.capture.public_key), True),
        ("Signature of the capture", proofs.capture_signature, True),
        ("Export signed by key", bundle.fingerprint(signed.export.public_key), True),
        ("Signatures are", "ECDSA on P-384 with SHA-256; keys are named by their SHA-256", False),
    ]
    return facts
