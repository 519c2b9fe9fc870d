"""Where words stand in a source that is plain text, and whether they are all that their sentences say.

Evidence is whole sentences with what governs them (:mod:`verifaible.anchoring.structure`). A part of a
sentence can say the opposite of it, and so can an item without its lead-in: only whole sentences that nothing
governs are taken for what they say by their words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Final

from verifaible.anchoring.quote import Match, Place, find_places, sentences_around
from verifaible.anchoring.similar import ALIKE, find_similar
from verifaible.extract.document import Block, Document
from verifaible.extract.drafts import asks
from verifaible.text.normalise import key
from verifaible.text.segmentation import sentences

_MARKER: Final = r"[ \t]*(?:[-*+•–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+(?=\S)"
_ITEM: Final = re.compile(_MARKER)
#: An item, a heading and a quoted line are blocks of their own.
_BLOCK_END: Final = re.compile(rf"\n[^\S\n]*\n\s*|\n(?={_MARKER}|[ \t]*(?:#{{1,6}} |>))")
#: Cells stand under heads; what is struck out is taken back.
_GOVERNED: Final = re.compile(r"[|\t]|~~")
_COLONS: Final = (":", "：")


class PlainText:
    """A plain text, its paragraphs and items as the blocks of a Document."""

    def __init__(self, text: str) -> None:
        self.text = text
        spans = list(_blocks(text))
        self._starts = [start for start, _ in spans]
        self.document = Document(tuple(_block(text[start:end]) for start, end in spans), medium="text")

    @staticmethod
    @lru_cache(maxsize=32)
    def of(text: str) -> PlainText:
        """A text, made ready once."""
        return PlainText(text)

    def places(self, words: str, *, cut: bool = False) -> list[tuple[int, int]]:
        """Every stretch (code points) that has these words by the table of allowed differences, in order.

        ``cut``: where there is none, also those that begin or end inside a word, a number or a sentence of
        another block.
        """
        found = find_places(self.document, words)
        matches = found.exact or (found.cut if cut else ())
        return [self._span(match.first, match.last) for match in matches]

    def similar(self, words: str) -> tuple[int, int] | None:
        """The stretch most like some words, of which it has at least two thirds; None for none."""
        best = next(iter(find_similar(self.document, words)), None)
        return self._span(best.place, best.place) if best is not None and best.score >= ALIKE else None

    def states(self, words: str) -> tuple[int, int] | None:
        """The first place where some words are whole sentences that nothing around them governs."""
        for match in find_places(self.document, words).exact:
            low, high = sentences_around(self.document, match)
            begin, end = self._span(low, high)
            said = self.text[begin:end]
            if key(said) == key(words) and asks(said) == asks(words) and not self._is_governed(match, said):
                return self._span(match.first, match.last)
        return None

    def _span(self, first: Place, last: Place) -> tuple[int, int]:
        return self._starts[first.block] + first.start, self._starts[last.block] + last.end

    def _is_governed(self, match: Match, said: str) -> bool:
        """Whether a cell's heads, a lead-in or a question before them say how sentences are meant."""
        block = match.first.block
        before = [span for span in self._blocks[block].sentences if span[1] <= match.first.start]
        if _GOVERNED.search(said):
            return True
        if before:
            words = self._blocks[block].text[slice(*before[-1])]
        else:
            words = self._blocks[self._lead_in[block]].text if self._lead_in[block] >= 0 else ""
        return asks(words) or words.rstrip("*_ ").endswith(_COLONS)

    @property
    def _blocks(self) -> tuple[Block, ...]:
        return self.document.blocks

    @cached_property
    def _lead_in(self) -> tuple[int, ...]:
        """Of each block the one that may lead it in: the block before it, of an item that before its list."""
        found: list[int] = []
        for number, block in enumerate(self._blocks):
            goes_on = block.kind == "item" and number > 0 and self._blocks[number - 1].kind == "item"
            found.append(found[-1] if goes_on else number - 1)
        return tuple(found)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """The paragraphs and items of a text, without white space around."""
    start = 0
    for end in (*(match.start() for match in _BLOCK_END.finditer(text)), len(text)):
        said = text[start:end].rstrip()
        if words := said.lstrip():
            yield start + len(said) - len(words), start + len(said)
        start = end


def _block(text: str) -> Block:
    marker = _ITEM.match(text)
    first = marker.end() if marker else 0
    spans = ((low + first, high + first) for low, high in sentences(text[first:]))
    return Block(text, "item" if marker else "paragraph", tuple(spans))
