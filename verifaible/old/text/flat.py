"""Characters brought to one form, without moving any."""

from __future__ import annotations

import re
import unicodedata

_GROUP_SPACES = "\u00a0\u2007\u2009\u202f"
_SINGLE = {
    # a full-width comma or semicolon ends a clause; its ASCII form may group thousands
    **{char: char for char in "，；"},
    # Arabic percent sign, decimal separator and thousands separator
    **{"\u066a": "%", "\u066b": ".", "\u066c": ","},
    **dict.fromkeys(_GROUP_SPACES, "\u2009"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013", "-"),
    **dict.fromkeys("‘’ʼ′＇", "'"),
    **dict.fromkeys("“”„″＂", '"'),
}


class _FlatTable(dict[int, int]):
    """A ``str.translate`` table that computes each character once."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        flat = _SINGLE.get(char, "")
        category = unicodedata.category(char)
        if not flat and category == "Nd":
            flat = str(unicodedata.decimal(char))
        elif not flat:
            folded = unicodedata.normalize("NFKC", char)
            # superscripts stay: 49.3¹ is 49.3 with a footnote, not 49.31
            stays = category == "No" or unicodedata.decomposition(char).startswith(("<super>", "<sub>"))
            flat = folded if len(folded) == 1 and not stays else char
        self[code] = ord(flat)
        return self[code]


_TABLE = _FlatTable()


def flatten(text: str) -> str:
    """Bring characters to one form without moving any: the result has as many code points.

    Full-width and other decimal digits become ASCII, hyphens and the en dash become ``-`` (the
    minus sign U+2212 stays, since it is never anything else), typographic quotes become plain
    ones, and grouping spaces become U+2009. A full-width comma is kept (it ends clauses),
    except between full-width digits, where it groups thousands.
    """
    return re.sub(r"(?<=[０-９])，(?=[０-９]{3})", ",", text).translate(_TABLE)
