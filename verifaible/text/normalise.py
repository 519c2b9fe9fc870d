"""Characters in one form: the table by which texts are compared, and the way back to the source's own.

``key`` folds a text for searching: letters and digits alone, without case or accents, so that whatever the
table of allowed differences (:mod:`verifaible.text.equivalence`) lets pass has the same key. ``tokens`` reads
words, numbers and signs, each with its place in the source.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal, TypeAlias

from verifaible.text.segmentation import UNSPACED

Kind: TypeAlias = Literal["letter", "digit", "character", "sign", "blank", ""]

DOUBLE_QUOTES: Final = '"“”„‟«»＂〝〞〟「」『』﹁﹂﹃﹄״'
SINGLE_QUOTES: Final = "'‘’‚‛‹›＇`´ʼʹ׳"
DASHES: Final = "-‐‑‒–—―−⁃﹘﹣－"
_ALIKE: Final = {
    **dict.fromkeys(DOUBLE_QUOTES, '"'),
    **dict.fromkeys(SINGLE_QUOTES, "'"),
    **dict.fromkeys(DASHES, "-"),
    **dict.fromkeys("⁄∕", "/"),
    "′": "'",
    "″": '"',
    "…": "...",
    "⋯": "...",
    "〜": "~",
    "。": ".",
    "、": ",",
    "٫": ".",
    "٬": ",",
    "،": ",",
    "٪": "%",
    "º": "o",
    "ª": "a",
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
        forms = unicodedata.normalize("NFKD", _decimal(chr(code)) or chr(code)).casefold()
        self[code] = "".join(c for c in unicodedata.normalize("NFKD", forms) if c.isalnum())
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
    for token, behind in _quick_pieces(text) if text.isascii() and not marks else _pieces(text, marks):
        raw = _RUNS.get(token.raw, token.raw)
        if raw in "'\"":
            prime = behind == "digit" and not opened
            opened = max(0, opened + (1 if behind == "blank" else -1)) if not prime else opened
            raw = raw if prime else '"'
        token.raw, token.block = raw, block
        token.norm = raw.lower().replace("i\u0307", "i")  # the Turkish İ
        if "\u00ad" in text[token.start : token.end]:
            token.hyphened = text[token.start : token.end].replace("\u00ad", "-").lower()
        if token.raised and token.kind == behind == "digit":
            token.norm = "^" + token.norm
        if "picture" in token.marks:
            token.norm = "\ufffc" + token.norm
        found.append(token)
    _tell_capitals(found)
    return found


def _tell_capitals(found: Sequence[Token]) -> None:
    """A word in capitals beside another one is set so; alone it is another word than in small letters."""
    loud = [token.kind == "letter" and len(token.raw) > 1 and token.raw.isupper() for token in found]
    for at, token in enumerate(found):
        token.capitals = loud[at] and not any(loud[max(0, at - 1) : at] + loud[at + 1 : at + 2])


def _pieces(text: str, marks: Sequence[MarkSpan]) -> Iterator[tuple[Token, Kind]]:
    """Words, numbers and signs in their own case, each with the kind of what stands right before it."""
    signs = list(_signs(text))
    if marks:
        signs = _marked(signs, marks)
    at = 0
    while at < len(signs):
        sign, size = signs[at], _run(signs, at)
        if sign.kind != "blank":
            form = "".join(each.form for each in signs[at : at + size])
            behind = signs[at - 1].kind if at else "blank"
            end = signs[at + size - 1].end
            yield Token("", form, sign.start, end, sign.kind, sign.raised, marks=sign.marks), behind
        at += size


#: The same for ASCII, which most texts are: words and numbers, and runs of signs.
_QUICK: Final = re.compile(
    rf"\w+(?:(?:(?<=\d)[.,:'`](?=\d)|(?<=[^\W\d])['`](?=(?:{'|'.join(sorted(_TAILS))})(?![^\W\d])))\w+)*"
    r"(?:(?<=[^\W\d])['`](?=[^\W\d]))?|\.\.\.|--|['`]{2}|[!-~]",
    re.ASCII | re.IGNORECASE,
)


def _quick_pieces(text: str) -> Iterator[tuple[Token, Kind]]:
    last = 0
    for match in _QUICK.finditer(text):
        start, end = match.span()
        form = match.group().replace("`", "'")
        behind = _kind(text[start - 1]) if start == last and start else "blank"
        yield Token("", form, start, end, _kind(form)), behind
        last = end


def _marked(signs: Sequence[_Sign], marks: Sequence[MarkSpan]) -> list[_Sign]:
    """The signs with what the marks say of them."""
    kinds: dict[int, frozenset[str]] = {}
    for start, end, kind in marks:
        for at in range(start, end):
            kinds[at] = kinds.get(at, _UNMARKED) | {kind}
    return [
        replace(sign, marks=said, raised=sign.raised or bool(said & _RAISING_MARKS))
        if (said := kinds.get(sign.start))
        else sign
        for sign in signs
    ]


#: Signs that are typed as several: (how, the one form).
_RUNS: Final = {"...": "...", "--": "-", "''": '"'}


@dataclass(frozen=True, slots=True)
class _Sign:
    form: str
    start: int
    end: int
    kind: Kind
    raised: bool = False
    joins: bool = False
    marks: frozenset[str] = _UNMARKED


def _signs(text: str) -> Iterator[_Sign]:
    """The characters with the marks that combine with them, each in its form."""
    size, at = len(text), 0
    while at < size:
        char = text[at]
        end = at + 1
        if char < "\x80" and (end == size or text[end] < "\u0300"):
            if char >= " " or char.isspace():
                yield _Sign("'" if char == "`" else char, at, end, _kind(char), False, char in _IN_SIGNS)
            at = end
            continue
        while end < size and _combines(text[end]):
            end += 1
        cluster = text[at:end]
        for form, form_kind, raised in _forms(cluster):
            joins = char in _IN_SIGNS or (char in _WIDE_IN_NUMBER and _is_wide(text, at))
            yield _Sign(form, at, end, form_kind, raised, joins)
        at = end


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
def _forms(cluster: str) -> tuple[tuple[str, Kind, bool], ...]:
    """What a character and its marks are compared as: (form, kind, raised) of each part."""
    char = cluster[0]
    if char.isspace():
        return ((" ", "blank", False),)
    if _is_gone(char):
        return _forms(cluster[1:]) if len(cluster) > 1 else ()
    if char in _ALIKE and len(cluster) == 1:
        return tuple((part, _kind(part), char in "ºª") for part in _ALIKE[char])
    tag = unicodedata.decomposition(char).split(" ")[0]
    plain = unicodedata.normalize("NFKC", "".join(c for c in cluster if not _is_gone(c)))
    if tag == "<circle>":
        return ((f"({plain})", "character", False),)
    raised = tag in ("<super>", "<sub>")
    # "1½" is no 11/2, and "2㋀" no 21月.
    apart = plain[0].isdigit() and not char.isdigit()
    parts: list[tuple[str, Kind, bool]] = [(" ", "blank", False)] if apart else []
    for part in _clusters(plain):
        form = _decimal(part) or _ALIKE.get(part, part)
        parts.append((form, _kind(form), raised))
    return tuple(parts)


def _clusters(text: str) -> list[str]:
    parts: list[str] = []
    for char in text:
        if parts and _combines(char):
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


def _run(signs: Sequence[_Sign], at: int) -> int:
    """How many signs from ``at`` are one word, number or sign."""
    first, end = signs[at], at + 1
    if "picture" in first.marks:
        while end < len(signs) and "picture" in signs[end].marks:
            end += 1
        return end - at
    if first.kind not in ("letter", "digit"):
        return _sign_run(signs, at)
    while end < len(signs) and _alike(first, signs[end]):
        sign, before = signs[end], signs[end - 1]
        if sign.kind in ("letter", "digit"):
            end += 1
            continue
        after = signs[end + 1] if end + 1 < len(signs) else None
        if after is None or not sign.joins or not _alike(first, after):
            break
        if before.kind == after.kind == "digit":
            end += 2
        elif sign.form == "'" and before.kind == after.kind == "letter":
            if _tail(signs, end + 1) not in _TAILS:
                return end + 1 - at
            end += 2
        else:
            break
    return end - at


def _alike(first: _Sign, other: _Sign) -> bool:
    """Whether nothing but their characters parts two signs."""
    return first.raised == other.raised and not (first.marks ^ other.marks) & _PARTING_MARKS


def _tail(signs: Sequence[_Sign], at: int) -> str:
    end = at
    while end < len(signs) and signs[end].kind == "letter" and end - at < 8:
        end += 1
    return "".join(sign.form for sign in signs[at:end]).lower()


def _sign_run(signs: Sequence[_Sign], at: int) -> int:
    """How many signs are one: three dots, two hyphens, two single quotation marks for a double one."""
    form = signs[at].form
    for run in _RUNS:
        if form == run[0] and "".join(sign.form for sign in signs[at : at + len(run)]) == run:
            return len(run)
    return 1
