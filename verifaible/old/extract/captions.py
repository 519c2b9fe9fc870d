"""Files of captions (WebVTT, SubRip) and the tracks that a page names, without I/O.

WebVTT: https://www.w3.org/TR/webvtt1/ (6.1 "WebVTT file parsing", 6.4 "cue text"); tracks: WHATWG
HTML, "the track element". SubRip has no standard: what players read is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from urllib.parse import urljoin, urlsplit

from verifaible.errors import NoTranscript
from verifaible.schema.transcript import Caption, CaptionTrack

#: The tag for a language that nobody has named (BCP 47).
UNDETERMINED = "und"

_TIME = r"(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3})\d*)?"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?$")
_HEADER = re.compile(r"WEBVTT(?=[ \t\n]|\Z)")
_HEADER_LANGUAGE = re.compile(r"^Language:\s*([A-Za-z0-9-]+)", re.MULTILINE)
_VTT_TAG = re.compile(r"<[^>]*>?")
_SRT_TAG = re.compile(r"</?(?:b|i|u|s|em|strong|font|span|c|v|ruby|rt)\b[^<>]*>|\{\\[^{}]*\}", re.IGNORECASE)
_OTHER_BLOCKS = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t]|\Z)")
_FILE = re.compile(r"\.(?:vtt|srt)\Z", re.IGNORECASE)
_EMBEDDED = re.compile(r"youtube(?:-nocookie)?\.com/embed/([A-Za-z0-9_-]{11})(?![A-Za-z0-9_-])")

#: Regions that stand for a script of Chinese.
_CHINESE = {
    "zh-cn": "zh-hans",
    "zh-sg": "zh-hans",
    "zh-tw": "zh-hant",
    "zh-hk": "zh-hant",
    "zh-mo": "zh-hant",
}


@dataclass(frozen=True, slots=True)
class CaptionFile:
    """Captions in order of time, and the language that the file names (``und`` for none)."""

    captions: tuple[Caption, ...]
    language: str = UNDETERMINED


@dataclass(frozen=True, slots=True)
class CaptionPage:
    """What a page says of its videos.

    Attributes:
        title: its title.
        tracks: subtitles and captions, the default ones first.
        youtube: ids of YouTube videos that it embeds.
    """

    title: str
    tracks: tuple[CaptionTrack, ...]
    youtube: tuple[str, ...]


def is_caption_file(url: str) -> bool:
    """Whether an address ends as a file of captions does."""
    try:
        return bool(_FILE.search(urlsplit(url).path))
    except ValueError:
        return False


def looks_like_captions(text: str) -> bool:
    """Whether a text begins as WebVTT, or has a line of times near its beginning as SubRip has."""
    head = text[:2000].removeprefix("\ufeff")
    return bool(_HEADER.match(head)) or any(_TIMING.match(line) for line in head.splitlines()[:20])


def parse_captions(text: str) -> CaptionFile:
    """Read WebVTT or SubRip; marks of style are left out, words are as they stand.

    Raises:
        NoTranscript: it is neither, or holds no words.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    is_vtt = bool(_HEADER.match(text))
    captions = sorted(_vtt_cues(text) if is_vtt else _srt_cues(text), key=lambda caption: caption.start_s)
    if not captions:
        reason = "holds no captions" if is_vtt else "is neither WebVTT nor SubRip"
        raise NoTranscript(f"The file {reason}. Look for other captions, or cite another source.")
    named = _HEADER_LANGUAGE.search(text.split("\n\n", 1)[0]) if is_vtt else None
    return CaptionFile(tuple(captions), named[1] if named else UNDETERMINED)


def _vtt_cues(text: str) -> Iterator[Caption]:
    """Blocks between blank lines; a line of times inside one begins another cue."""
    for block in text.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if _OTHER_BLOCKS.match(lines[0]):
            continue
        starts = [number for number, line in enumerate(lines) if _TIMING.match(line)]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
            words = "\n".join(lines[start + 1 : end])
            yield from _cue(lines[start], unescape(_VTT_TAG.sub("", words)))


def _srt_cues(text: str) -> Iterator[Caption]:
    """What stands between two lines of times, without the number right before the second.

    A blank line may stand inside a caption, or be missing between two.
    """
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if _TIMING.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        numbered = end < len(lines) and lines[end - 1].strip().isdecimal() and end - 1 > start
        words = "\n".join(lines[start + 1 : end - 1 if numbered else end])
        yield from _cue(lines[start], _SRT_TAG.sub("", words))


def _cue(timing: str, text: str) -> Iterator[Caption]:
    found = _TIMING.match(timing)
    text = "\n".join(line.strip() for line in text.split("\n") if line.strip())
    if found and text:
        start, end = _seconds(found, 1), _seconds(found, 5)
        yield Caption(start_s=start, duration_s=round(max(0.0, end - start), 3), text=text)


def _seconds(timing: re.Match[str], group: int) -> float:
    hours, minutes, seconds, fraction = timing.group(group, group + 1, group + 2, group + 3)
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return round(whole + int((fraction or "0").ljust(3, "0")) / 1000, 3)


def read_page(html: str, url: str) -> CaptionPage:
    """The tracks of a page's videos; links to files of captions where it has no tracks.

    Args:
        html: the page.
        url: its address, which relative addresses are resolved against (or its ``base``).
    """
    from lxml import etree
    from lxml import html as lxml_html

    try:
        page = lxml_html.document_fromstring(html.encode(), parser=lxml_html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError):
        return CaptionPage("", (), ())
    base = _resolved(url, str(page.xpath("string(//base/@href)"))) or url
    found = []
    for track in page.iter("track"):
        kind = str(track.get("kind") or "subtitles").strip().lower()
        src = str(track.get("src") or "").strip()
        if kind in {"subtitles", "captions"} and src:
            language = str(track.get("srclang") or UNDETERMINED).strip()
            named = _track(base, src, language, str(track.get("label") or ""))
            found.append((track.get("default") is None, named))
    found.sort(key=lambda pair: pair[0])
    tracks = [named for _, named in found]
    for link in page.iter("a"):
        href = str(link.get("href") or "").strip()
        if not found and href and is_caption_file(_resolved(base, href)):
            language = str(link.get("hreflang") or UNDETERMINED)
            tracks.append(_track(base, href, language, "".join(str(part) for part in link.itertext())))
    title = str(page.xpath("string(//meta[@property='og:title']/@content)") or page.xpath("string(//title)"))
    unique: dict[str, CaptionTrack] = {}
    for each in tracks:
        if each.url:
            unique.setdefault(each.url, each)
    return CaptionPage(
        " ".join(title.split()),
        tuple(unique.values()),
        tuple(dict.fromkeys(_EMBEDDED.findall(html))),
    )


def _resolved(base: str, src: str) -> str:
    """An address of a page made absolute; an empty string for what is none."""
    try:
        return urljoin(base, src)
    except ValueError:
        return ""


def _track(base: str, src: str, language: str, name: str) -> CaptionTrack:
    url = _resolved(base, src)
    usable = url.startswith(("http://", "https://"))
    return CaptionTrack(
        language=language or UNDETERMINED, name=" ".join(name.split())[:80], url=url if usable else ""
    )


def matching(asked: str, codes: Sequence[str]) -> list[str]:
    """The codes that serve who asks for a language, best first.

    The same tag; then narrower ones (``en-GB`` for ``en``; RFC 4647, 3.3.1 "basic filtering"); then
    wider ones (``en`` for ``en-US``; 3.4 "lookup"). ``zh-CN`` is ``zh-Hans``, ``zh-TW`` is ``zh-Hant``.
    """
    wanted = _canonical(asked)
    ranked = []
    for place, code in enumerate(codes):
        tag = _canonical(code)
        if code.lower() == asked.strip().lower():
            ranked.append((0, place, code))
        elif tag == wanted:
            ranked.append((1, place, code))
        elif tag.startswith(wanted + "-"):
            ranked.append((2, place, code))
        elif wanted.startswith(tag + "-"):
            ranked.append((3 + wanted.count("-") - tag.count("-"), place, code))
    return [code for _, _, code in sorted(ranked)]


def _canonical(code: str) -> str:
    tag = code.strip().lower().replace("_", "-")
    return _CHINESE.get(tag, tag)
