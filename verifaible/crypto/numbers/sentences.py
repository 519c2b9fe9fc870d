"""The numbers of an answer with what its sentences say of each: whose it is, of what, of when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final

from verifaible.crypto.assets.names import ACRONYMS, Name, Names, find_metrics
from verifaible.text.language import small_words
from verifaible.text.lists import words_of
from verifaible.text.markdown import Block, blocks_in, even_lines, plain, tokens_of
from verifaible.text.numbers import find_quantities
from verifaible.text.periods import Period, find_periods
from verifaible.text.quantity import Quantity
from verifaible.text.segmentation import sentences
from verifaible.text.units import read_unit, unit_kind

_IN_TURN: Final = re.compile(r"\brespectively\b|\bin that order\b|分别", re.IGNORECASE)
#: Between the clauses of a sentence.
_PARTS: Final = re.compile(
    r"[;；。，、：]|,(?=\s)|\.(?=\s)"
    r"|\s(?:and|while|whereas|but|versus|vs\.?|compared (?:to|with)|against|or)\s|(?:而|但|和|与|及)(?!量)"
)
_COORDINATED: Final = re.compile(r"[\s,()、]*(?:(?:and|or|as well as|和|与)\s*)?")
_PARTED: Final = re.compile(r"[:;：；]\s")
#: What stands before a date that names one value alone: "the 1 March close".
_ATTRIBUTIVE: Final = re.compile(r"\b(?:the|its|their|this|that|der|die|das|dem|den|vom)\s+\Z", re.IGNORECASE)
_RIGHT_BEHIND: Final = re.compile(r"[\s,(\u200b]*(?:(?:on|in|at|as of|am|le|el)\s+)?")
#: Names that stand for all coins together.
_WHOLE: Final = re.compile(
    r"\b(?:(?:whole|entire|overall|global|total) (?:crypto\w* )?market\b(?! cap)"
    r"|market as a whole\b|(?:whole|entire|overall|global|total) crypto\w*\b|all (?:crypto\w*|coins|tokens)\b"
    r"|gesamt(?:e[n]? )?markt\b|ensemble du marché|marché total|mercado total|conjunto del mercado)",
    re.IGNORECASE,
)
_OF_TWO: Final = re.compile(
    r"\b(?:(?P<former>former|erste(?:re[rs]?|r)|le premier|el primero)"
    r"|latter|letztere[rs]?|le second|el segundo)\b",
    re.IGNORECASE,
)
#: A name, and a metric right behind it, or before it with "of".
_OWNER: Final = re.compile(r"(?<![\w$])(?P<name>\$?[A-Z]{3,8}(?=['’ ])|[A-Z]\w+(?=['’]s))(?:['’]s)? +\Z")
_OWNED: Final = re.compile(r"\s+of\s+(?P<name>\$?[A-Z]\w{2,})")
#: A word with a capital right before a number: "Layer 2", "Phase 3".
_NAMED: Final = re.compile(r"(?<![\w$])(?P<word>[A-Z][\w&.]*)[ -]\Z")
_BARE: Final = re.compile(r"\d{1,4}")
#: The numbering of a list within a sentence: "(1) flows, (2) fees".
_NUMBERING: Final = re.compile(r"\((\d{1,2})\)")
#: What a function was computed with, behind its name: "MACD(12, 26, 9)".
_ARGUMENTS: Final = re.compile(r"[^\W\d]\s?\(\s*\d+(?:\s*,\s*\d+)+\s*\)")
#: Measures that data of markets are in: "au" behind a number is French, and no distance.
_MEASURES: Final = ("gwei", "wei", "cent", "BTC", "ETH")
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")
#: Languages that market reports of the suites are in, and that write decimals otherwise.
_LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt")
#: Scales and sums in those but English.
_COUNTED: Final = words_of(
    "de am um millones billones dólares millionen milliarden billionen mio mrd milliards"
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A number of an answer, at ``answer[start:end]``, and what is said of it.

    Attributes:
        quantity: the number; its places are those in its sentence.
        other: how else it can be read, where languages differ on what parts thousands.
        unit: the asset that it counts (``3 ETH``), else its unit; empty without one.
        subjects: whose it is, by its clause, else by what stands before it; an empty text: all coins.
        lent: whether the subjects are from outside its sentence.
        periods: windows and dates that go with it.
        lead: the words between the number before it and itself.
        behind: those behind it up to the next number.
        before: the words of its clause before the lead.
        verb: whether words that name nothing stand before it, which may tell a direction.
        states_value: whether it says how much something is: no part of a name, no length of time.
    """

    start: int
    end: int
    quantity: Quantity
    other: Quantity | None
    unit: str
    subjects: frozenset[str]
    lent: bool
    periods: tuple[Period, ...]
    lead: str
    behind: str
    before: str
    verb: bool
    states_value: bool


def language_among(text: str) -> str:
    """The language whose commonest words a text has most of; English where others have no more."""
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    counted = len(words & _COUNTED)
    return max(_LANGUAGES, key=lambda each: len(words & small_words(each)) + counted * (each != "en"))


def spoken_numbers(answer: str, names: Names, *, at: datetime | None, topic: str = "") -> Iterator[Spoken]:
    """The numbers of an answer that are values, in order.

    Dates, periods, the numbering of lists, ordinals and versions are none; a number in words is one with a
    scale only (two million).

    Args:
        answer: the text, with an invisible character for each one of a mark.
        names: the names known.
        at: when "today" is.
        topic: the question; if it names one asset, an answer that names none is of that.
    """
    language = language_among(answer)
    heading = above = _only(names.find(topic))
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
            sentence = Sentence(prefix + shown.text[start:end], names, at, language)
            shift = start - len(prefix)
            for index, number in enumerate(sentence.numbers):
                if number.start + shift < start or not _is_value(number):
                    continue
                stated = True
                span = shown.span(number.start + shift, number.end + shift)
                place = block.offsets[span[0]], block.offsets[span[1] - 1] + 1
                yield sentence.spoken(index, place, named)
            named = _only(sentence.all_names, named)
        if block.kind == "heading":
            heading = above = named
        elif block.kind == "paragraph" or (block.kind == "item" and not stated):  # leads up to list items
            above = named


def _labels(cells: Sequence[Block]) -> str:
    """What names the last of a row's cells: the first cell of the row, and the head of its column."""
    last = cells[-1]
    head = last.header[len(cells) - 1] if len(cells) <= len(last.header) else ""
    first = plain(cells[0].content).text.strip() if len(cells) > 1 else ""
    shown = " ".join(filter(None, (first, plain(head).text.strip())))
    return f"{shown}: " if shown else ""


def _only(found: Sequence[Name], before: frozenset[str] = frozenset()) -> frozenset[str]:
    """The one asset among names; without any, what was spoken of before."""
    assets = frozenset(name.value for name in found if name.kind == "asset")
    return assets if len(assets) == 1 else frozenset() if assets else before


def _is_value(number: Quantity) -> bool:
    """Whether a number is one: "one Bitcoin", "two reasons" are words."""
    scaled = number.scale != 1 or abs(number.value) >= 1000
    return number.worded or scaled or any(char.isdigit() for char in number.raw)


@dataclass(frozen=True)
class Sentence:
    """A sentence with its names, metrics, periods and numbers, and the clauses that they stand in."""

    text: str
    known: Names
    at: datetime | None
    language: str

    @cached_property
    def all_names(self) -> tuple[Name, ...]:
        """Every name, also one that is the unit of a number (3 ETH)."""
        return self.known.find(self.text)

    @cached_property
    def periods(self) -> tuple[Period, ...]:
        """Windows and dates, in order."""
        return find_periods(self.text, self.at, "" if self.language == "en" else self.language)

    @cached_property
    def numbers(self) -> tuple[Quantity, ...]:
        """The values: no part of a date, a name or a marker."""
        return tuple(each for each in self._read(self.comma) if each.role in ("value", "range"))

    @cached_property
    def comma(self) -> bool | None:
        """Whether a comma parts decimals; None: as each number tells."""
        return True if self.language != "en" else None

    def _read(self, comma: bool | None) -> tuple[Quantity, ...]:
        """The numbers outside of periods and names; a name before or behind one is no currency of its own."""
        chars = list(self.text)
        for name in self.all_names:
            chars[name.start : name.end] = "q" * (name.end - name.start)
        language = "" if self.language == "en" else self.language
        taken = _spans(self.periods, self.all_names)
        found = find_quantities("".join(chars), decimal_comma=comma, language=language)
        return tuple(each for each in found if not any(s <= each.start < e for s, e in taken))

    def _other_reading(self, number: Quantity) -> Quantity | None:
        """A number with points for decimals, where the language of its text tells otherwise."""
        if not self.comma:
            return None
        return next((each for each in self._read(False) if each.start == number.start), None)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The names that are no unit of a number."""
        return tuple(name for name in self.all_names if not any(self._unit_of(n, name) for n in self.numbers))

    def _unit_of(self, number: Quantity, name: Name) -> bool:
        between = self.text[number.end : name.start] if number.end <= name.start else "-"
        return not number.unit and not between.strip(" \u00a0\u200b")

    @cached_property
    def metrics(self) -> tuple[Name, ...]:
        """The metrics, in order."""
        taken = _spans(self.numbers, self.all_names)
        return tuple(
            each
            for each in find_metrics(self.text)
            if not any(s < each.end and each.start < e for s, e in taken)
        )

    @cached_property
    def clauses(self) -> tuple[tuple[int, int], ...]:
        """Clauses, each but the last with a number: what leads up to a number belongs to its clause."""
        spans = _spans(self.all_names, self.metrics, self.periods, self.numbers)
        edges = [0]
        for match in _PARTS.finditer(self.text):
            inside = any(s < match.end() and match.start() < e for s, e in spans)
            if inside or self._joins_names(match):
                continue
            if any(edges[-1] <= number.start < match.start() for number in self.numbers):
                edges.append(match.end())
        return tuple(zip(edges, [*edges[1:], len(self.text)], strict=True))

    def _joins_names(self, match: re.Match[str]) -> bool:
        """Whether a sign or word stands between two names alone: "BTC and ETH"."""
        before = max((name.end for name in self.names if name.end <= match.start()), default=-1)
        after = min((name.start for name in self.names if name.start >= match.end()), default=-1)
        if min(before, after) < 0:
            return False
        return bool(_COORDINATED.fullmatch(self.text, before, after))

    def spoken(self, index: int, place: tuple[int, int], before: frozenset[str]) -> Spoken:
        """What is said of a number.

        Args:
            index: which of the numbers.
            place: where it stands in the answer.
            before: what was spoken of before this sentence.
        """
        number, text = self.numbers[index], self.text
        first, last = next(each for each in self.clauses if each[0] <= number.start < each[1])
        earlier = [each.end for each in self.numbers[:index] if unit_kind(each.unit) != "time"]
        previous = earlier[-1] if earlier else 0
        following = self.numbers[index + 1].start if index + 1 < len(self.numbers) else len(text)
        own = self._subjects(index, first)
        return Spoken(
            start=place[0],
            end=place[1],
            quantity=number,
            other=self._other_reading(number),
            unit=self._unit(number),
            subjects=own or before,
            lent=not own,
            periods=(*self._windows(index, first, last), *self._dates(index, first, last)),
            lead=text[previous : number.start],
            behind=text[number.end : following],
            before=text[first:previous],
            verb=self._has_verb(previous, number.start) or self._has_verb(number.end, min(following, last)),
            states_value=not self._is_label(number)
            and unit_kind(number.unit) != "time"
            and any(char.isdigit() for char in number.raw),
        )

    def _unit(self, number: Quantity) -> str:
        """The asset that is named as the unit, else the unit as the text's reader has it."""
        behind = [name for name in self.all_names if self._unit_of(number, name) and name.kind == "asset"]
        if behind:
            return behind[0].value
        known = unit_kind(number.unit) not in ("", "measure") or number.unit in _MEASURES
        return number.ticker or (number.unit if known else "")

    def _subjects(self, index: int, first: int) -> frozenset[str]:
        """Whose a number is, by its own sentence; of names and numbers in one order, by its place.

        A name that no table has is one, too, where it stands as the owner of a metric: "FOO's price".
        """
        start, text = self.numbers[index].start, self.text
        assets = [name for name in self.names if name.kind == "asset"]
        if _IN_TURN.search(text):
            listed = [name.value for name in assets if name.end <= self.numbers[0].start]
            if len(listed) == len(self.numbers):
                return frozenset((listed[index],))
        clause = text[first:start]
        if _WHOLE.search(clause) and not self.known.find(clause):
            return frozenset(("",))
        two = list(_OF_TWO.finditer(clause))
        if two and len(assets) >= 2:
            return frozenset((assets[0 if two[-1]["former"] else 1].value,))
        parted = max((match.end() for match in _PARTED.finditer(text, 0, start)), default=0)
        own = frozenset(name.value for name in assets if parted <= name.start < start) if parted else None
        own = own or self._of_clauses(start) or self._unknown(start) or _only(self.all_names)
        previous = self.numbers[index - 1].end if index else 0
        near = [each for each in self.all_names if previous <= each.start < start and each.kind == "asset"]
        return own.union(each.value for each in near[-1:]) if own else own  # "one ether is worth"

    def _of_clauses(self, at: int) -> frozenset[str]:
        """The assets of the clause around a place, or of the last one before it that names any."""
        for start, end in reversed([each for each in self.clauses if each[0] <= at]):
            if found := [
                name for name in self.names if start <= name.start < end and name.kind != "provider"
            ]:
                return frozenset(name.value for name in found if name.kind == "asset")
        return frozenset()

    def _unknown(self, end: int) -> frozenset[str]:
        """A name that no table has, as the owner of the last metric before a number."""
        for metric in reversed([each for each in self.metrics if each.end <= end]):
            owner = _OWNER.search(self.text[: metric.start]) or _OWNED.match(self.text, metric.end)
            name = owner["name"] if owner else ""
            if (
                name
                and name not in ACRONYMS
                and not read_unit(name).currencies
                and not self.known.resolve(name)
            ):
                return frozenset((name,))
        return frozenset()

    def _windows(self, index: int, first: int, last: int) -> tuple[Period, ...]:
        """The lengths of time beside a number: before it, else behind it up to the next metric."""
        number = self.numbers[index]
        previous = self.numbers[index - 1].end if index else 0
        following = self.numbers[index + 1].start if index + 1 < len(self.numbers) else len(self.text)
        inside = [each for each in self.periods if not each.dated and first <= each.start < last]
        before = tuple(each for each in inside if previous <= each.start < number.start)
        after = tuple(
            each
            for each in inside
            if number.end <= each.start < following
            and not (
                following < last and any(each.end <= metric.start < following for metric in self.metrics)
            )
        )
        return before if before and following < last else before + after

    def _dates(self, index: int, first: int, last: int) -> tuple[Period, ...]:
        """The dates of a number: one right behind it; else those of its clause, or of its sentence, that
        stand right behind no other number."""
        dated = [each for each in self.periods if each.dated]
        owners: dict[Period, int] = {}
        for at, number in enumerate(self.numbers):
            for each in dated:
                if each.start < number.start and _ATTRIBUTIVE.search(self.text[: each.start]):
                    owners.setdefault(each, at)  # "the 1 March close of 5"
                elif each.start >= number.end and _RIGHT_BEHIND.fullmatch(self.text, number.end, each.start):
                    owners[each] = at
        own = tuple(each for each, at in owners.items() if at == index)
        free = tuple(each for each in dated if each not in owners)
        return own or tuple(each for each in free if first <= each.start < last) or free

    def _has_verb(self, start: int, end: int) -> bool:
        """Whether words stand between two places that are neither names, metrics, nor small words."""
        chars = list(self.text[start:end])
        for first, last in _spans(self.all_names, self.metrics, self.periods):
            low, high = max(first - start, 0), min(last - start, len(chars))
            if low < high:
                chars[low:high] = " " * (high - low)
        return any(word.lower() not in _STATING for word in _LETTERS.findall("".join(chars)))

    def _is_label(self, number: Quantity) -> bool:
        """Whether a bare number ends a name, numbers a list, or is the argument of a function."""
        text = self.text
        if number.unit or not _BARE.fullmatch(number.raw.strip()):
            return False
        listed = list(_NUMBERING.finditer(text))
        in_order = [each[1] for each in listed] == [str(at) for at in range(1, len(listed) + 1)]
        if in_order and any(each.start() <= number.start <= each.start(1) for each in listed):
            return True
        if any(each.start() < number.start < each.end() for each in _ARGUMENTS.finditer(text)):
            return True
        match = _NAMED.search(text[: number.start])
        if not match or match["word"].lower() in _STATING:
            return False
        return not self.known.find(match["word"]) and not find_metrics(match["word"])


def _spans(*found: Sequence[Name] | Sequence[Period] | Sequence[Quantity]) -> list[tuple[int, int]]:
    return [(each.start, each.end) for group in found for each in group]


#: Words that say that something is so, and tell no direction.
_STATING: Final = small_words("en") | words_of(
    "stands stood sits sat amounts comes came now currently about roughly around nearly almost some only just"
    " today its their over past last day days hours week month worth annualised annualized maximum data say"
)
