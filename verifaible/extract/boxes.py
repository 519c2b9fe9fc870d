"""Boxes: what a page is painted in, or what static mark-up comes to, as a tree that the readers read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from verifaible.extract.document import BLANK_PICTURE, MarkKind, Step
from verifaible.extract.nodes import NOTHING, NodeTree

#: Parts of a drawing that paint nothing by themselves.
UNPAINTED: Final = frozenset({"defs", "symbol", "clippath", "mask", "pattern", "marker", "metadata"})
#: Elements whose letter case and spacing count.
CODE: Final = frozenset({"code", "kbd", "samp", "pre", "tt", "var"})
#: Boxes that are in the line of the box around them, and hold a flow of their own.
ATOMIC: Final = frozenset(
    {"inline-block", "inline-flex", "inline-grid", "inline-table", "-webkit-inline-box"}
)
#: What is seen through so strongly is not seen.
MIN_OPACITY: Final = 0.05
_NO_MARKS: Final[frozenset[MarkKind]] = frozenset()


class Rect(NamedTuple):
    """A rectangle in CSS pixels of its frame's document."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height


class Piece(NamedTuple):
    """A painted stretch of a box's text, in code points, and where; no place in static mark-up."""

    start: int
    end: int
    rect: Rect | None


class Clip(NamedTuple):
    """What of a box is painted, or can come to be: edges in CSS pixels, endless where nothing clips it."""

    left: float
    top: float
    right: float
    bottom: float

    def cut(self, rect: Rect) -> Clip:
        """What of this is in a rectangle too."""
        return Clip(
            max(self.left, rect.x),
            max(self.top, rect.y),
            min(self.right, rect.right),
            min(self.bottom, rect.bottom),
        )

    def holds(self, rect: Rect, spare: float) -> bool:
        """Whether a rectangle is in this, but for some pixels."""
        return (
            self.left - spare <= rect.x
            and self.top - spare <= rect.y
            and rect.right <= self.right + spare
            and rect.bottom <= self.bottom + spare
        )


@dataclass(frozen=True, slots=True)
class Style:
    """What of a computed style the readers need.

    ``clips``: it may clip otherwise than the box around it; ``apart``: it floats, or stands where it is put;
    ``raised``: raised or lowered by style, where there are no places to tell it by.
    """

    display: str = "block"
    visible: bool = True
    opacity: float = 1.0
    position: str = "static"
    float_: str = "none"
    overflow: tuple[str, str] = ("visible", "visible")
    clip: str = "auto"
    clip_path: str = "none"
    struck: bool = False
    raised: MarkKind | None = None
    spaces: str = "collapse"
    font_size: float = 16.0
    rtl: bool = False
    override: bool = False
    cased: bool = False
    lined: bool = False
    border: float = 0.0
    clips: bool = True
    apart: bool = False


@dataclass(slots=True, eq=False)
class LayoutBox:
    """A box: an element or generated content (``text`` is None), or a text.

    Attributes:
        node: its element, or text, in the frame's node tree.
        tag: of its element, small letters; of a text "#text"; of generated content "::before" and the like.
        rect: where it is; None in static mark-up.
        order: what has a higher number is painted over it.
        display: of its style; of a text "#text".
        attributes, role: of its element; the first ARIA role.
        pieces: of a text, what is painted.
        marks: what it makes of the words in it.
        shows: what a field or a picture shows in the place of content: the words and what they are.
        document: of a frame, the number of its document in the snapshot; else -1.
        painted: whether it can be seen itself (a field, a picture, a frame, a cell).
        clip: what of it can come to be painted; None for all.
        view: what of it is in view of all the boxes that it is scrolled in, as they are now; None for all.
        steps: where it stands among the boxes beside it, once they are read; of a cell the last in its table.
        cell: the container of the table that it is a cell of, and its index there, once read; else None.
    """

    node: int
    tag: str
    style: Style
    parent: LayoutBox | None
    rect: Rect | None = None
    text: str | None = None
    order: int = 0
    display: str = ""
    children: list[LayoutBox] = field(default_factory=list)
    attributes: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    role: str = ""
    pieces: Sequence[Piece] = ()
    marks: frozenset[MarkKind] = _NO_MARKS
    shows: tuple[str, MarkKind] | None = None
    document: int = -1
    painted: bool = True
    clip: Clip | None = None
    view: Clip | None = None
    opacity: float = 1.0
    steps: tuple[Step, ...] = ()
    cell: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        self.display = self.style.display if self.text is None else "#text"

    def named(self, attributes: Mapping[str, str]) -> None:
        """Take the attributes of its element."""
        self.attributes = attributes
        self.role = attributes.get("role", "").strip().partition(" ")[0].lower()

    def within(self) -> Iterator[LayoutBox]:
        """It and all boxes in it, in the order of the tree."""
        todo = [self]
        while todo:
            box = todo.pop()
            yield box
            todo += reversed(box.children)

    def around(self) -> Iterator[LayoutBox]:
        """It and the boxes around it, from the inside out."""
        box: LayoutBox | None = self
        while box is not None:
            yield box
            box = box.parent

    def nearest(self, tag: str) -> LayoutBox | None:
        """The nearest element of a kind around it, or itself."""
        return next((box for box in self.around() if box.tag == tag), None)

    def can_show(self) -> bool:
        """Whether style lets words in it be painted at all."""
        clip = self.clip
        room = clip is None or (clip.right - clip.left > 1 and clip.bottom - clip.top > 1)
        return room and self.style.visible and self.opacity >= MIN_OPACITY

    def has_words(self) -> bool:
        """Whether words are painted in it."""
        return any(box.pieces and box.text and not box.text.isspace() for box in self.within())


_MARKS_BY_TAG: Final[Mapping[str, MarkKind]] = {
    **dict.fromkeys(("del", "s", "strike"), "struck"),
    **dict.fromkeys(CODE, "code"),
    **dict.fromkeys(("rt", "rp"), "ruby"),
    "ins": "inserted",
    "a": "link",
    "::marker": "list_marker",
    "sup": "raised",
    "sub": "lowered",
}


#: What the elements in one of MathML's are, in their order.
_SCRIPTS: Final[Mapping[str, tuple[MarkKind | None, ...]]] = {
    "msup": (None, "raised"),
    "msub": (None, "lowered"),
    "msubsup": (None, "lowered", "raised"),
}


def marks_of(box: LayoutBox, inherited: frozenset[MarkKind]) -> frozenset[MarkKind]:
    """What a box makes of its words; a strike does not reach into boxes of their own.

    The box is not yet among the children of its parent, those before it are.
    """
    style, marks = box.style, inherited
    if box.parent is not None and (kinds := _SCRIPTS.get(box.parent.tag)) is not None:
        before = sum(each.text is None for each in box.parent.children)
        script = kinds[before] if before < len(kinds) else None
        marks |= {script} if script is not None else _NO_MARKS
    if marks and (style.display in ATOMIC or style.position in ("absolute", "fixed")):
        marks -= {"struck"}
    if style.struck:
        marks |= {"struck"}
    if (own := _MARKS_BY_TAG.get(box.tag)) is not None:
        marks |= {own}
    if style.raised:
        marks |= {style.raised}
    if style.display == "ruby-text":
        marks |= {"ruby"}
    if style.cased != ("cased" in marks):
        marks = marks | {"cased"} if style.cased else marks - {"cased"}
    return marks


#: A picture at most so much larger than the letters around it is a sign among them.
SIGN_SIZE: Final = 1.6
SHOWING: Final = frozenset(
    {"input", "select", "textarea", "img", "image", "svg", "canvas", "video", "audio", "progress", "meter"}
)
PICTURES: Final = frozenset({"img", "svg", "canvas", "video", "image"})
_BOXES: Final = frozenset({"checkbox", "radio"})


def shown(nodes: NodeTree, box: LayoutBox) -> tuple[str, MarkKind] | None:
    """What a field or picture shows: its words, and what they are; None where it shows nothing to be read."""
    attributes = box.attributes
    if box.tag == "select":
        options = [node for node in nodes.within(box.node) if nodes.tag(node) == "option"]
        several = "multiple" in attributes or attributes.get("size", "1") not in ("", "0", "1")
        return " ".join(nodes.words(node) for node in options if several or node in nodes.chosen), "field"
    if box.tag in ("input", "textarea"):
        kind = attributes.get("type", "text").lower() if box.tag == "input" else ""
        if kind in _BOXES:
            return ("[checked]" if box.node in nodes.checked else "[not checked]"), "state"
        if kind == "password":
            return "[password]", "state"
        value = nodes.values.get(box.node, attributes.get("value", ""))
        return (value, "field") if value.strip() else ("[empty field]", "state")
    return picture(box, attributes.get("alt", attributes.get("aria-label", "")))


def picture(box: LayoutBox, alternative: str) -> tuple[str, MarkKind] | None:
    """A picture by its alternative text; a small one of signs alone is what it stands for."""
    words, rect = " ".join(alternative.split()), box.rect
    limit = SIGN_SIZE * box.style.font_size
    small = rect is not None and rect.width <= limit and rect.height <= limit
    if rect is not None and (rect.width < 2 or rect.height < 2):
        return None
    if words and len(words) <= 8 and not any(char.isalnum() for char in words):
        return words, "sign"
    if not words:
        return None if small or rect is None else (BLANK_PICTURE, "picture")
    return f"[picture: {words}]", "picture"


_readers = threading.Lock()
#: The limit before anything was read, and what each of those that read just now needs.
_needs: list[int] = []


@contextmanager
def deep(root: LayoutBox) -> Iterator[None]:
    """Let a tree be read that is deeper than Python lets functions call themselves.

    The limit is the whole process's: it is raised to what the deepest of the trees that are being read needs,
    and is what it was after the last of them, in whichever order the threads end.
    """
    depth, level = 0, [root]
    while level:
        level, depth = [child for box in level for child in box.children], depth + 1
    need = 8 * depth + 1000
    with _readers:
        _needs.extend([need] if _needs else [sys.getrecursionlimit(), need])
        sys.setrecursionlimit(max(_needs))
    try:
        yield
    finally:
        with _readers:
            _needs.remove(need)
            sys.setrecursionlimit(max(_needs))
            if len(_needs) == 1:
                _needs.clear()
