"""Characters in one form: the table by which texts are compared, and the way back to the source's own.

``key`` folds a text for searching: letters and digits alone, without case or accents, so that whatever the
table of allowed differences (:mod:`verifaible.text.equivalence`) lets pass has the same key. ``tokens`` reads
words, numbers and signs, each with its place in the source.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from verifaible.text.segmentation import UNSPACED
from verifaible.text.words import DATA

Kind: TypeAlias = Literal["letter", "digit", "character", "sign", "blank", ""]

DOUBLE_QUOTES: Final = '"“”„‟«»＂〝〞〟「」『』﹁﹂﹃﹄״'
SINGLE_QUOTES: Final = "'‘’‚‛‹›＇`´ʼʹ׳"
DASHES: Final = "-‐‑‒–—―−⁃﹘﹣－"
_ALIKE: Final[dict[str, str]] = {
    **dict.fromkeys(DOUBLE_QUOTES + "″", '"'),
    **dict.fromkeys(SINGLE_QUOTES + "′", "'"),
    **dict.fromkeys(DASHES, "-"),
    **{glyph: sign for sign, glyphs in DATA["glyphs"].items() for glyph in glyphs},
}
_NO_GLYPH: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u2800\u3164\uffa0")
#: Of category Cf, and seen: Arabic and Syriac number and verse signs, and what overrides the direction.
_SEEN_FORMAT: Final = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2\u202d\u202e")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_HAN_NUMERALS: Final = frozenset("〇零一二三四五六七八九十百千万亿萬億兆两兩")
#: What stands in a number between its digits, or in a word between its letters; no full-width comma.
_IN_SIGNS: Final = frozenset(".,:٫٬" + SINGLE_QUOTES)
#: Between full-width digits these are the same; between others they part a list.
_WIDE_IN_NUMBER: Final = frozenset("．，：")
#: After an apostrophe these belong to the word before it (English, German); other words are elided there.
_TAILS: Final = frozenset(("s", "t", "d", "m", "re", "ve", "ll", "all", "em", "clock", "n"))


#: A stretch of a text and what it is, as :class:`verifaible.extract.document.Mark` names it.
MarkSpan: TypeAlias = tuple[int, int, str]
#: Marks at whose edges a word ends: "9" struck out before "6" is no 96.
_PARTING_MARKS: Final = frozenset(("struck", "inserted", "code", "ruby", "note", "picture", "list_marker"))
_RAISING_MARKS: Final = frozenset(("raised", "lowered"))
_UNMARKED: Final[frozenset[str]] = frozenset()


@dataclass(slots=True)
class Token:
    """A word, a number or a sign of a text.

    ``norm`` is its one form without case; a figure raised behind a figure begins with ``^``. ``raw`` is the
    same with its case. ``start`` and ``end`` are its place in code points. ``raised``: set above or below the
    line, by its own glyph or by a mark. ``capitals``: all capitals, alone among other words. ``optional``: a
    quote may leave it out. ``hyphened``: its norm with the hyphens that may be drawn in it at a line's end.
    ``block``: which block of a source it stands in.
    """

    norm: str
    raw: str
    start: int
    end: int
    kind: Kind
    raised: bool = False
    capitals: bool = False
    marks: frozenset[str] = _UNMARKED
    optional: bool = False
    hyphened: str = ""
    block: int = 0

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number, and no sign."""
        return self.kind in ("letter", "digit", "character")


class _KeyTable(dict[int, str]):
    def __missing__(self, code: int) -> str:
        char = chr(code)
        shown = "" if _is_gone(char) else _decimal(char) or _ALIKE.get(char, char)
        letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKD", shown)))
        folded = unicodedata.normalize("NFKD", letters.casefold())
        self[code] = "".join(c for c in folded if c.isalnum() and c not in SINGLE_QUOTES)
        return self[code]


_KEYS: Final = _KeyTable()


def key(text: str) -> str:
    """Letters and digits of a text, without case and accents, digits by their value: for searching only."""
    return text.translate(_KEYS)


def is_number_part(before: str, after: str) -> bool:
    """Whether two characters side by side are of one number: digits, or the numerals of Chinese."""
    return all(char.isdecimal() or char in _HAN_NUMERALS for char in (before, after))


@cache
def is_unspaced(char: str) -> bool:
    """Whether a character is of a script whose words no blanks part."""
    return bool(_UNSPACED.match(char))


def tokens(text: str, marks: Sequence[MarkSpan] = (), block: int = 0) -> list[Token]:
    """The words, numbers and signs of a text, in order; characters without glyph are left out.

    Words of a picture's alternative text are one token that no quote has.
    """
    found: list[Token] = []
    opened = 0
    signs = _signs(text)
    said = _said(marks)
    for first, last in _runs(signs, said):
        start, end = signs.starts[first], signs.ends[last - 1]
        form = "".join(signs.forms[first:last])
        raw = _AS_ONE.get(form, form)
        kind, behind = _kind(signs.classes[first]), _kind(signs.classes[first - 1]) if first else "blank"
        if raw in "'\"":
            prime = behind == "digit" and not opened
            opened = max(0, opened + (1 if behind == "blank" else -1)) if not prime else opened
            raw = raw if prime else '"'
        norm = raw.lower().replace("i\u0307", "i")  # the Turkish İ
        own = said.get(start, _UNMARKED)
        raised = first in signs.raised or not own.isdisjoint(_RAISING_MARKS)
        if raised and (kind == "digit" or norm in "-+") and _base(signs, said, first) == "digit":
            norm = "^" + norm
        if "picture" in own:
            norm = "\ufffc" + norm
        token = Token(norm, raw, start, end, kind, raised, marks=own, block=block)
        if "\u00ad" in text[start:end]:
            token.hyphened = text[start:end].replace("\u00ad", "-").lower()
        found.append(token)
    _tell_capitals(found)
    return found


def _base(signs: _Signs, said: dict[int, frozenset[str]], first: int) -> str:
    """The kind of what stands before a raised sign, blanks that are raised with it left out."""
    while first and signs.classes[first - 1].isspace():
        if said.get(signs.starts[first - 1], _UNMARKED).isdisjoint(_RAISING_MARKS):
            break
        first -= 1
    return _kind(signs.classes[first - 1]) if first else "blank"


def _tell_capitals(found: Sequence[Token]) -> None:
    """A word in capitals beside another one is set so; alone it is another word than in small letters."""
    loud = [token.kind == "letter" and len(token.raw) > 1 and token.raw.isupper() for token in found]
    for at, token in enumerate(found):
        token.capitals = loud[at] and not any(loud[max(0, at - 1) : at] + loud[at + 1 : at + 2])


def _said(marks: Sequence[MarkSpan]) -> dict[int, frozenset[str]]:
    """What the marks say of each place of a text."""
    said: dict[int, frozenset[str]] = {}
    for start, end, kind in marks:
        for at in range(start, end):
            said[at] = said.get(at, _UNMARKED) | {kind}
    return said


#: Signs that are typed as several.
_AS_ONE: Final = {"--": "-", "''": '"'}
#: Classes of signs: a letter, a digit or a sign of ASCII is its own.
_CLASSES: Final = {"letter": "é", "digit": "0", "character": "一", "sign": "¤", "blank": " ", "": "¤"}
#: Stops and primes that join nothing.
_ALONE: Final = {".": "·", "'": "´", ",": "¤", ":": "¤"}
_W, _A = r"[^\W一]", r"[^\W\d一]"
#: Words and numbers, with what may stand in them; signs that are typed as several; signs.
_RUN: Final = re.compile(
    rf"{_W}+(?:(?:(?<=\d)[.,:'](?=\d)|(?<={_A})'(?=(?:{'|'.join(sorted(_TAILS))})(?!{_A}))){_W}+)*"
    rf"(?:(?<={_A})'(?={_A}))?|[.·]{{3}}|--|['´]{{2}}|[^\s\x00-\x1f\x7f]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Signs:
    """The characters of a text, each with the marks that combine with it.

    ``classes`` has a letter for each, which tells its kind; ``forms`` what it is compared as; ``raised`` are
    the indices of those that are set above or below the line by their own glyph.
    """

    classes: str
    forms: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]
    raised: frozenset[int] = frozenset()


def _signs(text: str) -> _Signs:
    size, at = len(text), 0
    if text.isascii():
        plain = text.replace("`", "'")
        return _Signs(plain, plain, range(size), range(1, size + 1))
    classes: list[str] = []
    forms: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    raised: list[int] = []
    while at < size:
        end = at + 1
        while end < size and _combines(text[end]):
            end += 1
        wide = text[at] in _WIDE_IN_NUMBER and _is_wide(text, at)
        for form, known, above in _forms(text[at:end]):
            if above:
                raised.append(len(forms))
            classes.append(form if wide else known)
            forms.append(form)
            starts.append(at)
            ends.append(end)
        at = end
    return _Signs("".join(classes), forms, starts, ends, frozenset(raised))


def _runs(signs: _Signs, said: dict[int, frozenset[str]]) -> Iterator[tuple[int, int]]:
    """The first and, excluded, the last sign of each word, number and sign."""
    edges = [0, len(signs.classes)]
    if said or signs.raised:
        set_as = [
            (at in signs.raised or not own.isdisjoint(_RAISING_MARKS), own & _PARTING_MARKS)
            for at, start in enumerate(signs.starts)
            for own in (said.get(start, _UNMARKED),)
        ]
        edges[1:1] = [at for at in range(1, len(set_as)) if set_as[at] != set_as[at - 1]]
    for low, high in pairwise(edges):
        if low < high and "picture" in said.get(signs.starts[low], _UNMARKED):
            yield low, high
        else:
            yield from (match.span() for match in _RUN.finditer(signs.classes, low, high))


def _is_wide(text: str, at: int) -> bool:
    """Whether full-width digits stand on both sides of a sign."""
    return all("０" <= char <= "９" for char in (text[at - 1 : at], text[at + 1 : at + 2]))


@cache
def _combines(char: str) -> bool:
    if char in "\u0e33\u0eb3":  # the Thai and Lao vowel whose one part stands over the letter before it
        return True
    if char in "\uff9e\uff9f" or "\u1161" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7fb":
        return True
    return unicodedata.category(char).startswith("M") and not _is_gone(char)


@cache
def _is_gone(char: str) -> bool:
    """Whether a character has no glyph."""
    if char in _NO_GLYPH or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return True
    return unicodedata.category(char) in ("Cf", "Cc") and not char.isspace() and char not in _SEEN_FORMAT


@cache
def _forms(cluster: str) -> tuple[tuple[str, str, bool], ...]:
    """What a character and its marks are compared as: of each part form, class, and whether it is raised."""
    char = cluster[0]
    if char.isspace():
        return ((" ", " ", False), *(_forms(cluster[1:]) if len(cluster) > 1 else ()))
    if _is_gone(char):
        return _forms(cluster[1:]) if len(cluster) > 1 else ()
    if char in _ALIKE and len(cluster) == 1:
        return tuple((part, _class(part, joins=char in _IN_SIGNS), char in "ºª") for part in _ALIKE[char])
    tag = unicodedata.decomposition(char).split(" ")[0]
    plain = unicodedata.normalize("NFKC", "".join(c for c in cluster if not _is_gone(c)))
    if tag == "<circle>":
        return ((f"({plain})", _CLASSES["character"], False),)
    # "1½" is no 11/2, and "2㋀" no 21月.
    parts = [(" ", " ", False)] if plain[0].isdigit() and not char.isdigit() else []
    for part in _clusters(plain):
        form = _decimal(part) or _ALIKE.get(part, part)
        parts.append((form, _class(form, joins=char in _IN_SIGNS), tag in ("<super>", "<sub>")))
    return tuple(parts)


def _class(form: str, *, joins: bool) -> str:
    if form in _ALONE and not joins:
        return _ALONE[form]
    return form if len(form) == 1 and form.isascii() else _CLASSES[_kind(form)]


def _clusters(text: str) -> list[str]:
    parts: list[str] = []
    for char in text:
        if parts and _combines(char) and not parts[-1].isspace():
            parts[-1] += char
        else:
            parts.append(char)
    return parts


@cache
def _decimal(char: str) -> str:
    value = unicodedata.decimal(char, None) if len(char) == 1 else None
    return "" if value is None else str(value)


@cache
def _kind(form: str) -> Kind:
    char = form[0]
    if char.isspace():
        return "blank"
    if char.isdecimal():
        return "digit"
    if is_unspaced(char):
        return "character"
    return "letter" if char.isalpha() or char == "_" else "sign"
