"""A cited place of a table found again: the same headers, in the same order among those that are left.

A row or a column that is not there any more is gone: never is another one taken for it, however much alike
their headers are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from rapidfuzz.distance import Levenshtein

from verifaible.anchoring.cells import Located, Names, locate, named, titles
from verifaible.anchoring.diff import word_diff
from verifaible.anchoring.evidence import Found, placed_cells
from verifaible.anchoring.headers import SEPARATOR, Headers, Line, is_number, joins, row_cells
from verifaible.anchoring.names import Named, resolve, same_header
from verifaible.anchoring.order import Order, Sentences
from verifaible.anchoring.relocate import compared_structure
from verifaible.anchoring.structure import headers_of
from verifaible.extract.document import Document, Table
from verifaible.extract.drafts import COLONS
from verifaible.schema.anchor import Anchor, AnchorRequest, Structure, TableAnchor
from verifaible.schema.check import DiffToken, Verdict
from verifaible.text.equivalence import folded, says_same

#: Tables that share this much are the same table, edited: half of the headers, or more of headers and rows.
_SAME_TABLE = 0.5
#: A header is the same, edited, if at most a third of it was, or if it keeps one of several levels.
_ALIKE = 2 / 3
#: The axes along which a place is one: rows (0), columns (1).
_AXES: Final[dict[str, tuple[Literal[0, 1], ...]]] = {
    "crosshair": (0, 1),
    "row": (0,),
    "column": (1,),
    "table": (),
}


@dataclass(frozen=True, slots=True)
class _Cited:
    """What was cited; ``then`` is its table in the earlier Document, which is None where it is not in one."""

    anchor: Anchor
    table: TableAnchor
    request: AnchorRequest
    earlier: Document | None
    then: int

    def looked_for(self, document: Document, at: int) -> Located:
        """The place under the very headers that it had, footnote marks included."""
        lines = headers_of(self.earlier, self.then).rows if self.earlier is not None else ()
        own = [line for line in lines if line.labels == self.table.row_path]
        keys = {folded(text) for line in own for text in line.keys if _asks(self.request.row, text)}
        row = _same_lines(self.request.row, self.table.row_path, keys)
        return locate(document, at, row, _same_lines(self.request.column, self.table.column_path))

    def reads(self, found: Located) -> bool:
        """Whether cells say what they said."""
        then, now = self.anchor.text.split("\n"), found.text.split("\n")
        cells = [line.split("\t") for line in then], [line.split("\t") for line in now]
        if [len(line) for line in cells[0]] != [len(line) for line in cells[1]]:
            return False
        pairs = zip(*cells, strict=True)
        return all(says_same(a, b) for one, other in pairs for a, b in zip(one, other, strict=True))


def cells_again(
    document: Document, anchor: Anchor, earlier: Document | None, request: AnchorRequest
) -> Found:
    """Find a cited place of a table again; arguments as of :func:`verifaible.anchoring.find.find_again`."""
    assert anchor.table is not None
    then = _index_of(earlier, anchor) if earlier is not None else -1
    cited = _Cited(anchor, anchor.table, request, earlier if then >= 0 else None, then)
    at = _the_table(document, cited)
    if at >= 0:
        return _in_table(document, at, cited.looked_for(document, at), cited)
    # Its table is not there: the same value under the same headers of another one has moved there.
    others = [(number, cited.looked_for(document, number)) for number in range(len(document.tables))]
    same = [(number, found) for number, found in others if found.anchor and cited.reads(found)]
    if len(same) != 1:
        return Found("gone", missing="table")
    return replace(placed_cells(document, *same[0]), verdict="moved")


def _in_table(document: Document, at: int, found: Located, cited: _Cited) -> Found:
    """What became of the place in its table: where its headers are, or not."""
    placed = placed_cells(document, at, found)
    if found.anchor is None:
        return _edited_place(document, at, found, cited) or placed
    if not cited.reads(found):
        difference = word_diff(cited.anchor.text, found.text)
        return replace(placed, verdict="changed", nearest=found.text, difference=difference)
    verdict, difference = _same_heads(cited.table, found.anchor)
    if verdict == "verified" and placed.anchor is not None:
        then, now = map(_titles, (cited.anchor.structure, placed.anchor.structure))
        verdict, difference = compared_structure(then, now, of_table=True)
    if verdict == "verified" and not _at_place(document, at, found.anchor, cited):
        verdict = "moved"
    return replace(placed, verdict=verdict, difference=difference)


def _titles(structure: Sequence[Structure]) -> tuple[Structure, ...]:
    """What names a table, and what leads in to it; a sentence that only stands before it does not."""
    leads = (each for each in structure if each.kind != "lead_in" or each.text.rstrip().endswith(COLONS))
    return tuple(each for each in leads if each.kind in ("heading", "caption", "lead_in"))


def _same_heads(then: TableAnchor, now: TableAnchor) -> tuple[Verdict, tuple[DiffToken, ...]]:
    """Whether the header paths, units among them, say the same."""
    for old, new in ((then.row_path, now.row_path), (then.column_path, now.column_path)):
        if len(old) == len(new) and all(map(same_header, old, new)):
            continue
        difference = word_diff(SEPARATOR.join(old), SEPARATOR.join(new))
        # The arrow of a sorted column says nothing.
        if any(token.op != "same" and any(map(str.isalnum, token.text)) for token in difference):
            return "changed", difference
    return "verified", ()


# --- the same headers


def _same_lines(
    request: tuple[str, ...], labels: tuple[str, ...], keys: Set[str] = frozenset()
) -> Names | None:
    """What finds cited rows or columns again by their headers; messages show those of then.

    ``keys`` are the cells of a row by which it was named, folded, where they are known.
    """
    names = named(request)
    return Names(labels, partial(_with_labels, names.texts, labels, keys)) if names else None


def _with_labels(
    anchors: tuple[str, ...], labels: tuple[str, ...], keys: Set[str], lines: Sequence[Line]
) -> Named:
    """The lines that still have these headers; of several cited lines each under its own."""
    by_header = any(_asks(anchors, label) for label in (*labels, *joins(labels)))
    ranked = [line.labels[:1] for line in lines] == [(str(n),) for n in range(1, len(lines) + 1)]
    # the rank of a row that was not named by it tells nothing
    ranked = ranked and bool(labels) and is_number(labels[0]) and not _asks(anchors, labels[0])
    said = [_said(label) for label in labels[ranked:]]
    found = tuple(
        line
        for line in lines
        if [_said(label) for label in line.labels[ranked:]] == said
        and (by_header or (keys <= set(map(folded, line.keys)) if keys else resolve([line], anchors).lines))
    )
    if found or len(labels) < 2:
        return Named(found)
    each = [[line for line in lines if folded(line.shown) == folded(shown)] for shown in labels]
    one_each = all(len(one) == 1 for one in each)
    return Named(tuple(one[0] for one in each) if one_each else (), several=True)


def _said(label: str) -> str:
    """A header as it is compared: with its notes, without the arrow of a sorted column."""
    text = " ".join(unicodedata.normalize("NFKC", label).casefold().split())
    signs = "".join(char for char in text if unicodedata.category(char) in ("So", "Sm"))
    return text.strip(signs + " ") or text


def _asks(anchors: tuple[str, ...], text: str) -> bool:
    """Whether an anchor names a text, whole or by a part of it."""
    return any(resolve([Line((), (), (text,), (text,))], (anchor,)).lines for anchor in anchors)


def _edited_place(document: Document, at: int, match: Located, cited: _Cited) -> Found | None:
    """The row or column whose header was edited, where it is certain that it is that one.

    It has a new header, much like the one that is missing or with words more or less, stands at the place of
    that one, and holds the cited text.
    """
    if cited.earlier is None or match.missing not in ("row", "column"):
        return None
    by_row = match.missing == "row"
    path = cited.table.row_path if by_row else cited.table.column_path
    known = {line.labels for line in _lines(headers_of(cited.earlier, cited.then), by_row=by_row)}
    found = []
    for line in _lines(headers_of(document, at), by_row=by_row):
        if line.labels in known or not _is_edited(path, line.labels):
            continue
        rows = line.labels if by_row else cited.table.row_path
        columns = cited.table.column_path if by_row else line.labels
        again = replace(
            cited,
            table=cited.table.model_copy(update={"row_path": rows, "column_path": columns}),
            request=cited.request.model_copy(update={"row": rows, "column": columns}),
        )
        there = again.looked_for(document, at)
        if there.anchor and cited.reads(there) and _keeps_order(document, at, there.anchor, cited):
            found.append((line.shown, there))
    if len(found) != 1:
        return None
    difference = word_diff(SEPARATOR.join(path), found[0][0])
    return replace(placed_cells(document, at, found[0][1]), verdict="changed", difference=difference)


def _lines(headers: Headers, *, by_row: bool) -> tuple[Line, ...]:
    return headers.rows if by_row else headers.columns


def _is_edited(path: tuple[str, ...], labels: tuple[str, ...]) -> bool:
    if len(path) == len(labels) > 1 and any(
        folded(a) == folded(b) for a, b in zip(path, labels, strict=True)
    ):
        return True  # "Rate, in millions" that is "Rate, in thousands" now
    old, new = (folded(SEPARATOR.join(each)) for each in (path, labels))
    if not any(map(str.isalpha, old + new)):
        return False  # another year, another rank
    return old in new or new in old or Levenshtein.normalized_similarity(old, new) >= _ALIKE


# --- which table, and where


def _index_of(document: Document, anchor: Anchor) -> int:
    """The table at the place in the mark-up that an anchor names; -1 for none."""
    for at, table in enumerate(document.tables):
        if (document.frames[table.frame].path, table.css_path) == (anchor.frame_path, anchor.css_path):
            return at
    return -1


def _the_table(document: Document, cited: _Cited) -> int:
    """The table that is the cited one now: by its title, by what it holds, by its place; -1 for none."""
    here = _index_of(document, cited.anchor)
    titled = [at for at in range(len(document.tables)) if _is_titled(document, at, cited.table)]
    if len(titled) == 1 or cited.earlier is None:
        return here if here in titled or len(titled) != 1 else titled[0]
    ranked = [
        (_likeness(document, at, cited.earlier, cited.then), at == here, -at)
        for at in titled or range(len(document.tables))
    ]
    best, _, number = max(ranked, default=(0.0, False, 1))
    if best < _SAME_TABLE:
        return here
    # One that is more like another table of then is that one, and the cited one was taken away.
    others = [at for at in range(len(cited.earlier.tables)) if at != cited.then]
    rivals = (_likeness(document, -number, cited.earlier, at) for at in others)
    return -number if all(rival <= best for rival in rivals) else -1


def _is_titled(document: Document, at: int, cited: TableAnchor) -> bool:
    """Whether a table has the title (the caption, or else the heading) of the cited one."""
    caption, heading = titles(document, document.tables[at])
    if cited.caption:
        return folded(caption) == folded(cited.caption)
    return bool(cited.heading) and folded(heading) == folded(cited.heading)


def _likeness(document: Document, at: int, earlier: Document, then: int) -> float:
    """How much of two tables is the same, 0 to 2: of their headers, and of their rows as they read."""
    here, there = (
        ({*_keys(source, table, 0), *_keys(source, table, 1)}, set(_rows(source.tables[table])))
        for source, table in ((document, at), (earlier, then))
    )
    return sum(len(a & b) / max(1, len(a | b)) for a, b in zip(here, there, strict=True))


def _rows(table: Table) -> Iterator[str]:
    for row in range(table.height):
        yield "\0".join(folded(cell.text) for cell in row_cells(table, row))


def _keys(document: Document, at: int, axis: Literal[0, 1]) -> list[str]:
    """What heads each row (0) or column (1)."""
    table, headers = document.tables[at], headers_of(document, at)
    keys = [""] * (table.width if axis else table.height)
    for line in _lines(headers, by_row=not axis):
        keys[(line.columns if axis else line.rows)[0]] += "\0".join(map(folded, line.labels))
    return keys


def _keeps_order(document: Document, at: int, found: TableAnchor, cited: _Cited) -> bool:
    """Whether a place has its order among the rows and columns that are left, told by their headers."""
    if cited.earlier is None:
        return found.cells == cited.table.cells
    for axis in _AXES[found.mode]:
        before, now = _keys(cited.earlier, cited.then, axis), _keys(document, at, axis)
        then, lines = ([slot[axis] for slot in each.cells] for each in (cited.table, found))
        order = Order(before, (min(then), max(then)), now)
        if order.holds(min(lines), max(lines)) is False:
            return False
    return True


def _at_place(document: Document, at: int, found: TableAnchor, cited: _Cited) -> bool:
    """Whether a row, a column and their table have their order among what is left of the page."""
    table = document.tables[at]
    if document.frames[table.frame].path != cited.anchor.frame_path:
        return False
    if cited.earlier is None:
        return table.css_path == cited.anchor.css_path and found.cells == cited.table.cells
    if not _keeps_order(document, at, found, cited):
        return False
    before, now = _sentences(cited.earlier, cited.then), _sentences(document, at)
    if before is None or now is None:
        return True
    return (
        Order(Sentences.of(cited.earlier).keys, before, Sentences.of(document).keys).holds(*now) is not False
    )


def _sentences(document: Document, at: int) -> tuple[int, int] | None:
    """The first and the last sentence of a table; None where it holds no words."""
    numbers = [number for cell in document.tables[at].cells for number in cell.blocks]
    if not numbers:
        return None
    listed = Sentences.of(document)
    last = document.blocks[max(numbers)]
    return listed.at(min(numbers), 0), listed.at(max(numbers), max(0, len(last.text) - 1))
