"""The local judge: the passages nearest to a claim, read by a cross-encoder, with thresholds that were measured.

The model reads words. A claim with quantities is only supported by a passage that has each of them, and never
refuted by the model alone: quantities are for the rules and the proof checker.
"""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from verifaible.answers.plain import plain
from verifaible.config import Settings
from verifaible.judge.nli.amounts import amounts_of
from verifaible.judge.nli.calibration import Calibration, Labelled, calibrated, read_calibration
from verifaible.judge.nli.files import find_model
from verifaible.judge.nli.model import CrossEncoder
from verifaible.judge.rules.library import Library
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.judged import Finding, Passage
from verifaible.text.nearest import Near, Passages

#: Counts up when passages are chosen or read in another way: probabilities are then others.
READING: Final = 1
#: Sentences and rows that are read, and how many before and behind each are read with it.
_NEAREST: Final = 5
_AROUND: Final = 2


@dataclass(frozen=True, slots=True)
class _Read:
    """A window of a source with what the model says: 0 for what it was not to decide."""

    source: Source
    quote: str
    start: int
    entailment: float
    contradiction: float

    @property
    def passage(self) -> Passage:
        return Passage(
            source=self.source.id,
            capture=self.source.capture,
            file=self.source.file,
            start=self.start,
            end=self.start + len(self.quote),
            quote=self.quote,
        )


class Entailment:
    """A local judge.

    Args:
        model: the cross-encoder.
        calibration: its thresholds; None: nothing is decided.
    """

    def __init__(self, model: CrossEncoder, calibration: Calibration | None = None) -> None:
        self.model = model
        self.calibration = calibration
        self._indexes: WeakKeyDictionary[Library, dict[frozenset[str] | None, _Index]] = WeakKeyDictionary()
        self._one_at_a_time = asyncio.Lock()  # the model uses all cores

    @classmethod
    def open(cls, settings: Settings, *, calibrated: bool = True) -> Entailment:
        """The model that the settings name, with its calibration if there is one and it is wanted.

        Raises:
            ConfigError: packages, the model or its files are missing, or the calibration is another model's.
        """
        files = find_model(settings)
        model, path = CrossEncoder(files), settings.nli_calibration_file
        wanted = calibrated and path.is_file()
        return cls(model, read_calibration(path, files, READING) if wanted else None)

    @property
    def name(self) -> str:
        """The model with its revision, for reports."""
        files = self.model.files
        return f"nli:{files.name}" + (f"@{files.revision[:12]}" if files.revision else "")

    @property
    def note(self) -> str:
        """Which verdicts are never given, a sentence for people; empty where both are."""
        if self.calibration is None:
            return f"{self.name} was not calibrated, so it decides nothing: see verifaible judge calibrate."
        verdicts = {"supported": self.calibration.supported, "refuted": self.calibration.refuted}
        never = [verdict for verdict, found in verdicts.items() if found.at is None]
        return f"By its calibration, {self.name} never says {' or '.join(never)}." if never else ""

    async def decide(
        self, claim: Claim, library: Library, *, only: Collection[str] | None = None
    ) -> Finding | None:
        """What the model says of a claim by the sources that it cites, or by all where it cites none.

        Args:
            claim: the claim.
            library: the sources of its text.
            only: ids of the sources that count, in place of those that it cites.

        Returns:
            ``exact`` or ``refuted`` with the passage; ``undecided`` with the reason; None where there is
            nothing to read: it is an opinion, or no source has a word of it.

        Raises:
            ConfigError: the model does not run.
        """
        if not claim.factual:
            return None
        if self.calibration is None:
            return Finding(verdict="undecided", reason=self.note)
        async with self._one_at_a_time:
            wanted = frozenset(claim.cites if only is None else only) or None
            read = await asyncio.to_thread(self._read, claim, library, wanted)
        return _found(read, self.calibration) if read else None

    def calibrate(self, labelled: Sequence[Labelled], precision: float) -> Calibration:
        """The thresholds by labelled claims, which are read as :meth:`decide` reads them."""
        return calibrated(
            self.model.files,
            ((each.label, *self._weighed(each)) for each in labelled),
            precision=precision,
            reading=READING,
        )

    def _weighed(self, labelled: Labelled) -> tuple[float, float]:
        claim = Claim(id="", start=0, end=len(labelled.claim), text=labelled.claim, kind="name")
        sources = [
            (Source(id=str(at), kind="page", capture=""), text) for at, text in enumerate(labelled.sources)
        ]
        return _most(self._read(claim, Library(sources), None))

    def _read(self, claim: Claim, library: Library, only: frozenset[str] | None) -> list[_Read]:
        index = self._index(library, only)
        words = _words(claim)
        amounts = amounts_of(words)
        windows: dict[tuple[Source, int, str], bool] = {}
        for near in index.passages.nearest(words, _NEAREST):
            source, text = index.pairs[near.text]
            for (start, end), alone in self._windows(text, near, index.around(near), words):
                at = (source, start, text[start:end])
                windows[at] = alone or windows.get(at, False)
        judged = self.model.judge([quote for _, _, quote in windows], words)
        return [
            _Read(
                source,
                quote,
                start,
                each.entailment if amounts.stand_in(amounts_of(quote)) else 0.0,
                each.contradiction if alone and not amounts else 0.0,
            )
            for ((source, start, quote), alone), each in zip(windows.items(), judged, strict=True)
        ]

    def _windows(
        self, text: str, near: Near, around: tuple[int, int], words: str
    ) -> Iterator[tuple[tuple[int, int], bool]]:
        """A passage in windows, and with what stands around it where that fits into one.

        The second of each pair says that a window is the passage alone: only that can contradict a claim, for
        what a source says instead is a sentence, and next to others it may be of something else.
        """
        for first, last in self.model.windows(text[near.start : near.end], words):
            yield (near.start + first, near.start + last), True
        low, high = around
        wide = self.model.windows(text[low:high], words)
        if len(wide) == 1:
            yield (low + wide[0][0], low + wide[0][1]), False

    def _index(self, library: Library, only: frozenset[str] | None) -> _Index:
        kept = self._indexes.setdefault(library, {})
        if only not in kept:
            kept[only] = _Index([pair for pair in library.pairs if only is None or pair[0].id in only])
        return kept[only]


class _Index:
    """Some sources with their passages."""

    def __init__(self, pairs: Sequence[tuple[Source, str]]) -> None:
        self.pairs = pairs
        self.passages = Passages([text for _, text in pairs])

    def around(self, near: Near) -> tuple[int, int]:
        """A passage with those before and behind it in its text."""
        spans = self.passages.spans
        at = bisect_left(spans, (near.text, near.start, near.end))
        beside = [each for each in spans[max(0, at - _AROUND) : at + _AROUND + 1] if each[0] == near.text]
        return beside[0][1], beside[-1][2]


def _words(claim: Claim) -> str:
    """A claim as a sentence for the model: without marks, behind what says what it is about."""
    marks = "|".join(re.escape(each) for each in (*claim.cites, *claim.broken) if each)
    own = plain(claim.text).text
    own = re.sub(rf"[(\[【]?\s*(?<!\w)(?:{marks})(?!\w)\s*[)\]】]?", " ", own) if marks else own
    parts = [*(plain(each).text for each in claim.context), own]
    return ": ".join(" ".join(each.split()) for each in parts if each.strip())


def _most(read: Sequence[_Read]) -> tuple[float, float]:
    return (
        max((each.entailment for each in read), default=0.0),
        max((each.contradiction for each in read), default=0.0),
    )


def _found(read: Sequence[_Read], calibration: Calibration) -> Finding:
    entails = _beyond([(each.entailment, each) for each in read], calibration.supported.at)
    denies = _beyond([(each.contradiction, each) for each in read], calibration.refuted.at)
    if entails and denies:
        return Finding(
            verdict="undecided",
            passages=(entails.passage, denies.passage),
            reason="One passage entails the claim, and another contradicts it.",
        )
    if entails:
        return Finding(
            verdict="exact",
            passages=(entails.passage,),
            reason=f"A passage entails it, by the local model ({entails.entailment:.2f}).",
        )
    if denies:
        return Finding(
            verdict="refuted",
            passages=(denies.passage,),
            said=denies.quote,
            reason=f"A passage contradicts it, by the local model ({denies.contradiction:.2f}).",
        )
    support, against = _most(read)
    best = max(read, key=lambda each: max(each.entailment, each.contradiction))
    return Finding(
        verdict="undecided",
        passages=(best.passage,),
        reason=f"The local model is not sure: entailed {support:.2f}, contradicted {against:.2f}.",
    )


def _beyond(read: Sequence[tuple[float, _Read]], at: float | None) -> _Read | None:
    """The shortest passage at or above a threshold, of equal ones the surest."""
    found = [(len(each.quote), -sure, place) for place, (sure, each) in enumerate(read) if at and sure >= at]
    return read[min(found)[2]][1] if found else None
