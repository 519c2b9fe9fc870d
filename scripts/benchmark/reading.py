"""How well pages are read, by the suites in ``tests/unit/extract``, and how many at once."""

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
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import OfflineMiss
from verifaible.net.web import Web
from verifaible.old.extract.charset import decode_html
from verifaible.old.extract.html import to_markdown
from verifaible.schema.web import WebRequest, header
from verifaible.tools.context import ToolContext
from verifaible.tools.web_fetch import web_fetch

URL = "https://www.example.org/news/page.html"
_SITES = Path(__file__).resolve().parents[2] / "snapshots" / "sites"
_CORPUS = 20
_MANY, _MANY_QUICK = 60, 30
_AT_ONCE = 4
_SHELL = "<div id=root></div><script>document.getElementById('root').textContent='ready'</script>"


def run(_: Path, *, quick: bool) -> list[Section]:
    """Every table that needs nothing from outside."""
    return [_accuracy(), _throughput(_MANY_QUICK if quick else _MANY)]


def _accuracy() -> Section:
    rows = suites.load("grids")
    right = [row for row in rows if _table(row.input["html"]) == row.expect["grid"]]
    measured = (
        ("tables complete and aligned", f"{len(right)} of {len(rows)}"),
        (f"tokens of {_CORPUS} pages, characters / 4", f"{_tokens():,}"),
    )
    return Section("Reading pages", "The suites in `tests/unit/extract`.", ("measure", "value"), measured)


def _table(html: str) -> list[list[str]]:
    markdown = to_markdown(f"<body><h1>H</h1>{html}</body>", URL).markdown
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    found = [["".join(cell.split()) for cell in line.strip("|").split("|")] for line in lines]
    return found[:1] + found[2:]


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
            sizes.append(len(to_markdown(text, url).markdown))
    return sum(sizes) // 4


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
