"""The words and the years of a text that can name something."""

from __future__ import annotations

import re
from typing import Final

from verifaible.text.flat import flatten
from verifaible.text.lists import parted

#: Words that say how much of something, and not of what.
TOTAL: Final = frozenset(("total", "sum", "all", "合", "计", "总"))
WORD: Final = re.compile(r"[\u3400-\u9fff\uac00-\ud7a3]|(?:(?![\u3400-\u9fff\uac00-\ud7a3])[^\W\d_]){2,}")
YEAR: Final = re.compile(
    r"(?<![\d.,])(?<![A-Za-z]{3})(?:19|20)\d\d(?![A-Za-z]|[\d,]*\d)|(?<=\bFY)\s?['’]?\d\d\b"
)
_THROUGH: Final = re.compile(r"\s*(?:-|–|—|to|through|and|至|到)\s*(?:FY\s?)?", re.I)
#: Words that name nothing by themselves.
_EMPTY: Final = frozenset(
    parted(
        "the|of|in|on|at|to|by|for|from|with|and|or|as|is|was|were|are|be|its|their|than|an|"
        "per|that|this|which|what|how|much|many|did|does|do|our|we|it|has|have|had|if|between|"
        "during|into|year|thousand|million|billion|的|和|与|是|在"
    )
)


def words_of(text: str) -> frozenset[str]:
    """The words of a text that can name something, in a form that singular and plural share."""
    found = (stem(word) for word in WORD.findall(flatten(text).casefold()))
    return frozenset(word for word in found if word not in _EMPTY)


def stem(word: str) -> str:
    """A word in lower case without the ending of a plural."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def years_of(text: str, *, through: bool = False) -> tuple[int, ...]:
    """The years that a text names, in order; ``through`` those between two that a range joins as well."""
    found, last = list[int](), -1
    for match in YEAR.finditer(text):
        digits = match[0].strip(" '’")
        year = int(digits) if len(digits) == 4 else 2000 + int(digits)
        if through and last >= 0 and _THROUGH.fullmatch(text, last, match.start()):
            found += range(found[-1] + 1, year)
        found.append(year)
        last = match.end()
    return tuple(dict.fromkeys(found))
