"""Edits of a quote: those after which it is not the page's words any more, and those that change nothing."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

_Edit: TypeAlias = Callable[[str, random.Random, str], str | None]

_HOMOGLYPHS: Final = str.maketrans("aceopxyABEHKMOPTX", "асеорхуАВЕНКМОРТХ")
#: Each unit becomes the one behind it, the last one the first.
_UNITS: Final = (
    ("$", "€", "£"), ("%", "‰"), ("million", "billion"), ("km", "mi"), ("kg", "g"), ("GB", "MB"),
    ("px", "em"), ("minutes", "hours", "days", "weeks", "months", "years"), ("Euro", "Dollar"),
    ("年", "月"), ("元", "円"),
)  # fmt: skip
#: The plainest negation of each language, and how it is taken out.
NEGATIONS: Final = {
    "en": "not",
    "de": "nicht",
    "fr": "pas",
    "es": "no",
    "pt": "não",
    "it": "non",
    "nl": "niet",
    "zh": "不",
}
_NEGATED: Final = re.compile(r"(?<=\w)n['’]t\b|\s(?:not|never|no|nicht|kein|keine|pas|niet)\b|[不没沒未]")
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")
_SPACELESS: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def put_in(text: str, match: re.Match[str] | None, new: str) -> str | None:
    """The text with what was matched exchanged, or None."""
    return text[: match.start()] + new + text[match.end() :] if match else None


def _one(pattern: str, quote: str, chance: random.Random) -> re.Match[str] | None:
    found = list(re.finditer(pattern, quote))
    return chance.choice(found) if found else None


def digit(quote: str, chance: random.Random, _: str = "") -> str | None:
    """One digit changed."""
    match = _one("[0-9]", quote, chance)
    return put_in(quote, match, str((int(match.group()) + chance.randint(1, 8)) % 10)) if match else None


def _unit(quote: str, chance: random.Random, _: str) -> str | None:
    for units in chance.sample(_UNITS, len(_UNITS)):
        for old, new in zip(units, units[1:] + units[:1], strict=True):
            pattern = rf"\b{old}\b" if old.isascii() and old.isalpha() else re.escape(old)
            if re.search(pattern, quote):
                return re.sub(pattern, new, quote, count=1)
    return None


def _sign(quote: str, chance: random.Random, _: str) -> str | None:
    match = _one(r"(?<![\w.,:/\-–])(?=\d)", quote, chance)
    return put_in(quote, match, "-") if match else None


def _number_cut(quote: str, chance: random.Random, _: str) -> str | None:
    found = [m for m in re.finditer(r"\d(?=[\d.,]*\d)", quote) if m.end() >= 12]
    return quote[: chance.choice(found).end()] if found else None


def _case(quote: str, chance: random.Random, _: str) -> str | None:
    found = [m for m in _LETTERS.finditer(quote) if m.start() > 2 and m.group()[0].swapcase() != m.group()[0]]
    word = chance.choice(found) if found else None
    return put_in(quote, word, word.group()[0].swapcase() + word.group()[1:]) if word else None


def _negation_out(quote: str, chance: random.Random, _: str) -> str | None:
    return put_in(quote, _NEGATED.search(quote), "")


def _negation_in(quote: str, chance: random.Random, language: str) -> str | None:
    word = NEGATIONS.get(language)
    if not word:
        return None
    if language == "zh":
        middle = len(quote) // 2
        return quote[:middle] + word + quote[middle:]
    match = _one(r"(?<=\w) (?=\w)", quote, chance)
    return put_in(quote, match, f" {word} ")


def _word_cut(quote: str, chance: random.Random, _: str) -> str | None:
    if _SPACELESS.search(quote):
        return None
    last = list(_LETTERS.finditer(quote))[-1:]
    return quote[: last[0].end() - 1] if last and last[0].start() > 8 else None


def _beginning_cut(quote: str, chance: random.Random, _: str) -> str | None:
    first = _LETTERS.search(quote)
    return quote[first.start() + 1 :] if first and not _SPACELESS.search(quote) else None


def _swapped(quote: str, chance: random.Random, _: str) -> str | None:
    found = [
        m for m in re.finditer(r"(?<!\S)(?=(\w+) (\w+)(?!\w))", quote) if m[1].casefold() != m[2].casefold()
    ]
    if not found:
        return None
    m = chance.choice(found)
    return quote[: m.start()] + f"{m[2]} {m[1]}" + quote[m.end(2) :]


def _homoglyph(quote: str, chance: random.Random, _: str) -> str | None:
    found = [at for at, char in enumerate(quote) if char.translate(_HOMOGLYPHS) != char]
    at = chance.choice(found) if found else -1
    return quote[:at] + quote[at].translate(_HOMOGLYPHS) + quote[at + 1 :] if found else None


def _mark_out(quote: str, chance: random.Random, _: str) -> str | None:
    return put_in(quote, _one(r"(?<=[^\W\d_])['’\-‐](?=[^\W\d_])", quote, chance), "")


def _compound(quote: str, chance: random.Random, _: str) -> str | None:
    match = re.search(r"(?<=[^\W\d_])[\-‐](?=[^\W\d_])", quote)
    return quote[match.end() :] if match and len(quote) - match.end() > 12 else None


def _accent(quote: str, chance: random.Random, _: str) -> str | None:
    match = _one("[aeou](?=[a-z])", quote, chance)
    return put_in(quote, match, match.group() + "\u0301") if match else None


def _left_out(quote: str, chance: random.Random, _: str) -> str | None:
    return put_in(quote, _one(r"(?<=\w) \w+(?= \w)", quote, chance), "")


def _repeated(quote: str, chance: random.Random, _: str) -> str | None:
    match = _one(r"(?<!\S)\w+ (?=\w)", quote, chance)
    return put_in(quote, match, match.group() * 2) if match else None


REFUSED: Final[dict[str, _Edit]] = {
    "a digit changed": digit,
    "unit or currency exchanged": _unit,
    "sign put in": _sign,
    "number cut": _number_cut,
    "letter case inside": _case,
    "negation taken out": _negation_out,
    "negation put in": _negation_in,
    "last word cut": _word_cut,
    "first word cut": _beginning_cut,
    "words in another order": _swapped,
    "look-alike letter": _homoglyph,
    "apostrophe or hyphen left out": _mark_out,
    "part of a compound": _compound,
    "accent put on": _accent,
    "word left out": _left_out,
    "word said twice": _repeated,
}


def _spaces(quote: str, chance: random.Random, _: str) -> str | None:
    return quote.replace(" ", "\n  ", 2) if " " in quote else None


def _glyphs(quote: str, chance: random.Random, _: str) -> str | None:
    table = str.maketrans("“”‘’\"'", "\"\"''“’")
    return quote.translate(table)


def _no_break(quote: str, chance: random.Random, _: str) -> str | None:
    return quote.replace(" ", "\u00a0", 3)


def _soft_hyphen(quote: str, chance: random.Random, _: str) -> str | None:
    match = _one(r"(?<=[^\W\d_]{2})(?=[^\W\d_]{2})", quote, chance)
    return put_in(quote, match, "\u00ad")


def _first_letter(quote: str, chance: random.Random, _: str) -> str | None:
    return quote[0].swapcase() + quote[1:] if quote[0].isalpha() and len(quote[0].swapcase()) == 1 else None


def _decomposed(quote: str, chance: random.Random, _: str) -> str | None:
    return unicodedata.normalize("NFD", quote)


ALLOWED: Final[dict[str, _Edit]] = {
    "white space": _spaces,
    "glyphs of quotation marks": _glyphs,
    "no-break space": _no_break,
    "soft hyphen": _soft_hyphen,
    "first letter's case": _first_letter,
    "decomposed letters": _decomposed,
}
JOINED: Final = "tail of another sentence"


def edits(
    quote: str, other: str, page: str, chance: random.Random, language: str
) -> Iterator[tuple[str, str, bool]]:
    """Kind, edited quote, and whether it must be accepted.

    Args:
        quote: the page's words.
        other: a sentence of another block.
        page: all words of the page as :func:`squeeze` has them: what stands there itself is no edit.
        chance: what chooses.
        language: primary subtag of the page.
    """
    for kind, edit in REFUSED.items():
        edited = edit(quote, chance, language)
        # Who cuts a quote leaves a part of it, which stands where it stood.
        if (
            edited
            and edited != quote
            and (edited in quote or squeeze(edited) not in page or kind == "letter case inside")
        ):
            yield kind, edited, False
    tail = other.split()[-3:]
    if len(tail) == 3 and len(quote.split()) > 5:
        joined = " ".join([*quote.split()[:-2], *tail])
        if squeeze(joined) not in page:
            yield JOINED, joined, False
    for kind, edit in ALLOWED.items():
        edited = edit(quote, chance, language)
        if edited and edited != quote:
            yield kind, edited, True


def squeeze(text: str) -> str:
    """A text without white space, in small letters."""
    return "".join(text.split()).casefold()
