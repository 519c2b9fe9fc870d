"""The readings of a library with what their labels name, and an index of them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, overload

from verifaible.judge.rules.derive_cells import corner, rescaled, with_unit
from verifaible.judge.rules.derive_labels import Bag, Term, bag_of, content_stems
from verifaible.judge.rules.derive_plans import Span
from verifaible.judge.rules.derive_prose import date_back, is_ago, moments_over, own_words, whole_of, words_at
from verifaible.judge.rules.derive_words import Value
from verifaible.judge.rules.lexicon import Lexicon
from verifaible.judge.rules.library import Library
from verifaible.judge.rules.page import WORD
from verifaible.judge.rules.plain_words import key_words, stem
from verifaible.judge.rules.reading import Reading
from verifaible.text.dimensions import convertible

#: Words of a label whose value is of an earlier time.
_PREVIOUS: Final = frozenset(map(stem, ("prev", "previous", "prior", "yesterday", "ago")))
#: Manners of a reading that make it no plain fact.
_UNSURE: Final = frozenset(("denied", "limit", "range", "question"))


#: Keys of JSON whose value names what the whole is about.
_ENTITY: Final = re.compile(
    r'"((?:long|short|display|company|entity|issuer|protocol|fund)_?[nN]ame|name|symbol|ticker|company|issuer)"'
    r'\s*:\s*"([^"\\\n]{2,60})"'
)


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
        whole: metrics that the value is a part of ("contributed $12 million of revenue").
        first: the words of the first label of a cell, those that say nothing left out.
    """

    reading: Reading
    own: Bag
    all: Bag
    others: Sequence[Bag] = ()
    measured: frozenset[str] = frozenset()
    titled: frozenset[str] = frozenset()
    ago: bool = False
    first: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()

    @property
    def dated(self) -> bool:
        """Whether the words at the value itself have a date."""
        return any(moment[:2] in ("19", "20") or moment[:1] in "QH" for moment in self.own.moments)

    def covers(self, term: Term) -> int:
        """2 where a term stands at the value (3: a metric by its very words), 1 in wider labels, else 0."""
        if term.kind == "metric" and term.key in self.whole:
            return 1
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
        if term.kind == "cjk" and term.key in self.reading.source.title:
            return True
        return not any(bag.covers(term) for bag in self.others)


def _dated(moment: str) -> bool:
    return moment[:2] in ("19", "20", "--")


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
    """The readings of a library with what their labels name; a source is read when it is first asked for."""

    def __init__(self, library: Library) -> None:
        self.lexicon: Lexicon = getattr(library, "lexicon", None) or Lexicon()
        self._library = library
        self._profiles: dict[str, list[Profile]] = {}
        self._entities: dict[str, Bag] = {}
        self._tokens: dict[str, frozenset[str]] = {}
        self._pools: dict[tuple[frozenset[str], bool], Pool] = {}

    def profiles(
        self,
        only: Collection[str] | None,
        *,
        forecasts: bool = False,
        named: Iterable[frozenset[str]] = (frozenset(),),
    ) -> Pool:
        """The profiles of every reading that states a plain value, of the sources asked for.

        ``forecasts``: of those too that a source only expects. ``named``: of the sources alone that have all
        names of one of these sets; others have no operand that could be meant.
        """
        sets = tuple(named)
        ids = frozenset(
            source.id
            for source, _ in self._library.pairs
            if (only is None or source.id in only) and any(self._has_all(source.id, names) for names in sets)
        )
        key = (ids, forecasts)
        if key not in self._pools:
            self._read(ids)
            order = dict.fromkeys(source.id for source, _ in self._library.pairs if source.id in ids)
            every = [profile for source in order for profile in self._profiles[source]]
            self._pools[key] = Pool([p for p in every if forecasts or "forecast" not in p.reading.manner])
        return self._pools[key]

    def _has_all(self, source: str, names: Collection[str]) -> bool:
        """Whether a source has the words of some alias of each name; true too often, not too seldom."""
        return all(
            any(
                self._words_in(source).issuperset(WORD.findall(a.lower())) for a in self.lexicon.aliases(name)
            )
            for name in names
        )

    def _words_in(self, source: str) -> frozenset[str]:
        if source not in self._tokens:
            found: set[str] = set()
            for each, text in self._library.pairs:
                if each.id == source:
                    for words in (text, each.title, each.url):
                        found.update(WORD.findall(words.lower()), WORD.findall(key_words(words).lower()))
            self._tokens[source] = frozenset(found)
        return self._tokens[source]

    def _read(self, ids: Collection[str]) -> None:
        """Make the profiles of sources that have none yet."""
        missing = [each for each in ids if each not in self._profiles]
        read: dict[str, list[Reading]] = {each: [] for each in missing}
        for reading in self._library.readings(missing) if missing else ():
            read[reading.source.id].append(reading)
        self._profiles.update((source, self._made(readings)) for source, readings in read.items())

    def _made(self, readings: Sequence[Reading]) -> list[Profile]:
        """The profiles of the readings of one source."""
        sentences: dict[Span, list[Reading]] = defaultdict(list)
        for reading in readings:
            if reading.kind == "prose":
                sentences[reading.place].append(reading)
        own: dict[tuple[str, int], Bag] = {}
        for there in sentences.values():
            own.update(own_words(sorted(there, key=lambda reading: reading.start), self.lexicon))
        made: list[Profile] = []
        for reading in map(with_unit, readings):
            if reading.manner & _UNSURE:
                continue
            if reading.kind == "prose":
                made.append(self._in_sentence(reading, own, sentences[reading.place]))
            else:
                made.append(self._labelled(reading))
        inner = {profile.reading.metric for profile in made}
        for profile in made:
            profile.titled = frozenset(profile.all.metrics - inner)
        return made

    def _entity(self, text: str) -> Bag:
        """What a JSON text calls the one thing it is about; empty where it is about several."""
        if text not in self._entities:
            told: dict[str, set[str]] = defaultdict(set)
            for key, name in _ENTITY.findall(text):
                told[key].add(name)
            names = [next(iter(each)) for each in told.values() if len(each) == 1]
            self._entities[text] = bag_of(" · ".join(names), self.lexicon)
        return self._entities[text]

    def _in_sentence(
        self, reading: Reading, own: dict[tuple[str, int], Bag], mates: Sequence[Reading]
    ) -> Profile:
        every = Bag(names=set(reading.subjects), moments=set(reading.moments), words=set(reading.words))
        for label in (*reading.labels, reading.text[reading.place[0] : reading.place[1]]):
            every.add(bag_of(label, self.lexicon))
        every.add(own[(reading.source.id, reading.start)])
        every.moments |= moments_over(reading)
        others = [own[(mate.source.id, mate.start)] for mate in mates if mate.start != reading.start]
        ago = is_ago(reading)
        mine = own[(reading.source.id, reading.start)]
        date_back(mine, words_at(reading), [own[(mate.source.id, mate.start)] for mate in mates])
        return Profile(reading, mine, every, others, ago=ago, whole=whole_of(reading))

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
        if keys:
            every.add(self._entity(reading.text))
        every.words |= reading.words
        if reading.kind == "row":
            every.add(bag_of(corner(reading), self.lexicon))
        ago = bool(own.words & _PREVIOUS)
        first = content_stems(next(iter(reading.labels), ""))
        return Profile(rescaled(reading), own, every, measured=frozenset(measured), ago=ago, first=first)


def shelf_of(library: Library) -> Shelf:
    """The shelf of a library, made once and kept with it."""
    shelf = library.made_of_it.setdefault("shelf", Shelf(library))
    assert isinstance(shelf, Shelf)
    return shelf
