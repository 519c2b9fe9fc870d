"""Snapshots of simple pages without a browser: what the engine would tell of them, laid out by the simplest rules.

Blocks stand below one another, cells of a row side by side, letters are 8 pixels wide and never wrap. Enough for
captures of stores and for what is found in them; what a page really shows is tested in Chromium.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import html as lxml_html

from verifaible.evidence.material import Material
from verifaible.extract.page import page_document
from verifaible.extract.snapshot import STYLES, Snapshot

_LETTER, _LINE, _COLUMN = 8.0, 20.0, 240.0
_WIDTH = 100 * _COLUMN
_DISPLAY = {
    "table": "table", "tr": "table-row", "td": "table-cell", "th": "table-cell", "caption": "table-caption",
    "thead": "table-header-group", "tbody": "table-row-group", "tfoot": "table-footer-group", "li": "list-item",
    **dict.fromkeys(("b", "i", "em", "strong", "span", "a", "sup", "sub", "q", "code", "del", "ins"), "inline"),
    **dict.fromkeys(("head", "script", "style", "title"), "none"),
}  # fmt: skip
_STYLE = {
    "visibility": "visible", "opacity": "1", "-webkit-text-fill-color": "rgb(0, 0, 0)", "position": "static",
    "float": "none", "overflow-x": "visible", "overflow-y": "visible", "clip": "auto", "clip-path": "none",
    "text-decoration-line": "none", "white-space-collapse": "collapse", "font-size": "16px", "direction": "ltr",
    "unicode-bidi": "isolate", "text-transform": "none", "background-clip": "border-box", "text-shadow": "none",
    "-webkit-text-stroke-width": "0px", "background-color": "rgba(0, 0, 0, 0)", "border-top-width": "0px",
}  # fmt: skip
_RARE = (
    "inputValue",
    "textValue",
    "pseudoType",
    "shadowRootType",
    "currentSourceURL",
    "contentDocumentIndex",
)


class _Engine:
    """One document in the making; ``x`` and ``y`` are where the next letter stands."""

    def __init__(self) -> None:
        self.strings: list[str] = [""]
        self.nodes: dict[str, Any] = {
            key: []
            for key in ("parentIndex", "nodeType", "nodeName", "nodeValue", "attributes", "backendNodeId")
        }
        self.layout: dict[str, list[Any]] = {key: [] for key in ("nodeIndex", "styles", "bounds", "text")}
        self.boxes: dict[str, list[Any]] = {key: [] for key in ("layoutIndex", "bounds", "start", "length")}
        self.x = self.y = 0.0

    def string(self, text: str) -> int:
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def node(
        self, parent: int, kind: int, name: str, value: str = "", attributes: tuple[str, ...] = ()
    ) -> int:
        rows = {
            "parentIndex": parent,
            "nodeType": kind,
            "nodeName": self.string(name),
            "nodeValue": self.string(value) if value else -1,
            "attributes": [self.string(each) for each in attributes],
            "backendNodeId": len(self.nodes["parentIndex"]) + 1,
        }
        for key, row in rows.items():
            self.nodes[key].append(row)
        return len(self.nodes["parentIndex"]) - 1

    def box(self, node: int, display: str, words: str = "") -> int:
        width = len(words) * _LETTER if words else _WIDTH
        styles = {**_STYLE, "display": display}
        self.layout["nodeIndex"].append(node)
        self.layout["styles"].append([] if words else [self.string(styles.get(name, "")) for name in STYLES])
        self.layout["bounds"].append([self.x, self.y, width, _LINE])
        self.layout["text"].append(self.string(words) if words else -1)
        at = len(self.layout["nodeIndex"]) - 1
        if words:
            for key, row in (("layoutIndex", at), ("bounds", [self.x, self.y, width, _LINE])):
                self.boxes[key].append(row)
            self.boxes["start"].append(0)
            self.boxes["length"].append(len(words.encode("utf-16-le")) // 2)
            self.x += width
        return at

    def words(self, parent: int, text: str | None) -> None:
        if text and (folded := re.sub(r"[ \t\r\n\f]+", " ", text)) != " ":
            self.box(self.node(parent, 3, "#text", folded), "", folded)

    def element(self, parent: int, element: Any) -> None:
        tag = str(element.tag)
        attributes = tuple(each for pair in element.attrib.items() for each in pair)
        node = self.node(parent, 1, tag.upper(), "", attributes)
        display = _DISPLAY.get(tag, "block")
        if display == "none":
            return
        left, top = self.x, self.y
        if display not in ("inline", "table-cell"):
            self.x = 0.0
        at = self.box(node, display)
        first = self.x
        self.words(node, element.text)
        for number, child in enumerate(element):
            if not isinstance(child.tag, str):
                continue
            if display == "table-row":
                self.x = first + number * _COLUMN
            self.element(node, child)
            self.words(node, child.tail)
        if display == "inline":
            self.layout["bounds"][at] = [left, top, max(self.x - left, _LETTER), _LINE]
        elif display == "table-cell":
            self.layout["bounds"][at] = [left, top, _COLUMN, _LINE]
        else:
            if self.y == top and display != "table-row-group":
                self.y += _LINE
            self.layout["bounds"][at] = [0.0, top, _WIDTH, max(self.y - top, _LINE)]
            self.x = 0.0


def snapshot_of(markup: str, *, url: str = "https://statistics.example/release", title: str = "") -> Snapshot:
    """What the engine would tell of a page of simple mark-up."""
    engine = _Engine()
    root = engine.node(-1, 9, "#document")
    engine.box(root, "block")
    engine.element(root, lxml_html.document_fromstring(markup or "<p></p>"))
    sparse: dict[str, Any] = {key: {"index": [], "value": []} for key in _RARE}
    sparse |= {key: {"index": []} for key in ("inputChecked", "optionSelected", "isClickable")}
    document = {
        "documentURL": engine.string(url),
        "title": engine.string(title) if title else -1,
        "frameId": engine.string("frame"),
        "nodes": engine.nodes | sparse,
        "layout": engine.layout | {"stackingContexts": {"index": []}},
        "textBoxes": engine.boxes,
        "contentWidth": _WIDTH,
        "contentHeight": engine.y + _LINE,
    }
    return Snapshot(url, 1280, 800, [document], engine.strings)


def page_of(markup: str, *, url: str = "https://statistics.example/release", title: str = "") -> Material:
    """A page of simple mark-up, as it would have been read."""
    snapshot = snapshot_of(markup, url=url, title=title)
    return Material(page_document(snapshot), snapshot)
