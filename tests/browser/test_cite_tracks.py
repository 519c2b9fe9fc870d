"""What is said in videos of other sites than YouTube: cited from files of captions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.citing import Bench
from tests.browser.conftest import Site
from tests.browser.toolboxes import Caller
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import AnchorNotFound, WrongContent
from verifaible.evidence.replay import recheck, replay
from verifaible.net.web import Web

VTT = """WEBVTT

00:01.000 --> 00:04.000
In February the rate

00:04.000 --> 00:07.500
was <b>5.33%</b> in Shanghai.
"""


@pytest.fixture
def bench(tmp_path: Path, settings: Settings, live_web: Web, browser: Browser) -> Bench:
    return Bench(tmp_path, settings, live_web, browser)


@pytest.fixture
def captions(site: Site) -> str:
    site.file("/captions/en.vtt", "text/vtt", VTT)
    return f"{site.url}/captions/en.vtt"


async def test_words_of_a_file_that_change_and_go(site: Site, captions: str, bench: Bench) -> None:
    citation = await bench.cite(
        captions, evidence_type="video", quote="the rate was 5.33% in Shanghai", at_s=2
    )
    assert citation.source_url == captions
    assert bench.json(citation, "transcript.json")["source"] == captions
    assert citation.anchor.time is not None
    assert (citation.anchor.time.start_s, citation.anchor.time.end_s) == (1.0, 7.5)
    site.file("/captions/en.vtt", "text/vtt", VTT.replace("5.33", "5.43"))
    check = await recheck(citation, bench.store, bench.browser, bench.settings, web=bench.web)
    assert check.verdict == "changed"
    site.file("/captions/en.vtt", "text/html", "<p>The video was replaced by these words.</p>")
    check = await recheck(citation, bench.store, bench.browser, bench.settings, web=bench.web)
    assert check.verdict == "gone"
    assert (await replay(citation, bench.store, bench.browser, bench.settings)).verdict == "verified"


async def test_words_that_are_not_said(captions: str, bench: Bench) -> None:
    with pytest.raises(AnchorNotFound):
        await bench.cite(captions, evidence_type="video", quote="the rate was 5.34% in Shanghai")


async def test_a_page_is_no_file_of_captions(site: Site, bench: Bench) -> None:
    url = site.html("/silent", "<video controls></video>")
    with pytest.raises(WrongContent, match="no file of captions"):
        await bench.cite(url, evidence_type="video", quote="anything at all")
    reply = await Caller(bench.settings, bench.web, bench.browser)("video_transcript", url=url)
    assert reply.error_code == "wrong_content"
