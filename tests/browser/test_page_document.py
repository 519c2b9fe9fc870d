"""Pages as a reader sees them: the suite ``reading``, and what holds of every Document of a page."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Site
from tests.kit import suites
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.warm import Browser
from verifaible.extract.document import Document, Table
from verifaible.extract.page import css_path, page_document
from verifaible.extract.snapshot import Snapshot
from verifaible.net.web import Web

ROWS = suites.load("reading")


async def read(site: Site, browser: Browser, web: Web, html: str) -> tuple[Snapshot, Document]:
    url = site.file("/page", "text/html; charset=utf-8", html)
    async with browser.page(web) as session:
        await session.page.goto(url, wait_until="load")
        snapshot = await take_snapshot(session.page)
    return snapshot, page_document(snapshot)


def grid(table: Table) -> list[list[str]]:
    return [
        [cell.text if (cell := table.at(row, column)) else "" for column in range(table.width)]
        for row in range(table.height)
    ]


def governed(document: Document) -> list[list[str]]:
    texts = [block.text for block in document.blocks]
    return [
        [block.text, each.kind, texts[each.block]] for block in document.blocks for each in block.governors
    ]


def side_by_side(document: Document) -> list[list[str]]:
    rows: dict[tuple[int, int], list[str]] = {}
    for block in document.blocks:
        for step in block.rows:
            rows.setdefault((step.container, step.row), []).append(block.text)
    return list(rows.values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
async def test_reading(row: suites.Row, site: Site, browser: Browser, live_web: Web) -> None:
    html = (suites.ROOT / row.input["file"]).read_text(encoding="utf-8")
    snapshot, document = await read(site, browser, live_web, html)
    expect = row.expect
    texts = [block.text for block in document.blocks]
    assert texts == expect.get("lines", texts)
    assert not [
        words for words in expect.get("not", []) if words in document.text.split() or words in document.text
    ]
    marks = [
        [mark.kind, block.text[mark.start : mark.end].strip()]
        for block in document.blocks
        for mark in block.marks
    ]
    assert not [mark for mark in expect.get("marks", []) if mark not in marks]
    if row.kind == "marks":  # nothing but what is named is raised, struck or a note
        strict = {"raised", "lowered", "struck", "inserted", "note", "cased", "code", "ruby"}
        assert sorted(mark for mark in marks if mark[0] in strict) == sorted(
            mark for mark in expect["marks"] if mark[0] in strict
        )
    links = governed(document)
    assert not [link for link in expect.get("governors", []) if link not in links]
    assert not [link for link in links if link[:2] in expect.get("ungoverned", [])]
    items = {block.text: list(block.item) for block in document.blocks}
    assert {text: items[text] for text in expect.get("items", {})} == expect.get("items", {})
    assert not [each for each in expect.get("side_by_side", []) if each not in side_by_side(document)]
    assert [grid(table) for table in document.tables] == expect.get(
        "tables", [grid(table) for table in document.tables]
    )
    captions = [document.blocks[index].text for table in document.tables for index in table.caption]
    assert captions == expect.get("captions", captions)
    frames = [[list(frame.path), frame.language] for frame in document.frames]
    assert frames == expect.get("frames", frames)
    sound(snapshot, document)


def sound(snapshot: Snapshot, document: Document) -> None:
    """What holds of every Document of a page, and the same Document out of the sealed bytes."""
    assert page_document(Snapshot.from_json(snapshot.to_json())) == document
    for index, block in enumerate(document.blocks):
        assert block.text.strip() == block.text
        assert block.text
        held = {at for start, end in block.sentences for at in range(start, end)}
        assert all(at in held for at, char in enumerate(block.text) if not char.isspace())
        spans = [(mark.start, mark.end) for mark in block.marks] + [
            (box.start, box.end) for box in block.boxes
        ]
        assert all(0 <= start < end <= len(block.text) for start, end in spans)
        assert all(governor.block not in (index, -1) for governor in block.governors)
        if block.cell is not None:
            assert index in (document.cell_of(block) or document.tables[0].cells[0]).blocks
    paths = [(table.frame, table.css_path) for table in document.tables]
    assert len(set(paths)) == len(paths)


async def test_places(site: Site, browser: Browser, live_web: Web) -> None:
    """Boxes are where the words are, counted in code points, and paths name the element that holds them."""
    html = (
        '<!doctype html><meta charset="utf-8"><body style="margin:0;font:20px/30px monospace"><div style="height:50px"></div>'
        '<p style="margin:0;width:13ch">𝑥𝑥 soft&shy;ware <b>runs</b> on</p><p style="margin:0">x</p><p style="margin:0">last</p>'
        '<iframe style="position:absolute;left:100px;top:300px;border:5px solid" srcdoc="<body style=\'margin:7px\'>in</body>"></iframe>'
    )
    url = site.file("/page", "text/html; charset=utf-8", html)
    async with browser.page(live_web) as session:
        await session.page.goto(url, wait_until="load")
        snapshot = await take_snapshot(session.page)
        document = page_document(snapshot)
        first, _, last, inner = document.blocks
        measured = await session.page.evaluate(
            "() => { const r = document.createRange(); r.selectNode(document.querySelector('b')); const b = r.getBoundingClientRect(); return [b.x, b.y] }"
        )
        path = css_path(snapshot, document.frames[last.frame].document, last.node)
        assert await session.page.inner_text(path) == "last"
        assert await session.page.locator(path).count() == 1
    start = first.text.index("runs")
    box = next(each for each in first.boxes if each.start <= start < each.end)
    assert [round(box.x), round(box.y) // 30] == [round(measured[0]), round(measured[1]) // 30]
    assert first.boxes[0].start == 0
    assert {first.text[each.start : each.end].strip() for each in first.boxes} >= {"runs"}
    frame = document.frames[inner.frame]
    assert (frame.x, frame.y) == (105, 305)
    assert (inner.boxes[0].x, frame.path) == (7, ("html > body > iframe",))
