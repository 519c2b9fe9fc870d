"""The node tree of a frame: every element of it, painted or not, and selectors that name them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from verifaible.extract.snapshot import Snapshot

NOTHING: Final[Mapping[str, str]] = {}
#: Kinds of nodes, as the DOM numbers them.
ELEMENT: Final = 1
TEXT: Final = 3
_NAME: Final = re.compile(r"[A-Za-z_][\w-]*")


class NodeTree:
    """Nodes by number, in the order of the tree.

    Attributes:
        parents: of each node, the number of its parent; -1 of the first.
        types: of each node, as the DOM numbers them.
        pseudo: of generated content, what it is: "before", "after", "marker".
        values: of fields, what they show.
        checked, chosen: boxes that are checked, options that are chosen.
        clickable: what listens to clicks.
        sources: of pictures, where they are from.
        frames: of frames, the number of their document in the snapshot.
        shadows: of what is in a shadow root, what that is: "open", "closed" or the "user-agent"'s. Its root
            has no node of its own, and what is slotted is in its slot.
    """

    parents: Sequence[int] = ()
    types: Sequence[int] = ()
    pseudo: Mapping[int, str] = {}
    values: Mapping[int, str] = {}
    checked: frozenset[int] = frozenset()
    chosen: frozenset[int] = frozenset()
    clickable: frozenset[int] = frozenset()
    sources: Mapping[int, str] = {}
    frames: Mapping[int, int] = {}
    shadows: Mapping[int, str] = {}
    _children: dict[int, list[int]] | None = None

    def tag(self, node: int) -> str:
        """The name of a node in small letters; of a text "#text"."""
        raise NotImplementedError

    def text(self, node: int) -> str:
        """The words of a text."""
        raise NotImplementedError

    def attributes(self, node: int) -> Mapping[str, str]:
        """The attributes of an element."""
        raise NotImplementedError

    def children(self, node: int) -> list[int]:
        """The children of a node."""
        if self._children is None:
            self._children = defaultdict(list)
            for child, parent in enumerate(self.parents):
                self._children[parent].append(child)
        return self._children.get(node, [])

    def within(self, node: int) -> Iterator[int]:
        """All nodes in a node, in the order of the tree."""
        todo = list(reversed(self.children(node)))
        while todo:
            each = todo.pop()
            yield each
            todo += reversed(self.children(each))

    def around(self, node: int) -> Iterator[int]:
        """The nodes around a node, from the inside out."""
        while (node := self.parents[node]) >= 0:
            yield node

    def words(self, node: int) -> str:
        """All text in a node, painted or not, blanks folded."""
        texts = (self.text(each) for each in self.within(node) if self.types[each] == TEXT)
        return " ".join("".join(texts).split())

    def ids(self) -> dict[int, str]:
        """The elements that have an id."""
        elements = (node for node, kind in enumerate(self.types) if kind == ELEMENT)
        return {node: name for node in elements if (name := self.attributes(node).get("id"))}

    def language(self) -> str:
        """The tag that the root element gives; "" where it gives none."""
        root = next((node for node in range(len(self.parents)) if self.types[node] == ELEMENT), -1)
        attributes = self.attributes(root) if root >= 0 else NOTHING
        return attributes.get("lang", attributes.get("xml:lang", ""))


class SnapshotNodes(NodeTree):
    """The nodes of one document of a snapshot."""

    def __init__(self, snapshot: Snapshot, number: int) -> None:
        self.document = snapshot.documents[number]
        self.strings = snapshot.strings
        nodes = self.document["nodes"]
        self.parents = nodes["parentIndex"]
        self.types = nodes["nodeType"]
        self._names: list[int] = nodes["nodeName"]
        self._tags: dict[int, str] = {
            name: self.strings[name].lower() for name in set(self._names) if name >= 0
        }
        self._values: list[int] = nodes["nodeValue"]
        self._attributes: list[list[int]] = nodes["attributes"]
        self.pseudo = self._texts("pseudoType")
        self.values = {**self._texts("inputValue"), **self._texts("textValue")}
        self.checked = frozenset(nodes["inputChecked"]["index"])
        self.chosen = frozenset(nodes["optionSelected"]["index"])
        self.clickable = frozenset(nodes["isClickable"]["index"])
        self.sources = self._texts("currentSourceURL")
        self.shadows = self._texts("shadowRootType")
        inner = nodes["contentDocumentIndex"]
        self.frames = dict(zip(inner["index"], inner["value"], strict=True))

    def _texts(self, key: str) -> dict[int, str]:
        rare = self.document["nodes"][key]
        pairs = zip(rare["index"], rare["value"], strict=True)
        return {node: self.strings[value] if value >= 0 else "" for node, value in pairs}

    def tag(self, node: int) -> str:  # noqa: D102 - as above
        return self._tags[self._names[node]]

    def text(self, node: int) -> str:  # noqa: D102 - as above
        value = self._values[node]
        return self.strings[value] if value >= 0 else ""

    def attributes(self, node: int) -> Mapping[str, str]:  # noqa: D102 - as above
        own = self._attributes[node]
        if not own:
            return NOTHING
        strings = self.strings
        return {
            strings[own[at]].lower(): strings[own[at + 1]] if own[at + 1] >= 0 else ""
            for at in range(0, len(own) - 1, 2)
        }


def nth_of_type(nodes: NodeTree, node: int, name: str) -> str:
    """A tag's name, with its number where several stand beside one another."""
    elements = (each for each in nodes.children(nodes.parents[node]) if each not in nodes.pseudo)
    tag = nodes.tag(node)
    alike = [each for each in elements if nodes.types[each] == ELEMENT and nodes.tag(each) == tag]
    return name if len(alike) < 2 else f"{name}:nth-of-type({alike.index(node) + 1})"


class Paths:
    """Short selectors of the elements of one frame, each of which names one element.

    A path begins at the nearest element with an id of its own, else at the top; it counts elements of their
    kind where there are several. Elements in a shadow root have the path in it: ``host >>> inner``.
    """

    def __init__(self, nodes: NodeTree) -> None:
        self._nodes = nodes
        self._known: dict[int, str] = {}
        self._ids: dict[int, str] | None = None

    def of(self, node: int) -> str:
        """The path of an element; of a text, of the element that it is in."""
        nodes = self._nodes
        while node >= 0 and (nodes.types[node] != ELEMENT or node in nodes.pseudo):
            node = nodes.parents[node]
        if node < 0:
            return ""
        if node not in self._known:
            self._known[node] = self._path(node)
        return self._known[node]

    def _path(self, node: int) -> str:
        nodes = self._nodes
        if self._ids is None:
            named = self._nodes.ids()
            counts = Counter(named.values())
            self._ids = {
                node: name for node, name in named.items() if counts[name] == 1 and _NAME.fullmatch(name)
            }
        if node in self._ids:
            return f"#{self._ids[node]}"
        parent, own = nodes.parents[node], nth_of_type(nodes, node, nodes.tag(node))
        shadow = nodes.shadows.get(node)
        slotted = parent >= 0 and nodes.tag(parent) == "slot"
        while slotted and parent >= 0 and nodes.shadows.get(parent) != shadow:
            parent = nodes.parents[parent]  # out of the slot, to the host that it is a child of
        above = self.of(parent) if parent >= 0 else ""
        inside = shadow is not None and parent >= 0 and nodes.shadows.get(parent) != shadow
        return f"{above}{' >>> ' if inside else ' > '}{own}" if above else own
