"""The local judge: a cross-encoder that reads the passages nearest to a claim.

The model reads words. A claim with quantities is only supported by a passage that has each of them, and never
refuted by the model alone: quantities are for the rules and the proof checker.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from verifaible.config import Settings
from verifaible.factcheck.library import Library
from verifaible.factcheck.nli.model import CrossEncoder, find_model
from verifaible.schema.analyst import Claim
from verifaible.schema.verdict import Passage, Verdict
from verifaible.text.dates import find_dates
from verifaible.text.markdown import plain
from verifaible.text.nearest import Near, Passages
from verifaible.text.numbers import find_quantities
from verifaible.text.quantity import Quantity
from verifaible.text.units import may_be_same


class Amounts(NamedTuple):
    """The quantities of a text: numbers, dates among them, and quantities in words that are read as none."""

    numbers: tuple[Quantity, ...]
    words: frozenset[str]

    def stand_in(self, passage: Amounts) -> bool:
        """Whether each is one of the passage's, with its sign, scale and unit."""
        found = (any(_same(own, other) for other in passage.numbers) for own in self.numbers)
        return self.words <= passage.words and all(found)

    def __bool__(self) -> bool:
        return bool(self.numbers or self.words)


def amounts_of(text: str) -> Amounts:
    """The quantities of a text."""
    numbers = find_quantities(text)
    dates = (
        each
        for each in find_dates(text)
        if not any(n.start < each.end and each.start < n.end for n in numbers)
    )
    return Amounts(numbers, frozenset(text[each.start : each.end].casefold() for each in dates))


def _same(own: Quantity, other: Quantity) -> bool:
    alike = own.scaled_value == other.scaled_value and own.negated == other.negated
    if own.currencies and other.currencies:
        return alike and may_be_same(own.currencies, other.currencies)
    return alike and own.unit == other.unit


#: The probability from which on a verdict of the model counts, for a claim and against it.
SURE: Final = 0.95
#: Sentences and rows that are read, and how many before and behind each are read with it.
_NEAREST: Final = 5
_AROUND: Final = 2


class _Read(NamedTuple):
    """A passage with what the model says: 0 for what it is not to decide."""

    passage: Passage
    entailment: float
    contradiction: float


class Entailment:
    """A local judge.

    Args:
        model: the cross-encoder.
    """

    def __init__(self, model: CrossEncoder) -> None:
        self.model = model
        self._indexes: WeakKeyDictionary[Library, Passages] = WeakKeyDictionary()
        self._one_at_a_time = asyncio.Lock()  # the model uses all cores

    @classmethod
    def open(cls, settings: Settings) -> Entailment:
        """The model that the settings name.

        Raises:
            ConfigError: packages, the model or its files are missing.
        """
        return cls(CrossEncoder(find_model(settings)))

    @property
    def name(self) -> str:
        """The model with its revision, for reports."""
        files = self.model.files
        return f"nli:{files.name}" + (f"@{files.revision[:12]}" if files.revision else "")

    async def decide(
        self, claim: Claim, library: Library, *, only: Collection[str] | None = None
    ) -> Verdict | None:
        """What the model says of a claim.

        Args:
            claim: the claim.
            library: the sources of its text.
            only: ids of the sources that count, empty for all; None: those that the claim cites, or all where
                it cites none.

        Returns:
            ``supported`` or ``contradicted`` with the passage; ``open`` with the reason; None where there is
            nothing to read: it is an opinion, or no source has a word of it.

        Raises:
            ConfigError: the model does not run.
        """
        if not claim.factual:
            return None
        async with self._one_at_a_time:
            read = await asyncio.to_thread(self._read, claim, library, claim.cites if only is None else only)
        return _found(read) if read else None

    def _read(self, claim: Claim, library: Library, only: Collection[str]) -> list[_Read]:
        if library not in self._indexes:
            self._indexes[library] = Passages([text for _, text in library.pairs])
        passages, words = self._indexes[library], _words(claim)
        wanted = [at for at, (source, _) in enumerate(library.pairs) if not only or source.id in only]
        windows: dict[Passage, bool] = {}
        for near in passages.nearest(words, _NEAREST, texts=wanted):
            source, text = library.pairs[near.text]
            for start, end, alone in self._windows(text, near, passages.around(near, _AROUND), words):
                at = Passage.of(source, text, start, end)
                windows[at] = alone or windows.get(at, False)
        judged = [self.model.judge(each.quote, words) for each in windows]
        amounts = amounts_of(words)
        return [
            _Read(
                passage,
                each.entailment if amounts.stand_in(amounts_of(passage.quote)) else 0.0,
                each.contradiction if alone and not amounts else 0.0,
            )
            for (passage, alone), each in zip(windows.items(), judged, strict=True)
        ]

    def _windows(
        self, text: str, near: Near, around: tuple[int, int], words: str
    ) -> Iterator[tuple[int, int, bool]]:
        """A passage in windows, and with what stands around it where that fits into one.

        The last of each says that it is the passage alone: only that can contradict a claim, for what a
        source says instead is a sentence.
        """
        for first, last in self.model.windows(text[near.start : near.end], words):
            yield near.start + first, near.start + last, True
        wide = self.model.windows(text[slice(*around)], words)
        if len(wide) == 1:
            yield around[0] + wide[0][0], around[0] + wide[0][1], False


def _words(claim: Claim) -> str:
    """A claim as a sentence for the model: without marks, behind what says what it is about."""
    marks = "|".join(re.escape(each) for each in (*claim.cites, *claim.broken) if each)
    own = plain(claim.text).text
    own = re.sub(rf"[(\[【]?\s*(?<!\w)(?:{marks})(?!\w)\s*[)\]】]?", " ", own) if marks else own
    parts = [*(plain(each).text for each in claim.context), own]
    return ": ".join(" ".join(each.split()) for each in parts if each.strip())


def _found(read: Sequence[_Read]) -> Verdict:
    entails = _shortest(each.passage for each in read if each.entailment >= SURE)
    denies = _shortest(each.passage for each in read if each.contradiction >= SURE)
    support = max(each.entailment for each in read)
    against = max(each.contradiction for each in read)
    if entails and denies:
        reason = "One passage entails the claim, and another contradicts it."
        return Verdict(outcome="open", passages=(entails, denies), reason=reason)
    if entails:
        reason = f"A passage entails it, by the local model ({support:.2f})."
        return Verdict(outcome="supported", decided_by="entailment", passages=(entails,), reason=reason)
    if denies:
        reason = f"A passage contradicts it, by the local model ({against:.2f})."
        return Verdict(
            outcome="contradicted",
            decided_by="entailment",
            passages=(denies,),
            said=denies.quote,
            reason=reason,
        )
    best = max(read, key=lambda each: max(each.entailment, each.contradiction)).passage
    reason = f"The local model is not sure: entailed {support:.2f}, contradicted {against:.2f}."
    return Verdict(outcome="open", passages=(best,), reason=reason)


def _shortest(passages: Iterable[Passage]) -> Passage | None:
    return min(passages, key=lambda passage: len(passage.quote), default=None)
