"""The text of an answer as its sentences are read: marks and tags masked, mark-up gone, nothing left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from verifaible.judge.claims.sentences import BREAK, MARK
from verifaible.judge.inputs.marks import CitedMark
from verifaible.text.layout import Block

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
