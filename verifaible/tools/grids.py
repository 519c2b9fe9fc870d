"""Tables shown to a model: the header, and the rows it needs."""

from __future__ import annotations

from collections.abc import Iterable

from verifaible.schema.table import Grid
from verifaible.tools.presenting import shorten

#: A row longer than this is shortened in an excerpt; web_fetch shows it whole.
_LONGEST_ROW = 1_200


def table_excerpt(grid: Grid, rows: int, *, only: Iterable[int] = (), longest: int = 4_000) -> str:
    """A table as Markdown: its header and first rows, or those that ``only`` names.

    Args:
        grid: the table.
        rows: most body rows that are shown.
        only: rows of the grid, counted from 0; empty for the first ones.
        longest: characters after which no further row is shown.
    """
    from verifaible.extract.tables import grid_to_markdown, header_rows

    lines = grid_to_markdown(grid).splitlines()
    rule = next((index for index, line in enumerate(lines) if line.startswith("| ---")), -1)
    if rule < 0:
        return "\n".join(lines)
    head, body = lines[: rule + 1], lines[rule + 1 :]
    first = header_rows(grid)
    wanted = [row - first for row in only if 0 <= row - first < len(body)] or list(range(len(body)))
    out = [shorten(line, _LONGEST_ROW) for line in head]
    shown = 0
    for index in wanted[:rows]:
        if shown and sum(map(len, out)) + len(body[index]) > longest:
            break
        out.append(shorten(body[index], _LONGEST_ROW))
        shown += 1
    left = len(body) - shown
    return "\n".join([*out, f"… {left} other rows"] if left else out)
