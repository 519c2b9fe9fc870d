"""Plans for sentences of any order: what a marker leads is the base, the rest is the other operand.

The frames of :mod:`derive_frames` know whole sentences. Here only the marks of a role are known
("of", "than", 占), where phrases may end, and dates. Each way to cut a claim gives a plan; the first
one whose words all bind is how the claim is read, whether or not its result fits: no plan is tried for its
result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from verifaible.judge.rules import derive_patterns as p
from verifaible.judge.rules.derive_frames import direction_at
from verifaible.judge.rules.derive_plans import Part, Plan, Shape, Span, part_of
from verifaible.judge.rules.derive_valued import valued
from verifaible.judge.rules.derive_words import RESULT, Value, Words

#: What leads the base of a share or a ratio.
_BASE: Final = re.compile(
    r"\bas (?:an? )?(?:percentage|percent|share|proportion|fraction|part|multiple|portion) of\b"
    r"|\b(?:relative|in relation|in proportion|when set) to\b|\bthat of\b|\bthose of\b"
    r"|\bof\b(?!\s+(?:about |around )?[\ue000-\ue3ff])|\bagainst\b|\bversus\b"
    r"|\bvs\b\.?|\bdivided by\b|\bcompared (?:with|to)\b|\bper\b|\bover\b|\bon\b|\bto\b"
    r"|占|相当于|是|约?为|除以|贡献了?|[与和对同]|/"
)
#: What leads the base of a comparison or a change.
_THAN: Final = re.compile(
    r"\bthan\b|\b(?:up|down) (?:from|on)\b"
    r"|\b(?:increase|decrease|rise|fall|gain|drop|decline|improvement|advance|jump|reduction)"
    r" (?:on|over|from)\b"
    r"|\bon (?=(?:the|its) (?:previous|prior)\b)|\bfrom\b|\bover\b|\bversus\b|\bvs\b\.?|\bagainst\b"
    r"|\b(?:compared|in comparison) (?:with|to)\b|\brelative to\b|\b(?:above|below|beneath|under|off)\b"
    rf"|\b(?:{p.PASSES})\b|高出|超过|超出|低于|高于|多于|少于|[比较由从]"
)
#: Markers that are nothing else.
_STRONG: Final = re.compile(
    r"than|as .+ of|relative to|in (?:relation|comparison) .+|divided by|compared .+|versus|vs\.?"
    r"|against|除以|高出|低于|高于"
    rf"|超过|{p.PASSES}"
)
_AS_MUCH: Final = re.compile(r"\s*as (?:many|much|large|big|high|great|long)\b[^,;:]*?\sas(?=\s)")
#: What leads a level, and no result.
_LEVEL_BEFORE: Final = re.compile(
    r"(?:\b(?:from|than|against|versus|vs\.?)|[从由自])\s*(?:about |around |an? |the )?\Z"
)
#: Where a phrase may end.
_STOP: Final = re.compile(
    rf"[,;:()（），。；：→、]|{RESULT}|的|[为是达占由]|来自"
    r"|\b(?:in|during|for|at|on|as|from|to|is|are|was|were|and|which|that|by|with|or|has|have|had|it"
    r"|this|while|when"
    r"|came|comes?|stood|stands?|went|goes|ran|runs?|equals?|equalled|amounts?|amounted|made|makes?)\b"
    rf"|\b(?:{p.PASSES})\b"
)
_ENDS: Final = 5
_MARKERS: Final = 6


def valued_plans(words: Words) -> Iterator[tuple[Value, Iterator[Plan]]]:
    """As :func:`role_plans`, only where a claim states both operands."""
    for result in words.values:
        marked = words.about(result)
        others = [value for value in words.values if value != result and not value.word]
        if len(others) == 2 and not _LEVEL_BEFORE.search(
            words.masked[max(0, result.start - 24) : result.start]
        ):
            yield result, valued(marked, result, others, _way_of(marked, result))


def role_plans(words: Words) -> Iterator[tuple[Value, Iterator[Plan]]]:
    """For each value that may be a result, the plans for it, the likeliest way to read it first."""
    for result in words.values:
        if _LEVEL_BEFORE.search(words.masked[max(0, result.start - 24) : result.start]):
            continue
        yield result, _of_result(words.about(result), result)


def _of_result(marked: Words, result: Value) -> Iterator[Plan]:
    way = _way_of(marked, result)
    others = [value for value in marked.values if value != result and not value.word]
    share = result.percent or result.multiple
    if len(others) == 2:
        yield from valued(marked, result, others, way)
    if way or (not share and p.GAP_WORD.search(marked.masked)):
        yield from _by_moments(marked, result, way, others)
    if way:
        yield from _with_base(marked, result, "change", _THAN, way)
    if share and not direction_at(marked, result):
        yield from _with_base(marked, result, "multiple", _BASE, 0)
    if not share:
        yield from _per(marked, result)
    yield from _lists(marked, result)


def _way_of(marked: Words, result: Value) -> int:
    """Which way a claim says that something went or differs; 0 where it does not say, or says both."""
    masked = p.NO_WAY.sub(lambda match: " " * len(match[0]), marked.masked)
    ways = {1 if match["up"] else -1 for match in p.ANY_CHANGE.finditer(masked)}
    ways |= {direction_at(marked, result)} - {0}
    if result.word:
        ways.add(1 if result.amount.value > 1 else -1)
    signed = marked.text[max(0, result.start - 1) : result.start + 1].strip(" (（")[:1]
    if signed in ("+", "-", "−") and signed:
        ways.add(1 if signed == "+" else -1)
    if not ways:
        ways = {1 if match["up"] else -1 for match in p.ANY_MORE.finditer(masked)}
    return ways.pop() if len(ways) == 1 else 0


# --- a base behind a marker


def _with_base(words: Words, result: Value, shape: Shape, marks: re.Pattern[str], way: int) -> Iterator[Plan]:
    """Plans with the base behind a marker; a strong one, or one right behind the result, leaves no other."""
    masked = words.masked
    if shape == "multiple" and (same := _AS_MUCH.match(masked, result.end)):
        yield from _cut(words, result, shape, (same.end() - 2, same.end()), way)
        return
    found = list(marks.finditer(masked))
    adjacent = [m for m in found if m.start() >= result.end and not masked[result.end : m.start()].strip()]
    strong = [match for match in found if _STRONG.fullmatch(match[0])]
    if shape == "multiple" and adjacent:
        found = adjacent[:1]
    elif strong:
        found = strong
    elif shape == "multiple" and result.multiple:
        yield from _cut(words, result, shape, (result.end, result.end), way)
    for match in found[:_MARKERS]:
        yield from _cut(words, result, shape, match.span(), way)


def _cut(words: Words, result: Value, shape: Shape, marker: Span, way: int) -> Iterator[Plan]:
    """The base from its marker to each place where it may end; all else is the other operand."""
    start, begin = marker
    masked = words.masked
    ends = [match.start() for match in _STOP.finditer(masked, begin) if masked[begin : match.start()].strip()]
    for end in dict.fromkeys([*ends[:_ENDS], len(masked)]):
        if begin <= result.start < end:
            continue
        base = part_of(words, (begin, end), result=result)
        rest = part_of(words, *_without(words, result, [(start, end)]), result=result)
        if base and rest and base.spans and rest.spans:
            yield Plan(shape, result, (base, rest) if shape == "change" else (rest, base), way)


def _without(words: Words, result: Value, taken: Iterable[Span]) -> list[Span]:
    """What is left of a claim without its result and some ranges."""
    found, at = [], 0
    for start, end in sorted([*taken, (result.start, result.end)]):
        if start > at:
            found.append((at, start))
        at = max(at, end)
    if at < len(words.masked):
        found.append((at, len(words.masked)))
    return found


# --- two dates


def _by_moments(words: Words, result: Value, way: int, others: list[Value]) -> Iterator[Plan]:
    """One thing at two dates: all words but a date go with both, and each value with the date beside it."""
    dates = sorted({each.value for each in words.periods if each.dated}, key=_in_year)
    if len(dates) == 1 and re.fullmatch(r"(?:19|20)\d\d", dates[0]) and not _THAN.search(words.masked):
        yield from _since_year(words, result, way, others)
    if len(dates) != 2 or len(_in_year(dates[0])) != len(_in_year(dates[1])):
        return
    spans = {date: [(e.start, e.end) for e in words.periods if e.dated and e.value == date] for date in dates}
    nearest: dict[str, list[Value]] = {date: [] for date in dates}
    for value in others:
        nearest[_date_of(words, value, spans, dates)].append(value)
    if any(len(values) > 1 for values in nearest.values()):
        return
    parts = []
    for date, other in (dates, dates[::-1]):
        taken = [*spans[other], *((v.start, v.end) for v in others if v not in nearest[date])]
        parts.append(part_of(words, *_without(words, result, taken), result=result))
    earlier, later = parts
    if earlier and later:
        yield Plan("change", result, (earlier, later), way)


def _in_year(date: str) -> str:
    """A date without its year where it is a quarter or a half: of two, one may go without it."""
    return date[-2:] if date[-2:-1] in ("Q", "H") and date[:-2].count("-") != 1 else date


def _since_year(words: Words, result: Value, way: int, others: list[Value]) -> Iterator[Plan]:
    """``X grew by R in FY2024, to B``: since the year before."""
    later = part_of(words, *_without(words, result, []), result=result, relative="-")
    if later and way and len(others) <= 1:
        yield Plan("change", result, (Part((), None, "year"), Part(later.spans, later.value)), way)


def _date_of(words: Words, value: Value, spans: dict[str, list[Span]], dates: list[str]) -> str:
    """The date that a value goes with: "from" leads the earlier one, "to" the later one; else the nearest."""
    lead = words.masked[max(0, value.start - 12) : value.start]
    if match := re.search(r"\b(from|to)\s+(?:about |around |an? )?\Z|(从|由|自|至|到|增至|降至)\s*\Z", lead):
        return dates[0] if match[0].strip().startswith(("from", "从", "由", "自")) else dates[1]
    return min(dates, key=lambda date: min(_gap(words, value, span) for span in spans[date]))


def _gap(words: Words, value: Value, span: Span) -> int:
    between = words.masked[min(value.end, span[1]) : max(value.start, span[0])]
    return len(between) + 40 * len(re.findall(r"[,;:，；→]|\b(?:to|from|and|versus|against)\b", between))


def _per(words: Words, result: Value) -> Iterator[Plan]:
    """``R of X per Y``: X is divided by Y."""
    for match in re.finditer(r"\bper\b|\bfor (?:each|every)\b", words.masked):
        yield from _cut(words, result, "quotient", match.span(), 0)


# --- sums and averages


def _lists(words: Words, result: Value) -> Iterator[Plan]:
    """Listed things, or one thing at several dates; a label with "and" in it may be one thing."""
    masked = words.masked
    mean = p.MEAN.search(masked)
    if result.multiple or not (mean or p.PLUS.search(masked)):
        return
    shape: Shape = "mean" if mean else "list"
    dates = [each for each in words.periods if each.dated]
    if len(dates) >= 2 and len({each.value for each in dates}) == len(dates):
        base = part_of(words, *_without(words, result, [(d.start, d.end) for d in dates]), result=result)
        if base and base.value is None:
            yield Plan(shape, result, (base, *(Part(((d.start, d.end),)) for d in dates)))
    lead = p.GIVING.search(masked, 0, result.start)
    for side in ((0, lead.start() if lead else result.start), (result.end, len(masked))):
        for firm in p.FIRM_JOINT.finditer(masked, *side):
            yield from _groupings(words, result, shape, side, [firm.span()], defines=bool(lead))
        joints = [match.span() for match in p.SPLIT.finditer(masked, *side)]
        if 1 <= len(joints) <= 5:
            yield from _groupings(words, result, shape, side, joints, defines=bool(lead))


def _groupings(
    words: Words, result: Value, shape: Shape, side: Span, joints: list[Span], *, defines: bool
) -> Iterator[Plan]:
    """Every way to take some of the joints for parts of labels, the finest first."""
    outside = (side[1], len(words.masked)) if side[0] == 0 else (0, side[0])
    for kept in sorted(range(1, 1 << len(joints)), key=lambda bits: -bits.bit_count()):
        spans, at = [], side[0]
        for number, (start, end) in enumerate(joints):
            if kept >> number & 1:
                spans.append((at, start))
                at = end
        spans.append((at, side[1]))
        parts = [
            part_of(words, span, result=result)
            for span in spans
            if words.masked[span[0] : span[1]].strip(p.MARKS)
        ]
        if len(parts) >= 2 and all(part and part.spans for part in parts) and outside[0] <= outside[1]:
            yield Plan(shape, result, tuple(part for part in parts if part), defines=defines)
