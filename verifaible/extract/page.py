"""A rendered page as a Document, out of the engine's snapshot alone."""

from __future__ import annotations

from verifaible.extract.boxes import LayoutBox, deep
from verifaible.extract.document import Box, Document, Frame, Image
from verifaible.extract.finish import finish
from verifaible.extract.flow import Flow
from verifaible.extract.layout import Layout, layout
from verifaible.extract.nodes import Paths, SnapshotNodes
from verifaible.extract.snapshot import Snapshot, collector_paused


def page_document(snapshot: Snapshot) -> Document:
    """What a page shows, in all its frames, as blocks in reading order."""
    with collector_paused():
        page = _Page(snapshot)
        try:
            return page.read()
        finally:
            page.release()


def css_path(snapshot: Snapshot, document: int, node: int) -> str:
    """A selector of one element, or of the one that holds a text; see :class:`.nodes.Paths`.

    Args:
        snapshot: the page.
        document: number of the frame's document in the snapshot, such as ``Frame.document``.
        node: number of the node in the frame's tree, such as ``Block.node``.
    """
    return Paths(SnapshotNodes(snapshot, document)).of(node)


class _Page:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.flow = Flow(self._inner)
        self.frames: list[Frame] = []
        self.bases: list[str] = []
        self.paths: dict[int, Paths] = {}
        self.images: list[Image] = []
        self.read_already: set[int] = set()
        self.roots: list[LayoutBox] = []

    def read(self) -> Document:
        self._frame(0, (), 0.0, 0.0)
        title = self.snapshot.documents[0]["title"]
        return finish(
            self.flow,
            self.frames,
            self.paths,
            medium="page",
            url=self.snapshot.url,
            title=self.snapshot.strings[title] if title >= 0 else "",
            images=self.images,
            bases=self.bases,
        )

    def release(self) -> None:
        """Part what points to one another, so that it is freed without the collector."""
        for root in self.roots:
            for box in root.within():
                box.parent = None
        del self.flow

    def _frame(self, number: int, path: tuple[str, ...], x: float, y: float) -> None:
        if number in self.read_already:
            return
        self.read_already.add(number)
        found = layout(self.snapshot, number)
        address = found.nodes.document["documentURL"]
        url = self.snapshot.strings[address] if address >= 0 else ""
        base = found.nodes.document.get("baseURL", -1)
        index = len(self.frames)
        self.bases.append(self.snapshot.strings[base] if base >= 0 else url)
        self.frames.append(Frame(path, url, found.nodes.language(), x, y, number))
        self.paths[index] = Paths(found.nodes)
        if found.root is not None:
            self.roots.append(found.root)
            with deep(found.root):
                self.flow.read(found.root, index, found.strikes)
                self._pictures(found, index)

    def _inner(self, box: LayoutBox) -> None:
        outer = self.flow.frame
        frame, rect, border = self.frames[outer], box.rect, box.style.border
        assert rect is not None
        path = (*frame.path, self.paths[outer].of(box.node))
        self._frame(box.document, path, frame.x + rect.x + border, frame.y + rect.y + border)

    def _pictures(self, found: Layout, frame: int) -> None:
        for box in found.pictures:
            attributes, rect = box.attributes, box.rect
            assert rect is not None
            source = found.nodes.sources.get(box.node) or attributes.get("src", "")
            alternative = attributes.get("alt", attributes.get("aria-label", ""))
            path = self.paths[frame].of(box.node)
            self.images.append(Image(path, box.tag, alternative, source, Box(0, 0, *rect), frame))
