"""The captions of a video from the places that the settings name, in turn; which one it was is sealed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from verifaible.browser.page.session import PageSession
from verifaible.browser.warm import Browser
from verifaible.config import Settings
from verifaible.errors import NoTranscript, PageBlocked, PageNotLoaded
from verifaible.extract.captions import matching, parse_captions, parse_timedtext
from verifaible.net.transcripts import (
    DEFAULT_LANGUAGES,
    fetch_transcript,
    is_elsewhere,
    video_id_of,
    watch_url,
)
from verifaible.net.web import Web
from verifaible.schema.transcript import CaptionTrack, Origin, Transcript
from verifaible.schema.web import Headers, WebExchange

if TYPE_CHECKING:
    from pathlib import Path

#: Where the player asks for captions; whatever host a site of YouTube's uses.
_ASKED = "/api/timedtext"
#: The player's button for captions, where they are off.
_BUTTON = ".ytp-subtitles-button[aria-pressed=false]"
_PLAYER_S = 8.0
_LOOK_S = 0.1


async def captions_in_turn(
    web: Web,
    browser: Browser,
    video: str,
    languages: Sequence[str],
    *,
    kept: list[WebExchange] | None = None,
    translated: bool = False,
    told: Headers = (),
    origin: Origin | None = None,
) -> Transcript:
    """The captions of a video from the first place that has them.

    Args:
        web: where the video is.
        browser: opens its page for the captions of the player.
        video: as :func:`fetch_transcript`.
        languages: best first.
        kept: gets the exchanges that brought them.
        translated: as :func:`fetch_transcript`.
        told: what is said of the reader with each request.
        origin: only this place: where they were from when they were sealed.

    Raises:
        NoTranscript, PageNotLoaded: the first place's reason, and those of the others.
        BadArguments, UrlRefused, OfflineMiss: as :func:`fetch_transcript`.
    """

    async def library() -> Transcript:
        async with web.client(kept, told) as client:
            return await fetch_transcript(video, client, tuple(languages), translated=translated)

    if is_elsewhere(video):
        return await library()
    places = (origin,) if origin else web.settings.transcripts if web.archive is None else ("library",)
    failures: list[NoTranscript | PageNotLoaded | PageBlocked] = []
    for place in places:
        try:
            if place == "player":
                return await _of_player(web, browser, video, languages, kept)
            if place == "file":
                return await asyncio.to_thread(_of_file, web.settings, video)
            return (await library()).model_copy(update={"origin": "library"})
        except (NoTranscript, PageNotLoaded, PageBlocked) as error:
            failures.append(error)
    first, *others = failures or [NoTranscript("VERIFAIBLE_TRANSCRIPTS names no place. Name one.")]
    more = "".join(f" Nor from elsewhere: {error}" for error in others)
    raise type(first)(f"{first}{more}") from first


async def _of_player(
    web: Web, browser: Browser, video: str, languages: Sequence[str], kept: list[WebExchange] | None
) -> Transcript:
    """What the player of the video's own page asks for in our browser, once its captions are on.

    Raises:
        NoTranscript: it asks for none, or not in one of the languages.
        PageError: the page cannot be opened.
    """
    async with browser.page(web) as session:
        await session.open(watch_url(video))
        exchange = await _asked_for(session)
        title = (await session.title()).removesuffix(" - YouTube")
    if exchange is None:
        raise NoTranscript(f"The player of video {video_id_of(video)} asked for no captions.")
    query = parse_qs(urlsplit(exchange.request.url).query)
    language = query.get("tlang", query.get("lang", ["und"]))[0]
    if tuple(languages) != DEFAULT_LANGUAGES and not any(matching(each, [language]) for each in languages):
        raise NoTranscript(f"The player shows captions in {language}. Ask for these.")
    captions = parse_timedtext(exchange.response.body)
    if kept is not None:
        kept.append(exchange)
    generated = query.get("kind") == ["asr"]
    track = CaptionTrack(language=language, generated=generated, url=exchange.request.url)
    return Transcript(
        video_id=video_id_of(video),
        title=title,
        language=language,
        generated=generated,
        captions=captions,
        source=exchange.request.url,
        translated_from=query.get("lang", [""])[0] if "tlang" in query else "",
        available=(track,),
        origin="player",
    )


async def _asked_for(session: PageSession) -> WebExchange | None:
    from playwright.async_api import Error

    deadline = asyncio.get_running_loop().time() + _PLAYER_S
    while asyncio.get_running_loop().time() < deadline:
        await session.traffic.drain()
        for each in reversed(session.traffic.exchanges):
            asked = urlsplit(each.request.url).path == _ASKED
            if asked and each.response.status == 200 and each.response.body.strip():
                return each
        button = session.page.locator(_BUTTON).first
        try:
            if await button.count():
                await button.click(timeout=1000)
        except Error:
            pass  # not to be clicked yet
        await asyncio.sleep(_LOOK_S)
    return None


def _of_file(settings: Settings, video: str) -> Transcript:
    """The captions of a file that a person gave.

    Raises:
        NoTranscript: none is given for this video, or it cannot be read.
    """
    video_id = video_id_of(video)
    path = _file_of(settings.transcript_file, video_id)
    if path is None:
        raise NoTranscript(
            f"No file of captions is given for video {video_id}. Name one in VERIFAIBLE_TRANSCRIPT_FILE, or "
            f"a folder that holds {video_id}.vtt or {video_id}.srt."
        )
    try:
        found = parse_captions(path.read_bytes().decode("utf-8-sig", "replace"))
    except OSError as error:
        raise NoTranscript(f"{path} cannot be read ({error.strerror}). Name another file.") from error
    return Transcript(
        video_id=video_id, language=found.language, captions=found.captions, source=path.name, origin="file"
    )


def _file_of(given: Path | None, video_id: str) -> Path | None:
    if given is None or given.is_file():
        return given
    named = (given / f"{video_id}{ending}" for ending in (".vtt", ".srt"))
    return next((path for path in named if path.is_file()), None)
