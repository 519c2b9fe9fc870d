"""Finding the cited words, cells or picture in the tree of a captured page.

What cannot be placed with certainty is not placed: the wrong place marked would be worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lxml import etree

from verifaible.anchoring.fold import fold
from verifaible.evidence.framed.css import unescaped
from verifaible.evidence.framed.text import Piece, TreeText, texts_of, tree_text
from verifaible.extract.tables import form_grid
from verifaible.schema.citation import Anchor
from verifaible.schema.table import Grid, RawTable

_STEP = re.compile(r"(?P<tag>[^\s#:>]+)(?::nth-of-type\((?P<nth>\d+)\))?(?::not\(\* > \*\))?\Z")
_ROW_ROLES = ("cell", "gridcell", "columnheader", "rowheader")
#: Elements in which no other elements may stand.
_WHOLE = frozenset({"svg", "math", "option", "select", "textarea"})
_TABLE_ROLES = ("table", "grid", "treegrid")


@dataclass(slots=True)
class Marks:
    """What is to be marked in a tree.

    Attributes:
        words: parts of strings, by the string.
        cells: the cited cells, in order.
        lines: the cells of the row and the column that lead to a cited cell.
        outlined: a table or an image that is cited as a whole.
    """

    words: dict[Piece, list[tuple[int, int]]] = field(default_factory=dict)
    cells: list[etree._Element] = field(default_factory=list)
    lines: list[etree._Element] = field(default_factory=list)
    outlined: etree._Element | None = None

    def __bool__(self) -> bool:
        return bool(self.words or self.cells or self.outlined is not None)

    def add(self, spans: Sequence[tuple[Piece, int, int]]) -> None:
        """Mark parts of strings."""
        for piece, start, end in spans:
            self.words.setdefault(piece, []).append((start, end))


def resolve(root: etree._Element, path: str) -> etree._Element | None:
    """The element that a CSS path of an anchor leads to; None where the tree has none, or several."""
    if not path or " >>> " in path:
        return None
    steps = path.split(" > ")
    node: etree._Element | None
    if steps[0].startswith("#"):
        wanted = unescaped(steps[0][1:])
        found = [each for each in root.iter() if isinstance(each.tag, str) and each.get("id") == wanted]
        node = found[0] if len(found) == 1 else None
        steps = steps[1:]
    else:
        node = root if steps[0] == root.tag else None
        steps = steps[1:]
    for step in steps:
        match = _STEP.match(step)
        if node is None or match is None:
            return None
        same = node.findall(f"./{unescaped(match['tag'])}") if _plain_tag(match["tag"]) else []
        index = int(match["nth"] or 1) - 1
        node = same[index] if index < len(same) else None
    return node


def _plain_tag(tag: str) -> bool:
    return re.fullmatch(r"[\w-]+", tag) is not None


# --- words


def place_words(root: etree._Element, anchor: Anchor, page_text: str) -> Marks:
    """The cited words of a page.

    Args:
        root: the tree.
        anchor: where they were found.
        page_text: the text of the page that ``anchor.start`` counts in.
    """
    marks = Marks()
    body = next(root.iter("body"), root)
    scope = resolve(root, anchor.css_path)
    for text in texts_of(body):
        found = text.occurrences(anchor.text)
        chosen = _chosen(text, found, anchor, page_text, scope)
        if chosen is not None:
            spans = text.spans(*chosen)
            if not any(_unmarkable(piece.holder) for piece, _, _ in spans):
                marks.add(spans)
            break
    return marks


def _unmarkable(element: etree._Element) -> bool:
    """Whether a mark among the words of an element would break what is around it."""
    return any(each.tag in _WHOLE for each in (element, *element.iterancestors()))


def _chosen(
    text: TreeText,
    found: list[tuple[int, int]],
    anchor: Anchor,
    page_text: str,
    scope: etree._Element | None,
) -> tuple[int, int] | None:
    """The one occurrence that is meant; None where nothing tells it from the others."""
    inside = found
    if scope is not None:
        inside = [span for span in found if _is_in(text, span, scope)]
        if len(inside) == 1:
            return inside[0]
    if not inside:
        return None
    alike = [span for span in inside if _has_context(text, span, anchor)]
    if len(alike) == 1:
        return alike[0]
    # The same number of places here and in what the browser read: they correspond one by one.
    there = TreeText(page_text).occurrences(anchor.text)
    if len(there) == len(found) and anchor.start is not None:
        number = next((n for n, (start, _) in enumerate(there) if start == anchor.start), -1)
        if number >= 0 and found[number] in (alike or inside):
            return found[number]
    return None


def _is_in(text: TreeText, span: tuple[int, int], scope: etree._Element) -> bool:
    pieces = text.spans(*span)
    ends = [pieces[0][0].holder, pieces[-1][0].holder] if pieces else []
    return bool(ends) and all(end is scope or scope in end.iterancestors() for end in ends)


def _has_context(text: TreeText, span: tuple[int, int], anchor: Anchor) -> bool:
    """Whether an occurrence has the words before and after it that the anchor names, folded alike."""
    before, after = fold(anchor.prefix).text, fold(anchor.suffix).text
    reach = 4 * (len(anchor.prefix) + len(anchor.suffix)) + 200
    start, end = span
    left = fold(text.text[max(0, start - reach) : start]).text
    right = fold(text.text[end : end + reach]).text
    return left.endswith(before) and right.startswith(after)


# --- tables


def place_cells(root: etree._Element, anchor: Anchor, raw: RawTable) -> Marks:
    """The cited cells of a table, with the row and the column that lead to them.

    Args:
        root: the tree.
        anchor: which slots are cited.
        raw: the table as the browser read it: rows and cells that were not shown are not in it.
    """
    marks = Marks()
    table = resolve(root, anchor.css_path)
    if table is None or anchor.table is None:
        return marks
    if anchor.table.mode == "table":
        said, cited = fold(tree_text(table).text).text, fold(raw.rows[0][0].text if raw.rows else "")
        if cited.text in said:
            marks.outlined = table
        return marks
    sources = _matched_cells(table, raw)
    grid = form_grid(raw)
    cells = [sources.get(source) for source in _sources(grid, anchor.table.cells)]
    if not cells or any(cell is None for cell in cells):
        return marks
    marks.cells = [cell for cell in cells if cell is not None]
    if not _says(marks.cells, anchor):
        return Marks()
    for cell in marks.cells:
        text = tree_text(cell, nested_tables=False)
        marks.add(text.spans(0, len(text.text)))
    if anchor.table.mode == "crosshair":
        cross = (sources.get(source) for source in _sources(grid, _cross(grid, anchor)))
        marks.lines = [cell for cell in cross if cell is not None and cell not in marks.cells]
    return marks


def _says(cells: Sequence[etree._Element], anchor: Anchor) -> bool:
    """Whether the cells hold the cited words, all of them in order."""
    words = "".join(tree_text(cell, nested_tables=False).text for cell in cells)
    return fold(words).text == fold(anchor.text).text


def _cross(grid: Grid, anchor: Anchor) -> list[tuple[int, int]]:
    assert anchor.table is not None
    slots = anchor.table.cells
    rows, columns = {row for row, _ in slots}, {column for _, column in slots}
    return [(row, column) for row in sorted(rows) for column in range(grid.width)] + [
        (row, column) for column in sorted(columns) for row in range(grid.height)
    ]


def _sources(grid: Grid, slots: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    inside = ((row, column) for row, column in slots if row < grid.height and column < grid.width)
    found = (grid.at(row, column) for row, column in inside)
    return list(dict.fromkeys(cell.source for cell in found if cell is not None))


def _matched_cells(table: etree._Element, raw: RawTable) -> dict[tuple[int, int], etree._Element]:
    """The element of each cell that the browser read, by (row, position); of those that are certain."""
    rows = [_cells_of(row) for row in _rows_of(table)]
    said = [[fold(tree_text(cell, nested_tables=False).text).text for cell in row] for row in rows]
    wanted = [[fold(cell.text).text for cell in row] for row in raw.rows]
    matched: dict[tuple[int, int], etree._Element] = {}
    for row, here in enumerate(_aligned(wanted, said)):
        if here < 0:
            continue
        for position, place in enumerate(_aligned_words(wanted[row], said[here])):
            if place >= 0:
                matched[row, position] = rows[here][place]
    return matched


def _aligned(wanted: list[list[str]], said: list[list[str]]) -> list[int]:
    """Which row of the tree each row is; -1 where that is not certain."""
    if [len(row) for row in wanted] == [len(row) for row in said]:
        return list(range(len(wanted)))

    def fits(row: int, here: int) -> bool:
        return _is_part(wanted[row], said[here])

    return _both_ways(len(wanted), len(said), fits)


def _aligned_words(wanted: list[str], said: list[str]) -> list[int]:
    if len(wanted) == len(said):
        return list(range(len(wanted)))
    return _both_ways(len(wanted), len(said), lambda one, other: wanted[one] == said[other])


def _both_ways(count: int, there: int, fits: Callable[[int, int], bool]) -> list[int]:
    """The order-keeping assignment, where the earliest and the latest possible one agree."""
    early, late = [-1] * count, [-1] * count
    at = 0
    for index in range(count):
        while at < there and not fits(index, at):
            at += 1
        if at == there:
            return [-1] * count
        early[index] = at
        at += 1
    at = there - 1
    for index in reversed(range(count)):
        while not fits(index, at):
            at -= 1
        late[index] = at
        at -= 1
    return [one if one == other else -1 for one, other in zip(early, late, strict=True)]


def _is_part(some: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return len(some) <= len(whole) and all(each in rest for each in some)


def _rows_of(table: etree._Element) -> list[etree._Element]:
    """The rows in the order of WHATWG's "forming a table": head, bodies, foot last."""
    if table.tag != "table":
        rows = (each for each in table.iter() if each.get("role") == "row")
        return [row for row in rows if _table_around(row) is table]
    bodies: list[etree._Element] = []
    feet: list[etree._Element] = []
    for child in table:
        if child.tag == "tr":
            bodies.append(child)
        elif child.tag in ("thead", "tbody", "tfoot"):
            (feet if child.tag == "tfoot" else bodies).extend(child.findall("tr"))
    return bodies + feet


def _table_around(row: etree._Element) -> etree._Element | None:
    return next((each for each in row.iterancestors() if each.get("role") in _TABLE_ROLES), None)


def _cells_of(row: etree._Element) -> list[etree._Element]:
    if row.tag == "tr":
        return [cell for cell in row if cell.tag in ("td", "th")]
    return [cell for cell in row.iter() if cell.get("role") in _ROW_ROLES]
