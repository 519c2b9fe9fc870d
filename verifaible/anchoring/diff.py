"""Differences word by word, with numbers and units marked as such."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby
from typing import Literal, TypeAlias

from rapidfuzz.distance import Indel

from verifaible.schema.check import DiffToken
from verifaible.text.cldr import scale_words
from verifaible.text.normalise import Token, tokens

_Op: TypeAlias = Literal["same", "removed", "added"]
_Kind: TypeAlias = Literal["word", "number", "unit"]
#: Characters of unchanged text that a rendered difference shows on either side of a change.
_CONTEXT = 24
_ORDER = {"same": 0, "removed": 0, "added": 1}


def word_diff(old: str, new: str) -> tuple[DiffToken, ...]:
    """What turns ``old`` into ``new``, word by word; in scripts without blanks character by character.

    Words in other case or glyphs are the same word. Neighbours with the same operation and kind come as one
    token. ``old`` is usually the quote that was asked for, ``new`` what the page says; of unchanged words the
    text is that of ``new``.
    """
    before, after = tokens(old), tokens(new)
    parts: list[tuple[_Op, _Kind, str]] = []
    for code in Indel.opcodes([token.norm for token in before], [token.norm for token in after]):
        if code.tag == "equal":
            parts += _parts("same", new, after, code.dest_start, code.dest_end)
        else:
            parts += _parts("removed", old, before, code.src_start, code.src_end)
            parts += _parts("added", new, after, code.dest_start, code.dest_end)
    runs = [list(group) for _, group in groupby(parts, key=lambda part: part[0] == "same")]
    # Between two unchanged words, everything removed stands before everything added.
    ordered = [part for run in runs for part in sorted(run, key=lambda part: _ORDER[part[0]])]
    return tuple(_merged(ordered))


def _parts(op: _Op, text: str, found: list[Token], start: int, end: int) -> list[tuple[_Op, _Kind, str]]:
    """Tokens with the blanks before them."""
    parts: list[tuple[_Op, _Kind, str]] = []
    for place in range(start, end):
        token = found[place]
        behind = found[place - 1].end if place else 0
        kind: _Kind = "word" if op == "same" else _kind(found, place)
        parts.append((op, kind, text[min(behind, token.start) : token.end]))
    return parts


def _kind(found: list[Token], place: int) -> _Kind:
    token, before = found[place], found[place - 1] if place else None
    if token.kind == "digit" or token.norm.startswith("^"):
        return "number"
    if token.norm in "%‰‱°" or unicodedata.category(token.raw[0]) == "Sc" or token.norm in scale_words("en"):
        return "unit"
    counted = before is not None and before.kind == "digit" and token.kind == "letter"
    return "unit" if counted and len(token.norm) <= 3 else "word"


def _merged(parts: Iterable[tuple[_Op, _Kind, str]]) -> list[DiffToken]:
    """Neighbours of one kind as one token; blanks before a change belong to what stands before."""
    merged: list[tuple[_Op, _Kind, str]] = []
    for op, kind, text in parts:
        last = merged[-1] if merged else ("same", "word", "")
        if merged and last[:2] == (op, kind) and kind == "word":
            merged[-1] = (op, kind, last[2] + text)
        elif op == "same":
            merged.append((op, kind, text))
        else:
            bare = text.lstrip()
            if merged and last[0] == "same":
                merged[-1] = ("same", "word", last[2] + text[: len(text) - len(bare)])
            merged.append((op, kind, bare))
    return [DiffToken(op=op, text=text, kind=kind) for op, kind, text in merged]


def render_diff(difference: Iterable[DiffToken]) -> str:
    """One line for a reader: ``…末全国人口 [-140489-]{+140490+} 万人``.

    Unchanged text is shortened beside a change, with an ellipsis.
    """
    listed = list(difference)
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
