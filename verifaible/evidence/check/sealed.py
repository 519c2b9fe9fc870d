"""The evidence of a citation, found again in what its capture sealed: no browser, no network."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

from verifaible.anchoring.evidence import Found
from verifaible.archive.reader import WaczReader
from verifaible.evidence.check.compared import overlap
from verifaible.evidence.observing.material import Material, read_material
from verifaible.evidence.observing.passage import passage
from verifaible.evidence.observing.places import place
from verifaible.schema.citation import Citation

#: MuPDF, which reads PDFs again, is not made for several threads.
_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a capture holds, where the evidence stands in it, and how much its rectangles overlap (PDF)."""

    material: Material
    found: Found
    overlap: float | None = None


def find_sealed(citation: Citation, reader: WaczReader) -> Sealed:
    """Make the Document again from the sealed snapshot, PDF or captions, and find the evidence in it.

    Raises:
        ValueError, StoreError: a part of the capture is missing or damaged.
    """
    with _ONE_AT_A_TIME:
        material = read_material(citation, reader)
        found = place(material, citation.request, citation.anchor, material)
        if material.document.medium != "pdf" or found.anchor is None:
            return Sealed(material, found)
        shown = passage(reader.read("evidence/source.pdf"), found)
        return Sealed(material, found, overlap(citation.anchor.rects, shown.rects))
