"""Characters brought to one form, one for one, so that no place in a text moves."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_KEPT: Final = {
    **{char: char for char in "，；"},  # they end a clause; their ASCII forms may group thousands
    **{"٪": "%", "٫": ".", "٬": ","},
    **dict.fromkeys("\u00a0\u2007\u2009\u202f", "\u2009"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013", "-"),
    **dict.fromkeys("‘’ʼ′＇", "'"),
    **dict.fromkeys("“”„″＂", '"'),
}


class _Flat(dict[int, int]):
    """A table for ``str.translate`` that works each character out once."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        flat = _KEPT.get(char, "")
        if not flat and unicodedata.category(char) == "Nd":
            flat = str(unicodedata.decimal(char))
        elif not flat:
            alike = unicodedata.normalize("NFKC", char)
            flat = alike if len(alike) == 1 and not _is_raised(char) else char
        self[code] = ord(flat)
        return self[code]


class _Folded(dict[int, str]):
    def __missing__(self, code: int) -> str:
        char = chr(code)
        gone = char.isspace() or unicodedata.category(char) == "Cf"
        alike = char if _is_raised(char) else unicodedata.normalize("NFKC", char)
        self[code] = "" if gone else alike.casefold()
        return self[code]


def _is_raised(char: str) -> bool:
    """Whether its plain form reads otherwise: 49.3¹ is 49.3 with a note, 10² is not 102, nor 1½ 11⁄2."""
    raised = unicodedata.decomposition(char).startswith(("<super>", "<sub>"))
    return raised or unicodedata.category(char) == "No"


_FLAT: Final = _Flat()
_FOLDED: Final = _Folded()


def flatten(text: str) -> str:
    """The text with each character in its plain form; it has as many code points as before.

    Decimal digits of any script become ASCII by value (Unicode, property Nd), hyphens and the en dash ``-``,
    curly quotation marks straight ones, and no-break and thin spaces U+2009. The minus sign stays, since it
    is never anything else. A full-width comma stays, since it ends a clause, except in full-width digits,
    where it groups thousands.
    """
    return re.sub(r"(?<=[０-９])，(?=[０-９]{3})", ",", text).translate(_FLAT)


def folded(text: str) -> str:
    """A text for searching, and for asking whether two say the same: no case, blanks or width, one hyphen.

    Signs stay (``C++``, ``3.4``, ``€5``), other than in :func:`verifaible.text.normalise.key`, and accents.
    """
    return unicodedata.normalize("NFC", flatten(text).translate(_FOLDED))


def folded_signs(text: str) -> Iterator[tuple[str, int]]:
    """The characters of a folded text, each with its place in the text, which is composed (NFC)."""
    for at, char in enumerate(flatten(text)):
        yield from ((sign, at) for sign in _FOLDED[ord(char)])
