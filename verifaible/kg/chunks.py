"""A filing cut into chunks by its structure; the same bytes are cut in the same way on every machine.

The spans of the chunks follow each other without a gap or an overlap. What helps to understand a chunk and
stands before it (its item, the heading over it, the head of a table that goes on) is context, outside it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from verifaible.kg.filing import Filing, Section, blocks
from verifaible.schema.base import Record
from verifaible.text.segmentation import sentences

#: Tokens of a chunk: it is closed before it gets longer than the most, and not before it has the least.
LEAST, MOST = 200, 600
#: How tokens are counted. A tokenizer would have to be downloaded, and another version would cut elsewhere.
_TOKEN: Final = re.compile(r"[^\W\d_]{1,6}|\d{1,3}|[^\w\s]|_+")
#: What is shown of a row: one edge of empty cells, the first of equal ones.
_EMPTY: Final = re.compile(r"(\|)(?:[ ]*\|)+")
_AGAIN: Final = re.compile(r"(\|[^|\n]*)(?:\1(?=\|))+")
_SEPARATOR: Final = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+\s*")
_LISTED: Final = re.compile(r"\s*(?:[-*+•●▪◦]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s")
#: A shorter line that ends no sentence is a heading, in code points.
_HEADING: Final = 120


class Chunk(Record):
    """A piece of a filing.

    Attributes:
        id: made of its item, its words, and how often these came before; the same in every run.
        start, end: its span in the text of the filing, in code points.
        part: of the report, ``II``; empty before the first.
        item: ``7A``; empty before the first.
        tokens: by :func:`count_tokens`.
        context: the item's title, headings and heads of tables that stand before the span.
    """

    id: str
    start: int
    end: int
    part: str
    item: str
    tokens: int
    context: tuple[str, ...] = ()


def shown(text: str) -> str:
    """A text as a model is shown it: a cell that spans columns once, and no empty ones."""
    return _AGAIN.sub(r"\1", _EMPTY.sub(r"\1", text))


def shown_places(text: str) -> list[int]:
    """Where each code point of what is shown stands in the text, by which a quote of it is traced back."""
    places = list(range(len(text)))
    for folded in (_EMPTY, _AGAIN):
        words = "".join(text[place] for place in places)
        for match in reversed(list(folded.finditer(words))):
            del places[match.end(1) : match.end()]
    return places


def count_tokens(text: str) -> int:
    """Tokens of what is shown: up to six letters, up to three digits, or one other sign each."""
    return sum(1 for _ in _TOKEN.finditer(shown(text)))


def chunks_of(filing: Filing) -> list[Chunk]:
    """Cut a filing into chunks whose spans partition its text."""
    text = filing.text
    found: list[Chunk] = []
    seen: Counter[str] = Counter()
    for section in filing.sections:
        for start, end, context in _packed(text, section):
            words = text[start:end]
            digest = hashlib.sha256(" ".join((section.item, *words.split())).encode()).hexdigest()[:16]
            seen[digest] += 1
            title = f"Item {section.item}. {section.title}".strip(". ") if section.item else ""
            found.append(
                Chunk(
                    id=f"{digest}-{seen[digest]}",
                    start=start,
                    end=end,
                    part=section.part,
                    item=section.item,
                    tokens=count_tokens(words),
                    context=tuple(dict.fromkeys(filter(None, (title, *context)))),
                )
            )
    return found


def _packed(text: str, section: Section) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """The spans of a section with what stands over each."""
    start, size = section.start, 0
    over: tuple[str, ...] = ()
    heading = ""
    pieces = list(_pieces(text, section))
    for at, (first, words, head) in enumerate(pieces):
        tokens = count_tokens(words)
        begins = _is_heading(words)
        follows = count_tokens(pieces[at + 1][1]) if begins and at + 1 < len(pieces) else 0
        if first > start and size and (size + tokens + follows > MOST and (size >= LEAST or tokens > LEAST)):
            yield start, first, over
            start, size = first, 0
            over = tuple(filter(None, (heading, head)))
        if begins:
            heading = " ".join(words.replace("*", "").split())
        size += tokens
    if section.end > start:
        yield start, section.end, over


def _pieces(text: str, section: Section) -> Iterator[tuple[int, str, str]]:
    """What is kept whole: where it begins, its words, and the head of the table that it goes on with."""
    listed: tuple[int, int] | None = None
    for low, high in blocks(text[section.start : section.end]):
        start, end = section.start + low, section.start + high
        words = text[start:end]
        if _LISTED.match(words) and (listed is None or count_tokens(text[listed[0] : end]) <= MOST):
            listed = (listed[0] if listed else start, end)
            continue
        if listed:
            yield from _parts(text, *listed)
        listed = (start, end) if _LISTED.match(words) else None
        if not listed:
            yield from _parts(text, start, end)
    if listed:
        yield from _parts(text, *listed)


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, str, str]]:
    """A block, or its parts where it is longer than a chunk: groups of rows, or sentences."""
    words = text[start:end]
    if count_tokens(words) <= MOST:
        yield start, words, ""
        return
    head = _head(words) if words.startswith("|") else ""
    ends = {start, *(start + match.end() for match in re.finditer("\n", words))}
    if not words.startswith("|"):
        ends |= {start + first for first, _ in sentences(words)}
    edges = sorted(ends - {end})
    begin = start
    for edge, after in zip(edges, [*edges[1:], end], strict=True):
        if edge > begin and count_tokens(text[begin:after]) > MOST:
            yield begin, text[begin:edge], head if begin > start else ""
            begin = edge
    yield begin, text[begin:end], head if begin > start else ""


def _head(table: str) -> str:
    """The rows of a table up to its separator."""
    rows = table.split("\n")
    return next(("\n".join(rows[:at]) for at, row in enumerate(rows) if _SEPARATOR.fullmatch(row)), "")


def _is_heading(words: str) -> bool:
    line = words.strip()
    short = len(line) <= _HEADING and "\n" not in line and not line.startswith("|")
    return short and line[-1:] not in ".,;:!?" and any(sign.isalpha() for sign in line)
