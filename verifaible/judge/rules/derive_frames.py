"""What calculations the words of a claim name: the result, and the words that describe each operand.

A plan is made only where the words say which calculation it is and what stands at which side of it. Nothing
is tried out: numbers that merely happen to fit are never looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from verifaible.judge.rules import derive_patterns as p
from verifaible.judge.rules.derive_math import PERCENT
from verifaible.judge.rules.derive_plans import Part, Plan, Span, is_result, pair, part_of
from verifaible.judge.rules.derive_words import DATE, Value, Words
from verifaible.judge.rules.derive_written import (
    converted,
    converted_alone,
    counted,
    lists,
    parts_of_value,
    written_out,
)


def may_derive(text: str) -> bool:
    """Whether a text has a word that may name a calculation; cheap, and true too often, not too seldom."""
    return bool(p.CUE.search(text))


def better_is_less(words: Words) -> bool:
    """Whether a claim says that something got better or worse of which less is better."""
    return bool(p.BETTER.search(words.masked) and p.LESS_IS_BETTER.search(words.masked))


def plans_of(words: Words) -> Iterator[Plan]:
    """Every calculation that the words of a claim name, the most explicit first."""
    about = [(words.about(result), result) for result in words.values]
    for marked, result in about:
        yield from converted(marked, result)
    for marked, result in about:
        if result.percent or result.multiple or not _change_word(marked, result):
            yield from written_out(marked, result)
        for plans in (_ratios, _compared, _changed, _gaps, _multiples, counted, lists, parts_of_value):
            yield from plans(marked, result)
        yield from converted_alone(marked, result)


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
            x = part_of(words, (at, _before(words, result)), noun, result=result)
            y = part_of(words, match.span("y"), result=result)
            if x and y and y.spans and x.spans:
                yield Plan("change", result, (y, x), _way(match))
        yield from _cut_tail(words, result, match, (starts[0], _before(words, result)))
    for pattern in p.COMPARED:
        for at in starts:
            found = pattern.match(masked, at)
            if found and is_result(words, found, result):
                yield from pair(
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
    x = part_of(words, lead, (at + tail.start("b"), at + tail.end("b")), result=result)
    y = part_of(words, (at, at + tail.start()), result=result)
    if x and y and y.spans:
        yield Plan("change", result, (y, x), _way(match))


def _multiples(words: Words, result: Value) -> Iterator[Plan]:
    unit = result.amount.unit
    if not (result.multiple or unit in PERCENT):
        return
    if _change_word(words, result) or p.OF_ALL_LEADS.match(words.masked):
        return
    lead = (0, _before(words, result))
    for pattern in p.TIMES_AFTER:
        if behind := pattern.match(words.masked, result.end):
            noun = behind.span("n") if "n" in pattern.groupindex else (0, 0)
            x, y = part_of(words, lead, noun, result=result), part_of(words, behind.span("y"), result=result)
            if x and y and x.spans and y.spans:
                yield Plan("multiple", result, (x, y))
    for pattern in p.TIMES_OF:
        match = pattern.match(words.masked)
        if not match or not is_result(words, match, result) or not match["x"].strip():
            continue
        yield from pair(words, "multiple", result, match.span("x"), match.span("y"))


def _ratios(words: Words, result: Value) -> Iterator[Plan]:
    if "ratio" not in words.masked and "比" not in words.masked:
        return
    for pattern in p.RATIO_OF:
        match = pattern.search(words.masked)
        if match and is_result(words, match, result):
            yield from pair(words, "multiple", result, match.span("x"), match.span("y"))


def _gaps(words: Words, result: Value) -> Iterator[Plan]:
    if not p.GAP_WORD.search(words.masked):
        return
    for pattern in p.GAP:
        match = pattern.search(words.masked)
        if match and is_result(words, match, result):
            yield from pair(words, "gap", result, match.span("x"), match.span("y"))


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
        if not way and "between" in pattern.pattern and not p.CHANGE_IN.search(masked):
            continue
        for match in pattern.finditer(masked):
            a, b = match.span("a"), match.span("b")
            if a[0] <= result.start < a[1]:
                continue
            if b[0] <= result.start < b[1]:
                if not re.match(f"(?:{p.N}|{DATE})", masked[b[0] : result.start]):
                    continue  # the result is itself the level
                b = (b[0], result.start)
            earlier, later = part_of(words, a, result=result), part_of(words, b, result=result)
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
            parts = [part_of(words, match.span(name), result=result) for name in ("a", "b")]
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
    left = part_of(words, (0, result.start), result=result)
    earlier = part_of(words, match.span("a"), result=result)
    if left and earlier:
        yield Plan("change", result, (earlier, left), way)


def _relative(words: Words, result: Value, way: int) -> Iterator[Plan]:
    relative = next((name for name, pattern in p.RELATIVE if pattern.search(words.masked)), "")
    if not relative:
        return
    left = part_of(words, (0, result.start), (result.end, len(words.masked)), result=result, relative="-")
    if left and left.spans:
        later = Part(left.spans, left.value)
        yield Plan("change", result, (Part((), None, relative), later), way)
