"""Checking a text: its sources opened and sealed, its claims compared with them, the evidence cited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from verifaible.config import Settings
from verifaible.errors import CitationNotFound, InfrastructureError, StoreError, ToolError
from verifaible.evidence.request import CiteRequest
from verifaible.evidence.sources import SourceDraft, SourceTexts
from verifaible.judge.check.given import Given, read_given
from verifaible.judge.check.judges import Judges, Judging
from verifaible.judge.check.named import Named, name_sources
from verifaible.judge.check.opening import NAME, Keeping, Opener, Watch
from verifaible.judge.check.quotations import (
    Compared,
    Quotation,
    ReadSource,
    compare,
    quotations_in,
    verbatim,
)
from verifaible.judge.check.verdicts import of_finding, of_quotation, undecided, without_sources
from verifaible.judge.claims import claims_of
from verifaible.judge.rules.decide import decide
from verifaible.judge.rules.library import Library
from verifaible.runs.executor import Executor, call
from verifaible.schema.analyst import Claim
from verifaible.schema.checked import Checked, CheckedClaim, CheckedSource, Nearest
from verifaible.schema.citation import WebMode
from verifaible.schema.judged import Finding
from verifaible.schema.verdict import Passage
from verifaible.store.store import Store
from verifaible.text.markdown import THOUGHT
from verifaible.text.nearest import Passages
from verifaible.version import __version__

#: How old a visit may be that stands for a new one.
MAX_AGE: Final = timedelta(hours=24)

#: What a source says of a claim that has no mark of its own; its silence says nothing there.
_LENT: Final = ("supported", "calculated", "contradicted", "altered")
_BY_THE_NEXT: Final = "Its source is told by the next mark of the paragraph."

#: Told what is done, how much of it is, and of how much.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How a text is checked.

    Attributes:
        files: sources that were given as files.
        max_age: how old a visit may be that stands for a new one; zero: every source is opened.
        judges: makes who decides what the rules leave open; None: nobody.
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
        executor: what needs a browser is done there, by a :class:`~verifaible.judge.check.browsing.Browsing`.
        mode: of the web that its pages are opened on.
    """

    def __init__(self, settings: Settings, store: Store, executor: Executor, mode: WebMode) -> None:
        self._store = store
        self._executor = executor
        self._mode = mode
        self._keeping = Keeping(settings.home / "snapshots" / NAME, store.location)

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
        given = await read_given(name, data=data, fetch=partial(call, self._executor, "fetched"))
        named = await asyncio.to_thread(name_sources, given, self._store, options.files)
        claims = await asyncio.to_thread(claims_of, named.answer)
        states, read = await self._read(named, options)
        judging = options.judges(named.answer) if options.judges is not None else None
        work = Work(given, named, claims, states, read, judging)
        checked = await work.decided(options.progress)
        citing = Citing(self._executor, self._store, self._keeping)
        cited = await citing.cite_all(checked, read, lambda *done: options.progress("Citing", *done))
        return Checked(
            name=given.name,
            sha256=given.sha256,
            title=given.title,
            text=given.text,
            claims=tuple(cited),
            sources=tuple(states.values()),
            judge=options.judge,
            checked_at=datetime.now(UTC),
            version=__version__,
            faults=(*given.faults, *_left_out(given.text), *(fault.message for fault in named.answer.faults)),
        )

    async def _read(
        self, named: Named, options: Options
    ) -> tuple[dict[str, CheckedSource], dict[str, ReadSource]]:
        """What came of each source by its id, and those that were read."""
        opener = Opener(self._executor, self._store, self._keeping, self._mode, options.max_age)
        sources = named.answer.sources
        found = await opener.open_all(
            sources, named.labels, lambda *done: options.progress("Opening sources", *done)
        )
        texts = SourceTexts(self._store)
        states: dict[str, CheckedSource] = {}
        read: dict[str, ReadSource] = {}
        for source, (state, opened) in zip(sources, found, strict=True):
            states[source.id] = state
            if state.state != "read":
                continue
            known = source.model_copy(
                update={"capture": state.capture, "file": state.file, "title": state.title or source.title}
            )
            try:
                text = await asyncio.to_thread(texts.text, known)
            except StoreError as error:
                states[source.id] = state.model_copy(update={"state": "error", "said": str(error)})
                continue
            read[source.id] = ReadSource(known, text, state, opened, self._store)
        return states, read


@dataclass(frozen=True, slots=True)
class Work:
    """One text with everything that was read for it."""

    given: Given
    named: Named
    claims: Sequence[Claim]
    states: dict[str, CheckedSource]
    read: dict[str, ReadSource]
    judging: Judging | None
    indexed: dict[tuple[str, ...], Passages] = field(default_factory=dict)

    async def decided(self, progress: Progress) -> list[CheckedClaim]:
        """Every claim with its verdict; the rules first."""
        library = Library(
            [(each.source, each.text) for each in self.read.values()], topic=self.named.answer.query
        )
        quotations = await asyncio.to_thread(quotations_in, self.given.text)
        compared: dict[tuple[int, tuple[str, ...]], Compared] = {}
        done: list[CheckedClaim] = []
        for number, claim in enumerate(self.claims, start=1):
            found = await asyncio.to_thread(self._by_rules, claim, library, quotations, compared)
            if found is not None and found.verdict == "no_source" and (lent := self._lent(claim)):
                again = await asyncio.to_thread(self._by_rules, lent, library, quotations, compared)
                if again is not None and again.verdict in _LENT:
                    found = again.model_copy(update={"reason": f"{again.reason} {_BY_THE_NEXT}"})
            why = "Read, not decided: see the nearest passage."
            if found is None and self.judging is not None:
                finding = await self.judging.decide(claim, library)
                read = self._cited(claim)
                whole = self._whole(claim)
                found = of_finding(claim, finding, read, whole=whole, by=self.judging.by) if finding else None
                why = finding.reason if finding is not None and finding.reason else why
            done.append(found if found is not None else await asyncio.to_thread(self._left, claim, why))
            progress("Comparing claims", number, len(self.claims))
        return done

    def _lent(self, claim: Claim) -> Claim | None:
        """A claim without a mark, with the sources of the next mark of its paragraph."""
        later = [each for each in self.claims if each.start >= claim.end and each.cites]
        if not later or claim.broken or "\n\n" in self.given.text[claim.end : later[0].start]:
            return None
        return claim.model_copy(update={"cites": later[0].cites})

    def _cited(self, claim: Claim) -> list[ReadSource]:
        return [self.read[name] for name in claim.cites if name in self.read]

    def _sentence(self, claim: Claim) -> str:
        """The words of the text in which a claim and those of the same sentence stand."""
        same = [each for each in self.claims if each.sentence == claim.sentence]
        return self.given.text[min(each.start for each in same) : max(each.end for each in same)]

    def _whole(self, claim: Claim) -> bool:
        read = self._cited(claim)
        return len(read) == len(claim.cites) and not claim.broken and all(each.whole for each in read)

    def _by_rules(
        self,
        claim: Claim,
        library: Library,
        quotations: Sequence[Quotation],
        compared: dict[tuple[int, tuple[str, ...]], Compared],
    ) -> CheckedClaim | None:
        cited = [self.states[name] for name in claim.cites if name in self.states]
        if (plain := without_sources(claim, cited)) is not None:
            return plain
        read, whole = self._cited(claim), self._whole(claim)
        if not read:
            return undecided(claim, "What its sources hold could not be read.", None)
        quoted: tuple[Quotation, Compared] | None = None
        for each in quotations:
            if each.start < claim.end and claim.start < each.end:
                key = (each.start, tuple(claim.cites))
                if key not in compared:
                    compared[key] = compare(each, read)
                quoted = each, compared[key]
                if compared[key].verdict == "altered":
                    break
        found: CheckedClaim | None = None
        if quoted is not None and quoted[1].verdict in ("altered", "absent" if whole else "altered"):
            found = of_quotation(claim, quoted[1], "", read)
        if found is None:
            finding = _decided(claim, library, [each.source.id for each in read], whole)
            found = of_finding(claim, finding, read, whole=whole, by="rules")
        if found is None:
            same = verbatim(claim, self._sentence(claim), read)
            found = of_finding(claim, same, read, whole=whole, by="rules") if same else None
        if found is None and quoted is not None:
            each = quoted[0]
            outside = (
                self.given.text[claim.start : max(claim.start, each.start)]
                + " "
                + self.given.text[min(claim.end, each.end) : claim.end]
            )
            found = of_quotation(claim, quoted[1], outside, read)
        return found

    def _left(self, claim: Claim, why: str) -> CheckedClaim:
        """A claim that nobody decided, with what a person may look at."""
        read = self._cited(claim)
        found = self._index(read).nearest(" ".join((*claim.context, claim.text)), 1)
        nearest = None
        if found:
            near = found[0]
            nearest = Nearest(passage=read[near.text].passage(near.start, near.end), share=near.share)
        return undecided(claim, why, nearest)

    def _index(self, read: Sequence[ReadSource]) -> Passages:
        """The sentences of sources, indexed once for all claims that cite the same."""
        key = tuple(each.source.id for each in read)
        if key not in self.indexed:
            self.indexed[key] = Passages([each.text for each in read])
        return self.indexed[key]


def _decided(claim: Claim, library: Library, only: Sequence[str], whole: bool) -> Finding:
    try:
        return decide(claim, library, only=only, whole=whole)
    except (
        Exception
    ) as error:  # a fault of ours, or a text like no other, must cost one claim and not the check
        return Finding(verdict="undecided", reason=f"The rules failed ({type(error).__name__}: {error}).")


#: Places cited for one claim: a calculation has an operand each.
_MOST: Final = 6
_CITED: Final = frozenset({"supported", "calculated", "contradicted", "altered"})


class Citing:
    """Makes citations, each place of a capture once, whatever claims rest on it."""

    def __init__(self, executor: Executor, store: Store, keeping: Keeping) -> None:
        self._executor = executor
        self._store = store
        self._keeping = keeping
        self._making: dict[str, asyncio.Task[tuple[str, str]]] = {}

    async def cite_all(
        self, claims: Sequence[CheckedClaim], read: dict[str, ReadSource], watch: Watch
    ) -> list[CheckedClaim]:
        """The same claims with the citations of their evidence.

        Where a citation is refused, the passage in the sealed capture stays the evidence, and the reason says
        so.
        """
        done = 0
        wanted = sum(each.verdict in _CITED for each in claims)

        async def one(claim: CheckedClaim) -> CheckedClaim:
            nonlocal done
            if claim.verdict not in _CITED:
                return claim
            cited = await self._of(claim, read)
            done += 1
            watch(done, wanted)
            return cited

        tasks = [asyncio.ensure_future(one(claim)) for claim in claims]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in (*tasks, *self._making.values()):
                task.cancel()
            await asyncio.gather(*tasks, *self._making.values(), return_exceptions=True)

    async def _of(self, claim: CheckedClaim, read: dict[str, ReadSource]) -> CheckedClaim:
        passages = [*claim.passages]
        if claim.derivation is not None:
            passages += [operand.passage for operand in claim.derivation.operands]
        made: dict[str, None] = {}
        refusals: dict[str, None] = {}
        for passage in list(dict.fromkeys(passages))[:_MOST]:
            citation, refusal = await self._cited(passage, read)
            made.update({citation: None} if citation else {})
            refusals.update({refusal: None} if refusal else {})
        reason = claim.reason
        if refusals and not made:
            reason += f" No citation was made of the passage in the sealed capture: {next(iter(refusals))}"
        return claim.model_copy(update={"citations": tuple(made), "reason": reason})

    async def _cited(self, passage: Passage, read: dict[str, ReadSource]) -> tuple[str, str]:
        source = read.get(passage.source)
        if source is None:
            return "", ""
        if source.source.kind == "citation":
            return next((each for each in source.source.aliases if not each.startswith("@")), ""), ""
        request = await asyncio.to_thread(source.request, passage)
        if request is None or source.opened is None:
            return (
                "",
                "The source was given as a file, which no browser shows." if source.opened is None else "",
            )
        key = f"{source.source.capture} {request.model_dump_json()}"
        if key not in self._making:
            wanted = CiteRequest(claim=source.around(passage), url=source.opened.url, anchor=request)
            self._making[key] = asyncio.ensure_future(self._made(wanted, source))
        return await asyncio.shield(self._making[key])

    async def _made(self, wanted: CiteRequest, source: ReadSource) -> tuple[str, str]:
        assert source.opened is not None
        known = self._keeping.cited(source.source.capture, wanted.anchor)
        if known is not None and (known.refusal or self._is_there(known.citation)):
            return known.citation, known.refusal
        try:
            said = {"citation": await call(self._executor, "cited", wanted, source.opened)}
        except ToolError as error:
            said = {"refusal": " ".join(str(error).split())}
        except InfrastructureError as error:
            return "", " ".join(str(error).split())  # another time it may be made
        kept = await asyncio.to_thread(
            lambda: self._keeping.add_cited(source.source.capture, wanted.anchor, **said)
        )
        return kept.citation, kept.refusal

    def _is_there(self, citation: str) -> bool:
        try:
            self._store.get(citation)
        except (CitationNotFound, StoreError):
            return False
        return True


def _left_out(text: str) -> Iterator[str]:
    if thought := THOUGHT.match(text):
        words = len(thought[0].split())
        yield f"The text begins with what a model thought (<think>): {words} words that were not checked."
