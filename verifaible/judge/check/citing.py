"""The evidence of decided claims as citations of the store, made in the sealed captures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from verifaible.errors import CitationNotFound, InfrastructureError, StoreError, ToolError
from verifaible.evidence.make.request import CiteRequest
from verifaible.evidence.make.whole import SourceCollector
from verifaible.evidence.store.store import Store
from verifaible.judge.check.kept import Keeping
from verifaible.judge.check.opening import AT_ONCE, Watch
from verifaible.judge.check.read import ReadSource
from verifaible.schema.checked import CheckedClaim
from verifaible.schema.judged import Passage

#: Places cited for one claim: a calculation has an operand each.
_MOST: Final = 6
_CITED: Final = frozenset({"supported", "calculated", "contradicted", "altered"})


class Citing:
    """Makes citations, each place of a capture once, whatever claims rest on it."""

    def __init__(self, collector: SourceCollector, store: Store, keeping: Keeping) -> None:
        self._collector = collector
        self._store = store
        self._keeping = keeping
        self._places = asyncio.Semaphore(AT_ONCE)
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
        async with self._places:
            try:
                collected = await self._collector.cite_in(wanted, source.opened)
            except ToolError as error:
                said = {"refusal": " ".join(str(error).split())}
            except InfrastructureError as error:
                return "", " ".join(str(error).split())  # another time it may be made
            else:
                said = {"citation": collected.citation.id}
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
