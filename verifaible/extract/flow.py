"""Boxes into blocks, in the order in which the eye meets them, each with what governs it.

Reads the tree of :mod:`layout`, whoever made it. Where boxes have places, these say what stands side by side
and what was moved; where they have none (static mark-up), the mark-up's order holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from verifaible.extract import lines, places, tables
from verifaible.extract.boxes import ATOMIC, LayoutBox, Piece, Rect, deep
from verifaible.extract.document import BlockKind, Step
from verifaible.extract.drafts import (
    COLONS,
    Draft,
    FrameDraft,
    Group,
    Place,
    Side,
    TableDraft,
    is_attribution,
)
from verifaible.extract.layout_tables import join_tables, placed_tables
from verifaible.extract.lines import Fragment
from verifaible.extract.places import INLINE, MAX_LINE

#: Displays of boxes that may set their children side by side.
SIDE: Final = frozenset({"flex", "grid", "inline-flex", "inline-grid"})
_LISTS: Final = frozenset({"ul", "ol", "menu", "dl", "dir"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_KINDS: Final[dict[str, BlockKind]] = {
    "li": "item",
    "dt": "term",
    "dd": "definition",
    "caption": "caption",
    "figcaption": "caption",
    "legend": "caption",
    "blockquote": "quotation",
    "pre": "code",
}
#: What MathML draws with a bar.
_FORMULAS: Final = frozenset({"mfrac", "msqrt", "mroot"})
#: The mark of an item that no list makes: a dash, a bullet, a short number or a letter.
_ITEM: Final = re.compile(r"[-–—•·*▪◦‣]\s|\(?[0-9a-zA-Z]{1,3}[.)]\s")


class Flow:
    """Reads one frame after the other into drafts.

    Attributes:
        blocks: the drafts so far, in reading order.
        tables: those of mark-up and layout.
        frames: those that were read.
        targets: by frame and id of an element, the number of the first block in it.
    """

    def __init__(self, inner: Callable[[LayoutBox], None] | None = None) -> None:
        """``inner`` reads the document in the box of a frame."""
        self.blocks: list[Draft] = []
        self.tables: list[TableDraft] = []
        self.frames: list[FrameDraft] = []
        self.targets: dict[tuple[int, str], int] = {}
        self.strikes: Sequence[Rect] = ()
        self.frame = 0
        self._inner = inner
        self._place = self._cell = Place()
        self._around_cells: Place | None = None
        self._heading: Draft | None = None
        self._levels: list[Draft] = []
        self._line: list[Fragment] = []
        self._later: list[tuple[LayoutBox, Place]] = []
        self._marker: list[Fragment] = []
        self._by_box: dict[int, TableDraft] = {}
        self._sides: list[Side] = []
        self._styled: dict[int, Side] = {}
        self._items: dict[int, dict[int, int]] = {}
        self._containers = 0

    def read(self, frame: FrameDraft, root: LayoutBox | None, strikes: Sequence[Rect] = ()) -> None:
        """Read the boxes of a frame; its words share no structure with those around it."""
        kept = self._place, self._heading, self._levels, self.frame, self.strikes, self._sides
        self._place, self._heading, self._levels = Place(), None, []
        self.frame, self.strikes, self._sides = len(self.frames), strikes, []
        self.frames.append(frame)
        if root is not None:
            with deep(root):
                self._flow(root)
        self._flush()
        join_tables(self.tables, self._sides, self.blocks, self.frame)
        self.tables += placed_tables(self.blocks, self.frame, self.container)
        self._place, self._heading, self._levels, self.frame, self.strikes, self._sides = kept

    # Order

    def _flow(self, box: LayoutBox, inline: bool = False) -> None:
        """The children of a box in painted order; ``inline`` while they are part of a line."""
        children, rows = self._ordered(box)
        beside = False
        if any(len(row) > 1 for row in rows):
            inline = inline or places.flat(box, children, rows)
            beside = not inline
        if beside:
            side = Side(self.container(), box, rows, self._heading)
            self._sides.append(side)
            if box.tag != "dl":
                side.claim(side.container)
        if box.tag == "dl" and not inline:
            self._terms(children)
            return
        for child in children:
            if beside:
                self._apart(self._place, self._box, child)
            else:
                self._box(child, inline)

    def _apart(
        self, place: Place, read: Callable[[LayoutBox, bool], None], box: LayoutBox, inline: bool = False
    ) -> list[Draft]:
        """Read a box in a place of its own; the blocks that came of it."""
        self._flush()
        kept, start = self._place, len(self.blocks)
        self._place = place
        read(box, inline)
        self._flush()
        self._place = kept
        return self.blocks[start:]

    def container(self) -> int:
        """The number of a new container of steps."""
        self._containers += 1
        return self._containers

    def _ordered(self, box: LayoutBox) -> tuple[list[LayoutBox], list[list[LayoutBox]]]:
        """Children as the eye meets them, and the rows in which they stand side by side."""
        children = box.children
        if len(children) < 2:
            return children, []
        after = [child for child in children if child.tag == "::after"]
        if after:  # the engine tells it before the children
            children = [child for child in children if child.tag != "::after"] + after
        if box.rect is None:
            return children, []
        floats = sum(child.style.float_ != "none" and child.text is None for child in children)
        if box.display in SIDE or (floats > 1 and all(map(places.floats_or_nothing, children))):
            drawn = [child for child in children if child.text is None or not child.text.isspace()]
            rows = places.bands(box, drawn)
            return [child for row in rows for child in row], rows
        away = [child for child in children if child.style.position == "absolute" and child.text is None]
        away = [child for child in away if child.rect is not None and child.rect.width > 0]
        if len(away) > 1 and not after:
            at, apart = children.index(away[0]), set(map(id, away))
            rest = [child for child in children if id(child) not in apart]
            placed = [child for row in places.bands(box, away) for child in row]
            return rest[:at] + placed + rest[at:], []
        return children, []

    # Boxes

    def _box(self, box: LayoutBox, inline: bool = False) -> None:
        if box.text is not None:
            part = lines.fragment(box)
            if part is not None:
                if part.kind == "words" and self.strikes and lines.struck(part, self.strikes):
                    part.marks |= {"struck"}
                self._line.append(part)
        elif box.tag == "br":
            self._break()
        elif box.tag in _FORMULAS:
            self._formula(box)
        elif box.document >= 0:
            self._flush()
            if box.painted and self._inner is not None:
                self._inner(box)
        elif box.shows is not None and not (box.tag == "svg" and box.has_words()):
            if box.painted:
                words, kind = box.shows
                rect = (Piece(0, len(words), box.rect),)
                part = Fragment("words", words, box, rect, box.marks | {kind})
                self._line += [Fragment("edge"), part, Fragment("edge")]
        elif box.style.apart and not inline and box.parent is not None:
            self._out_of_flow(box, box.parent)
        else:
            self._in_flow(box, inline)

    def _formula(self, box: LayoutBox) -> None:
        """A fraction or a root, whose bar is no character, in one line: ``(a+b)/2``, ``√2``, ``³√8``."""
        kept, parts = self._line, list[str]()
        for child in box.children:
            if child.text is None:
                self._line = []
                self._box(child, True)
                parts.append("".join(map(lines.in_glyphs, lines.assemble(self._line))))
        self._line = kept
        if not all(parts):
            return
        words = lines.formula(box, parts)
        drawn = Fragment("words", words, box, (Piece(0, len(words), box.rect),), box.marks)
        self._line += [Fragment("blank"), drawn, Fragment("blank")]

    def _break(self) -> None:
        real = [part for part in self._line if part.kind in ("words", "break")]
        if real and real[-1].kind == "break":  # two breaks are the end of a paragraph
            self._flush()
        else:
            self._line.append(Fragment("break"))

    def _out_of_flow(self, box: LayoutBox, parent: LayoutBox) -> None:
        """Read a box that stands apart from the line around it, or keep it until that has ended."""
        floats = box.style.float_ in ("left", "right")
        if floats and not self._line and box.display != "table" and places.letters(box) <= 3:
            self._flow(box, True)  # a drop cap is the first letter of its line
            return
        if self._line and (floats or parent.display in INLINE | {"block", "table-cell", "list-item"}):
            self._later.append((box, self._place))
        else:
            self._block(box)

    def _in_flow(self, box: LayoutBox, inline: bool) -> None:
        if box.cell is not None:
            self._block(box)
        elif box.display in ATOMIC:
            sizes = [box.style.font_size, box.parent.style.font_size if box.parent else 0]
            low = not _holds_blocks(box) if box.rect is None else box.rect.height < MAX_LINE * max(sizes)
            if inline or low:
                self._line.append(Fragment("edge"))
                self._target(box)
                self._flow(box, True)
                self._line.append(Fragment("edge"))
            else:
                self._block(box)
        elif inline or box.display in INLINE:
            self._target(box)
            if box.tag == "cite" and not inline:
                self._speaker(box)
            else:
                self._flow(box, inline)
        else:
            self._block(box)

    def _speaker(self, box: LayoutBox) -> None:
        """A name set in ``cite`` at the end of a quotation is who is quoted; elsewhere it is words."""
        group, parent = self._place.quotation(), box.parent
        if group is None or parent is None:
            self._flow(box)
            return
        after = parent.children[parent.children.index(box) + 1 :]
        if any(each.has_words() for each in after):
            self._flow(box)
        else:
            group.speakers += self._apart(self._place, self._flow, box)

    def _target(self, box: LayoutBox) -> None:
        if name := box.attributes.get("id"):
            self.targets.setdefault((self.frame, name), len(self.blocks))

    def _block(self, box: LayoutBox) -> None:
        self._flush()
        self._target(box)
        table = None
        if tables.is_table(box):
            place = self._placed(box)._replace(in_cell=False)
            table = self._table(box)
        elif box.cell is not None:
            place = self._in_cell(self._placed(box) if box.role else self._place)
        else:
            place = self._placed(box)
        if box.display == "table-cell" and box.parent is not None and not tables.is_cell(box):
            self._styled_cell(box, box.parent)
        made = self._leaf(box, place) or self._apart(place, self._flow, box)
        if box.display == "list-item":
            self._marker = []  # of an item without words
        if made:
            if table is not None:
                self._by_row(table, made)
            self._ends(box, place, made)

    def _in_cell(self, place: Place) -> Place:
        """The place of a cell of a table that stands in a place; there are many in the same."""
        if self._around_cells is not place:
            self._around_cells = place
            self._cell = place._replace(kind="cell", item=(0, 0), level=0, in_cell=True)
        return self._cell

    def _leaf(self, box: LayoutBox, place: Place) -> list[Draft]:
        """The block of a box that holds one plain text and no more, as most cells and paragraphs do."""
        if len(box.children) != 1 or self._marker or self.strikes or place.spaced:
            return []
        draft = lines.plain(box.children[0])
        if draft is None:
            return []
        self._add(draft, place)
        return [draft]

    def _placed(self, box: LayoutBox) -> Place:
        """The place that a block's mark-up makes for the words in it."""
        place, tag, role = self._place, box.tag, box.role
        if not place.landmark and (found := places.landmark(box)):
            place = place._replace(landmark=found)
        if kind := _KINDS.get(tag):
            place = place._replace(kind=kind, spaced=place.spaced or tag == "pre")
        if tag in _LISTS or role in ("list", "listbox"):
            lead = self._before(box, wrapped=True)
            place = place._replace(level=place.level + 1)
            if lead is not None and (tag != "dl" or lead.text.endswith(COLONS)):
                place = place._replace(leads=(*place.leads, lead))
        elif tag == "li" or role == "listitem" or (box.display == "list-item" and tag != "summary"):
            place = place._replace(kind="item", item=self._item(box))
        elif tag in ("blockquote", "figure", "fieldset"):
            place = place._replace(groups=(*place.groups, Group(tag)))
            lead = self._before(box, wrapped=True) if tag == "blockquote" else None
            if lead is not None and places.is_lead(lead, box, self._place):
                place = place._replace(leads=(*place.leads, lead))
        elif _is_heading(box):
            place = place._replace(kind="heading")
        return place

    def _item(self, box: LayoutBox) -> tuple[int, int]:
        """Which of how many items of its list a box is."""
        parent = box.parent
        if parent is None:
            return (0, 0)
        if id(parent) not in self._items:
            alike = [each for each in parent.children if each.tag == box.tag and each.role == box.role]
            self._items[id(parent)] = {id(each): at for at, each in enumerate(alike, 1)}
        items = self._items[id(parent)]
        return (items[id(box)], len(items)) if id(box) in items else (0, 0)

    def _ends(self, box: LayoutBox, place: Place, made: list[Draft]) -> None:
        """What the blocks of a box are to others, now that they are there."""
        if _is_heading(box):
            level = box.attributes.get("aria-level", "") if box.role == "heading" else box.tag[1:]
            made[0].level = int(level) if level.isdigit() else 2
            self._levels = [each for each in self._levels if each.level < made[0].level]
            for draft in made:
                draft.heading = self._levels[-1] if self._levels else None
            self._levels.append(made[0])
            self._heading = made[0]
        elif box.tag == "caption" and (table := self._table_around(box)) is not None:
            table.caption += made
        elif box.tag in ("figcaption", "legend") and place.groups:
            place.groups[-1].captions += made
        elif box.tag in ("footer", "cite") and (group := place.quotation()) is not None:
            group.speakers += made
        elif box.tag == "figure":
            self._figure(place.groups[-1], made)
        elif box.tag == "summary":
            self._place = self._place._replace(question=made[0])

    @staticmethod
    def _figure(figure: Group, made: Iterable[Draft]) -> None:
        """The caption of a figure that is a quotation says who is quoted."""
        quotations = [group for draft in made if (group := draft.place.quotation()) is not None]
        for group in quotations:
            group.speakers += [each for each in figure.captions if each not in group.speakers]
        if quotations:
            figure.captions = []

    def _before(self, box: LayoutBox, *, wrapped: bool = False) -> Draft | None:
        """The block that leads in, if the last one does; see :func:`.places.leads`."""
        last = self.blocks[-1] if self.blocks else None
        if last is None or last.frame != self.frame:
            return None
        return last if places.leads(last, box, self._place, wrapped=wrapped) else None

    # Rows

    def _table(self, box: LayoutBox) -> TableDraft:
        lead = self._before(box)
        table = TableDraft(tables.read(box), box, self.container(), self.frame, self._heading, lead)
        table.claim()
        self.tables.append(table)
        self._by_box[id(box)] = table
        return table

    def _table_around(self, box: LayoutBox) -> TableDraft | None:
        found = (table for each in box.around() if (table := self._by_box.get(id(each))) is not None)
        return next(found, None)

    def _by_row(self, table: TableDraft, made: list[Draft]) -> None:
        """Rows whose cells are in several containers are read row by row."""
        keys, last = [], (-1, -1)
        for draft in made:
            box: LayoutBox | None = draft.owner
            while box is not None and not (box.steps and box.steps[-1].container == table.container):
                box = box.parent
            last = (box.steps[-1].row, box.steps[-1].place) if box is not None else last
            keys.append(last)
        if keys != sorted(keys):
            order = sorted(range(len(made)), key=lambda at: keys[at])
            self.blocks[-len(made) :] = [made[at] for at in order]

    def _styled_cell(self, box: LayoutBox, row: LayoutBox) -> None:
        """Tell a cell of a table that is made by style alone where it stands."""
        table = row.parent or row
        side = self._styled.get(id(table))
        if side is None:
            rows = [[each for each in line.children if each.text is None] for line in table.children]
            side = self._styled[id(table)] = Side(
                self.container(), table, [row for row in rows if row], self._heading
            )
            self._sides.append(side)
        at = next((at for at, boxes in enumerate(side.rows) if box in boxes), 0)
        box.steps = (*box.steps, Step(side.container, at, side.rows[at].index(box)))

    def _terms(self, children: Sequence[LayoutBox]) -> None:
        """A list of terms: each term and its definitions are a row."""
        container, row, at = self.container(), 0, 0
        defined, terms = False, list[Draft]()
        for child in children:
            if child.tag not in ("dt", "dd"):
                if child.tag == "div" and any(each.tag in ("dt", "dd") for each in child.children):
                    self._flush()
                    self._terms(child.children)
                else:
                    self._box(child)
                continue
            term = child.tag == "dt"
            if term and defined:
                row, at, terms = row + 1, 0, []
            child.steps = (*child.steps, Step(container, row, at))
            place = self._place
            if not term:
                place = place._replace(terms=(*place.terms, *terms))
            made = self._apart(place, self._box, child)
            terms += made if term else []
            at, defined = at + 1, not term

    # Lines

    def _flush(self) -> None:
        """The line that was gathered becomes blocks; what was set apart from it follows."""
        if not self._line and not self._later:
            return
        parts, later = [*self._marker, *self._line], self._later
        self._line, self._later, self._marker = [], [], []
        if not later and lines.only_markers(parts):
            self._marker = parts  # it stands before the first block of its item
            return
        kept = [each for each in later if not places.fill(each[0], parts)]
        cells = lines.assemble(parts)
        container = self.container() if len(cells) > 1 else 0
        for at, words in enumerate(cells):
            if container:
                words.steps = (Step(container, 0, at),)
            spaced = lines.spaced(words) if self._place.spaced else []
            within = self.container() if spaced else 0
            for row, column, part in spaced:
                part.steps = (*words.steps, Step(within, row, column))
                self._add(part, self._place._replace(kind="line"))
            if not spaced:
                self._add(words, self._place)
        for box, place in kept:
            held, self._place = self._place, place
            self._block(box)
            self._place = held

    def _add(self, draft: Draft, place: Place) -> None:
        draft.place, draft.frame, draft.heading = place, self.frame, self._heading
        last = self.blocks[-1] if self.blocks and self.blocks[-1].frame == self.frame else None
        if last is not None and not place.in_cell and not last.place.in_cell:
            if last.text.endswith(COLONS) and last not in place.leads:
                draft.colon = (last,)
            elif last.colon and _ITEM.match(draft.text) and _ITEM.match(last.text):
                draft.colon = last.colon
            quoted = last.place.quotation() if last.place.groups else None
            if quoted is not None and quoted not in place.groups and is_attribution(draft.text):
                quoted.speakers.append(draft)
        self.blocks.append(draft)


def _is_heading(box: LayoutBox) -> bool:
    return box.tag in _HEADINGS or box.role == "heading"


def _holds_blocks(box: LayoutBox) -> bool:
    """Whether more than one block stands in a box without a place: it is a column, no part of a line."""
    blocks = [
        child for child in box.children if child.tag[:1].isalpha() and child.display not in INLINE | ATOMIC
    ]
    return sum(child.has_words() for child in blocks) > 1
