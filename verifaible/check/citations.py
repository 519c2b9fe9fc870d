"""Citing the evidence of checked claims: each place of a capture once, whatever claims rest on it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from verifaible.check.cache import Cache
from verifaible.check.sources import OpenedSource, Watch, gathered
from verifaible.errors import CitationNotFound, InfrastructureError, StoreError, ToolError
from verifaible.evidence.request import CiteRequest
from verifaible.runs.executor import Executor, call
from verifaible.schema.checked import CheckedClaim
from verifaible.schema.verdict import Passage
from verifaible.store.store import Store

#: Places cited for one claim: a calculation has an operand each.
_MAX_PLACES: Final = 6
_CITED: Final = frozenset({"supported", "calculated", "contradicted", "altered"})
_FROM_A_FILE: Final = "The source was given as a file, which no browser shows."


class Citing:
    """Makes citations at the places of an executor, by a :class:`~verifaible.check.browsing.Browsing`."""

    def __init__(self, executor: Executor, store: Store, cache: Cache) -> None:
        self._executor = executor
        self._store = store
        self._cache = cache
        self._making: dict[str, asyncio.Task[tuple[str, str]]] = {}

    async def cite_all(
        self, claims: Sequence[CheckedClaim], read: Mapping[str, OpenedSource], watch: Watch
    ) -> list[CheckedClaim]:
        """The same claims with the citations of their evidence.

        Where a citation is refused, the passage in the sealed capture stays the evidence, and the reason says
        so.
        """
        done, wanted = 0, sum(each.verdict in _CITED for each in claims)

        async def one(claim: CheckedClaim) -> CheckedClaim:
            nonlocal done
            if claim.verdict not in _CITED:
                return claim
            cited = await self._with_citations(claim, read)
            done += 1
            watch(done, wanted)
            return cited

        try:
            return await gathered(one(claim) for claim in claims)
        finally:
            for task in self._making.values():
                task.cancel()
            await asyncio.gather(*self._making.values(), return_exceptions=True)

    async def _with_citations(self, claim: CheckedClaim, read: Mapping[str, OpenedSource]) -> CheckedClaim:
        operands = claim.derivation.operands if claim.derivation is not None else ()
        passages = dict.fromkeys((*claim.passages, *(operand.passage for operand in operands)))
        tried = [await self._cited(each, read) for each in list(passages)[:_MAX_PLACES]]
        made = tuple(dict.fromkeys((*claim.citations, *(citation for citation, _ in tried if citation))))
        refusal = next((refusal for _, refusal in tried if refusal), "")
        reason = claim.reason
        if refusal and not made:
            reason += f" No citation was made of the passage in the sealed capture: {refusal}"
        return claim.model_copy(update={"citations": made, "reason": reason})

    async def _cited(self, passage: Passage, read: Mapping[str, OpenedSource]) -> tuple[str, str]:
        """The id of the citation of a place, or why there is none."""
        source = read.get(passage.source)
        if source is None or source.source.kind == "citation":
            return "", ""
        if source.opened is None:
            return "", _FROM_A_FILE
        request = await asyncio.to_thread(source.request, passage)
        if request is None:
            return "", ""
        key = f"{source.source.capture} {request.model_dump_json()}"
        if key not in self._making:
            wanted = CiteRequest(
                claim=" ".join(source.around(passage).split()), url=source.opened.url, anchor=request
            )
            self._making[key] = asyncio.ensure_future(self._make(wanted, source))
        return await asyncio.shield(self._making[key])

    async def _make(self, wanted: CiteRequest, source: OpenedSource) -> tuple[str, str]:
        assert source.opened is not None
        capture = source.source.capture
        known = self._cache.cited(capture, wanted.anchor)
        if known is not None and (known.refusal or self._is_there(known.citation)):
            return known.citation, known.refusal
        citation = refusal = ""
        try:
            citation = await call(self._executor, "cited", wanted, source.opened)
        except ToolError as error:
            refusal = " ".join(str(error).split())
        except InfrastructureError as error:
            return "", " ".join(str(error).split())  # another time it may be made
        await asyncio.to_thread(
            self._cache.add_cited, capture, wanted.anchor, citation=citation, refusal=refusal
        )
        return citation, refusal

    def _is_there(self, citation: str) -> bool:
        try:
            self._store.get(citation)
        except (CitationNotFound, StoreError):
            return False
        return True
