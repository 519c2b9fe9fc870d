"""Captions of videos as a Document: WebVTT, SubRip, TTML and YouTube's timed text, without I/O.

WebVTT: https://www.w3.org/TR/webvtt1/ (6.1 "WebVTT file parsing", 6.4 "cue text"). TTML: ``begin``, ``end``
and ``dur`` of https://www.w3.org/TR/ttml2/, in YouTube's older forms ``start``, ``t`` and ``d``. SubRip has
no standard: what players read is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import pairwise, takewhile
from typing import Final

from lxml import etree

from verifaible.errors import NoTranscript
from verifaible.extract.charset import decode_html
from verifaible.extract.document import Block, Document, Frame, Moment
from verifaible.extract.pdf_lines import is_cjk
from verifaible.schema.transcript import Caption, Transcript
from verifaible.text.segmentation import sentences

#: The tag for a language that nobody has named (BCP 47).
UNDETERMINED: Final = "und"
#: Seconds: cues that follow one another without a break; a pause that parts what is said without full stops.
_NO_BREAK, _PAUSE = 0.05, 3.0
#: Captions have full stops where at least one cue of so many ends in one.
_STOPS: Final = 8
_ENDED: Final = re.compile(r"[.!?…。！？][\"'”’»)\]♪]*\Z")

_TIME = r"(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3})\d*)?"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?$")
_HEADER = re.compile(r"WEBVTT(?=[ \t\n]|\Z)")
_HEADER_LANGUAGE = re.compile(r"^Language:\s*([A-Za-z0-9-]+)", re.MULTILINE)
_VTT_TAG = re.compile(r"<[^>]*>?")
_SRT_TAG = re.compile(r"</?(?:b|i|u|s|em|strong|font|span|c|v|ruby|rt)\b[^<>]*>|\{\\[^{}]*\}", re.IGNORECASE)
_CLOCK = re.compile(r"(?:(?:(\d+):)?(\d{1,2}):)?(\d+(?:\.\d+)?)(?:s)?\Z|(\d+(?:\.\d+)?)ms\Z")


@dataclass(frozen=True, slots=True)
class CaptionFile:
    """Captions in order of time, and the language that the file names (``und`` for none)."""

    captions: tuple[Caption, ...]
    language: str = UNDETERMINED


def captions_document(source: Transcript | bytes | str, url: str = "", content_type: str = "") -> Document:
    """What a viewer reads of captions: blocks of kind ``cue``, whole sentences over the cues that they take.

    What rolls up is said once. Where nothing ends in a full stop, a block goes on to the next pause, and its
    cues are its sentences.

    Raises:
        NoTranscript: no format that is known, or no words.
    """
    if isinstance(source, Transcript):
        captions, language = tuple(source.captions), source.language
        title, url = source.title, url or source.source
    else:
        text = decode_html(source, content_type or "text/plain").text if isinstance(source, bytes) else source
        file = parse_captions(text)
        captions, language, title = file.captions, file.language, ""
    language = "" if language == UNDETERMINED else language
    said = list(_once(captions))
    stops = _STOPS * sum(bool(_ENDED.search(each.text)) for each in said) >= len(said)
    blocks = tuple(_block(run, language, stops) for run in _runs(said, stops))
    frames = (Frame(url=url, language=language),)
    return Document(blocks, medium="captions", url=url, title=title, language=language, frames=frames)


# --- formats


def looks_like_captions(text: str) -> bool:
    """Whether a text begins as WebVTT, or has a line of times near its beginning as SubRip has."""
    head = text[:2000].removeprefix("\ufeff")
    return bool(_HEADER.match(head)) or any(_TIMING.match(line) for line in head.splitlines()[:20])


def parse_captions(text: str) -> CaptionFile:
    """Read a file of captions; marks of style are left out, words are as they stand.

    Raises:
        NoTranscript: no format that is known, or no words.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    is_vtt = bool(_HEADER.match(text))
    named = _HEADER_LANGUAGE.search(text.split("\n\n", 1)[0]) if is_vtt else None
    language = named[1] if named else UNDETERMINED
    if text.lstrip().startswith("<"):
        language, found = _xml_cues(text)
    else:
        found = list(_timed_cues(text, is_vtt))
    captions = tuple(sorted(found, key=lambda caption: caption.start_s))
    if not captions:
        reason = "holds no captions" if is_vtt else "is no file of captions (WebVTT, SubRip, TTML)"
        raise NoTranscript(f"The file {reason}. Look for other captions, or cite another source.")
    return CaptionFile(captions, language)


def _timed_cues(text: str, is_vtt: bool) -> Iterator[Caption]:
    """What stands between two lines of times: in WebVTT up to an empty line.

    In SubRip an empty line may stand inside a caption, or be missing between two; the number right before the
    second line of times is no words.
    """
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if _TIMING.match(line)]
    for start, end in pairwise([*starts, len(lines)]):
        said = list(takewhile(bool, lines[start + 1 : end])) if is_vtt else lines[start + 1 : end]
        if not is_vtt and end < len(lines) and len(said) > 1 and said[-1].strip().isdecimal():
            said.pop()
        words = "\n".join(said)
        words = unescape(_VTT_TAG.sub("", words)) if is_vtt else _SRT_TAG.sub("", words)
        times = _TIMING.match(lines[start])
        assert times is not None
        yield from _caption(_seconds(times.group(1, 2, 3, 4)), _seconds(times.group(5, 6, 7, 8)), words)


def _caption(start: float, end: float, text: str) -> Iterator[Caption]:
    text = "\n".join(line.strip() for line in text.split("\n") if line.strip())
    if text:
        yield Caption(start_s=round(start, 3), duration_s=round(max(0.0, end - start), 3), text=text)


def _seconds(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole + int((fraction or "0").ljust(3, "0")) / 1000


def _xml_cues(text: str) -> tuple[str, list[Caption]]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, encoding="utf-8")
    plain = re.sub(r"\A\s*<\?xml.*?\?>", "", text, flags=re.DOTALL)
    root = etree.fromstring(plain.strip().encode("utf-8", "replace"), parser)
    if root is None:
        return UNDETERMINED, []
    found: list[Caption] = []
    for node in root.iter("{*}p", "{*}text"):
        parts = ("\n" if etree.QName(each).localname == "br" else each.text or "" for each in node.iter("*"))
        tails = (each.tail or "" for each in node.iter("*"))
        words = "".join(a + (b if at else "") for at, (a, b) in enumerate(zip(parts, tails, strict=True)))
        short = node.get("t") is not None
        start = _clock(node.get("t") or node.get("begin") or node.get("start") or "", short)
        length = _clock(node.get("d") or node.get("dur") or "", short)
        end = _clock(node.get("end") or "", short)
        if start is not None:
            found += _caption(start, end if end is not None else start + (length or 0.0), unescape(words))
    return root.get("{http://www.w3.org/XML/1998/namespace}lang") or UNDETERMINED, found


def _clock(value: str, in_ms: bool) -> float | None:
    """Seconds of a clock time, of an offset, or of milliseconds."""
    match = _CLOCK.match(value.strip())
    if match is None:
        return None
    if match[4]:
        return float(match[4]) / 1000
    seconds = int(match[1] or 0) * 3600 + int(match[2] or 0) * 60 + float(match[3])
    return seconds / 1000 if in_ms else seconds


# --- what is said


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    start_s: float
    end_s: float


def _once(captions: Iterable[Caption]) -> Iterator[_Said]:
    """What each cue says beyond the one before it: captions that roll up show lines and words again."""
    lines: list[str] = []
    shown, end = "", float("-inf")
    for caption in captions:
        own = [" ".join(line.split()) for line in caption.text.split("\n") if line.strip()]
        whole = " ".join(own)
        new = whole
        if caption.start_s < end - _NO_BREAK:
            new = whole[_overlap(shown, whole) :].strip()
        elif caption.start_s <= end + _NO_BREAK:
            again = max((n for n in range(len(own) + 1) if own[:n] == lines[len(lines) - n :]), default=0)
            new = " ".join(own[again:])
        lines, shown = own, whole
        end = max(end, caption.end_s) if not new else caption.end_s
        if new:
            yield _Said(new, caption.start_s, caption.end_s)


def _overlap(before: str, after: str) -> int:
    """How much of the beginning of a text repeats the end of another, in whole words."""
    for length in range(min(len(before), len(after)), 0, -1):
        if not before.endswith(after[:length]):
            continue
        head, tail = before[: len(before) - length][-1:], after[length : length + 1]
        if all(not char or char.isspace() or is_cjk(char) for char in (head, tail)):
            return length
    return 0


def _runs(said: Sequence[_Said], stops: bool) -> Iterator[list[_Said]]:
    """Cues up to the end of a sentence, or to a pause where there are no full stops."""
    run: list[_Said] = []
    for each in said:
        paused = bool(run) and each.start_s - run[-1].end_s > _PAUSE
        if run and (_ENDED.search(run[-1].text) if stops else paused):
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def _block(run: Sequence[_Said], language: str, stops: bool) -> Block:
    text = ""
    moments = []
    for each in run:
        if text and not (is_cjk(text[-1:]) and is_cjk(each.text[:1])):
            text += " "
        moments.append(Moment(len(text), len(text) + len(each.text), each.start_s, each.end_s))
        text += each.text
    parts = sentences(text, language) if stops else [(each.start, each.end) for each in moments]
    end = max(each.end_s for each in run)
    return Block(text, "cue", tuple(parts), start_s=run[0].start_s, end_s=end, moments=tuple(moments))
