"""Whether evidence holds a fact: numbers and dates by value, names and codes by their words.

A number is held only by an equal value of the same sign with a unit that can be its own; a number that the
evidence denies, or gives as a limit, does not hold one that the sentence states as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from typing import Final, TypeAlias

from verifaible.answers.facts import StatedFact
from verifaible.answers.moments import Moments
from verifaible.old.numbers import NumberMention, decimal_comma_of, find_numbers
from verifaible.old.units import SCALES, Currencies, told_units, unit_kind, unit_words
from verifaible.schema.base import EvidenceType, Record
from verifaible.text.conventions import shows_comma
from verifaible.text.flat import flatten
from verifaible.text.qualifiers import falls, limit_of
from verifaible.text.units import Unit, may_be_same

#: Evidence with more numbers than this singles none out; the verified score of the bench has the same bound.
MAX_NUMBERS: Final = 40

_ANYTHING: Final = frozenset("个次单件")
_BRACKETED = re.compile(r"[(（\[]([^()（）\[\]]{1,24})[)）\]]")
#: Behind a number: more than it, if only a little.
_OVER_IT: Final = ("余", "多", "+")
_ENDS = re.compile(
    r"\b(?:upper|lower|top|bottom|limit|bound|end|minimum|maximum|floor|ceiling|ober\w*|unter\w*|höchst\w*"
    r"|mindest\w*|supérieure?|inférieure?|minimale?|maximale?)\b|上限|下限|上端|下端|最高|最低",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\s,;:!?.'\"\-—–…·()\[\]，。；：！？、《》「」『』“”‘’«»*_]+")
_ADMINISTRATIVE = re.compile(r"(?<=[\u3400-\u9fff]{2})[省市县県府都]\Z")
_CJK = re.compile(r"[\u3041-\u9fff]")
_POSSESSIVE = re.compile(r"['’]s?\Z")


class CitedEvidence(Record):
    """A citation as an answer rests on it.

    Attributes:
        id: the citation's id in its store.
        evidence_type: what sort of evidence it is.
        text: the highlighted words: what is cited must stand in them.
        around: what their sentence says before them and behind them: how they are meant.
        headers: of a table: the paths of row and column, its caption and heading.
        title: of the page; names and dates may stand there, numbers not.
        page_text: what a reader sees on the page, where it is known: a cell's unit may stand there.
        ok: whether the citation verifies.
        reason: why it does not; else empty.
    """

    id: str
    evidence_type: EvidenceType = "text"
    text: str = ""
    around: tuple[str, str] = ("", "")
    headers: tuple[str, ...] = ()
    title: str = ""
    page_text: str = ""
    ok: bool = True
    reason: str = ""


class Holds:
    """What one piece of evidence holds.

    Args:
        evidence: the citation.
        decimal_comma: how to read ``12,4`` where the evidence has no words that tell.
    """

    def __init__(self, evidence: CitedEvidence, *, decimal_comma: bool | None = None) -> None:
        self._evidence = evidence
        self._comma = decimal_comma
        self._table = evidence.evidence_type == "table"

    @cached_property
    def _lines(self) -> tuple[str, ...]:
        return (self._evidence.text, *self._evidence.headers)

    @cached_property
    def _moments(self) -> Moments:
        headers = " ".join(self._evidence.headers)
        return Moments("\n".join((self._evidence.text, headers, self._evidence.title)))

    @cached_property
    def _folded(self) -> str:
        return fold_name("\n".join((*self._lines, self._evidence.title)))

    @cached_property
    def _words(self) -> str:
        return " ".join((*self._lines, self._evidence.title))

    @cached_property
    def mentions(self) -> tuple[tuple[str, NumberMention], ...]:
        """Every number of the highlighted words and the headers, with the line it stands in."""
        flat = flatten(" ".join((*self._lines, self._evidence.title)))
        comma = decimal_comma_of(flat)
        if comma is None:
            comma = shows_comma(flatten(self._evidence.text)) or bool(self._comma)
        found = []
        for line in self._lines:
            words = line if self._table else _apart(line)
            found += [(words, mention) for mention in find_numbers(words, decimal_comma=comma)]
        if not any(self._evidence.around):
            return tuple(found)
        # What is said of a number stands in the sentence, the number itself in the highlighted words.
        before, text, behind = map(
            _apart, (self._evidence.around[0], self._evidence.text, self._evidence.around[1])
        )
        return tuple(
            (before + text + behind, mention)
            for mention in find_numbers(before + text + behind, decimal_comma=comma)
            if len(before) <= mention.start and mention.end <= len(before + text)
        )

    @cached_property
    def crowded(self) -> bool:
        """Whether it holds so many numbers that it singles none out."""
        return sum(mention.role == "value" for _, mention in self.mentions) > MAX_NUMBERS

    @cached_property
    def _told(self) -> tuple[Unit, ...]:
        return told_units(*self._evidence.headers) if self._table else told_units(self._evidence.text)

    @cached_property
    def _falls(self) -> bool:
        """Whether a header of the cell says that its numbers are falls (降幅)."""
        heads = [_BRACKETED.sub("", header).strip() for header in self._evidence.headers]
        return self._table and any(falls(head, "") for head in heads if head)

    def holds(self, fact: StatedFact, sentence: str, told: tuple[Unit, ...] = ()) -> bool:
        """Whether it holds a fact of a sentence.

        Args:
            fact: the fact; its offsets count in ``sentence``.
            sentence: the plain text.
            told: units that the head of the sentence's table gives.
        """
        if fact.moment is not None:
            return self._moments.state(fact.moment)
        if fact.kind == "name":
            return self._states_name(fact.raw)
        if fact.kind == "code":
            code = re.escape(flatten(fact.raw))
            pattern = rf"(?<!\d)(?<!\d[.-]){code}(?!\d|[.-]\d)"
            return re.search(pattern, flatten(self._words), re.IGNORECASE) is not None
        assert fact.number is not None
        if fact.kind == "ordinal":
            return any(
                mention.value == fact.number.value and mention.role in ("ordinal", "value")
                for _, mention in self.mentions
            )
        if self.crowded:
            return False
        return any(self._is(fact.number, sentence, told, line, mention) for line, mention in self.mentions)

    # --- numbers

    def _is(
        self, wanted: NumberMention, sentence: str, told: tuple[Unit, ...], line: str, found: NumberMention
    ) -> bool:
        if found.role not in ("value", "range") or found.negated != wanted.negated:
            return False
        if found.role == "range" and wanted.role != "range" and not _ENDS.search(sentence):
            return False
        if not _limits_agree(_limit(sentence, wanted), _limit(line, found)):
            return False
        in_cell = self._table and line == self._evidence.text
        readings = _readings(found, self._told if in_cell or not self._table else ())
        if in_cell and self._falls and not found.sign_source:
            readings = tuple((-value, unit, codes) for value, unit, codes in readings)
        bare = not found.unit and found.scale == 1
        untold = in_cell and bare and not self._told and self._page_tells(wanted)
        for own in _readings(wanted, told):
            if any(own[0] == there[0] and _units_agree(own, there, untold) for there in readings):
                return True
        if untold:
            sign = -1 if self._falls and not found.sign_source else 1
            return wanted.value == sign * found.value and wanted.scale != 1
        return False

    def _page_tells(self, wanted: NumberMention) -> bool:
        """Whether the page of a cell has the unit and the scale of a number somewhere; so it has if unknown.

        Tables of rates often have no sign of it anywhere: a per cent is taken without one.
        """
        page = flatten(self._evidence.page_text).lower()
        if not page:
            return True
        scales = [
            word for word, factor in SCALES.items() if factor == wanted.scale and len(word.encode()) > 1
        ]
        spelled = unit_words(wanted.unit) or (wanted.unit.lower(),)
        unit = wanted.unit in ("", "%") or _has_word(page, spelled)
        return unit and (wanted.scale == 1 or _has_word(page, scales))

    # --- names

    def _states_name(self, name: str) -> bool:
        if _CJK.search(name):
            needle = fold_name(name)
            stem = _ADMINISTRATIVE.sub("", needle)
            if needle in self._folded:
                return True
            return (
                stem != needle
                and re.search(rf"{re.escape(stem)}(?![省市县區区州県府都])", self._folded) is not None
            )
        words = [_POSSESSIVE.sub("", word) for word in _SIGNS.split(_latin(name)) if word]
        between = r"(?:[\s\W_]+(?:[^\W\d_]\w*\.?[\s\W_]+){0,2}?)"
        pattern = rf"(?<!\w){between.join(re.escape(word) for word in words)}(?![^\W\d_])"
        if not words or not re.search(r"\w\Z", words[-1]):
            return False
        digit_after = r"(?!\.?\d)" if words[-1][-1].isdigit() else ""
        return re.search(pattern + digit_after, _latin(self._words), re.IGNORECASE) is not None


def _apart(text: str) -> str:
    """A text in which no number goes on from line to line."""
    return text.replace("\n", " ; ")


def _has_word(text: str, words: Iterable[str]) -> bool:
    """Whether one of some words stands in a text in lower case; ``?`` makes the letter before it optional."""
    patterns = (re.escape(word).replace(r"\?", "?") for word in words)
    return re.search(rf"(?<![a-zäöüß])(?:{'|'.join(patterns)})(?![a-zäöüß])", text) is not None


def _latin(text: str) -> str:
    """A text in one form, with its accents; CJK neighbours part words."""
    return _CJK.sub(" ", unicodedata.normalize("NFKC", text))


def fold_name(text: str) -> str:
    """A text by which Chinese and Japanese names are compared: without blanks, signs and case."""
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text).casefold())


#: A value with its unit and the currencies that it can be.
_Reading: TypeAlias = tuple[Decimal, str, Currencies]


def _readings(mention: NumberMention, told: tuple[Unit, ...]) -> tuple[_Reading, ...]:
    """A number as value and unit; one without a unit of its own has those that it is told."""
    if mention.unit or mention.scale != 1:
        value = mention.scaled_value
        given = (each for each in told if not mention.unit and each.scale == 1)
        own = (value, mention.unit, mention.currencies)
        return (own, *((value, each.name, each.currencies) for each in given))
    readings = tuple((mention.value * each.scale, each.name, each.currencies) for each in told)
    return readings if any(each.scale != 1 for each in told) else ((mention.value, "", ()), *readings)


def _units_agree(wanted: _Reading, found: _Reading, untold_cell: bool) -> bool:
    """Whether a number in the sentence's unit can be the one in the evidence's."""
    (value, unit, currencies), (_, other, others) = wanted, found
    if unit == other or may_be_same(currencies, others):
        return True
    kinds = unit_kind(unit), unit_kind(other)
    if not other:
        return untold_cell or kinds[0] == "count"
    if not unit:
        exponent = value.as_tuple().exponent
        return kinds[1] in ("count", "money", "measure") or (
            other == "%" and isinstance(exponent, int) and exponent < 0
        )
    return kinds == ("count", "count") and bool(_ANYTHING & {unit, other})


def _limit(text: str, mention: NumberMention) -> tuple[int, bool]:
    """Which way a limit goes (1 upwards, -1 downwards, 0 none), and whether it takes in its own value."""
    if not mention.bound:
        return 0, True
    flat = flatten(text)
    before, after = flat[max(0, mention.start - 24) : mention.start], flat[mention.end : mention.end + 10]
    sign = limit_of(before, "")
    if sign in ("", "~<"):
        sign = limit_of("", after)
        sign = ">" if sign and after.lstrip().startswith(_OVER_IT) else sign
    return (1 if sign[0] == ">" else -1, sign.endswith("=")) if sign else (2, False)


def _limits_agree(wanted: tuple[int, bool], found: tuple[int, bool]) -> bool:
    return wanted == found or (found[0] == 0 and wanted[0] in (1, -1) and wanted[1])
