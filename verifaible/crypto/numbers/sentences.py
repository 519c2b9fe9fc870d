"""The numbers of an answer as its sentences bind them: what each is of, and where it stands in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from verifaible.crypto.numbers.gloss import is_foreign
from verifaible.judge.numbers.quantities import NOT_TICKERS
from verifaible.judge.rules.lexicon import ACRONYMS, Lexicon, find_metrics
from verifaible.judge.rules.plain_words import content_words
from verifaible.judge.rules.tagging import Bound, Tagged
from verifaible.old.units import read_unit, unit_kind
from verifaible.text.markdown import Block, blocks_in, even_lines, plain, tokens_of
from verifaible.text.segmentation import sentences

_IN_TURN: Final = re.compile(r"\brespectively\b|\bin that order\b|分别", re.IGNORECASE)
_PARTED: Final = re.compile(r"[:;：；]\s")
_RIGHT_BEHIND: Final = re.compile(r"[\s,(]*(?:on|in|at|as of)?\s*")
#: Names that stand for all coins together.
_WHOLE: Final = re.compile(
    r"\b(?:(?:whole|entire|overall|global|total) (?:crypto\w* )?market\b(?! cap)"
    r"|market as a whole\b|(?:whole|entire|overall|global|total) crypto\w*\b"
    r"|all (?:crypto\w*|coins|tokens)\b)",
    re.IGNORECASE,
)
_OF_TWO: Final = re.compile(r"\b(?:(?P<former>former)|latter)\b", re.IGNORECASE)
#: What stands before a date that names one value alone: "the 1 March close".
_ATTRIBUTIVE: Final = re.compile(r"\b(?:the|its|their|this|that|der|die|das|dem|den|vom)\s+\Z", re.IGNORECASE)
#: A ticker or a name, and a metric right behind it, or before it with "of".
_OWNER: Final = re.compile(r"(?<![\w$])(?P<name>\$?[A-Z]{3,8}(?=['’ ])|[A-Z]\w+(?=['’]s))(?:['’]s)? +\Z")
_OWNED: Final = re.compile(r"\s+of\s+(?P<name>\$?[A-Z]\w{2,})")
#: A word with a capital right before a number: "Layer 2", "Phase 3".
_NAMED: Final = re.compile(r"(?<![\w$])(?P<word>[A-Z][\w&.]*)[ -]\Z")
_BARE: Final = re.compile(r"\d{1,4}")
#: The numbering of a list within a sentence: "(1) flows, (2) fees".
_NUMBERING: Final = re.compile(r"\((\d{1,2})\)")
#: What a function was computed with, behind its name: "MACD(12, 26, 9)".
_ARGUMENTS: Final = re.compile(r"[^\W\d]\s?\(\s*\d+(?:\s*,\s*\d+)+\s*\)")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A number of an answer: ``answer[start:end]``, and what is said of it.

    Attributes:
        bound: the number with what its own sentence, list item or table row binds it to.
        subjects: what it is of, by its own clause; else by what stands before it; empty text: all coins.
        lent: whether the subjects are from outside of its sentence.
        dates: the calendar dates beside it, else all of its sentence.
        lead: the words between the number before it and itself.
        behind: those behind it up to the next number.
        before: the words of the sentence before the lead.
        verb: whether words that name nothing stand before or right behind it, and may tell a direction.
        foreign: whether the answer is in a language that may part thousands by stops.
        states_value: whether it says how much something is: no part of a name ("Layer 2"), no length of time.
    """

    start: int
    end: int
    bound: Bound
    subjects: frozenset[str]
    lent: bool
    dates: frozenset[str]
    lead: str
    behind: str
    before: str
    verb: bool
    foreign: bool
    states_value: bool


def spoken_numbers(
    answer: str, lexicon: Lexicon, *, at: datetime | None, topic: str = ""
) -> Iterator[Spoken]:
    """The numbers of an answer that are values, in order.

    Dates, periods, times, the numbering of lists, ordinals and versions are none, by the reader of numbers
    that judging uses; a number in words counts with a scale only (two million).

    Args:
        answer: the text, with an invisible character for each one of a mark.
        lexicon: the names known.
        at: what "today" is.
        topic: the question; if it names one asset, an answer that names none is of that.
    """
    heading = above = _of_one(topic, lexicon)
    foreign = is_foreign(answer)
    cells: list[Block] = []
    body = even_lines(answer)
    for block in blocks_in(body, tokens_of(body)):  # empty cells too: the next one has another head
        if block.kind in ("row", "header"):
            cells = [*cells, block] if cells and cells[0].group == block.group else [block]
        prefix = _labels(cells) if block.kind == "row" else ""
        shown = plain(block.content)
        named = above if block.kind == "item" else heading
        stated = False
        for start, end in sentences(shown.text):
            tagged = Tagged(prefix + shown.text[start:end], lexicon, at)
            shift = start - len(prefix)
            for bound in tagged.bound:
                first, last = bound.quantity.start + shift, bound.quantity.end + shift
                if first < start or not _is_value(bound):
                    continue
                stated = True
                own = _subjects(tagged, bound)
                before, lead, behind = _lead(tagged, bound)
                span = shown.span(first, last)
                yield Spoken(
                    start=block.offsets[span[0]],
                    end=block.offsets[span[1] - 1] + 1,
                    bound=bound,
                    subjects=own or named,
                    lent=not own,
                    dates=_dates(tagged, bound),
                    lead=lead,
                    behind=behind,
                    before=before,
                    verb=bool(bound.close or content_words(tagged.masked[: bound.quantity.start])),
                    foreign=foreign,
                    states_value=not _is_label(tagged, bound) and unit_kind(bound.quantity.unit) != "time",
                )
            named = _of_one(tagged.text, lexicon, before=named)
        if block.kind == "heading":
            heading = above = named
        elif block.kind == "paragraph" or (block.kind == "item" and not stated):  # leads up to list items
            above = named


def _labels(cells: Sequence[Block]) -> str:
    """What names the last of a row's cells: the first cell of the row, and the head of its column."""
    last = cells[-1]
    head = last.header[len(cells) - 1] if len(cells) <= len(last.header) else ""
    first = plain(cells[0].content).text.strip() if len(cells) > 1 else ""
    told = " ".join(filter(None, (first, plain(head).text.strip())))
    return f"{told}: " if told else ""


def _of_one(text: str, lexicon: Lexicon, *, before: frozenset[str] = frozenset()) -> frozenset[str]:
    """The asset that a text speaks of: the only one that it names, or what was spoken of before it."""
    found = frozenset(name.value for name in lexicon.find(text) if name.kind == "asset")
    return found if len(found) == 1 else frozenset() if found else before


def _subjects(tagged: Tagged, bound: Bound) -> frozenset[str]:
    """What a number is of, by its own sentence; of names and numbers in one order, by its place.

    A name that no table has is one, too, where it stands as the owner of a metric: "FOO's price".
    """
    text, number = tagged.text, bound.quantity
    names = [name for name in tagged.names if name.kind == "asset"]
    if _IN_TURN.search(text):
        first = tagged.bound[0].quantity.start
        listed = [name.value for name in names if name.end <= first]
        if len(listed) == len(tagged.bound):
            return frozenset((listed[tagged.bound.index(bound)],))
    clause = text[tagged.clauses[tagged.clause_of(number.start)][0] : number.start]
    if _WHOLE.search(clause) and not tagged.lexicon.find(clause):
        return frozenset(("",))
    two = list(_OF_TWO.finditer(clause))
    if two and len(names) >= 2:
        return frozenset((names[0 if two[-1]["former"] else 1].value,))
    parted = max((match.end() for match in _PARTED.finditer(text, 0, number.start)), default=0)
    own = frozenset(name.value for name in names if parted <= name.start < number.start)
    if not parted or not own:
        own = frozenset(name for name in bound.subjects if tagged.lexicon.kind(name) == "asset")
    own = own or _unknown(tagged, number.start) or _of_one(text, tagged.lexicon)
    place = tagged.bound.index(bound)
    previous = tagged.bound[place - 1].quantity.end if place else 0
    named = [each for each in tagged.all_names if previous <= each.start < number.start]
    last = [each.value for each in named if each.kind == "asset"][-1:]  # a unit too: "one ether is worth"
    return own.union(last) if own else own


def _unknown(tagged: Tagged, end: int) -> frozenset[str]:
    """A name that no table has, as the owner of the last metric before a number."""
    for metric in reversed([each for each in tagged.metrics if each.end <= end]):
        owner = _OWNER.search(tagged.masked, 0, metric.start) or _OWNED.match(tagged.masked, metric.end)
        name = owner["name"] if owner else ""
        if name and name not in ACRONYMS | NOT_TICKERS and not read_unit(name).currencies:
            return frozenset((name,))
    return frozenset()


def _dates(tagged: Tagged, bound: Bound) -> frozenset[str]:
    """The calendar dates of a number: those of its clause, else of its sentence; never one right behind
    the number before it ("from 5 on Monday to 6")."""
    numbers = [each.quantity for each in tagged.bound]
    place = numbers.index(bound.quantity)
    previous, end = numbers[place - 1].end if place else 0, bound.quantity.end
    goes_on = place + 1 < len(numbers)
    dated = [each for each in tagged.periods if each.dated]
    taken = frozenset(
        each.value
        for each in dated
        if (
            place
            and previous <= each.start < bound.quantity.start
            and _RIGHT_BEHIND.fullmatch(tagged.text, previous, each.start)
        )
        or (
            not previous <= each.start < bound.quantity.start
            and _ATTRIBUTIVE.search(tagged.text, 0, each.start)
        )
        or (goes_on and any(end <= metric.start < each.start for metric in tagged.metrics))
    )
    return (bound.dates or frozenset(each.value for each in dated)) - taken


def _lead(tagged: Tagged, bound: Bound) -> tuple[str, str, str]:
    """The words of the sentence up to the number before, those up to a number, and those up to the next."""
    numbers = [each.quantity for each in tagged.bound]
    place = numbers.index(bound.quantity)
    start = numbers[place - 1].end if place else 0
    end = numbers[place + 1].start if place + 1 < len(numbers) else len(tagged.text)
    text = tagged.text
    return text[:start], text[start : bound.quantity.start], text[bound.quantity.end : end]


def _is_value(bound: Bound) -> bool:
    """Whether a number is one: "one Bitcoin", "two reasons" are words."""
    number = bound.quantity
    return any(char.isdigit() for char in number.mention.raw) or number.mention.scale != 1 or number.worded


def _is_label(tagged: Tagged, bound: Bound) -> bool:
    """Whether a bare number is the end of a name, the numbering of a list, or an argument of a function.

    The end of a name stands behind a word with a capital that is no asset and no metric.
    """
    number, text = bound.quantity, tagged.text
    if number.unit or not _BARE.fullmatch(number.mention.raw.strip()):
        return False
    listed = list(_NUMBERING.finditer(text))
    in_order = [each[1] for each in listed] == [str(at) for at in range(1, len(listed) + 1)]
    if in_order and any(each.start() <= number.start <= each.start(1) for each in listed):
        return True
    if any(each.start() < number.start < each.end() for each in _ARGUMENTS.finditer(text)):
        return True
    match = _NAMED.search(text, 0, number.start)
    if not match or not content_words(match["word"]):
        return False
    return not tagged.lexicon.find(match["word"]) and not find_metrics(match["word"])
