"""Whether an answer commits itself to one value, or leaves the reader to choose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from verifaible.schema.case import Expected, ListExpected, NumberExpected, TextExpected
from verifaible.scoring.answer_text import readable
from verifaible.scoring.match import is_expected, match_evidence, units_agree
from verifaible.text.flat import flatten, folded
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity
from verifaible.text.units import read_unit

#: An answer that states more other numbers than this is a list to choose from, not an answer;
#: full sentences with a comparison or two state up to 5.
MAX_COMPETING_NUMBERS: Final = 8
#: A bare run of numbers or names with the expected one and as many others is a list to choose from.
MIN_RUN_COMPETING: Final = 3
#: Longer than this, an answer in words is a page to choose from; Chinese characters count twice. The
#: question and the highlighted regions are not counted.
MAX_ANSWER_LENGTH: Final = 1_500

_MARKERS = r"[\[【][^\[\]【】]{0,60}[\]】]"
_GLUE = rf"(?:[\s、,，;；]|{_MARKERS})*"
_RUN_JOIN = re.compile(_GLUE)
_OR = r"(?:或者|或|还是|要么|抑或|\bor\b|/)"
_MAYBE = r"(?:\s|是|为|约|大?概|可能|\b(?:about|maybe|perhaps|possibly)\b)*"
_OR_JOIN = re.compile(rf"{_GLUE}{_OR}{_MAYBE}", re.IGNORECASE)
_OR_BEFORE = re.compile(rf"(?P<other>[^\s、,，;；/或]+)\s*(?i:{_OR})\s*(?:[A-Z][\w.'-]*\s+)*\Z")
_OR_AFTER = re.compile(
    rf"(?:\s|{_MARKERS})*[,，]?\s*{_OR}\s*(?P<other>[^\n.。;；,，]{{1,60}})", re.IGNORECASE
)
_SENTENCE = re.compile(r"[^\n。！？!?；;]+?(?:[。！？!?；;\n]|(?<!\b[A-Z])\.(?=\s|\Z)|\Z)")
_ITEM_END = re.compile(r"[、,，;；\n]|\s+(?:and|和|及)\s+")
_ITEM_TRIM = re.compile(rf"(?:\s|[-*•·]|\d{{1,2}}[.)]|{_MARKERS})*")
_CAPITALISED = re.compile(r"(?:[A-Z][\w.'’-]*|[-'’])(?:\s+[A-Z][\w.'’-]*){0,3}")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
#: Names of persons have up to four characters; shorter than two is no name (男).
_SHORT_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,4}")
#: A sentence that says what the answer is, whatever was said before.
_DECLARES = re.compile(
    r"\s*(?:\W*)(?:(?:corrections?|corrected(?: answer)?|wait|no)\b\s*[:,—-]"
    r"|(?:so,? |therefore,? )?(?:the |my )?(?:final |correct |right )?answer\s*(?:is\b|:)"
    r"|更正|修正|纠正|不对|(?:最终|正确)?答案\s*(?:是|为|[:：]))",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\s*(?:\W*)(?:(?:corrections?|corrected(?: answer)?|wait|no)\b\s*[:,—-]|更正|修正|纠正|不对)",
    re.IGNORECASE,
)
#: Two sentences with fewer letters in common than this are not the same statement made twice.
_SAME_FRAME = 3
_LONGEST_FILLER = 80


def commitment_faults(answer: str, expected: Expected, *, question: str, regions: Sequence[str]) -> list[str]:
    """Why an answer commits itself to nothing; empty if it does.

    Args:
        answer: the whole answer.
        expected: what is expected.
        question: the question; its words and numbers are no rival answers.
        regions: the texts that the marked citations highlight; no more are theirs.
    """
    items = expected.items if isinstance(expected, ListExpected) else (expected,)
    numbers = [item for item in items if isinstance(item, NumberExpected)]
    texts = [item for item in items if isinstance(item, TextExpected)]
    faults: list[str] = []
    if numbers:
        faults = _of_numbers(answer, numbers, question, regions)
    if texts and not faults:
        faults = _of_texts(
            answer, texts, single=isinstance(expected, TextExpected), known=(question, *regions)
        )
    if not faults and not isinstance(expected, ListExpected):
        faults = _of_sentences(answer, expected, (question, *regions))
    return faults


def _uncommitted(why: str) -> list[str]:
    return [f"The answer does not commit itself: {why}."]


# --- numbers


def _of_numbers(
    answer: str, numbers: Sequence[NumberExpected], question: str, regions: Sequence[str]
) -> list[str]:
    allowed = _values(question).union(*map(_values, regions))
    text = readable(answer).text
    told = [m for m in find_quantities(text) if m.role in ("value", "range") and not m.negated]
    right = [any(is_expected(number, mention) for number in numbers) for mention in told]
    rival = [
        not fits and mention.scaled_value not in allowed and not _rounds(mention, numbers)
        for fits, mention in zip(right, told, strict=True)
    ]
    competing = {mention.scaled_value for mention, other in zip(told, rival, strict=True) if other}
    if len(competing) > MAX_COMPETING_NUMBERS:
        return _uncommitted(f"it states {len(competing)} other numbers")
    for first, last, alternatives in _runs(flatten(text), told):
        others = {told[at].scaled_value for at in range(first, last) if rival[at]}
        if any(right[first:last]) and others and (alternatives or len(others) >= MIN_RUN_COMPETING):
            shown = text[told[first].start : told[last - 1].end]
            what = "alternatives" if alternatives else "numbers to choose from"
            return _uncommitted(f"it gives {what} ({shown[:60]!r})")
    return []


def _rounds(mention: Quantity, numbers: Sequence[NumberExpected]) -> bool:
    """Whether a number is an expected one rounded to three digits or more (72.4亿 of 7,242,119,013)."""
    digits = mention.value.as_tuple()
    if len(digits.digits) < 3:
        return False
    step = mention.scale.scaleb(int(digits.exponent))
    return any(
        units_agree(number, mention)
        and abs(mention.scaled_value - number.value * read_unit(number.unit).scale) * 2 <= step
        for number in numbers
    )


def _runs(flat: str, told: Sequence[Quantity]) -> Iterator[tuple[int, int, bool]]:
    """Runs of numbers with only separators, markers or an "or" between: first, last (excluded), or."""
    first, alternatives = 0, False
    for at in range(1, len(told) + 1):
        between = (told[at - 1].end, told[at].start) if at < len(told) else None
        if between and _OR_JOIN.fullmatch(flat, *between):
            alternatives = True
        elif not between or not _RUN_JOIN.fullmatch(flat, *between):
            yield first, at, alternatives
            first, alternatives = at, False


def _values(text: str) -> set[Decimal]:
    return {mention.scaled_value for mention in find_quantities(text) if mention.role in ("value", "range")}


# --- names and phrases


def _of_texts(answer: str, texts: Sequence[TextExpected], *, single: bool, known: Sequence[str]) -> list[str]:
    text = readable(answer).text
    folded_known = [folded(each) for each in known]
    if _length(text) > MAX_ANSWER_LENGTH + sum(map(_length, known)):
        return _uncommitted(f"it has {len(text):,} characters, a page to choose from")
    if not single:
        return []
    (expected,) = texts
    for start, end in match_evidence(text, expected).spans:
        if other := _alternative(text, start, end, expected, folded_known):
            return _uncommitted(f"it gives alternatives ({other[:60]!r})")
        others = _listed_beside(text, start, end, expected, folded_known)
        if len(others) >= MIN_RUN_COMPETING:
            return _uncommitted(f"it gives names to choose from ({', '.join(others)[:60]!r})")
    return []


def _alternative(text: str, start: int, end: int, expected: TextExpected, known: Sequence[str]) -> str:
    """What is joined to the expected text by an "or", if it is something else; else empty."""
    before, after = _OR_BEFORE.search(text, max(0, start - 80), start), _OR_AFTER.match(text, end)
    near = ((before, text[max(0, start - 80) : start]), (after, text[end : end + 80]))
    for match, around in near:
        if match and not _is_known(match["other"], known) and not match_evidence(around, expected).correct:
            return match["other"].strip()
    return ""


def _listed_beside(
    text: str, start: int, end: int, expected: TextExpected, known: Sequence[str]
) -> list[str]:
    """The other names of the enumeration in which the expected one is an item of its own."""
    items = list(_items(text))
    at = next((place for place, (first, last) in enumerate(items) if first <= start and end <= last), -1)
    own = text[slice(*items[at])] if at >= 0 else ""
    if not (_is_name(own) or folded(own) == folded(text[start:end])):
        return []
    found = []
    for way in (range(at - 1, -1, -1), range(at + 1, len(items))):
        for place in way:
            item = text[slice(*items[place])]
            if not _is_name(item):
                break
            if not match_evidence(item, expected).correct and not _is_known(item, known):
                found.append(item)
    return found


def _items(text: str) -> Iterator[tuple[int, int]]:
    """What stands between commas and line ends, without bullets and markers."""
    start = 0
    for end, following in [*((m.start(), m.end()) for m in _ITEM_END.finditer(text)), (len(text), len(text))]:
        lead = _ITEM_TRIM.match(text, start, end)
        first = lead.end() if lead else start
        stripped = re.sub(rf"(?:\s|[.。]|{_MARKERS})+\Z", "", text[first:end])
        if stripped:
            yield first, first + len(stripped)
        start = following


def _is_name(item: str) -> bool:
    """Whether an item of an enumeration is a name, as far as its letters tell."""
    return bool(_CAPITALISED.fullmatch(item) or _SHORT_CJK.fullmatch(item))


def _length(text: str) -> int:
    return sum(2 if _CJK.match(char) else 1 for char in text)


def _is_known(text: str, known: Sequence[str]) -> bool:
    words = folded(text)
    return not words or any(words in each for each in known)


# --- statements that are made twice, or taken back


def _of_sentences(answer: str, expected: NumberExpected | TextExpected, known: Sequence[str]) -> list[str]:
    text = re.sub(_MARKERS, " ", flatten(readable(answer).text))
    sentences = [match[0] for match in _SENTENCE.finditer(text) if match[0].strip()]
    states = [match_evidence(sentence, expected) for sentence in sentences]
    if not any(state.correct for state in states):
        return []
    folded_known = [folded(each) for each in known]
    allowed = set[Decimal]().union(*map(_values, known))
    last = ""
    for sentence, state in zip(sentences, states, strict=True):
        if state.correct:
            last = ""
        elif _DECLARES.match(sentence) and _declares_other(sentence, expected, allowed):
            last = sentence
    if last:
        return _uncommitted(f"it says something else in the end ({last.strip()[:60]!r})")
    for sentence, state in zip(sentences, states, strict=True):
        for start, end in state.spans:
            frame = _frame(sentence[:start]), _frame(sentence[end:])
            if other := _restated(frame, sentences, expected, folded_known):
                return _uncommitted(f"it says the same of something else ({other[:60]!r})")
    return []


def _declares_other(sentence: str, expected: NumberExpected | TextExpected, allowed: set[Decimal]) -> bool:
    if isinstance(expected, TextExpected):
        return bool(_TAKES_BACK.match(sentence))
    told = [m for m in find_quantities(sentence) if m.role == "value" and not m.negated]
    return any(
        units_agree(expected, m) and m.scaled_value not in allowed and not _rounds(m, [expected])
        for m in told
    )


def _restated(
    around: tuple[str, str],
    sentences: Sequence[str],
    expected: NumberExpected | TextExpected,
    known: Sequence[str],
) -> str:
    """A sentence with the same words around, and something else in the place of the expected value."""
    before, after = around
    if len(before) + len(after) < _SAME_FRAME:
        return ""
    for other in sentences:
        frame = _frame(other)
        middle = frame[len(before) : len(frame) - len(after)]
        if not (frame.startswith(before) and frame.endswith(after)) or len(before) + len(after) >= len(frame):
            continue
        if not 0 < len(middle) <= _LONGEST_FILLER or match_evidence(other, expected).correct:
            continue
        if isinstance(expected, NumberExpected):
            rivals = [m for m in find_quantities(other) if m.role == "value" and units_agree(expected, m)]
            if rivals and not any(_rounds(m, [expected]) for m in rivals) and re.match(r"\W*\d", middle):
                return other.strip()
        elif not _is_known(middle, known) and _same_kind(other, middle):
            return other.strip()
    return ""


def _same_kind(sentence: str, middle: str) -> bool:
    """Whether what stands in the place of the expected text could be another answer, by its letters."""
    if _SHORT_CJK.fullmatch(middle):
        return True
    names = re.findall(r"[A-Z][\w.'’-]*(?:\s+[A-Z][\w.'’-]*)*", sentence)
    return any(folded(name) == middle for name in names)


def _frame(text: str) -> str:
    return re.sub(r"[.。,，]+\Z", "", folded(text))
