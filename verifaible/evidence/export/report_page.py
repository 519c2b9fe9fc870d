"""``evidence.html`` and the page that ``report.pdf`` is printed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from verifaible.evidence.export import bundle, pages
from verifaible.evidence.export.bundle import Handover
from verifaible.evidence.export.report_view import EvidenceView, language_of, utc
from verifaible.evidence.export.statement import ByHand, Signed, by_hand, not_proven, proven
from verifaible.evidence.store.entries import CustodyEntry
from verifaible.schema.check import Check

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
_LEFT_OUT = " […] "


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
    earlier: tuple[Handover, ...] = ()


@dataclass(frozen=True, slots=True)
class Fit:
    """How much of the long texts one printed page shows, in characters; ``level`` makes the type smaller."""

    level: int
    claim: int
    quote: int


#: Tried in this order until the page is one. Sized on the extremes of the tests.
FITS = (Fit(0, 600, 1200), Fit(1, 420, 800), Fit(2, 240, 400))


def evidence_page(view: EvidenceView, proofs: Proofs) -> str:
    """The whole report as one HTML file that loads nothing and runs nothing."""
    return pages.render(
        "evidence.html",
        **_common(view, proofs),
        checks=(*view.checks, proofs.check),
        by_hand=by_hand(view.citation, proofs.signed, proofs.present),
        facts=_facts(view, proofs),
        kinds=KINDS,
    )


def printed_page(view: EvidenceView, proofs: Proofs, fit: Fit) -> str:
    """The same, short enough for one printed page; what is shortened shows it."""
    c = view.citation
    return pages.render(
        "report.html",
        css=_print_css(),
        **_common(view, proofs),
        fit=fit,
        facts=_printed_facts(view, proofs),
        commands=_printed_commands(by_hand(c, proofs.signed, proofs.present)),
        shortened_anything=len(c.claim) > fit.claim or _long_quote(view, fit) or _long_source(view),
    )


def _common(view: EvidenceView, proofs: Proofs) -> dict[str, Any]:
    return {
        "v": view,
        "c": view.citation,
        "p": proofs,
        "utc": utc,
        "shortened": shortened,
        "live": next((check for check in reversed(view.checks) if check.kind == "live"), None),
        "claim_language": language_of(view.citation.claim),
        "proven": proven(view.citation),
        "not_proven": not_proven(view.citation, proofs.signed.stamps is not None),
    }


def shortened(text: str, limit: int) -> str:
    """The beginning and the end of a text with "[…]" for what was left out; 0 for no limit."""
    if not limit or len(text) <= limit:
        return text
    end = limit // 3
    return text[: limit - end].rstrip() + _LEFT_OUT + text[-end:].lstrip()


def _long_quote(view: EvidenceView, fit: Fit) -> bool:
    around = max(map(len, view.anchor.around or ("",)))
    return len(view.anchor.text) > fit.quote or around > fit.quote // 2


def _long_source(view: EvidenceView) -> bool:
    return len(view.source) > 240 or len(view.citation.title) > 160 or len(view.where) > 200


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
    if view.browser:
        facts.append(("Browser", view.browser, False))
    facts += [
        ("Citation", c.id, True),
        ("SHA-256 of citation.jsonld", proofs.citation_sha256, True),
        (f"SHA-256 of capture.wacz ({c.capture.size_bytes:,} bytes)", c.capture.sha256, True),
    ]
    facts += [(f"SHA-256 of {name}", sha256, True) for name, sha256 in bundle.picture_files(c).items()]
    if c.highlight is not None:
        facts.append(("made from page.png with SHA-256", c.highlight.parent_sha256, True))
    facts += [_came_from(number, earlier) for number, earlier in enumerate(proofs.earlier, 1)]
    facts += [
        ("Custody entry", f"number {proofs.entry.number} of {utc(proofs.entry.at)}", False),
        ("signed by key", bundle.fingerprint(signed.entry.public_key), True),
        ("Capture signed by key", bundle.fingerprint(signed.capture.public_key), True),
        ("Signature of the capture", proofs.capture_signature, True),
        ("Export signed by key", bundle.fingerprint(signed.export.public_key), True),
        ("Signatures are", "ECDSA on P-384 with SHA-256; keys are named by their SHA-256", False),
    ]
    return facts


def _came_from(number: int, earlier: Handover) -> tuple[str, str, bool]:
    entry = earlier.entry
    return (f"Store {number} before", f"entry {entry.number} of {utc(entry.at)}, key {entry.key}", False)


def _printed_facts(view: EvidenceView, proofs: Proofs) -> list[tuple[str, str, bool]]:
    c, signed = view.citation, proofs.signed
    return [
        ("SHA-256, capture.wacz", c.capture.sha256, True),
        ("SHA-256, citation.jsonld", proofs.citation_sha256, True),
        *((f"SHA-256, {name}", sha256, True) for name, sha256 in bundle.picture_files(c).items()),
        ("Capture signed by key", bundle.fingerprint(signed.capture.public_key), True),
        ("Signature (P-384)", proofs.capture_signature, True),
        (
            "Custody entry",
            f"number {proofs.entry.number} of {utc(proofs.entry.at)}, signed by key {proofs.entry.key}",
            False,
        ),
        ("Checks so far", _history(view, proofs), False),
    ]


def _history(view: EvidenceView, proofs: Proofs) -> str:
    checks = (*view.checks, proofs.check)
    told = [f"{check.at:%Y-%m-%d} {_SHORT[check.kind]}: {check.verdict}" for check in checks[-4:]]
    return (f"{len(checks)}, last: " if len(checks) > 4 else "") + "; ".join(told)


_SHORT = {"self": "when made", "rehash": "hashes", "offline": "replayed", "live": "on the web"}


def _printed_commands(checks: Sequence[ByHand]) -> list[str]:
    """The commands that carry the most: the list of files, the capture, and the three signatures."""
    telling = ("sha256sum --check", "openssl dgst", 'grep -oF "captures')
    return [line for check in checks for line in check.commands if line.startswith(telling)][:5]


@cache
def _print_css() -> str:
    return (files("verifaible.evidence") / "templates" / "report.css").read_text(encoding="utf-8")
