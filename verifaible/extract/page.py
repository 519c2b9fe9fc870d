"""A rendered page as a Document, out of the engine's snapshot alone."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from verifaible.extract.document import (
    Block,
    Box,
    Cell,
    Document,
    Frame,
    Governor,
    GovernorKind,
    Image,
    Table,
)
from verifaible.extract.drafts import Draft, TableDraft
from verifaible.extract.flow import Flow
from verifaible.extract.layout import Layout, LayoutBox, Nodes, layout
from verifaible.extract.snapshot import Snapshot, collector_paused

_NAME: Final = re.compile(r"[A-Za-z_][\w-]*")


def page_document(snapshot: Snapshot) -> Document:
    """What a page shows, in all its frames, as blocks in reading order."""
    with collector_paused():
        return _Page(snapshot).read()


def css_path(snapshot: Snapshot, frame: int, node: int) -> str:
    """A selector of one element of a document of the snapshot; see :class:`Paths`."""
    return Paths(Nodes(snapshot, frame)).of(node)


class Paths:
    """Short selectors of the elements of one frame, each of which names one element.

    A path begins at the nearest element with an id of its own, else at the top; it counts elements of their
    kind where there are several. Elements in a shadow root have the path in it: ``host >>> inner``.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._known: dict[int, str] = {}
        counts: dict[str, int] = defaultdict(int)
        self._ids: dict[int, str] = {}
        for node in range(len(nodes.parents)):
            if nodes.types[node] == 1 and (name := nodes.attributes(node).get("id")):
                self._ids[node] = name
                counts[name] += 1
        self._ids = {
            node: name for node, name in self._ids.items() if counts[name] == 1 and _NAME.fullmatch(name)
        }

    def of(self, node: int) -> str:
        """The path of an element; of a text, of the element that it is in."""
        nodes = self._nodes
        while node >= 0 and (nodes.types[node] != 1 or node in nodes.pseudo):
            node = nodes.parents[node]
        if node < 0:
            return ""
        if node not in self._known:
            self._known[node] = self._path(node)
        return self._known[node]

    def _path(self, node: int) -> str:
        nodes = self._nodes
        if node in self._ids:
            return f"#{self._ids[node]}"
        tag, parent = nodes.tag(node), nodes.parents[node]
        alike = [
            child
            for child in nodes.children(parent)
            if child not in nodes.pseudo and nodes.types[child] == 1 and nodes.tag(child) == tag
        ]
        own = tag if len(alike) < 2 else f"{tag}:nth-of-type({alike.index(node) + 1})"
        if parent >= 0 and nodes.types[parent] == 11:  # a shadow root
            return f"{self.of(nodes.parents[parent])} >>> {own}"
        above = self.of(parent) if parent >= 0 else ""
        return f"{above} > {own}" if above else own


class _Page:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.flow = Flow(self._inner)
        self.frames: list[Frame] = []
        self.layouts: list[Layout] = []
        self.paths: dict[int, Paths] = {}
        self.images: list[Image] = []
        self.read_already: set[int] = set()
        self.governors: dict[tuple[tuple[GovernorKind, int], ...], tuple[Governor, ...]] = {}

    def read(self) -> Document:
        first = self.snapshot.documents[0]
        self._frame(0, (), 0.0, 0.0)
        blocks = self.flow.blocks
        for index, draft in enumerate(blocks):
            draft.index = index
        for draft in blocks:
            self._footnotes(draft)
        strings = self.snapshot.strings
        numbers = {id(table): index for index, table in enumerate(self.flow.tables)}
        return Document(
            blocks=tuple(self._block(draft, numbers) for draft in blocks),
            url=self.snapshot.url,
            title=strings[first["title"]] if first["title"] >= 0 else "",
            language=self.frames[0].language if self.frames else "",
            tables=tuple(self._table(table) for table in self.flow.tables),
            frames=tuple(self.frames) or (Frame(),),
            images=tuple(self.images),
        )

    def _frame(self, number: int, path: tuple[str, ...], x: float, y: float) -> None:
        if number in self.read_already:
            return
        self.read_already.add(number)
        found = layout(self.snapshot, number)
        document, strings = found.nodes.document, self.snapshot.strings
        url = strings[document["documentURL"]] if document["documentURL"] >= 0 else ""
        index = len(self.frames)
        self.frames.append(Frame(path, url, _language(found.nodes), x, y, number))
        self.layouts.append(found)
        if found.root is not None:
            with _Deep(found.root):
                self.flow.read(found.root, index, found.strikes)
                self._pictures(found, index)

    def _inner(self, box: LayoutBox) -> None:
        outer = self.flow.frame
        frame = self.frames[outer]
        rect = box.rect
        assert rect is not None
        path = (*frame.path, self._paths(outer).of(box.node))
        border = box.style.border
        self._frame(box.document, path, frame.x + rect.x + border, frame.y + rect.y + border)

    def _paths(self, frame: int) -> Paths:
        if frame not in self.paths:
            self.paths[frame] = Paths(self.layouts[frame].nodes)
        return self.paths[frame]

    def _pictures(self, found: Layout, frame: int) -> None:
        for box in found.pictures:
            attributes, rect = box.attributes, box.rect
            assert rect is not None
            source = found.nodes.sources.get(box.node) or attributes.get("src", "")
            alternative = attributes.get("alt", attributes.get("aria-label", ""))
            path = self._paths(frame).of(box.node)
            self.images.append(Image(path, box.tag, alternative, source, Box(0, 0, *rect), frame))

    def _footnotes(self, draft: Draft) -> None:
        """Notes whose marks stand in a block and link to them; they come after it."""
        for mark in draft.words.marks:
            if mark.kind != "note":
                continue
            for at, owner in draft.words.owners:
                link = owner.nearest("a") if mark.start <= at < mark.end else None
                address = link.attributes.get("href", "") if link is not None else ""
                note = self.flow.targets.get((draft.frame, address.rpartition("#")[2]), -1)
                if draft.index < note < len(self.flow.blocks):
                    draft.notes.append(self.flow.blocks[note])

    def _block(self, draft: Draft, numbers: dict[int, int]) -> Block:
        words, place = draft.words, draft.place
        owner = words.owners[0][1]
        held = place.table is not None and place.cell >= 0
        return Block(
            text=words.text,
            kind=place.kind,
            sentences=tuple(_sentences(words.text, self.frames[draft.frame].language)),
            marks=tuple(words.marks),
            governors=self._governors(draft),
            rows=place.rows,
            cell=(numbers[id(place.table)], place.cell) if held else None,
            item=place.item,
            boxes=tuple(words.boxes),
            frame=draft.frame,
            node=owner.node if owner.text is None or owner.parent is None else owner.parent.node,
        )

    def _governors(self, draft: Draft) -> tuple[Governor, ...]:
        """What governs a block; blocks with the same governors share them."""
        found = tuple((kind, other.index) for kind, other in draft.governors())
        if found not in self.governors:
            self.governors[found] = tuple(Governor(kind, index) for kind, index in found)
        return self.governors[found]

    def _table(self, table: TableDraft) -> Table:
        cells = []
        for cell, blocks in zip(table.grid.cells, table.blocks, strict=True):
            own = [draft for draft in blocks if draft.place.table is table]
            rect = cell.box.rect
            cells.append(
                Cell(
                    text=" ".join(draft.text for draft in own),
                    row=cell.row,
                    column=cell.column,
                    width=cell.width,
                    height=cell.height,
                    header=cell.header,
                    scope=cell.scope,
                    blocks=tuple(draft.index for draft in own),
                    box=Box(0, 0, *rect) if rect is not None else None,
                )
            )
        grid = table.grid
        return Table(
            cells=tuple(cells),
            slots=tuple(tuple(row) for row in grid.slots),
            width=grid.width,
            height=grid.height,
            head_rows=grid.head_rows,
            caption=tuple(draft.index for draft in table.caption),
            lead_in=table.lead_in.index if table.lead_in is not None else None,
            heading=table.heading.index if table.heading is not None else None,
            marked=table.marked,
            frame=table.frame,
            node=table.box.node,
            css_path=self._paths(table.frame).of(table.box.node),
        )


class _Deep:
    """Lets trees be read that are deeper than Python lets functions call themselves."""

    def __init__(self, root: LayoutBox) -> None:
        depth, level = 0, [root]
        while level:
            level, depth = [child for box in level for child in box.children], depth + 1
        self._needed = 8 * depth + 1000

    def __enter__(self) -> None:
        self._limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self._limit, self._needed))

    def __exit__(self, *_: object) -> None:
        sys.setrecursionlimit(self._limit)


def _language(nodes: Nodes) -> str:
    root = next((node for node in range(len(nodes.parents)) if nodes.types[node] == 1), -1)
    attributes = nodes.attributes(root) if root >= 0 else {}
    return attributes.get("lang", attributes.get("xml:lang", ""))


_END: Final = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？｡][”’」』）]*\s*|\n\s*\n")
_SHORT: Final = frozenset(
    ("dr", "mr", "mrs", "ms", "prof", "st", "no", "fig", "vs", "etc", "inc", "ltd", "co")
)
_QUOTES: Final = ("“”", "«»", "「」")


def _sentences(text: str, language: str = "") -> Iterable[tuple[int, int]]:
    """A stand-in for ``text.segmentation.sentences``, which takes its place."""
    del language
    spans, start = [], 0
    if len(text) < 3:
        return [(0, len(text))]
    for match in _END.finditer(text):
        before, after = text[start : match.start()], text[match.end() :]
        word = before.rpartition(" ")[2].lower()
        if match[0][0] == "." and (
            len(word) == 1 or word in _SHORT or ("." in word and not word[0].isdigit())
        ):
            continue
        said = before + match[0]
        if any(said.count(first) > said.count(last) for first, last in _QUOTES) and len(said) < 600:
            continue
        if not after or (after[0].islower() and match[0][0] not in "。！？｡"):
            continue
        spans.append((start, match.start() + len(match[0].rstrip())))
        start = match.end()
    if text[start:].strip():
        spans.append((start, len(text.rstrip())))
    return spans
