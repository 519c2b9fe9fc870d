"""The evidence of a citation, found again in what its capture sealed: no browser, no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verifaible.anchoring.evidence import Found
from verifaible.archive.reader import WaczReader
from verifaible.errors import IntegrityError, ToolError
from verifaible.evidence.material import Material, read_material
from verifaible.evidence.place import evidence_places, place
from verifaible.evidence.refusal import hidden
from verifaible.schema.anchor import Rect
from verifaible.schema.citation import Citation
from verifaible.text.equivalence import folded


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a capture holds, where the evidence stands in it, and how much its rectangles overlap (PDF)."""

    material: Material
    found: Found
    overlap: float | None = None


def find_sealed(citation: Citation, reader: WaczReader) -> Sealed:
    """Make the Document again from the sealed snapshot, PDF or captions, and find the evidence in it.

    Raises:
        ValueError, StoreError: a part of the capture is missing, damaged, or of another shape.
    """
    try:
        material = read_material(citation, reader)
    except (LookupError, TypeError, AttributeError, ToolError) as error:
        raise IntegrityError(
            f"What the capture holds cannot be read ({type(error).__name__}). Take it from a good copy."
        ) from error
    found = place(material, citation.request, citation.anchor, material)
    if material.document.medium != "pdf" or found.anchor is None:
        return Sealed(material, found)
    shown = passage(reader.read("evidence/source.pdf"), found)
    return Sealed(material, found, overlap(citation.anchor.rects, shown.rects))


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a PDF as it is drawn.

    Attributes:
        rects: its rectangles on the page where it begins, in points.
        around: those of the whole evidence there, if it is only a part of that.
        hidden: words of it that nobody sees.
        scanned: whether it is the text layer of a scan.
    """

    rects: tuple[Rect, ...]
    hidden: tuple[str, ...] = ()
    scanned: bool = False
    around: tuple[Rect, ...] = ()

    def fault(self, url: str) -> ToolError | None:
        """Why it cannot be cited, or None."""
        return hidden(self.hidden, url) if self.hidden else None


def passage(body: bytes, found: Found) -> Passage:
    """The words that were found in a PDF, as it draws them."""
    from verifaible.extract.pdf import PdfFile

    with PdfFile(body) as pdf:
        blocks = pdf.document.blocks
        words = [(each.block, each.start, each.end) for each in (*found.words, *found.between)]
        unseen = tuple(word for place in words for word in pdf.hidden_words(*place))
        number = found.anchor.page_number if found.anchor is not None else None

        def drawn(places: Iterable[tuple[int, int, int]]) -> tuple[Rect, ...]:
            parts = (part for block, start, end in places for part in blocks[block].drawn(start, end))
            return tuple(part.rect for part in parts if number is None or part.page == number)

        scanned = any(pdf.is_scanned(*place) for place in words)
        return Passage(drawn(words), unseen, scanned, drawn(evidence_places(pdf.document, found)))


def text_similarity(old: str, new: str) -> float:
    """How alike two texts are after folding, from 0 to 1 (1 for equal texts)."""
    from rapidfuzz.fuzz import ratio

    return round(float(ratio(folded(old), folded(new))) / 100, 4)


def overlap(old: Sequence[Rect], new: Sequence[Rect]) -> float:
    """Intersection over union of two sets of rectangles, from 0 to 1; sets do not overlap themselves."""

    def common(a: Rect, b: Rect) -> float:
        width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
        height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
        return max(0.0, width) * max(0.0, height)

    intersection = sum(common(a, b) for a in old for b in new)
    union = sum(rect.width * rect.height for rect in (*old, *new)) - intersection
    return round(min(1.0, intersection / union), 4) if union > 0 else 0.0
