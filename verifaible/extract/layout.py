"""The boxes of a frame out of the engine's snapshot.

Text that is not painted by the cheap rules of style (not displayed, not visible, without opacity or colour,
clipped, without size, where nobody can scroll to) has no ``pieces``. Whether painted words can be seen is for
pixels to decide.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from verifaible.extract.boxes import (
    MIN_OPACITY,
    PICTURES,
    SHOWING,
    UNPAINTED,
    Clip,
    LayoutBox,
    Piece,
    Rect,
    Style,
    marks_of,
    shown,
)
from verifaible.extract.nodes import SnapshotNodes
from verifaible.extract.snapshot import STYLES, Snapshot

#: A text is painted where at least this part of its box is.
MIN_SHOWN: Final = 0.3
#: A line or a border of so few pixels, drawn through words, strikes them out.
MAX_STRIKE_PX: Final = 3
_ENDLESS: Final = 1e9
_EVERYWHERE: Final = Clip(-_ENDLESS, -_ENDLESS, _ENDLESS, _ENDLESS)


@dataclass
class Layout:
    """A frame's boxes.

    ``strikes`` are thin lines that may strike words out; ``pictures`` the boxes of pictures.
    """

    root: LayoutBox | None
    nodes: SnapshotNodes
    strikes: list[Rect] = field(default_factory=list)
    pictures: list[LayoutBox] = field(default_factory=list)


def layout(snapshot: Snapshot, number: int) -> Layout:
    """The boxes of one document of a snapshot."""
    return _Builder(snapshot, number).build()


class _Builder:
    def __init__(self, snapshot: Snapshot, number: int) -> None:
        self.top = number == 0
        self.view = Rect(0, 0, snapshot.width, snapshot.height)
        self.nodes = SnapshotNodes(snapshot, number)
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
        self.strikes: list[Rect] = []
        self.pictures: list[LayoutBox] = []

    def build(self) -> Layout:
        """All boxes; each is in the nearest box of a node around it."""
        first: dict[int, LayoutBox] = {}
        layout, parents, tag = self.layout, self.nodes.parents, self.nodes.tag
        known: dict[tuple[int, ...], Style] = {}
        root: LayoutBox | None = None
        columns = layout["nodeIndex"], layout["text"], layout["bounds"], layout["styles"]
        # Without it, what comes later is painted over what comes before.
        orders = layout.get("paintOrders") or range(len(layout["nodeIndex"]))
        for index, (node, words, bounds, styles) in enumerate(zip(*columns, strict=True)):
            # The content of generated boxes has their node.
            parent = first.get(node)
            if parent is None:
                above = parents[node]
                while above >= 0 and (parent := first.get(above)) is None:
                    above = parents[above]
            if words >= 0 and parent is not None:
                text = self.strings[words]
                broken = text == "\n" and tag(node) == "br"
                name, own = ("br", None) if broken else ("#text", text)
                box = LayoutBox(node, name, parent.style, parent, Rect(*bounds), own)
                first.setdefault(node, box)
                if not broken:
                    self._text(box, index, text, bounds)
            else:
                row = tuple(styles)
                style = known.get(row)
                if style is None:
                    style = known[row] = _style(tuple(self.strings[value] for value in row))
                box = LayoutBox(node, tag(node), style, parent, Rect(*bounds), order=orders[index])
                first.setdefault(node, box)
                self._element(box)
            if parent is None:
                root = root or box
            else:
                parent.children.append(box)
        return Layout(root, self.nodes, self.strikes, self.pictures)

    def _element(self, box: LayoutBox) -> None:
        parent, style, node = box.parent, box.style, box.node
        if (pseudo := self.nodes.pseudo.get(node)) is not None:
            box.tag = f"::{pseudo}"
        elif attributes := self.nodes.attributes(node):
            box.named(attributes)
        if parent is not None:
            box.opacity = parent.opacity * style.opacity
            self._clip(box, parent)
            box.marks = marks_of(box, parent.marks)
            if box.clip is not None and box.rect and box.rect.width and _is_head(box):
                # Heads have no scroll bar of their own: they move with their columns.
                box.clip = box.clip._replace(left=-_ENDLESS, right=_ENDLESS)
        if box.tag in UNPAINTED and (parent is None or parent.tag != "use"):
            box.opacity = 0.0
        if style.rtl and box.tag in ("html", "body"):
            self.rtl = True
        rect = box.rect
        assert rect is not None
        box.document = self.nodes.frames.get(node, -1)
        box.painted = self._painted(box, rect if rect.height >= 3 else rect._replace(height=3))
        if box.tag in SHOWING:
            box.shows = shown(self.nodes, box)
            if box.tag in PICTURES and box.painted:
                self.pictures.append(box)
        if style.lined and rect.height <= MAX_STRIKE_PX and rect.width >= 8 and box.painted:
            self.strikes.append(rect)

    def _clip(self, box: LayoutBox, parent: LayoutBox) -> None:
        style, rect = box.style, box.rect
        assert rect is not None
        if style.position in ("static", "relative") and _is_scrolled(rect, parent):
            assert parent.clip is not None
            parent.clip = parent.clip._replace(left=rect.x - 1)
        if not style.clips:
            box.clip, box.view = parent.clip, parent.view
            return
        # Out of the flow, only what holds the box clips it.
        holders = parent.around()
        if style.position == "absolute":
            holders = (each for each in holders if each.style.position != "static")
        holder = next(holders, None)
        clip, view = (holder.clip, holder.view) if holder is not None else (None, None)
        if style.position == "fixed":
            clip = view = Clip(0, 0, self.view.width, self.view.height) if self.top else None
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
            clip, view = inner, _clipped(view, rect)
        if style.display == "table-cell" and not rect.width:  # of a column that is collapsed
            clip = _clipped(clip, rect)
        if style.clip != "auto" and style.position in ("absolute", "fixed"):
            clip = _clipped(clip, _edges(style.clip, rect))
        if style.clip_path != "none":
            clip = _clipped(clip, _shape(style.clip_path, rect))
        box.clip, box.view = clip, view

    def _text(self, box: LayoutBox, index: int, text: str, bounds: list[float]) -> None:
        parent = box.parent
        assert parent is not None
        box.marks, box.opacity, box.clip = parent.marks, parent.opacity, parent.clip
        lines = self.lines.get(index)
        if lines is None:
            lines = [(bounds, 0, len(text))] if bounds[2] or bounds[3] else []
        elif not text.isascii():
            lines = _in_code_points(text, lines)
        pieces = []
        for place, start, length in lines:
            rect = Rect(*place)
            blank = box.style.visible and text[start : start + length].isspace()
            if blank or self._painted(box, rect):
                pieces.append(Piece(start, start + length, rect))
        box.pieces = pieces

    def _painted(self, box: LayoutBox, rect: Rect) -> bool:
        x, y, width, height = rect
        if not box.style.visible or box.opacity < MIN_OPACITY or width < 1 or height < 3:
            return False
        clip = box.clip
        # The extent of the page does not bound what is in a scroll box.
        if clip is None or clip.bottom < _ENDLESS:
            if y + height <= 1 or y >= self.height:
                return False
            if x + width <= 1 and not self.rtl and (clip is None or clip.left > -_ENDLESS):
                return False
            if x >= self.width and (clip is None or clip.right < _ENDLESS):
                return False
        if clip is None:
            return True
        left = clip.cut(rect)
        shown = max(left.right - left.left, 0) * max(left.bottom - left.top, 0)
        return shown > 0 and shown >= MIN_SHOWN * width * height


def _is_scrolled(rect: Rect, holder: LayoutBox) -> bool:
    """Whether a box was scrolled to the left in the one that holds it, and can be scrolled back."""
    outer = holder.rect
    if outer is None or holder.clip is None or holder.style.overflow[0] not in ("auto", "scroll"):
        return False
    return rect.x < outer.x - 1 and rect.right >= outer.right - 1 and holder.clip.right == _ENDLESS


def _is_head(box: LayoutBox) -> bool:
    return box.tag == "th" or box.role == "columnheader"


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
        clips=(
            values["position"] in ("absolute", "fixed")
            or values["display"] == "table-cell"
            or (values["overflow-x"], values["overflow-y"]) != ("visible", "visible")
            or values["clip-path"] not in ("none", "")
        ),
        apart=values["position"] in ("absolute", "fixed") or values["float"] in ("left", "right"),
        border=float(values["border-top-width"].removesuffix("px") or 0),
        lined=values["border-top-width"] not in ("0px", "") or not _clear(values["background-color"]),
    )


def _clear(colour: str) -> bool:
    """Whether a colour cannot be seen."""
    alpha = re.search(r"(?:,|/)\s*([\d.]+)\)$", colour) if colour.startswith(("rgba", "color(")) else None
    return alpha is not None and float(alpha[1]) < MIN_OPACITY


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
