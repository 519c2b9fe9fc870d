"""Where a quote stands in a text: its words, with the differences that a reader would not see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from verifaible.anchoring.quote import find_places
from verifaible.extract.document import Block, Document
from verifaible.text.segmentation import sentences

#: Paragraphs, and rows of tables, are blocks of their own.
_BLOCK_END: Final = re.compile(
    r"\n[^\S\n]*\n\s*|\n(?=[|#>]|[ \t]*(?:[-*+•–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t])"
)


def places_of(text: str, quote: str) -> list[tuple[int, int]]:
    """Every place of a quote in a text, in order, in code points."""
    document, starts = _read(text)
    return [
        (starts[match.first.block] + match.first.start, starts[match.last.block] + match.last.end)
        for match in find_places(document, quote).exact
    ]


@lru_cache(maxsize=32)
def _read(text: str) -> tuple[Document, tuple[int, ...]]:
    spans = tuple(_blocks(text))
    blocks = tuple(
        Block(text[start:end], "paragraph", tuple(sentences(text[start:end]))) for start, end in spans
    )
    return Document(blocks, medium="text"), tuple(start for start, _ in spans)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in (*(match.start() for match in _BLOCK_END.finditer(text)), len(text)):
        said = text[start:end].rstrip()
        if words := said.lstrip():
            yield start + len(said) - len(words), start + len(said)
        start = end
