"""Plans for calculations that are written out, for counted parts, sums, averages and conversions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from verifaible.judge.rules import derive_patterns as p
from verifaible.judge.rules.derive_math import PERCENT
from verifaible.judge.rules.derive_plans import Part, Plan, Span, is_result, pair, part_of
from verifaible.judge.rules.derive_words import RESULT, Value, Words
from verifaible.text.dimensions import convertible
from verifaible.text.units import unit_kind


def written_out(words: Words, result: Value) -> Iterator[Plan]:
    """``A × B``, ``A divided by B``, ``A minus B``, by sign, word or verb."""
    masked = p.AROUND_VALUE.sub(lambda match: f" {match[1]} ", words.masked)
    for pattern, shape in p.BY_VERB:
        if match := pattern.search(masked):
            yield from pair(words, shape, result, match.span("x"), match.span("y"), defines=True)
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
        x, y = part_of(words, first, result=result), part_of(words, second, result=result)
        if x and y and x.spans and y.spans:
            yield Plan(shape, result, (x, y), defines=True)


def counted(words: Words, result: Value) -> Iterator[Plan]:
    """``A of B transfers failed (R)``; ``R of the B proposals passed (A)``."""
    if result.amount.unit != "%":
        return
    match = re.search(rf"(?P<a>{p.N}) (?:out )?of (?:the |all |a total of )?(?P<b>{p.N})", words.masked)
    if match and result.start not in (match.start("a"), match.start("b")):
        yield from pair(words, "multiple", result, match.span("a"), match.span("b"), union=True)
    match = re.search(
        rf"(?P<a>{p.N}(?: [a-z]+){{0,3}}) out of (?:the |all |a total of )?(?P<b>{p.N})", words.masked
    )
    if match and result.start not in (match.start("a"), match.start("b")):
        spans = match.span("a"), match.span("b")
        yield from pair(words, "multiple", result, *spans, union=True, defines=True)
    match = re.search(rf"{p.R} of (?:the |all )?(?P<b>{p.N})(?P<n>[^()]*)[(](?P<a>{p.N})[)]", words.masked)
    if match and is_result(words, match, result):
        yield from pair(words, "multiple", result, match.span("a"), match.span("b"), union=True)


def parts_of_value(words: Words, result: Value) -> Iterator[Plan]:
    """``18.5% of 1,000,000 tokens, or R``; ``with N tokens at $P, a market cap of R``."""
    for pattern in (*p.PART_OF, p.IMPLIED):
        match = pattern.search(words.masked)
        if not match:
            continue
        x, y = part_of(words, match.span("x"), result=result), part_of(words, match.span("y"), result=result)
        if x and y and x.value and y.value and (pattern is p.IMPLIED or x.value.percent):
            yield Plan("product", result, (x, y), defines=True)
    if match := p.AT_RATE.search(words.masked):
        x, y = part_of(words, match.span("x"), result=result), part_of(words, match.span("y"), result=result)
        if x and y and x.value and y.value and _rate(x.value, y.value, result):
            yield Plan("product", result, (x, y))
    if match := p.PER.search(words.masked):
        yield from pair(words, "quotient", result, match.span("x"), match.span("y"), union=True)


def _rate(one: Value, other: Value, result: Value) -> bool:
    """Whether one value is money for each of what the other counts, and the result is that money."""
    units = [one.amount.unit, other.amount.unit]
    kinds = sorted(unit_kind(unit) for unit in units)
    return (
        kinds in (["", "money"], ["count", "money"])
        and result.amount.unit in units
        and unit_kind(result.amount.unit) == "money"
    )


def lists(words: Words, result: Value) -> Iterator[Plan]:
    """A sum or an average of what is listed."""
    masked = words.masked
    mean = p.MEAN.search(masked)
    if not mean and not p.PLUS.search(masked) and not p.LISTED.search(masked) and not p.GIVES.search(masked):
        return
    if result.multiple:
        return
    if added := p.ADDING.search(masked):
        both = [part_of(words, added.span(name), result=result) for name in ("x", "y")]
        if all(both):
            yield Plan("list", result, tuple(part for part in both if part))
        return
    spans = _bracketed(words) or _items(words, result)
    parts = [part_of(words, span, result=result) for span in spans]
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


def converted(words: Words, result: Value) -> Iterator[Plan]:
    """``168 hours (R)``, ``R, i.e. 45 minutes``."""
    money = unit_kind(result.amount.unit) == "money"
    if not convertible(result.amount.unit) and not money:
        return
    for other in words.values:
        if other is result or not (
            other.amount.unit == result.amount.unit if money else convertible(other.amount.unit)
        ):
            continue
        if other.amount.unit == result.amount.unit and _unit_words(words, other) == _unit_words(
            words, result
        ):
            continue
        first, second = sorted((other, result), key=lambda value: value.start)
        if p.EQUIVALENT.fullmatch(words.masked, first.end, second.start):
            spans = ((0, first.start), (other.start, other.end), (second.end, len(words.masked)))
            yield Plan("convert", result, (Part(spans, other),))


def _unit_words(words: Words, value: Value) -> str:
    """The unit as it is written: 12.8 GWh and 12,800 MWh are one unit with two names."""
    return words.text[value.start : value.end].lstrip("0123456789., ~≈约")


def converted_alone(words: Words, result: Value) -> Iterator[Plan]:
    """A value in another unit than its source's."""
    if len(words.values) != 1 or not convertible(result.amount.unit):
        return
    if result.amount.unit not in PERCENT:
        yield Plan("convert", result, (Part(((0, result.start), (result.end, len(words.masked)))),))
