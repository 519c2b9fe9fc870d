"""What stands around the values of a source: names before and over them, dates in headings, a currency."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from verifaible.factcheck.numbers.periods import find_periods
from verifaible.factcheck.rules.layout import Segment
from verifaible.factcheck.rules.lexicon import COMMON, Lexicon, names_of
from verifaible.factcheck.plain_words import content_words, key_words
from verifaible.factcheck.rules.tagging import Tagged
from verifaible.schema.analyst import Source

#: Sentences back that a sentence without a name may refer to.
_MOST_BACK: Final = 3
#: Of a label that many code points are read for words.
_MOST_LABEL: Final = 300
#: A word with a capital that no sentence begins with.
_INNER_CAPITAL: Final = re.compile(r"(?<=[\w,;:(] )[A-Z]\w+")
#: An id of words: "sky-lending".
_SLUG: Final = re.compile(r"[a-z]+(?:-[a-z0-9]+)+")
_FIRST_CAPITAL: Final = re.compile(r"\W*[A-Z]\w+")
_REFERS: Final = re.compile(r"\W*(?:its?|they|their|this|these)\b", re.IGNORECASE)
_OTHER_MONEY: Final = re.compile(
    r"\b(?:EUR|GBP|JPY|CNY|KRW|HKD|AUD|CAD|INR|CHF|TRY|BRL|euros?|yen|yuan|won)\b|[€£¥₩]"
    r"|人民币|[港欧日韩英]元|(?<![美\u4e07])元(?!数|素|宇|旦|年)|vs_?currency\W{1,5}(?!usd)\w",
    re.IGNORECASE,
)


class Surroundings:
    """The surroundings of the segments of one source.

    Args:
        lexicon: the names known.
        source: the source.
        text: its whole text.
    """

    def __init__(self, lexicon: Lexicon, source: Source, text: str) -> None:
        self.lexicon = lexicon
        self.source = source
        self.text = text
        self._tagged: dict[str, Tagged] = {}

    def label(self, text: str) -> Tagged:
        """A head, a key or a name, tagged once."""
        known = self._tagged.get(text)
        if known is None:
            known = self._tagged[text] = Tagged(text, self.lexicon)
        return known

    def assets(self, names: Iterable[str]) -> set[str]:
        """The assets and protocols among some names."""
        return {name for name in names if self.lexicon.kind(name) == "asset"}

    def before_or_over(self, segment: Segment) -> tuple[frozenset[str], bool]:
        """What a sentence without a name is of, by the sentences before it or what stands over it.

        The second value: whether that is one asset, and not one of several.
        """
        for before in _back(segment):
            if names := names_of(self.lexicon.find(before.words)):
                assets = self.assets(names)
                return frozenset(assets) or names, len(assets) == 1
        return self.over(segment)

    def foreign(self, segment: Segment) -> frozenset[str]:
        """Stems of what looks like a name in the headings over a sentence and in the sentences before."""
        texts = [*segment.scope.labels, *(before.words for before in _back(segment))]
        masked = (self.label(text[:_MOST_LABEL]).masked for text in texts)
        first = (_FIRST_CAPITAL.match(label) for label in segment.scope.labels)
        found = (*first, *(match for text in masked for match in _INNER_CAPITAL.finditer(text)))
        return frozenset[str]().union(*(content_words(match[0]) for match in found if match))

    def referred(self, segment: Segment) -> frozenset[str]:
        """Stems of the sentence before one that speaks of it: "The sale ended. It raised 5"."""
        if segment.before is None or not _REFERS.match(segment.words):
            return frozenset()
        return content_words(segment.before.words)

    def over(self, segment: Segment) -> tuple[frozenset[str], bool]:
        """What a segment is of by its object, its headings and the title; and whether that is one asset."""
        if segment.scope.names and (named := self.object_names(segment)):
            return named, len(named) == 1
        for label in segment.scope.labels:
            assets = self.assets(names_of(self.lexicon.find(label)))
            if assets:
                return frozenset(assets), len(assets) == 1
        return self._by_address, True

    @cached_property
    def _by_address(self) -> frozenset[str]:
        """The one asset that the address of the source names."""
        words = re.sub(r"[^A-Za-z0-9]+", " ", self.source.url)
        named: set[str] = set()
        for word in words.split():
            named |= self.assets(filter(None, (self.lexicon.resolve(word),))) if word not in COMMON else set()
        return frozenset(named) if len(named) == 1 else frozenset()

    def object_names(self, segment: Segment) -> frozenset[str]:
        """The names known that the objects around a JSON value have: by name, ticker or id."""
        found: set[str] = set()
        for words, symbol in segment.scope.names:
            if known := self.lexicon.resolve(words, symbol=symbol) or self.lexicon.resolve(spaced(words)):
                found.add(known)
            else:
                found |= {name.value for name in self.lexicon.find(words)}
                if _SLUG.fullmatch(words) and (known := self.project(words)):
                    found.add(known)
        return frozenset(name for name in found if self.lexicon.kind(name) != "provider")

    def project(self, slug: str) -> str:
        """The protocol known that a slug is of: ``aave-v3``, ``sky-lending``; empty where it is none."""
        words = spaced(slug)
        if known := self.lexicon.resolve(words):
            return known
        named = {name.value for name in self.lexicon.find(words.title()) if name.kind != "provider"}
        return named.pop() if len(named) == 1 else ""

    def titled(self, segment: Segment) -> tuple[frozenset[str], bool]:
        """What JSON without names of its own is of, by the title or the address of the source."""
        if segment.scope.names:
            return frozenset(), True  # it has names, of which none is known: its words must do
        for label in (*segment.scope.labels[-1:], self.source.url):
            words = re.sub(r"[/_?=&.-]", " ", label)
            named = {name.value for name in self.lexicon.find(words) if name.kind == "asset"}
            for word in re.findall(r"[\w-]{3,}", label):
                named |= self.assets(filter(None, (self.lexicon.resolve(word.replace("-", " ")),)))
            if named:
                return frozenset(named), len(named) == 1
        return frozenset(), True

    def heading_dates(self, segment: Segment) -> frozenset[str]:
        """The dates of the nearest heading that has any; the title of the source is none."""
        for label in segment.scope.labels[:-1]:
            dates = frozenset(period.value for period in find_periods(label) if period.dated)
            if dates:
                return dates
        return frozenset()

    @cached_property
    def only_dollars(self) -> bool:
        """Whether the source names no currency but the dollar."""
        return not (_OTHER_MONEY.search(self.text) or _OTHER_MONEY.search(self.source.url))


def _back(segment: Segment) -> Iterator[Segment]:
    """The sentences before one, from the nearest, that it may refer to."""
    for _ in range(_MOST_BACK):
        if segment.before is None:
            return
        segment = segment.before
        yield segment


def spaced(name: str) -> str:
    """An id as words: ``bitcoin-cash`` is ``bitcoin cash``."""
    return name.replace("-", " ").replace("_", " ")


def called(segment: Segment) -> tuple[frozenset[str], ...]:
    """What the objects around a JSON value call themselves, in stems: each name, ticker or id."""
    ways = (content_words(key_words(words)) | content_words(words) for words, _ in segment.scope.names)
    return tuple(dict.fromkeys(way for way in ways if way))


def label_words(labels: Iterable[str]) -> frozenset[str]:
    """Stems of the words of some labels."""
    return frozenset[str]().union(*(content_words(label[:_MOST_LABEL]) for label in labels))


def joined_metric(metrics: Iterable[str]) -> str:
    """Metrics that stand side by side as one: ``price`` and ``change`` are ``price/change``."""
    known = tuple(dict.fromkeys(metrics))
    base = "+".join(metric for metric in known if metric != "change")
    if "change" in known:
        return f"{base}/change" if base else "change"
    return base
