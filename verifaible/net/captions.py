"""The captions of videos outside YouTube: files of captions, and the tracks of a page."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urldefrag

from verifaible.errors import NoTranscript, PageNotLoaded
from verifaible.extract.captions import UNDETERMINED, looks_like_captions, parse_captions
from verifaible.extract.charset import decode_html
from verifaible.net.caption_tracks import CaptionPage, is_caption_file, matching, read_page
from verifaible.net.client import HttpClient
from verifaible.schema.transcript import CaptionTrack, Transcript
from verifaible.schema.web import WebRequest, header

_CAPTION_TYPES = frozenset({"text/vtt", "application/x-subrip", "application/srt", "text/srt", "text/x-srt"})
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_ACCEPT = (("accept", "text/html,text/vtt,application/x-subrip,*/*;q=0.5"),)


class NoTracks(NoTranscript):
    """A page names no captions as it is served; scripts may load some."""


async def fetch_captions(
    url: str, client: HttpClient, languages: Sequence[str], *, only_these: bool = True
) -> Transcript:
    """The captions behind an address: a WebVTT or SubRip file, or a page whose video has tracks.

    Args:
        url: the file, or the page.
        client: the session's client.
        languages: which track of a page to take, best first. A file is taken as it is.
        only_these: refuse a page that has no track in one of the languages; otherwise its default
            track, or its first, is taken.

    Raises:
        NoTracks: the page names none.
        NoTranscript: there are no captions, or none in these languages; the message lists those
            that there are.
        PageNotLoaded, UrlRefused, OfflineMiss: as :meth:`HttpClient.fetch`; PageNotLoaded also for
            an HTTP error status.
    """
    url = urldefrag(url.strip()).url
    final, kind, text = await _text(url, client)
    if kind in _CAPTION_TYPES or is_caption_file(final) or looks_like_captions(text):
        return _transcript(text, CaptionTrack(language=UNDETERMINED, url=final), CaptionPage("", (), ()))
    if kind and kind not in _PAGE_TYPES:
        raise NoTranscript(
            f"{url} is neither a page nor a file of captions, but {kind}. Give the address of the video's "
            "page, or of its captions (.vtt, .srt)."
        )
    page = read_page(text, final)
    if page.youtube and not page.tracks:
        raise NoTranscript(
            f"{url} shows its video through YouTube. Ask for the captions of the YouTube video "
            f"{', '.join(page.youtube[:5])}."
        )
    if not page.tracks:
        raise NoTracks(
            f"{url} names no captions for a video. If a player loads them, find the address of the .vtt or "
            ".srt file with analyze_page and ask for that, or cite another source."
        )
    track = _chosen(url, page.tracks, languages, only_these)
    _, _, captions = await _text(track.url, client)
    return _transcript(captions, track, page)


async def _text(url: str, client: HttpClient) -> tuple[str, str, str]:
    """Where an address leads, the media type and the text there."""
    fetched = await client.fetch(WebRequest(url, headers=_ACCEPT))
    answer = fetched.answer.response
    if answer.status != 200:
        raise PageNotLoaded(
            f"{url} answered with HTTP status {answer.status}. Check the address, or use another source.",
            status=answer.status,
        )
    kind = answer.content_type
    named = header(answer.headers, "content-type")
    # WebVTT is UTF-8 whatever a header says (section 1.1); SubRip has no rule, so it is detected.
    is_vtt = kind == "text/vtt" or answer.body.lstrip(b"\xef\xbb\xbf").startswith(b"WEBVTT")
    text = decode_html(answer.body, "text/vtt; charset=utf-8" if is_vtt else named).text
    return fetched.answer.url if fetched.redirects else url, kind, text


def _chosen(
    url: str, tracks: Sequence[CaptionTrack], languages: Sequence[str], only_these: bool
) -> CaptionTrack:
    codes = [track.language for track in tracks]
    for asked in languages:
        for code in matching(asked, codes):
            return tracks[codes.index(code)]
    if only_these:
        listed = ", ".join(sorted(set(codes)))
        raise NoTranscript(
            f"{url} has no captions in the languages asked for, only in: {listed}. Ask for one of these."
        )
    return tracks[0]


def _transcript(text: str, track: CaptionTrack, page: CaptionPage) -> Transcript:
    try:
        found = parse_captions(text)
    except NoTranscript as error:
        raise NoTranscript(f"No transcript from {track.url}: {error}") from error
    language = track.language if track.language != UNDETERMINED else found.language
    return Transcript(
        video_id="",
        title=page.title,
        language=language,
        captions=found.captions,
        source=track.url,
        available=page.tracks or (track.model_copy(update={"language": language}),),
    )
