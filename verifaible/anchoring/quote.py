"""The places of a quote in a Document: exact by the table of allowed differences, at the edges of words.

Nothing that is painted may be skipped between the words, but what the table lets be left out. Over several
blocks or rows a quote holds whole sentences, cells or rows of each: the last cell of a row and the first of
the next are no quote.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from verifaible.extract.document import Block, Document, Step
from verifaible.text.equivalence import askings, begins_whole, ends_whole, match, source_tokens
from verifaible.text.normalise import Token, key

#: Characters of words that a quote may leave out before its rarest word: footnotes, readings, list markers.
_SLACK = 48
#: Exact places that are compared with one another.
_MOST_PLACES = 500
_OPENING = frozenset('"([{<-')
_CLOSING = frozenset('".!?)]}>*†‡,;')


KeptT = TypeVar("KeptT")


def kept(document: Document, make: Callable[[Document], KeptT]) -> KeptT:
    """What is made of a Document, made once."""
    made: dict[Callable[[Document], KeptT], KeptT] = vars(document).setdefault("anchoring", {})
    if make not in made:
        made[make] = make(document)
    return made[make]


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a block's text, in code points."""

    block: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Match:
    """Where a quote stands.

    ``words`` are its stretches, in order, ``skipped`` those between that it leaves out. ``spelled``: it has
    the quote's own letters and signs.
    """

    words: tuple[Place, ...]
    skipped: tuple[Place, ...] = ()
    spelled: bool = True

    @property
    def first(self) -> Place:
        """The stretch with its first word."""
        return self.words[0]

    @property
    def last(self) -> Place:
        """The stretch with its last word."""
        return self.words[-1]

    def span(self, document: Document) -> tuple[int, int]:
        """Where it begins and ends in the text of its Document."""
        starts = document.starts
        return starts[self.first.block] + self.first.start, starts[self.last.block] + self.last.end


@dataclass(frozen=True, slots=True)
class Places:
    """All places of a quote.

    Attributes:
        exact: those by the table.
        cut: those that begin or end inside a word, a number, a row, or a sentence of another block.
    """

    exact: tuple[Match, ...] = ()
    cut: tuple[Match, ...] = ()


class Index:
    """A Document prepared for searching: a key of every block's words, tokens where they are asked for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        parts = [key(block.text) for block in document.blocks]
        self.keys = "\n".join(parts)
        self._starts: list[int] = []
        at = 0
        for part in parts:
            self._starts.append(at)
            at += len(part) + 1
        self._tokens: dict[int, list[Token]] = {}

    @staticmethod
    def of(document: Document) -> Index:
        """The index of a Document, made once."""
        return kept(document, Index)

    def tokens(self, block: int) -> list[Token]:
        """The words and signs of a block."""
        if block not in self._tokens:
            source = self.document.blocks[block]
            marks = [(mark.start, mark.end, mark.kind) for mark in source.marks]
            self._tokens[block] = source_tokens(source.text, marks, block)
        return self._tokens[block]

    def block_at(self, offset: int) -> int:
        """The block in whose key an offset of ``keys`` lies."""
        return max(0, bisect_right(self._starts, offset) - 1)

    def key_at(self, block: int, offset: int) -> int:
        """Where a place of a block's text is in ``keys``."""
        return self._starts[block] + len(key(self.document.blocks[block].text[:offset]))

    def row(self, block: int, step: Step, *, cell: bool = False) -> tuple[int, int]:
        """The first and last block of the row that a step of a block names, or of its place in the row."""
        blocks = self.document.blocks

        def inside(number: int) -> bool:
            return any(
                each.container == step.container and each.row == step.row and (not cell or each == step)
                for each in blocks[number].rows
            )

        first = last = block
        while first > 0 and inside(first - 1):
            first -= 1
        while last + 1 < len(blocks) and inside(last + 1):
            last += 1
        return first, last


def find_places(document: Document, quote: str) -> Places:
    """Where the words of a quote stand in a source."""
    index = Index.of(document)
    cut: list[Match] = []
    for asked in askings(quote):
        exact: list[Match] = []
        for source, used in _runs(index, asked):
            whole = _is_whole(index, source, used[0], used[-1])
            (exact if whole else cut).append(_match(source, used, asked))
            if len(exact) == _MOST_PLACES:
                break
        if exact:
            return Places(_apart(exact), tuple(cut))
    cut.sort(key=lambda found: (found.first.block, found.first.start, -found.last.block, -found.last.end))
    return Places((), _apart(cut)[:_MOST_PLACES])


def _apart(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Without places that overlap the one before them."""
    kept: list[Match] = []
    for found in matches:
        last = kept[-1].last if kept else None
        if last is None or (last.block, last.end) <= (found.first.block, found.first.start):
            kept.append(found)
    return tuple(kept)


def _runs(index: Index, asked: Sequence[Token]) -> Iterator[tuple[list[Token], list[int]]]:
    """Every run of words that is what was asked for: tokens of one or more blocks, and which of them."""
    for block in _candidates(index, asked):
        source, end = list(index.tokens(block)), block + 1
        for at in range(len(source)):
            found = match(asked, source, at)
            while found is not None and not found[1] and end < len(index.document.blocks):
                source += index.tokens(end)
                end += 1
                found = match(asked, source, at)
            if found is not None and found[1]:
                yield source, found[0]


def _candidates(index: Index, asked: Sequence[Token]) -> list[int]:
    """The blocks in which the words may begin, told by where the rarest of them stands."""
    keys = [key(token.norm) for token in asked]
    probes = sorted({each for each in keys if each}, key=len, reverse=True)[:6]
    counts = {probe: index.keys.count(probe) for probe in probes}
    if not counts or min(counts.values()) == 0:
        return []
    rare = min(counts, key=lambda probe: counts[probe])
    ahead = sum(map(len, keys[: keys.index(rare)]))
    found: dict[int, None] = {}
    at = index.keys.find(rare)
    while at >= 0:
        low = index.block_at(max(0, at - 2 * ahead - _SLACK)) if ahead else index.block_at(at)
        found.update(dict.fromkeys(range(low, index.block_at(at) + 1)))
        at = index.keys.find(rare, at + len(rare))
    return sorted(found)


def _match(source: Sequence[Token], used: Sequence[int], asked: Sequence[Token]) -> Match:
    """Stretches of blocks of a run of tokens."""
    words: list[Place] = []
    skipped: list[Place] = []
    for at, place in enumerate(used):
        token = source[place]
        left_out = source[used[at - 1] + 1 : place] if at else []
        skipped += [Place(each.block, each.start, each.end) for each in left_out]
        if words and not left_out and words[-1].block == token.block:
            words[-1] = Place(token.block, words[-1].start, token.end)
        else:
            words.append(Place(token.block, token.start, token.end))
    spelled = [source[place].raw for place in used] == [token.raw for token in asked]
    return Match(tuple(words), tuple(skipped), spelled)


def _is_whole(index: Index, source: Sequence[Token], first: int, last: int) -> bool:
    """Whether a run cuts no word and no number, and over several blocks no sentence, cell or row."""
    blocks = index.document.blocks
    begin, end = blocks[source[first].block], blocks[source[last].block]
    language = index.document.language or index.document.frames[end.frame].language
    if not (begins_whole(begin.text, source, first) and ends_whole(end.text, source, last, language)):
        return False
    if source[first].block == source[last].block:
        return True
    if not (_begins_sentence(begin, source, first) and _ends_sentence(end, source, last)):
        return False
    return _holds_rows(index, source[first].block, source[last].block)


def _begins_sentence(block: Block, source: Sequence[Token], at: int) -> bool:
    start = max((low for low, _ in block.sentences if low <= source[at].start), default=0)
    before = [token for token in source[:at] if token.block == source[at].block and token.start >= start]
    return all(token.optional or token.norm in _OPENING for token in before)


def _ends_sentence(block: Block, source: Sequence[Token], at: int) -> bool:
    end = min((high for _, high in block.sentences if high >= source[at].end), default=len(block.text))
    behind = [token for token in source[at + 1 :] if token.block == source[at].block and token.end <= end]
    return all(token.optional or token.norm in _CLOSING for token in behind)


def _holds_rows(index: Index, first: int, last: int) -> bool:
    """Whether a run from one block to another holds whole cells of a row, or whole rows."""
    begin, end = index.document.blocks[first].rows, index.document.blocks[last].rows
    shared = 0
    while shared < min(len(begin), len(end)) and begin[shared] == end[shared]:
        shared += 1
    one, other = begin[shared:], end[shared:]
    if one and other and one[0].container == other[0].container and one[0].row == other[0].row:
        if index.row(first, one[0], cell=True)[0] != first or index.row(last, other[0], cell=True)[1] != last:
            return False
        one, other = one[1:], other[1:]
    return all(index.row(first, step)[0] == first for step in one) and all(
        index.row(last, step)[1] == last for step in other
    )


def sentences_around(document: Document, match: Match) -> tuple[Place, Place]:
    """The sentences that hold the first and the last of the words: where the evidence begins and ends."""
    first, last = match.first, match.last
    begin = [low for low, _ in document.blocks[first.block].sentences if low <= first.start]
    end = [high for _, high in document.blocks[last.block].sentences if high >= last.end]
    low = begin[-1] if begin else 0
    high = end[0] if end else len(document.blocks[last.block].text)
    return Place(first.block, low, first.end), Place(last.block, last.start, high)
