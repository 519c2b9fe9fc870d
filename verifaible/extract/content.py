"""Which blocks of a page are what it is about, and which are the menus around that.

What the page marks as its main part is. Where it marks none, words that are no links count for a place and
words that are links against it: the content is the run of blocks that comes to most. Tables are content
wherever they stand, and so is the first title. Where little would be left, as of a page of links, all is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from verifaible.extract.document import Block, Document
from verifaible.extract.markdown import data_tables

#: Less than this share of a page's words is not all that it is about: some menus too many rather than a
#: paragraph too few.
MIN_SHARE: Final = 0.25
_AROUND: Final = frozenset({"navigation", "banner", "contentinfo", "complementary", "search"})
#: What is drawn for a field or a picture is no words.
_DRAWN: Final = frozenset({"field", "state", "picture"})


def main_content(document: Document) -> list[int]:
    """The blocks that a page is about, in order; those of frames are content whole."""
    blocks = document.blocks
    own = [at for at, block in enumerate(blocks) if block.frame == 0]
    tables = data_tables(document)
    tabular = {at for at in own if (cell := blocks[at].cell) is not None and cell[0] in tables}
    tabular -= {at for at in tabular if blocks[at].landmark in _AROUND}
    marked = [at for at in own if blocks[at].landmark == "main"]
    found: Sequence[int] = marked or _heaviest(blocks, own, tabular)
    outside = [at for at in own if blocks[at].landmark not in _AROUND] or own
    for wider in (found, outside, own):
        if _length(blocks, wider) >= MIN_SHARE * _length(blocks, own):
            found = wider
            break
    title = next((at for at in own if blocks[at].level == 1 and blocks[at].kind == "heading"), None)
    kept = {*found, *tabular, *(() if title is None else (title,))}
    above = (
        each
        for number in tables
        for each in (document.tables[number].lead_in, *document.tables[number].caption)
    )
    if tabular:
        kept |= {
            at
            for at in above
            if at is not None and blocks[at].frame == 0 and _weight(blocks[at], content=False) > 0
        }
    inner = (at for at, block in enumerate(blocks) if block.frame != 0)
    return sorted({*chain(kept, inner)})


def main_text(document: Document) -> str:
    """What a page itself says beside its menus, its head and its foot."""
    own = (block for block in document.blocks if block.frame == 0 and block.landmark not in _AROUND)
    return "\n".join(block.text for block in own)


def _heaviest(blocks: Sequence[Block], own: Sequence[int], tabular: set[int]) -> list[int]:
    """The run of blocks with most words that are no links, less those that are."""
    best, start, weight, span = 0, 0, 0, (0, 0)
    for place, at in enumerate(own):
        if weight <= 0:
            start, weight = place, 0
        weight += _weight(blocks[at], content=at in tabular)
        if weight > best:
            best, span = weight, (start, place + 1)
    return list(own[span[0] : span[1]])


def _weight(block: Block, *, content: bool) -> int:
    length = _count(block.text)
    if content or block.kind == "heading":
        return length if block.landmark not in _AROUND else -length
    if block.landmark in _AROUND:
        return -length
    linked = sum(_count(block.text[mark.start : mark.end]) for mark in block.marks if mark.kind == "link")
    drawn = sum(_count(block.text[mark.start : mark.end]) for mark in block.marks if mark.kind in _DRAWN)
    return max(length - drawn, linked) - 2 * linked


def _length(blocks: Sequence[Block], chosen: Iterable[int]) -> int:
    return sum(_count(blocks[at].text) for at in chosen)


def _count(text: str) -> int:
    return sum(map(len, text.split()))


def without(document: Document, stretches: Iterable[tuple[int, int, int]]) -> Document:
    """A Document to be read without some stretches of its blocks; what is left of a block keeps no marks."""
    gone: dict[int, list[tuple[int, int]]] = {}
    for at, start, end in stretches:
        gone.setdefault(at, []).append((start, end))
    if not gone:
        return document
    blocks = list(document.blocks)
    for at, spans in gone.items():
        text = blocks[at].text
        for start, end in sorted(spans, reverse=True):
            text = text[:start] + text[end:]
        kept = text.strip()
        blocks[at] = replace(blocks[at], text=kept, sentences=(), marks=(), links=(), boxes=())
    return replace(document, blocks=tuple(blocks))


def by_page(document: Document) -> dict[int, list[tuple[int, int, int]]]:
    """What stands on each page of a PDF, as (block, start, end); a block may go on over a page's end."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    for at, block in enumerate(document.blocks):
        turns = [(0, block.page_number)]
        for box in block.boxes:
            if box.page and box.page != turns[-1][1]:
                turns.append((box.start, box.page))
        ends = [start for start, _ in turns[1:]] + [len(block.text)]
        for (start, page), end in zip(turns, ends, strict=True):
            if start < end:
                found.setdefault(page, []).append((at, start, end))
    return found
