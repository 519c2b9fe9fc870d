"""Nothing waits without a limit, in any frame; and what a box of a page brings when it is scrolled is found."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.citing import Bench
from tests.browser.conftest import PATIENCE_S, Answer, Site
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.evidence.replay import replay
from verifaible.net.web import Web

_WORDS = "The bridge was opened in 1931."
_FAR = "<div style='height:9000px'></div>"
#: Frames around which a citation must not hang, by name; {silent} is an address that never answers.
_FRAMES = {
    "lazy, far below": f"<p>{_WORDS}</p>{_FAR}<iframe loading=lazy src=/inner></iframe>",
    "lazy, far below, silent": f"<p>{_WORDS}</p>{_FAR}<iframe loading=lazy src=/silent></iframe>",
    "not displayed": f"<iframe style='display:none' src=/inner></iframe><p>{_WORDS}</p>",
    "not displayed, lazy": f"<div hidden><iframe loading=lazy src=/inner></iframe></div><p>{_WORDS}</p>",
    "without a document": f"<iframe src=about:blank></iframe><iframe></iframe><p>{_WORDS}</p>",
    "without scripts": f"<iframe sandbox srcdoc='<p>Inner.'></iframe><p>{_WORDS}</p>",
    "silent": f"<iframe src=/silent></iframe><p>{_WORDS}</p>",
    "endless": f"<iframe src=/endless></iframe><p>{_WORDS}</p>",
}
_FEED = """<div id=box style="height:300px;overflow-y:auto"></div><script>
let shown = 0, loading = false;
async function more() {
  if (loading || shown >= 60) return;
  loading = true;
  const rows = await (await fetch('/rows?from=' + shown)).json();
  for (const row of rows) { const p = document.createElement('p'); p.textContent = row; box.append(p); }
  shown += rows.length;
  loading = false;
}
box.addEventListener('scroll', () => { if (box.scrollTop + box.clientHeight > box.scrollHeight - 50) more() });
more();</script>"""


@pytest.fixture
def silence(site: Site) -> Iterator[None]:
    """A page that is only answered when the test is over, and one that moves for ever."""
    over = threading.Event()

    def silent(_: str, __: bytes) -> Answer:
        over.wait(2 * PATIENCE_S)
        return 200, {"content-type": "text/html"}, "late"

    site.pages["/silent"] = silent
    site.html("/inner", "<p>Inner.")
    site.html("/endless", "<p id=p>0</p><script>setInterval(() => { p.textContent++ }, 20)</script>")
    yield
    over.set()


@pytest.mark.usefixtures("silence")
@pytest.mark.parametrize("frame", _FRAMES)
async def test_a_citation_beside_a_frame(
    site: Site, browser: Browser, settings: Settings, tmp_path: Path, frame: str
) -> None:
    brief = settings.model_copy(update={"settle_timeout_s": 3})
    bench = Bench(tmp_path, brief, Web.live(brief), browser)
    url = site.html("/page", _FRAMES[frame])
    async with asyncio.timeout(PATIENCE_S):
        citation = await bench.cite(url, quote=_WORDS)
        check = await replay(citation, bench.store, browser, brief)
    assert check.verdict == "verified", check.message


async def test_a_row_of_a_feed_in_a_box(
    site: Site, browser: Browser, settings: Settings, tmp_path: Path
) -> None:
    def rows(path: str, _: bytes) -> Answer:
        first = int(path.rpartition("=")[2])
        told = ", ".join(
            f'"Entry {number} of the feed says {number * 37}."' for number in range(first, first + 10)
        )
        return 200, {"content-type": "application/json"}, f"[{told}]"

    site.pages["/rows"] = rows
    bench = Bench(tmp_path, settings, Web.live(settings), browser)
    citation = await bench.cite(site.html("/feed", _FEED), quote="Entry 47 of the feed says 1739.")
    check = await replay(citation, bench.store, browser, settings)
    assert (citation.replay, check.verdict) == ("page", "verified"), citation.replay_reason
