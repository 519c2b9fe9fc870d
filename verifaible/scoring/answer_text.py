"""An answer as its reader sees it: without thinking and mark-up, with a map to the original."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from verifaible.text.markdown import THOUGHT, Plain

#: What a reader of the answer does not see, or sees struck out: comments of HTML and Markdown, hidden
#: elements, alternative texts, attributes.
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|^[ \t]*\[[^\]\n]*\]:[ \t]*(?:#|<>)[^\n]*$"
    r"|~~(?=\S)(?:[^~\n]|~(?!~)){1,400}~~"
    r"|<(?P<struck>s|del|strike)\b[^<>]*>.*?(?:</(?P=struck)>|\Z)"
    r"|<(?P<tag>[a-z][a-z0-9]*)(?=\s(?:[^<>]{0,400}[\s\"';])?(?:hidden\b|display\s*:\s*none"
    r"|visibility\s*:\s*hidden))[^<>]*>.*?(?:</(?P=tag)>|\Z)"
    r"|!\[[^\[\]\n]*\]\([^()\n]*\)"
    r"|<[a-z][a-z0-9]*\s[^<>=]*=[^<>]*>"
    r"|\\h?phantom\{[^{}]*\}",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_DROPPED = re.compile(
    r"[\u200b-\u200f\u2060\ufeff\u00ad\u061c\u202a-\u202e\u2066-\u2069]"
    r"|</?(?:b|i|u|em|strong|mark|code|span|font)(?:\s[^<>]*)?>"
    r"|\\(?=[%$#&_*.-])|`+"
    r"|(?<!\d)(?:\*+|__+|~~)|(?:\*+|__+|~~)(?!\d)"
    r"|(?<![A-Za-z0-9_])_(?=\S)|(?<=\S)_(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
#: Inline or display mathematics, by the rule of pandoc's tex_math_dollars: no blank inside the
#: dollars, no digit behind them; "US$5" and "$5 and $6" are money.
_MATH = re.compile(r"(?<![\\$A-Za-z])(\$\$?)(?=[^\s$])[^$\n]{1,60}(?<=[^\s\\])\1(?![\d$])")
_GROUPING = re.compile(r"(?<=\d)(?:\{,\}|\\,)(?=\d{3})")
_CLEANING = (
    (THOUGHT, "\n"),
    (_UNSEEN, "\n"),
    (_GROUPING, ","),
    (_DROPPED, ""),
)


@dataclass(frozen=True, slots=True)
class Readable(Plain):
    """A readable text; only what stands ``within`` that stretch is stated, the rest says how it is meant."""

    within: tuple[int, int] | None = None

    def states(self, start: int, end: int) -> bool:
        """Whether ``text[start:end]`` is a part of what is stated."""
        return self.within is None or (self.within[0] <= start and end <= self.within[1])

    def masked(self, start: int, end: int) -> Readable:
        """The same with a stretch replaced by line ends, so that nothing is read in it."""
        return Readable(self.text[:start] + "\n" * (end - start) + self.text[end:], self.offsets)


def readable(answer: str) -> Readable:
    """Strip what is not the answer.

    ``<think>`` parts are not part of it (a closing tag alone ends one that began before the
    text did), nor are comments, hidden or struck-out parts, alternative texts and attributes;
    emphasis, code ticks, inline tags, escapes and zero-width characters are
    transparent, as are marks of direction and the dollars around LaTeX mathematics (``$61$``). LaTeX grouping
    (``7{,}242``) becomes a comma.
    """
    chars = list(answer)
    for match in _MATH.finditer(answer):
        width = len(match[1])
        for start in (match.start(), match.end() - width):
            chars[start : start + width] = [""] * width
    for pattern, replacement in _CLEANING:
        # later patterns must see what the earlier ones left, at unchanged offsets
        for start, end in _spans(pattern, "".join(char or "\0" for char in chars)):
            chars[start:end] = [replacement, *[""] * (end - start - 1)]
    kept = [(char, offset) for offset, char in enumerate(chars) if char]
    return Readable("".join(char for char, _ in kept), tuple(offset for _, offset in kept))


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text):
        if match.end() > match.start():
            yield match.span()


_SEPARATOR = re.compile(r"[\s,;:!?'\"\-—…·()，。；：！？、《》「」]+|\.(?!\d)")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_GAP = r"[\s,;:!?.'\"\-—…·()，。；：！？、《》「」]"


def phrase_pattern(flat: str) -> re.Pattern[str]:
    """A pattern that finds a flattened phrase whatever its blanks, case and punctuation.

    Latin words keep their boundaries (``Bowman`` is in ``Bowman's``, not in ``Bowmans``);
    blanks may stand between Chinese characters.
    """
    words = [word for word in _SEPARATOR.split(flat) if word] or [flat.strip()]
    parts = [_word_pattern(words[0])]
    for before, word in pairwise(words):
        latin = not _CJK.match(before[-1]) and not _CJK.match(word[0])
        parts.append(f"{_GAP}{{1,6}}" if latin else f"{_GAP}{{0,6}}")
        parts.append(_word_pattern(word))
    left = r"(?<![A-Za-z0-9_])(?<!\d[.,])" if re.match(r"[^\W_]", words[0], re.ASCII) else ""
    right = r"(?![A-Za-z0-9_]|[.,]\d)" if re.search(r"[^\W_]\Z", words[-1], re.ASCII) else ""
    return re.compile(left + "".join(parts) + right, re.IGNORECASE)


def _word_pattern(word: str) -> str:
    pieces: list[str] = []
    for index, char in enumerate(word):
        if index and (_CJK.match(char) or _CJK.match(word[index - 1])):
            pieces.append(r"\s*")
        pieces.append(re.escape(char))
    return "".join(pieces)
