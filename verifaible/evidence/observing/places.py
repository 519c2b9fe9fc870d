"""Finding what was asked for in what was read, for the first time or again. Pure functions."""

from __future__ import annotations

from dataclasses import replace

from verifaible.anchoring.evidence import Found
from verifaible.anchoring.find import find, find_again
from verifaible.evidence.observing.material import Material
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


def chosen_by(material: Material, request: AnchorRequest) -> list[int] | None:
    """The tables or images that the request's selector or point names; None where it has neither."""
    if material.selected is None:
        return None
    document, wanted = material.document, material.selected
    among = document.images if request.evidence_type == "image" else document.tables
    places = [(document.frames[each.frame].document, each.css_path) for each in among]
    return [at for at, place_ in enumerate(places) if place_ in wanted]
