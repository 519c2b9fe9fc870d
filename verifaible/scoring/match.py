"""Whether a text states what a case expects: by value, never by substring.

The same matching serves answers (:func:`match_answer`) and the text of a highlighted region
(:func:`match_evidence`).

Known limits. A name inside a longer name is found (``李宗阳`` in ``李宗阳明``): nothing but a
dictionary knows where a Chinese name ends. Of what the words behind a name deny of it only a
negated verb of the question and a vote in favour are read (``denied_by_verb`` in
:mod:`verifaible.text.qualifiers`), not ``Voting for: Powell, Bowman``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from verifaible.schema.base import Record
from verifaible.schema.case import Case, Expected, ListExpected, NumberExpected, TextExpected
from verifaible.scoring.answer_text import Readable, phrase_pattern, readable
from verifaible.text.conventions import decimal_comma_of, shows_comma
from verifaible.text.dates import contains_date, dates_matching, find_dates, is_date
from verifaible.text.flat import flatten
from verifaible.text.markers import find_markers
from verifaible.text.numbers import find_quantities, noise_spans
from verifaible.text.qualifiers import CLAUSE_END, denied_after, denied_before, denied_by_verb
from verifaible.text.quantity import Quantity
from verifaible.text.units import Unit, may_be_same, read_unit, unit_kind

_ASKED_IN_BRACKETS = re.compile(r"[(（]([^()（）]{1,12})[)）]")
_ASKED_HOW_MANY = re.compile(
    r"(?:多少|几)(个月|年|天|小时|分钟|秒|周|万亿元|亿元|万元|万人|亿人|元)"
    r"|how many (months|years|days|hours|minutes|seconds|weeks)\b",
    re.IGNORECASE,
)


def expectation(case: Case) -> Expected:
    """What to match for a case: its ``expect``, or what its ``answer`` says.

    An answer that is one number with at most a unit becomes a :class:`NumberExpected`; without
    a unit of its own it takes the one that the question asks for (``（亿元）``, ``(%)``,
    ``多少个月``). An answer with ``、`` or ``;`` becomes a list, anything else a text. Digits
    with a leading zero are a code, so a text.
    """
    if case.expect is not None:
        return case.expect
    parts = [part.strip() for part in re.split(r"[、;；]", case.answer) if part.strip()]
    items = tuple(_single(part, case.question) for part in parts)
    if len(items) > 1:
        return ListExpected(kind="list", items=items)
    return _single(case.answer.strip(), case.question)


def _single(answer: str, question: str) -> NumberExpected | TextExpected:
    mentions = find_quantities(answer)
    whole = len(mentions) == 1 and mentions[0].raw == answer and mentions[0].role == "value"
    if not whole or re.match(r"0\d", flatten(answer)):
        return TextExpected(kind="text", value=answer)
    number = mentions[0]
    unit = _unit_of(number) or _asked_unit(question)
    return NumberExpected(kind="number", value=number.value, unit=unit, tolerance=Decimal(0))


def _unit_of(number: Quantity) -> str:
    """Scale and unit of a number as written, with a currency that stands before it (``€5 million``)."""
    behind = read_unit(number.unit_raw)
    if behind.currencies == number.currencies:
        return number.unit_raw or number.unit
    sign = re.match(r"[^\d.]*?(?=[-−+]?[\d.])", number.raw)
    before = re.sub(r"[-−+\s]", "", sign[0]) if sign else ""
    return f"{before} {number.unit_raw}".strip()


def _asked_unit(question: str) -> str:
    units = [text.strip() for text in _ASKED_IN_BRACKETS.findall(question)]
    units += [zh or en for zh, en in _ASKED_HOW_MANY.findall(question)]
    known = [unit for unit in units if unit_kind(read_unit(unit).name)]
    return known[-1] if known else ""


#: Measure words that count anything: "36个" answers a question about 笔, "36家" does not.
_ANYTHING: Final = frozenset("个次单")


def units_agree(expected: NumberExpected, mention: Quantity) -> bool:
    """Whether a number's unit can be the expected one; scales are compared with the values.

    A number without a unit agrees with every unit. An expectation without a unit takes any
    counted thing or currency, but no percentage points, basis points or durations; and a
    percentage only if it has decimals, since statistics print indices either way (49.4 and
    49.4 %), while 36 % is no count. Percentage points never agree with a percentage. A currency
    agrees with one that it can be: ``$`` with CAD and HKD, ``¥`` with CNY and JPY.
    """
    unit = read_unit(expected.unit)
    if unit.currencies and mention.currencies:
        return may_be_same(unit.currencies, mention.currencies)
    if mention.unit in ("", unit.name):
        return mention.unit == unit.name or unit_kind(unit.name) != "ratio" or mention.scale == 1
    if not unit.name:
        kind = unit_kind(mention.unit)
        if mention.unit == "%":
            exponent = expected.value.as_tuple().exponent
            return isinstance(exponent, int) and exponent < 0
        return kind not in ("ratio", "time")
    both_count = unit_kind(unit.name) == unit_kind(mention.unit) == "count"
    return both_count and (unit.name in _ANYTHING or mention.unit in _ANYTHING)


def is_expected(expected: NumberExpected, mention: Quantity, told: Sequence[Unit] = ()) -> bool:
    """Whether a number is the expected one: the same value, sign, scale and kind of unit.

    A number without scale and unit may stand in the expected unit (``140489`` for 140489 万人,
    as table cells do) or be written out in full (``1404890000``). ``told``: the units that the head and the
    caption of its table give it; where one is of the expected kind, it has one of those.
    """
    if told and not mention.unit and mention.scale == 1:
        kind = unit_kind(read_unit(expected.unit).name)
        own = [unit for unit in told if kind and unit_kind(unit.name) == kind]
        if own:
            given = (replace(mention, scale=u.scale, unit=u.name, currencies=u.currencies) for u in own)
            return any(is_expected(expected, each) for each in given)
    if not units_agree(expected, mention):
        return False
    scale = read_unit(expected.unit).scale
    if abs(mention.scaled_value - expected.value * scale) <= expected.tolerance * scale:
        return True
    bare = mention.scale == 1 and not mention.unit
    return bare and abs(mention.value - expected.value) <= expected.tolerance


class AnswerMatch(Record):
    """Whether a text states the expectation.

    ``spans`` are the matching stretches as code points of the text that was given; ``stated``
    is what was read where the expected value was not (at most five); ``explanation`` says why
    in one sentence.
    """

    correct: bool
    spans: tuple[tuple[int, int], ...] = ()
    stated: tuple[str, ...] = ()
    explanation: str


def answer_markers(text: str) -> tuple[int, ...]:
    """The citation numbers that an answer marks, in order of first appearance.

    Markers inside the thinking part are not in the answer.
    """
    found = (number for marker in find_markers(readable(text).text) for number in marker.numbers)
    return tuple(dict.fromkeys(found))


def match_answer(answer: str, expected: Expected, *, question: str = "") -> AnswerMatch:
    """Whether an answer states what is expected.

    Numbers match by value, sign, scale and kind of unit; texts and names folded, as whole
    words. What is denied, given as a limit, an end of a range, the level before a change, part
    of a date, an address or a marker, or a repetition of the question, does not count; a value
    that is both stated and denied is not stated. For a list every item must be there, and ends
    of ranges and of changes count.

    Args:
        answer: the whole answer, mark-up and thinking included.
        expected: see :func:`verifaible.scoring.match.expectation`.
        question: the question; where the answer repeats it whole, that stretch is not read. Its
            verbs tell what a negated verb behind a name denies, and its language whether ``12,4``
            is a decimal where the answer has no words of its own that do.
    """
    text = readable(answer)
    if question.strip():
        echo = phrase_pattern(flatten(question.strip()))
        for match in echo.finditer(flatten(text.text)):
            text = text.masked(*match.span())
    return _match(text, expected, strict=True, question=question)


def match_evidence(
    text: str,
    expected: Expected,
    *,
    question: str = "",
    around: tuple[str, str] | None = None,
    told: Sequence[Unit] = (),
) -> AnswerMatch:
    """Whether a captured region states what is expected; its words are read as they are.

    The question's language tells how to read a bare ``3.412`` or ``12,4``: a cell has no words. ``around``
    is what the sentence says before the region and behind it: it may deny what the region has, and what
    only it has does not count. ``told``: the units that the head and the caption of a table give its cell.
    Spans are of the region.
    """
    before, behind = around or ("", "")
    whole = before + text + behind
    read = Readable(whole, tuple(range(len(whole))), within=(len(before), len(before + text)))
    matched = _match(read, expected, strict=False, question=question, told=told)
    spans = tuple((start - len(before), end - len(before)) for start, end in matched.spans)
    return matched.model_copy(update={"spans": spans})


def _match(
    text: Readable, expected: Expected, *, strict: bool, question: str = "", told: Sequence[Unit] = ()
) -> AnswerMatch:
    if isinstance(expected, NumberExpected):
        return _match_number(text, expected, strict=strict, ranges=False, question=question, told=told)
    if isinstance(expected, TextExpected):
        return _match_text(text, expected, strict=strict, question=question)
    results = [
        _match_number(text, item, strict=strict, ranges=True, question=question, told=told)
        if isinstance(item, NumberExpected)
        else _match_text(text, item, strict=strict, question=question)
        for item in expected.items
    ]
    missing = [result.explanation for result in results if not result.correct]
    return AnswerMatch(
        correct=not missing,
        spans=tuple(sorted(span for result in results for span in result.spans)),
        stated=tuple(dict.fromkeys(stated for result in results for stated in result.stated)),
        explanation=" ".join(missing) or f"All {len(results)} expected items are stated.",
    )


def _shown(expected: NumberExpected) -> str:
    return f"{expected.value:f} {expected.unit}".strip()


def _match_number(
    text: Readable,
    expected: NumberExpected,
    *,
    strict: bool,
    ranges: bool,
    question: str = "",
    told: Sequence[Unit] = (),
) -> AnswerMatch:
    roles = ("value", "range") if ranges else ("value",)
    comma = _decimal_comma(text.text, question, strict=strict)
    mentions = tuple(
        m for m in find_quantities(text.text, decimal_comma=comma) if text.states(m.start, m.end)
    )
    same = [mention for mention in mentions if mention.role in roles and is_expected(expected, mention, told)]
    stated = [mention for mention in same if not mention.negated and mention.limit in ("", "~<")]
    if strict and not ranges:
        stated = [mention for mention in stated if not mention.earlier]
    denied = [mention for mention in same if mention.negated]
    spans = tuple(text.span(mention.start, mention.end) for mention in stated) or _years(text, expected)
    if spans and not (strict and denied):
        return AnswerMatch(correct=True, spans=spans, explanation=f"States {_shown(expected)}.")
    others = tuple(dict.fromkeys(m.raw for m in mentions if m.role == "value" and m not in stated))[:5]
    why = _near_miss(expected, mentions, same) or (
        f"states {', '.join(others)} instead" if others else "states no number"
    )
    if spans and denied:
        why = f"both states and denies it ({denied[0].raw!r})"
    explanation = f"Expected {_shown(expected)}: the text {why}."
    return AnswerMatch(correct=False, stated=others, explanation=explanation)


def _decimal_comma(text: str, question: str, *, strict: bool) -> bool | None:
    """Whether to read ``12,4`` as a decimal; a captured region without words may show it by itself."""
    flat = flatten(text)
    told = decimal_comma_of(flat, flatten(question))
    return True if told is None and not strict and shows_comma(flat) else told


def _years(text: Readable, expected: NumberExpected) -> tuple[tuple[int, int], ...]:
    """Years that say they are years, for an expectation that can be one."""
    if expected.unit not in ("", "年") or not 1900 <= expected.value <= 2100:
        return ()
    return tuple(
        text.span(mention.start, mention.end)
        for mention in find_dates(text.text)
        if mention.precision == "year"
        and mention.readings[0].year == expected.value
        and text.states(mention.start, mention.end)
    )


def _near_miss(expected: NumberExpected, mentions: tuple[Quantity, ...], same: list[Quantity]) -> str:
    """Why the nearest thing to the expected number does not count; empty if nothing is near."""
    if same:
        as_what = "a denial" if same[0].negated else "a limit" if same[0].limit else "an earlier level"
        return f"gives {same[0].raw!r} only as {as_what}"
    alike = [mention for mention in mentions if abs(mention.value) == abs(expected.value)]
    for mention in alike:
        if mention.role == "value" and not units_agree(expected, mention):
            return f"says {mention.raw!r}, which is in another unit"
        if mention.role == "value" and mention.value != expected.value:
            return f"says {mention.raw!r}, which has the other sign"
        if mention.role == "value":
            return f"says {mention.raw!r}, which is of another scale or, by its table, in another unit"
    places = {"date": "in a date or time", "marker": "in a marker, address or code"}
    places |= {"ordinal": "as an ordinal", "range": "as an end of a range"}
    return f"has {alike[0].raw!r} only {places[alike[0].role]}" if alike else ""


def _match_text(text: Readable, expected: TextExpected, *, strict: bool, question: str) -> AnswerMatch:
    flat = flatten(text.text)
    noise = noise_spans(text.text)
    found: list[tuple[int, int]] = []
    denied: list[tuple[int, int]] = []
    for value in (expected.value, *expected.aliases):
        spans = [match.span() for match in phrase_pattern(flatten(value)).finditer(flat)]
        if is_date(value):
            spans += [(mention.start, mention.end) for mention in dates_matching(text.text, value)]
        for start, end in spans:
            if noise.cover(start, end) or not text.states(start, end):
                continue
            before = flat[max(0, start - 60) : start]
            clause = before[max((m.end() for m in CLAUSE_END.finditer(before)), default=0) :]
            after = flat[end : end + 60]
            is_denied = denied_before(clause) or denied_after(after) or denied_by_verb(after, question)
            (denied if is_denied else found).append((start, end))
    if found and not (strict and denied):
        spans_there = tuple(text.span(start, end) for start, end in sorted(set(found)))
        return AnswerMatch(correct=True, spans=spans_there, explanation=f"States {expected.value!r}.")
    why = "does not state it"
    if denied:
        why = "both states and denies it" if found else "only denies it"
    return AnswerMatch(correct=False, explanation=f"Expected {expected.value!r}: the text {why}.")


def context_visible(text: str, wanted: str) -> bool:
    """Whether a context item of a case (a date, a period, a word) can be read in a text.

    A date is looked for by value (:func:`verifaible.text.dates.contains_date`); anything else as a phrase,
    and not as a part of a longer number or Latin word (``10 Yr`` is not in ``110 Yr``).
    """
    if is_date(wanted):
        return contains_date(text, wanted)
    flat = flatten(wanted).strip()
    return bool(flat) and phrase_pattern(flat).search(flatten(text)) is not None
