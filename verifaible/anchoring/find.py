"""Finding what was asked for in a Document, for the first time or again: one entry for all evidence types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from verifaible.anchoring.cells import locate_in
from verifaible.anchoring.cells_again import cells_again
from verifaible.anchoring.diff import word_diff
from verifaible.anchoring.evidence import (
    MOST_CANDIDATES,
    Found,
    described,
    page_of,
    placed,
    placed_cells,
    time_of,
)
from verifaible.anchoring.quote import Index, Match, Place, find_places
from verifaible.anchoring.relocate import quote_again
from verifaible.anchoring.similar import ALIKE, find_similar
from verifaible.extract.document import Document, Image
from verifaible.schema.anchor import Anchor, AnchorRequest, ImageAnchor
from verifaible.schema.base import EvidenceType
from verifaible.schema.check import Verdict
from verifaible.text.normalise import key

#: How far from a quote ``near`` may stand, in letters and digits.
_NEAR = 200
#: How far from the second asked for a quote may be spoken.
_WINDOW_S = 30


def find(document: Document, request: AnchorRequest, chosen: Sequence[int] | None = None) -> Found:
    """Find what a request asks for.

    Args:
        document: the source.
        request: the words, the cell or the image.
        chosen: the tables or images that ``request.selector`` leads to, where a browser has followed it;
            else only a selector that is an element's own path leads anywhere.

    Returns:
        ``verified``, ``changed`` (similar words stand there), ``ambiguous``, ``gone``; ``moved`` where words
        stand there, but not beside ``near``, or are spoken at another time. A page is a hint.
    """
    if request.evidence_type == "image":
        return find_image(document, request, chosen)
    if request.evidence_type == "table":
        return find_cells(document, request, chosen)
    places = find_places(document, request.quote)
    number = request.page_number
    within = _on_page(document, number) if number else None
    exact = [match for match in places.exact if number and _is_on_page(document, match, number)]
    matches, near_found = _chosen(document, exact or places.exact, request.near)
    gaps = [_seconds_from(document, match, request.at_s) for match in matches]
    matches = [match for gap, match in zip(gaps, matches, strict=True) if gap == min(gaps)]
    if len(matches) == 1:
        verdict: Verdict = "verified" if near_found and min(gaps) <= _WINDOW_S else "moved"
        found = placed(document, matches[0], request.evidence_type)
        return replace(found, verdict=verdict, near_found=near_found)
    if matches:
        return Found("ambiguous", candidates=described(document, matches), near_found=near_found)
    return _unlike(document, request.quote, request.evidence_type, places.cut, within)


def find_again(document: Document, anchor: Anchor, earlier: Document | None, request: AnchorRequest) -> Found:
    """Find cited evidence in a later version of its source.

    Args:
        document: the source now.
        anchor: the anchor of then.
        earlier: the source of then; without it only what the anchor keeps tells the place.
        request: what was asked for when it was cited.

    Returns:
        ``verified``: the same words in the same sentences, under the same governors, at their place.
        ``moved``: exact, elsewhere. ``changed``: found, and its sentences or governors say something else, as
        ``difference`` says. ``ambiguous``; ``gone``.
    """
    if anchor.evidence_type == "table" and anchor.table is not None:
        return cells_again(document, anchor, earlier, request)
    if anchor.evidence_type == "image":
        return image_again(document, anchor, earlier)
    return quote_again(document, anchor, earlier)


def _on_page(document: Document, number: int) -> list[int]:
    return [
        at
        for at, block in enumerate(document.blocks)
        if block.page_number == number or any(box.page == number for box in block.boxes)
    ]


def _is_on_page(document: Document, match: Match, number: int) -> bool:
    """Whether any of the words stand on a page."""
    last = Place(match.last.block, max(match.last.start, match.last.end - 1), match.last.end)
    return page_of(document, match.first) <= number <= page_of(document, last)


def _chosen(document: Document, matches: Sequence[Match], near: str) -> tuple[list[Match], bool]:
    """The places with the quote's own letters, if any has them; of these those beside ``near``."""
    left = [match for match in matches if match.spelled] or list(matches)
    wanted = key(near)
    if not wanted:
        return left, True
    inside = [match for match in left if wanted in key(_shown(document, match))]
    if inside:
        return inside, True
    gaps = [(gap, match) for match in left if (gap := _distance(document, match, wanted)) is not None]
    if not gaps:
        return left, False
    closest = min(gap for gap, _ in gaps)
    return [match for gap, match in gaps if gap <= 2 * closest], True


def _shown(document: Document, match: Match) -> str:
    anchor = placed(document, match, "text").anchor
    return anchor.shown.text if anchor is not None else ""


def _distance(document: Document, match: Match, wanted: str) -> int | None:
    """Letters and digits between a place and ``near``, None if it is too far."""
    index = Index.of(document)
    first = index.key_at(match.first.block, match.first.start)
    last = index.key_at(match.last.block, match.last.end)
    around = index.keys[max(0, first - _NEAR) : last + _NEAR]
    first, last = min(first, _NEAR), min(first, _NEAR) + last - first
    gaps = []
    at = around.find(wanted)
    while at >= 0:
        gaps.append(max(0, first - at - len(wanted), at - last))
        at = around.find(wanted, at + 1)
    return min(gaps, default=None)


def _seconds_from(document: Document, match: Match, at_s: float | None) -> float:
    """How far from the second asked for words are spoken; 0 where none is asked for."""
    time = time_of(document, match)
    return max(time.start_s - at_s, at_s - time.end_s, 0.0) if time is not None and at_s is not None else 0.0


def _unlike(
    document: Document,
    quote: str,
    evidence_type: EvidenceType,
    cut: Sequence[Match],
    within: Iterable[int] | None,
) -> Found:
    """What stands there instead of a quote: words that it cuts, or similar ones."""
    if cut:
        found = placed(document, cut[0], evidence_type)
        assert found.anchor is not None
        return replace(found, verdict="changed", nearest=found.anchor.evidence)
    similar = find_similar(document, quote, within)
    if not similar:
        return Found("gone")
    best = similar[0]
    if best.score < ALIKE:
        return Found("gone", nearest=best.text)
    found = placed(document, Match((best.place,)), evidence_type)
    return replace(found, verdict="changed", nearest=best.text, difference=word_diff(quote, best.text))


def find_cells(document: Document, request: AnchorRequest, chosen: Sequence[int] | None = None) -> Found:
    """Find a cell, a row, a column or a whole table by its headers; ``chosen`` as in :func:`find`."""
    tables: Sequence[int] = range(len(document.tables))
    if request.selector:
        named = [at for at in tables if document.tables[at].css_path == request.selector]
        tables = named if chosen is None else chosen
    return placed_cells(document, *locate_in(document, tables, request.row, request.column))


def find_image(document: Document, request: AnchorRequest, chosen: Sequence[int] | None = None) -> Found:
    """Find an image by its selector, its alternative text or a point on it; ``chosen`` as in :func:`find`.

    All that is asked for must be true of it.
    """
    hits = [at for at in range(len(document.images)) if chosen is None or at in chosen]
    hits = [at for at in hits if _is_asked(document, document.images[at], request, named=chosen is not None)]
    if len(hits) != 1:
        shown = hits or range(len(document.images))
        told = tuple(_named(document.images[at]) for at in list(shown)[:MOST_CANDIDATES])
        return Found("ambiguous", candidates=told) if hits else Found("gone", nearest="; ".join(told))
    image = document.images[hits[0]]
    anchor = Anchor(
        evidence_type="image",
        text=image.alt,
        evidence=image.alt,
        css_path=image.css_path,
        frame_path=document.frames[image.frame].path,
        image=ImageAnchor(
            src=image.src, alt=image.alt, width=round(image.box.width), height=round(image.box.height)
        ),
    )
    return Found("verified", anchor, image=hits[0])


def _named(image: Image) -> str:
    box = image.box
    at = f"{box.width:.0f}x{box.height:.0f} at {box.x:.0f},{box.y:.0f}"
    return f"{image.alt or image.src[:120]} ({image.css_path}, {at})"


def _is_asked(document: Document, image: Image, request: AnchorRequest, *, named: bool) -> bool:
    if not image.complete:
        return False  # the browser shows the sign of a broken picture in its place
    if request.position is not None and not named:
        x, y = request.position
        box, frame = image.box, document.frames[image.frame]
        if not (0 <= x - frame.x - box.x <= box.width and 0 <= y - frame.y - box.y <= box.height):
            return False
    if request.selector and not named and image.css_path != request.selector:
        return False
    return not request.alt or key(request.alt) in key(image.alt)


def image_again(document: Document, anchor: Anchor, earlier: Document | None) -> Found:
    """Find a cited image by its address and alternative text; its bytes are for the caller to compare."""
    then = anchor.image
    assert then is not None
    hits = [at for at, image in enumerate(document.images) if image.src == then.src]
    if not hits and then.alt:
        hits = [at for at, image in enumerate(document.images) if image.alt == then.alt]
    here = [at for at in hits if document.images[at].css_path == anchor.css_path]
    hits = here if len(here) == 1 else hits
    if len(hits) != 1:
        return Found("ambiguous" if hits else "gone")
    image = document.images[hits[0]]
    found = find_image(document, AnchorRequest(evidence_type="image", selector=image.css_path), hits)
    if image.alt != then.alt or image.src != then.src:
        return replace(found, verdict="changed", difference=word_diff(then.alt, image.alt))
    before = [each.src for each in earlier.images] if earlier is not None else []
    moved = image.css_path != anchor.css_path and before != [each.src for each in document.images]
    return replace(found, verdict="moved" if moved else "verified")
