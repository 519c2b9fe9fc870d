"""A place of a Document as evidence: whole sentences or cells, with what governs them, and their anchor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote as percent

from verifaible.anchoring.cells import Located, rest_of_row
from verifaible.anchoring.quote import Match, Place, sentences_around
from verifaible.anchoring.structure import govern, govern_cells, words_of
from verifaible.extract.document import BLANK_PICTURE, Block, Document
from verifaible.schema.anchor import Anchor, TimeSpan
from verifaible.schema.base import EvidenceType
from verifaible.schema.check import DiffToken, Verdict

#: Code points of prefix and suffix, as the W3C TextQuoteSelector of a citation keeps them.
CONTEXT = 64
MOST_CANDIDATES = 8
#: Longer texts are linked by their beginning and end, as the proposal advises.
_WHOLE = 120
#: An edge has at least so many characters, so that it does not stand elsewhere too, and mostly not more than
#: the second number.
_EDGE = (16, 60)
#: Where an edge may end: a directive matches whole words only, and Chinese has no blanks between its own.
_BREAK = re.compile(r"\s+|[，。；：、！？）」』”]+")


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


def placed(document: Document, match: Match, evidence_type: EvidenceType) -> Found:
    """A place of a quote as evidence: whole sentences with what governs them; ``verified``."""
    begin, end = sentences_around(document, match)
    structure, shown = govern(document, begin, end, match.words)
    starts, text = document.starts, document.text
    low, high = starts[begin.block] + begin.start, starts[end.block] + end.end
    start, stop = match.span(document)
    first = document.blocks[match.first.block]
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
        time=time_of(document, match),
    )
    anchor = anchor.model_copy(update={"text_fragment": fragment(document, anchor)})
    table = first.cell[0] if first.cell is not None else -1
    return Found("verified", anchor, match.words, match.skipped, table=table)


def page_of(document: Document, place: Place) -> int:
    """The page of a PDF on which a place begins; 0 where there are no pages."""
    block = document.blocks[place.block]
    pages = [box.page for box in block.boxes if box.start <= place.start < box.end and box.page]
    return pages[0] if pages else block.page_number


def time_of(document: Document, match: Match) -> TimeSpan | None:
    """When words are spoken: from their first caption line to the end of their last; None elsewhere."""
    first, last = match.first, match.last
    begin, end = document.blocks[first.block], document.blocks[last.block]
    if not end.end_s:
        return None
    starts = [each.start_s for each in begin.moments if each.start <= first.start < each.end]
    ends = [each.end_s for each in end.moments if each.start < last.end <= each.end]
    return TimeSpan(start_s=starts[0] if starts else begin.start_s, end_s=ends[-1] if ends else end.end_s)


def fragment(document: Document, anchor: Anchor) -> str:
    """The address of a source with the place in it, as text, page or time; "" for one without address."""
    url = document.url.partition("#")[0]
    if not url:
        return ""
    if anchor.time is not None:
        return f"{url}#t={anchor.time.start_s:.1f},{anchor.time.end_s:.1f}"
    if anchor.page_number:
        return f"{url}#page={anchor.page_number}"
    return text_link(url, anchor.text)


def text_link(url: str, text: str) -> str:
    """The URL with a text directive (WICG, URL Fragment Text Directives) that finds the text.

    A directive of one part must not go beyond a block of the page, so a text of several lines is named
    by the beginning of its first and the end of its last.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if not lines:
        return url
    if len(lines) == 1 and len(lines[0]) <= _WHOLE:
        parts = [lines[0]]
    else:
        parts = [_beginning(lines[0]), _end(lines[-1])]
        if len(lines) == 1 and sum(len(part) for part in parts) >= len(lines[0]):
            parts = lines
    # A hyphen has a meaning of its own in a directive.
    directive = ",".join(percent(part, safe="").replace("-", "%2D") for part in parts)
    return f"{url.split('#', maxsplit=1)[0]}#:~:text={directive}"


def _beginning(line: str) -> str:
    least, most = _EDGE
    ends = [match.start() for match in _BREAK.finditer(line, least)]
    fitting = [end for end in ends if end <= most] or ends[:1]
    return line[: fitting[-1]] if fitting else line


def _end(line: str) -> str:
    least, most = _EDGE
    starts = [match.end() for match in _BREAK.finditer(line) if match.end() <= len(line) - least]
    fitting = [start for start in starts if start >= len(line) - most] or starts[-1:]
    return line[fitting[0] :] if fitting else line


def described(document: Document, matches: Sequence[Match]) -> tuple[str, ...]:
    """Some places of a quote, each as a reader is shown it."""
    found = []
    for match in matches[:MOST_CANDIDATES]:
        anchor = placed(document, match, "text").anchor
        assert anchor is not None
        where = f"page {anchor.page_number}: " if anchor.page_number else ""
        where = f"{anchor.time.start_s:.1f} s: " if anchor.time is not None else where
        found.append(where + anchor.shown.text)
    return tuple(found)


def placed_cells(document: Document, table: int, located: Located) -> Found:
    """A place in a table as evidence, its cells under their heads: ``verified``.

    Cells of which nothing but words of ours tells (of a ticked box, of a picture without alternative text)
    say nothing: ``gone``. Their row may be evidence. What was not located stays what it is, with what to say
    of it.
    """
    place, text = located.anchor, located.text
    if place is None:
        nearest = "\n".join(located.nearest)
        candidates, missing = located.candidates, located.missing
        return Found(located.verdict, nearest=nearest, candidates=candidates, missing=missing, table=table)
    grid = document.tables[table]
    structure, shown = govern_cells(document, table, place.cells)
    cells = [cell for slot in place.cells if (cell := grid.at(*slot)) is not None]
    words = words_of(document, cells)
    if words and not any(_says_something(document.blocks[word.block]) for word in words):
        return Found("gone", nearest=text, missing="cell", table=table)
    anchor = Anchor(
        evidence_type="table",
        text=text,
        evidence=text,
        structure=structure,
        shown=shown,
        css_path=grid.css_path,
        frame_path=document.frames[grid.frame].path,
        table=place.model_copy(update={"row_cells": rest_of_row(document, table, place)}),
    )
    return Found("verified", anchor, words, table=table)


def _says_something(block: Block) -> bool:
    """Whether a block has words of the page: alternative text is, what tells of a field's state is not."""
    ours = {
        at
        for mark in block.marks
        if mark.kind == "state" or block.text[mark.start : mark.end] == BLANK_PICTURE
        for at in range(mark.start, mark.end)
    }
    return any(at not in ours and not char.isspace() for at, char in enumerate(block.text))
