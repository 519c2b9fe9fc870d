"""Differences word by word, with the words that change a meaning marked as such."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

from rapidfuzz.distance import Indel

from verifaible.old.anchoring.date_words import ENGLISH_MONTH
from verifaible.old.anchoring.fold import fold
from verifaible.old.text.languages import UNSPACED
from verifaible.schema.check import DiffToken

Kind: TypeAlias = Literal["word", "number", "date", "unit", "negation"]
Op: TypeAlias = Literal["same", "removed", "added"]
_Part: TypeAlias = tuple[Op, Kind, str]

_MONTH = rf"(?:{ENGLISH_MONTH})\b\.?"
_DATE = (
    r"\d{2,4}\s?年(?:\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号])?)?|\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号])?"
    r"|\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{4}"
    rf"|\b{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?|\b\d{{1,2}}\s{_MONTH}(?:,?\s\d{{4}}\b)?"
    rf"|\b{_MONTH}\s\d{{4}}\b"
)
_NUMBER = (
    r"(?<![A-Za-z])[+\-−－±]?\d+(?:[.,．，'’:/\u00a0\u2009\u202f]\d+)*[⁰¹²³⁴-⁹]*"
    r"|[½¼¾⅓⅔⅛]|[一二三四五六七八九十百千〇零两]+(?=[万亿个名家人年月日元%])"
)
_UNIT = (
    r"[%％‰‱$€£¥￥₩]|个?百分点|[万百千]?亿(?:美元|元)?|万(?:美元|元|人|亿)?|美元|人民币|[千公]米|公斤|平方(?:公里|千?米)"
    r"|(?<=\d)[元吨米克人家户倍岁]|兆|억|만|조|원|円"
    r"|\b(?:thousand|million|billion|trillion|bn|mn|tn|per\s?cent|percent(?:age points?)?|basis points?|bps?"
    r"|usd|eur|gbp|rmb|cny|jpy|kg|km|cm|mm|mg|[mgkt]?wh?|tonnes?|tons?|pounds?|lbs?|dollars?|euros?|yuan"
    r"|miles?|met(?:er|re)s?|hectares?|barrels?|(?:kilo)?grams?|°[cf])\b[²³]?"
)
_NEGATION = (
    r"(?:\b(?:not|no|never|cannot|neither|nor|none|without|nicht|kein(?:e[nmrs]?)?|non)\b|\b\w+n['’]t\b)"
    r"|没有|沒有|并非|並非|绝非|不是|不会|不能|不得|尚未|从未|未能|无法|不|未|没|沒|无|無|非"
    r"|ません|ない|なかった|않\w?|못"
)
_TOKEN = re.compile(
    rf"(?P<date>{_DATE})|(?P<negation>{_NEGATION})|(?P<number>{_NUMBER})|(?P<unit>{_UNIT})"
    rf"|(?P<word>[^\W\d_{UNSPACED}][\w'’{UNSPACED}]*?(?=[{UNSPACED}]|[^\w'’]|\Z)|.)",
    re.IGNORECASE | re.DOTALL,
)
#: Characters of unchanged text that a rendered difference shows on either side of a change.
_CONTEXT = 24


def _kind(match: re.Match[str]) -> Kind:
    kinds: tuple[Kind, ...] = ("date", "negation", "number", "unit")
    return next((kind for kind in kinds if match.lastgroup == kind), "word")


def _tokens(text: str) -> list[tuple[str, Kind, str]]:
    """Every token as (what it folds to, its kind, its text with the blanks before it)."""
    found: list[tuple[str, Kind, str]] = []
    blanks = ""
    for match in _TOKEN.finditer(text):
        if match.group().isspace():
            blanks += match.group()
            continue
        found.append((fold(match.group()).text, _kind(match), blanks + match.group()))
        blanks = ""
    return [token for token in found if token[0]]


def word_diff(old: str, new: str) -> tuple[DiffToken, ...]:
    """What turns ``old`` into ``new``, word by word (CJK: by character; numbers and dates whole).

    Words that fold alike are the same word. Neighbours with the same operation and kind come as
    one token. ``old`` is usually the quote that was asked for, ``new`` what the page says; of
    unchanged words the text is that of ``new``.
    """
    before, after = _tokens(old), _tokens(new)
    parts: list[_Part] = []
    opcodes = Indel.opcodes([token[0] for token in before], [token[0] for token in after])
    for opcode in opcodes:
        start, end, new_start, new_end = opcode.src_start, opcode.src_end, opcode.dest_start, opcode.dest_end
        if opcode.tag == "equal":
            parts += [("same", "word", text) for _, _, text in after[new_start:new_end]]
        else:
            parts += [("removed", kind, text) for _, kind, text in before[start:end]]
            parts += [("added", kind, text) for _, kind, text in after[new_start:new_end]]
    return tuple(_merged(_paired(parts)))


def _paired(parts: list[_Part]) -> list[_Part]:
    """Between two unchanged words, everything removed before everything added."""
    ordered: list[_Part] = []
    removed: list[_Part] = []
    added: list[_Part] = []
    for part in parts:
        if part[0] == "same":
            ordered += [*removed, *added, part]
            removed, added = [], []
        else:
            (removed if part[0] == "removed" else added).append(part)
    return [*ordered, *removed, *added]


def _merged(parts: Iterable[_Part]) -> list[DiffToken]:
    """Neighbours of one kind as one token; blanks before a change belong to what stands before."""
    merged: list[_Part] = []
    for op, kind, text in parts:
        last = merged[-1] if merged else ("same", "word", "")
        if merged and last[0] == op and last[1] == kind and kind in ("word", "negation"):
            merged[-1] = (op, kind, last[2] + text)
        elif op == "same":
            merged.append((op, kind, text))
        else:
            bare = text.lstrip()
            if merged and last[0] == "same":
                merged[-1] = ("same", "word", last[2] + text[: len(text) - len(bare)])
            merged.append((op, kind, bare))
    return [DiffToken(op=op, text=text, kind=kind) for op, kind, text in merged]


def render_diff(tokens: Iterable[DiffToken]) -> str:
    """One line for a reader: ``…末全国人口 [-140489-]{+140490+} 万人``.

    Unchanged text is shortened beside a change, with an ellipsis.
    """
    listed = list(tokens)
    changes = [index for index, token in enumerate(listed) if token.op != "same"]
    if not changes:
        return ""
    parts: list[str] = []
    for index, token in enumerate(listed):
        text = re.sub(r"\s+", " ", token.text)
        if token.op == "same":
            text = _shortened(text, first=index < changes[0], last=index > changes[-1])
        else:
            text = f"[-{text}-]" if token.op == "removed" else f"{{+{text}+}}"
        parts.append(text)
    return "".join(parts).strip()


def _shortened(text: str, *, first: bool, last: bool) -> str:
    if len(text) <= (_CONTEXT if first or last else 2 * _CONTEXT):
        return text
    return ("" if first else text[:_CONTEXT]) + "…" + ("" if last and not first else text[-_CONTEXT:])
