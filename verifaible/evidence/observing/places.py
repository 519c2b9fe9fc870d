"""Finding what was asked for in what was read, for the first time or again. Pure functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from verifaible.browser.reading import Image
from verifaible.evidence.observing.links import text_link
from verifaible.evidence.observing.material import Material, PageMaterial, PdfMaterial, VideoMaterial
from verifaible.evidence.observing.sentence import in_lines, in_sentence, whole
from verifaible.evidence.observing.tables_again import find_cell_again
from verifaible.old.anchoring.captions import find_caption
from verifaible.old.anchoring.diff import word_diff
from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.order import Order, TextOrder
from verifaible.old.anchoring.passage import find_passage
from verifaible.old.anchoring.quote import QuoteMatch, find_quote
from verifaible.old.anchoring.tables.locate import TableMatch, locate, locate_in, rest_of_row
from verifaible.old.text.languages import language_of
from verifaible.old.text.reservations import LeftOut, left_out
from verifaible.old.text.same import same
from verifaible.schema.anchor import Anchor, AnchorRequest, ImageAnchor, TimeSpan
from verifaible.schema.check import DiffToken, Verdict


@dataclass(frozen=True, slots=True)
class Placement:
    """Where evidence was found, or why not.

    ``table`` is the index of the table in the material, -1 if the evidence is in none.
    ``nearest`` and ``difference`` say what stands there instead; ``candidates`` are the places
    that match equally well. ``found`` is the text that was found, if any. ``left_out`` is what a new quote
    leaves out of its sentence that turns its meaning round (its verdict is "changed" then), or an old one.
    """

    verdict: Verdict
    anchor: Anchor | None = None
    found: str = ""
    nearest: str = ""
    difference: tuple[DiffToken, ...] = ()
    candidates: tuple[str, ...] = ()
    missing: str = ""
    table: int = -1
    left_out: LeftOut | None = None


def place(
    material: Material,
    request: AnchorRequest,
    previous: Anchor | None = None,
    sealed: Material | None = None,
) -> Placement:
    """Find the evidence of a request.

    Args:
        material: what the page, PDF or captions hold now.
        request: what was asked for.
        previous: the anchor of an existing citation, to be found again; None for a new one.
        sealed: what the page, PDF or captions held when it was cited. The place of the evidence is its order
            among what is left of that; without it the words around the evidence have to tell.

    Returns:
        For a new citation "verified", "changed", "ambiguous" or "gone"; for an existing one
        also "moved". Similarity only locates: what differs is at best "changed".
    """
    if isinstance(material, PdfMaterial):
        return _place_passage(
            material, request, previous, sealed if isinstance(sealed, PdfMaterial) else None
        )
    if isinstance(material, VideoMaterial):
        return _place_caption(material, request, previous)
    page = sealed if isinstance(sealed, PageMaterial) else None
    if request.evidence_type == "table":
        return _place_table(material, request, previous, page)
    if request.evidence_type == "image":
        return _place_image(material, request, previous, page)
    return _place_text(material, request, previous, page)


def _place_text(
    material: PageMaterial, request: AnchorRequest, previous: Anchor | None, sealed: PageMaterial | None
) -> Placement:
    text, language = material.page.text, material.page.frames[0].language
    if previous is None:
        match = find_quote(
            text, request.quote, near=request.near, cased=material.page.cased, language=language
        )
    else:
        match = find_quote(
            text,
            previous.text,
            prefix=previous.prefix,
            suffix=previous.suffix,
            expected_start=previous.start,
            cased=material.page.cased,
            language=language,
            edges=False,  # it was let begin and end where it does; its sentence is compared
            at_place=_order(sealed.page.text, previous, text) if sealed is not None else None,
        )
    verdict = _verdict(match, previous)
    if verdict in ("ambiguous", "gone"):
        return _not_placed(verdict, match)
    frame = material.page.frame_at(match.start)
    anchor = Anchor(
        evidence_type="text",
        text=match.text,
        prefix=match.prefix,
        suffix=match.suffix,
        start=match.start,
        end=match.end,
        frame_path=frame.path,
        text_fragment=text_link(material.url, match.text),
    )
    placement = Placement(verdict, anchor, match.text, match.nearest, match.difference)
    spoken = language_of(frame.language or language, text[:4000])
    crossed = "\n" in match.text.strip()
    return _in_sentence(placement, in_sentence(anchor, text), previous, spoken, crossed=crossed)


def _in_sentence(
    placement: Placement,
    sentenced: Anchor,
    previous: Anchor | None,
    language: str = "",
    *,
    crossed: bool = False,
) -> Placement:
    """The placement with the sentence of its words, and what that says of it; ``crossed`` if these are of
    more blocks than one.

    A new quote may not leave out what turns its sentence round; of an old one the sentence must be the same.
    """
    before, behind = sentenced.around
    at, end = len(before), len(before) + len(sentenced.text)
    spoken = language_of(language, sentenced.evidence)  # Chinese in an English page is Chinese
    missing = left_out(sentenced.evidence, at, end, spoken)
    placement = replace(placement, anchor=sentenced, left_out=missing)
    if placement.verdict not in ("verified", "moved"):
        return placement
    if previous is None:
        if crossed and any(map(str.isalnum, before + behind)):
            # A part of one block and a part of the next make a sentence that nobody wrote.
            return replace(placement, verdict="changed", left_out=LeftOut("block", behind.strip()))
        return replace(placement, verdict="changed") if missing else placement
    if _same_sentence(previous, sentenced):
        return placement
    difference = word_diff(previous.evidence, sentenced.evidence)
    return replace(placement, verdict="changed", difference=difference)


def _same_sentence(previous: Anchor, sentenced: Anchor) -> bool:
    then, now, lines = previous.evidence, sentenced.evidence, sentenced.evidence_type != "text"
    return bool(same(now, 0, len(now), then, cased=((0, len(now)),), broken_lines=lines))


def _order(
    sealed: str, previous: Anchor, now: str, *, shift: int = 0
) -> Callable[[int, int], bool | None] | None:
    """What tells whether a span of a text is where a quote was cited; ``shift`` is where its page begins."""
    if previous.start is None or previous.end is None:
        return None
    start, end = previous.start + shift, previous.end + shift
    if not previous.text.startswith(sealed[start:end]):
        return None  # it was read in another way when it was cited
    order = cache(lambda: TextOrder(sealed, start, end, now))  # most quotes that are gone need none
    return lambda first, last: order().holds(first, last)


def _verdict(match: QuoteMatch, previous: Anchor | None) -> Verdict:
    # A new citation has no place yet from which it could have moved.
    if previous is None and match.status == "moved":
        return "verified"
    return match.status


def _not_placed(verdict: Verdict, match: QuoteMatch) -> Placement:
    difference = match.difference
    return Placement(verdict, nearest=match.nearest, difference=difference, candidates=match.candidates)


# --- tables


def _place_table(
    material: PageMaterial, request: AnchorRequest, previous: Anchor | None, sealed: PageMaterial | None
) -> Placement:
    verdict: Verdict
    difference: tuple[DiffToken, ...] = ()
    if previous is None or previous.table is None:
        index, match = _find_cell(material, request)
        verdict = match.status
    else:
        again = find_cell_again(material, request, previous, sealed)
        verdict, index, match, difference = again.verdict, again.table, again.match, again.difference
    if match.anchor is None:
        nearest = ", ".join(match.nearest)
        return Placement(
            verdict, nearest=nearest, candidates=match.candidates, missing=match.missing or "table"
        )
    where = material.tables[index]
    row_cells = rest_of_row(material.grids[index], match.anchor)
    table = match.anchor.model_copy(update={"heading": where.heading, "row_cells": row_cells})
    anchor = Anchor(
        evidence_type="table",
        text=match.text,
        css_path=where.table.css_path,
        frame_path=where.frame_path,
        table=table,
    )
    return Placement(verdict, whole(anchor), match.text, difference=difference, table=index)


def _find_cell(material: PageMaterial, request: AnchorRequest) -> tuple[int, TableMatch]:
    indices = list(range(len(material.tables)))
    if request.selector:
        indices = [index for index in indices if material.tables[index].table.css_path in material.selected]
    if not request.row and not request.column and len(indices) == 1:
        return indices[0], locate(material.grids[indices[0]], (), ())
    chosen, match = locate_in([material.grids[index] for index in indices], request.row, request.column)
    return (indices[chosen] if chosen >= 0 else -1), match


# --- images


def _place_image(
    material: PageMaterial, request: AnchorRequest, previous: Anchor | None, sealed: PageMaterial | None
) -> Placement:
    images = [image for image in material.images if _is_asked(image, material, request)]
    if not images:
        known = tuple(_named(image) for image in material.images[:8])
        return Placement("gone", nearest="; ".join(known), missing="image")
    if len(images) > 1 and previous is not None and previous.image is not None:
        images = [image for image in images if image.src == previous.image.src] or images
    if len(images) > 1:
        return Placement("ambiguous", candidates=tuple(_named(image) for image in images[:8]))
    image = images[0]
    anchor = Anchor(
        evidence_type="image",
        text=image.alt,
        css_path=image.css_path,
        frame_path=image.frame_path,
        rects=(image.rect,),
        image=ImageAnchor(src=image.src, alt=image.alt, width=image.width, height=image.height),
    )
    here = previous is None or _is_in_order(image, material, previous, sealed)
    return Placement("verified" if here else "moved", whole(anchor), image.alt)


def _is_in_order(image: Image, material: PageMaterial, previous: Anchor, sealed: PageMaterial | None) -> bool:
    """Whether an image has its order among those that are left, by their addresses."""
    if previous.css_path == image.css_path:
        return True
    cited = [
        at for at, each in enumerate(sealed.images if sealed else ()) if each.css_path == previous.css_path
    ]
    if not cited or sealed is None or image.frame_path != previous.frame_path:
        return False
    before, now = ([each.src for each in page.images] for page in (sealed, material))
    at = material.images.index(image)
    return Order(before, (cited[0], cited[0]), now).holds(at, at) is True


def _named(image: Image) -> str:
    rect = image.rect
    at = f"{rect.width:.0f}x{rect.height:.0f} at {rect.x:.0f},{rect.y:.0f}"
    return f"{image.alt or image.src[:120]} ({image.css_path}, {at})"


def _is_asked(image: Image, material: PageMaterial, request: AnchorRequest) -> bool:
    if not image.complete:
        return False  # the browser shows the sign of a broken picture in its place
    if (request.selector or request.position) and image.css_path not in material.selected:
        return False
    if request.position and image.frame_path != material.selected_in:
        return False
    return not request.alt or fold(request.alt).text in fold(image.alt).text


# --- documents and videos


def _place_passage(
    material: PdfMaterial, request: AnchorRequest, previous: Anchor | None, sealed: PdfMaterial | None
) -> Placement:
    if previous is None:
        found = find_passage(
            material.pages, request.quote, page_number=request.page_number, near=request.near
        )
    else:
        found = find_passage(
            material.pages,
            previous.text,
            page_number=previous.page_number,
            prefix=previous.prefix,
            suffix=previous.suffix,
            expected_start=previous.start,
            edges=False,
            at_place=_order_in_document(material, previous, sealed),
        )
    verdict = _verdict(found.match, previous)
    if verdict in ("ambiguous", "gone"):
        return _not_placed(verdict, found.match)
    text = found.text or found.match.text
    anchor = Anchor(
        evidence_type="pdf",
        text=text,
        prefix=found.match.prefix,
        suffix=found.match.suffix,
        start=found.match.start,
        end=found.match.end,
        page_number=found.page_number,
        text_fragment=f"{material.url.split('#')[0]}#page={found.page_number}",
    )
    if previous is not None and verdict == "verified" and found.page_number != previous.page_number:
        verdict = "moved"
    placement = Placement(verdict, anchor, text, found.match.nearest, found.match.difference)
    page = material.pages[found.page_number - 1]
    paragraphs = material.paragraphs[found.page_number - 1] if material.paragraphs else ()
    if found.continued is not None:  # over a page's end, between running heads
        page = f"{page[: found.match.end]}\n{material.pages[found.page_number][found.continued.start :]}"
        paragraphs = tuple(at for at in paragraphs if at < found.match.end)
    sentenced = in_sentence(anchor, page, paragraphs)
    crossed = any(found.match.start < at < found.match.end for at in paragraphs)
    return _in_sentence(placement, sentenced, previous, language_of("", page[:4000]), crossed=crossed)


def _order_in_document(
    material: PdfMaterial, previous: Anchor, sealed: PdfMaterial | None
) -> Callable[[int, int, int], bool | None] | None:
    """The same as :func:`_order`, for spans of the pages of a document."""
    if sealed is None or previous.page_number is None or previous.page_number > len(sealed.pages):
        return None
    before, now = _PAGE_BREAK.join(sealed.pages), _PAGE_BREAK.join(material.pages)
    holds = _order(before, previous, now, shift=_first_of(sealed, previous.page_number))
    if holds is None:
        return None

    def at_place(number: int, start: int, end: int) -> bool | None:
        shift = _first_of(material, number)
        return holds(start + shift, end + shift)

    return at_place


_PAGE_BREAK = "\n"


def _first_of(material: PdfMaterial, number: int) -> int:
    """Where a page begins in the text of all pages."""
    return sum(len(page) + len(_PAGE_BREAK) for page in material.pages[: number - 1])


def _place_caption(material: VideoMaterial, request: AnchorRequest, previous: Anchor | None) -> Placement:
    if previous is None:
        wanted, at_s, near = request.quote, request.at_s, request.near
    else:
        wanted, at_s, near = previous.text, previous.time.start_s if previous.time else None, ""
    match = find_caption(material.transcript, wanted, at_s=at_s, near=near)
    verdict: Verdict = match.status
    if verdict in ("ambiguous", "gone"):
        return Placement(verdict, nearest=match.nearest, candidates=match.candidates)
    anchor = Anchor(
        evidence_type="video",
        text=match.text,
        time=TimeSpan(start_s=match.start_s, end_s=match.end_s),
        text_fragment=f"{material.url.split('#')[0]}#t={match.start_s:.1f},{match.end_s:.1f}",
    )
    if previous is not None and previous.time is not None and verdict in ("verified", "moved"):
        verdict = "verified" if abs(match.start_s - previous.time.start_s) < 0.5 else "moved"
    placement = Placement(verdict, anchor, match.text, match.nearest, match.difference)
    said = " ".join(each.text for each in material.transcript.captions)[:4000]
    spoken = language_of(material.transcript.language, said)
    return _in_sentence(placement, in_lines(anchor, material.transcript), previous, spoken)
