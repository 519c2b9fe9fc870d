"""Finding what was asked for in what was read, for the first time or again. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from verifaible.anchoring.captions import find_caption
from verifaible.anchoring.diff import word_diff
from verifaible.anchoring.fold import fold
from verifaible.anchoring.passage import find_passage
from verifaible.anchoring.quote import QuoteMatch, find_quote
from verifaible.anchoring.table import TableMatch, locate, locate_in, rest_of_row
from verifaible.anchoring.table_titles import same_table
from verifaible.browser.reading import FrameTable, Image
from verifaible.evidence.links import text_link
from verifaible.evidence.material import Material, PageMaterial, PdfMaterial, VideoMaterial
from verifaible.evidence.sentence import in_lines, in_sentence
from verifaible.schema.citation import (
    Anchor,
    AnchorRequest,
    DiffToken,
    ImageAnchor,
    TableAnchor,
    TimeSpan,
    Verdict,
)
from verifaible.text.languages import language_of
from verifaible.text.reservations import LeftOut, left_out
from verifaible.text.same import same


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


def place(material: Material, request: AnchorRequest, previous: Anchor | None = None) -> Placement:
    """Find the evidence of a request.

    Args:
        material: what the page, PDF or captions hold now.
        request: what was asked for.
        previous: the anchor of an existing citation, to be found again; None for a new one.

    Returns:
        For a new citation "verified", "changed", "ambiguous" or "gone"; for an existing one
        also "moved". Similarity only locates: what differs is at best "changed".
    """
    if isinstance(material, PdfMaterial):
        return _place_passage(material, request, previous)
    if isinstance(material, VideoMaterial):
        return _place_caption(material, request, previous)
    if request.evidence_type == "table":
        return _place_table(material, request, previous)
    if request.evidence_type == "image":
        return _place_image(material, request, previous)
    return _place_text(material, request, previous)


def _place_text(material: PageMaterial, request: AnchorRequest, previous: Anchor | None) -> Placement:
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
    return _in_sentence(placement, in_sentence(anchor, text), previous, spoken)


def _in_sentence(
    placement: Placement, sentenced: Anchor, previous: Anchor | None, language: str = ""
) -> Placement:
    """The placement with the sentence of its words, and what that says of it.

    A new quote may not leave out what turns its sentence round; of an old one the sentence must be the same.
    """
    lines = sentenced.evidence_type != "text"
    before, behind = sentenced.around or ("", "")
    at, end = len(before), len(before) + len(sentenced.text)
    spoken = language_of(language, sentenced.sentence)  # Chinese in an English page is Chinese
    missing = left_out(sentenced.sentence, at, end, spoken) if sentenced.around is not None else None
    placement = replace(placement, anchor=sentenced, left_out=missing)
    if placement.verdict not in ("verified", "moved"):
        return placement
    if previous is None:
        if not lines and "\n" in sentenced.text.strip() and any(map(str.isalnum, before + behind)):
            # A part of one block and a part of the next make a sentence that nobody wrote.
            return replace(placement, verdict="changed", left_out=LeftOut("block", behind.strip()))
        return replace(placement, verdict="changed") if missing else placement
    then, now = previous.sentence, sentenced.sentence
    if not then or same(now, 0, len(now), then, cased=((0, len(now)),), broken_lines=lines):
        return placement
    return replace(placement, verdict="changed", difference=word_diff(then, now))


def _verdict(match: QuoteMatch, previous: Anchor | None) -> Verdict:
    # A new citation has no place yet from which it could have moved.
    if previous is None and match.status == "moved":
        return "verified"
    return match.status


def _not_placed(verdict: Verdict, match: QuoteMatch) -> Placement:
    difference = match.difference
    return Placement(verdict, nearest=match.nearest, difference=difference, candidates=match.candidates)


# --- tables


def _place_table(material: PageMaterial, request: AnchorRequest, previous: Anchor | None) -> Placement:
    index, match = _find_cell(material, request, previous)
    if match.status != "verified" or match.anchor is None:
        nearest = ", ".join(match.nearest)
        return Placement(
            match.status, nearest=nearest, candidates=match.candidates, missing=match.missing or "table"
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
    if previous is None or previous.table is None:
        return Placement("verified", anchor, match.text, table=index)
    if fold(match.text, keep_space=True).text != fold(previous.text, keep_space=True).text:
        return Placement(
            "changed", anchor, match.text, difference=word_diff(previous.text, match.text), table=index
        )
    verdict, difference = same_table(previous.table, table)
    if verdict == "verified":
        same = (
            anchor.css_path == previous.css_path
            and anchor.frame_path == previous.frame_path
            and match.anchor.cells == previous.table.cells
        )
        verdict = "verified" if same else "moved"
    return Placement(verdict, anchor, match.text, difference=difference, table=index)


def _find_cell(
    material: PageMaterial, request: AnchorRequest, previous: Anchor | None
) -> tuple[int, TableMatch]:
    indices = list(range(len(material.tables)))
    if previous is not None:
        # Where it was first; elsewhere only if the table is not there any more.
        for index in _where_it_was(material, previous):
            match = locate(material.grids[index], request.row, request.column)
            if match.status != "gone":
                return index, match
    elif request.selector:
        indices = [index for index in indices if material.tables[index].table.css_path in material.selected]
    if not request.row and not request.column and len(indices) == 1:
        return indices[0], locate(material.grids[indices[0]], (), ())
    chosen, match = locate_in([material.grids[index] for index in indices], request.row, request.column)
    return (indices[chosen] if chosen >= 0 else -1), match


def _where_it_was(material: PageMaterial, previous: Anchor) -> list[int]:
    """The table at the place of the cited one; before it the one that has its title, if that one has not."""
    here = [
        index
        for index, where in enumerate(material.tables)
        if where.table.css_path == previous.css_path and where.frame_path == previous.frame_path
    ][:1]
    if previous.table is None or (here and _titled(material.tables[here[0]], previous.table)):
        return here
    titled = [index for index, where in enumerate(material.tables) if _titled(where, previous.table)]
    return titled + here if len(titled) == 1 else here


def _titled(where: FrameTable, cited: TableAnchor) -> bool:
    """Whether a table has the title (the caption, or else the heading) of the cited one."""
    if cited.caption:
        return fold(where.table.caption).text == fold(cited.caption).text
    return bool(cited.heading) and fold(where.heading).text == fold(cited.heading).text


# --- images


def _place_image(material: PageMaterial, request: AnchorRequest, previous: Anchor | None) -> Placement:
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
    moved = previous is not None and previous.css_path != image.css_path
    return Placement("moved" if moved else "verified", anchor, image.alt)


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


def _place_passage(material: PdfMaterial, request: AnchorRequest, previous: Anchor | None) -> Placement:
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
    if found.continued is not None:  # over a page's end, between running heads
        page = f"{page[: found.match.end]}\n{material.pages[found.page_number][found.continued.start :]}"
    return _in_sentence(placement, in_sentence(anchor, page), previous, language_of("", page[:4000]))


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
