"""What each character folds to by itself; the rules are those of :mod:`verifaible.anchoring.fold`."""

from __future__ import annotations

import re
import unicodedata

from verifaible.text.notes import RAISED_LETTERS

_DOUBLE = '"“”„‟«»〝〞〟″「」『』﹁﹂﹃﹄״'
_SINGLE = "'‘’‚‛‹›′`´ʼʹ׳"
_DASH = "-‐‑‒–—―−⁃﹘﹣－"
#: Minus signs that are never hyphens: a blank may stand between them and their number.
_MINUS = "−－﹣"

_ALIKE: dict[str, str] = {
    **dict.fromkeys(_DOUBLE, '"'),
    **dict.fromkeys(_SINGLE, "'"),
    **dict.fromkeys(_DASH, "-"),
    "⋯": "...",
    "〜": "~",
}

#: Decomposition tags behind which a character means something else than what it decomposes to.
_MARKED = ("<super>", "<sub>", "<fraction>", "<circle>")

#: Blanks that typesetters put inside numbers; the others part words.
_NUMBER_BLANKS = "\u00a0\u2007\u2008\u2009\u200a\u202f"
_LINE_ENDS = "\n\r\v\f\x85\u2028\u2029"

#: Invisible although neither white space nor of category Cf.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u2800\u3164\uffa0\ufffc")
#: Of category Cf, but drawn: Arabic and Syriac number and verse signs.
_DRAWN_FORMAT = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")


class Table(dict[str, str]):
    """What each character folds to, worked out when it is first met."""

    def __init__(self, *, keep_space: bool) -> None:
        super().__init__()
        self._keep_space = keep_space

    def __missing__(self, char: str) -> str:
        folded = self._soft(char) if self._keep_space else _fold_char(char)
        self[char] = folded
        return folded

    def _soft(self, char: str) -> str:
        """Like ``_fold_char``, but blanks, true minus signs and full-width digits stay apart."""
        if char in _LINE_ENDS or char == "\t":  # a tab parts table cells
            return "\n"
        if char in _NUMBER_BLANKS:
            return "\u00a0"
        if char.isspace():
            return " "
        if char in _MINUS:
            return "−"
        if char == "，" or "０" <= char <= "９":
            return char
        return _fold_char(char)


FOLDED = Table(keep_space=False)
SOFT = Table(keep_space=True)


def _is_dropped(char: str) -> bool:
    if char.isspace() or char in _INVISIBLE:
        return True
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":  # variation selectors
        return True
    return unicodedata.category(char) in ("Cf", "Cc") and char not in _DRAWN_FORMAT


def _decompose(char: str) -> str:
    """Compatibility decomposition that stops at marked characters."""
    mapping = unicodedata.decomposition(char)
    if not mapping:
        return char
    codes = mapping.split()
    if char in RAISED_LETTERS:
        return chr(int(codes[1], 16))
    if codes[0] in _MARKED or codes[:2] == ["<compat>", "0020"]:  # spacing accents: "¨", "¸"
        return char
    return "".join(_decompose(chr(int(code, 16))) for code in codes if not code.startswith("<"))


def _fold_char(char: str) -> str:
    if char in _ALIKE:
        return _ALIKE[char]
    if _is_dropped(char):
        return ""
    plain = unicodedata.normalize("NFC", _decompose(char))
    if plain != char and unicodedata.category(char) != "Nd" and re.search("[0-9]", plain):
        return char
    folded = unicodedata.normalize("NFC", plain.casefold())
    return "".join(_ALIKE.get(part, "" if _is_dropped(part) else part) for part in folded)


def joins(char: str) -> bool:
    """Whether a character composes with the one before it."""
    if char in "\uff9e\uff9f" or "\u1161" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb":
        return True
    return unicodedata.category(char).startswith("M") and not _is_dropped(char)
