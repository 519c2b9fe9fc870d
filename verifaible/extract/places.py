"""What stands where: rows of boxes, lines that boxes are part of, words that are set into a gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from verifaible.extract import lines
from verifaible.extract.boxes import ATOMIC, LayoutBox, Rect
from verifaible.extract.document import Landmark, Step
from verifaible.extract.drafts import COLONS, Draft, Place, is_attribution, is_open
from verifaible.extract.lines import Fragment

#: Displays of what stays in the line of the box around it.
INLINE: Final = frozenset({"inline", "ruby", "ruby-text", "math", "block math", "contents"})
#: A box set into a line is part of it up to so many times the size of its letters.
MAX_LINE: Final = 2.2
#: Words beside others on a line belong to one sentence up to such a gap, in parts of the size of letters.
MAX_FLAT_GAP: Final = 1.5
#: Marks a level of the mark-up between what leads in and what it leads to; deeper is elsewhere.
_MAX_HOPS: Final = 12
#: What is a landmark by its element, where that stands in no section, and by its role.
_LANDMARKS: Final[dict[str, Landmark]] = {
    "main": "main",
    "nav": "navigation",
    "header": "banner",
    "footer": "contentinfo",
    "aside": "complementary",
    "search": "search",
    "navigation": "navigation",
    "banner": "banner",
    "contentinfo": "contentinfo",
    "complementary": "complementary",
}


def top(box: LayoutBox) -> tuple[float, float]:
    """Where a box begins, to sort by; columns of a table hold nothing."""
    if box.rect is None or box.display in ("table-column", "table-column-group"):
        return (-1e9, 0)
    return (box.rect.y, box.rect.x)


def bands(holder: LayoutBox, boxes: Iterable[LayoutBox]) -> list[list[LayoutBox]]:
    """Boxes in rows from the top down, each in the direction of writing."""
    rows: list[list[LayoutBox]] = []
    for box in sorted(boxes, key=top):
        rect = box.rect or Rect(0, 0, 0, 0)
        for row in rows[-3:]:
            held = row[0].rect or rect
            shared = min(rect.bottom, held.bottom) - max(rect.y, held.y)
            if shared >= 0.5 * max(1, min(rect.height, held.height)):
                row.append(box)
                break
        else:
            rows.append([box])
    side = -1 if holder.style.rtl else 1
    for row in rows:
        row.sort(key=lambda box: side * (box.rect.x if box.rect is not None else 0))
    return rows


def flat(box: LayoutBox, children: Sequence[LayoutBox], rows: Sequence[Sequence[LayoutBox]]) -> bool:
    """Whether boxes side by side are no more than the words of one line."""
    for child in children:
        inner = [each.display for each in child.within()][1:]
        if any(display not in INLINE | ATOMIC | {"#text"} for display in inner):
            return False
    gaps = [abs(_ink(later)[0] - _ink(first)[1]) for row in rows for first, later in pairwise(row)]
    return max(gaps) < MAX_FLAT_GAP * box.style.font_size


def _ink(box: LayoutBox) -> tuple[float, float]:
    """From where to where the words of a box reach."""
    rects = [
        piece.rect
        for each in box.within()
        if each.text and not each.text.isspace()
        for piece in each.pieces
        if piece.rect is not None
    ]
    if not rects and box.rect is not None:
        rects = [box.rect]
    return min((rect.x for rect in rects), default=0), max((rect.right for rect in rects), default=0)


def floats_or_nothing(box: LayoutBox) -> bool:
    """Whether a box floats, or nothing is drawn of it."""
    if box.text is not None:
        return box.text.isspace()
    return box.style.float_ != "none" or box.rect is None or not (box.rect.width and box.rect.height)


def letters(box: LayoutBox) -> int:
    """How many letters are painted in a box."""
    return sum(len(each.text.strip()) for each in box.within() if each.text and each.pieces)


def is_menu(box: LayoutBox) -> bool:
    """Whether all words in a box are links."""
    texts = (each for each in box.within() if each.text and not each.text.isspace())
    return all(each.nearest("a") is not None for each in texts if "list_marker" not in each.marks)


def fill(box: LayoutBox, parts: list[Fragment]) -> bool:
    """Put words that are set by place into a gap of a line where they are painted; whether that was done."""
    texts = [each for each in box.within() if each.text and not each.text.isspace()]
    filling = lines.fragment(texts[0]) if len(texts) == 1 and box.style.position == "absolute" else None
    if filling is None or (place := filling.first) is None or len(filling.pieces) != 1:
        return False
    at, clash = None, False
    for index, part in enumerate(parts):
        rect = part.first
        if part.kind == "words" and rect is not None and lines.overlap(place, rect) > 0.6:
            if part.right <= place.x + 2:
                at = index + 1
            elif rect.x < place.right - 2:
                clash = True
    if at is None or clash:
        return False
    parts[at:at] = [Fragment("blank"), filling, Fragment("blank")]
    return True


def landmark(box: LayoutBox) -> Landmark:
    """The landmark that a box is; "" for none. Head and foot of an article are parts of it."""
    found = _LANDMARKS.get(box.role or box.tag)
    if not found or any("article" in (outer.tag, outer.role) for outer in box.around() if outer is not box):
        return ""
    return found


def steps(box: LayoutBox) -> tuple[Step, ...]:
    """Where a box stands among others, from the outermost."""
    found: tuple[Step, ...] = ()
    for each in box.around():
        found = each.steps + found
    return found


def leads(last: Draft, box: LayoutBox, place: Place, *, wrapped: bool) -> bool:
    """Whether the last block leads in to a box: it stands in what holds this, and in no cell there.

    A ``wrapped`` box may be the first content of boxes of its own, if what stands right before these
    leads in by its look.
    """
    held: list[LayoutBox] = []
    owner: LayoutBox | None = last.owners[-1][1]
    while owner is not None and len(held) <= _MAX_HOPS and not (held and _is_cell(held[-1])):
        held.append(owner)
        owner = owner.parent
    holder = box.parent
    if holder is None or any(each is holder for each in held):
        return holder is not None
    while holder is not None and not any(each is holder for each in held):
        holder = None if _is_cell(holder) else holder.parent
    return wrapped and holder is not None and is_lead(last, box, place)


def is_lead(last: Draft, box: LayoutBox, place: Place) -> bool:
    """Whether a block leads in by its look to a box that stands apart from it."""
    if last.place.landmark != place.landmark or not is_open(last.text):
        return False
    if last.text.endswith(COLONS):
        return True
    alike = last.place.kind == "paragraph" and last.standing()[0] == steps(box) and not is_menu(box)
    marked = last.owners[0][1].nearest("p") is not None  # other short lines are mostly buttons
    return alike and marked and last.is_text() and not (last.place.groups or is_attribution(last.text))


def _is_cell(box: LayoutBox) -> bool:
    return box.cell is not None and box.cell[1] >= 0
