"""Claims that call one thing by two names, with one of the names left out; offsets are kept.

"Gross profit (毛利) rose by 26 %" names its operand in two languages, and a source has one of them. "Free
cash flow yield, that is free cash flow relative to market cap" names its result and then says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

#: Words of one script with those of the other behind them in brackets, or a key of JSON.
_GLOSS: Final = re.compile(
    r"(?P<a>[\u3400-\u9fff]{2,12})[（(](?P<b>[A-Za-z][A-Za-z0-9 &'_-]{1,40})[)）]"
    r"|(?P<a2>\b(?:[A-Z][a-z-]+ )?(?:(?!(?:of|in|on|for|the|and|its|to|from|by)\b)[a-z-]+ ?){1,3})"
    r"\s?[（(](?P<b2>[\u3400-\u9fff]{2,12})[)）]"
    r"|(?P<a3>[A-Z][A-Z&/]+|\b[a-z-]+(?: [a-z-]+)?) ?[（(](?P<b3>[a-z]+(?:[A-Z][a-z0-9]*)+)[)）]"
)
#: What parts the name of a result from what it is.
_DEFINITION: Final = re.compile(
    r"\A(?P<name>[^,:;()]{3,60}?)(?:,|:|\s[-–—])\s"
    r"(?:that is|i\.e\.|defined as|calculated as|measured as|or)\b,?",
    re.IGNORECASE,
)


def shortened(text: str) -> Iterator[str]:
    """The text without the first, then without the second of the names of each thing that has two."""
    matches = list(_GLOSS.finditer(text))
    for groups in (("a", "a2", "a3"), ("b", "b2", "b3")) if matches else ():
        yield _without(text, [match.span(g) for match in matches for g in groups if match[g]], matches)
    if match := _DEFINITION.search(text):
        yield " " * match.end() + text[match.end() :]


def _without(text: str, spans: list[tuple[int, int]], matches: list[re.Match[str]]) -> str:
    """The text with ranges, and the brackets of glosses, as spaces."""
    chars = list(text)
    for match in matches:
        for at in range(*match.span()):
            if chars[at] in "()（）":
                chars[at] = " "
    for start, end in spans:
        chars[start:end] = " " * (end - start)
    return "".join(chars)
