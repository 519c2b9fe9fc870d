"""The captions of a video from the places that the settings name, in turn; which one it was is sealed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifaible.config import Settings
from verifaible.errors import NoTranscript, PageBlocked, PageNotLoaded
from verifaible.extract.captions import parse_captions
from verifaible.net.transcripts import fetch_transcript, is_elsewhere, video_id_of
from verifaible.net.web import Web
from verifaible.schema.transcript import Origin, Transcript
from verifaible.schema.web import Headers, WebExchange

if TYPE_CHECKING:
    from pathlib import Path


async def captions_in_turn(
    web: Web,
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
            if place == "file":
                return await asyncio.to_thread(_of_file, web.settings, video)
            return (await library()).model_copy(update={"origin": "library"})
        except (NoTranscript, PageNotLoaded, PageBlocked) as error:
            failures.append(error)
    first, *others = failures or [NoTranscript("VERIFAIBLE_TRANSCRIPTS names no place. Name one.")]
    more = "".join(f" Nor from elsewhere: {error}" for error in others)
    raise type(first)(f"{first}{more}") from first


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
