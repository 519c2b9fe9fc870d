"""What an answer may rest on: each result of a tool, sealed under the mark that the model is told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from verifaible.errors import InfrastructureError, StoreError
from verifaible.evidence.sources import SourceDraft, SourceOrigin, keep_sources
from verifaible.schema.analyst import Source, SourceKind
from verifaible.schema.data import Exchange
from verifaible.store.store import Store


@dataclass(frozen=True, slots=True)
class Given:
    """Words or data that a tool is about to give to the model.

    Attributes:
        kind: what it is.
        body: the bytes as they came; nothing of them is cut.
        media_type: of the bytes.
        url: where they are from; empty for none.
        title: the name of the tool or of the page.
        at: when they were received or recorded.
        exchange: of a provider's answer, the request and the rest of the answer.
        mark: what it is called, where whoever gives it knows; else the next ``src_N``.
    """

    kind: SourceKind
    body: bytes
    media_type: str
    url: str = ""
    title: str = ""
    at: datetime | None = None
    exchange: Exchange | None = None
    mark: str = ""


class SourceBook:
    """The sources of one answer, in the order of their marks ``src_1``, ``src_2`` and so on.

    Computed values stand among them under their own, ``calc_1`` and so on.

    Args:
        store: where they are sealed, at once, so that a kill loses none that the model has seen.
        origin: said in each capture: who gave these words.
        kept: sources that have their marks already, of an earlier part of a conversation.
    """

    def __init__(self, store: Store, origin: SourceOrigin, kept: Sequence[Source] = ()) -> None:
        self._store = store
        self._origin = origin
        self._kept: list[Source] = list(kept)
        #: What a trace has of each, by its mark.
        self.shown: dict[str, str] = {}
        self._lock = asyncio.Lock()  # calls side by side are numbered one after the other
        self._by_content: dict[tuple[str, str, bytes], Source] = {}

    @property
    def store(self) -> Store:
        """Where they are sealed."""
        return self._store

    @property
    def sources(self) -> tuple[Source, ...]:
        """All of them so far."""
        return tuple(self._kept)

    async def keep(self, given: Sequence[Given]) -> tuple[Source, ...]:
        """Seal each; what is there already keeps its first mark.

        Raises:
            InfrastructureError: the store cannot be written.
        """
        async with self._lock:
            unkept = {_key(each): each for each in given if _key(each) not in self._by_content}
            if unkept:
                drafts = self._drafts(unkept.values())
                try:
                    kept = await asyncio.to_thread(keep_sources, self._store, drafts, origin=self._origin)
                except StoreError as error:
                    raise InfrastructureError(f"What a tool gave cannot be sealed: {error}") from error
                self._kept += kept
                self._by_content |= dict(zip(unkept, kept, strict=True))
                for source, each in zip(kept, unkept.values(), strict=True):
                    if each.kind in ("snippet", "page"):
                        self.shown[source.id] = each.body.decode()
        return tuple(self._by_content[_key(each)] for each in given)

    def _drafts(self, given: Iterable[Given]) -> list[SourceDraft]:
        numbers = count(1 + sum(source.id.startswith("src_") for source in self._kept))
        return [
            SourceDraft(
                id=each.mark or f"src_{next(numbers)}",
                kind=each.kind,
                body=each.body,
                media_type=each.media_type,
                url=each.url,
                title=each.title,
                at=each.at,
                exchange=each.exchange,
            )
            for each in given
        ]


def _key(given: Given) -> tuple[str, str, bytes]:
    return given.kind, given.url, given.body
