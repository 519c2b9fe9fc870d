"""Tables as the page gives them, and as grids in which every slot knows its cell."""

from __future__ import annotations

from typing import Literal

from verifaible.schema.base import Record


class RawCell(Record):
    """A ``td`` or ``th`` (or an ARIA cell) as it stands in the source, spans not yet spread.

    ``text`` is what a reader sees in it, with line breaks and runs of white space folded to
    one blank. ``scope`` is the ``scope`` attribute, or an ARIA role's equivalent.
    ``rowspan`` 0 means "to the end of the row group", as HTML defines it.
    ``absent``: nothing is drawn in this place of a grid, which is no empty cell.
    """

    text: str
    rowspan: int = 1
    colspan: int = 1
    header: bool = False
    scope: Literal["", "row", "col", "rowgroup", "colgroup"] = ""
    absent: bool = False


class RawTable(Record):
    """A table in source order: head rows first, then body rows, then foot rows.

    ``groups`` holds the number of rows of each row group (thead, tbody, …, tfoot) in order;
    ``head_rows`` how many of the first rows belong to ``thead``. ``css_path`` finds the
    table element in its frame.
    """

    css_path: str = ""
    caption: str = ""
    rows: tuple[tuple[RawCell, ...], ...]
    groups: tuple[int, ...] = ()
    head_rows: int = 0


class GridCell(Record):
    """A cell placed in the grid.

    ``row`` and ``column`` are the slot of its top left corner, counted from 0; ``width`` and
    ``height`` the slots it covers; ``source`` its (row, position) in :class:`RawTable`.
    """

    text: str
    row: int
    column: int
    width: int
    height: int
    header: bool
    scope: Literal["", "row", "col", "rowgroup", "colgroup"] = ""
    source: tuple[int, int]


class Grid(Record):
    """A table after WHATWG's "forming a table".

    ``slots[row][column]`` is an index into ``cells``, or -1 where no cell covers the slot.
    """

    width: int
    height: int
    cells: tuple[GridCell, ...]
    slots: tuple[tuple[int, ...], ...]
    head_rows: int = 0
    caption: str = ""
    css_path: str = ""

    def at(self, row: int, column: int) -> GridCell | None:
        """The cell that covers a slot, or None where no cell does."""
        index = self.slots[row][column]
        return self.cells[index] if index >= 0 else None
