"""The readings of a library with what their labels name, and an index of them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Final, overload

from verifaible.anchoring.numerals import unit_kind
from verifaible.judge.rules.derive_frames import Span
from verifaible.judge.rules.derive_labels import Bag, Term, bag_of, chinese_content, word_list
from verifaible.judge.rules.derive_math import convertible
from verifaible.judge.rules.derive_words import Value
from verifaible.judge.rules.lexicon import Lexicon, find_metrics, metric_units
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.plain_words import stem
from verifaible.judge.rules.quantities import told_unit_of
from verifaible.judge.rules.reading import Reading

#: Manners of a reading that make it no plain fact.
_UNSURE: Final = frozenset(("forecast", "denied", "limit", "range", "question"))
#: How an earlier time is told without a date.
AGO: Final = re.compile(
    r"(?:year|quarter|month|week)(?:'s)? (?:earlier|ago|before|prior)|(?:prior|previous|last|preceding)[- "
    r"](?:year|quarter|month|week)"
    r"|上年|去年|上季|上一季|上月|上个月|上周|上期",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(
    r"[,;:，；、：。（(]|\b(?:at|and|while|whereas|against|compared (?:with|to)|from|versus|but|with|plus)\b"
    r"|[和与及]|其中|，?上[年周月]"
)
_LEADING: Final = re.compile(r"\s*(?:[A-Z0-9][\w’'&.-]*\s+|(?:of|the|and|in|on)\s+(?=[A-Z0-9]))+")


@dataclass(slots=True)
class Profile:
    """A reading with what its labels name.

    Attributes:
        own: the words at the value itself (of a cell or a JSON value: all labels but the source's title).
        all: every label.
        others: of a sentence, the words at its other values.
        measured: the words of the label that says what is measured.
        titled: metrics of the title that no value of the source has for its own.
        ago: whether it is told as of an earlier time ("a year earlier").
    """

    reading: Reading
    own: Bag
    all: Bag
    others: Sequence[Bag] = ()
    measured: frozenset[str] = frozenset()
    titled: frozenset[str] = frozenset()
    ago: bool = False

    def covers(self, term: Term) -> int:
        """2 where a term stands at the value (3: a metric by its very words), 1 in wider labels, else 0."""
        if term.kind == "metric" and self.reading.metric:
            if term.key == self.reading.metric:
                return 2 + self.own.spells(term)
            if self.reading.kind != "prose":
                said = term.parts <= self.own.words and bool(term.parts & self.measured)
                return int(term.key in self.own.metrics or said)
        if self.own.covers(term):
            return 2
        return int(self.all.covers(term) and self._may_be_from_afar(term))

    def _may_be_from_afar(self, term: Term) -> bool:
        """Whether a term of wider labels can go with this value: nothing at it, or beside it, says else."""
        if term.kind == "name":
            return not self.own.names
        if term.kind in ("moment", "window"):
            return not any(_dated(moment) == (term.kind == "moment") for moment in self.own.moments)
        if term.kind == "metric" and self.reading.kind != "prose":
            return term.key in self.titled
        return not any(bag.covers(term) for bag in self.others)


def _dated(moment: str) -> bool:
    return moment[:2] in ("19", "20", "--")


#: What leads up to the base of a comparison.
_BASE: Final = re.compile(
    r"(?:\b(?:compared (?:with|to)|versus|vs\.?|against|(?:up|down) from)|相比|较)\s*(?:the |about |an? "
    r")?(?:US)?[$€£¥]?\Z",
    re.IGNORECASE,
)


def _lead(reading: Reading) -> str:
    return reading.text[max(reading.place[0], reading.start - 32) : reading.start]


def words_at(reading: Reading) -> str:
    """The words close to a value, up to the next sign that parts a sentence behind it."""
    after = re.split(
        r"[,;，；。]|\band\b", reading.text[reading.end : min(reading.place[1], reading.end + 40)]
    )[0]
    before = re.split(
        r"[,;，；。]|\band\b", reading.text[max(reading.place[0], reading.start - 24) : reading.start]
    )[-1]
    return f"{before} {after}".lower()


class Pool(Sequence[Profile]):
    """Profiles, with an index of what their labels name."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self._profiles = profiles
        self._words: dict[str, set[int]] = defaultdict(set)
        self._named: dict[tuple[str, str], set[int]] = defaultdict(set)
        self._sizes = sorted((float(abs(p.reading.value)), number) for number, p in enumerate(profiles))
        for number, profile in enumerate(profiles):
            for word in profile.all.words:
                self._words[word].add(number)
            for name in profile.all.names:
                self._named[("name", name)].add(number)
            for metric in profile.all.metrics | {profile.reading.metric}:
                self._named[("metric", metric)].add(number)

    @overload
    def __getitem__(self, index: int) -> Profile: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Profile]: ...
    def __getitem__(self, index: int | slice) -> Profile | Sequence[Profile]:
        return self._profiles[index]

    def __len__(self) -> int:
        return len(self._profiles)

    def narrowed(self, terms: Iterable[Term], value: Value | None = None) -> Sequence[Profile]:
        """Those that may cover all of some terms; where there are none, those that state a value."""
        fewest: set[int] | None = None
        if value is not None and not terms and not convertible(value.amount.unit):
            return self._near(value)
        for term in terms:
            here = self._with(term)
            if here is not None and (fewest is None or len(here) < len(fewest)):
                fewest = here
        return self._profiles if fewest is None else [self._profiles[number] for number in sorted(fewest)]

    def _near(self, value: Value) -> Sequence[Profile]:
        size, slack = float(abs(value.amount.value)), float(value.amount.half) * 1.001 + 1e-9
        low = bisect_left(self._sizes, (size - slack - size * 1e-12, -1))
        high = bisect_right(self._sizes, (size + slack + size * 1e-12, len(self._profiles)))
        return [self._profiles[number] for number in sorted(number for _, number in self._sizes[low:high])]

    def _with(self, term: Term) -> set[int] | None:
        if term.kind == "word":
            return self._words.get(term.key, set())
        if term.kind == "name":
            return self._named.get(("name", term.key), set())
        if term.kind != "metric" or not term.raw.isascii():
            return None
        sets = [self._words.get(part, set()) for part in term.parts]
        return self._named.get(("metric", term.key), set()) | (set.intersection(*sets) if sets else set())


class Shelf:
    """The readings of a library with what their labels name."""

    def __init__(self, library: Library) -> None:
        self.lexicon: Lexicon = getattr(library, "lexicon", None) or Lexicon()
        self._library = library
        self._profiles: list[Profile] | None = None
        self._pools: dict[frozenset[str] | None, Pool] = {}

    def profiles(self, only: Collection[str] | None) -> Pool:
        """The profiles of every reading that states a plain value, of the sources asked for."""
        if self._profiles is None:
            self._profiles = self._made()
        key = None if only is None else frozenset(only)
        if key not in self._pools:
            self._pools[key] = Pool([p for p in self._profiles if key is None or p.reading.source.id in key])
        return self._pools[key]

    def _made(self) -> list[Profile]:
        readings = self._library.readings()
        sentences: dict[tuple[str, Span], list[Reading]] = defaultdict(list)
        for reading in readings:
            if reading.kind == "prose":
                sentences[(reading.source.id, reading.place)].append(reading)
        own: dict[tuple[str, int], Bag] = {}
        for there in sentences.values():
            own.update(self._own_words(sorted(there, key=lambda reading: reading.start)))
        made: list[Profile] = []
        for reading in readings:
            if reading.manner & _UNSURE:
                continue
            if reading.kind == "prose":
                mates = sentences[(reading.source.id, reading.place)]
                made.append(self._in_sentence(reading, own, mates))
            else:
                made.append(self._labelled(reading))
        inner: dict[str, set[str]] = defaultdict(set)
        for profile in made:
            inner[profile.reading.source.id] |= {profile.reading.metric}
        for profile in made:
            profile.titled = frozenset(profile.all.metrics - inner[profile.reading.source.id])
        return made

    def _in_sentence(
        self, reading: Reading, own: dict[tuple[str, int], Bag], mates: Sequence[Reading]
    ) -> Profile:
        every = Bag(names=set(reading.subjects), moments=set(reading.moments), words=set(reading.words))
        for label in (*reading.labels, reading.text[reading.place[0] : reading.place[1]]):
            every.add(bag_of(label, self.lexicon))
        every.add(own[(reading.source.id, reading.start)])
        others = [own[(mate.source.id, mate.start)] for mate in mates if mate is not reading]
        ago = bool(AGO.search(words_at(reading)) or _BASE.search(_lead(reading)))
        return Profile(reading, own[(reading.source.id, reading.start)], every, others, ago=ago)

    def _labelled(self, reading: Reading) -> Profile:
        own = Bag(names=set(reading.subjects), moments=set(reading.moments))
        keys = reading.kind == "json"
        title = reading.source.title
        bags = [bag_of(label, self.lexicon, keys=keys) for label in reading.labels if label != title]
        for bag in bags:
            own.add(bag)
        measured = next((bag.words for bag in bags if reading.metric in bag.metrics), set())
        every = Bag()
        every.add(own)
        every.add(bag_of(title, self.lexicon))
        every.words |= reading.words
        if reading.kind == "row":
            every.add(bag_of(_corner(reading), self.lexicon))
        return Profile(_rescaled(reading), own, every, measured=frozenset(measured))

    def _own_words(self, there: list[Reading]) -> dict[tuple[str, int], Bag]:
        """The words of a sentence that stand at each of its values, between it and its neighbours."""
        text, (begin, end) = there[0].text, there[0].place
        shared = bag_of(_subject_of(text, begin, there[0].start), self.lexicon)
        cuts = [begin]
        for before, after in pairwise(there):
            gap = text[before.end : after.start]
            breaks = list(_BREAK.finditer(gap))
            cuts.append(before.end + (breaks[-1].start() if breaks else 0))
        cuts.append(end)
        found: dict[tuple[str, int], Bag] = {}
        last = Bag()
        for reading, start, stop in zip(there, cuts, cuts[1:], strict=False):
            bag = Bag()
            bag.add(bag_of(text[start : reading.start] + " " + text[reading.end : stop], self.lexicon))
            if (
                not bag.metrics
                and not any(map(_has_content, bag.words - shared.words))
                and not chinese_content(bag.cjk)
            ):
                carried = Bag(metrics=set(last.metrics), words=set(last.words), cjk=last.cjk)
                carried.names = set() if bag.names else set(last.names)
                ago = AGO.search(text[start:stop])
                carried.moments = set() if bag.moments or ago else set(last.moments)
                bag.add(carried)
            bag.words |= shared.words
            bag.cjk += "\n" + shared.cjk
            if not bag.names:
                bag.names |= shared.names
            found[(reading.source.id, reading.start)] = bag
            last = bag
        return found


def _subject_of(text: str, begin: int, first: int) -> str:
    """The words that begin a sentence and go with each of its values: its subject, as far as is seen."""
    if re.match(
        r"\s*(?:its?|they|their|the (?:token|company|protocol|firm|project))\b",
        text[begin:first],
        re.IGNORECASE,
    ):
        before = text[max(0, begin - 400) : begin].rstrip()
        named = _LEADING.match(re.split(r"(?<=[.!?])\s+|\n", before)[-1])
        return named[0] if named else ""
    lead = text[begin:first]
    if re.search(r"[\u3400-\u9fff]", lead):
        metrics = find_metrics(lead)
        head = lead[: metrics[0].start] if metrics else ""
        told = list(re.finditer(r"[本上今去][年月周季]|\d年.{0,3}?(?:半年|季度|月)?|的|，", head))
        return head[: told[-1].start()] if told else " ".join(re.findall(r"[A-Za-z][\w]+", head))
    match = _LEADING.match(lead)
    return match[0] if match else ""


def _rescaled(reading: Reading) -> Reading:
    """A cell without unit and scale of its own, in those of its table's caption ("in thousands")."""
    mention = reading.mention
    if reading.kind != "row" or mention is None or reading.value != mention.scaled_value:
        return reading
    if reading.unit and unit_kind(reading.unit) != "money":
        return reading
    if mention.scale != 1 or metric_units().get(reading.metric, "money") not in ("money", ""):
        return reading
    negative = _bracketed(reading)
    value, digits, unit = (-reading.value if negative else reading.value), reading.digits, reading.unit
    for label in (*reading.labels[1:], *_lines_over(reading)):
        head = _TOLD.search(label)
        scale, told = told_unit_of(head[1] or head[2]) if head else (Decimal(1), "")
        if (scale != 1 or unit_kind(told) == "money") and unit in ("", told or unit):
            return replace(reading, value=value * scale, digits=digits * scale, unit=told or unit)
    return replace(reading, value=value) if negative else reading


def _bracketed(reading: Reading) -> bool:
    """Whether a cell is in the brackets of accounts behind its currency: ``$(1,585.4)``."""
    before, after = (
        reading.text[max(0, reading.start - 3) : reading.start],
        reading.text[reading.end : reading.end + 3],
    )
    return reading.value > 0 and bool(re.search(r"[$€£¥]\s?\(\Z", before)) and after.startswith(")")


def _corner(reading: Reading) -> str:
    """The head of the first column of a Markdown table: what its rows are."""
    above = reading.text[max(0, reading.place[0] - 4000) : reading.place[0]]
    at = above.rfind("\n|--")
    at = max(at, above.rfind("\n| --"), above.rfind("\n|:-"))
    head = above[:at].rsplit("\n", 1)[-1] if at > 0 else ""
    return head.strip().lstrip("|").split("|")[0] if head.lstrip().startswith("|") else ""


def _lines_over(reading: Reading) -> list[str]:
    """The two lines over a table that may say in what its numbers are."""
    lines = reading.text[max(0, reading.place[0] - 4000) : reading.place[0]].split("\n")[::-1]
    over = [line for line in lines if line.strip()]
    while over and over[0].lstrip().startswith("|"):
        over.pop(0)
    return [line for line in over[:2] if len(line) < 160]


_TOLD: Final = re.compile(r"[(（]([^()（）\d]{2,32})[)）]|单位[:：]\s*(\S{1,8})")

#: Stems that leave a piece of a sentence without content of its own ("$7.85 billion a year earlier").
_FILLING: Final = frozenset(map(stem, word_list("filling")))
_PERIOD_WORD: Final = re.compile(r"[qh][1-4]|fy\d*")


def _has_content(word: str) -> bool:
    return word not in _FILLING and not _PERIOD_WORD.fullmatch(word)


def shelf_of(library: Library) -> Shelf:
    """The shelf of a library, made once and kept with it."""
    shelf = library.made_of_it.setdefault("shelf", Shelf(library))
    assert isinstance(shelf, Shelf)
    return shelf
