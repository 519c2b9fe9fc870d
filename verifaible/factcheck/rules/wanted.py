"""What a claim states: its values with subject, metric and period, as the places of sources are read."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Final

from verifaible.factcheck.numbers.periods import find_periods
from verifaible.factcheck.numbers.quantities import Quantity, told_unit_of
from verifaible.factcheck.rules.lexicon import ACRONYMS, Lexicon, find_metrics, metric_units, names_of
from verifaible.factcheck.plain_words import QUALIFYING, content_words, forecast
from verifaible.factcheck.rules.reading import Manner
from verifaible.factcheck.rules.tagging import Bound, Tagged
from verifaible.schema.analyst import Claim

_TAG: Final = re.compile(r"<[^<>\n]{1,200}>")
_MARK: Final = re.compile(
    r"\[(?:@v:|\^)?\d+(?:\s*[,;-]\s*\d+)*\]|【\d+】|\((?:https?://|src_)[^()\s]*\)|https?://\S+"
)
_LINK: Final = re.compile(r"\[([^\[\]\n]*)\]\((?:https?://)[^()\s]*\)")
_EMPHASIS: Final = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_CAPITAL: Final = re.compile(r"(?<![A-Za-z0-9_$])[A-Z][A-Za-z0-9_À-ÿ]+(?:[.'’-][A-Za-z0-9_À-ÿ]+)*")
#: How an answer leads up to a claim without saying anything of it.
_OPENER: Final = re.compile(
    r"\A\W*(?:bottom line|short answer|quick answer|answer|in short|in brief|in summary|summary|tl;?dr|key"
    r" (?:point|takeaway|finding|fact)s?|takeaways?|conclusion|verdict|ahead|note|context|background|update"
    r"|结论|总结|要点|小结|简而言之|总的来说|一句话)\s*[:：,，]\s*",
    re.IGNORECASE,
)
_RANKED: Final = re.compile(r"\A\W*#\s?(\d{1,5})\W*\Z")
_NO_SUBJECT: Final = re.compile(
    r"\A\W*(?:it|its|they|their|he|she|this|these|that|those|the (?:token|coin|price|protocol|project"
    r"|asset|company|platform|network|team))\b",
    re.IGNORECASE,
)
_MOST_LABEL: Final = 300


@dataclass(frozen=True, slots=True)
class Want:
    """One value that a claim states, with what it says it is of; the names are those of a reading.

    ``close`` has the words that lead up to it, ``around`` those of its clause. ``dates`` are its own, of a
    cell those of its column and row; ``over`` those that a label further out has, where it has none.
    """

    quantity: Quantity
    subjects: frozenset[str]
    metric: str
    windows: frozenset[str]
    dates: frozenset[str]
    manner: frozenset[Manner]
    words: frozenset[str]
    close: frozenset[str]
    around: frozenset[str]
    direction: int
    over: frozenset[str] = frozenset()


class Wanted:
    """A claim as the rules read it.

    Args:
        claim: the claim; ``context`` says what it is about where its text does not.
        lexicon: the names known.
        at: what "today" is.
        topic: the query of the answer.
    """

    def __init__(
        self, claim: Claim, lexicon: Lexicon, *, at: datetime | None = None, topic: str = ""
    ) -> None:
        self.claim = claim
        self.text = plain(claim.text)
        self._lexicon = lexicon
        self._at = at
        self._topic = topic
        self.tagged = Tagged(self.text, lexicon, at)

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of the words that a place must have."""
        return self.tagged.words

    @cached_property
    def allowed(self) -> frozenset[str]:
        """Stems of the words that a place may have beside a value: those of the claim and its context."""
        return content_words(self.text) | self.about

    @cached_property
    def own_subjects(self) -> frozenset[str]:
        """The assets and venues that its own words name."""
        return names_of(self.tagged.names)

    @cached_property
    def lent_subjects(self) -> frozenset[str]:
        """The one asset that its context, inner labels first, its unit or the topic says it is of."""
        if self.bare and (cell := self._named_by(self.claim.context[1:])):
            return cell
        for label in (*reversed(self.claim.context[1:]), *self.claim.context[:1]):
            found = self._named_by((label,))
            if len(found) == 1:
                return found
        if len(self.tagged.unit_names) == 1:
            return self.tagged.unit_names
        topic = names_of(self._lexicon.find(self._topic[:1000]))
        return topic if len(topic) == 1 else frozenset()

    def aliases(self, name: str) -> tuple[str, ...]:
        """Every way to write a name."""
        return self._lexicon.aliases(name)

    def _named_by(self, labels: tuple[str, ...]) -> frozenset[str]:
        return names_of(name for label in labels for name in self._lexicon.find(plain(label)))

    @cached_property
    def subjects(self) -> frozenset[str]:
        """The assets and venues of the whole claim, by its text, its context, or the topic."""
        return self.own_subjects or self.lent_subjects

    @cached_property
    def proper(self) -> bool:
        """Whether it names somebody or something that the table of names does not have."""
        return bool(self.proper_words)

    @cached_property
    def first_word(self) -> str:
        """The word that it begins with, where only its place gives that a capital."""
        capitals = [match[0] for match in _CAPITAL.finditer(self.tagged.masked)]
        one = len(capitals) == 1 and self.tagged.masked.startswith(capitals[0])
        return capitals[0] if one and capitals[0][1:].islower() else ""

    @cached_property
    def proper_words(self) -> frozenset[str]:
        """Stems of the names that it has and the table of names has not."""
        names = (match[0] for match in _CAPITAL.finditer(self.tagged.masked) if match[0] not in ACRONYMS)
        return frozenset[str]().union(*map(content_words, names))

    @cached_property
    def about(self) -> frozenset[str]:
        """Stems that any value of it may have beside it: of its context and its subjects' names."""
        labels = (label[:_MOST_LABEL] for label in self.claim.context)
        names = self.subjects | names_of(self.tagged.names)
        aliases = (alias for name in names for alias in self._lexicon.aliases(name))
        return frozenset[str]().union(*map(content_words, (*labels, *aliases)))

    @cached_property
    def named(self) -> bool:
        """Whether it can be told what it is of."""
        return bool(self.subjects) or (self.proper and not _NO_SUBJECT.match(self.text))

    @cached_property
    def providers(self) -> frozenset[str]:
        """The providers of data that it names as its source."""
        return frozenset(name.value for name in self.tagged.all_names if name.kind == "provider")

    @cached_property
    def values(self) -> tuple[Want, ...]:
        """The numbers that it states."""
        return tuple(self._want(bound) for bound in self.tagged.bound)

    @cached_property
    def dates(self) -> frozenset[str]:
        """The dates that it names."""
        return frozenset(p.value for p in self.tagged.periods if p.dated)

    @cached_property
    def bare(self) -> bool:
        """Whether it is a value alone, such as the cell of a table: its context then says what it is of."""
        return bool(self.claim.context) and not (
            self.tagged.words or self.tagged.metrics or self.tagged.names
        )

    @cached_property
    def _context_words(self) -> frozenset[str]:
        """Stems that the labels of a bare value ask for; the first, a heading, only says where it is.

        So does one further out than the column and the row of a cell, but for names and for what narrows.
        """
        found: frozenset[str] = frozenset()
        for number, label in enumerate(self.claim.context[1:], 3 - len(self.claim.context)):
            words = Tagged(plain(label)[:_MOST_LABEL], self._lexicon)
            wide = number < 0 and _only_says_where(words)
            found |= words.words & QUALIFYING if wide else words.words
        return found

    def _want(self, bound: Bound) -> Want:
        quantity, metric, windows, dates = bound.quantity, bound.metric, bound.windows, bound.dates
        manner = set(bound.manner)
        close = bound.close
        if self.bare:
            metric, windows = self._from_context(bound, "", windows)
            close = close | self._context_words
            if not windows and not dates:
                told = (_windows(label) for label in self.claim.context)
                windows = next(filter(None, told), windows)
        elif not metric and self.claim.context:
            metric, windows = self._from_context(bound, metric, windows)
        if not metric and self._is_bare_change(bound):
            metric = "price/change"
        if self.bare and any(map(forecast, self.claim.context)):
            manner.add("forecast")
        for label in self.claim.context:
            quantity = _told(quantity, label)
        over = frozenset() if dates else self.over
        if self.bare and not dates:
            dates = frozenset().union(*map(self._dates_of, self.claim.context[-2:]))
        return Want(
            quantity=quantity, subjects=bound.subjects or self.subjects, metric=metric, windows=windows,
            dates=self._but_today(dates), manner=frozenset(manner), words=self.tagged.words, close=close,
            around=bound.around, direction=bound.direction, over=over,
        )  # fmt: skip

    @cached_property
    def over(self) -> frozenset[str]:
        """The dates of the innermost label that has any, but for the day of the answer."""
        told = map(self._dates_of, reversed(self.claim.context))
        return self._but_today(next(filter(None, told), frozenset()))

    def _dates_of(self, label: str) -> frozenset[str]:
        periods = find_periods(plain(label)[:_MOST_LABEL], self._at)
        return frozenset(period.value for period in periods if period.dated)

    def _but_today(self, dates: frozenset[str]) -> frozenset[str]:
        """Dates without the day of the answer, which is that of any value without one."""
        if self._at is None:
            return dates
        return dates - {self._at.date().isoformat()}

    def _is_bare_change(self, bound: Bound) -> bool:
        """Whether it says no more than by how much something went up or down, of the asset before it."""
        return (
            len(self.claim.context) > 1
            and bound.quantity.unit == "%"
            and bool(bound.direction)
            and bool(bound.windows)
            and not self.tagged.words
            and len(self.subjects) == 1
        )

    def _labels(self) -> tuple[str, ...]:
        """The labels that may tell a metric: of a cell its column and row, the rest if they say nothing."""
        context = self.claim.context
        if not self.bare or len(context) < 4:
            return (*context[1:], *context[:1])
        told = any(content_words(plain(label)) for label in context[-2:])
        changes = {metric.value for label in context[-2:] for metric in find_metrics(label)}
        if changes == {"change"}:  # of what, a heading may say
            return (*reversed(context[1:-2]), *context[-2:], context[0])
        return context[-2:] if told else (*context[-2:], *reversed(context[1:-2]), context[0])

    def _from_context(self, bound: Bound, metric: str, windows: frozenset[str]) -> tuple[str, frozenset[str]]:
        """The metric that a label of the context gives a value without one."""
        if bound.close & self.words:
            return metric, windows
        for label in self._labels():
            found = [m.value for m in find_metrics(label)]
            levels = list(dict.fromkeys(m for m in found if m != "change"))
            told = windows or _windows(label)
            if len(levels) == 1 and "change" not in found:
                return f"{levels[0]}/change" if _is_change(bound, levels[0]) else levels[0], told
            if found and len(levels) < 2:
                return f"{levels[0] if levels else 'price'}/change", told
            if found:
                break
        return metric, windows


def _only_says_where(label: Tagged) -> bool:
    """Whether a heading has no name: only its first word has a capital, or it is of Chinese words."""
    bare = label.masked.strip()
    return bool(re.search(r"[\u3400-\u9fff]|\s", bare)) and not re.search(r"(?<=\s)[A-Z]", bare)


def _is_change(bound: Bound, level: str) -> bool:
    """Whether a percentage of what is counted in money or pieces is told as a change of it."""
    if bound.quantity.unit not in ("%", "pp") or metric_units().get(level) not in ("money", "count"):
        return False
    return bool(bound.quantity.signed or bound.direction)


def _windows(label: str) -> frozenset[str]:
    return frozenset(period.value for period in find_periods(label) if not period.dated)


def _told(quantity: Quantity, label: str) -> Quantity:
    """A number in the unit that a label of its claim tells in brackets."""
    if quantity.unit or quantity.mention.scale != 1:
        return quantity
    for inside in re.findall(r"[(（\[]([^()（）\[\]]{1,32})[)）\]]", label[:_MOST_LABEL]):
        scale, unit = told_unit_of(inside)
        if unit:
            return replace(quantity, value=quantity.value * scale, half=quantity.half * scale, unit=unit)
    return quantity


def plain(text: str) -> str:
    """A claim's words without citation marks and mark-up; the bars of a row part its cells."""
    words = _MARK.sub(" ", _LINK.sub(r"\1", _TAG.sub(" ", text)))
    words = _OPENER.sub("", _EMPHASIS.sub("", words))
    if ranked := _RANKED.match(words):
        return ranked[1]
    if "|" in words:
        cells = [cell.strip() for cell in words.strip().strip("|").split("|") if cell.strip()]
        words = ": ".join([cells[0], ", ".join(cells[1:])]) if len(cells) > 1 else "".join(cells)
    return re.sub(r"[ \t]{2,}", " ", words).strip()
