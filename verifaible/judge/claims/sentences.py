"""The sentences of a block of an answer, also of a long one, and lines that stand like items of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from verifaible.answers.sentences import split
from verifaible.judge.inputs.marks import CitedMark
from verifaible.text.markdown import Block

#: Stands for the characters of a mark while sentences are looked for.
MARK: Final = "\ue000"
#: Stands for a line break in a cell.
BREAK: Final = "\ue001"
#: Sentences are looked for in so many characters at a time, so that a line of any length takes linear time.
_WINDOW: Final = 1_500
#: A sentence of more characters is cut at white space.
LONGEST: Final = 2_500

_LINE_ITEM = re.compile(
    r"\n[ \t]*(?:[•◦▪▫‣●○■□◆◇►▶➤➢✓✔✅❌⚠→·∙–—*+-][\ufe0f]?[ \t]*(?=\S)|[①-⑳]"
    r"|[（(]?\d{1,2}[)）、][ \t]*(?=\S)|[一二三四五六七八九十]{1,2}、"
    r"|(?=[^\n:：.。!?]{1,40}[:：](?!//|\d\d(?!\d))[ \t]*\S))"
)
_NUMBERED_LINE = re.compile(
    r"[ \t]*(?:[（(]?\d{1,2}[)）、][ \t]*|[①-⑳][ \t]*|[一二三四五六七八九十]{1,2}、)(?=\S)"
)
#: A sentence ends before a name that begins small: ``four hours. dYdX stood still``.
_SMALL_NAME = re.compile(rf"[.!?]{MARK}*\s+(?=[a-z]{{1,4}}[A-Z][A-Za-z]*\b)")
_NO_END = re.compile(
    r"(?:\.\w+|\b(?:\w{1,2}|incl|excl|approx|etc|esp|resp|est|max|min|avg|ca))\.\Z", re.IGNORECASE
)
_BULLET = re.compile(r"[ \t]*(?:[•◦▪▫‣●○■□◆◇►▶➤➢✓✔✅❌→·∙][\ufe0f]?[ \t]*|[–—][ \t]+)")


def sentences_of(content: str) -> Iterator[tuple[int, int]]:
    """The sentences of a block's text as spans; lines that stand like items are sentences of their own."""
    at = 0
    for match in _LINE_ITEM.finditer(content):
        yield from _small_parted(content, at, match.start())
        at = match.start() + 1
    yield from _small_parted(content, at, len(content))


def _small_parted(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences between two places, parted before names that begin small, too."""
    for first, last in _windows(content, start, end):
        at = first
        for match in _SMALL_NAME.finditer(content, first, last):
            if not _NO_END.search(content, max(at, match.start() - 8), match.start() + 1):
                yield at, match.end()
                at = match.end()
        yield at, last


def _windows(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences between two places, found window by window."""
    numbered = _NUMBERED_LINE.match(content, start, end)
    start = numbered.end() if numbered else start
    size = _WINDOW
    while start < end:
        stop = min(start + size, end)
        if stop < end and size >= LONGEST:
            blank = max(content.rfind(sign, start + 1, stop) for sign in " ，,、")
            stop = blank + 1 if blank > start else stop
        found = split(content[start:stop])
        whole = stop == end
        if len(found) > 1 or whole or size >= LONGEST:
            kept = found if whole or len(found) < 2 else found[:-1]
            yield from ((start + first, start + last) for first, last in kept)
            start = stop if whole or len(found) < 2 else start + found[-1][0]
            size = _WINDOW
        else:
            size = LONGEST


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A range of the text without white space, marks and the signs of lists at its ends."""
    blank = f" \t\n\r{MARK}{BREAK}"
    while start < end and text[start] in blank:
        start += 1
    bullet = _BULLET.match(text, start, end)
    if bullet:
        start = bullet.end()
    while end > start and text[end - 1] in blank:
        end -= 1
    return start, end


_TAG = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_OTHER_TAG = re.compile(
    r"</?(?:b|i|u|em|strong|sub|sup|span|div|p|small|font|center|details|summary|mark|table|t[rdh]|tbody"
    r"|thead|ul|ol|li|h[1-6]|a|hr|img)(?:[ \t][^<>\n]{0,300})?/?>",
    re.IGNORECASE,
)
#: What stands before the words of a line: of quotes, items, headings.
_LINE_SIGNS = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(?:#+\s)?")
_STRETCH = re.compile(r"[$€£¥+–-]?[^\W_](?:[^|\ue000]*[^\W_])?[^\s|\ue000]*")
_WORD_SIGN = re.compile(r"[^\W_]")


def lost(text: str, blocks: Sequence[Block]) -> list[Block]:
    """What the parser leaves out, as paragraphs: too deep quotes and lists, cells beyond the head."""
    held = _held(len(text), blocks)
    found: list[Block] = []
    behind = 0
    for gap in re.finditer(rb"\0+", held):
        if gap.start() < behind or not _WORD_SIGN.search(text, *gap.span()):
            continue
        at = text.rfind("\n", 0, gap.start()) + 1 if gap.start() else 0
        for line in text[at : _line_end(text, gap.end())].split("\n"):
            left = "".join(" " if held[at + place] else char for place, char in enumerate(line))
            left = _LINE_SIGNS.sub(lambda match: " " * len(match[0]), left, count=1)
            for match in _STRETCH.finditer(left):
                start, end = at + match.start(), at + match.end()
                found.append(Block("paragraph", text[start:end], tuple(range(start, end))))
            at += len(line) + 1
        behind = at
    return found


def _held(length: int, blocks: Sequence[Block]) -> bytearray:
    """1 for each character that stands in a block."""
    held = bytearray(length)
    for block in blocks:
        first, last = block.offsets[0], block.offsets[-1]
        if last - first + 1 == len(block.offsets):
            held[first : last + 1] = b"\1" * len(block.offsets)
            continue
        for at in block.offsets:
            held[at] = 1
    return held


def _line_end(text: str, at: int) -> int:
    """The end of the line that the character before ``at`` stands in."""
    if text[at - 1 : at] == "\n":
        return at - 1
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def without_tags(body: str) -> str:
    """The body with tags of HTML blank; a line break in it is :data:`BREAK`. No character moves."""
    body = _TAG.sub(lambda match: BREAK * len(match[0]), body)
    return _OTHER_TAG.sub(lambda match: " " * len(match[0]), body)


def masked(body: str, marks: Sequence[CitedMark]) -> tuple[str, str]:
    """The body with marks as :data:`MARK`, and with marks blank; the words of links stay in both."""
    marked: list[str] = []
    blank: list[str] = []
    at = 0
    for cited in marks:
        mark = cited.mark
        start, end, (first, last) = mark.start, mark.end, mark.words
        if body[start - 1 : start] in ("(", "（") and body[end : end + 1] in (")", "）"):
            start, end, first, last = start - 1, end + 1, start, start
        start = max(start, at)
        first, last = (first, last) if first >= start else (start, start)
        for pieces, sign in ((marked, MARK), (blank, " ")):
            pieces.append(body[at:start])
            pieces += [
                _sign(body[start:first], sign),
                body[first:last],
                _sign(body[max(first, last) : end], sign),
            ]
        at = max(end, at)
    for pieces in (marked, blank):
        pieces.append(body[at:])
    return "".join(marked), "".join(blank).replace(BREAK, " ")


def _sign(text: str, sign: str) -> str:
    return re.sub(r"[^\n]", sign, text)
