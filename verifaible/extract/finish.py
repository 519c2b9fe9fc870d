"""Drafts into the Document that they make."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal
from urllib.parse import urljoin

from verifaible.extract import tables
from verifaible.extract.boxes import LayoutBox
from verifaible.extract.document import (
    Block,
    Box,
    Cell,
    Document,
    Governor,
    Image,
    Link,
    Table,
)
from verifaible.extract.drafts import Draft, TableDraft
from verifaible.extract.flow import Flow
from verifaible.extract.ties import tie
from verifaible.text.segmentation import sentences


def finish(
    flow: Flow, *, medium: Literal["page", "html"], url: str, title: str, images: Iterable[Image] = ()
) -> Document:
    """The Document of what was read; ``medium``, ``url``, ``title`` and ``images`` are its own."""
    unmarked = {table.container for table in flow.tables if not table.marked}
    held: dict[tuple[int, int], list[Draft]] = defaultdict(list)
    for index, draft in enumerate(flow.blocks):
        draft.index = index
        draft.rows, cell = draft.standing(unmarked)
        if cell is not None and cell[1] >= 0:
            draft.cell = cell
            held[cell].append(draft)
    tie(flow.blocks)
    finished = _Finish(flow)
    frames = tuple(each.frame for each in flow.frames)
    return Document(
        blocks=tuple([finished.block(draft) for draft in flow.blocks]),
        medium=medium,
        url=url,
        title=title,
        language=frames[0].language,
        tables=tuple([finished.table(table, held) for table in flow.tables]),
        frames=frames,
        images=tuple(images),
    )


class _Finish:
    """Makes the records; what many blocks have alike is kept once."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.numbers = {table.container: index for index, table in enumerate(flow.tables)}
        self.spans: dict[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]] = {}
        self.governors: dict[Hashable, tuple[Governor, ...]] = {}

    def _footnotes(self, draft: Draft) -> None:
        """Notes whose marks stand in a block and link to them; they come after it."""
        for mark in draft.marks:
            if mark.kind != "note":
                continue
            for at, owner in draft.owners:
                link = owner.nearest("a") if mark.start <= at < mark.end else None
                address = link.attributes.get("href", "") if link is not None else ""
                note = self.flow.targets.get((draft.frame, address.rpartition("#")[2]), -1)
                if draft.index < note < len(self.flow.blocks):
                    draft.notes = (*draft.notes, self.flow.blocks[note])

    def block(self, draft: Draft) -> Block:
        """A block, with its sentences and links."""
        place, marks, text = draft.place, draft.marks, draft.text
        notes = [(mark.start, mark.end) for mark in marks if mark.kind == "note"] if marks else ()
        if notes:
            self._footnotes(draft)
        spans = tuple(sentences(text, self.flow.frames[draft.frame].frame.language, notes))
        owner = draft.owners[0][1]
        return Block(
            text=text,
            kind=place.kind,
            sentences=self.spans.setdefault(spans, spans),  # most are like others: fewer records stay
            marks=tuple(marks),
            governors=self._governors(draft),
            rows=draft.rows,
            cell=(self.numbers[draft.cell[0]], draft.cell[1]) if draft.cell is not None else None,
            item=place.item,
            boxes=tuple(draft.boxes),
            frame=draft.frame,
            node=owner.node if owner.text is None or owner.parent is None else owner.parent.node,
            level=draft.level if place.kind == "heading" else place.level if place.kind == "item" else 0,
            links=self._links(draft) if marks else (),
            landmark=place.landmark,
        )

    def _links(self, draft: Draft) -> tuple[Link, ...]:
        """The links in a block; what only looks like one, without an address, is none."""
        if not any(mark.kind == "link" for mark in draft.marks):
            return ()
        found: list[Link] = []
        last: LayoutBox | None = None
        ends = [at for at, _ in draft.owners[1:]]
        for (start, owner), end in zip(draft.owners, [*ends, len(draft.text)], strict=True):
            link = owner.nearest("a")
            if link is not None and link is last:
                found[-1] = replace(found[-1], end=end)
            elif link is not None and (address := link.attributes.get("href", "").strip()):
                last = link
                found.append(Link(start, end, _absolute(self.flow.frames[draft.frame].base, address)))
            else:
                last = None
        trimmed = (replace(each, end=len(draft.text[: each.end].rstrip())) for each in found)
        return tuple(each for each in trimmed if each.url and each.start < each.end)

    def _governors(self, draft: Draft) -> tuple[Governor, ...]:
        """What governs a block; blocks with the same governors share them."""
        place = draft.place
        key = (
            *(draft.heading, place.question, place.leads, place.terms, place.groups),
            *(draft.colon, draft.answer, draft.notes),
        )
        found = self.governors.get(key)
        if found is None:
            found = tuple(Governor(kind, other.index) for kind, other in draft.governors())
            self.governors[key] = found
        if found and any(governor.block == draft.index for governor in found):
            return tuple(governor for governor in found if governor.block != draft.index)
        return found

    def table(self, table: TableDraft, held: Mapping[tuple[int, int], Sequence[Draft]]) -> Table:
        """A table; ``held`` are the blocks in each cell, by the container of its steps and its index."""
        cells = []
        drafts = [held.get((table.container, at), ()) for at in range(len(table.grid.cells))]
        undrawn = tables.undrawn(table.grid, [bool(own) for own in drafts])
        for at, (cell, own) in enumerate(zip(table.grid.cells, drafts, strict=True)):
            rect = cell.box.rect
            cells.append(
                Cell(
                    text=own[0].text if len(own) == 1 else " ".join([draft.text for draft in own]),
                    row=cell.row,
                    column=cell.column,
                    width=cell.width,
                    height=cell.height,
                    header=cell.header,
                    scope=cell.scope,
                    blocks=tuple([draft.index for draft in own]),
                    box=Box(0, 0, *rect) if rect is not None else None,
                    absent=at in undrawn,
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
            row_count=int(rows) if (rows := table.box.attributes.get("aria-rowcount", "")).isdecimal() else 0,
            frame=table.frame,
            node=table.box.node,
            css_path=self.flow.frames[table.frame].paths.of(table.box.node),
        )


def _absolute(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return ""
