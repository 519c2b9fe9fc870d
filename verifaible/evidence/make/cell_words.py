"""Whether words given together with a table cell are words of that cell."""

from __future__ import annotations

from verifaible.anchoring.fold import fold
from verifaible.anchoring.headers import find_headers
from verifaible.anchoring.numbers import find_numbers
from verifaible.schema.citation import Anchor
from verifaible.schema.table import Grid


def foreign_word(grid: Grid, anchor: Anchor, quote: str, page_text: str) -> str:
    """The first word or number of a quote that is not of the cell, its row or its headers.

    The highlight shows the cell, so a number from anywhere else on the page is foreign, as is the
    name of another row; a word of the text around the table may stand beside it. Of two blocks
    side by side in one row only the cell's own counts.

    Returns:
        The foreign word, or an empty string where there is none.
    """
    assert anchor.table is not None
    slots, rows = anchor.table.cells, find_headers(grid).rows
    own = [
        line for line in rows if any(row == line.row and line.first <= at < line.last for row, at in slots)
    ]
    covered = [(line.row, at) for line in own for at in range(line.first, line.last)]
    texts = [cell.text for slot in covered if (cell := grid.at(*slot))]
    near = "\n".join((*texts, anchor.text, *anchor.table.row_path, *anchor.table.column_path, grid.caption))
    numbers = {number.value for number in find_numbers(near)}
    for number in find_numbers(quote):
        if number.role == "value" and number.value not in numbers:
            return number.raw
    others = {fold(label).text for line in rows if line not in own for label in line.path}
    page, beside = fold(page_text).text, fold(near).text
    for word in quote.split():
        folded = fold(word).text
        if folded not in beside and (folded in others or folded not in page):
            return word
    return ""
