"""Checking a text: its sources opened and sealed, its claims compared with them, the evidence cited."""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from typing import Final

from verifaible.check import quotations
from verifaible.check.cache import CACHE_NAME, Cache
from verifaible.check.citations import Citing
from verifaible.check.document import read_document
from verifaible.check.sources import (
    NamedSources,
    OpenedSource,
    Opener,
    name_sources,
    read_source,
    state_of_sealed,
)
from verifaible.claims import extract_claims
from verifaible.config import Settings
from verifaible.errors import StoreError
from verifaible.evidence.sources import SourceDraft
from verifaible.factcheck.decide import decide
from verifaible.factcheck.judges import Judges, Judging
from verifaible.factcheck.library import Library
from verifaible.runs.executor import Executor, call
from verifaible.schema.analyst import AnalystAnswer, Claim
from verifaible.schema.checked import Checked, CheckedClaim, CheckedSource, ClaimVerdict, Nearest
from verifaible.schema.checked import Decider as By
from verifaible.schema.citation import WebMode
from verifaible.schema.verdict import Decider, Derivation, Outcome, Passage, Verdict
from verifaible.store.store import Store
from verifaible.text.markdown import THOUGHT
from verifaible.text.nearest import Passages
from verifaible.version import __version__

#: How old a visit may be that stands for a new one.
MAX_AGE: Final = timedelta(hours=24)
#: What each outcome is called in a checked text; a quotation that is contradicted is ``altered``.
_VIEWS: Final[dict[Outcome, ClaimVerdict]] = {
    "supported": "supported",
    "derived": "calculated",
    "contradicted": "contradicted",
    "not_found": "not_in_source",
    "open": "undecided",
}
_BY: Final[dict[Decider, By]] = {"entailment": "nli", "judge": "judge", "": ""}
#: What the source of the next mark may say of a claim without one; its silence says nothing there.
_LENT: Final = frozenset({"supported", "calculated", "contradicted", "altered"})
_BY_THE_NEXT: Final = "Its source is told by the next mark of the paragraph."
_STATES: Final = {
    "gone": "is gone",
    "made_up": "does not exist",
    "blocked": "is blocked",
    "paywall": "is behind a paywall",
    "login": "asks to log in",
    "error": "could not be read",
}

#: Told what is done, how much of it is, and of how much.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How a text is checked.

    Attributes:
        files: sources that were given as files.
        max_age: how old a visit may be that stands for a new one; zero: every source is opened.
        judges: makes who decides what is left open; None: nobody.
        judge: what that is called.
        progress: told how far it is.
    """

    files: tuple[SourceDraft, ...] = ()
    max_age: timedelta = MAX_AGE
    judges: Judges | None = None
    judge: str = ""
    progress: Progress = field(default=lambda *_: None)


class Checker:
    """Checks texts, into one store.

    Args:
        settings: where it is kept what was opened before.
        store: where captures and citations are.
        executor: what needs a browser is done there, by a :class:`~verifaible.check.browsing.Browsing`.
        mode: of the web that its pages are opened on.
    """

    def __init__(self, settings: Settings, store: Store, executor: Executor, mode: WebMode) -> None:
        self._store = store
        self._executor = executor
        self._mode = mode
        self._cache = Cache(settings.home / "snapshots" / CACHE_NAME, store.location)

    async def check(self, name: str, *, data: bytes | None = None, options: Options | None = None) -> Checked:
        """Check a text.

        Args:
            name: a path, an address, or ``-``.
            data: its bytes, where they are at hand.
            options: how.

        Raises:
            ConfigError: the text cannot be read.
            ToolError: its page cannot be opened.
            StoreError: the store cannot be read or written.
            InfrastructureError: no browser could be started.
        """
        options = options or Options()
        document = await read_document(name, data=data, fetch=partial(call, self._executor, "fetched"))
        named = await asyncio.to_thread(name_sources, document, self._store, options.files)
        claims = await asyncio.to_thread(extract_claims, named.answer)
        states, read = await self._read(named, options)
        judging = options.judges(named.answer) if options.judges is not None else None
        decided = await Comparison(named.answer, claims, states, read, judging).decided(options.progress)
        citing = Citing(self._executor, self._store, self._cache)
        cited = await citing.cite_all(decided, read, lambda *done: options.progress("Citing", *done))
        return Checked(
            name=document.name,
            sha256=document.sha256,
            title=document.title,
            text=document.text,
            claims=tuple(cited),
            sources=tuple(states.values()),
            judge=options.judge,
            checked_at=datetime.now(UTC),
            version=__version__,
            faults=(
                *document.faults,
                *left_out(document.text),
                *(fault.message for fault in named.answer.faults),
            ),
        )

    async def _read(
        self, named: NamedSources, options: Options
    ) -> tuple[dict[str, CheckedSource], dict[str, OpenedSource]]:
        """What came of each source by its id, and those that were read."""
        opener = Opener(self._executor, self._store, self._cache, self._mode, options.max_age)
        sources = named.answer.sources
        found = await opener.open_all(
            sources, named.labels, lambda *done: options.progress("Opening sources", *done)
        )
        states: dict[str, CheckedSource] = {}
        read: dict[str, OpenedSource] = {}
        for source, (state, opened) in zip(sources, found, strict=True):
            states[source.id] = state
            if state.state != "read":
                continue
            known = source.model_copy(
                update={"capture": state.capture, "file": state.file, "title": state.title or source.title}
            )
            try:
                read[source.id] = await asyncio.to_thread(read_source, known, state, opened, self._store)
            except StoreError as error:
                states[source.id] = state.model_copy(update={"state": "error", "said": str(error)})
        return states, read


async def check_sealed(
    answer: AnalystAnswer, store: Store, *, judges: Judges | None = None
) -> tuple[CheckedClaim, ...]:
    """The claims of a text whose sources are sealed already: nothing is opened, and no citation is made.

    Args:
        answer: the text, with all sources that it may cite; those that it cites are read.
        store: where they are sealed.
        judges: makes who decides what is left open; None: nobody.

    Raises:
        StoreError: a source cannot be read, or was changed.
    """
    claims = await asyncio.to_thread(extract_claims, answer)
    cited = {name for claim in claims for name in claim.cites}
    read: dict[str, OpenedSource] = {}
    for source in answer.sources:
        if source.id in cited:
            read[source.id] = await asyncio.to_thread(
                read_source, source, state_of_sealed(source), None, store
            )
    states = {name: each.state for name, each in read.items()}
    judging = judges(answer) if judges is not None else None
    return tuple(await Comparison(answer, claims, states, read, judging).decided(lambda *_: None))


@dataclass(frozen=True)
class Comparison:
    """One text with its claims and everything that was read for it.

    Attributes:
        answer: the text with its sources.
        claims: in its order.
        states: what came of each source, by its id.
        read: those that were read, by their id.
        judging: who decides what is left open.
    """

    answer: AnalystAnswer
    claims: Sequence[Claim]
    states: Mapping[str, CheckedSource]
    read: Mapping[str, OpenedSource]
    judging: Judging | None = None
    _indexed: dict[tuple[str, ...], Passages] = field(default_factory=dict)

    @cached_property
    def _library(self) -> Library:
        return Library([(each.source, each.text) for each in self.read.values()], topic=self.answer.query)

    @cached_property
    def _quotations(self) -> list[quotations.Quotation]:
        return quotations.quotations_in(self.answer.answer)

    @cached_property
    def _citing(self) -> list[Claim]:
        return sorted((each for each in self.claims if each.cites), key=lambda each: each.start)

    @cached_property
    def _paragraph_ends(self) -> list[int]:
        return [match.start() for match in re.finditer(r"\n(?=\n)", self.answer.answer)]

    async def decided(self, progress: Progress) -> list[CheckedClaim]:
        """Every claim with its verdict."""
        done: list[CheckedClaim] = []
        for number, claim in enumerate(self.claims, start=1):
            found = await asyncio.to_thread(self._without_model, claim)
            if found.verdict == "undecided" and self.judging is not None and self._cited(claim):
                verdict = await self.judging.decide(claim, self._library)
                if verdict is not None:
                    found = self._view(claim, verdict, self._is_whole(claim))
            if found.verdict == "undecided":
                nearest = await asyncio.to_thread(self._nearest, claim)
                found = found.model_copy(update={"nearest": nearest})
            done.append(found)
            progress("Comparing claims", number, len(self.claims))
        return done

    def _without_model(self, claim: Claim) -> CheckedClaim:
        found = self._unread(claim) or self._compared(claim)
        if found.verdict == "no_source" and (lent := self._lent(claim)) and self._unread(lent) is None:
            again = self._compared(lent)
            if again.verdict in _LENT:
                return again.model_copy(update={"reason": f"{again.reason} {_BY_THE_NEXT}".strip()})
        return found

    def _unread(self, claim: Claim) -> CheckedClaim | None:
        """The verdict of a claim for which nothing needs to be read, or could be; else None."""
        if not claim.factual:
            reason = "It states nothing that a source could hold."
            return CheckedClaim(claim=claim, verdict="not_checkable", reason=reason)
        cited = [self.states[name] for name in claim.cites if name in self.states]
        if not cited:
            reason = "The text names no source for it."
            if claim.broken:
                reason = f"Its mark {', '.join(claim.broken)} leads to no source that the text lists."
            return CheckedClaim(claim=claim, verdict="no_source", reason=reason)
        if not any(source.state == "read" for source in cited):
            told = "; ".join(f"{each.label or each.url or each.id} {_STATES[each.state]}" for each in cited)
            reason = f"No cited source could be read: {told}."
            return CheckedClaim(claim=claim, verdict="unreadable", reason=reason)
        return None

    def _compared(self, claim: Claim) -> CheckedClaim:
        whole = self._is_whole(claim)
        verdict = self._decided(claim, self._cited(claim), whole=whole)
        return self._view(claim, verdict, whole)

    def _view(self, claim: Claim, verdict: Verdict, whole: bool) -> CheckedClaim:
        """A verdict in the words of a checked text.

        ``whole``: all cited sources were read, and all of each: only then can one say what they do not have.
        """
        outcome = verdict.outcome if whole or verdict.outcome != "not_found" else "open"
        name = _VIEWS[outcome]
        if outcome == "contradicted" and verdict.decided_by == "quotation":
            name = "altered"
        cited = self._cited(claim)
        found = outcome != "open"
        places = [(each, self._sealed(each)) for each in verdict.passages] if found else []
        return CheckedClaim(
            claim=claim,
            verdict=name,
            reason=verdict.reason,
            passages=tuple(place for _, place in places if place is not None),
            sentences=tuple(self._around(each) for each, place in places if place is not None),
            said=verdict.said if outcome == "contradicted" else "",
            derivation=self._with_sealed_operands(verdict.derivation) if found else None,
            citations=tuple(each.citation.id for each in cited if each.citation is not None),
            by=_BY.get(verdict.decided_by, "rules") if found else "",
        )

    def _sealed(self, passage: Passage) -> Passage | None:
        """A passage as a place of its capture, where that is known."""
        source = self.read.get(passage.source)
        return passage if source is None else source.sealed(passage)

    def _around(self, passage: Passage) -> str:
        source = self.read.get(passage.source)
        return passage.quote if source is None else source.around(passage)

    def _with_sealed_operands(self, derivation: Derivation | None) -> Derivation | None:
        operands = derivation.operands if derivation is not None else ()
        sealed = [(each, self._sealed(each.passage)) for each in operands]
        if derivation is None or any(place is None for _, place in sealed):
            return None
        known = tuple(each.model_copy(update={"passage": place}) for each, place in sealed)
        return derivation.model_copy(update={"operands": known})

    def _lent(self, claim: Claim) -> Claim | None:
        """A claim without a mark, with the sources of the next mark of its paragraph."""
        after = bisect_left(self._citing, claim.end, key=lambda each: each.start)
        if after == len(self._citing) or claim.broken:
            return None
        later, ends = self._citing[after], bisect_left(self._paragraph_ends, claim.end)
        if ends < len(self._paragraph_ends) and self._paragraph_ends[ends] + 2 <= later.start:
            return None
        return claim.model_copy(update={"cites": later.cites})

    def _cited(self, claim: Claim) -> list[OpenedSource]:
        return [self.read[name] for name in claim.cites if name in self.read]

    def _is_whole(self, claim: Claim) -> bool:
        read = self._cited(claim)
        return len(read) == len(claim.cites) and not claim.broken and all(each.whole for each in read)

    def _nearest(self, claim: Claim) -> Nearest | None:
        """The passage of the cited sources that comes nearest to a claim."""
        read = self._cited(claim)
        key = tuple(each.source.id for each in read)
        if key not in self._indexed:
            self._indexed[key] = Passages([each.text for each in read])
        for near in self._indexed[key].nearest(" ".join((*claim.context, claim.text)), 1):
            place = read[near.text].sealed(read[near.text].passage(near.start, near.end))
            return Nearest(passage=place, share=near.share) if place is not None else None
        return None

    def _decided(self, claim: Claim, read: Sequence[OpenedSource], *, whole: bool) -> Verdict:
        """Who decides without a model, the first that can: the one place that calls them."""
        text = self.answer.answer
        first = bisect_right(self._quotations, claim.start, key=lambda each: each.end)
        last = bisect_left(self._quotations, claim.end, key=lambda each: each.start)
        # a claim that begins with the sign that ends a quotation has no word of it
        quoted = [
            each
            for each in self._quotations[first:last]
            if any(map(str.isalnum, text[max(each.start, claim.start) : min(each.end, claim.end)]))
        ]
        compared = [(each, quotations.compare(each, read)) for each in quoted]
        wrong = ("contradicted", "not_found") if whole else ("contradicted",)
        for _, verdict in sorted(compared, key=lambda each: each[1].outcome):
            if verdict.outcome in wrong:
                return verdict
        try:
            verdict = decide(claim, self._library, only=[each.source.id for each in read], whole=whole)
        except Exception as error:  # a fault of ours, or a text like no other, must cost one claim alone
            verdict = Verdict(outcome="open", reason=f"The rules failed ({type(error).__name__}: {error}).")
        if verdict.outcome != "open":
            return verdict
        same = [each for each in self.claims if each.sentence == claim.sentence]
        sentence = text[min(each.start for each in same) : max(each.end for each in same)]
        if (verbatim := quotations.verbatim(claim, sentence, read)) is not None:
            return verbatim
        for each, found in compared:
            around = f"{text[claim.start : each.start]} {text[each.end : claim.end]}"
            if found.outcome == "supported" and quotations.only_introduces(around, read):
                return found
        return verdict


def left_out(text: str) -> Iterator[str]:
    """What of a text is not read, a sentence for people each."""
    if thought := THOUGHT.match(text):
        words = len(thought[0].split())
        yield f"The text begins with what a model thought (<think>): {words} words that were not checked."
