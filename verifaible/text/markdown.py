"""Markdown as its reader sees it: plain text, with the place of each character in what was written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Final

from verifaible.text.markers import find_markers

#: What a model thought aloud; a closing tag alone ends what began before the text did.
THINKING: Final = (
    re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE),
)
_LINK: Final = re.compile(r"!?\[([^\[\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)")
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")
#: Addresses and the marks of footnotes, which a blank stands for.
_BLANKED: Final = re.compile(
    r"<https?://[^\s<>]*>|(?:https?://|www\.)[^\s<>()\[\]{}|\"'，。；、（）【】]+|\[\^[^\]\n]{1,20}\]"
    r"|\[\d{1,3}\]",
    re.IGNORECASE,
)
#: Invisible characters, ticks, struck-out marks, escapes (CommonMark 2.4) and emphasis that stands at a word.
_DROPPED: Final = re.compile(
    r"[\u200b-\u200f\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069]|\\(?P<kept>[!-/:-@\[-`{-~])|`+|~~"
    r"|(?<!\d)\*+|\*+(?!\d)|(?<![^\W_])_+(?=\S)|(?<=\S)_+(?![^\W_])"
)
#: A stretch without any of these is its own plain text.
_MARKED_UP: Final = re.compile(
    "[`*_~\\\\&\\[【\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|://|www\\.", re.IGNORECASE
)
#: Stands for a character that was dropped while others are still looked for.
_GONE: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain text; character ``i`` of ``text`` stands at ``offsets[i]`` in what was written."""

    text: str
    offsets: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]``, which must not be empty, was written."""
        return self.offsets[start], self.offsets[end - 1] + 1


def plain(text: str, start: int = 0) -> Plain:
    """A stretch of an answer without mark-up.

    Emphasis, ticks, escapes and invisible characters are dropped, of a link its words are kept, an entity is
    the character that it stands for; markers, addresses and marks of footnotes are blank.

    Args:
        text: the stretch.
        start: where it begins in the answer.
    """
    if not _MARKED_UP.search(text):
        return Plain(text.replace("\n", " "), tuple(range(start, start + len(text))))
    chars = list(text)
    for marker in find_markers(text):
        chars[marker.start : marker.end] = [" "] * (marker.end - marker.start)
    for match in _ENTITY.finditer("".join(chars)):
        char = unescape(match[0])
        if len(char) == 1:
            chars[match.start() : match.end()] = [char, *[""] * (len(match[0]) - 1)]
    for match in _LINK.finditer(_seen(chars)):
        for at in (*range(match.start(), match.start(1)), *range(match.end(1), match.end())):
            chars[at] = ""
    for match in _BLANKED.finditer(_seen(chars)):
        chars[match.start() : match.end()] = [" "] * (match.end() - match.start())
    for match in _DROPPED.finditer(_seen(chars)):
        end = match.start("kept") if match["kept"] else match.end()  # what is escaped stays
        chars[match.start() : end] = [""] * (end - match.start())
    found = [(" " if char == "\n" else char, start + at) for at, char in enumerate(chars) if char]
    return Plain("".join(char for char, _ in found), tuple(at for _, at in found))


def _seen(chars: list[str]) -> str:
    return "".join(char or _GONE for char in chars)
