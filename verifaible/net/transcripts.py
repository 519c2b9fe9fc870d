"""The captions of a video; YouTube's are read by youtube-transcript-api over our own HTTP client.

The library runs unmodified in a thread; its session hands every request to the client, so that
the guard, the limits and the offline archives hold for it too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urldefrag, urlsplit

from verifaible.errors import BadArguments, NoTranscript, PageNotLoaded, ToolError, needing
from verifaible.net.caption_tracks import matching
from verifaible.net.captions import fetch_captions
from verifaible.net.client import HttpClient
from verifaible.schema.transcript import Caption, CaptionTrack, Transcript

if TYPE_CHECKING:
    from youtube_transcript_api import Transcript as Track
    from youtube_transcript_api import TranscriptList

    from verifaible.net.requests_adapter import ClientAdapter

DEFAULT_LANGUAGES = ("en", "zh-Hans", "zh", "zh-CN")

_VIDEO_ID = re.compile(r"[A-Za-z0-9_-]{11}")
_HOSTS = frozenset({"youtube.com", "youtube-nocookie.com", "youtu.be"})
_ID_PATHS = frozenset({"shorts", "embed", "live", "v", "e"})
_OG_TITLE = re.compile(r"<meta\s[^>]*?property=[\"']og:title[\"'][^>]*?content=[\"']([^\"']*)", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>([^<]*)", re.IGNORECASE)
_OTHER_SOURCE = "Cite another source for the claim."
_LATER = "Try again later, or cite another source."

#: What each exception of the library means: our class, and the sentence for the model. Those of
#: ``PageNotLoaded`` are failures of the way there, the others say that there are no captions.
MEANINGS: Mapping[str, tuple[type[ToolError], str]] = {
    "TranscriptsDisabled": (NoTranscript, f"the video has no captions. {_OTHER_SOURCE}"),
    "NoTranscriptFound": (NoTranscript, "there are no captions in the languages asked for{available}."),
    "VideoUnavailable": (
        NoTranscript,
        "the video is no longer available. Check the id, or use another video.",
    ),
    "VideoUnplayable": (NoTranscript, f"YouTube does not play the video{{reason}}. {_OTHER_SOURCE}"),
    "AgeRestricted": (NoTranscript, f"the video is age-restricted and needs a login. {_OTHER_SOURCE}"),
    "InvalidVideoId": (NoTranscript, "YouTube does not know this video id. Check it for a typing error."),
    "NotTranslatable": (NoTranscript, "its captions cannot be translated. Ask for their own language."),
    "TranslationLanguageNotAvailable": (
        NoTranscript,
        "its captions are not translated into this language. Ask for their own language.",
    ),
    "PoTokenRequired": (
        NoTranscript,
        f"YouTube hands these captions to its own player only. {_OTHER_SOURCE}",
    ),
    "YouTubeDataUnparsable": (NoTranscript, f"YouTube's page could not be understood. {_LATER}"),
    "FailedToCreateConsentCookie": (PageNotLoaded, f"YouTube's consent page could not be passed. {_LATER}"),
    "RequestBlocked": (PageNotLoaded, f"YouTube takes this machine for a robot and refused. {_LATER}"),
    "IpBlocked": (PageNotLoaded, f"YouTube blocks this machine's address. {_LATER}"),
    "YouTubeRequestFailed": (PageNotLoaded, f"YouTube answered with an error{{reason}}. {_LATER}"),
    "CookieError": (PageNotLoaded, f"the cookies for YouTube could not be used. {_LATER}"),
    "CookiePathInvalid": (PageNotLoaded, f"the file of cookies for YouTube could not be read. {_LATER}"),
    "CookieInvalid": (PageNotLoaded, f"the cookies for YouTube are not valid. {_LATER}"),
    "CouldNotRetrieveTranscript": (NoTranscript, f"the captions could not be read. {_LATER}"),
    "YouTubeTranscriptApiException": (NoTranscript, f"the captions could not be read. {_LATER}"),
}


def video_id_of(url_or_id: str) -> str:
    """The id in a YouTube address (watch, youtu.be, shorts, embed, live), or the id itself.

    Raises:
        BadArguments: neither an id of eleven characters nor an address that holds one.
    """
    text = url_or_id.strip()
    if _VIDEO_ID.fullmatch(text):
        return text
    host = _host(text)
    if host in _HOSTS:
        parts = urlsplit(text if "//" in text else f"https://{text}")
        segments = [segment for segment in parts.path.split("/") if segment]
        candidates = parse_qs(parts.query).get("v", [])[:1]
        if host == "youtu.be":
            candidates = segments[:1]
        elif len(segments) > 1 and segments[0] in _ID_PATHS:
            candidates = segments[1:2]
        if candidates and _VIDEO_ID.fullmatch(candidates[0]):
            return candidates[0]
    raise BadArguments(
        f"video: {url_or_id!r} is not a YouTube video. Give the address of its watch page, or its "
        "11-character id."
    )


def _host(text: str) -> str:
    """The host of an address, without what YouTube puts before its own; empty if it has none."""
    try:
        host = urlsplit(text if "//" in text else f"https://{text}").hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.").removeprefix("m.").removeprefix("music.")


def is_elsewhere(video: str) -> bool:
    """Whether a video is named by the address of a page or file outside YouTube."""
    text = video.strip()
    host = _host(text)
    return text.lower().startswith(("http://", "https://")) and bool(host) and host not in _HOSTS


def watch_url(url_or_id: str) -> str:
    """The plain address of a video's page, whatever short or timed form it was given in.

    Raises:
        BadArguments: as :func:`video_id_of`, for what is no address outside YouTube either.
    """
    if is_elsewhere(url_or_id):
        return urldefrag(url_or_id.strip()).url
    return f"https://www.youtube.com/watch?v={video_id_of(url_or_id)}"


async def fetch_transcript(
    video: str,
    client: HttpClient,
    languages: tuple[str, ...] = DEFAULT_LANGUAGES,
    *,
    translated: bool = False,
) -> Transcript:
    """The captions of a video in the first of ``languages`` that it has, manual ones first.

    Args:
        video: id or address of a YouTube video; or the address of a file of captions (WebVTT,
            SubRip) or of another site's page whose video has tracks.
        client: the session's client.
        languages: best first; ``en`` takes ``en-GB`` too. Pages outside YouTube give their default
            track where nothing else than ``DEFAULT_LANGUAGES`` was asked for.
        translated: where YouTube has captions in none of them, take its machine's translation into
            one of them. Never for evidence: those are not words of the source.

    Raises:
        BadArguments: ``video`` names no video.
        NoTranscript: the video has no captions that can be read; the message says why, and
            which languages there are.
        PageNotLoaded, UrlRefused, OfflineMiss: as :meth:`HttpClient.fetch`.
    """
    if is_elsewhere(video):
        return await fetch_captions(
            video, client, languages, only_these=tuple(languages) != DEFAULT_LANGUAGES
        )
    video_id = video_id_of(video)
    with needing("video", "Reading the captions of YouTube"):
        from verifaible.net.requests_adapter import ClientAdapter
    adapter = ClientAdapter(client, asyncio.get_running_loop())
    return await asyncio.to_thread(_read, video_id, languages, adapter, translated)


def _read(video_id: str, languages: tuple[str, ...], adapter: ClientAdapter, translated: bool) -> Transcript:
    import requests
    from youtube_transcript_api import YouTubeTranscriptApi, YouTubeTranscriptApiException

    session = requests.Session()
    session.trust_env = False
    session.adapters.clear()
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    try:
        available = YouTubeTranscriptApi(http_client=session).list(video_id)
        original = _chosen(available, languages, or_any=translated)
        track = _in_language(original, languages) if translated else original
        found = track.fetch()
    except YouTubeTranscriptApiException as error:
        raise _meaning(video_id, error) from error
    except requests.RequestException as error:
        raise PageNotLoaded(
            f"The captions of video {video_id} could not be loaded ({type(error).__name__}). {_LATER}"
        ) from error
    except (SyntaxError, ValueError, LookupError, TypeError) as error:
        # The library lets its XML (a SyntaxError) and JSON parsers' errors through.
        raise NoTranscript(
            f"No transcript of video {video_id}: YouTube sent captions that are empty or cannot be "
            f"understood. {_LATER}"
        ) from error
    captions = [Caption(start_s=one.start, duration_s=one.duration, text=one.text) for one in found]
    if not captions:
        raise NoTranscript(f"No transcript of video {video_id}: its captions are empty. {_OTHER_SOURCE}")
    return Transcript(
        video_id=video_id,
        title=_page_title(adapter.watch_page),
        language=found.language_code,
        generated=original.is_generated,
        captions=tuple(sorted(captions, key=lambda caption: caption.start_s)),
        translated_from="" if track is original else original.language_code,
        available=tuple(
            CaptionTrack(language=one.language_code, name=one.language, generated=one.is_generated)
            for one in available
        ),
        translations=_translations(available) if translated else (),
    )


def _chosen(available: TranscriptList, languages: tuple[str, ...], *, or_any: bool) -> Track:
    """The captions to read: in one of the languages; else, with ``or_any``, some to translate from.

    Raises:
        NoTranscriptFound: there are none.
    """
    from youtube_transcript_api import NoTranscriptFound

    tracks = sorted(available, key=lambda track: track.is_generated)
    for asked in languages:
        for generated in (False, True):
            codes = {one.language_code: one for one in tracks if one.is_generated is generated}
            for code in matching(asked, list(codes)):
                return codes[code]
    if or_any:
        for track in tracks:
            if _translation(track, languages):
                return track
    raise NoTranscriptFound(available.video_id, languages, available)


def _in_language(track: Track, languages: tuple[str, ...]) -> Track:
    """The captions themselves if they are in one of the languages, else their translation."""
    if any(matching(asked, [track.language_code]) for asked in languages):
        return track
    return track.translate(_translation(track, languages))


def _translation(track: Track, languages: tuple[str, ...]) -> str:
    """The first of the languages that captions can be translated into, or an empty string."""
    codes = [one.language_code for one in track.translation_languages]
    return next((code for asked in languages for code in matching(asked, codes)), "")


def _translations(available: TranscriptList) -> tuple[str, ...]:
    return tuple(sorted({one.language_code for track in available for one in track.translation_languages}))


def _meaning(video_id: str, error: Exception) -> ToolError:
    """The library's exception as ours."""
    kind, sentence = next(
        MEANINGS[base.__name__] for base in type(error).__mro__ if base.__name__ in MEANINGS
    )
    reasons = [getattr(error, "reason", ""), *getattr(error, "sub_reasons", ())]
    # requests appends the address, which may hold a key.
    said = [re.sub(r"\s*for url: \S+", "", str(reason)).strip().rstrip(".") for reason in reasons if reason]
    reason = ". ".join(dict.fromkeys(part for part in said if part))[:300]
    available = getattr(error, "_transcript_data", None)
    codes = sorted({one.language_code for one in available}) if available is not None else []
    listed = f", only in: {', '.join(codes)}. Ask for one of these" if codes else ""
    text = sentence.format(reason=f" ({reason})" if reason else "", available=listed)
    return kind(f"No transcript of video {video_id}: {text}")


def _page_title(html: str) -> str:
    """The video's title in its watch page, or an empty string."""
    match = _OG_TITLE.search(html) or _TITLE.search(html)
    title = " ".join(unescape(match[1]).split()) if match else ""
    return "" if title == "YouTube" else title.removesuffix(" - YouTube")
