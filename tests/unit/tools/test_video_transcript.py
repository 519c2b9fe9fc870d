"""What a model reads of a transcript: which captions, which others, parts by time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

import pytest

from tests.unit.net.local_site import LocalSite, local_site
from tests.unit.tools.contexts import call
from verifaible.config import Settings
from verifaible.net.web import Web
from verifaible.schema.run import ToolReply
from verifaible.schema.transcript import Caption, CaptionTrack, Transcript
from verifaible.tools.context import ToolContext
from verifaible.tools.video_transcript import VideoTranscriptArguments, _reply, video_transcript

PAGE = """<title>A talk</title><video><track srclang="en" src="/en.vtt" default>
<track srclang="de" src="/de.vtt"></video>"""


def vtt(word: str, count: int = 3) -> bytes:
    cues = [
        f"{10 * number // 60:02}:{10 * number % 60:02}.000 --> {(10 * number + 9) // 60:02}:{(10 * number + 9) % 60:02}.000\n"
        f"{word} line {number}"
        for number in range(count)
    ]
    return ("WEBVTT\n\n" + "\n\n".join(cues)).encode()


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with local_site() as running:
        running.give("/talk", body=PAGE.encode(), content_type="text/html")
        running.give("/en.vtt", body=vtt("English"), content_type="text/vtt")
        running.give("/de.vtt", body=vtt("Deutsch"), content_type="text/vtt")
        running.give("/long.vtt", body=vtt("word " * 20, 360), content_type="text/vtt")
        yield running


async def ask(site: LocalSite, path: str, **arguments: Any) -> ToolReply:
    web = Web.live(Settings(allow_hosts=("127.0.0.1",)))
    none = cast(Any, None)
    context = ToolContext(web.settings, web, none, none, none)
    return await call(video_transcript(context), url=site.url + path, **arguments)


async def test_a_page_of_another_site(site: LocalSite) -> None:
    text = (await ask(site, "/talk")).text
    assert text.startswith("Video, captions in en (from the page), 3 lines, 0:29 long. Also in: de. All ")
    assert "Title: A talk\n[0:00] English line 0\n[0:10] English line 1" in text
    assert f"--- content of {site.url}/en.vtt (untrusted" in text


async def test_the_language_is_chosen(site: LocalSite) -> None:
    text = (await ask(site, "/talk", languages="fr, de")).text
    assert "captions in de" in text
    assert "Also in: en." in text
    reply = await ask(site, "/talk", languages=["fr"])
    assert reply.error_code == "no_transcript"
    assert "only in: de, en" in reply.text


async def test_a_file(site: LocalSite) -> None:
    text = (await ask(site, "/en.vtt", find="line 2")).text
    assert "captions in a language that is not stated (from the page), 3 lines" in text
    assert "[0:20] English line 2" in text


async def test_parts_tell_their_times_and_give_the_whole(site: LocalSite) -> None:
    seen: list[str] = []
    windows: list[str] = []
    offset = 0
    while True:
        text = (await ask(site, "/long.vtt", offset=offset)).text
        seen += re.findall(r"^\[[\d:]+\] .* line (\d+)$", text, re.MULTILINE)
        windows += re.findall(r"This part: ([\d:]+ to [\d:]+)\.", text)
        following = re.search(r"Next part: offset=(\d+)", text)
        if following is None:
            break
        offset = int(following[1])
    assert seen == [str(number) for number in range(360)]
    assert len(windows) > 3
    assert windows[0].startswith("0:00 to ")
    assert windows[-1].endswith(" to 59:59")


async def test_a_window_of_time(site: LocalSite) -> None:
    text = (await ask(site, "/long.vtt", start_s=100, end_s=120)).text
    assert re.findall(r"line (\d+)$", text, re.MULTILINE) == ["10", "11"]
    reply = await ask(site, "/long.vtt", start_s=4000)
    assert "captions end at 59:59" in reply.text


def youtube(**changes: Any) -> str:
    transcript = Transcript(
        video_id="iG9CE55wbtY",
        language="en",
        captions=(Caption(start_s=0, duration_s=1, text="Hello"),),
        available=(
            CaptionTrack(language="en"),
            CaptionTrack(language="en", generated=True),
            CaptionTrack(language="ko", generated=True),
        ),
    ).model_copy(update=changes)
    return _reply(transcript, VideoTranscriptArguments(video_id="iG9CE55wbtY"))


def test_who_made_the_captions_is_said() -> None:
    assert youtube().startswith(
        "Video iG9CE55wbtY, captions in en (made by people), 1 lines, 0:01 long. "
        "Also in: en (by a machine), ko (by a machine)."
    )
    assert "captions in en (made by a machine)" in youtube(generated=True)
    text = youtube(language="fr", translated_from="ko", generated=True, translations=("de", "fr"))
    assert "captions in fr (translated by a machine from ko: cite the original words)" in text
    assert "Also in: ko, en, en (by a machine). YouTube translates into 2 languages." in text
