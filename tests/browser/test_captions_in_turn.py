"""Captions from two places in turn: the library, a file that was given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.citing import Bench
from tests.browser.conftest import Site
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import PageNotLoaded
from verifaible.evidence import transcript as captions_module
from verifaible.evidence.replay import replay
from verifaible.evidence.transcript import captions_in_turn
from verifaible.net import transcripts
from verifaible.net.web import Web

_VIDEO = "dQw4w9WgXcQ"
_WORDS = "The rate stays at four per cent"


@pytest.fixture
def watched(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A watch page on loopback; the library finds nothing there."""
    site.html("/watch", "<h1>Press conference</h1>", "Press conference - YouTube")

    def address(_: str) -> str:
        return f"{site.url}/watch"

    monkeypatch.setattr(transcripts, "watch_url", address)

    async def blocked(*_: object, **__: object) -> None:
        raise PageNotLoaded("No transcript of video: YouTube blocks this machine's address.")

    monkeypatch.setattr(captions_module, "fetch_transcript", blocked)
    return site


async def test_the_next_place_is_asked_and_stands_in_the_evidence(
    watched: Site, browser: Browser, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / f"{_VIDEO}.vtt").write_text(f"WEBVTT\n\n00:01.500 --> 00:03.500\n{_WORDS}\n")
    own = settings.model_copy(update={"transcript_file": tmp_path, "robots": "never"})
    bench = Bench(tmp_path, own, Web.live(own), browser)
    citation = await bench.cite(
        f"https://www.youtube.com/watch?v={_VIDEO}", evidence_type="video", quote=_WORDS
    )
    assert json.loads(bench.file(citation, "provenance.json"))["captions_from"] == "file"
    transcript = json.loads(bench.file(citation, "transcript.json"))
    assert (transcript["origin"], transcript["captions"][0]["start_s"]) == ("file", 1.5)
    assert (await replay(citation, bench.store, browser, own)).verdict == "verified"


@pytest.mark.usefixtures("watched")
async def test_no_place_has_any(settings: Settings) -> None:
    web = Web.live(settings)
    with pytest.raises(PageNotLoaded, match=r"blocks this machine.*Nor from elsewhere: No file"):
        await captions_in_turn(web, _VIDEO, ("en",))
