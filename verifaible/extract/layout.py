"""The boxes that a page is painted in, as a tree: what the engine laid out, or what static mark-up comes to.

A frame of a snapshot becomes a tree of :class:`LayoutBox`; ``html`` makes the same of static mark-up, without
places. Text that is not painted by the cheap rules of style (not displayed, not visible, without opacity or
colour, clipped, without size, where nobody can scroll to) has no ``pieces``. Whether painted words can be
seen is for pixels to decide.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from verifaible.extract.document import MarkKind
from verifaible.extract.snapshot import STYLES, Snapshot

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
#: A text is painted where at least this part of its box is.
MIN_SHOWN: Final = 0.3
#: A line or a border of so few pixels, drawn through words, strikes them out.
MAX_STRIKE_PX: Final = 3
_ENDLESS: Final = 1e9
_NOTHING: Final[Mapping[str, str]] = {}
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
    """What of a box can come to be painted: edges in CSS pixels, endless where it can be scrolled to."""

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


@dataclass(frozen=True, slots=True)
class Style:
    """What of a computed style the readers need."""

    display: str = "block"
    visible: bool = True
    opacity: float = 1.0
    position: str = "static"
    float_: str = "none"
    overflow: tuple[str, str] = ("visible", "visible")
    clip: str = "auto"
    clip_path: str = "none"
    struck: bool = False
    spaces: str = "collapse"
    font_size: float = 16.0
    rtl: bool = False
    override: bool = False
    cased: bool = False
    lined: bool = False
    border: float = 0.0


class LayoutBox:
    """A box: an element or generated content (``text`` is None), or a text.

    Attributes:
        node: its element, or text, in the frame's node tree.
        attributes, role: of its element; the first ARIA role.
        tag: of its element, small letters; of a text "#text"; of generated content "::before" and the like.
        rect: where it is; None in static mark-up.
        pieces: of a text, what is painted.
        marks: what it makes of the words in it.
        shows: what a field or a picture shows in the place of content: the words and what they are.
        document: of a frame, the number of its document in the snapshot; else -1.
        painted: whether it can be seen itself (a field, a picture, a frame, a cell).
    """

    __slots__ = (
        "attributes",
        "children",
        "clip",
        "document",
        "marks",
        "node",
        "opacity",
        "painted",
        "parent",
        "pieces",
        "rect",
        "role",
        "shows",
        "style",
        "tag",
        "text",
    )

    def __init__(self, node: int, tag: str, style: Style, parent: LayoutBox | None) -> None:
        self.node = node
        self.tag = tag
        self.style = style
        self.parent = parent
        self.children: list[LayoutBox] = []
        self.attributes = _NOTHING
        self.role = ""
        self.text: str | None = None
        self.rect: Rect | None = None
        self.pieces: list[Piece] = []
        self.marks = _NO_MARKS
        self.shows: tuple[str, MarkKind] | None = None
        self.document = -1
        self.painted = True
        self.clip: Clip | None = None
        self.opacity = 1.0

    @property
    def display(self) -> str:
        """The display of an element's box; of a text "#text"."""
        return "#text" if self.text is not None else self.style.display

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

    def nearest(self, tag: str) -> LayoutBox | None:
        """The nearest element of a kind around it, or itself."""
        box: LayoutBox | None = self
        while box is not None and box.tag != tag:
            box = box.parent
        return box

    def can_show(self) -> bool:
        """Whether style lets words in it be painted at all."""
        clip = self.clip
        room = clip is None or (clip.right - clip.left > 1 and clip.bottom - clip.top > 1)
        return room and self.style.visible and self.opacity >= MIN_OPACITY

    def has_words(self) -> bool:
        """Whether words are painted in it."""
        return any(box.pieces and box.text and not box.text.isspace() for box in self.within())


class Nodes:
    """The node tree of one frame: every element, painted or not."""

    def __init__(self, snapshot: Snapshot, number: int) -> None:
        self.document = snapshot.documents[number]
        self.strings = snapshot.strings
        nodes = self.document["nodes"]
        self.parents: list[int] = nodes["parentIndex"]
        self._names: list[int] = nodes["nodeName"]
        self._values: list[int] = nodes["nodeValue"]
        self._attributes: list[list[int]] = nodes["attributes"]
        self.types: list[int] = nodes["nodeType"]
        self.pseudo = self._texts("pseudoType")
        self.values = {**self._texts("inputValue"), **self._texts("textValue")}
        self.checked = frozenset(nodes["inputChecked"]["index"])
        self.chosen = frozenset(nodes["optionSelected"]["index"])
        self.clickable = frozenset(nodes["isClickable"]["index"])
        self.sources = self._texts("currentSourceURL")
        inner = nodes["contentDocumentIndex"]
        self.frames: dict[int, int] = dict(zip(inner["index"], inner["value"], strict=True))
        self.roots = frozenset(nodes["shadowRootType"]["index"])
        self._children: dict[int, list[int]] | None = None

    def _texts(self, key: str) -> dict[int, str]:
        rare = self.document["nodes"][key]
        pairs = zip(rare["index"], rare["value"], strict=True)
        return {node: self.strings[value] if value >= 0 else "" for node, value in pairs}

    def tag(self, node: int) -> str:
        """The name of a node in small letters; of a text "#text"."""
        return self.strings[self._names[node]].lower()

    def attributes(self, node: int) -> Mapping[str, str]:
        """The attributes of an element."""
        own = self._attributes[node]
        if not own:
            return _NOTHING
        strings = self.strings
        return {
            strings[own[at]].lower(): strings[own[at + 1]] if own[at + 1] >= 0 else ""
            for at in range(0, len(own) - 1, 2)
        }

    def children(self, node: int) -> list[int]:
        """The children of a node."""
        if self._children is None:
            self._children = defaultdict(list)
            for child, parent in enumerate(self.parents):
                self._children[parent].append(child)
        return self._children.get(node, [])

    def within(self, node: int) -> Iterator[int]:
        """All nodes in a node, in the order of the tree."""
        for child in self.children(node):
            yield child
            yield from self.within(child)

    def words(self, node: int) -> str:
        """All text in a node, painted or not, blanks folded."""
        values = (self._values[each] for each in self.within(node) if self.types[each] == 3)
        return " ".join("".join(self.strings[value] for value in values if value >= 0).split())


@dataclass
class Layout:
    """A frame's boxes.

    ``strikes`` are thin lines that may strike words out; ``pictures`` the boxes of pictures.
    """

    root: LayoutBox | None
    nodes: Nodes
    strikes: list[Rect] = field(default_factory=list)
    pictures: list[LayoutBox] = field(default_factory=list)


def layout(snapshot: Snapshot, number: int) -> Layout:
    """The boxes of one document of a snapshot."""
    return _Builder(snapshot, number).build()


class _Builder:
    def __init__(self, snapshot: Snapshot, number: int) -> None:
        self.top = number == 0
        self.view = Rect(0, 0, snapshot.width, snapshot.height)
        self.nodes = Nodes(snapshot, number)
        self.strings = snapshot.strings
        document = snapshot.documents[number]
        self.layout = document["layout"]
        self.width = max(document.get("contentWidth", 0), self.view.width)
        self.height = max(document.get("contentHeight", 0), self.view.height)
        self.lines: dict[int, list[tuple[list[float], int, int]]] = defaultdict(list)
        boxes = document["textBoxes"]
        for index, bounds, start, length in zip(
            boxes["layoutIndex"], boxes["bounds"], boxes["start"], boxes["length"], strict=True
        ):
            self.lines[index].append((bounds, start, length))
        self.rtl = False
        self.holders: dict[int, LayoutBox] = {}
        self.strikes: list[Rect] = []
        self.pictures: list[LayoutBox] = []

    def build(self) -> Layout:
        """All boxes; each is in the nearest box of a node around it."""
        first: dict[int, LayoutBox] = {}
        parents, styles = self.nodes.parents, self.layout["styles"]
        known: dict[tuple[int, ...], Style] = {}
        root: LayoutBox | None = None
        for index, (node, words, bounds) in enumerate(
            zip(self.layout["nodeIndex"], self.layout["text"], self.layout["bounds"], strict=True)
        ):
            # The content of generated boxes has their node.
            parent = first.get(node)
            if parent is None:
                above = parents[node]
                while above >= 0 and (parent := first.get(above)) is None:
                    above = parents[above]
            if words >= 0 and parent is not None:
                text = self.strings[words]
                box = LayoutBox(node, "#text", parent.style, parent)
                first.setdefault(node, box)
                if text == "\n" and self.nodes.tag(node) == "br":
                    box.tag = "br"
                else:
                    self._text(box, index, text, bounds)
            else:
                row = tuple(styles[index])
                style = known.get(row)
                if style is None:
                    style = known[row] = _style(tuple(self.strings[value] for value in row))
                box = LayoutBox(node, self.nodes.tag(node), style, parent)
                box.rect = Rect(*bounds)
                first.setdefault(node, box)
                self._element(box)
            if parent is None:
                root = root or box
            else:
                parent.children.append(box)
        return Layout(root, self.nodes, self.strikes, self.pictures)

    def _element(self, box: LayoutBox) -> None:
        parent, style, node = box.parent, box.style, box.node
        if not box.tag.startswith(":"):
            if attributes := self.nodes.attributes(node):
                box.named(attributes)
        elif (pseudo := self.nodes.pseudo.get(node)) is not None:
            box.tag = f"::{pseudo}"
        if parent is not None:
            box.opacity = parent.opacity * style.opacity
            self._clip(box, parent)
            box.marks = _marks(box, parent.marks)
        if box.tag in UNPAINTED:
            box.opacity = 0.0
        if style.rtl and box.tag in ("html", "body"):
            self.rtl = True
        assert box.rect is not None
        box.document = self.nodes.frames.get(node, -1)
        box.painted = self._painted(
            box, Rect(box.rect.x, box.rect.y, box.rect.width, max(box.rect.height, 3))
        )
        if box.tag in SHOWING:
            box.shows = shown(self.nodes, box)
            if box.tag in PICTURES and box.painted:
                self.pictures.append(box)
        if style.lined and box.rect.height <= MAX_STRIKE_PX and box.rect.width >= 8 and box.painted:
            self.strikes.append(box.rect)

    def _clip(self, box: LayoutBox, parent: LayoutBox) -> None:
        style, rect = box.style, box.rect
        assert rect is not None
        # Out of the flow, only what holds the box clips it.
        holder: LayoutBox | None = parent
        if style.position == "absolute":
            while holder is not None and holder.style.position == "static":
                holder = holder.parent
        clip = holder.clip if holder is not None else None
        if style.position == "fixed":
            clip = Clip(0, 0, self.view.width, self.view.height) if self.top else None
        if (
            style.overflow != ("visible", "visible")
            and box.tag not in ("html", "body")
            and style.display != "inline"
        ):
            inner = (clip or _EVERYWHERE).cut(rect)
            if inner.right - inner.left > 1 and inner.bottom - inner.top > 1:
                left, top, right, bottom = inner
                if style.overflow[0] in ("auto", "scroll"):
                    left, right = rect.x - 1, _ENDLESS
                if style.overflow[1] in ("auto", "scroll"):
                    top, bottom = -_ENDLESS, _ENDLESS
                inner = Clip(left, top, right, bottom)
            clip = inner
        if style.display == "table-cell" and not rect.width:  # of a column that is collapsed
            clip = _clipped(clip, rect)
        if style.clip != "auto" and style.position in ("absolute", "fixed"):
            clip = _clipped(clip, _edges(style.clip, rect))
        if style.clip_path != "none":
            clip = _clipped(clip, _shape(style.clip_path, rect))
        box.clip = clip

    def _text(self, box: LayoutBox, index: int, text: str, bounds: list[float]) -> None:
        parent = box.parent
        assert parent is not None
        box.text = text
        box.rect = Rect(*bounds)
        box.marks, box.opacity, box.clip = parent.marks, parent.opacity, parent.clip
        lines = self.lines.get(index)
        if lines is None:
            lines = [(bounds, 0, len(text))] if bounds[2] or bounds[3] else []
        elif not text.isascii():
            lines = _in_code_points(text, lines)
        pieces = [Piece(start, start + length, Rect(*place)) for place, start, length in lines]
        if len(pieces) > 1 and not text.isascii():  # the engine tells them from left to right
            pieces.sort(key=lambda piece: piece.start)
        box.pieces = [
            piece
            for piece in pieces
            if piece.rect is not None
            and (
                self._painted(box, piece.rect)
                or (text[piece.start : piece.end].isspace() and box.style.visible)
            )
        ]

    def _painted(self, box: LayoutBox, rect: Rect) -> bool:
        if not box.style.visible or box.opacity < MIN_OPACITY or rect.width < 1 or rect.height < 3:
            return False
        clip = box.clip
        # The extent of the page does not bound what is in a scroll box.
        if clip is None or clip.bottom < _ENDLESS:
            if (rect.right <= 1 and not self.rtl) or rect.bottom <= 1 or rect.y >= self.height:
                return False
            if rect.x >= self.width and (clip is None or clip.right < _ENDLESS):
                return False
        if clip is None:
            return True
        width = min(rect.right, clip.right) - max(rect.x, clip.left)
        height = min(rect.bottom, clip.bottom) - max(rect.y, clip.top)
        return width > 0 and height > 0 and width * height >= MIN_SHOWN * rect.width * rect.height


_EVERYWHERE: Final = Clip(-_ENDLESS, -_ENDLESS, _ENDLESS, _ENDLESS)


def _in_code_points(
    text: str, lines: list[tuple[list[float], int, int]]
) -> list[tuple[list[float], int, int]]:
    """Lines counted in UTF-16 units, counted in code points."""
    if not any(char > "\uffff" for char in text):
        return lines
    place, at = [0] * (2 * len(text) + 1), 0
    for index, char in enumerate(text):
        place[at] = index
        at += 2 if char > "\uffff" else 1
        place[at - 1] = min(place[at - 1] or index, index)
    place[at] = len(text)
    found = []
    for bounds, start, length in lines:
        first, last = place[min(start, at)], place[min(start + length, at)]
        found.append((bounds, first, last - first))
    return found


@lru_cache(maxsize=4096)
def _style(row: tuple[str, ...]) -> Style:
    """A style out of its computed values; of a document there are none."""
    if not row:
        return Style()
    values = dict(zip(STYLES, row, strict=True))
    filled = not _clear(values["-webkit-text-fill-color"]) or (
        values["background-clip"] == "text"
        or values["text-shadow"] != "none"
        or values["-webkit-text-stroke-width"] not in ("0px", "")
    )
    return Style(
        display=values["display"],
        visible=values["visibility"] == "visible" and filled,
        opacity=float(values["opacity"] or 1),
        position=values["position"],
        float_=values["float"],
        overflow=(values["overflow-x"], values["overflow-y"]),
        clip=values["clip"] or "auto",
        clip_path=values["clip-path"] or "none",
        struck="line-through" in values["text-decoration-line"],
        spaces=values["white-space-collapse"],
        font_size=float(values["font-size"].removesuffix("px") or 16),
        rtl=values["direction"] == "rtl",
        override="override" in values["unicode-bidi"],
        cased=values["text-transform"] in ("uppercase", "lowercase", "capitalize"),
        border=float(values["border-top-width"].removesuffix("px") or 0),
        lined=values["border-top-width"] not in ("0px", "") or not _clear(values["background-color"]),
    )


def _clear(colour: str) -> bool:
    """Whether a colour cannot be seen."""
    alpha = re.search(r"(?:,|/)\s*([\d.]+)\)$", colour) if colour.startswith(("rgba", "color(")) else None
    return alpha is not None and float(alpha[1]) < MIN_OPACITY


_BY_TAG: Final[Mapping[str, MarkKind]] = {
    **dict.fromkeys(("del", "s", "strike"), "struck"),
    **dict.fromkeys(CODE, "code"),
    **dict.fromkeys(("rt", "rp"), "ruby"),
    "ins": "inserted",
    "a": "link",
    "::marker": "list_marker",
    "sup": "raised",
    "sub": "lowered",
}


def _marks(box: LayoutBox, inherited: frozenset[MarkKind]) -> frozenset[MarkKind]:
    """What a box makes of its words; a strike does not reach into boxes of their own."""
    style, marks = box.style, inherited
    if marks and (style.display in ATOMIC or style.position in ("absolute", "fixed")):
        marks -= {"struck"}
    if style.struck:
        marks |= {"struck"}
    if (own := _BY_TAG.get(box.tag)) is not None:
        marks |= {own}
    if style.display == "ruby-text":
        marks |= {"ruby"}
    if style.cased != ("cased" in marks):
        marks = marks | {"cased"} if style.cased else marks - {"cased"}
    return marks


def _clipped(clip: Clip | None, rect: Rect) -> Clip:
    return (clip or _EVERYWHERE).cut(rect)


def _edges(value: str, rect: Rect) -> Rect:
    """The rectangle of ``clip: rect(...)``."""
    edges = [None if each == "auto" else float(each[:-2]) for each in re.findall(r"auto|-?[\d.]+px", value)]
    if len(edges) != 4:
        return rect
    top, right, bottom, left = edges
    x, y = left or 0.0, top or 0.0
    return Rect(
        rect.x + x,
        rect.y + y,
        (rect.width if right is None else right) - x,
        (rect.height if bottom is None else bottom) - y,
    )


def _shape(value: str, rect: Rect) -> Rect:
    """What a basic shape leaves of a box, at most; an unknown one leaves all (pixels decide)."""
    name, _, inner = value.partition("(")
    inner = inner.rpartition(")")[0].split(" round ")[0]
    try:
        if name == "inset":
            each = inner.split()
            top, right, bottom, left = (each * 4)[:4] if len(each) != 3 else [*each, each[1]]
            if len(each) == 2:
                bottom, left = top, right
            x, y = _length(left, rect.width), _length(top, rect.height)
            return Rect(
                rect.x + x,
                rect.y + y,
                rect.width - x - _length(right, rect.width),
                rect.height - y - _length(bottom, rect.height),
            )
        if name == "polygon":
            points = [each.split() for each in re.sub(r"^(evenodd|nonzero),", "", inner).split(",")]
            xs = [_length(point[0], rect.width) for point in points]
            ys = [_length(point[1], rect.height) for point in points]
            return Rect(rect.x + min(xs), rect.y + min(ys), max(xs) - min(xs), max(ys) - min(ys))
        if name in ("circle", "ellipse") and not any(
            float(number) for number in re.findall(r"[\d.]+", inner.split("at")[0]) or ["1"]
        ):
            return Rect(rect.x, rect.y, 0, 0)
    except (ValueError, IndexError):
        pass
    return rect


def _length(value: str, whole: float) -> float:
    return float(value[:-1]) / 100 * whole if value.endswith("%") else float(value.removesuffix("px"))


# What fields and pictures show in the place of content.

#: A picture at most so much larger than the letters around it is a sign among them.
SIGN_SIZE: Final = 1.6
SHOWING: Final = frozenset(
    {"input", "select", "textarea", "img", "image", "svg", "canvas", "video", "audio", "progress", "meter"}
)
PICTURES: Final = frozenset({"img", "svg", "canvas", "video", "image"})
_BOXES: Final = frozenset({"checkbox", "radio"})


def shown(nodes: Nodes, box: LayoutBox) -> tuple[str, MarkKind] | None:
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
        return None if small else ("[picture]", "picture")
    return f"[picture: {words}]", "picture"
