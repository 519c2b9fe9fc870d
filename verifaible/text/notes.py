"""Footnote marks in running text."""

from __future__ import annotations

import re

#: Raised letters that fold to their letter: marks of footnotes, and the ends of ordinals.
RAISED_LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷʸᶻ"
_SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
# No look-behind and no case folding here: the search for the first character is ten times as fast.
_BRACKET_MARK = re.compile(r"[\[［〔](?:\d{1,3}|[a-zA-Z]|(?:[nN][oO][tT][eE]|注|註)\s?\d{0,3})[\]］〕]")
_RAISED = re.compile(f"[{_SUPERSCRIPT_DIGITS}{RAISED_LETTERS}]")
_SUPERSCRIPT_MARK = re.compile(rf"[{_SUPERSCRIPT_DIGITS}]+(?:[,，][{_SUPERSCRIPT_DIGITS}]+)*")
#: Words whose superscript is an exponent; any run of up to three letters is taken for a unit too.
_UNIT_WORD = re.compile(
    r"(?:(?<![^\W\d_])[^\W\d_]{1,3}|(?:met(?:er|re)|inch|feet|foot|yard|mile)s?|米|尺|里)\Z", re.IGNORECASE
)
#: Raised letters are marks, but for n and x, which are exponents.
_LETTER_MARK = re.compile(rf"[{RAISED_LETTERS}](?:[,，][{RAISED_LETTERS}])*(?![^\W\d_])")
#: Nobody raises a year, or a number whose thousands are parted, to a power.
_NO_BASE = re.compile(r"(?<![\d.,])(?:(?:19|20)\d\d|\d{1,3}(?:,\d{3})+)\Z")
#: What units are raised to; no other figure behind a word is an exponent.
_EXPONENTS = ("²", "³", "⁴")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def footnote_marks(text: str) -> list[tuple[int, int]]:
    """Spans of footnote marks: superscript digits, single superscript letters, and bracketed numbers.

    Superscript digits after a digit or a unit are exponents and are no footnotes: "10²", "km²"; after a
    year, or thousands that are parted, they are.
    """
    marks = [match.span() for match in _BRACKET_MARK.finditer(text) if _follows(text, match)]
    if not _RAISED.search(text):
        return marks
    marks += [
        match.span()
        for match in _LETTER_MARK.finditer(text)
        if _follows(text, match) and text[match.start() - 1] not in RAISED_LETTERS
    ]
    for match in _SUPERSCRIPT_MARK.finditer(text):
        if not _follows(text, match):
            continue
        before = text[max(0, match.start() - 16) : match.start()]
        last = before[-1]
        exponent_of_bracket = last in ")）" and match.group() in "²³"
        if (last.isdigit() and not _NO_BASE.search(before)) or exponent_of_bracket or last in "⁻⁺":
            continue
        # A short run of letters is a unit, unless its script has no blanks between words.
        unit = match.group() in _EXPONENTS and _UNIT_WORD.search(before)
        if unit and not (_CJK.match(last) and last not in "米尺里"):
            continue
        marks.append(match.span())
    return sorted(marks)


def _follows(text: str, match: re.Match[str]) -> bool:
    """Whether something stands right before a mark."""
    return match.start() > 0 and not text[match.start() - 1].isspace()
