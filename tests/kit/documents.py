"""Documents for tests, written as little lists: what a page reader would read, without a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from verifaible.extract.document import (
    Block,
    BlockKind,
    Cell,
    Document,
    Governor,
    GovernorKind,
    Mark,
    MarkKind,
    Step,
    Table,
)
from verifaible.text.segmentation import sentences

_TAGS: dict[str, MarkKind] = {
    "sup": "raised",
    "sub": "lowered",
    "del": "struck",
    "ins": "inserted",
    "code": "code",
    "rt": "ruby",
    "li": "list_marker",
    "a": "link",
    "note": "note",
    "img": "picture",
    "caps": "cased",
}
_TAG = re.compile(r"<(/?)(\w+)>")


def marked(text: str) -> tuple[str, tuple[Mark, ...]]:
    """A text with ``<sup>2</sup>`` and the like as its words and their marks."""
    plain, at = "", 0
    marks: list[Mark] = []
    stack: list[tuple[MarkKind, int]] = []
    for match in _TAG.finditer(text):
        if match.group(2) not in _TAGS:
            continue
        plain += text[at : match.start()]
        at = match.end()
        if match.group(1):
            kind, start = stack.pop()
            marks.append(Mark(start, len(plain), kind))
        else:
            stack.append((_TAGS[match.group(2)], len(plain)))
    return plain + text[at:], tuple(sorted(marks, key=lambda mark: mark.start))


class Draft:
    """A Document in the making: each method adds blocks and gives the index of the first."""

    def __init__(self, language: str = "", medium: Any = "page") -> None:
        self.blocks: list[Block] = []
        self.tables: list[Table] = []
        self.language, self.medium = language, medium
        self._containers = 0
        self._heading: int | None = None

    def add(self, text: str, kind: BlockKind = "paragraph", **fields: Any) -> int:
        """One block; ``governors`` are pairs of a kind and a block."""
        plain, marks = marked(text)
        notes = [(mark.start, mark.end) for mark in marks if mark.kind == "note"]
        given: Sequence[tuple[GovernorKind, int]] = fields.pop("governors", ())
        heading = [("heading", self._heading)] if self._heading is not None and kind != "heading" else []
        governors = tuple(Governor(name, block) for name, block in (*heading, *given))  # type: ignore[arg-type]
        spans = tuple(sentences(plain, self.language, notes))
        self.blocks.append(Block(plain, kind, spans, marks, governors, **fields))
        if kind == "heading":
            self._heading = len(self.blocks) - 1
        return len(self.blocks) - 1

    def list(self, lead_in: str, items: Sequence[str]) -> int:
        """A list under its lead-in."""
        first = self.add(lead_in)
        for number, item in enumerate(items, 1):
            self.add(item, "item", governors=[("lead_in", first)], item=(number, len(items)))
        return first

    def table(self, rows: Sequence[Sequence[str]], *, caption: str = "", heads: int = 1) -> int:
        """A table of cells without spans; ``heads`` rows of it are marked as head."""
        number, container = len(self.tables), self._containers
        self._containers += 1
        titles = (self.add(caption, "caption"),) if caption else ()
        cells: list[Cell] = []
        slots: list[tuple[int, ...]] = []
        for row, texts in enumerate(rows):
            slots.append(tuple(range(len(cells), len(cells) + len(texts))))
            for column, text in enumerate(texts):
                step = (Step(container, row, column),)
                where = (number, len(cells))
                block = (self.add(text, "cell", cell=where, rows=step),) if text else ()
                plain = marked(text)[0]
                head = row < heads
                cells.append(Cell(plain, row, column, header=head, scope="col" if head else "", blocks=block))
        width = max(map(len, rows))
        self.tables.append(
            Table(tuple(cells), tuple(slots), width, len(rows), heads, titles, heading=self._heading)
        )
        return titles[0] if titles else cells[0].blocks[0]

    @property
    def document(self) -> Document:
        """What was drafted."""
        return Document(
            tuple(self.blocks),
            self.medium,
            "https://example.org/",
            language=self.language,
            tables=tuple(self.tables),
        )


def lines(*texts: str, language: str = "") -> Document:
    """A Document of paragraphs."""
    draft = Draft(language)
    for text in texts:
        draft.add(text)
    return draft.document


def edited(document: Document, **fields: Any) -> Document:
    """The same Document with other fields."""
    return replace(document, **fields)
