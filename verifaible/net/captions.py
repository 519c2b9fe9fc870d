"""Captions outside YouTube: files of captions by their addresses."""

from __future__ import annotations

from urllib.parse import urldefrag, urlsplit

from verifaible.errors import NoTranscript, PageNotLoaded
from verifaible.extract.captions import UNDETERMINED, looks_like_captions, parse_captions
from verifaible.extract.charset import decode_html
from verifaible.net.client import HttpClient
from verifaible.schema.transcript import CaptionTrack, Transcript
from verifaible.schema.web import WebRequest, header

_TYPES = frozenset({"text/vtt", "application/x-subrip", "application/srt", "text/srt", "text/x-srt"})
_ACCEPT = (("accept", "text/vtt,application/x-subrip,*/*;q=0.5"),)


async def fetch_captions(url: str, client: HttpClient) -> Transcript:
    """The captions in a WebVTT or SubRip file.

    Raises:
        NoTranscript: the address holds no such file.
        PageNotLoaded, UrlRefused, OfflineMiss: as :meth:`HttpClient.fetch`; PageNotLoaded also for
            an HTTP error status.
    """
    url = urldefrag(url.strip()).url
    fetched = await client.fetch(WebRequest(url, headers=_ACCEPT))
    answer = fetched.answer.response
    if answer.status != 200:
        raise PageNotLoaded(
            f"{url} answered with HTTP status {answer.status}. Check the address, or use another source.",
            status=answer.status,
        )
    kind = answer.content_type
    # WebVTT is UTF-8 whatever a header says (section 1.1); SubRip has no rule, so it is detected.
    is_vtt = kind == "text/vtt" or answer.body.lstrip(b"\xef\xbb\xbf").startswith(b"WEBVTT")
    named = "text/vtt; charset=utf-8" if is_vtt else header(answer.headers, "content-type")
    text = decode_html(answer.body, named).text
    final = fetched.answer.url if fetched.redirects else url
    named_so = kind in _TYPES or urlsplit(final).path.lower().endswith((".vtt", ".srt"))
    if not named_so and not looks_like_captions(text):
        raise NoTranscript(
            f"{url} is neither a video of YouTube nor a file of captions, but {kind or 'something else'}. "
            "Find the address of the video's captions (.vtt, .srt) with analyze_page and give that, or cite "
            "another source."
        )
    try:
        found = parse_captions(text)
    except NoTranscript as error:
        raise NoTranscript(f"No transcript from {final}: {error}") from error
    return Transcript(
        video_id="",
        title="",
        language=found.language,
        captions=found.captions,
        source=final,
        available=(CaptionTrack(language=found.language or UNDETERMINED, url=final),),
    )
