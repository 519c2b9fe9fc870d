"""Files of captions, and the tracks of pages outside YouTube."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.net.local_site import LocalSite, local_site
from verifaible.anchoring.find import find
from verifaible.config import Settings
from verifaible.errors import NoTranscript, PageNotLoaded, UrlRefused
from verifaible.extract.captions import captions_document, parse_captions
from verifaible.net.caption_tracks import is_caption_file, matching, read_page
from verifaible.net.transcripts import fetch_transcript, watch_url
from verifaible.net.web import Web
from verifaible.schema.anchor import AnchorRequest
from verifaible.schema.transcript import Transcript

VTT = """WEBVTT - a talk
Kind: captions
Language: en-GB

STYLE
::cue { color: papayawhip }

NOTE Made by hand
--> not a cue

intro
00:01.000 --> 00:04.500 align:start position:10%
<v Roger Bingham>We are in <i>New York</i> City &amp; on air
and it is <00:00:03.000>cold

01:00:05.250 --> 01:00:07.000
<c.loud>Prices fell 0.9 %</c>&nbsp;in <ruby>May<rt>5</rt></ruby>

2
00:10.000 --> 00:12.000
Second 3 &lt; 4
"""
SRT = """1
00:00:01,000 --> 00:00:04,500 X1:10 X2:20
{\\an8}<font color="#fff">We are in <i>New York</i></font>
and 3 < 4 & on

2
0:00:05 --> 0:00:06
First part

of the second
3
00:00:07,5 --> 00:00:09,000
2024
4
00:00:10,000 --> 00:00:11,000
End
"""


def lines(text: str) -> list[tuple[float, float, str]]:
    return [(one.start_s, one.end_s, one.text) for one in parse_captions(text).captions]


def test_webvtt_as_the_standard_reads_it() -> None:
    assert lines(VTT) == [
        (1.0, 4.5, "We are in New York City & on air\nand it is cold"),
        (10.0, 12.0, "Second 3 < 4"),
        (3605.25, 3607.0, "Prices fell 0.9 %\xa0in May5"),
    ]
    assert parse_captions(VTT).language == "en-GB"


def test_subrip_as_players_read_it() -> None:
    assert lines(SRT) == [
        (1.0, 4.5, "We are in New York\nand 3 < 4 & on"),
        (5.0, 6.0, "First part\nof the second"),
        (7.5, 9.0, "2024"),
        (10.0, 11.0, "End"),
    ]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("text", [VTT, SRT])
def test_line_ends_and_byte_order_marks_change_nothing(text: str, mark: str, ends: str) -> None:
    assert lines(mark + text.replace("\n", ends)) == lines(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "WEBVTT",
        "WEBVTT\n\nNOTE nothing\n",
        "<html>Not found</html>",
        "WEBVTTX\n\nx",
        "1\n00:00:01,000 --> 00:00:02,000\n\n",
    ],
)
def test_what_holds_no_captions_is_an_error(text: str) -> None:
    with pytest.raises(NoTranscript, match=r"holds no captions|no file of captions"):
        parse_captions(text)


def test_a_cue_that_ends_before_it_begins_lasts_no_time() -> None:
    assert lines("WEBVTT\n\n00:05.000 --> 00:04.000\nx") == [(5.0, 5.0, "x")]


words = st.text(alphabet="ab 中&<9.", min_size=1, max_size=12).map(str.strip).filter(bool)


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**5), words), min_size=1, max_size=20))
def test_what_is_written_is_read(cues: list[tuple[int, int, str]]) -> None:
    def time(ms: int) -> str:
        return f"{ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02}.{ms % 1000:03}"

    written = "\n\n".join(
        f"{time(start)} --> {time(start + length)}\n{text.replace('&', '&amp;').replace('<', '&lt;')}"
        for start, length, text in cues
    )
    read = [
        (round(1000 * start), round(1000 * end), text) for start, end, text in lines(f"WEBVTT\n\n{written}\n")
    ]
    assert read == sorted(
        ((start, start + length, text) for start, length, text in cues), key=lambda cue: cue[0]
    )


PAGE = """<html><head><title>A talk | Site</title><base href="/media/"></head><body><video>
<source src="talk.mp4"><track kind="metadata" src="thumbs.vtt"><track kind="chapters" srclang="en" src="ch.vtt">
<track label="Deutsch" srclang="de" src="de.vtt"><track kind="captions" srclang="en-US" label=" English " src="en.vtt" default>
<track srclang="zh-Hans" src="/zh.vtt"><track kind="nonsense" srclang="fr" src="fr.vtt"><track srclang="it" src="">
<track srclang="es" src="data:text/vtt,WEBVTT"></video></body></html>"""


def test_tracks_of_a_page_the_default_first() -> None:
    page = read_page(PAGE, "https://e.example/watch/1")
    assert page.title == "A talk | Site"
    assert [(track.language, track.name, track.url) for track in page.tracks] == [
        ("en-US", "English", "https://e.example/media/en.vtt"),
        ("de", "Deutsch", "https://e.example/media/de.vtt"),
        ("zh-Hans", "", "https://e.example/zh.vtt"),
    ]


def test_links_to_files_stand_in_for_tracks() -> None:
    html = '<a href="talk.en.srt?x=1" hreflang="en">Subtitles</a> <a href="talk.pdf">Slides</a> <a href="talk.en.srt?x=1">again</a>'
    page = read_page(html, "https://e.example/a/b")
    assert [(track.language, track.url) for track in page.tracks] == [
        ("en", "https://e.example/a/talk.en.srt?x=1")
    ]
    assert read_page("", "https://e.example/").tracks == ()


@pytest.mark.parametrize(
    ("asked", "codes", "found"),
    [
        ("en", ["en-GB", "en", "de", "end"], ["en", "en-GB"]),
        ("en-US", ["en", "en-GB"], ["en"]),
        ("zh-CN", ["zh-TW", "zh-Hans", "zh"], ["zh-Hans", "zh"]),
        ("zh", ["zh-Hant", "zh-Hans"], ["zh-Hant", "zh-Hans"]),
        ("EN_us", ["en-us"], ["en-us"]),
        ("fr", ["en", "fra"], []),
    ],
)
def test_which_languages_serve(asked: str, codes: list[str], found: list[str]) -> None:
    assert matching(asked, codes) == found


def test_addresses() -> None:
    assert is_caption_file("https://e.example/a.VTT?token=1")
    assert not is_caption_file("https://e.example/a.vtt/page")
    assert watch_url("https://e.example/talk#t=3") == "https://e.example/talk"


# --- over HTTP ---------------------------------------------------------------------------------


async def read(site: LocalSite, path: str, *languages: str) -> Transcript:
    async with Web.live(Settings(allow_hosts=("127.0.0.1",))).client() as client:
        return await fetch_transcript(site.url + path, client, *([languages] if languages else []))


async def test_a_file_by_its_address() -> None:
    with local_site() as site:
        site.give("/a.vtt", body=VTT.encode(), content_type="text/vtt")
        site.give("/b", body=SRT.encode("gb18030"), content_type="application/octet-stream")
        site.give(
            "/c.vtt",
            body="WEBVTT\n\n00:01.000 --> 00:02.000\n房价下降".encode(),
            content_type="text/plain; charset=latin-1",
        )
        vtt, srt, odd = await read(site, "/a.vtt"), await read(site, "/b"), await read(site, "/c.vtt")
    assert (vtt.source, vtt.video_id, vtt.language) == (f"{site.url}/a.vtt", "", "en-GB")
    assert [track.language for track in vtt.available] == ["en-GB"]
    assert srt.captions[0].text == "We are in New York\nand 3 < 4 & on"
    assert srt.language == "und"
    assert odd.captions[0].text == "房价下降"


async def test_subrip_in_an_old_encoding() -> None:
    body = "1\n00:00:01,000 --> 00:00:04,000\n一线城市二手住宅价格同比下降，环比持平。\n".encode("gbk")
    with local_site() as site:
        site.give("/a.srt", body=body, content_type="application/x-subrip")
        assert "二手住宅价格" in (await read(site, "/a.srt")).captions[0].text


@pytest.mark.parametrize(
    ("languages", "language"),
    [((), "en-US"), (("de",), "de"), (("fr", "zh-CN"), "zh-Hans"), (("en",), "en-US")],
)
async def test_a_page_gives_the_track_asked_for(languages: tuple[str, ...], language: str) -> None:
    with local_site() as site:
        site.give("/watch", body=PAGE.encode(), content_type="text/html")
        for path in ("/media/en.vtt", "/media/de.vtt", "/zh.vtt"):
            site.give(path, body=VTT.replace("Prices", path).encode(), content_type="text/vtt")
        transcript = await read(site, "/watch", *languages)
    assert transcript.language == language
    assert transcript.title == "A talk | Site"
    assert [track.language for track in transcript.available] == ["en-US", "de", "zh-Hans"]
    assert transcript.source == next(
        track.url for track in transcript.available if track.language == language
    )
    request = AnchorRequest(evidence_type="video", quote="in New York City", at_s=2)
    assert find(captions_document(transcript), request).verdict == "verified"


async def test_a_page_in_other_languages_only() -> None:
    with local_site() as site:
        site.give("/", body=b'<video><track src="a.vtt" srclang="ko"></video>', content_type="text/html")
        site.give("/a.vtt", body=VTT.encode(), content_type="text/vtt")
        assert (await read(site, "/")).language == "ko"
        with pytest.raises(NoTranscript, match=r"only in: ko\. Ask for one of these"):
            await read(site, "/", "fr")


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        (b"<p>No video</p>", "text/html", r"names no captions.*\.vtt or \.srt"),
        (
            b'<iframe src="https://www.youtube-nocookie.com/embed/iG9CE55wbtY?x">',
            "text/html",
            "YouTube video iG9CE55wbtY",
        ),
        (b"\x00\x00\x00\x18ftypmp42", "video/mp4", "but video/mp4"),
        (b"<h1>Oops</h1>", "text/vtt", "no file of captions"),
        (b"", "text/html", "names no captions"),
        (b'<video><track src="/gone.vtt" srclang="en"></video>', "text/html", "HTTP status 404"),
    ],
)
async def test_what_gives_no_captions_says_why(body: bytes, kind: str, message: str) -> None:
    with local_site() as site:
        site.give("/x", body=body, content_type=kind)
        site.give("/gone.vtt", 404)
        with pytest.raises((NoTranscript, PageNotLoaded), match=message):
            await read(site, "/x")


async def test_the_guard_holds_for_tracks() -> None:
    with local_site() as site:
        site.give("/x", body=b'<video><track src="http://10.0.0.1/a.vtt"></video>', content_type="text/html")
        with pytest.raises(UrlRefused):
            await read(site, "/x")


marks = st.sampled_from(
    [
        "WEBVTT\n",
        "\n\n",
        "00:01.000 --> 00:02.000\n",
        "00:00:01,000 --> 9:9:9\n",
        "<",
        "7\n",
        "NOTE\n",
        "&#x",
        "\ud800",
        "x",
    ]
)


@given(st.lists(marks, max_size=15).map("".join))
def test_any_text_is_captions_or_an_error(text: str) -> None:
    try:
        found = parse_captions(text)
    except NoTranscript:
        return
    assert all(one.text.strip() and one.end_s >= one.start_s >= 0 for one in found.captions)


parts = st.sampled_from(
    [
        "<base href='http://[x'>",
        "<base href='/a/'>",
        "<video>",
        "<track src='",
        "http://[",
        "//",
        "a.vtt'",
        " srclang=en",
        " kind",
        ">",
        "<a href='b.srt' ",
        "</video>",
        "\x00",
        "<title>t",
    ]
)


@given(st.lists(parts, max_size=12).map("".join))
def test_any_page_can_be_read(html: str) -> None:
    page = read_page(html, "https://e.example/")
    assert all(track.url.startswith(("http://", "https://")) for track in page.tracks)
