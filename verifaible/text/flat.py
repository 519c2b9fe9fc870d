"""Characters brought to one form, one for one, so that no place in a text moves."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_KEPT: Final = {
    **{char: char for char in "，；"},  # they end a clause; their ASCII forms may group thousands
    **{"٪": "%", "٫": ".", "٬": ","},
    **dict.fromkeys("\u00a0\u2007\u2009\u202f", "\u2009"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013", "-"),
    **dict.fromkeys("‘’ʼ′＇", "'"),
    **dict.fromkeys("“”„″＂", '"'),
}


class _Table(dict[int, int]):
    """A table for ``str.translate`` that works each character out once."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        flat = _KEPT.get(char, "")
        category = unicodedata.category(char)
        if not flat and category == "Nd":
            flat = str(unicodedata.decimal(char))
        elif not flat:
            folded = unicodedata.normalize("NFKC", char)
            # a superscript stays: 49.3¹ is 49.3 with a footnote, not 49.31
            stays = category == "No" or unicodedata.decomposition(char).startswith(("<super>", "<sub>"))
            flat = folded if len(folded) == 1 and not stays else char
        self[code] = ord(flat)
        return self[code]


_TABLE: Final = _Table()


def flatten(text: str) -> str:
    """The text with each character in its plain form; it has as many code points as before.

    Decimal digits of any script become ASCII by value (Unicode, property Nd), hyphens and the en dash ``-``,
    curly quotation marks straight ones, and no-break and thin spaces U+2009. The minus sign stays, since it
    is never anything else. A full-width comma stays, since it ends a clause, except in full-width digits,
    where it groups thousands.
    """
    return re.sub(r"(?<=[０-９])，(?=[０-９]{3})", ",", text).translate(_TABLE)


def folded(text: str) -> str:
    """A text for asking whether two say the same words: no case, no blanks, no width, one quote and dash."""
    plain = flatten(unicodedata.normalize("NFKC", text)).casefold()
    return "".join(char for char in plain if not char.isspace() and unicodedata.category(char) != "Cf")
