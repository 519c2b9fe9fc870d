"""The table of an existing citation, found again on the page: which one it is, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from verifaible.browser.reading import FrameTable
from verifaible.evidence.observing.material import PageMaterial
from verifaible.old.anchoring.diff import word_diff
from verifaible.old.anchoring.fold import fold
from verifaible.old.anchoring.order import TextOrder
from verifaible.old.anchoring.tables.again import (
    find_edited,
    keeps_order,
    likeness,
    locate_again,
    span_in,
)
from verifaible.old.anchoring.tables.locate import TableMatch
from verifaible.old.anchoring.tables.titles import same_table
from verifaible.schema.anchor import Anchor, AnchorRequest, TableAnchor
from verifaible.schema.check import DiffToken, Verdict
from verifaible.schema.table import Grid

#: Tables that share this much are the same table, edited: half of the headers, or more of headers and rows.
_SAME_TABLE = 0.5


@dataclass(frozen=True, slots=True)
class Again:
    """What became of a cited place of a table; ``table`` is the index of its table now, -1 for none."""

    verdict: Verdict
    match: TableMatch
    table: int
    difference: tuple[DiffToken, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cited:
    """What was cited: its anchor, and the page and the table of then, where they are at hand."""

    anchor: Anchor
    table: TableAnchor
    page: PageMaterial | None
    grid: Grid | None

    def reads(self, match: TableMatch) -> bool:
        return _spaced(match.text) == _spaced(self.anchor.text)


def find_cell_again(
    material: PageMaterial, request: AnchorRequest, previous: Anchor, sealed: PageMaterial | None
) -> Again:
    """Find a cited place of a table.

    Args:
        material: the page now.
        request: what was asked for when it was cited.
        previous: the anchor of then.
        sealed: the page of then, where it is at hand.
    """
    assert previous.table is not None
    at = _index_of(sealed, previous)
    then = sealed.grids[at] if sealed is not None and at >= 0 else None
    cited = _Cited(previous, previous.table, sealed, then)

    def looked_for(index: int) -> TableMatch:
        return locate_again(material.grids[index], cited.table, request.row, request.column, then)

    own = _the_table(material, cited)
    if own >= 0:
        return _in_table(material, own, looked_for(own), cited)
    # Its table is not there: the same value under the same headers of another one has moved there.
    others = [(index, looked_for(index)) for index in range(len(material.tables))]
    same = [(index, match) for index, match in others if match.anchor and cited.reads(match)]
    if len(same) == 1:
        return Again("moved", same[0][1], same[0][0])
    return Again("gone", TableMatch("gone", missing="table"), -1)


def _in_table(material: PageMaterial, index: int, match: TableMatch, cited: _Cited) -> Again:
    """What became of the place in its table: where its headers are, or not."""
    grid, where = material.grids[index], material.tables[index]
    if match.anchor is None:
        edited = cited.grid and find_edited(grid, cited.table, cited.anchor.text, cited.grid, match)
        if edited:
            return Again("changed", edited.match, index, word_diff(edited.old, edited.new))
        return Again(match.status, match, index)
    if not cited.reads(match):
        return Again("changed", match, index, word_diff(cited.anchor.text, match.text))
    verdict, difference = same_table(cited.table, match.anchor.model_copy(update={"heading": where.heading}))
    if verdict == "verified" and not _at_place(material, index, match.anchor, cited):
        return Again("moved", match, index)
    return Again(verdict, match, index, difference)


def _spaced(text: str) -> str:
    return fold(text, keep_space=True).text


def _index_of(page: PageMaterial | None, anchor: Anchor) -> int:
    """The table at the place in the mark-up that an anchor names; -1 for none."""
    tables = page.tables if page is not None else ()
    places = [(each.frame_path, each.table.css_path) for each in tables]
    wanted = (anchor.frame_path, anchor.css_path)
    return places.index(wanted) if wanted in places else -1


def _the_table(material: PageMaterial, cited: _Cited) -> int:
    """The table that is the cited one now: by its title, by what it holds, by its place; -1 for none."""
    here, then = _index_of(material, cited.anchor), cited.grid
    titled = [index for index, where in enumerate(material.tables) if _titled(where, cited.table)]
    if len(titled) == 1 or cited.page is None or then is None:
        return here if here in titled or len(titled) != 1 else titled[0]
    ranked = [
        (likeness(material.grids[index], then), index == here, -index)
        for index in titled or range(len(material.tables))
    ]
    best, _, number = max(ranked, default=(0.0, False, 1))
    if best < _SAME_TABLE:
        return here
    # One that is more like another table of then is that one, and the cited one was taken away.
    rivals = (likeness(material.grids[-number], grid) for grid in cited.page.grids if grid is not then)
    return -number if all(rival <= best for rival in rivals) else -1


def _titled(where: FrameTable, cited: TableAnchor) -> bool:
    """Whether a table has the title (the caption, or else the heading) of the cited one."""
    if cited.caption:
        return fold(where.table.caption).text == fold(cited.caption).text
    return bool(cited.heading) and fold(where.heading).text == fold(cited.heading).text


def _at_place(material: PageMaterial, index: int, found: TableAnchor, cited: _Cited) -> bool:
    """Whether a row, a column and their table have their order among what is left of the page."""
    where, grid = material.tables[index], material.grids[index]
    if where.frame_path != cited.anchor.frame_path:
        return False
    if cited.page is None or cited.grid is None:
        return where.table.css_path == cited.anchor.css_path and found.cells == cited.table.cells
    if not keeps_order(grid, found, cited.grid, cited.table):
        return False
    before, now = span_in(cited.page.page.text, cited.grid), span_in(material.page.text, grid)
    if before is None or now is None:
        return True
    return TextOrder(cited.page.page.text, *before, material.page.text).holds(*now) is not False
