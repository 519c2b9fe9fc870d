"""Cells of grids in several containers: the right one or none. The real libraries from npm are tried nightly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Site
from tests.browser.grid_pages import COLUMNS, GRIDS, NESTED, PACKAGES, PANES, ROWS, TABLES, GridPage
from tests.browser.npm import npm_install
from tests.kit import suites
from verifaible.browser.warm import Browser
from verifaible.errors import AnchorAmbiguous, AnchorNotFound, SearchIncomplete
from verifaible.evidence.mark import draw, refuse_hidden
from verifaible.evidence.observe import observe
from verifaible.evidence.place import place
from verifaible.evidence.refusal import found_in
from verifaible.net.web import Web
from verifaible.schema.anchor import AnchorRequest

CONTENT = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
#: Refused is what has a header that is cut off: in ag-grid that of the sorted column, one of eight, whose arrow
#: leaves it too little room; in Tabulator that of a column whose group's name is out of view. Elsewhere 0.9.
LEAST = {("Tabulator", "groups"): 0.6, ("ag-grid", "sorted"): 0.85}


def cell(row: str, *column: str) -> AnchorRequest:
    return AnchorRequest(evidence_type="table", row=(row,), column=column)


async def cited(browser: Browser, web: Web, url: str, request: AnchorRequest) -> str:
    """What a new citation holds; empty where it is refused."""
    async with browser.page(web) as session:
        try:
            observed = await observe(session, url, (), request)
            placement = found_in(observed.material, request)
            _, drawn = await draw(session, observed.material, placement, lambda now: place(now, request))
            await refuse_hidden(session, drawn)
        except (AnchorNotFound, AnchorAmbiguous, SearchIncomplete):
            return ""
    return placement.text


def asked() -> list[pytest.param]:  # type: ignore[valid-type]
    return [
        pytest.param(page, variant, id=f"{page.name}, {variant}")
        for page in GRIDS
        for variant in page.variants
    ]


@pytest.mark.nightly
@pytest.mark.parametrize(("page", "variant"), asked())
async def test_grids_of_libraries(
    page: GridPage, variant: str, site: Site, browser: Browser, live_web: Web, request: pytest.FixtureRequest
) -> None:
    assert request.config.cache is not None
    modules = npm_install(Path(request.config.cache.mkdir("grids")), PACKAGES, "the grid libraries")
    for path in page.files:
        site.file(f"/lib/{path}", CONTENT[path.rpartition(".")[2]], (modules / path).read_bytes())
    site.html("/grid", page.html(), page.name)
    url = f"{site.url}/grid?as={variant}"

    # Every cell that is there without scrolling.
    wrong, right, missed = [], 0, []
    async with browser.page(live_web) as session:
        material = (await observe(session, url, (), AnchorRequest(quote=page.name))).material
    there = {cell.text for table in material.document.tables for cell in table.cells}
    names = [row for row in range(ROWS) if f"Row {row + 100}" in there]
    for row in names:
        for column in range(COLUMNS):
            value = str(10000 + 100 * row + column)
            heads: tuple[str, ...] = (f"Column {column + 10}",)
            if variant == "groups":
                heads = (f"Group {'ABC'[column // 4]}", *heads)
            found = place(material, cell(f"Row {row + 100}", *heads))
            if found.verdict == "verified" and found.text != value:
                wrong.append((row, column, found.text))
            elif found.verdict == "verified":
                right += 1
            elif value in there:
                missed.append((row, column, found.missing, found.candidates))
    assert not wrong
    assert names and right >= LEAST.get((page.name, variant), 0.9) * (right + len(missed)), missed[:5]

    # Cells as they are cited: the first one, and where it can be reached one at the far right and one far below.
    below = 25 if variant == "paged" else 95
    shown = [column for column in range(COLUMNS) if str(10000 + 100 * names[1] + column) in there]
    # Where a grid is scrolled to the right, its edge cuts off the head of the first column: that is refused.
    first = shown[1 if variant == "scrolled" else 0]
    for row, column in ((names[1], first), (names[2], 10), (below, 2)):
        value = str(10000 + 100 * row + column)
        holds = await cited(browser, live_web, url, cell(f"Row {row + 100}", f"Column {column + 10}"))
        assert holds == value or (not holds and column != first)


@pytest.mark.parametrize(
    ("body", "row", "column", "value"),
    [
        (PANES, "Alder", "Won", "31"),
        (PANES, "Birch", "Lost", "12"),
        (PANES.replace('left:100px">7', 'left:40px">7'), "Alder", "Won", ""),  # over two columns
        (NESTED, "Cedar", "Lost", "14"),
        (NESTED, "Cedar", "Points", "75"),
        (TABLES, "Terrano", "Casks", "23"),
        (TABLES, "Terrano", "Price", ""),
    ],
)
async def test_a_cell_is_what_stands_beside_and_below(
    body: str, row: str, column: str, value: str, site: Site, browser: Browser, live_web: Web
) -> None:
    assert await cited(browser, live_web, site.html("/grid", body), cell(row, column)) == value


@pytest.mark.parametrize("row", suites.load("scrollers"), ids=lambda row: row.id)
async def test_what_scrollers_show(row: suites.Row, site: Site, browser: Browser, live_web: Web) -> None:
    url = site.html("/grid", row.input["html"])
    async with browser.page(live_web) as session:
        material = (await observe(session, url, (), AnchorRequest(quote="Alder"))).material
    read: dict[tuple[str, str], str | None] = {}
    for asked in row.expect["cells"]:
        found = place(material, cell(asked["row"], asked["column"]))
        read[asked["row"], asked["column"]] = found.text if found.verdict == "verified" else None
    assert read == {(each["row"], each["column"]): each["value"] for each in row.expect["cells"]}
