"""Captions from three places in turn: the library, the player's own requests, a file that was given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.citing import Bench
from tests.browser.conftest import Site
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import NoTranscript, PageNotLoaded
from verifaible.evidence.check.replay import replay
from verifaible.evidence.observing import captions as captions_module
from verifaible.evidence.observing.captions import captions_in_turn
from verifaible.extract.captions import parse_timedtext
from verifaible.net import transcripts
from verifaible.net.web import Web

_VIDEO = "dQw4w9WgXcQ"
_WORDS = "The rate stays at four per cent"
_JSON3 = json.dumps(
    {
        "events": [
            {
                "tStartMs": 1500,
                "dDurationMs": 2000,
                "segs": [{"utf8": "The rate stays "}, {"utf8": "at four per cent"}],
            },
            {"tStartMs": 1, "wWinId": 1},
        ]
    }
)
_PLAYER = """<h1>Press conference</h1><button class="ytp-subtitles-button" aria-pressed="false"
 onclick="this.ariaPressed='true';fetch('/api/timedtext?v=x&lang=en&kind=asr&fmt=json3')">CC</button>"""


@pytest.fixture
def watched(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A watch page on loopback; the library finds nothing there."""
    site.html("/watch", _PLAYER, "Press conference - YouTube")
    site.file("/api/timedtext", "application/json", _JSON3)

    def address(_: str) -> str:
        return f"{site.url}/watch"

    monkeypatch.setattr(transcripts, "watch_url", address)
    monkeypatch.setattr(captions_module, "watch_url", address)

    async def blocked(*_: object, **__: object) -> None:
        raise PageNotLoaded("No transcript of video: YouTube blocks this machine's address.")

    monkeypatch.setattr(captions_module, "fetch_transcript", blocked)
    return site


@pytest.mark.parametrize("place", ["player", "file"])
async def test_the_next_place_is_asked_and_stands_in_the_evidence(
    watched: Site, browser: Browser, settings: Settings, tmp_path: Path, place: str
) -> None:
    (tmp_path / f"{_VIDEO}.vtt").write_text(f"WEBVTT\n\n00:01.500 --> 00:03.500\n{_WORDS}\n")
    order = ("library", place)
    own = settings.model_copy(update={"transcripts": order, "transcript_file": tmp_path, "robots": "never"})
    bench = Bench(tmp_path, own, Web.live(own), browser)
    citation = await bench.cite(
        f"https://www.youtube.com/watch?v={_VIDEO}", evidence_type="video", quote=_WORDS
    )
    assert json.loads(bench.file(citation, "provenance.json"))["captions_from"] == place
    transcript = json.loads(bench.file(citation, "transcript.json"))["transcript"]
    assert (transcript["origin"], transcript["captions"][0]["start_s"]) == (place, 1.5)
    assert transcript["generated"] is (place == "player")
    assert (await replay(citation, bench.store, browser, own)).verdict == "verified"


async def test_no_place_has_any(browser: Browser, settings: Settings, watched: Site) -> None:
    watched.html("/watch", "<h1>Nothing to press</h1>")
    web = Web.live(settings.model_copy(update={"transcripts": ("library", "file")}))
    with pytest.raises(PageNotLoaded, match=r"blocks this machine.*Nor from elsewhere: No file"):
        await captions_in_turn(web, browser, _VIDEO, ("en",))


@pytest.mark.parametrize(
    "body",
    [
        _JSON3,
        '<?xml version="1.0"?><timedtext format="3"><body><p t="1500" d="2000"><s>The rate stays</s><s> at four per cent</s></p></body></timedtext>',
        f'<transcript><text start="1.5" dur="2">{_WORDS}</text></transcript>',
        f"WEBVTT\n\n00:01.500 --> 00:03.500\n{_WORDS}\n",
    ],
    ids=["json3", "srv3", "srv1", "vtt"],
)
def test_every_form_of_the_players_captions(body: str) -> None:
    (caption,) = parse_timedtext(body.encode())
    assert (caption.text, caption.start_s, caption.duration_s) == (_WORDS, 1.5, 2.0)


@pytest.mark.parametrize("body", ["", "{}", "<html", "<a/>", '{"events": []}', "no captions"])
def test_what_is_no_captions(body: str) -> None:
    with pytest.raises(NoTranscript):
        parse_timedtext(body.encode())
