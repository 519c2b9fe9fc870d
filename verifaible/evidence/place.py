"""Finding what was asked for in what was read, for the first time or again. Pure functions."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter, eq

from verifaible.anchoring.evidence import Found, placed
from verifaible.anchoring.find import find, find_again
from verifaible.anchoring.quote import find_places
from verifaible.evidence.material import Material
from verifaible.extract.document import Document
from verifaible.schema.anchor import Anchor, AnchorRequest


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
    if len(one.blocks) != len(other.blocks) or len(one.tables) != len(other.tables):
        return False
    cells = [[cell for table in each.tables for cell in table.cells] for each in (one, other)]
    return (
        all(map(eq, map(_READ_OF_BLOCK, one.blocks), map(_READ_OF_BLOCK, other.blocks)))
        and len(cells[0]) == len(cells[1])
        and all(map(eq, map(_READ_OF_CELL, cells[0]), map(_READ_OF_CELL, cells[1])))
    )


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
