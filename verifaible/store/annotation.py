"""A citation as a W3C Web Annotation, in canonical JSON (RFC 8785), and back."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import rfc8785

from verifaible.errors import IntegrityError, NewerFormat, OlderFormat
from verifaible.schema.anchor import Anchor
from verifaible.schema.base import Record
from verifaible.schema.citation import CITATION_FORMAT, Citation, CitationDraft

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
_ID_LENGTH = 20


def canonical(data: Any) -> bytes:
    """JSON in the one form RFC 8785 allows, so that equal data have equal bytes."""
    return rfc8785.dumps(data)


class CanonicalRecord(Record):
    """A record whose file is its canonical JSON."""

    def to_bytes(self) -> bytes:
        """The bytes of its file."""
        return canonical(self.model_dump(mode="json"))

    def signed_bytes(self) -> bytes:
        """What its ``signature`` is over, if it has one: the canonical JSON of everything else."""
        return canonical(self.model_dump(mode="json", exclude={"signature"}))


def citation_id(draft: CitationDraft) -> str:
    """The id of a citation: the start of the SHA-256 of its content's canonical JSON."""
    return _id_of(draft.model_dump(mode="json"))


def to_bytes(citation: Citation) -> bytes:
    """The annotation file of a new citation."""
    return canonical(_annotation(citation.model_dump(mode="json")))


def from_bytes(data: bytes, name: str) -> Citation:
    """The citation in an annotation file.

    Raises:
        IntegrityError: the file is not whole, or its content does not belong to its id.
        NewerFormat, OlderFormat: another version made it.
    """
    try:
        record = json.loads(data)["verifaible"]
        require_format(f"Citation {name}", record.get("format", 1), CITATION_FORMAT)
        citation = Citation.model_validate(record)
        again, identity = canonical(_annotation(record)), _id_of(record)
    except (NewerFormat, OlderFormat):
        raise
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        rfc8785.CanonicalizationError,
    ) as error:
        raise IntegrityError(
            f"Citation {name} cannot be read: its file is damaged. Restore it from a copy of the store."
        ) from error
    if citation.id != name or identity != name:
        raise IntegrityError(
            f"Citation {name} was changed after it was made: its content does not give its id. "
            "Restore it from a copy of the store."
        )
    if again != data:
        raise IntegrityError(
            f"Citation {name} was changed after it was made: its annotation does not say what its record "
            "says. Restore it from a copy of the store."
        )
    return citation


def require_format(what: str, found: object, known: int) -> None:
    """Refuse what another version wrote; a format that is no number is damage, which others tell.

    Raises:
        NewerFormat: a newer one did.
        OlderFormat: an older one did.
    """
    if isinstance(found, int) and found > known:
        raise NewerFormat(what, found, known)
    if isinstance(found, int) and found < known:
        raise OlderFormat(what, found)


def format_of(data: bytes) -> int | None:
    """The format number of a JSON file; None where it names none (or is no JSON object)."""
    try:
        found = json.loads(data).get("format")
    except (ValueError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, int) else None


def _id_of(record: dict[str, Any]) -> str:
    content = {key: value for key, value in record.items() if key != "id"}
    return hashlib.sha256(canonical(content)).hexdigest()[:_ID_LENGTH]


def _annotation(record: dict[str, Any]) -> dict[str, Any]:
    """The W3C annotation around a citation's record; a function of the record alone."""
    anchor = Anchor.model_validate(record["anchor"])
    return {
        "@context": CONTEXT,
        "id": f"urn:verifaible:{record['id']}",
        "type": "Annotation",
        "motivation": "identifying",
        "created": record["created_at"],
        "body": [
            {"type": "TextualBody", "value": record["claim"], "purpose": "describing"},
            {"type": "TextualBody", "value": anchor.in_full.text, "purpose": "highlighting"},
        ],
        "target": {
            "source": record["document_url"] or record["final_url"],
            "selector": _selectors(anchor),
            "state": {
                "type": "TimeState",
                "sourceDate": record["capture"]["captured_at"],
                "cached": f"captures/{record['capture']['sha256']}.wacz",
            },
        },
        "verifaible": record,
    }


def _selectors(anchor: Anchor) -> list[dict[str, Any]]:
    """The anchor as W3C selectors; where there are several, any one finds the place."""
    found: list[dict[str, Any]] = []
    if anchor.evidence_type in ("text", "pdf"):
        found.append(
            {
                "type": "TextQuoteSelector",
                "exact": anchor.text,
                "prefix": anchor.prefix,
                "suffix": anchor.suffix,
            }
        )
        if anchor.start is not None and anchor.end is not None:
            found.append({"type": "TextPositionSelector", "start": anchor.start, "end": anchor.end})
    if anchor.css_path:
        found.append({"type": "CssSelector", "value": anchor.css_path})
    if anchor.page_number is not None:
        found.append(_fragment(f"page={anchor.page_number}", "http://tools.ietf.org/rfc/rfc8118"))
    if anchor.time is not None:
        value = f"t={anchor.time.start_s:.3f},{anchor.time.end_s:.3f}"
        found.append(_fragment(value, "http://www.w3.org/TR/media-frags/"))
    return found


def _fragment(value: str, standard: str) -> dict[str, Any]:
    return {"type": "FragmentSelector", "conformsTo": standard, "value": value}
