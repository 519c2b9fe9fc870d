"""What a Document is made of while it is being read: blocks and tables that point to one another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from uniseg.sentencebreak import SentenceBreak, sentence_break

from verifaible.extract.boxes import LayoutBox
from verifaible.extract.document import BlockKind, Box, Frame, GovernorKind, Landmark, Mark, Step
from verifaible.extract.nodes import Paths
from verifaible.extract.tables import Grid

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
    return 0 < len(words) <= _MAX_LEAD and not _is_stop(words[-1])


def _is_stop(sign: str) -> bool:
    """Whether a sign ends or divides sentences: other than ``%`` or ``*``, which are punctuation, too."""
    ends = sign == "…" or sentence_break(sign) != SentenceBreak.OTHER
    return ends and unicodedata.category(sign) == "Po"


def is_attribution(text: str) -> bool:
    """Whether words name who was quoted before them: they begin with a dash."""
    return len(text) < _MAX_ATTRIBUTION and _ATTRIBUTION.match(text) is not None


@dataclass(eq=False, slots=True)
class Group:
    """What shares a caption or a speaker: a figure, a quotation, a set of fields."""

    tag: str
    captions: list[Draft] = field(default_factory=list)
    speakers: list[Draft] = field(default_factory=list)


class Place(NamedTuple):
    """What the mark-up around the next words says of them.

    ``in_cell``: they are in a cell of a table that is marked as one; ``spaced``: blanks may part columns.
    """

    kind: BlockKind = "paragraph"
    leads: tuple[Draft, ...] = ()
    terms: tuple[Draft, ...] = ()
    question: Draft | None = None
    groups: tuple[Group, ...] = ()
    item: tuple[int, int] = (0, 0)
    level: int = 0
    landmark: Landmark = ""
    in_cell: bool = False
    spaced: bool = False

    def quotation(self) -> Group | None:
        """The quotation that it is in."""
        return next((group for group in reversed(self.groups) if group.tag == "blockquote"), None)


_NOWHERE: Final = Place()


@dataclass(eq=False, slots=True)
class Draft:
    """A block on the way: the words of a line, or of a cell of one, and what governs them.

    Attributes:
        text, marks, boxes: as of a block.
        owners: the boxes that its words are of, each with where in the text they begin.
        steps: where it stands among the other cells of its line.
        colon: what a sentence before it, ending in a colon, leads in to it.
        rows, cell: its standing, once all tables are known.
    """

    text: str
    marks: list[Mark]
    boxes: list[Box]
    owners: list[tuple[int, LayoutBox]]
    place: Place = _NOWHERE
    steps: tuple[Step, ...] = ()
    frame: int = 0
    heading: Draft | None = None
    colon: tuple[Draft, ...] = ()
    level: int = 0
    notes: tuple[Draft, ...] = ()
    answer: Draft | None = None
    index: int = -1
    rows: tuple[Step, ...] = ()
    cell: tuple[int, int] | None = None

    @property
    def owner(self) -> LayoutBox:
        """The box that its first words are of; the mark of an item may be of an outer one."""
        if len(self.owners) > 1:
            return next((box for _, box in self.owners if "list_marker" not in box.marks), self.owners[0][1])
        return self.owners[0][1]

    def standing(self, unmarked: Set[int] = frozenset()) -> tuple[tuple[Step, ...], tuple[int, int] | None]:
        """The steps to it, and the cell that it is in: container of the table, and index (-1: none of them).

        ``unmarked`` are the containers of tables that no mark-up makes: their cells hold no rows.
        """
        steps, cell = self.steps, None
        box: LayoutBox | None = self.owner
        while box is not None:
            if box.cell is not None and cell is None and not (steps and box.cell[0] in unmarked):
                cell = box.cell
            if box.steps:
                steps = box.steps + steps
            box = box.parent
        return steps, cell

    def is_text(self) -> bool:
        """Whether it says something here: it is more than a picture, a field, or a link to elsewhere."""
        whole = {mark.kind for mark in self.marks if mark.end - mark.start == len(self.text)}
        link = self.owners[0][1].nearest("a") if "link" in whole else None
        away = link is not None and not link.attributes.get("href", "").startswith("#")
        return not away and whole.isdisjoint(("picture", "field", "state"))

    def cut(self, start: int, end: int) -> Draft:
        """A part of it, without the blanks at its ends."""
        text = self.text[start:end].lstrip()
        start = end - len(text)
        text = text.rstrip()
        end = start + len(text)
        if len(text) == len(self.text):
            return self
        marks = [
            Mark(max(mark.start, start) - start, min(mark.end, end) - start, mark.kind)
            for mark in self.marks
            if mark.start < end and mark.end > start
        ]
        boxes = [
            box._replace(start=max(box.start, start) - start, end=min(box.end, end) - start)
            for box in self.boxes
            if box.start < end and box.end > start
        ]
        owners = [(max(at - start, 0), box) for at, box in self.owners if at < end]
        return Draft(text, marks, boxes, owners)

    def governors(self) -> list[tuple[GovernorKind, Draft]]:
        """What governs it, in the order in which a reader meets it; it may be among them itself."""
        found: list[tuple[GovernorKind, Draft]] = []
        place = self.place
        if self.heading is not None:
            found.append(("question" if asks(self.heading.text) else "heading", self.heading))
        found += [("lead_in", lead) for lead in (*place.leads, *self.colon)]
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


class FrameDraft(NamedTuple):
    """A frame on the way: what names its elements, and the address that its links count from."""

    frame: Frame
    paths: Paths
    base: str


@dataclass(eq=False, slots=True)
class TableDraft:
    """A table on the way; ``container`` is that of the steps to its cells."""

    grid: Grid
    box: LayoutBox
    container: int
    frame: int
    heading: Draft | None
    lead_in: Draft | None = None
    marked: bool = True
    caption: list[Draft] = field(default_factory=list)

    def claim(self) -> None:
        """Tell its boxes that they are its; what is in it and in no cell is in none around it either."""
        if self.marked:
            self.box.cell = (self.container, -1)
        for index, cell in enumerate(self.grid.cells):
            box, step = cell.box, Step(self.container, cell.row, cell.column)
            box.steps = (*box.steps[:-1], step) if box.cell is not None else (*box.steps, step)
            box.cell = (self.container, index)


@dataclass(frozen=True, slots=True)
class Side:
    """A box whose children style alone sets side by side in rows; ``container`` is that of their steps."""

    container: int
    box: LayoutBox
    rows: Sequence[Sequence[LayoutBox]]
    heading: Draft | None

    def claim(self, container: int, above: int = 0) -> None:
        """Tell its boxes where they stand, in a container with so many rows above."""
        for row, boxes in enumerate(self.rows):
            for place, box in enumerate(boxes):
                box.steps = (
                    Step(container, row + above, place),
                    *(box.steps if box.cell is not None else ()),
                )
