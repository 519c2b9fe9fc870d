"""Static mark-up as a Document: what a browser would show of it by its own style sheet, without running it.

Style sheets are not applied; what attributes and inline style hide is left out. Nothing has a place, so the
order is the mark-up's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urljoin

from verifaible.extract.boxes import MIN_OPACITY, SHOWING, LayoutBox, Piece, Style, marks_of, shown
from verifaible.extract.document import Document, Frame, MarkKind
from verifaible.extract.drafts import FrameDraft
from verifaible.extract.finish import finish
from verifaible.extract.flow import Flow
from verifaible.extract.metadata import page_tree
from verifaible.extract.nodes import ELEMENT, NOTHING, TEXT, NodeTree, Paths
from verifaible.extract.snapshot import collector_paused

#: Elements that are painted nowhere by themselves (HTML standard, section 15.3.1), or show a fallback only.
_NONE: Final = frozenset(
    (
        *("area", "base", "datalist", "head", "link", "meta", "noembed", "noframes", "noscript", "param"),
        *("rp", "script", "style", "template", "title", "iframe", "object", "source", "track"),
    )
)
_RAISED: Final[Mapping[str, MarkKind]] = {"super": "raised", "sub": "lowered"}
_DISPLAYS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            *("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog"),
            *("dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form"),
            *("frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html"),
            *("legend", "main", "menu", "nav", "ol", "optgroup", "p", "pre", "search", "section"),
            *("summary", "ul"),
        ),
        "block",
    ),
    **dict.fromkeys(_NONE, "none"),
    **dict.fromkeys(("thead", "tbody", "tfoot"), "table-row-group"),
    **dict.fromkeys(("td", "th"), "table-cell"),
    **dict.fromkeys(("button", "input", "select", "textarea"), "inline-block"),
    "li": "list-item",
    "table": "table",
    "caption": "table-caption",
    "tr": "table-row",
    "col": "table-column",
    "colgroup": "table-column-group",
    "ruby": "ruby",
    "rt": "ruby-text",
}
_NUMBER: Final = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
#: Colours without any, and what scales or fades words to nothing.
_CLEAR: Final = re.compile(r"^#(...0|......00)$|[,/]\s*0?\.?0+%?\)$")
_NOTHING_LEFT: Final = re.compile(r"scale[xy3d]*\(\s*0\s*[,)]|opacity\(\s*0%?\s*\)")
#: A shift of so many pixels takes words out of every view.
_FAR_PX: Final = 900


def html_document(markup: str, url: str = "") -> Document:
    """What static mark-up shows, as blocks in reading order.

    Args:
        markup: HTML or XHTML.
        url: where it is from.
    """
    with collector_paused():
        nodes = _HtmlNodes(markup)
        base = next(
            (address for at in nodes.of("base") if (address := nodes.attributes(at).get("href", "").strip())),
            "",
        )
        flow = Flow()
        flow.read(
            FrameDraft(Frame((), url, nodes.language()), Paths(nodes), urljoin(url, base)), _boxes(nodes)
        )
        title = next((nodes.words(at) for at in nodes.of("title")), "")
        return finish(flow, medium="html", url=url, title=title)


class _HtmlNodes(NodeTree):
    """The nodes of static mark-up."""

    def __init__(self, markup: str) -> None:
        self.parents: list[int] = []
        self.types: list[int] = []
        self._elements: list[Any] = []
        self._tags: list[str] = []
        self._texts: list[str] = []
        self._read(page_tree(markup))
        self.values = {at: self.words(at) for at in self.of("textarea")}
        self.checked = frozenset(at for at in self.of("input") if "checked" in self.attributes(at))
        self.chosen = frozenset(self._chosen())

    def _read(self, root: Any) -> None:
        todo: list[tuple[Any, int, str]] = [(root, -1, "")]
        while todo:
            element, parent, text = todo.pop()
            node = len(self.parents)
            self.parents.append(parent)
            self.types.append(TEXT if element is None else ELEMENT)
            self._elements.append(element)
            self._tags.append("#text" if element is None else element.tag.rpartition(":")[2].lower())
            self._texts.append(text)
            if element is None:
                continue
            inner: list[tuple[Any, int, str]] = [(None, node, element.text)] if element.text else []
            for child in element:
                if isinstance(child.tag, str):
                    inner.append((child, node, ""))
                if child.tail:
                    inner.append((None, node, child.tail))
            todo += reversed(inner)

    def _chosen(self) -> Iterator[int]:
        for node in self.of("select"):
            options = [each for each in self.within(node) if self.tag(each) == "option"]
            yield from [each for each in options if "selected" in self.attributes(each)] or options[:1]

    def of(self, tag: str) -> Iterator[int]:
        """The elements of a kind."""
        return (node for node, own in enumerate(self._tags) if own == tag)

    def tag(self, node: int) -> str:
        return self._tags[node]

    def text(self, node: int) -> str:
        return self._texts[node]

    def attributes(self, node: int) -> Mapping[str, str]:
        element = self._elements[node]
        return element.attrib if element is not None and element.attrib else NOTHING


def _boxes(nodes: _HtmlNodes) -> LayoutBox | None:
    """The boxes of all that is shown."""
    made: dict[int, LayoutBox] = {}
    root: LayoutBox | None = None
    quotes = 0
    for node, above in enumerate(nodes.parents):
        parent = made.get(above)
        if above >= 0 and parent is None:
            continue
        if nodes.types[node] == TEXT:
            if parent is not None and parent.shows is None:
                _add_text(parent, node, nodes.text(node))
            continue
        box = _box(nodes, node, parent)
        if box is None:
            continue
        made[node] = box
        if parent is None:
            root = box
        else:
            parent.children.append(box)
        if box.tag == "li":
            _generated(box, "::marker", _marker(nodes, node))
        elif box.tag == "q":
            quotes = sum(1 for each in box.around() if each.tag == "q")
            _generated(box, "::before", "“‘"[(quotes + 1) % 2])
            _generated(box, "::after", "”’"[(quotes + 1) % 2])
    return root


def _box(nodes: _HtmlNodes, node: int, parent: LayoutBox | None) -> LayoutBox | None:
    """The box of an element; None where it is not displayed."""
    tag, attributes = nodes.tag(node), nodes.attributes(node)
    inline = _declarations(attributes.get("style", ""))
    display = inline.get("display", _DISPLAYS.get(tag, "inline"))
    if display == "inline-table":
        display = "table"  # without geometry a table in a line is read as any other
    folded = parent is not None and parent.tag == "details" and "open" not in parent.attributes
    unseen = (
        "hidden" in attributes
        or "popover" in attributes
        or (tag == "input" and attributes.get("type", "").lower() == "hidden")
    )
    if display == "none" or unseen or (folded and tag != "summary"):
        return None
    if tag == "dialog" and "open" not in attributes:
        return None
    above = parent.style if parent is not None else Style()
    visible = above.visible if "visibility" not in inline else inline["visibility"] == "visible"
    style = Style(
        display=display,
        visible=visible,
        raised=_RAISED.get(inline.get("vertical-align", "")),
        struck="line-through" in inline.get("text-decoration", "") + inline.get("text-decoration-line", ""),
        spaces="preserve"
        if tag in ("pre", "textarea") or "pre" in inline.get("white-space", "")
        else above.spaces,
        rtl=attributes.get("dir", "rtl" if above.rtl else "").lower() == "rtl",
        cased=inline.get("text-transform", "none") != "none"
        or (above.cased and "text-transform" not in inline),
    )
    box = LayoutBox(node, tag, style, parent)
    box.named(attributes)
    own = _pixels(inline.get("opacity"))
    box.opacity = (parent.opacity if parent is not None else 1.0) * (1.0 if own is None else own)
    if _hides(inline) or box.opacity < MIN_OPACITY:
        box.opacity = 0.0
    box.painted = visible and box.opacity > 0
    if parent is not None:
        box.marks = marks_of(box, parent.marks)
    if tag in SHOWING:
        box.shows = shown(nodes, box)
    return box


def _add_text(parent: LayoutBox, node: int, text: str) -> None:
    if parent.tag == "details" and "open" not in parent.attributes:
        return
    box = LayoutBox(node, "#text", parent.style, parent, None, text)
    box.marks, box.opacity = parent.marks, parent.opacity
    if parent.style.visible and parent.opacity:
        box.pieces = [Piece(0, len(text), None)]
    parent.children.append(box)


def _generated(parent: LayoutBox, tag: str, text: str) -> None:
    if not text:
        return
    box = LayoutBox(parent.node, tag, Style("inline", parent.style.visible), parent)
    box.marks, box.opacity = marks_of(box, parent.marks), parent.opacity
    parent.children.append(box)
    _add_text(box, parent.node, text)


def _marker(nodes: _HtmlNodes, node: int) -> str:
    """The mark of an item: its number in an ordered list, else a bullet."""
    parent = nodes.parents[node]
    if parent < 0 or nodes.tag(parent) != "ol":
        return "• "
    items = [each for each in nodes.children(parent) if nodes.tag(each) == "li"]
    backwards = "reversed" in nodes.attributes(parent)
    number = _integer(nodes.attributes(parent).get("start"), len(items) if backwards else 1)
    for item in items:
        number = _integer(nodes.attributes(item).get("value"), number)
        if item == node:
            break
        number += -1 if backwards else 1
    kind = nodes.attributes(parent).get("type", "1")
    if kind in ("a", "A") and 0 < number <= 26:
        return f"{chr(ord(kind) + number - 1)}. "
    return f"{number}. "


def _integer(value: str | None, default: int) -> int:
    found = re.fullmatch(r"\s*(-?\d{1,9})\s*", value or "")
    return int(found[1]) if found else default


def _declarations(style: str) -> dict[str, str]:
    """What inline style declares, small letters."""
    pairs = (part.partition(":") for part in re.sub(r"/\*.*?\*/", "", style.lower()).split(";"))
    return {
        name.strip(): value.replace("!important", "").strip() for name, _, value in pairs if value.strip()
    }


def _hides(inline: Mapping[str, str]) -> bool:
    """Whether inline style alone takes what it is set on out of sight; colours that match are for pixels."""
    if not inline:
        return False
    taken_out = inline.get("position") in ("absolute", "fixed")
    sizes = [_pixels(inline.get(name)) for name in ("height", "width", "max-height", "max-width")]
    cut = any(inline.get(name) in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y"))
    names = ("left", "top", "margin-left", "margin-top", "text-indent", "inset", "transform", "translate")
    shifts = [float(each) for name in names for each in _NUMBER.findall(inline.get(name, ""))]
    letters = _pixels(inline.get("font-size"))
    colours = inline.get("color", ""), inline.get("-webkit-text-fill-color", "")
    return (
        (letters is not None and letters <= 1 and "em" not in inline["font-size"])
        or any(colour == "transparent" or _CLEAR.search(colour) for colour in colours)
        or inline.get("content-visibility") == "hidden"
        or _NOTHING_LEFT.search(f"{inline.get('transform', '')} {inline.get('filter', '')}") is not None
        or _pixels(inline.get("scale")) == 0
        or (taken_out and re.match(r"rect\((0|1px)", inline.get("clip", "")) is not None)
        or re.match(r"inset\((50|100)%|circle\(0", inline.get("clip-path", "")) is not None
        or (cut and any(size is not None and size <= 1 for size in sizes))
        or any(shift < -_FAR_PX for shift in shifts)
    )


def _pixels(value: str | None) -> float | None:
    found = _NUMBER.match(value or "")
    return float(found[0]) if found else None
