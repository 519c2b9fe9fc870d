"""Taking triples out of filings without a model, a filing at each place of an executor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Self

from verifaible.judge.asking.asking import PLACES
from verifaible.kg.chunks import Chunk
from verifaible.kg.filing import read_filing
from verifaible.kg.folder import KEYLESS, GraphFolder
from verifaible.kg.triples import Triple
from verifaible.runs.executing import executor_of
from verifaible.runs.executor import Executor, Local, call


class Reading:
    """Reads filings: what works at the places."""

    @classmethod
    @asynccontextmanager
    async def opened(cls) -> AsyncIterator[Self]:
        """It holds nothing open."""
        yield cls()

    async def triples(
        self, body: bytes, url: str, chunks: Sequence[Chunk], modes: Sequence[str]
    ) -> list[list[Triple]]:
        """The triples of a filing by each mode."""
        filing = await asyncio.to_thread(read_filing, body, url)
        return [await asyncio.to_thread(KEYLESS[mode], filing, chunks) for mode in modes]


async def extract_keyless(
    folders: Sequence[GraphFolder], modes: Sequence[str], *, executor: str = "local", workers: int = 0
) -> None:
    """Put the triples of filings in the place of those that there are.

    Args:
        folders: of the filings.
        modes: of :data:`~verifaible.kg.folder.KEYLESS`.
        executor: where they are read, as ``executor_of`` takes it.
        workers: likewise.

    Raises:
        ConfigError: a folder holds no filing, or there is no such executor.
        InfrastructureError: the workers of a cluster are lost.
    """
    made = executor_of(executor, workers, places=PLACES, browsers=False)
    places: Executor = made(Reading.opened) if made else Local(Reading.opened, 1)
    for folder in folders:
        _ = folder.ingested  # one that holds no filing is told before any is read
    async with places:
        free = asyncio.Semaphore(places.at_once)

        async def one(folder: GraphFolder) -> None:
            async with free:  # so many filings are in memory
                url, chunks = folder.ingested.source.url, folder.chunks()
                found = await call(places, "triples", folder.body(), url, chunks, modes)
            for mode, triples in zip(modes, found, strict=True):
                folder.run(mode).replace(triples)

        tasks = [asyncio.ensure_future(one(folder)) for folder in folders]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
