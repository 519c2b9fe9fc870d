"""A rendered page as a Document, out of the engine's snapshot alone."""

from __future__ import annotations

from verifaible.extract.boxes import LayoutBox
from verifaible.extract.document import Box, Document, Frame, Image
from verifaible.extract.drafts import FrameDraft
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
        self.images: list[Image] = []
        self.layouts: dict[int, Layout] = {}

    def read(self) -> Document:
        self._frame(0, (), 0.0, 0.0)
        title = self._string(self.snapshot.documents[0]["title"])
        return finish(self.flow, medium="page", url=self.snapshot.url, title=title, images=self.images)

    def release(self) -> None:
        """Part what points to one another, so that it is freed without the collector."""
        for found in self.layouts.values():
            for box in found.root.within() if found.root is not None else ():
                box.parent = None
        del self.flow

    def _string(self, index: int) -> str:
        return self.snapshot.strings[index] if index >= 0 else ""

    def _frame(self, number: int, path: tuple[str, ...], x: float, y: float) -> None:
        if number in self.layouts:
            return
        found = self.layouts[number] = layout(self.snapshot, number)
        url = self._string(found.nodes.document["documentURL"])
        frame = Frame(path, url, found.nodes.language(), x, y, number)
        base = self._string(found.nodes.document.get("baseURL", -1)) or url
        paths, index = Paths(found.nodes), len(self.flow.frames)
        self.flow.read(FrameDraft(frame, paths, base), found.root, found.strikes)
        for box in found.pictures:
            attributes, rect = box.attributes, box.rect
            assert rect is not None
            source = found.nodes.sources.get(box.node) or attributes.get("src", "")
            alternative = attributes.get("alt", attributes.get("aria-label", ""))
            self.images.append(
                Image(paths.of(box.node), box.tag, alternative, source, Box(0, 0, *rect), index)
            )

    def _inner(self, box: LayoutBox) -> None:
        frame, paths, _ = self.flow.frames[self.flow.frame]
        rect, border = box.rect, box.style.border
        assert rect is not None
        path = (*frame.path, paths.of(box.node))
        self._frame(box.document, path, frame.x + rect.x + border, frame.y + rect.y + border)
