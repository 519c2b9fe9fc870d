"""Texts of others on our pages: nothing in them is obeyed, and long ones are folded."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from verifaible.text.flat import folded, folded_signs

#: Characters that would be obeyed instead of shown: controls but tabs and line breaks, those that turn
#: the direction of text, and halves of characters.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: A text with more characters or lines than this is folded; with more than the third it is cut.
_FOLDED_CHARS, _FOLDED_LINES, _CUT_CHARS = 700, 12, 4_000


def visible(text: str) -> str:
    """A text in which nothing is obeyed: control characters and the like are shown as ``\\ufffd``.

    It is as long as it was, but for line breaks of two characters.
    """
    return _OBEYED.sub("\ufffd", text.replace("\r\n", "\n"))


def plain_text(text: str) -> str:
    """The same, letter for letter as long as the text was: places in it stay what they are."""
    return visible(text.replace("\r\n", " \n").replace("\r", "\n"))


def web_link(url: str) -> str:
    """An address that may be a link: of the web, and with nothing in it that would be obeyed; else empty."""
    return url if visible(url) == url and url.lower().startswith(("http://", "https://")) else ""


def folder_address(under: str, name: str) -> str:
    """The address of a folder's page; empty where its name cannot stand in an address."""
    try:
        return f"{under}/{quote(name, safe='')}"
    except UnicodeEncodeError:
        return ""


def folder_name(name: str) -> str:
    """A folder's name as text: bytes that are none are shown as U+FFFD."""
    return visible(os.fsencode(name).decode(errors="replace"))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text, or its beginning where it is long.

    Attributes:
        text: what is shown.
        length: characters of the whole.
        folded: whether it is long enough to be folded.
        cut: whether ``text`` is not all.
    """

    text: str
    length: int
    folded: bool
    cut: bool


def excerpt(text: str, *, whole: bool = False) -> Excerpt:
    """A text for a page; all of it only if ``whole`` is wanted."""
    shown = visible(text)
    cut = not whole and len(shown) > _CUT_CHARS
    long = len(shown) > _FOLDED_CHARS or shown.count("\n") >= _FOLDED_LINES
    return Excerpt(shown[:_CUT_CHARS] if cut else shown, len(text), long, cut)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; ``hit`` if it is what was searched for."""

    text: str
    hit: bool = False


def pieces(text: str, words: tuple[str, ...]) -> tuple[Piece, ...]:
    """A text in pieces: what was searched for, and what lies between.

    Args:
        text: the text of a page.
        words: what was searched for (:func:`search_words`).
    """
    text = unicodedata.normalize("NFC", text)
    signs = list(folded_signs(text)) if words else []
    searched = "".join(sign for sign, _ in signs)
    spans = sorted(
        (signs[found.start()][1], signs[found.end() - 1][1] + 1)
        for word in words
        if word
        for found in re.finditer(re.escape(word), searched)
    )
    found, place = [], 0
    for begin, end in spans:
        if place <= begin:
            found += [Piece(text[place:begin]), Piece(text[begin:end], hit=True)]
            place = end
    return tuple(piece for piece in (*found, Piece(text[place:])) if piece.text)


def shortened(text: str, most: int = 240) -> str:
    """The beginning of a text, with a sign where it goes on."""
    return text[:most] + "…" if len(text) > most else text


def search_words(query: str) -> tuple[str, ...]:
    """What a search looks for, folded."""
    return tuple(folded(word) for word in query.split())


def size(count: int) -> str:
    """A number of bytes for people."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.0f} KiB" if count < 1024**2 else f"{count / 1024**2:.1f} MiB"
