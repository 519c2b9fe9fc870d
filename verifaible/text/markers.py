"""The markers of an answer, ``[@v:1]`` and its other forms, as score, check and pages all read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from verifaible.text.flat import flatten

#: The number of a citation has at most so many digits; more are the beginning of an id that has no letter.
NUMBER_DIGITS: Final = 6

#: A line may break between two targets. A bracket that Markdown escapes is shown as any other.
_MARKER = re.compile(
    r"\\?[\[【]\s*@v\s*:((?:[^\[\]【】\n]|\n(?=[ \t]*(?:@v|[\d,，、;；\]】])))*?)\\?[\]】]", re.IGNORECASE
)
_AT = re.compile("[@＠﹫]")
_BETWEEN = re.compile(r"[,，、;；]|\s(?=\s*@v\s*:)", re.IGNORECASE)
_PREFIX = re.compile(r"\A\s*@v\s*:", re.IGNORECASE)
#: Blanks, and the signs of mark-up around a target.
_AROUND: Final = " \t\r\n\u2009*_`~"


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker: ``text[start:end]`` of the answer, and what it names.

    A target is a number (``1``), an id or its beginning in lower case, or what cannot be either, as it was
    written; a marker with nothing in it has the empty target.
    """

    start: int
    end: int
    targets: tuple[str, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The citations that it names by number."""
        return tuple(int(target) for target in self.targets if is_number(target))


def find_markers(text: str) -> tuple[Marker, ...]:
    """The markers of a text, in order; none overlaps another.

    Read are ``[@v:3]``, several targets in one bracket (``[@v:1,2]``, ``[@v:1, @v:2]``), full-width forms
    (``【＠ｖ：３】``) and escaped brackets (``\\[@v:1\\]``), wherever they stand: in code and links, too.
    """
    if not _AT.search(text):
        return ()
    return tuple(
        Marker(match.start(), match.end(), _targets(match[1])) for match in _MARKER.finditer(flatten(text))
    )


def _targets(inside: str) -> tuple[str, ...]:
    parts = (_PREFIX.sub("", part).strip(_AROUND) for part in _BETWEEN.split(inside))
    return tuple(dict.fromkeys(_target(part) for part in parts if part)) or ("",)


def _target(part: str) -> str:
    return str(int(part)) if is_number(part) else part.lower()


def is_number(target: str) -> bool:
    """Whether a target is the number of a citation, and not an id."""
    return target.isascii() and target.isdigit() and len(target) <= NUMBER_DIGITS


_PLACE: Final = r"(?:src|calc)_\d{1,6}(?:#[^\[\]【】,;\n]*)?"
_DATA_MARK = re.compile(rf"[\[【]\s*({_PLACE}(?:\s*[,;]\s*{_PLACE})*)\s*[\]】]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DataMark:
    """A mark of data, ``text[start:end]``: of each place that it names the source's mark and JSON Pointer.

    The pointer is empty for a computed value, and where only the source is named.
    """

    start: int
    end: int
    places: tuple[tuple[str, str], ...]


def find_data_marks(text: str) -> tuple[DataMark, ...]:
    """The marks of data of a text, in order: ``[src_2#/usd]``, ``[calc_1]``, ``[src_1#/a, src_1#/b]``."""
    found = []
    for match in _DATA_MARK.finditer(text):
        parted = (part.strip().partition("#") for part in re.split("[,;]", match[1]))
        places = tuple((mark.lower(), pointer) for mark, _, pointer in parted)
        found.append(DataMark(*match.span(), places))
    return tuple(found)
