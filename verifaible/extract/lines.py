"""Lines of words out of what is painted in them: gaps that the eye sees, what is raised, what is a note."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from verifaible.extract.boxes import LayoutBox, Piece, Rect
from verifaible.extract.document import BLANK_PICTURE, Box, Mark, MarkKind
from verifaible.extract.drafts import Draft

#: ``words``; a ``blank``, drawn or taken up by the end of a line; a ``joint``: a blank that is hidden; a
#: ``break`` of the line; the ``edge`` of a box that is set into it as a whole.
FragmentKind: TypeAlias = Literal["words", "blank", "joint", "break", "edge"]

#: Gaps in parts of the letters' size: this much parts words; this much cells, between boxes and in text.
WORD_GAP: Final = 0.16
CELL_GAP: Final = 2.2
TEXT_CELL_GAP: Final = 4.0
#: Figures and letters above and below the line by their own glyphs: 10⁶ reads as no 106.
GLYPHS: Final[Mapping[MarkKind, dict[int, int]]] = {
    "raised": str.maketrans(
        "0123456789+-−abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
    ),
    "lowered": str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"),
}
#: Letters so much smaller than the others of their line may be raised or lowered.
SMALL: Final = 0.86
_BLANKS: Final = re.compile(r"[ \t\n\r\f]+")
_BLANK_CHARS: Final = (" ", "\t", "\n", "\r", "\f")
#: Blanks that are not painted as they stand in the mark-up.
_ODD_BLANKS: Final = re.compile(r"[\t\n\r\f]|  ")
_SPACED_ROW: Final = re.compile(r"\S(?: {2,}|\t)\S")
_SPACED_CELL: Final = re.compile(r"\S+(?:[ \xa0]\S+)*")
_IN_LINE: Final = re.compile(r"[ \t\f]+")
#: What is set into a line as a box of its own.
_SET_IN: Final[frozenset[MarkKind]] = frozenset({"field", "state", "picture"})
_RIGHT_TO_LEFT: Final = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_NOTE_SIGNS: Final = re.compile(r"[*†‡§¶‖#]+")
#: What stands in brackets and is no word: the number, letter or sign of a note.
_NOTE_NUMBER: Final = re.compile(r"\[\W?\w{1,3}\W?\]")


@dataclass(slots=True)
class Fragment:
    """A part of a line; ``pieces`` count in its own text."""

    kind: FragmentKind
    text: str = ""
    box: LayoutBox | None = None
    pieces: Sequence[Piece] = ()
    marks: frozenset[MarkKind] = frozenset()

    @property
    def first(self) -> Rect | None:
        """Where it begins."""
        return self.pieces[0].rect if self.pieces else None

    @property
    def right(self) -> float:
        """The right edge of its last letter."""
        last = self.last
        assert last is not None and self.box is not None
        return last.right - (0.25 * self.box.style.font_size if self.text.endswith(" ") else 0)

    @property
    def last(self) -> Rect | None:
        """Where it ends."""
        return self.pieces[-1].rect if self.pieces else None


def fragment(box: LayoutBox) -> Fragment | None:
    """What a text adds to its line; None where nothing."""
    text = box.text or ""
    preserved = box.style.spaces in ("preserve", "break-spaces")
    if text.isspace() and not preserved:
        return Fragment("blank" if box.pieces or box.can_show() else "joint", box=box)
    if not box.pieces:
        return Fragment("joint", box=box) if text[:1].isspace() or text[-1:].isspace() else None
    first = box.pieces[0]
    whole = len(box.pieces) == 1 and first.start == 0 and first.end == len(text)
    if whole and not box.style.override and not _ODD_BLANKS.search(text):
        return Fragment("words", text, box, box.pieces, box.marks)
    out, pieces, end = "", [], 0
    for piece in sorted(box.pieces, key=lambda each: each.start):
        if piece.start < end:  # counted in the letters of the source where style has changed them
            continue
        if end < piece.start and not preserved and _BLANKS.search(text, end, piece.start):
            out = out if out.endswith(" ") else out + " "
        words = text[piece.start : piece.end]
        if not preserved:
            fold = _IN_LINE if box.style.spaces == "preserve-breaks" else _BLANKS
            words = fold.sub(" ", words)
        end = piece.end
        pieces.append(Piece(len(out), len(out) + len(words), piece.rect))
        out += words
    rest = text[end:]
    if box.style.cased and any(not char.isspace() for char in rest):
        out += rest
        pieces = [Piece(0, len(out), piece.rect) for piece in pieces]
    elif not preserved and rest[:1] in _BLANK_CHARS and not out.endswith(" "):
        out += " "
    if box.style.override and box.style.rtl:
        out = out[::-1]
        pieces = [Piece(0, len(out), piece.rect) for piece in pieces]
    return Fragment("words", out, box, pieces, box.marks)


def struck(part: Fragment, strikes: Iterable[Rect]) -> bool:
    """Whether a thin line is drawn through a fragment."""
    place = part.first
    return place is not None and any(
        place.y + 0.3 * place.height < line.y
        and line.bottom < place.y + 0.8 * place.height
        and min(line.right, place.right) - max(line.x, place.x) > 0.8 * place.width
        for line in strikes
    )


def overlap(one: Rect, other: Rect) -> float:
    """How much of the lower of two rectangles stands in the same line as the other, from 0 to 1."""
    shared = min(one.bottom, other.bottom) - max(one.y, other.y)
    return shared / max(min(one.height, other.height), 0.1)


def assemble(fragments: Sequence[Fragment]) -> list[Draft]:
    """The words of a line (of many painted lines), in cells where wide gaps part it."""
    words = [part for part in fragments if part.kind == "words" and part.text.strip()]
    if not words:
        return []
    cells = [cell.cut(0, len(cell.text)) for cell in _Assembly(words).run(_across(fragments))]
    for cell in cells:
        _add_notes(cell)
    return [cell for cell in cells if cell.text]


def only_markers(parts: Sequence[Fragment]) -> bool:
    """Whether a line holds the mark of an item and no other words."""
    marked = False
    for part in parts:
        if part.kind == "words" and part.text.strip():
            if "list_marker" not in part.marks:
                return False
            marked = True
    return marked


def in_glyphs(words: Draft) -> str:
    """Words with what is raised or lowered in glyphs of its own, as where no marks go."""
    text = words.text
    for mark in words.marks:
        if mark.kind in GLYPHS:
            shifted = text[mark.start : mark.end].translate(GLYPHS[mark.kind])
            text = text[: mark.start] + shifted + text[mark.end :]
    return text


def formula(box: LayoutBox, parts: list[str]) -> str:
    """A fraction or a root, whose bar is no character, out of its parts."""
    if box.tag == "mfrac":
        bar = not box.attributes.get("linethickness", "").startswith("0")
        return ("/" if bar else " ").join(map(_bracketed, parts))
    index = parts.pop().translate(GLYPHS["raised"]) if box.tag == "mroot" else ""
    return f"{index}√{_bracketed(''.join(parts))}"


def _bracketed(words: str) -> str:
    """A part of a formula, in brackets where it is more than a number or a name."""
    return words if all(char.isalnum() or char in ".," for char in words) else f"({words})"


def spaced(words: Draft) -> list[tuple[int, int, Draft]]:
    """The parts of preformatted lines that gaps part into columns, each with its row and its place there."""
    if "\n" not in words.text or not _SPACED_ROW.search(words.text):
        return []
    found, start = [], 0
    for row, line in enumerate(words.text.split("\n")):
        cells = list(_SPACED_CELL.finditer(line)) if _SPACED_ROW.search(line) else []
        spans = [match.span() for match in cells] or ([(0, len(line))] if line.strip() else [])
        for place, (first, last) in enumerate(spans):
            found.append((row, place, words.cut(start + first, start + last)))
        start += len(line) + 1
    return found


def plain(box: LayoutBox) -> Draft | None:
    """The words of a text that is all of its line, where they are painted as they stand in the mark-up."""
    text, pieces = box.text, box.pieces
    if not text or len(pieces) != 1 or pieces[0].start or pieces[0].end != len(text):
        return None
    if text[0].isspace() or text[-1].isspace() or box.style.override or _ODD_BLANKS.search(text):
        return None
    rect = pieces[0].rect
    drawn = [] if rect is None else [Box(0, len(text), *rect, 0, box.node)]
    found = Draft(text, [], drawn, [(0, box)])
    if box.marks:
        found.marks = [Mark(0, len(text), kind) for kind in sorted(box.marks)]
        _add_notes(found)
    return found


def _draw(found: Draft, part: Fragment, at: int) -> None:
    if part.text == BLANK_PICTURE and "picture" in part.marks:
        return  # it has no words that could be drawn
    node = part.box.node if part.box is not None else -1
    found.boxes += [
        Box(max(start + at, 0), end + at, *rect, 0, node)
        for start, end, rect in part.pieces
        if rect is not None and end > start
    ]


def _reach(part: Fragment, *, last: bool = False) -> tuple[float, float]:
    """From where to where the first (or last) line of a fragment reaches, padding of inline boxes counted.

    A frame around code, or the kerning of a style sheet, makes no gap between words.
    """
    place = part.last if last else part.first
    assert place is not None and part.box is not None
    left, right, room = place.x, place.right, 0.5 * part.box.style.font_size
    box = part.box.parent
    while box is not None and box.style.display == "inline" and box.rect is not None:
        if 0 < left - box.rect.x < room:
            left = box.rect.x
        if 0 < box.rect.right - right < room:
            right = box.rect.right
        box = box.parent
    return left, right


class _Assembly:
    """Puts fragments together; ``base`` is the size of most letters, ``ground`` where such ones were last."""

    def __init__(self, words: Sequence[Fragment]) -> None:
        sizes: Counter[float] = Counter()
        for part in words:
            assert part.box is not None
            sizes[part.box.style.font_size] += len(part.text)
        self.base = sizes.most_common(1)[0][0]
        self.ground = next((part.first for part in words if self._size(part) >= SMALL * self.base), None)
        self.cells: list[Draft] = []
        self.now = Draft("", [], [], [])
        self.left = self.right = self.size = 0.0
        self.last: Rect | None = None
        self.edge = self.joint = self.ruby = self.marker = self.set_in = False

    @staticmethod
    def _size(part: Fragment) -> float:
        return part.box.style.font_size if part.box is not None else 0.0

    def run(self, fragments: Iterable[Fragment]) -> list[Draft]:
        for part in fragments:
            if part.kind == "words":
                self._words(part)
            elif part.kind == "blank":
                self._blank()
            elif part.kind == "break":
                self.now.text = self.now.text.rstrip(" ") + "\n"
                self.last = None
            elif part.kind == "edge":
                self.edge = True
            else:
                self.joint = True
        return [*self.cells, self.now]

    def _blank(self) -> None:
        if self.now.text and not self.now.text[-1].isspace():
            self.now.text += " "

    def _words(self, part: Fragment) -> None:
        assert part.box is not None
        self._gap(part)
        text, cut = part.text, 0
        if self.now.text[-1:].isspace() and part.box.style.spaces not in ("preserve", "break-spaces"):
            cut = len(text) - len(text.lstrip(" "))
            text = text[cut:]
        if not text:
            return
        start = len(self.now.text)
        self.now.text += text
        self.now.owners.append((start, part.box))
        for kind in sorted(self._place(part)):
            self._mark(start, start + len(text), kind)
        _draw(self.now, part, start - cut)
        if part.last is not None:
            self.last, self.size = part.last, self._size(part)
            self.left, self.right = _reach(part, last=True)
            if self._size(part) >= SMALL * self.base and not part.marks & {"raised", "lowered"}:
                self.ground = part.last
        self.set_in = bool(part.marks & _SET_IN)
        self.ruby, self.marker = "ruby" in part.marks, "list_marker" in part.marks
        self.edge = self.joint = False

    def _mark(self, start: int, end: int, kind: MarkKind) -> None:
        for at, mark in enumerate(reversed(self.now.marks), 1):
            if mark.kind == kind and mark.end == start:
                self.now.marks[-at] = Mark(mark.start, end, kind)
                return
            if mark.end < start:
                break
        self.now.marks.append(Mark(start, end, kind))

    def _gap(self, part: Fragment) -> None:
        """Part words, or cells, where the eye sees a gap that no blank makes."""
        place, last, out = part.first, self.last, self.now.text
        if not out or out.endswith("\n") or self.ruby or "ruby" in part.marks:
            return
        set_in = bool(part.marks & _SET_IN)
        beside = out[-1] if set_in else part.text[0]
        clings = set_in != self.set_in and not beside.isalnum()  # as a bracket or a full stop does
        if (set_in or self.set_in) and not clings:
            self._blank()
        if place is None or last is None:
            return
        both = _RIGHT_TO_LEFT.search(part.text) or _RIGHT_TO_LEFT.search(out[-40:])
        left, right = _reach(part)
        gap = max(left - self.right, self.left - right) if both else left - self.right
        size = max(6.0, self._size(part))
        same = overlap(place, last) > 0.3
        if same and self._parts(part, gap, both=bool(both)):
            self.cells.append(self.now)
            self.now = Draft("", [], [], [])
        elif out[-1].isspace() or part.text[:1].isspace():
            return
        elif (
            (same and gap > WORD_GAP * max(size, self.size) and (self.edge or not both))
            or (self.edge and (self.joint or not same))
            or (
                not same and part.box is not None and part.box.nearest("text") is not None
            )  # SVG wraps no line
        ):
            self._blank()

    def _parts(self, part: Fragment, gap: float, *, both: bool) -> bool:
        """Whether a gap is so wide that it parts cells; not where both directions of writing meet."""
        if self.marker or (both and not self.edge):
            return False
        least = CELL_GAP if self.edge else TEXT_CELL_GAP
        return gap > least * max(6.0, min(self._size(part), self.base))

    def _place(self, part: Fragment) -> frozenset[MarkKind]:
        """The marks of a fragment; where there are places, they say whether it is raised or lowered."""
        place, ground, marks = part.first, self.ground, part.marks
        if place is None or ground is None or part.box is None:
            return marks
        small = self._size(part) < SMALL * self.base
        # Letters as large as the others are raised only if they clearly are: a figure by style, as in 10⁶.
        far = abs(place.bottom - ground.bottom) > 0.25 * self.base and part.text.strip().isdigit()
        if not (small or far or marks & {"raised", "lowered"}) or "ruby" in marks:
            return marks
        marks -= {"raised", "lowered"}
        if place.bottom < ground.bottom - 0.1 * self.base:
            return marks | {"raised"}
        if place.bottom > ground.bottom + 0.02 * self.base and place.y > ground.y + 0.1 * self.base:
            return marks | {"lowered"}
        return marks


def _add_notes(words: Draft) -> None:
    if words.marks and any(mark.kind in ("raised", "link") for mark in words.marks):
        words.marks += _notes(words)
        words.marks.sort(key=lambda mark: (mark.start, mark.end))


def _notes(words: Draft) -> list[Mark]:
    """Marks of footnotes: what is raised and links or is a sign; a linked number or sign in brackets."""
    links = [mark for mark in words.marks if mark.kind == "link"]
    found = []
    for mark in words.marks:
        text = words.text[mark.start : mark.end].strip()
        if mark.kind == "raised":
            linked = any(link.start < mark.end and mark.start < link.end for link in links)
            if linked or _NOTE_SIGNS.fullmatch(text):
                found.append(Mark(mark.start, mark.end, "note"))
        elif mark.kind == "link":
            start, end = mark.start, mark.end
            if words.text[start - 1 : start] == "[" and words.text[end : end + 1] == "]":
                start, end = start - 1, end + 1
            if _NOTE_NUMBER.fullmatch(words.text[start:end]):
                found.append(Mark(start, end, "note"))
    return found


def _across(fragments: Sequence[Fragment]) -> Sequence[Fragment]:
    """Words of one painted line from left to right, where style has moved them; not in right-to-left text."""
    parts, at = list(fragments), list[int]()
    for index, part in enumerate([*fragments, Fragment("break")]):
        if part.kind in ("edge", "joint", "blank"):
            continue
        place = part.first if len(part.pieces) == 1 else None
        rtl = part.box is not None and part.box.style.rtl
        if place is not None and not rtl:
            first = parts[at[0]].first if at else place
            assert first is not None
            if overlap(place, first) > 0.6:
                at.append(index)
                continue
        _sort(parts, at)
        at = [index] if place is not None and not rtl else []
    return parts


def _sort(parts: list[Fragment], at: Sequence[int]) -> None:
    places = [place for index in at if (place := parts[index].first) is not None]
    moved = any(
        later.x < earlier.x - 0.5 * min(earlier.width, later.width) and later.right <= earlier.x + 2
        for earlier, later in pairwise(places)
    )
    if moved:
        ordered = sorted((parts[index] for index in at), key=lambda part: part.pieces[0].rect or (0,))
        for index, part in zip(at, ordered, strict=True):
            parts[index] = part
