"""Whether a quote is its source's own words: one table of allowed differences, and nothing else refuses.

Words are compared one by one (:func:`verifaible.text.normalise.tokens`). What a reader is shown is always the
source's own sentence, so that the table lets pass what restyles a quotation, and never what another word is.

==============================  ============================================================================
allowed                         why
==============================  ============================================================================
blanks, line ends, or none      typesetters change one into the other, beside signs and in scripts without
beside signs                    blanks they put them in or leave them out; between two words they count
quotation marks of any style    a quotation restyles those inside it; none may be left out between words
outer quotation marks           they say that it is a quotation
a leading or final ellipsis     says that the sentence goes on, as the evidence shows
``[T]``, and letter case        a sentence of its own begins with a capital, styles change all letters; not
                                in code, in units behind a number (mW, MW), or of a word in capitals
                                among others (US, us)
one final full stop, comma      it belongs to the quotation's own sentence
or semicolon
dashes of any form              hyphens, minus signs and dashes, ``--``, are typed as one another
glyphs of one sign              full width, ligatures, presentation forms, Roman numerals, the micro sign,
                                primes, ellipses; decomposed accents; what has no glyph
digits of any script            they are the same number
raised and lowered figures      behind a letter (CO₂, km², 1st) they are typed on the line; behind a figure
                                never: 10⁶ is not 106
a hyphen at a line's end        nothing says whether it belongs to the word
footnote marks, linked notes    they may be left out at a word's end, not changed
readings, list markers          stand beside the words
what is struck out              its author takes it back; a reader is shown it as struck out
==============================  ============================================================================
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from verifaible.text.cldr import scale_words
from verifaible.text.normalise import (
    DOUBLE_QUOTES,
    SINGLE_QUOTES,
    MarkSpan,
    Token,
    is_number_part,
    is_unspaced,
    key,
    tokens,
)

_LEFT_OUT: Final = frozenset(("ruby", "list_marker", "note", "struck"))
_NOTE_SIGNS: Final = frozenset("*†‡§¶")
_NOTE: Final = re.compile(r"\^?\d{1,3}(?:,\d{1,3})*|[a-z]|[*†‡§¶\[\],]")
#: Nobody raises a year to a power, nor a number whose thousands are parted.
_NO_BASE: Final = re.compile(r"(?:19|20)\d\d|\d{1,3}(?:[,.]\d{3})+")
_EXPONENTS: Final = frozenset("234")
#: What is part of a number right before it and right behind it, beside signs of currencies.
_SIGNS: Final = frozenset("-+±~<>≤≥≈=%")
_BEHIND: Final = frozenset("%‰‱°")
_ELLIPSIS: Final = r"(?:\.\.\.|…|⋯|\[\s*(?:\.\.\.|…)\s*\]|\(\s*(?:\.\.\.|…)\s*\))"
_LEADING: Final = re.compile(rf"[\s,;]*{_ELLIPSIS}\s*")
_FINAL: Final = re.compile(rf"\s*{_ELLIPSIS}[\s.]*\Z")
_BRACKETED: Final = re.compile(rf"([{DOUBLE_QUOTES}{SINGLE_QUOTES}]?)\[(\w)\](?=\w)")
_QUOTES: Final = DOUBLE_QUOTES + SINGLE_QUOTES


def source_tokens(text: str, marks: Sequence[MarkSpan] = (), block: int = 0) -> list[Token]:
    """The tokens of a source; what a quote may leave out is ``optional``."""
    found = tokens(text, marks, block)
    in_note = False
    for place, token in enumerate(found):
        before = found[place - 1] if place else None
        if token.marks & _LEFT_OUT:
            token.optional = True
        elif before is not None and before.end == token.start and not token.optional:
            # A raised "[" begins a linked note of several words, which ends with its "]".
            in_note = token.raised and (token.norm == "[" or (in_note and before.norm != "]"))
            if in_note or _is_note(found, place):
                token.optional = True
            elif token.norm == "[" and _is_bracketed_note(found, place):
                for each in found[place : place + 3]:
                    each.optional = True
    return found


def _is_note(found: Sequence[Token], place: int) -> bool:
    """Whether a token right behind another is the mark of a footnote."""
    token, before = found[place], found[place - 1]
    if token.norm in _NOTE_SIGNS:
        after = found[place + 1] if place + 1 < len(found) else None
        goes_on = after is not None and after.start == token.end and after.is_word
        return before.optional or (before.is_word and (token.raised or not goes_on))
    if not token.raised or not _NOTE.fullmatch(token.norm):
        return False
    if "link" in token.marks or (before.optional and before.raised):
        return True
    if before.kind == "digit":
        return bool(_NO_BASE.fullmatch(before.norm))
    ends_word = before.norm[-1:].isalpha() or (before.norm in '.,;:!?")]»' and before.kind == "sign")
    return ends_word and not _is_exponent(found, place)


def _is_exponent(found: Sequence[Token], place: int) -> bool:
    """Whether a raised figure is what a unit, a short symbol or a bracket is raised to."""
    token, before = found[place], found[place - 1]
    if token.norm not in _EXPONENTS:
        return False
    quantity = place > 1 and found[place - 2].kind == "digit" and before.is_word
    short = before.kind == "letter" and len(before.norm) <= 3
    return quantity or short or before.norm == ")"


def _is_bracketed_note(found: Sequence[Token], place: int) -> bool:
    before, inner = found[place - 1], found[place + 1 : place + 3]
    if len(inner) < 2 or inner[1].norm != "]" or not re.fullmatch(r"\d{1,3}|[a-z]", inner[0].norm):
        return False
    return before.is_word or before.norm in '.,;:!?")]' or before.optional


@lru_cache(maxsize=64)
def askings(quote: str) -> tuple[tuple[Token, ...], ...]:
    """The words of a quote, and without what the table lets stand around them, plainest first."""
    texts = [quote.strip()]
    for text in texts:
        texts += [each for each in _bared(text) if each.strip() and each not in texts]
    return tuple(found for text in texts if (found := tuple(tokens(text))))


def _bared(text: str) -> Iterator[str]:
    yield _FINAL.sub("", _LEADING.sub("", text, count=1) if _LEADING.match(text) else text).strip()
    if _BRACKETED.match(text):
        yield _BRACKETED.sub(r"\1\2", text, count=1)
    if text[-1:] in ".,;。，；" and not _FINAL.search(text):
        yield text[:-1].rstrip()
    if text[:1] in _QUOTES or text[-1:] in _QUOTES:
        yield text.strip(_QUOTES + " \u00a0\u202f")
        if len(text) > 2 and text[-1] in _QUOTES and text[-2] in ".,;":
            yield text[:-2] + text[-1]


def match(asked: Sequence[Token], source: Sequence[Token], at: int) -> tuple[list[int], bool] | None:
    """Whether the words asked for stand in a source from a token on.

    Returns:
        The indices of the tokens that are those words, and whether they are all of them: False where the
        source ends before. None where the source says something else.
    """
    tries: list[tuple[int, int, list[int]]] = [(0, at, [])]
    ended: tuple[list[int], bool] | None = None
    while tries:
        done, place, used = tries.pop()
        if done == len(asked):
            return used, True
        if place == len(source):
            ended = ended or (used, False)
            continue
        if source[place].optional and place > at:
            tries.append((done, place + 1, used))  # where the quote does not have it
        sizes = _step(asked, done, source, place)
        if sizes is None:
            continue
        if used and _parts_numbers(asked[done - 1], asked[done], source[used[-1]], source[place]):
            continue
        tries.append((done + sizes[0], place + sizes[1], [*used, *range(place, place + sizes[1])]))
    return ended


def _step(asked: Sequence[Token], done: int, source: Sequence[Token], place: int) -> tuple[int, int] | None:
    """How many words asked for, and how many of the source, are the same here; None where they differ."""
    question, token = asked[done], source[place]
    if _is_same(question, token, source[place - 1] if place else None):
        return 1, 1
    if parts := _parts(question, source, place):
        return 1, parts
    if parts := _parts(token, asked, done) or _hyphened(token, asked, done):
        return parts, 1
    return None


def _parts_numbers(one: Token, other: Token, before: Token, token: Token) -> bool:
    """Whether a blank parts numbers, or a sign from its number, in one text only: 十 二 are ten and two."""
    if token.kind == "digit" and before.norm == one.norm == "-":
        return one.end == other.start and before.end != token.start
    numerals = before.kind == token.kind == "character" and is_number_part(before.raw[-1], token.raw[0])
    if not numerals or before.block != token.block:
        return False
    return (one.end == other.start) != (before.end == token.start)


def _is_same(question: Token, token: Token, before: Token | None) -> bool:
    if "cased" in token.marks:
        return key(question.raw) == key(token.raw)  # capitals lose what small letters have: Straße, ώ
    if question.norm != token.norm:
        return False
    if question.raw == token.raw:
        return True
    if "code" in token.marks or question.capitals != token.capitals:
        return False
    unit = before is not None and before.kind == "digit" and token.kind == "letter" and len(token.norm) <= 3
    return not unit


def _parts(whole: Token, parts: Sequence[Token], at: int) -> int:
    """How many tokens are one word, some of them raised or lowered (CO₂, 1st); 0 for none."""
    said, end = parts[at].norm, at + 1
    while end < len(parts) and len(said) < len(whole.norm):
        before, token = parts[end - 1], parts[end]
        figures = before.norm[-1:].isdigit() and token.norm[:1].isdigit()
        if (
            token.start != before.end
            or token.block != before.block
            or token.raised == before.raised
            or figures
        ):
            return 0
        said, end = said + token.norm, end + 1
    return end - at if end > at + 1 and said == whole.norm else 0


def _hyphened(token: Token, asked: Sequence[Token], at: int) -> int:
    """How many words asked for are a word that is hyphenated at a line's end, with its hyphen; 0 for none."""
    said, end = "", at
    while token.hyphened and end < len(asked) and len(said) < len(token.hyphened):
        said, end = said + asked[end].norm, end + 1
    return end - at if said and said == token.hyphened else 0


def begins_whole(text: str, source: Sequence[Token], at: int) -> bool:
    """Whether a word, a compound or a number begins at a token.

    Args:
        text: the block that the token is of.
        source: all tokens.
        at: index of the token.
    """
    first, before, further = source[at], _beside(source, at, at - 1), _beside(source, at, at - 2)
    if before is None or before.optional:
        return True
    if before.end != first.start:
        minus = first.kind == "digit" and text[before.start] in "−±" and first.start - before.end == 1
        return not (minus or _is_grouped(text, before, first))
    point = before.norm == "." and (further is None or further.end < before.start)
    if first.kind == "digit" and (point or before.norm in _SIGNS or _is_currency(before)):
        return False
    if before.is_word and not before.raw.endswith("'") and _is_currency(first):
        return False
    return not _is_one(text, before, first) and not _is_linked(text, further, before, first)


def ends_whole(text: str, source: Sequence[Token], at: int, language: str = "") -> bool:
    """Whether a word, a compound or a number ends at a token.

    Args:
        text: the block that the token is of.
        source: all tokens.
        at: index of the token.
        language: BCP 47 tag of the text, for the words of large numbers.
    """
    last, after, further = source[at], _beside(source, at, at + 1), _beside(source, at, at + 2)
    if after is None or after.optional:
        return True
    if last.kind == "digit" and (after.norm in _BEHIND or after.norm in scale_words(language)):
        return False
    if after.norm.startswith("^"):  # an exponent, also one with a blank raised before it
        return False
    if last.end != after.start:
        return not _is_grouped(text, last, after)
    if (last.kind == "digit" and (_is_currency(after) or after.norm == "'")) or (
        _is_currency(last) and after.is_word
    ):
        return False
    return not _is_one(text, last, after) and not _is_linked(text, last, after, further)


def _beside(source: Sequence[Token], at: int, place: int) -> Token | None:
    """A token at ``place`` in the same block as that at ``at``; None where there is none."""
    found = source[place] if 0 <= place < len(source) else None
    return found if found is not None and found.block == source[at].block else None


def _is_one(text: str, one: Token, other: Token) -> bool:
    """Whether two tokens without a blank between them are of one word or number."""
    edge = one.raw[-1], other.raw[0]
    if is_number_part(*edge):
        return True
    words = one.is_word or one.norm == "°", other.is_word
    return all(words) and not any(map(is_unspaced, edge)) and not one.raw.endswith("'")


def _is_linked(text: str, one: Token | None, sign: Token, other: Token | None) -> bool:
    """Whether a sign makes one compound, range or date of what stands right on its two sides."""
    if one is None or other is None or one.end != sign.start or sign.end != other.start:
        return False
    if sign.end - sign.start > 1 or not (one.is_word and other.is_word):
        return False
    numbers = one.kind == other.kind == "digit"
    return text[sign.start] in "-‐‑" or (numbers and sign.norm in "-/")


def _is_currency(token: Token) -> bool:
    return token.kind == "sign" and unicodedata.category(token.raw[0]) == "Sc"


def _is_grouped(text: str, one: Token, other: Token) -> bool:
    """Whether a blank between two numbers parts thousands of one."""
    digits = one.norm.isdigit() and len(one.norm) <= 3 and re.match(r"\d{3}(?!\d)", other.norm)
    return bool(digits) and other.start - one.end == 1 and text[one.end] != "\n"


def says_same(one: str, other: str) -> bool:
    """Whether two texts are the same words by the table, both taken whole."""
    if one == other:
        return True
    source = [token for token in source_tokens(other) if not token.optional]
    asked = [token for token in source_tokens(one) if not token.optional]
    found = match(asked, source, 0)
    return found is not None and found[1] and len(found[0]) == len(source)


@lru_cache(maxsize=16384)
def folded(text: str) -> str:
    """A text in the one form by which it is compared as a whole, but for letter case: for keys."""
    return " ".join(token.norm for token in source_tokens(text) if not token.optional)
