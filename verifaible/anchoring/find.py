"""Finding what was asked for in a Document, for the first time or again: one entry for all evidence types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote as percent_encoded

from verifaible.anchoring.cells import locate_in, rest_of_row
from verifaible.anchoring.diff import word_diff
from verifaible.anchoring.quote import Index, Match, Place, find_places, sentences_around
from verifaible.anchoring.similar import ALIKE, find_similar
from verifaible.anchoring.structure import govern, govern_cells, words_of
from verifaible.extract.document import Document, Image
from verifaible.schema.anchor import Anchor, AnchorRequest, ImageAnchor, TableAnchor, TimeSpan
from verifaible.schema.check import DiffToken, Verdict
from verifaible.text.normalise import key

#: Code points of prefix and suffix, as the W3C TextQuoteSelector of a citation keeps them.
CONTEXT = 64
#: How far from a quote ``near`` may stand, in letters and digits.
_NEAR = 200
#: How far from the second asked for a quote may be spoken.
_WINDOW_S = 30
_MOST_CANDIDATES = 8
#: A longer quote is named in a text fragment by its first and last words.
_LONGEST_FRAGMENT, _FRAGMENT_WORDS = 240, 5


@dataclass(frozen=True, slots=True)
class Found:
    """What was asked for, in a Document, or why it is not there.

    Attributes:
        verdict: as :data:`verifaible.schema.check.Verdict` says. For a new citation only ``verified`` is
            evidence.
        anchor: of ``verified``, ``moved`` and ``changed``, but for what only a browser knows (rectangles, CSS
            path, an image's bytes); None else.
        words: where the words stand, in order; of ``changed`` those that are like them.
        between: painted words that they leave out, such as footnote marks; visibility must be checked of
            both.
        nearest: the most similar words of the source, or the nearest headers of a table, one a line.
        candidates: the places that match equally well, each with what governs it.
        difference: from the words asked for to those that are there.
        missing: which part of a table's place is not there.
        near_found: False where ``near`` was asked for and stands nowhere beside the words.
        table: index in ``Document.tables``, -1 if the evidence is no table's.
        image: index in ``Document.images``, -1 if the evidence is no image.
    """

    verdict: Verdict
    anchor: Anchor | None = None
    words: tuple[Place, ...] = ()
    between: tuple[Place, ...] = ()
    nearest: str = ""
    candidates: tuple[str, ...] = ()
    difference: tuple[DiffToken, ...] = ()
    missing: Literal["", "row", "column", "cell", "table"] = ""
    near_found: bool = True
    table: int = -1
    image: int = -1

    @property
    def text(self) -> str:
        """The words that were found, "" for none."""
        return self.anchor.text if self.anchor is not None else ""


def find(document: Document, request: AnchorRequest, chosen: Sequence[int] | None = None) -> Found:
    """Find what a request asks for.

    Args:
        document: the source.
        request: the words, the cell or the image.
        chosen: the tables or images that ``request.selector`` leads to, where a browser has followed it;
            else only a selector that is an element's own path leads anywhere.

    Returns:
        ``verified``, ``changed`` (similar words stand there), ``ambiguous``, ``gone``; ``moved`` where words
        stand there, but not beside ``near``, or are spoken at another time.
    """
    if request.evidence_type == "image":
        return find_image(document, request, chosen)
    if request.evidence_type == "table":
        return find_cells(document, request, chosen)
    within = _on_page(document, request.page_number) if request.page_number else None
    places = find_places(document, request.quote, within)
    if not places.exact and within is not None:
        within, places = None, find_places(document, request.quote)
    matches, near_found = _chosen(document, places.exact, request.near)
    if request.at_s is not None:
        matches = _in_time(document, matches, request.at_s)
    if len(matches) == 1:
        early = request.at_s is not None and not _is_in_window(document, matches[0], request.at_s)
        found = placed(document, matches[0], request.evidence_type)
        return replace(
            found, verdict="verified" if near_found and not early else "moved", near_found=near_found
        )
    if matches:
        return Found("ambiguous", candidates=described(document, matches), near_found=near_found)
    return _unlike(document, request.quote, request.evidence_type, places.cut, within)


def placed(
    document: Document, match: Match, evidence_type: Literal["text", "table", "pdf", "video", "image"]
) -> Found:
    """A place of a quote as evidence: whole sentences with what governs them; ``verified``."""
    begin, end = sentences_around(document, match)
    structure, shown = govern(document, begin, end, match.words)
    starts, text = document.starts, document.text
    low, high = starts[begin.block] + begin.start, starts[end.block] + end.end
    start, stop = starts[match.first.block] + match.first.start, starts[match.last.block] + match.last.end
    first, last = document.blocks[match.first.block], document.blocks[match.last.block]
    words = text[start:stop]
    anchor = Anchor(
        evidence_type=evidence_type,
        text=words,
        evidence=text[low:high],
        in_evidence=start - low,
        structure=structure,
        shown=shown,
        prefix=text[max(0, start - CONTEXT) : start],
        suffix=text[stop : stop + CONTEXT],
        start=start,
        end=stop,
        frame_path=document.frames[first.frame].path,
        page_number=page_of(document, match.first) or None,
        time=TimeSpan(start_s=first.start_s, end_s=last.end_s) if last.end_s else None,
    )
    anchor = anchor.model_copy(update={"text_fragment": fragment(document, anchor)})
    table = first.cell[0] if first.cell is not None else -1
    return Found("verified", anchor, match.words, match.skipped, table=table)


def page_of(document: Document, place: Place) -> int:
    """The page of a PDF on which a place begins; 0 where there are no pages."""
    block = document.blocks[place.block]
    pages = [box.page for box in block.boxes if box.start <= place.start < box.end and box.page]
    return pages[0] if pages else block.page_number


def fragment(document: Document, anchor: Anchor) -> str:
    """The address of a source with the place in it, as text, page or time; "" for one without address."""
    url = document.url.partition("#")[0]
    if not url:
        return ""
    if anchor.time is not None:
        return f"{url}#t={anchor.time.start_s:.1f},{anchor.time.end_s:.1f}"
    if anchor.page_number:
        return f"{url}#page={anchor.page_number}"
    lines = [line for line in anchor.text.splitlines() if line.strip()]
    if len(lines) == 1 and len(anchor.text) <= _LONGEST_FRAGMENT:
        return f"{url}#:~:text={_encoded(anchor.text)}"
    # A text over several blocks is named by its ends: a fragment's text holds no line end.
    first, last = lines[0].split()[:_FRAGMENT_WORDS], lines[-1].split()[-_FRAGMENT_WORDS:]
    return f"{url}#:~:text={_encoded(' '.join(first))},{_encoded(' '.join(last))}"


def _encoded(text: str) -> str:
    return percent_encoded(" ".join(text.split()), safe="").replace("-", "%2D")


def described(document: Document, matches: Sequence[Match]) -> tuple[str, ...]:
    """Some places of a quote, each as a reader is shown it."""
    found = []
    for match in matches[:_MOST_CANDIDATES]:
        anchor = placed(document, match, "text").anchor
        assert anchor is not None
        where = f"page {anchor.page_number}: " if anchor.page_number else ""
        where = f"{anchor.time.start_s:.1f} s: " if anchor.time is not None else where
        found.append(where + anchor.shown.text)
    return tuple(found)


def _on_page(document: Document, number: int) -> list[int]:
    return [
        at
        for at, block in enumerate(document.blocks)
        if block.page_number == number or any(box.page == number for box in block.boxes)
    ]


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


def _in_time(document: Document, matches: Sequence[Match], at_s: float) -> list[Match]:
    """The places that are spoken nearest to a second."""
    gaps = [_seconds_from(document, match, at_s) for match in matches]
    return [match for gap, match in zip(gaps, matches, strict=True) if gap == min(gaps)]


def _is_in_window(document: Document, match: Match, at_s: float) -> bool:
    return _seconds_from(document, match, at_s) <= _WINDOW_S


def _seconds_from(document: Document, match: Match, at_s: float) -> float:
    start = document.blocks[match.first.block].start_s
    return max(start - at_s, at_s - document.blocks[match.last.block].end_s, 0.0)


def _unlike(
    document: Document,
    quote: str,
    evidence_type: Literal["text", "table", "pdf", "video", "image"],
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
    tables = range(len(document.tables))
    if request.selector:
        named = [at for at in tables if document.tables[at].css_path == request.selector]
        at, located = locate_in(document, named if chosen is None else chosen, request.row, request.column)
    else:
        at, located = locate_in(document, tables, request.row, request.column)
    if located.anchor is None:
        nearest = "\n".join(located.nearest)
        return Found(
            located.verdict, nearest=nearest, candidates=located.candidates, missing=located.missing, table=at
        )
    return placed_cells(document, at, located.anchor, located.text)


def placed_cells(document: Document, table: int, located: TableAnchor, text: str) -> Found:
    """A place in a table as evidence, its cells under their heads: ``verified``; without words ``gone``."""
    grid = document.tables[table]
    structure, shown = govern_cells(document, table, located.cells)
    cells = [cell for slot in located.cells if (cell := grid.at(*slot)) is not None]
    words = words_of(document, cells)
    if words and all(_is_picture(document, word.block) for word in words):
        return Found("gone", nearest=text, missing="cell", table=table)
    anchor = Anchor(
        evidence_type="table",
        text=text,
        evidence=text,
        structure=structure,
        shown=shown,
        css_path=grid.css_path,
        frame_path=document.frames[grid.frame].path,
        table=located.model_copy(update={"row_cells": rest_of_row(document, table, located)}),
    )
    anchor = anchor.model_copy(update={"text_fragment": fragment(document, anchor) if text.strip() else ""})
    return Found("verified", anchor, words, table=table)


def _is_picture(document: Document, number: int) -> bool:
    """Whether a block has no words but the alternative text of pictures."""
    block = document.blocks[number]
    drawn = sum(mark.end - mark.start for mark in block.marks if mark.kind == "picture")
    return drawn >= len("".join(block.text.split()))


def find_image(document: Document, request: AnchorRequest, chosen: Sequence[int] | None = None) -> Found:
    """Find an image by its selector, its alternative text or a point on it; ``chosen`` as in :func:`find`."""
    hits = [at for at, image in enumerate(document.images) if _is_asked(image, request)]
    if request.selector and chosen is not None:
        hits = list(chosen)
    if len(hits) != 1:
        shown = tuple(document.images[at].alt or document.images[at].src for at in hits[:_MOST_CANDIDATES])
        return Found("ambiguous" if hits else "gone", candidates=shown)
    image = document.images[hits[0]]
    anchor = Anchor(
        evidence_type="image",
        text=image.alt,
        evidence=image.alt,
        css_path=image.css_path,
        frame_path=document.frames[image.frame].path,
        image=ImageAnchor(src=image.src, alt=image.alt),
    )
    return Found("verified", anchor, image=hits[0])


def _is_asked(image: Image, request: AnchorRequest) -> bool:
    if request.position is not None:
        x, y = request.position
        box = image.box
        return box.x <= x <= box.x + box.width and box.y <= y <= box.y + box.height
    if request.selector:
        return image.css_path == request.selector
    return bool(request.alt) and key(request.alt) == key(image.alt)
