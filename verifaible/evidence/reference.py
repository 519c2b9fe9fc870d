"""A citation for reference managers and word processors: CSL-JSON.

Site and date are those that the captured page states in its metadata; nothing is guessed from its text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date
from typing import Any
from urllib.parse import urlsplit

from verifaible.archive.reader import WaczReader
from verifaible.schema.citation import Citation

_CSL_TYPES = {"pdf": "document", "video": "motion_picture"}


@dataclass(frozen=True, slots=True)
class Reference:
    """What a bibliography says of a citation; ``published`` is None where the page states no date."""

    citation: Citation
    site: str
    published: date | None = None

    def csl(self) -> str:
        """CSL-JSON: an array of one item (CSL 1.0.2, ``csl-data.json``).

        Its note says how the evidence is found again, and what a reader has to know of it.
        """
        citation, capture = self.citation, self.citation.capture
        url = citation.document_url or citation.final_url
        found = f"verifaible citation {citation.id}, capture SHA-256 {capture.sha256}"
        item: dict[str, Any] = {
            "id": f"verifaible-{citation.id}",
            "type": _CSL_TYPES.get(citation.evidence_type, "webpage"),
            "title": citation.title or url,
            "container-title": self.site,
            "issued": _parts(self.published),
            "accessed": _parts(capture.captured_at.astimezone(UTC).date()),
            "URL": url,
            "note": "; ".join(filter(None, (found, capture.remark, citation.graded))),
        }
        return json.dumps([{k: v for k, v in item.items() if v}], ensure_ascii=False, indent=2) + "\n"


def reference_of(citation: Citation, reader: WaczReader) -> Reference:
    """The reference of a citation, with what its sealed page states."""
    host = urlsplit(citation.document_url or citation.final_url).hostname or ""
    if "evidence/dom.html" not in reader.names() or citation.document_url:
        return Reference(citation, host)
    from verifaible.extract.metadata import page_tree, published_date

    root = page_tree(reader.read("evidence/dom.html").decode("utf-8-sig", "replace"))
    named = (each for each in root.iter("meta") if _name_of(each) == "og:site_name")
    sites = (" ".join((each.get("content") or "").split()) for each in named)
    published = published_date(root)
    return Reference(
        citation, next(filter(None, sites), host), date.fromisoformat(published) if published else None
    )


def _name_of(meta: Any) -> str:
    return (meta.get("property") or meta.get("name") or "").strip().lower()


def _parts(day: date | None) -> dict[str, list[list[int]]]:
    return {} if day is None else {"date-parts": [[day.year, day.month, day.day]]}
