"""The places of a source that have numbers, each with the words that name it.

A place is a cell of a table (named by its row and its column), a number of a sentence (named by its part
between two signs, by the sentence and by what stands over it) or a JSON value (named by its keys).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from verifaible.factcheck.numbers.quantities import quantities, told_unit_of
from verifaible.factcheck.rules.figures import NUMBER, YEAR, Number, names, number_of, numbers_of
from verifaible.factcheck.rules.layout import Segment
from verifaible.factcheck.rules.page import Page
from verifaible.factcheck.tables import Table

_MINUS: Final = re.compile(r"[-−–(（△]\s*[$€£¥]?\s*\Z")
#: Where a sentence goes on to another thing.
_PART: Final = re.compile(r"(?<!\d)[,;:，；：]|[,;:，；：](?!\d)|[、–—]")
_BRACKETED: Final = re.compile(r"[(（\[]([^()（）\[\]]{1,32})[)）\]]")
#: A line of fewer code points over a line may be its name.
_NAME: Final = 60


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A number where it stands.

    ``near`` are the words of its row, or of its part of a sentence; ``head`` those of its column, or none;
    ``line`` all words of its row or sentence; ``over`` those of what stands over it.
    """

    page: Page
    number: Number
    start: int
    end: int
    first: int
    last: int
    kind: Literal["cell", "prose", "json"]
    near: frozenset[str]
    head: frozenset[str]
    line: frozenset[str]
    over: frozenset[str]
    unit: str
    block: int
    table: Table | None = None
    row: int = -1
    column: int = -1


def places_of(page: Page) -> Iterator[Place]:
    """The places of a source, in order."""
    spans = []
    for table in page.tables:
        spans.append((table.rows[0][0].start, table.rows[-1][-1].end))
        yield from _cells(page, table)
    before = ""
    for segment in page.segments:
        if segment.kind == "row" and any(low <= segment.start < high for low, high in spans):
            continue
        if segment.kind == "json":
            yield from _values(page, segment)
        else:
            yield from _said(page, segment, before)
        before = segment.words


def _cells(page: Page, table: Table) -> Iterator[Place]:
    over = names(table.caption)
    block = table.rows[0][0].start
    units: dict[int, str] = {}
    top = table.rows[0]
    for row in range(max(table.first, 1), len(table.rows)):
        label, section = names(table.label(row)), names(table.section(row))
        first, last = table.rows[row][0].start, table.rows[row][-1].end
        for column in table.figures(row):
            cell = table.rows[row][column]
            match = NUMBER.search(cell.text)
            if match is None or cell.number is None:
                continue
            heads = table.heads(row, column)
            if not table.first and column < len(top):  # "2023/24 actual" is the head of a column
                heads = (*heads, top[column].text)
            if column not in units:
                units[column] = _unit_told(" ".join((*heads, table.caption)))
            read = quantities(cell.text)
            unit = (read[0].unit if read else "") or cell.number.unit or units[column]
            if not unit and (known := page.place_at(cell.start, cell.end)) is not None:
                unit = known.unit or ("个" if known.value != known.shown else "")
            below = bool(_MINUS.search(cell.text[: match.start()]))
            number = number_of(match[0], 0, 0, read[0] if read else None, below=below)
            yield Place(
                page, number, cell.start, cell.end, first, last,
                "cell", label or section, names(" ".join(heads)), label | section, over | section, unit,
                block, table, row, column,
            )  # fmt: skip


@lru_cache(maxsize=1024)
def _unit_told(words: str) -> str:
    if "%" in words:
        return "%"
    inside = (told_unit_of(each)[1] for each in _BRACKETED.findall(words))
    return next(filter(None, inside), "")


def _said(page: Page, segment: Segment, before: str) -> Iterator[Place]:
    words = segment.words
    found = numbers_of(words)
    if not found:
        return
    line = names(words)
    title = before if len(before) <= _NAME and not numbers_of(before) and len(words) <= _NAME else ""
    over = names(" ".join((title, *segment.scope.labels)))
    cuts = [0, *(match.end() for match in _PART.finditer(words)), len(words)]
    block = page.text.rfind("\n", 0, segment.start) + 1
    for number in found:
        low = max(cut for cut in cuts if cut <= number.start)
        high = min(cut for cut in cuts if cut >= number.end)
        inside = number.end < len(words)
        start, end = segment.span(number.start, number.end) if inside else (segment.start, segment.end)
        yield Place(
            page, number, start, end, segment.start, segment.end, "prose", names(words[low:high]),
            frozenset(), line, over, number.unit, block,
        )  # fmt: skip


def _values(page: Page, segment: Segment) -> Iterator[Place]:
    if not segment.literal:
        yield from _said(page, segment, "")
        return
    match = NUMBER.fullmatch(segment.words.lstrip("-"))
    if match is None:
        return
    keys = names(" ".join(segment.keys[-1:]))
    over = names(" ".join(segment.scope.labels))
    number = number_of(match[0], 0, 0, None)
    yield Place(
        page, number, segment.start, segment.end, segment.start, segment.end, "json", keys, frozenset(), keys,
        over, "", id(segment.scope),
    )  # fmt: skip


def label_numbers(table: Table) -> frozenset[str]:
    """The numbers in the names of rows and columns, as they are written."""
    return frozenset(
        match[0]
        for cells in table.rows
        for cell in cells
        if cell.number is None or cell is cells[0]
        for match in NUMBER.finditer(cell.text)
    )


def is_year(place: Place) -> bool:
    """Whether the number of a place is a bare year."""
    return bool(YEAR.fullmatch(place.number.raw)) and not place.unit


def is_no_ratio(place: Place) -> bool:
    """Whether a sentence tells no ratio, so that a bare number in it is none."""
    if place.kind != "prose":
        return False
    line = place.page.text[place.first : place.last]
    return not any(each.unit in ("%", "pp", "‰") for each in numbers_of(line))
