"""What calculations the words of a claim name: the result, and the words that describe each operand.

A plan is made only where the words say which calculation it is and what stands at which side of it. Nothing
is tried out: numbers that merely happen to fit are never looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from verifaible.anchoring.numerals import unit_kind
from verifaible.judge.rules import derive_patterns as p
from verifaible.judge.rules.derive_math import PERCENT, convertible
from verifaible.judge.rules.derive_words import DATE, RESULT, Value, Words

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


def may_derive(text: str) -> bool:
    """Whether a text has a word that may name a calculation; cheap, and true too often, not too seldom."""
    return bool(p.CUE.search(text))


def plans_of(words: Words) -> Iterator[Plan]:
    """Every calculation that the words of a claim name, the most explicit first."""
    about = [(words.about(result), result) for result in words.values]
    for marked, result in about:
        yield from _converted(marked, result)
    for marked, result in about:
        if result.percent or result.multiple or not _change_word(marked, result):
            yield from _written_out(marked, result)
        for plans in (_ratios, _compared, _changed, _gaps, _multiples, _counted, _lists, _part_of):
            yield from plans(marked, result)
        yield from _converted_alone(marked, result)


# --- parts


def _part(words: Words, *spans: Span, result: Value | None = None, relative: str = "") -> Part | None:
    """A part with the one value it states; None where it states several and does not say which counts."""
    kept = tuple((start, end) for start, end in spans if words.masked[start:end].strip(p.MARKS))
    inside = [v for start, end in kept for v in words.values_in(start, end) if v != result and not v.word]
    if len(inside) > 1:
        return None
    if not relative:
        text = " ".join(words.masked[start:end] for start, end in kept)
        relative = next((name for name, pattern in p.RELATIVE if pattern.search(text)), "")
    return Part(kept, inside[0] if inside else None, relative)


def _pair(
    words: Words, shape: Shape, result: Value, first: Span, second: Span, **more: int | bool
) -> Iterator[Plan]:
    x, y = _part(words, first, result=result), _part(words, second, result=result)
    if x and y and x.spans and y.spans:
        yield Plan(shape, result, (x, y), **more)  # type: ignore[arg-type]


def _is(words: Words, match: re.Match[str], result: Value) -> bool:
    return match.start("r") == result.start


# --- two operands with a pivot


def _way(match: re.Match[str]) -> int:
    groups = match.groupdict()
    return (
        1 if groups.get("up") or groups.get("zup") else -1 if groups.get("down") or groups.get("zdown") else 0
    )


def _compared(words: Words, result: Value) -> Iterator[Plan]:
    if result.multiple:
        return
    masked = words.masked
    starts = (0, *(match.end() for match in re.finditer(r"[,，(（]\s*", masked[: result.start])))
    if match := p.MORE_THAN.match(masked, result.end):
        noun = match.span("n") if match["n"] else (0, 0)
        for at in starts:
            x = _part(words, (at, _before(words, result)), noun, result=result)
            y = _part(words, match.span("y"), result=result)
            if x and y and y.spans and x.spans:
                yield Plan("change", result, (y, x), _way(match))
        yield from _cut_tail(words, result, match, (starts[0], _before(words, result)))
    for pattern in p.COMPARED:
        for at in starts:
            found = pattern.match(masked, at)
            if found and _is(words, found, result):
                yield from _pair(
                    words, "change", result, found.span("y"), found.span("x"), direction=_way(found)
                )
                break


def _before(words: Words, result: Value) -> int:
    """Where the words that lead up to a result end, without "about" and the like."""
    hedge = p.HEDGED.search(words.masked, max(0, result.start - 40), result.start)
    return hedge.start() if hedge else result.start


def _cut_tail(words: Words, result: Value, match: re.Match[str], lead: Span) -> Iterator[Plan]:
    """``R below its high of A, at B``: the other operand stands behind."""
    tail = re.search(rf",\s*(?:at|to|with|trading at)\s+(?P<b>{p.N})", words.masked[match.start("y") :])
    if not tail:
        return
    at = match.start("y")
    x = _part(words, lead, (at + tail.start("b"), at + tail.end("b")), result=result)
    y = _part(words, (at, at + tail.start()), result=result)
    if x and y and y.spans:
        yield Plan("change", result, (y, x), _way(match))


def _multiples(words: Words, result: Value) -> Iterator[Plan]:
    unit = result.amount.unit
    if not (result.multiple or unit in PERCENT):
        return
    if _change_word(words, result):
        return
    lead = (0, _before(words, result))
    for pattern in p.TIMES_AFTER:
        if behind := pattern.match(words.masked, result.end):
            noun = behind.span("n") if "n" in pattern.groupindex else (0, 0)
            x, y = _part(words, lead, noun, result=result), _part(words, behind.span("y"), result=result)
            if x and y and x.spans and y.spans:
                yield Plan("multiple", result, (x, y))
    for pattern in p.TIMES_OF:
        match = pattern.match(words.masked)
        if not match or not _is(words, match, result) or not match["x"].strip():
            continue
        yield from _pair(words, "multiple", result, match.span("x"), match.span("y"))


def _ratios(words: Words, result: Value) -> Iterator[Plan]:
    if "ratio" not in words.masked and "比" not in words.masked:
        return
    for pattern in p.RATIO_OF:
        match = pattern.search(words.masked)
        if match and _is(words, match, result):
            yield from _pair(words, "multiple", result, match.span("x"), match.span("y"))


def _gaps(words: Words, result: Value) -> Iterator[Plan]:
    if not p.GAP_WORD.search(words.masked):
        return
    for pattern in p.GAP:
        match = pattern.search(words.masked)
        if match and _is(words, match, result):
            yield from _pair(words, "gap", result, match.span("x"), match.span("y"))


# --- changes


def direction_at(words: Words, value: Value) -> int:
    """Which way the words beside a value say that something went: 1 up, -1 down, 0 neither."""
    return _change_word(words.about(value), value)


def _change_word(words: Words, result: Value) -> int:
    """Which way the words beside a result say that something went; 0 where they do not."""
    masked = p.NO_WAY.sub(lambda match: " " * len(match[0]), words.masked)
    before = p.DIRECTION_BEFORE.search(masked[max(0, result.start - 60) : result.start])
    if before:
        return _way(before)
    after = p.DIRECTION_AFTER.match(masked, result.end)
    return _way(after) if after else 0


def _changed(words: Words, result: Value) -> Iterator[Plan]:
    masked = words.masked
    if re.search(r"\bratio (?:of|is|was)\s*\Z", masked[: result.start]):
        yield from _unordered(words, result)
        return
    way = _change_word(words, result)
    if result.word and result.multiple:
        way = way or (1 if result.amount.value > 1 else -1)
    if not way and (found := p.ANY_CHANGE.search(p.NO_WAY.sub("", masked))):
        way = _way(found)
    levels = p.LEVELS if p.LEVEL_WORD.search(masked) else ()
    for pattern in levels:
        if not way and "between" in pattern.pattern:
            continue
        for match in pattern.finditer(masked):
            a, b = match.span("a"), match.span("b")
            if a[0] <= result.start < a[1]:
                continue
            if b[0] <= result.start < b[1]:
                if not re.match(f"(?:{p.N}|{DATE})", masked[b[0] : result.start]):
                    continue  # the result is itself the level
                b = (b[0], result.start)
            earlier, later = _part(words, a, result=result), _part(words, b, result=result)
            if earlier and later and earlier.spans and later.spans:
                yield Plan("change", result, (earlier, later), way)
    if not way:
        return
    yield from _from_only(words, result, way)
    yield from _relative(words, result, way)


def _unordered(words: Words, result: Value) -> Iterator[Plan]:
    """``from A to B, a ratio of R between the two``: the larger over the smaller."""
    for pattern in p.LEVELS:
        match = pattern.search(words.masked)
        if match:
            parts = [_part(words, match.span(name), result=result) for name in ("a", "b")]
            valued = [part for part in parts if part and part.value]
            if len(valued) == 2:
                valued.sort(key=lambda part: -part.value.amount.value if part.value else 0)
                yield Plan("multiple", result, tuple(valued))
                return


def _from_only(words: Words, result: Value, way: int) -> Iterator[Plan]:
    """``B, up R from A``; ``At B, X is down R from its high of A``."""
    match = p.FROM_ONLY.search(words.masked, result.end)
    if not match:
        return
    left = _part(words, (0, result.start), result=result)
    earlier = _part(words, match.span("a"), result=result)
    if left and earlier:
        yield Plan("change", result, (earlier, left), way)


def _relative(words: Words, result: Value, way: int) -> Iterator[Plan]:
    relative = next((name for name, pattern in p.RELATIVE if pattern.search(words.masked)), "")
    if not relative:
        return
    left = _part(words, (0, result.start), (result.end, len(words.masked)), result=result, relative="-")
    if left and left.spans:
        later = Part(left.spans, left.value)
        yield Plan("change", result, (Part((), None, relative), later), way)


# --- written-out calculations


def _written_out(words: Words, result: Value) -> Iterator[Plan]:
    masked = p.AROUND_VALUE.sub(lambda match: f" {match[1]} ", words.masked)
    for pattern, shape in p.BY_VERB:
        if match := pattern.search(masked):
            yield from _pair(words, shape, result, match.span("x"), match.span("y"), defines=True)
    for match in p.OPERATOR.finditer(masked):
        shape = next(name for name in ("product", "quotient", "minus") if match[name])
        x0 = max((m.end() for m in p.EDGE.finditer(masked, 0, match.start())), default=0)
        edge = p.EDGE.search(masked, match.end())
        y1 = edge.start() if edge else len(masked)
        first, second = (x0, match.start()), (match.end(), y1)
        if first[0] <= result.start < first[1]:
            first = (result.end, first[1])
        if second[0] <= result.start < second[1]:
            second = (second[0], result.start)
        x, y = _part(words, first, result=result), _part(words, second, result=result)
        if x and y and x.spans and y.spans:
            yield Plan(shape, result, (x, y), defines=True)


def _counted(words: Words, result: Value) -> Iterator[Plan]:
    """``A of B transfers failed (R)``; ``R of the B proposals passed (A)``."""
    if result.amount.unit != "%":
        return
    match = re.search(rf"(?P<a>{p.N}) (?:out )?of (?:the |all |a total of )?(?P<b>{p.N})", words.masked)
    if match and result.start not in (match.start("a"), match.start("b")):
        yield from _pair(words, "multiple", result, match.span("a"), match.span("b"), union=True)
    match = re.search(rf"{p.R} of (?:the |all )?(?P<b>{p.N})(?P<n>[^()]*)[(](?P<a>{p.N})[)]", words.masked)
    if match and _is(words, match, result):
        yield from _pair(words, "multiple", result, match.span("a"), match.span("b"), union=True)


def _part_of(words: Words, result: Value) -> Iterator[Plan]:
    """``18.5% of 1,000,000 tokens, or R``; ``with N tokens at $P, a market cap of R``."""
    for pattern in (*p.PART_OF, p.IMPLIED):
        match = pattern.search(words.masked)
        if not match:
            continue
        x, y = _part(words, match.span("x"), result=result), _part(words, match.span("y"), result=result)
        if x and y and x.value and y.value and (pattern is p.IMPLIED or x.value.percent):
            yield Plan("product", result, (x, y), defines=True)
    if match := p.AT_RATE.search(words.masked):
        x, y = _part(words, match.span("x"), result=result), _part(words, match.span("y"), result=result)
        if x and y and x.value and y.value and _rate(x.value, y.value, result):
            yield Plan("product", result, (x, y))
    if match := p.PER.search(words.masked):
        yield from _pair(words, "quotient", result, match.span("x"), match.span("y"), union=True)


def _rate(one: Value, other: Value, result: Value) -> bool:
    """Whether one value is money for each of what the other counts, and the result is that money."""
    units = [one.amount.unit, other.amount.unit]
    kinds = sorted(unit_kind(unit) for unit in units)
    return (
        kinds in (["", "money"], ["count", "money"])
        and result.amount.unit in units
        and unit_kind(result.amount.unit) == "money"
    )


# --- sums and averages


def _lists(words: Words, result: Value) -> Iterator[Plan]:
    masked = words.masked
    mean = p.MEAN.search(masked)
    if not mean and not p.PLUS.search(masked) and not p.LISTED.search(masked) and not p.GIVES.search(masked):
        return
    if result.multiple:
        return
    if added := p.ADDING.search(masked):
        both = [_part(words, added.span(name), result=result) for name in ("x", "y")]
        if all(both):
            yield Plan("list", result, tuple(part for part in both if part))
        return
    spans = _bracketed(words) or _items(words, result)
    parts = [_part(words, span, result=result) for span in spans]
    kept = [part for part in parts if part and part.spans]
    if len(kept) == len(parts) and len(kept) >= 1:
        yield Plan("mean" if mean else "list", result, tuple(kept))


def _bracketed(words: Words) -> list[Span]:
    """The items of a list with values that stands in brackets or behind a colon."""
    for match in p.IN_BRACKETS.finditer(words.masked):
        group = 1 if match[1] else 2
        if len(re.findall(p.N, match[group])) < 2 or re.search(RESULT, match[group]):
            continue
        return _split(words, *match.span(group))
    return []


def _items(words: Words, result: Value) -> list[Span]:
    """The listed items of a claim; the ranges before and behind a result are split alike."""
    before, after = _split(words, 0, result.start), _split(words, result.end, len(words.masked))
    return before if len(before) >= 2 else [*before, *after]


def _split(words: Words, start: int, end: int) -> list[Span]:
    spans, at = [], start
    for match in p.SPLIT.finditer(words.masked, start, end):
        spans.append((at, match.start()))
        at = match.end()
    spans.append((at, end))
    return [(a, b) for a, b in spans if words.masked[a:b].strip(p.MARKS)]


# --- conversions


def _converted(words: Words, result: Value) -> Iterator[Plan]:
    """``168 hours (R)``, ``R, i.e. 45 minutes``."""
    if not convertible(result.amount.unit):
        return
    for other in words.values:
        if other is result or other.amount.unit == result.amount.unit or not convertible(other.amount.unit):
            continue
        first, second = sorted((other, result), key=lambda value: value.start)
        if p.EQUIVALENT.fullmatch(words.masked, first.end, second.start):
            spans = ((0, first.start), (other.start, other.end), (second.end, len(words.masked)))
            yield Plan("convert", result, (Part(spans, other),))


def _converted_alone(words: Words, result: Value) -> Iterator[Plan]:
    if len(words.values) != 1 or not convertible(result.amount.unit):
        return
    if result.amount.unit not in PERCENT:
        yield Plan("convert", result, (Part(((0, result.start), (result.end, len(words.masked)))),))
