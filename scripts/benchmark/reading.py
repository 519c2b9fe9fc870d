"""How well and how fast pages are read: by suites of ``tests/unit/extract``, one page, and many at once."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any, cast

from scripts.benchmark.table import Section
from tests.kit import suites
from tests.unit.net.local_site import local_site
from tests.unit.tools.contexts import call
from verifaible.archive.lookup import Archive
from verifaible.browser import driver
from verifaible.browser.snapshot import take_snapshot
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import OfflineMiss
from verifaible.extract.charset import decode_html
from verifaible.extract.html import html_document
from verifaible.extract.page import page_document
from verifaible.net.web import Web
from verifaible.schema.web import WebRequest, header
from verifaible.tools.context import ToolContext
from verifaible.tools.web_fetch import web_fetch

URL = "https://www.example.org/news/page.html"
_SITES = Path(__file__).resolve().parents[2] / "snapshots" / "sites"
_CORPUS = 20
_MANY, _MANY_QUICK = 60, 30
_AT_ONCE = 4
_TOP = "<!doctype html><html lang=en><meta charset=utf-8><title>Report</title><body><h1>Report</h1>"
_SENTENCE = "<p>More words for a page of ordinary size that people read.</p>"
#: What is read, and how often.
_PAGES = {
    "a small page": (_SENTENCE * 20, 40),
    "a table of 500 rows": (
        "<table><tr><th>Name<th>2024<th>2025"
        + "".join(f"<tr><th>Item {row}<td>{37 * row % 9973}<td>{91 * row % 9973}" for row in range(500))
        + "</table>",
        20,
    ),
    "2,500 paragraphs": (
        "".join(f"<p>Paragraph {at}: the board noted {7919 * at % 10007} members." for at in range(2500)),
        20,
    ),
    "24,000 cells": (
        "<table>"
        + "".join("<tr>" + "".join(f"<td>{37 * row + at}" for at in range(12)) for row in range(2000))
        + "</table>",
        6,
    ),
}
_SHELL = "<div id=root></div><script>document.getElementById('root').textContent='ready'</script>"


def run(_: Path, *, quick: bool) -> list[Section]:
    """Every table that needs nothing from outside."""
    return [_accuracy(), asyncio.run(_speed(quick=quick)), _throughput(_MANY_QUICK if quick else _MANY)]


def _accuracy() -> Section:
    rows = suites.load("grids")
    right = [row for row in rows if row.expect["grid"][1:] in _tables(row.input["html"], row.expect["grid"])]
    measured = (
        ("tables complete and aligned", f"{len(right)} of {len(rows)}"),
        (f"tokens of {_CORPUS} pages, characters / 4", f"{_tokens():,}"),
    )
    return Section("Reading pages", "The suites in `tests/unit/extract`.", ("measure", "value"), measured)


def _tables(html: str, expected: list[list[str]]) -> list[list[list[str]]]:
    """The last rows of each table, as many as are expected under the heads."""
    found = []
    for table in html_document(html, URL).tables:
        cells = [[table.at(row, column) for column in range(table.width)] for row in range(table.height)]
        words = [["".join(cell.text.split()) if cell else "" for cell in row] for row in cells]
        found.append(words[1 - len(expected) :])
    return found


def _tokens() -> int:
    """No tokenizer is needed: a fourth of the characters, as is usual for a rough count."""
    archive = Archive.open(sorted(_SITES.glob("*.wacz")))
    player = archive.player()
    sizes: list[int] = []
    for url in sorted(archive.urls()):
        try:
            response = player.find(WebRequest(url)).response
        except OfflineMiss:
            continue
        if response.content_type == "text/html" and len(response.body) > 8_000 and len(sizes) < _CORPUS:
            text = decode_html(response.body, header(response.headers, "content-type")).text
            sizes.append(len(html_document(text, url).text))
    return sum(sizes) // 4


async def _speed(*, quick: bool) -> Section:
    settings = Settings(allow_hosts=("127.0.0.1",))
    web = Web.live(settings)
    rows = []
    with local_site() as site:
        async with Browser(settings, offline=False) as browser:
            for name, (body, times) in _PAGES.items():
                site.give("/page", 200, (_TOP + body).encode(), content_type="text/html")
                async with browser.page(web) as session:
                    await session.page.goto(f"{site.url}/page", wait_until="load")
                    await take_snapshot(session.page)  # the first one opens the session
                    figures = await _read(session.page, max(times // 4, 3) if quick else times)
                rows.append((name, *(f"{1000 * figure:,.1f}" for figure in figures)))
    return Section(
        "Reading one page",
        "The least of several readings, in milliseconds: the engine's snapshot, and the processor time in it "
        "that is this process's own; the Document out of it.",
        ("page", "snapshot", "of it, own", "Document", "Document, processor time"),
        tuple(rows),
    )


async def _read(page: driver.Page, times: int) -> list[float]:
    """The least time and processor time of a snapshot, and of its Document, in seconds."""
    found = []
    for _ in range(times):
        started, worked = time.perf_counter(), time.process_time()
        snapshot = await take_snapshot(page)
        asked, read = time.perf_counter(), time.process_time()
        page_document(snapshot)
        found.append(
            (asked - started, read - worked, time.perf_counter() - asked, time.process_time() - read)
        )
    return [min(column) for column in zip(*found, strict=True)]


def _throughput(pages: int) -> Section:
    pages_a_second = asyncio.run(_many(pages))
    return Section(
        "Many pages at once",
        f"{pages} rendered pages on loopback by `web_fetch`, {_AT_ONCE} at once; goal: at least 6 "
        "a second on two cores.",
        ("what", "pages a second"),
        (("web_fetch, rendered", f"{pages_a_second:.1f}"),),
    )


async def _many(pages: int) -> float:
    settings = Settings(allow_hosts=("127.0.0.1",))
    web = Web.live(settings)
    places = asyncio.Semaphore(_AT_ONCE)
    with local_site() as site:
        site.give("/shell", 200, f"<h1>Prices</h1>{_SHELL}".encode(), content_type="text/html")
        async with Browser(settings, offline=False) as browser:
            none = cast(Any, None)  # neither a store nor a search is asked
            tool = web_fetch(ToolContext(settings, web, browser, none, none))

            async def one() -> None:
                async with places:
                    reply = await call(tool, url=f"{site.url}/shell")
                    assert not reply.error_code, reply.text

            await one()
            started = time.perf_counter()
            await asyncio.gather(*(one() for _ in range(pages)))
            return pages / (time.perf_counter() - started)
