"""The caption tracks that a page names, and which of them serves a language; without I/O.

Tracks: WHATWG HTML, "the track element".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from verifaible.extract.captions import UNDETERMINED
from verifaible.schema.transcript import CaptionTrack

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
