"""Plans of calculations: the result, and the words that describe each operand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from verifaible.judge.rules import derive_patterns as p
from verifaible.judge.rules.derive_words import Value, Words

#: ``change`` (earlier, later), ``multiple`` (numerator, denominator), ``gap`` (either way round);
#: ``quotient``, ``product`` and ``minus`` are written out; ``list`` is a sum, ``mean`` an average.
Shape: TypeAlias = Literal[
    "change", "multiple", "gap", "quotient", "product", "minus", "list", "mean", "convert"
]
Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """The words that describe one operand: ranges of the claim, and the value it states for it, if any.

    ``relative`` is ``year`` or ``quarter`` (``week``, ``month``) where it is described as that much before
    the other operand.
    """

    spans: tuple[Span, ...]
    value: Value | None = None
    relative: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A calculation that a claim names.

    Attributes:
        shape: what is calculated.
        result: the value that must come out.
        parts: the operands, in the order that the shape wants.
        direction: 1 where the words say that it rose or is more, -1 where less, 0 where they say neither.
        union: whether words outside the operands may go with one of them only (``A of B proposals passed``).
        defines: whether words outside the operands may name the result (``operating margin (a / b)``).
    """

    shape: Shape
    result: Value
    parts: tuple[Part, ...]
    direction: int = 0
    defines: bool = False
    union: bool = False


def part_of(words: Words, *spans: Span, result: Value | None = None, relative: str = "") -> Part | None:
    """A part with the one value it states; None where it states several and does not say which counts."""
    kept = tuple((start, end) for start, end in spans if words.masked[start:end].strip(p.MARKS))
    inside = [v for start, end in kept for v in words.values_in(start, end) if v != result and not v.word]
    if len(inside) > 1:
        return None
    if not relative:
        text = " ".join(words.masked[start:end] for start, end in kept)
        relative = next((name for name, pattern in p.RELATIVE if pattern.search(text)), "")
    return Part(kept, inside[0] if inside else None, relative)


def pair(
    words: Words, shape: Shape, result: Value, first: Span, second: Span, **more: int | bool
) -> Iterator[Plan]:
    """A plan of two parts, where each states one value at most."""
    x, y = part_of(words, first, result=result), part_of(words, second, result=result)
    if x and y and x.spans and y.spans:
        yield Plan(shape, result, (x, y), **more)  # type: ignore[arg-type]


def is_result(words: Words, match: re.Match[str], result: Value) -> bool:
    """Whether what a pattern took for the result is the value asked about."""
    return match.start("r") == result.start
