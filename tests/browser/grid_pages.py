"""Pages with grids from npm: the suite ``grid_pages``.

The cell of row ``r`` and column ``c`` holds ``10000 + 100 r + c``, so that every wrong one shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.kit import suites

#: Exact versions, so that a failure is ours and not a new release's.
PACKAGES = {
    "ag-grid-community": "36.2.0",
    "tabulator-tables": "6.5.3",
    "handsontable": "18.1.1",
    "datatables.net": "3.1.5",
    "jquery": "4.0.0",
    "antd": "5.29.3",
    "react": "18.3.1",
    "react-dom": "18.3.1",
    "dayjs": "1.11.23",
    "element-plus": "2.14.8",
    "vue": "3.5.45",
}

ROWS, COLUMNS = 120, 12


@dataclass(frozen=True, slots=True)
class GridPage:
    """A grid library: the files it needs (paths in ``node_modules``), the page, and how it is shown.

    ``variants``: as it comes, with headers over headers, with columns that stay, that were moved, sorted,
    scrolled to, a second page.
    """

    name: str
    files: tuple[str, ...]
    data: str
    body: str
    variants: tuple[str, ...]

    def html(self) -> str:
        """The body of the page."""
        tags = [
            f'<link rel="stylesheet" href="/lib/{path}">'
            if path.endswith(".css")
            else f'<script src="/lib/{path}"></script>'
            for path in self.files
        ]
        return f"<h1>{self.name}</h1>{self.data}{''.join(tags)}{self.body}"


def _text(name: str) -> str:
    return (suites.ROOT / name).read_text(encoding="utf-8")


GRIDS = tuple(
    GridPage(
        row.id,
        tuple(row.input["libraries"]),
        _text(row.input["data"]["file"]),
        _text(row.input["file"]),
        tuple(row.expect["variants"]),
    )
    for row in suites.load("grid_pages")
)
