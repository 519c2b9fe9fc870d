"""What a Document is made of while it is being read: blocks and tables that point to one another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from verifaible.extract import tables
from verifaible.extract.boxes import LayoutBox
from verifaible.extract.document import BlockKind, GovernorKind, Landmark, Step
from verifaible.extract.lines import Words

#: What ends in one of these is a question; Greek asks with what others list with.
_QUESTION: Final = ("?", "？", "؟", "\u037e")
_GREEK: Final = re.compile(r"[\u0370-\u03ff]")
#: What ends in one of these leads in to what follows.
COLONS: Final = (":", "：")
#: Who is quoted, after the quotation.
_ATTRIBUTION: Final = re.compile(r"[-–—―]\s*\S")
_MAX_ATTRIBUTION: Final = 200
#: A line up to so many characters that no stop ends leads in, too.
_MAX_LEAD: Final = 120


def asks(text: str) -> bool:
    """Whether words are a question, by how they end."""
    words = text.rstrip()
    return words.endswith(_QUESTION) or (words.endswith(";") and _GREEK.search(words) is not None)


def is_open(text: str) -> bool:
    """Whether words go on in what follows: they end in a colon, or are a short line that no stop ends."""
    if text.endswith(COLONS):
        return True
    words = text.rstrip("\"'")
    while words and unicodedata.category(words[-1]) in ("Pe", "Pf", "Pi"):
        words = words[:-1]
    return 0 < len(words) <= _MAX_LEAD and unicodedata.category(words[-1]) != "Po"


def is_attribution(text: str) -> bool:
    """Whether words name who was quoted before them: they begin with a dash."""
    return len(text) < _MAX_ATTRIBUTION and _ATTRIBUTION.match(text) is not None


@dataclass(eq=False, slots=True)
class Group:
    """What shares a caption or a speaker: a figure, a quotation, a set of fields."""

    tag: str
    captions: list[Draft] = field(default_factory=list)
    speakers: list[Draft] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class TableDraft:
    """A table on the way: its grid, and the blocks of each cell."""

    grid: tables.Grid
    box: LayoutBox
    container: int
    frame: int
    heading: Draft | None
    lead_in: Draft | None
    marked: bool = True
    blocks: list[list[Draft]] = field(default_factory=list)
    caption: list[Draft] = field(default_factory=list)


@dataclass(slots=True)
class Place:
    """Where in the structure the next words are. Not changed once it is there: others may have it."""

    kind: BlockKind = "paragraph"
    rows: tuple[Step, ...] = ()
    leads: tuple[Draft, ...] = ()
    terms: tuple[Draft, ...] = ()
    question: Draft | None = None
    groups: tuple[Group, ...] = ()
    table: TableDraft | None = None
    cell: int = -1
    item: tuple[int, int] = (0, 0)
    spaced: bool = False
    level: int = 0
    landmark: Landmark = ""

    def quotation(self) -> Group | None:
        """The quotation that it is in."""
        return next((group for group in reversed(self.groups) if group.tag == "blockquote"), None)

    def is_in(self, table: TableDraft, cell: int) -> bool:
        """Whether it belongs to a cell of a table, or to another table in it."""
        return self.table is not table or self.cell == cell

    def in_cell(self, table: TableDraft, cell: int, step: Step) -> Place:
        """The place of a cell in it; made of its parts, for there are many."""
        rows = (*self.rows, step)
        return Place(
            "cell",
            rows,
            self.leads,
            self.terms,
            self.question,
            self.groups,
            table,
            cell,
            (0, 0),
            self.spaced,
            landmark=self.landmark,
        )


@dataclass(eq=False, slots=True)
class Draft:
    """A block on the way; ``colon``: what a sentence before it, ending in a colon, leads in to it."""

    words: Words
    place: Place
    frame: int
    heading: Draft | None = None
    colon: tuple[Draft, ...] = ()
    level: int = 0
    notes: tuple[Draft, ...] = ()
    answer: Draft | None = None
    index: int = -1

    @property
    def text(self) -> str:
        """Its words."""
        return self.words.text

    def is_text(self) -> bool:
        """Whether it says something here: it is more than a picture, a field, or a link to elsewhere."""
        whole = {mark.kind for mark in self.words.marks if mark.end - mark.start == len(self.text)}
        link = self.words.owners[0][1].nearest("a") if "link" in whole else None
        away = link is not None and not link.attributes.get("href", "").startswith("#")
        return not away and whole.isdisjoint(("picture", "field", "state"))

    def governors(self) -> list[tuple[GovernorKind, Draft]]:
        """What governs it, in the order in which a reader meets it; it may be among them itself."""
        found: list[tuple[GovernorKind, Draft]] = []
        place = self.place
        if self.heading is not None:
            found.append(("question" if asks(self.heading.text) else "heading", self.heading))
        for lead in (*place.leads, *self.colon):
            found.append(("lead_in", lead))
        found += [("term", term) for term in place.terms]
        if place.question is not None:
            found.append(("question", place.question))
        for group in place.groups:
            found += [("caption", caption) for caption in group.captions]
            found += [("speaker", speaker) for speaker in group.speakers]
        if self.answer is not None:
            found.append(("answer", self.answer))
        found += [("footnote", note) for note in self.notes]
        return sorted(dict.fromkeys(found), key=lambda pair: pair[1].index)


@dataclass(frozen=True, slots=True)
class Side:
    """A box whose children style alone sets side by side in rows; ``container`` is that of their steps."""

    container: int
    box: LayoutBox
    rows: Sequence[Sequence[LayoutBox]]
    frame: int
    heading: Draft | None
