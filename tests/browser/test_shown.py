"""A part of a sentence is cited: every place shows the whole sentence, and in it the words that were asked for."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pymupdf
import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from playwright.async_api import Browser as Chromium
from starlette.testclient import TestClient

from tests.browser.citing import Bench
from tests.browser.conftest import Site
from tests.browser.viewers import picture, served
from verifaible.browser.warm import Browser
from verifaible.cli.program import verifaible
from verifaible.config import Settings
from verifaible.evidence.export import export
from verifaible.mcp.resources import evidence_text as _evidence
from verifaible.net.web import Web
from verifaible.tools.cite import _confirmation
from verifaible.viewer.app import create_app

pytestmark = pytest.mark.usefixtures("no_patience")

SENTENCE, WORDS = "Non è permesso fumare qui.", "è permesso fumare qui"
MARKED = f"Non ⟦{WORDS}⟧."


def emphasised(html: str) -> list[tuple[str, str]]:
    """The evidence of each quotation on a page, and the words that are marked in it."""
    found = BeautifulSoup(html, "lxml").select("blockquote.shown")
    return [(each.get_text(), "".join(mark.get_text() for mark in each("mark"))) for each in found]


async def test_the_whole_sentence_is_shown_everywhere(
    site: Site, tmp_path: Path, settings: Settings, live_web: Web, browser: Browser, chromium: Chromium
) -> None:
    bench = Bench(tmp_path, settings, live_web, browser)
    made = await bench.collect(site.html("/sala", f"<h1>Sala d'attesa</h1><p>{SENTENCE}</p>"), quote=WORDS)
    citation = made.citation
    assert citation.anchor.evidence == SENTENCE
    assert citation.shown.text == f"Sala d'attesa\n{SENTENCE}"

    # The tool's answer, the resource of MCP, and the annotation.
    for said in (_confirmation(1, made), _evidence(bench.store, citation)):
        assert f"The sentence reads:\nSala d'attesa\n{MARKED}\n" in said
    annotation = json.loads(bench.store.citation_bytes(citation.id))
    assert annotation["body"][1]["value"] == citation.shown.text

    # The commands.
    home = {"VERIFAIBLE_HOME": str(tmp_path), "VERIFAIBLE_STORE": str(bench.folder)}

    def printed(*words: str) -> str:
        return CliRunner().invoke(verifaible, list(words), env=home, catch_exceptions=False).stdout

    shown = await asyncio.to_thread(printed, "show", citation.id)
    assert f"evidence  Sala d'attesa\n          {MARKED}\n" in shown
    for words in (("list",), ("list", "fumare")):
        assert f"Sala d'attesa / {MARKED}" in await asyncio.to_thread(printed, *words)

    # The viewer: the citation, the same beside an answer, and the list.
    def viewed() -> list[list[tuple[str, str]]]:
        app = create_app(Settings(home=tmp_path, store=bench.store.location))
        with TestClient(app, base_url="http://localhost") as client:
            pages = [client.get(f"/citations/{citation.id}{part}").text for part in ("", "/beside")]
            (card,) = BeautifulSoup(client.get("/citations").text, "lxml").select(".card .around")
            text = client.get(f"/captured/{citation.id}/text").text
        assert f"<span>Non <mark id=evidence>{WORDS}</mark>.</span>" in text
        return [
            *map(emphasised, pages),
            [(card.get_text(), "".join(each.get_text() for each in card("strong")))],
        ]

    whole = [(citation.shown.text, WORDS)]
    assert await asyncio.to_thread(viewed) == [whole] * 3

    # The export: its page, the same on paper, and the instructions.
    done = await export(
        citation, bench.store, settings, tmp_path / "out", browser=browser, formats=("html", "pdf")
    )
    html = (done.folder / "evidence.html").read_text()
    assert emphasised(html) == whole
    assert f"  | {MARKED}\n" in (done.folder / "VERIFY.txt").read_text()
    with pymupdf.open(done.folder / "report.pdf") as document:
        assert SENTENCE in " ".join("".join(page.get_text() for page in document).split())

    # Two tones, in the viewer and in the export: the evidence has a ground of its own, the words a stronger one.
    page = await (await chromium.new_context(color_scheme="light")).new_page()
    with served(Settings(home=tmp_path, store=bench.store.location)) as address:
        for name, url in {
            "shown-viewer": f"{address}/citations/{citation.id}",
            "shown-list": f"{address}/citations",
            "shown-export": (done.folder / "evidence.html").as_uri(),
        }.items():
            await page.goto(url)
            await picture(page, name, whole=False)
            if name == "shown-list":
                continue
            grounds = [
                await page.locator(each).first.evaluate("each => getComputedStyle(each).backgroundColor")
                for each in ("header.part", "blockquote.shown", "blockquote.shown mark")
            ]
            assert len({*grounds}) == 3, name
    await page.context.close()
