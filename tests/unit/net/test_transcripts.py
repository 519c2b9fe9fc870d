"""Transcripts: the unmodified library over a fake archive, and a sentence for each of its failures."""

from __future__ import annotations

import inspect
import json
from datetime import UTC, datetime

import pytest
import youtube_transcript_api
from youtube_transcript_api import YouTubeTranscriptApiException

from verifaible.errors import BadArguments, NoTranscript, OfflineMiss, PageNotLoaded
from verifaible.net.client import HttpClient, offline_client
from verifaible.net.transcripts import MEANINGS, fetch_transcript, video_id_of
from verifaible.schema.web import Headers, WebAnswer, WebRequest, WebResponse, header

VIDEO = "abcDEF123_-"
WATCH = f"https://www.youtube.com/watch?v={VIDEO}"
PLAYER = "https://www.youtube.com/youtubei/v1/player?key=key-1"
TEXT = "https://www.youtube.com/api/timedtext?v=x&lang=en"
PAGE = (
    '<html><head><meta property="og:title" content="Schools &amp; creativity">'
    "<title>T - YouTube</title></head>"
    '<body><script>{"INNERTUBE_API_KEY": "key-1"}</script></body></html>'
)
CAPTIONS = (
    '<?xml version="1.0" encoding="utf-8" ?><transcript><text start="4.5" dur="2">“naïve” 中文</text>'
    '<text start="0.5" dur="1.25">Good &amp;amp; morning.</text></transcript>'
)


class FakeYouTube:
    """Answers the requests of the library from parts that a test replaces."""

    def __init__(self) -> None:
        self.page = PAGE
        self.player: dict[str, object] = {
            "playabilityStatus": {"status": "OK"},
            "captions": {"playerCaptionsTracklistRenderer": {"captionTracks": [self.track("en")]}},
        }
        self.captions = CAPTIONS
        self.status = 200
        self.headers: Headers = (("Set-Cookie", "VISITOR=1; Path=/"), ("Set-Cookie", "YSC=2; Path=/"))
        self.asked: list[WebRequest] = []

    @staticmethod
    def track(language: str, url: str = TEXT, **more: str) -> dict[str, object]:
        name = {"runs": [{"text": language}]}
        return {"baseUrl": url, "name": name, "languageCode": language, **more}

    def tracks(self, *tracks: dict[str, object]) -> None:
        self.player["captions"] = {"playerCaptionsTracklistRenderer": {"captionTracks": list(tracks)}}

    def find(self, request: WebRequest) -> WebAnswer:
        self.asked.append(request)
        bodies = {WATCH: self.page, PLAYER: json.dumps(self.player), TEXT: self.captions}
        if request.url not in bodies:
            raise OfflineMiss(request.url)
        response = WebResponse(self.status, self.headers, bodies[request.url].encode())
        return WebAnswer(request.url, response, "exact", datetime(2025, 1, 1, tzinfo=UTC))


@pytest.fixture
def youtube() -> FakeYouTube:
    return FakeYouTube()


@pytest.fixture
def client(youtube: FakeYouTube) -> HttpClient:
    return offline_client(youtube)


async def test_captions_come_in_order_with_title_and_language(client: HttpClient) -> None:
    transcript = await fetch_transcript(WATCH, client)

    assert (transcript.video_id, transcript.title) == (VIDEO, "Schools & creativity")
    assert (transcript.language, transcript.generated) == ("en", False)
    assert [(line.start_s, line.end_s, line.text) for line in transcript.captions] == [
        (0.5, 1.75, "Good & morning."),
        (4.5, 6.5, "“naïve” 中文"),
    ]


async def test_cookies_are_kept_and_the_body_is_handed_over(youtube: FakeYouTube, client: HttpClient) -> None:
    await fetch_transcript(VIDEO, client)
    assert [request.method for request in youtube.asked] == ["GET", "POST", "GET"]
    assert json.loads(youtube.asked[1].body)["videoId"] == VIDEO
    assert header(youtube.asked[1].headers, "cookie") == "VISITOR=1; YSC=2"


async def test_manual_captions_of_the_first_language_come_first(
    youtube: FakeYouTube, client: HttpClient
) -> None:
    youtube.tracks(
        youtube.track("en", kind="asr"), youtube.track("zh-Hans"), youtube.track("en", TEXT + "&fmt=srv3")
    )
    assert not (await fetch_transcript(VIDEO, client)).generated
    assert (await fetch_transcript(VIDEO, client, ("zh", "zh-Hans"))).language == "zh-Hans"
    youtube.tracks(youtube.track("en", kind="asr"))
    assert (await fetch_transcript(VIDEO, client)).generated


async def test_the_consent_page_is_passed_with_its_cookie(youtube: FakeYouTube, client: HttpClient) -> None:
    consent = '<form action="https://consent.youtube.com/s"><input name="v" value="cb.1">'
    pages = iter([consent, PAGE])
    original = youtube.find

    def find(request: WebRequest) -> WebAnswer:
        if request.url == WATCH:
            youtube.page = next(pages)
        return original(request)

    youtube.find = find  # type: ignore[method-assign]
    await fetch_transcript(VIDEO, client)
    assert "CONSENT=YES+cb.1" in header(youtube.asked[1].headers, "cookie")


TRANSLATIONS = [{"languageCode": code, "languageName": {"runs": [{"text": code}]}} for code in ("de", "fr")]


def translatable(youtube: FakeYouTube, *tracks: dict[str, object]) -> None:
    renderer = {"captionTracks": list(tracks), "translationLanguages": TRANSLATIONS}
    youtube.player["captions"] = {"playerCaptionsTracklistRenderer": renderer}


async def test_captions_that_there_are_come_with_the_transcript(
    youtube: FakeYouTube, client: HttpClient
) -> None:
    youtube.tracks(youtube.track("en"), youtube.track("de"), youtube.track("en", kind="asr"))
    transcript = await fetch_transcript(VIDEO, client)
    assert [(track.language, track.generated) for track in transcript.available] == [
        ("en", False),
        ("de", False),
        ("en", True),
    ]
    assert (transcript.translated_from, transcript.translations) == ("", ())


async def test_a_translation_is_marked_with_what_it_is_from(youtube: FakeYouTube, client: HttpClient) -> None:
    translated = TEXT + "&tlang=fr"
    original = youtube.find

    def find(request: WebRequest) -> WebAnswer:
        answer = original(WebRequest(TEXT) if request.url == translated else request)
        youtube.asked[-1] = request
        return answer

    youtube.find = find  # type: ignore[method-assign]
    translatable(youtube, youtube.track("ko", kind="asr", isTranslatable="1"), youtube.track("it"))
    transcript = await fetch_transcript(VIDEO, client, ("fr",), translated=True)
    assert (transcript.language, transcript.translated_from, transcript.generated) == ("fr", "ko", True)
    assert transcript.translations == ("de", "fr")
    assert youtube.asked[-1].url == translated


async def test_evidence_is_never_a_translation(youtube: FakeYouTube, client: HttpClient) -> None:
    translatable(youtube, youtube.track("ko", isTranslatable="1"))
    with pytest.raises(NoTranscript, match="only in: ko"):
        await fetch_transcript(VIDEO, client, ("fr",))


async def test_a_language_stands_for_its_regions(youtube: FakeYouTube, client: HttpClient) -> None:
    youtube.tracks(youtube.track("zh-Hant"), youtube.track("en-GB"), youtube.track("en", kind="asr"))
    assert (await fetch_transcript(VIDEO, client)).language == "en-GB"
    assert (await fetch_transcript(VIDEO, client, ("zh-TW",))).language == "zh-Hant"
    with pytest.raises(NoTranscript):
        await fetch_transcript(VIDEO, client, ("zh-CN",))


def status(status: str, reason: str = "", *details: str) -> dict[str, object]:
    runs = {"runs": [{"text": detail} for detail in details]}
    screen = {"playerErrorMessageRenderer": {"subreason": runs}}
    return {"playabilityStatus": {"status": status, "reason": reason, "errorScreen": screen}}


@pytest.mark.parametrize(
    ("player", "error", "message"),
    [
        ({"playabilityStatus": {"status": "OK"}}, NoTranscript, "no captions"),
        (status("ERROR", "This video is unavailable"), NoTranscript, "no longer available"),
        (status("UNPLAYABLE", "Blocked in your country."), NoTranscript, r"\(Blocked in your country\)"),
        (status("UNPLAYABLE"), NoTranscript, "does not play the video"),
        (
            status("UNPLAYABLE", "Video unavailable", "Its owner", "has blocked it."),
            NoTranscript,
            r"\(Video unavailable\. Its owner\. has blocked it\)",
        ),
        (status("LOGIN_REQUIRED", "Private video"), NoTranscript, r"\(Private video\)"),
        (status("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot"), PageNotLoaded, "robot"),
        (
            status("LOGIN_REQUIRED", "This video may be inappropriate for some users."),
            NoTranscript,
            "age-restricted",
        ),
    ],
)
async def test_what_the_player_says_is_told(
    youtube: FakeYouTube,
    client: HttpClient,
    player: dict[str, object],
    error: type[Exception],
    message: str,
) -> None:
    youtube.player = player
    with pytest.raises(error, match=message):
        await fetch_transcript(VIDEO, client)


async def test_other_languages_are_named(youtube: FakeYouTube, client: HttpClient) -> None:
    youtube.tracks(youtube.track("ko"), youtube.track("de", kind="asr"))
    with pytest.raises(NoTranscript, match=r"only in: de, ko\. Ask for one of these"):
        await fetch_transcript(VIDEO, client)


@pytest.mark.parametrize(
    "captions", ["", "<transcript>", "<transcript/>", "not xml", "<t><text>no start</text></t>"]
)
async def test_empty_and_broken_captions_are_no_transcript(
    youtube: FakeYouTube, client: HttpClient, captions: str
) -> None:
    youtube.captions = captions
    with pytest.raises(NoTranscript, match="empty"):
        await fetch_transcript(VIDEO, client)


@pytest.mark.parametrize(
    ("code", "message"), [(429, "blocks this machine"), (500, r"error \(500 [^)]*\)\. Try")]
)
async def test_http_errors_are_not_loaded_and_show_no_key(
    youtube: FakeYouTube, client: HttpClient, code: int, message: str
) -> None:
    youtube.status = code
    with pytest.raises(PageNotLoaded, match=message) as failure:
        await fetch_transcript(VIDEO, client)
    assert "http" not in str(failure.value)


@pytest.mark.parametrize(
    ("page", "error"),
    [('<div class="g-recaptcha">', PageNotLoaded), ("<html></html>", NoTranscript)],
)
async def test_pages_that_are_no_watch_page(
    youtube: FakeYouTube, client: HttpClient, page: str, error: type[Exception]
) -> None:
    youtube.page = page
    with pytest.raises(error):
        await fetch_transcript(VIDEO, client)


async def test_captions_for_the_player_only(youtube: FakeYouTube, client: HttpClient) -> None:
    youtube.tracks(youtube.track("en", TEXT + "&exp=xpe"))
    with pytest.raises(NoTranscript, match="its own player only"):
        await fetch_transcript(VIDEO, client)


async def test_an_offline_miss_goes_through_and_names_the_url(client: HttpClient) -> None:
    with pytest.raises(OfflineMiss, match="watch"):
        await fetch_transcript("00000000000", client)


async def test_an_endless_redirect_ends(youtube: FakeYouTube, client: HttpClient) -> None:
    youtube.status, youtube.headers = 302, (("location", WATCH),)
    with pytest.raises(PageNotLoaded, match="TooManyRedirects"):
        await fetch_transcript(VIDEO, client)


def test_every_exception_of_the_library_has_a_meaning() -> None:
    exported = {
        name
        for name in youtube_transcript_api.__all__
        if inspect.isclass(found := getattr(youtube_transcript_api, name))
        and issubclass(found, YouTubeTranscriptApiException)
    }
    assert exported == set(MEANINGS)
    assert all(
        kind in {NoTranscript, PageNotLoaded} and text.endswith(".") for kind, text in MEANINGS.values()
    )


@pytest.mark.parametrize(
    "text",
    [
        VIDEO,
        f" {VIDEO} ",
        WATCH,
        WATCH + "&t=31s",
        f"http://youtube.com/watch?list=1&v={VIDEO}#x",
        f"https://m.youtube.com/watch?v={VIDEO}",
        f"https://music.youtube.com/watch?v={VIDEO}",
        f"https://youtu.be/{VIDEO}?t=5",
        f"youtu.be/{VIDEO}",
        f"www.youtube.com/shorts/{VIDEO}",
        f"https://www.youtube.com/embed/{VIDEO}?start=1",
        f"https://www.youtube-nocookie.com/embed/{VIDEO}",
        f"https://www.youtube.com/live/{VIDEO}",
    ],
)
def test_forms_of_a_video_address(text: str) -> None:
    assert video_id_of(text) == VIDEO


@pytest.mark.parametrize(
    "text",
    [
        "",
        "short",
        f"https://evil.example/watch?v={VIDEO}",
        f"https://youtube.com.evil.example/watch?v={VIDEO}",
        "https://www.youtube.com/watch?v=tooshort",
        "https://www.youtube.com/",
        "https://youtu.be/",
        "https://[broken/",
        f"{VIDEO}x",
    ],
)
def test_what_is_no_video(text: str) -> None:
    with pytest.raises(BadArguments, match="video"):
        video_id_of(text)
