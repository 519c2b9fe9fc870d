"""The marks are where the evidence is in the very picture that they are drawn over, whatever scrolling moves."""

from __future__ import annotations

from itertools import cycle, product
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.browser.citing import Bench
from tests.browser.citing import drawn as pixels_of
from tests.browser.conftest import Site
from tests.browser.test_page_states import PAGE_TABLE, TABLE_WITH_SPACERS
from tests.kit.marks import nightly
from verifaible.browser.page.session import PageSession
from verifaible.browser.pictures.picture import take_picture
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.mark import draw
from verifaible.evidence.observe import observe
from verifaible.evidence.place import place
from verifaible.net.web import Web
from verifaible.schema.anchor import AnchorRequest, Rect
from verifaible.schema.citation import Citation

#: Of the cited cell, of the cited words, and of the line around a cell.
CELL, WORDS, LINE = (200, 255, 255), (200, 200, 255), (26, 127, 55)
#: The marker's ink over the colours of the cell and of the words (on that of their sentence), which nothing
#: else has.
CELL_MARKED, WORDS_MARKED = (200, 224, 102), (200, 166, 76)

ROWS = "".join(f"<tr><th>City {n}</th><td>{n}.1</td><td>{n}.2</td></tr>" for n in range(60))
BODY = f"""<style>body {{ margin: 0 }} header {{ position: sticky; top: 0; height: 120px; background: #eee }}
 .shrunk header {{ height: 70px }} .shrunk .motto {{ display: none }} mark {{ background: #c8c8ff }}
 td, th {{ height: 24px; width: 200px; padding: 0 }} table {{ border-collapse: collapse }}</style>
<header>The bureau <span class="motto">of all the numbers</span></header><div style="height: 1500px">Above.</div>
<table><tr><th>City</th><th>Month</th><th>Year</th></tr>{ROWS}</table><p>Then <mark>the rate was 5.33%</mark> in all.</p>
<p>{"More words follow here. " * 200}</p><div style="height: 1500px">Below.</div>
""".replace("<td>41.2", '<td style="background:#c8ffff">41.2')
SHRINK = "document.body.classList.toggle('shrunk', scrollY > 50)"
#: They move up to 80 ms after what moved them: their tests leave the patience with a live page as it is.
PAGES = {
    "still": "",
    "at-once": f"<script>addEventListener('scroll', () => {SHRINK})</script>",
    "property": f"<script>onscroll = () => {SHRINK}</script>",
    "transition": "<style>header { transition: height .4s }</style>"
    f"<script>addEventListener('scroll', () => {SHRINK})</script>",
    "throttled": "<script>let t; addEventListener('scroll', () => { clearTimeout(t); "
    f"t = setTimeout(() => {SHRINK}, 80) }})</script>",
    "stepwise": "<script>let t, h = 120; addEventListener('scroll', () => { t ||= setInterval(() => {"
    "if (h > 70) document.querySelector('header').style.height = `${h -= 5}px` }, 30) })</script>",
    "watched": "<i id='top' style='position:absolute;top:0;height:1px;width:1px'></i><script>"
    "new IntersectionObserver(([top]) => document.body.classList.toggle('shrunk', !top.isIntersecting))"
    ".observe(document.querySelector('#top'))</script>",
    "in-a-box": "<style>html, body { height: 100%; overflow: hidden } #all { height: 100%; overflow: auto }</style>"
    "<script>const all = document.createElement('div'); all.id = 'all'; all.append(...document.body.childNodes);"
    "document.body.append(all); all.onscroll = () => document.body.classList.toggle('shrunk', all.scrollTop > 50)</script>",
    "moving-for-ever": "<style>@keyframes m { to { transform: translateY(80px) } }"
    " table, p { animation: m 1s linear infinite alternate }</style>",
}


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings.model_copy(update={"picture_height": 2000}), live_web, browser)


def extent(picture: pymupdf.Pixmap, colour: tuple[int, int, int]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the pixels of a colour."""
    found: list[tuple[int, int]] = []
    samples, wanted, step = bytes(picture.samples), bytes(colour), picture.n
    at = samples.find(wanted)
    while at >= 0:
        if at % step == 0:
            found.append(divmod(at // step, picture.width))
        at = samples.find(wanted, at + 1)
    assert found, f"{colour} is nowhere in the picture"
    rows, columns = [row for row, _ in found], [column for _, column in found]
    return min(columns), min(rows), max(columns) + 1, max(rows) + 1


def within(one: tuple[float, ...], other: tuple[float, ...], pixels: float) -> bool:
    return all(abs(a - b) <= pixels for a, b in zip(one, other, strict=True))


def on_picture(citation: Citation) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the anchor's rectangle, in the pixels of the picture."""
    rect, picture = citation.anchor.rects[0], citation.picture
    assert picture is not None
    left, top = rect.x - picture.x, rect.y - picture.y
    return left, top, left + rect.width, top + rect.height


#: Other handlers and effects of the same kinds: it moves at once, later, in steps, in a box, or for ever.
ALIKE = ("still", "property", "transition", "watched", "stepwise", "throttled", "in-a-box")
MOVED = [*product(("table", "text"), PAGES)]
#: Each of the other kinds, in turn with a table and a text.
USUAL = [*zip(cycle(("table", "text")), (each for each in PAGES if each not in ALIKE))]


@pytest.mark.parametrize(("kind", "moves"), [each if each in USUAL else nightly(*each) for each in MOVED])
async def test_the_marker_is_where_the_evidence_is(site: Site, bench: Bench, moves: str, kind: str) -> None:
    url = site.html("/page", BODY + PAGES[moves])
    if kind == "table":
        citation = await bench.cite(url, evidence_type="table", row=("City 41",), column=("Year",))
    else:
        citation = await bench.cite(url, quote="the rate was 5.33%")
    painted = bench.picture(citation, marked=True)
    stands = extent(bench.picture(citation, marked=False), CELL if kind == "table" else WORDS)
    measured = on_picture(citation)
    marked = extent(painted, LINE if kind == "table" else WORDS_MARKED)
    assert within(stands, measured, 1)
    assert within(stands, marked, 2)
    middle = painted.pixel((marked[0] + marked[2]) // 2, (marked[1] + marked[3]) // 2 - (kind == "table") * 8)
    assert kind == "text" or middle[:3] == CELL_MARKED


@pytest.mark.nightly
@pytest.mark.parametrize("body", [TABLE_WITH_SPACERS, nightly(PAGE_TABLE)], ids=["box", "page"])
async def test_a_row_that_is_drawn_anew_when_it_is_scrolled_to(site: Site, bench: Bench, body: str) -> None:
    coloured = body.replace("<td>${(from + i)", '<td class="n${from + i}">${(from + i)')
    url = site.html("/page", f"<style>.n231 {{ background: #c8ffff }}</style>{coloured}")
    citation = await bench.cite(url, evidence_type="table", row=("Item 231",), column=("Price",))
    stands = extent(bench.picture(citation, marked=False), CELL)
    painted = bench.picture(citation, marked=True)
    assert within(stands, on_picture(citation), 1)
    assert within(stands, extent(painted, LINE), 2)
    assert painted.pixel(stands[0] + 5, stands[1] + 6)[:3] == CELL_MARKED


@pytest.mark.parametrize(
    ("kind", "while_pictured"),
    [("table", False), nightly("table", True), nightly("text", False), ("text", True)],
)
async def test_what_moves_after_it_was_measured_is_still_marked(
    site: Site,
    browser: Browser,
    live_web: Web,
    kind: str,
    while_pictured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, Any] = {"quote": "the rate was 5.33%"}
    if kind == "table":
        asked = {"evidence_type": "table", "row": ("City 41",), "column": ("Year",)}
    request = AnchorRequest.model_validate(asked)
    screenshot = PageSession.screenshot

    async def moving(session: PageSession, part: Rect, window: Rect | None = None) -> bytes:
        await session.page.evaluate("document.body.classList.add('shrunk')")
        return await screenshot(session, part, window)

    async with browser.page(live_web) as session:
        material = (await observe(session, site.html("/page", BODY), (), request)).material
        _, drawn = await draw(session, material, place(material, request))
        if while_pictured:
            monkeypatch.setattr(PageSession, "screenshot", moving)
        else:
            await session.page.evaluate("document.body.classList.add('shrunk')")
        taken = await take_picture(session, drawn.marking, height=4096)
    painted = pixels_of(taken.picture, taken.tiles, marked=True)
    marked = extent(painted, LINE if kind == "table" else WORDS_MARKED)
    x, y = drawn.anchor.rects[0].x - taken.picture.x, drawn.anchor.rects[0].y - taken.picture.y
    assert within(marked[:2], (x, y - 50), 2)
    assert kind == "text" or painted.pixel(marked[0] + 20, marked[1] + 8)[:3] == CELL_MARKED


async def test_nothing_is_marked_in_the_picture_of_what_never_stands_still(
    site: Site, browser: Browser, live_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = AnchorRequest(quote="the rate was 5.33%")
    screenshot = PageSession.screenshot

    async def moving(session: PageSession, part: Rect, window: Rect | None = None) -> bytes:
        await session.page.evaluate("document.body.prepend(document.createElement('hr'))")
        return await screenshot(session, part, window)

    async with browser.page(live_web) as session:
        material = (await observe(session, site.html("/page", BODY), (), request)).material
        _, drawn = await draw(session, material, place(material, request))
        monkeypatch.setattr(PageSession, "screenshot", moving)
        taken = await take_picture(session, drawn.marking, height=4096)
    assert taken.tiles and not taken.picture.marks
