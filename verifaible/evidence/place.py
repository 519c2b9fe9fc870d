"""Finding what was asked for in what was read: for the first time, again, or in a capture. No browser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter, eq
from typing import NamedTuple

from rapidfuzz.fuzz import ratio

from verifaible.anchoring.evidence import Found, placed
from verifaible.anchoring.find import find, find_again
from verifaible.anchoring.quote import find_places
from verifaible.archive.reader import WaczReader
from verifaible.errors import IntegrityError, ToolError
from verifaible.evidence.material import Material, read_material
from verifaible.extract.document import Cell, Document
from verifaible.schema.anchor import Anchor, AnchorRequest, Rect
from verifaible.schema.citation import Citation
from verifaible.text.equivalence import folded


def place(
    material: Material,
    request: AnchorRequest,
    previous: Anchor | None = None,
    sealed: Material | None = None,
) -> Found:
    """Find the evidence of a request.

    Args:
        material: what the page, PDF or captions hold now.
        request: what was asked for.
        previous: the anchor of an existing citation, to be found again; None for a new one.
        sealed: what the source held when it was cited. The place of the evidence is its order among what is
            left of that; without it the words around the evidence have to tell.

    Returns:
        For a new citation "verified", "moved", "changed", "ambiguous" or "gone"; only the first is evidence.
        Similarity only locates: what differs is at best "changed".
    """
    if previous is None:
        return find(material.document, request, chosen_by(material, request))
    earlier = sealed.document if sealed is not None else None
    found = find_again(material.document, previous, earlier, request)
    if found.verdict == "verified" and found.anchor and found.anchor.page_number != previous.page_number:
        return replace(found, verdict="moved")  # on another page of a PDF
    return found


def place_again(
    material: Material, request: AnchorRequest, previous: Anchor, sealed: Material | None
) -> Found:
    """Find the evidence of a citation in what its source holds now.

    Where that reads as the sealed source does, block by block, words are where they were, and nothing has to
    be looked for. As :func:`place` else.
    """
    if sealed is not None and reads_alike(material.document, sealed.document):
        for match in find_places(material.document, previous.text).exact if previous.text else ():
            first, last = (material.document.starts[each.block] for each in (match.first, match.last))
            if (first + match.first.start, last + match.last.end) == (previous.start, previous.end):
                return placed(material.document, match, previous.evidence_type)
    return place(material, request, previous, sealed)


#: What a block or a cell says and is, wherever it is drawn.
_READ_OF_BLOCK = attrgetter(
    *"text kind sentences marks governors rows cell item frame page_number level start_s end_s".split()
)
_READ_OF_CELL = attrgetter("text", "row", "column", "width", "height", "header", "scope", "blocks", "absent")


def reads_alike(one: Document, other: Document) -> bool:
    """Whether two sources say the same in the same structure; where it is drawn may differ."""
    pairs = (
        (_READ_OF_BLOCK, one.blocks, other.blocks),
        (_READ_OF_CELL, _table_cells(one), _table_cells(other)),
    )
    return len(one.tables) == len(other.tables) and all(
        len(mine) == len(theirs) and all(map(eq, map(read, mine), map(read, theirs)))
        for read, mine, theirs in pairs
    )


def _table_cells(document: Document) -> list[Cell]:
    return [cell for table in document.tables for cell in table.cells]


def evidence_places(document: Document, found: Found) -> list[tuple[int, int, int]]:
    """The evidence that the words found are only a part of: of each block its index, and from where to where.

    Empty where they are all of it, and for cells, which are whole.
    """
    anchor = found.anchor
    if anchor is None or anchor.table is not None or anchor.start is None or not any(anchor.around):
        return []
    low = anchor.start - anchor.in_evidence
    high = low + len(anchor.evidence)
    spans = (
        (at, max(low - start, 0), min(high - start, len(block.text)))
        for at, (block, start) in enumerate(zip(document.blocks, document.starts, strict=True))
    )
    return [span for span in spans if span[1] < span[2]]


def chosen_by(material: Material, request: AnchorRequest) -> list[int] | None:
    """The tables or images that the request's selector or point names; None where it has neither."""
    if material.selected is None:
        return None
    document, wanted = material.document, material.selected
    among = document.images if request.evidence_type == "image" else document.tables
    places = [(document.frames[each.frame].document, each.css_path) for each in among]
    return [at for at, place_ in enumerate(places) if place_ in wanted]


# --- in a capture


class Sealed(NamedTuple):
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
        hidden: words of it that nobody sees.
        scanned: whether it is the text layer of a scan.
        around: the rectangles of the whole evidence there, if it is only a part of that.
    """

    rects: tuple[Rect, ...]
    hidden: tuple[str, ...] = ()
    scanned: bool = False
    around: tuple[Rect, ...] = ()


def passage(body: bytes, found: Found) -> Passage:
    """The words that were found in a PDF, as it draws them."""
    from verifaible.extract.pdf import PdfFile

    with PdfFile(body) as pdf:
        blocks = pdf.document.blocks
        words = [(each.block, each.start, each.end) for each in (*found.words, *found.between)]
        number = found.anchor.page_number if found.anchor is not None else None

        def drawn(places: Iterable[tuple[int, int, int]]) -> tuple[Rect, ...]:
            parts = (part for block, start, end in places for part in blocks[block].drawn(start, end))
            return tuple(part.rect for part in parts if number is None or part.page == number)

        return Passage(
            rects=drawn(words),
            hidden=tuple(word for each in words for word in pdf.hidden_words(*each)),
            scanned=any(pdf.is_scanned(*each) for each in words),
            around=drawn(evidence_places(pdf.document, found)),
        )


def text_similarity(old: str, new: str) -> float:
    """How alike two texts are after folding, from 0 to 1 (1 for equal texts)."""
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
