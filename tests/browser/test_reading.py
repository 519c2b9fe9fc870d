"""What a reader can see of a page: text, tables, fields, images, frames, and where it stands."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import Site
from tests.kit.cases import cases
from verifaible.browser import reading
from verifaible.browser.page import watched
from verifaible.browser.page.session import PageSession
from verifaible.browser.warm import Browser
from verifaible.net.web import Web

EMOJI = "\U0001f600"
EXTENSION_B = "\U00020000"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on loopback needs no patience."""
    monkeypatch.setattr(watched, "QUIET_MS_LIVE", 80)


async def text_of(site: Site, browser: Browser, web: Web, body: str) -> str:
    async with browser.page(web) as session:
        await session.open(site.html("/page", body))
        return (await reading.page_text(session)).text


def folded(text: str) -> str:
    return re.sub(r"[ \n\t]+", " ", text).strip()


@cases("visibility/text", "text")
async def test_visible_text(site: Site, browser: Browser, live_web: Web, body: str, shown: str) -> None:
    text = await text_of(site, browser, live_web, body)
    assert text == shown


@pytest.mark.parametrize(("readings", "shown"), [("rt", "郑zhèng州5"), ("rp", "郑(zhèng)州5"), ("", "郑州5")])
async def test_readings_over_ruby_can_be_asked_for(
    site: Site, browser: Browser, live_web: Web, readings: reading.Readings, shown: str
) -> None:
    body = "<p><ruby>郑<rp>(</rp><rt>zhèng</rt><rp>)</rp></ruby>州<b>5</b></p>"
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        page = await reading.page_text(session, readings)
        assert page.ruby
        assert re.sub(r"\s", "", page.text) == shown
        (found,) = await rects_and_words(session, page, "5")
        assert found == pytest.approx(await box(session, "b"), abs=1)


async def test_text_transform_keeps_the_source_letters(site: Site, browser: Browser, live_web: Web) -> None:
    """Folding makes the two alike; the evidence keeps the letters of the page's own text."""
    text = await text_of(site, browser, live_web, '<p style="text-transform:uppercase">Straße 5.33</p>')
    assert text.casefold() == "straße 5.33".casefold()


async def test_shadow_roots_and_slots(site: Site, browser: Browser, live_web: Web) -> None:
    body = """<my-card><span slot="value">5.33</span>loose<b>bold</b></my-card><p>after</p><script>
    const host = document.querySelector("my-card");
    host.attachShadow({mode: "open"}).innerHTML =
      '<p>rate: <slot name="value">none</slot></p><p><slot></slot></p><p><slot name="empty">fallback</slot></p>';
    </script>"""
    assert folded(await text_of(site, browser, live_web, body)) == "rate: 5.33 loosebold fallback after"


async def test_what_no_slot_takes_is_not_shown(site: Site, browser: Browser, live_web: Web) -> None:
    body = """<my-card>light</my-card><script>
    document.querySelector("my-card").attachShadow({mode: "open"}).innerHTML = "<p>shadow</p>";</script>"""
    assert await text_of(site, browser, live_web, body) == "shadow"


async def test_frames(site: Site, browser: Browser, live_web: Web) -> None:
    other = site.url.replace("127.0.0.1", "localhost")
    site.html("/inner", "<p>inner words</p><iframe srcdoc='<p>innermost words</p>'></iframe>")
    site.html("/foreign", "<p>foreign words</p>")
    site.html("/unseen", "<p>unseen words</p>")
    url = site.html(
        "/page",
        f'<p>outer</p><iframe id="same" src="/inner"></iframe><iframe src="{other}/foreign"></iframe>'
        '<iframe src="/unseen" style="display:none"></iframe>'
        '<div style="display:none"><iframe src="/unseen"></iframe></div>',
    )
    async with browser.page(live_web) as session:
        await session.open(url)
        page = await reading.page_text(session)
    assert page.text == reading.FRAME_BREAK.join(["outer", "inner words", "innermost words", "foreign words"])
    assert [frame.url for frame in page.frames] == [
        url,
        f"{site.url}/inner",
        "about:srcdoc",
        f"{other}/foreign",
    ]
    assert page.frames[1].path == ("#same",)
    for frame in page.frames:
        assert page.text[frame.start : frame.end] == frame.text
        assert page.frame_at(frame.start) == frame
        assert page.frame_at(frame.end) == frame


# --- where it stands


async def rects_and_words(
    session: PageSession, page: reading.PageText, words: str
) -> list[tuple[float, ...]]:
    start = page.text.index(words)
    located = await reading.locate_text(session, page, start, start + len(words))
    return [(rect.x, rect.y, rect.width, rect.height) for rect in located.rects]


async def box(session: PageSession, selector: str) -> tuple[float, float, float, float]:
    raw = await session.page.evaluate(
        """(selector) => { const box = document.querySelector(selector).getBoundingClientRect();
        return [box.left + scrollX, box.top + scrollY, box.width, box.height]; }""",
        selector,
    )
    return tuple(raw)


async def test_rectangles_stand_over_the_word_after_supplementary_characters(
    site: Site, browser: Browser, live_web: Web
) -> None:
    body = f"<p>{EMOJI * 5} before {EXTENSION_B * 3} <b>needle</b> after {EMOJI}</p>"
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        page = await reading.page_text(session)
        assert page.text == f"{EMOJI * 5} before {EXTENSION_B * 3} needle after {EMOJI}"
        (found,) = await rects_and_words(session, page, "needle")
        assert found == pytest.approx(await box(session, "b"), abs=1)
        located = await reading.locate_text(
            session, page, page.text.index("needle"), page.text.index(" after")
        )
    assert located.css_path.endswith("b")


async def test_rectangles_are_clipped_to_boxes_that_scroll(
    site: Site, browser: Browser, live_web: Web
) -> None:
    rows = "".join(f"<p>row {number} stands here</p>" for number in range(80))
    body = f'<div id="box" style="height:120px;overflow:auto">{rows}</div>'
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        page = await reading.page_text(session)
        (x, y, width, height) = (await rects_and_words(session, page, "row 70 stands here"))[0]
        left, top, full_width, full_height = await box(session, "#box")
        assert width > 0
        assert left <= x
        assert x + width <= left + full_width
        assert top <= y
        assert y + height <= top + full_height
        # The whole box was asked for: only what is in view has rectangles.
        start = page.text.index("row 0 ")
        located = await reading.locate_text(session, page, start, len(page.text))
        assert 0 < len(located.rects) < 10
        assert all(
            top - 1 <= rect.y and rect.y + rect.height <= top + full_height + 1 for rect in located.rects
        )


async def test_rectangles_count_from_the_top_of_the_document(
    site: Site, browser: Browser, live_web: Web
) -> None:
    body = (
        '<header style="position:sticky;top:0;height:60px;background:#fff">Sticky</header>'
        '<div style="height:4000px"></div><p id="end">the end</p><div style="height:2000px"></div>'
    )
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        page = await reading.page_text(session)
        (_, y, _, _) = (await rects_and_words(session, page, "the end"))[0]
        assert y > 4000
        assert y == pytest.approx((await box(session, "#end"))[1], abs=2)
        (_, at_top, _, height) = (await rects_and_words(session, page, "Sticky"))[0]
        assert height > 0
        assert at_top >= 0


async def test_shadow_text_can_be_located(site: Site, browser: Browser, live_web: Web) -> None:
    body = """<my-card id="card"></my-card><script>document.querySelector("my-card")
    .attachShadow({mode: "open"}).innerHTML = "<section><p>first</p><p>inside the shadow</p></section>";</script>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        page = await reading.page_text(session)
        start = page.text.index("inside the shadow")
        located = await reading.locate_text(session, page, start, start + len("inside the shadow"))
    assert located.css_path == "#card >>> section > p:nth-of-type(2)"
    assert located.rects[0].width > 0


# --- tables


async def tables_of(site: Site, browser: Browser, web: Web, body: str) -> tuple[reading.FrameTable, ...]:
    async with browser.page(web) as session:
        await session.open(site.html("/page", body))
        return await reading.tables(session)


def texts(table: reading.FrameTable) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.table.rows]


async def test_rows_come_in_the_order_of_the_standard(site: Site, browser: Browser, live_web: Web) -> None:
    """A foot that stands first in the source is still the last row group."""
    body = """<table><caption>Prices <b>2026</b></caption><tfoot><tr><td>total</td><td>3</td></tr></tfoot>
    <thead><tr><th>Name</th><th scope="col">Value</th></tr></thead>
    <tbody><tr><th>a</th><td>1</td></tr></tbody><tbody><tr><td>b</td><td>2</td></tr></tbody></table>"""
    (table,) = await tables_of(site, browser, live_web, body)
    assert texts(table) == [["Name", "Value"], ["a", "1"], ["b", "2"], ["total", "3"]]
    assert table.table.groups == (1, 1, 1, 1)
    assert table.table.head_rows == 1
    assert table.table.caption == "Prices 2026"
    assert table.table.rows[0][1].scope == "col"
    assert table.table.rows[1][0].header


async def test_hidden_rows_and_cells_are_left_out(site: Site, browser: Browser, live_web: Web) -> None:
    body = """<table><tr><th>A</th><th style="display:none">B</th><th>C</th></tr>
    <tr style="display:none"><td>x</td><td>y</td><td>z</td></tr>
    <tr><td>1</td><td style="display:none">2</td><td>3</td></tr></table>
    <table style="display:none"><tr><td>unseen</td></tr></table>
    <table role="presentation"><tr><td>layout</td></tr></table>"""
    found = await tables_of(site, browser, live_web, body)
    assert [texts(table) for table in found] == [[["A", "C"], ["1", "3"]]]


async def test_a_cell_made_invisible_shows_no_words_but_keeps_its_place(
    site: Site, browser: Browser, live_web: Web
) -> None:
    body = '<table><tr><td>a</td><td style="visibility:hidden">secret</td><td>c</td></tr></table>'
    (table,) = await tables_of(site, browser, live_web, body)
    assert texts(table) == [["a", "", "c"]]


async def test_nested_tables(site: Site, browser: Browser, live_web: Web) -> None:
    body = "<table><tr><td>outer <table><tr><td>inner</td></tr></table></td><td>1</td></tr></table>"
    outer, inner = await tables_of(site, browser, live_web, body)
    assert texts(outer) == [["outer", "1"]]
    assert texts(inner) == [["inner"]]


async def test_spans(site: Site, browser: Browser, live_web: Web) -> None:
    body = """<table><tr><th rowspan="2">City</th><th colspan="2">Index</th></tr><tr><th>m</th><th>y</th></tr>
    <tr><td rowspan="0">郑　　州</td><td>1</td><td colspan="bad">2</td></tr></table>"""
    (table,) = await tables_of(site, browser, live_web, body)
    spans = [[(cell.rowspan, cell.colspan) for cell in row] for row in table.table.rows]
    assert spans == [[(2, 1), (1, 2)], [(1, 1), (1, 1)], [(0, 1), (1, 1), (1, 1)]]


async def test_aria_tables(site: Site, browser: Browser, live_web: Web) -> None:
    body = """<div role="grid" aria-label="Rates"><div role="rowgroup"><div role="row">
    <span role="columnheader">Day</span><span role="columnheader" aria-colspan="2">Rate</span></div></div>
    <div role="row"><span role="rowheader">Monday</span><span role="gridcell">5.33</span>
    <span role="gridcell">5.34</span></div></div>"""
    (table,) = await tables_of(site, browser, live_web, body)
    assert texts(table) == [["Day", "Rate"], ["Monday", "5.33", "5.34"]]
    assert table.table.caption == "Rates"
    assert table.table.rows[0][1].colspan == 2
    assert [cell.scope for cell in table.table.rows[0]] == ["col", "col"]
    assert table.table.rows[1][0].scope == "row"


async def test_cells_are_located_by_their_source(site: Site, browser: Browser, live_web: Web) -> None:
    """Hidden cells do not count in the position, as they do not in the table that was read."""
    body = """<table id="t"><tr><th>A</th><th style="display:none">B</th><th>C</th></tr>
    <tr style="display:none"><td>x</td></tr><tr><td>1</td><td style="display:none">2</td><td id="c">3</td></tr>
    </table>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        located, whole = await reading.locate_cells(session, (), "#t", [(1, 1)])
        found = located.rects[0]
        assert (found.x, found.y, found.width, found.height) == pytest.approx(await box(session, "#c"), abs=1)
        assert whole is not None
        assert whole.height == pytest.approx((await box(session, "#t"))[3], abs=1)


@pytest.mark.parametrize(
    ("change", "cell"),
    [
        pytest.param("t.insertRow(0).insertCell().textContent = 'news'", "#c", id="row put in above"),
        pytest.param("t.rows[0].hidden = true", "#c", id="row above hidden"),
        pytest.param("t.rows[1].innerHTML = '<td>1</td><td id=d>2</td>'", "#d", id="row drawn anew"),
    ],
)
async def test_a_cell_is_located_as_it_was_read(
    site: Site, browser: Browser, live_web: Web, change: str, cell: str
) -> None:
    """What the page does to its table in between moves no rectangle to another cell."""
    body = '<table id="t"><tr><td>a</td><td>b</td></tr><tr><td>1</td><td id="c">2</td></tr></table>'
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        (table,) = await reading.tables(session)
        await session.page.evaluate(f"() => {{ {change} }}")
        located, _ = await reading.locate_cells(session, (), table.table.css_path, [(1, 1)])
        found = located.rects[0]
        assert (found.x, found.y, found.width, found.height) == pytest.approx(await box(session, cell), abs=1)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<p>The  <b>r</b>ate is 5.33 %</p>", "rate is"),
        ("<p>😀😀 up <i>5.33</i></p>", "😀 up 5"),
        ("<pre>one\ttwo  three\r\nfour</pre>", "two  three"),
        ("<p>10<sup>2</sup> and 4 km<sup>2</sup></p>", "10² and"),
    ],
)
async def test_words_are_located_wherever_they_begin_in_a_run(
    site: Site, browser: Browser, live_web: Web, body: str, words: str
) -> None:
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        page = await reading.page_text(session)
        start = page.text.index(words)
        await reading.locate_text(session, page, start, start + len(words))
        marked = await session.page.evaluate(
            "() => window[Symbol.for('verifaible.located')].ranges.map((range) => range.toString()).join('')"
        )
        assert folded(marked.replace("2 and", "² and")) == folded(words)


# --- fields and images


async def test_fields(site: Site, browser: Browser, live_web: Web) -> None:
    body = """<label for="d">Date</label><input id="d" value="2025-02-11"><input type="hidden" value="h">
    <input type="password" value="p"><input style="display:none" value="n"><input placeholder="City" value="">
    <select name="market"><option>Shanghai<option selected>Shenzhen</select>
    <input style="visibility:hidden" value="v"><textarea aria-label="Note"> two words </textarea>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        found = await reading.fields(session)
    assert [(field.label, field.value) for field in found] == [
        ("Date", "2025-02-11"),
        ("market", "Shenzhen"),
        ("Note", "two words"),
    ]
    assert found[0].selector == "#d"


async def test_a_page_is_read_at_once_as_part_by_part(site: Site, browser: Browser, live_web: Web) -> None:
    parts = f"""<h2>Rates</h2><table><tr><th>Month<th>Rate<tr><td>May<td>4 %</table><input value="typed">
    <svg aria-label="Chart" width="30" height="30"></svg><iframe src="{site.html("/in", "<p>inside</p>")}"></iframe>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", parts))
        whole = await reading.page_content(session)
        assert whole.text == await reading.page_text(session)
        assert [frame.text for frame in whole.text.frames][1:] == ["inside"]
        assert whole.tables == await reading.tables(session)
        assert [one.heading for one in whole.tables] == ["Rates"]
        assert (whole.fields, whole.images) == (await reading.fields(session), await reading.images(session))
        assert [len(each) for each in (whole.fields, whole.images)] == [1, 1]
        assert whole.load_state == {"main_text": "", "busy": [], "empty": []}


async def test_images(site: Site, browser: Browser, live_web: Web) -> None:
    body = """<img id="dot" alt="A dot" width="20" height="10"
    src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">
    <img alt="lost" src="/nothing.png"><img alt="unseen" style="display:none" src="/x.png">
    <svg aria-label="Chart" width="30" height="30"><rect width="9" height="9"/></svg>"""
    async with browser.page(live_web) as session:
        await session.open(site.html("/page", body))
        found = await reading.images(session)
        assert (found[0].rect.width, found[0].rect.height) == (20, 10)
    assert [(image.alt, image.tag, image.complete) for image in found] == [
        ("A dot", "img", True),
        ("lost", "img", False),
        ("Chart", "svg", True),
    ]
    assert (found[0].width, found[0].height) == (1, 1)
