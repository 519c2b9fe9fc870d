"""Taking triples out of a filing with models: in one call a chunk, in two, or with a critic.

Replies are kept in the folder of the graph, and a chunk that was asked about is gone through again from them:
so a kill loses the calls under way alone, and a second start goes on where the first ended. A reply that
cannot be used ends a chunk as failed; it is never a chunk without triples.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Container, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from verifaible.config import Settings
from verifaible.kg.chunks import Chunk
from verifaible.kg.extraction_prompts import ChunkText, FormT, Mode, Questions, Remark, T
from verifaible.kg.folder import AskedChunk, Extraction, GraphFolder, write_records
from verifaible.kg.ontology import read_ontology
from verifaible.kg.triples import Triple
from verifaible.llm.budget import Budget
from verifaible.llm.catalogue import Api
from verifaible.llm.opening import open_model
from verifaible.llm.replies import replies_of
from verifaible.llm.voting import Item, Judge
from verifaible.runs.folder import held
from verifaible.runs.lines import usable
from verifaible.schema.chat import Usage


@dataclass(frozen=True, slots=True)
class Options:
    """How a model is asked.

    Attributes:
        mode: ``single``: one call extracts in the words of the ontology; ``multi``: a second brings what the
            first extracted freely to them; ``reflection``: a critic's remarks are corrected, until there are
            none.
        ontology: its file; None: the one that is shipped.
        max_rounds: corrections of ``reflection`` at most.
    """

    mode: Mode
    ontology: Path | None = None
    max_rounds: int = 3


class Models:
    """Opens models for the folders of graphs, with one limit of cost for all of them.

    Args:
        settings: base URL, key, and the person's own models.
        concurrency: calls of one model under way at once.
        max_cost_usd: what all calls together may cost; None: no limit.
        api: the API to ask in; default what the catalogue says.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        concurrency: int = 4,
        max_cost_usd: float | None = None,
        api: Api | None = None,
    ) -> None:
        self._settings = settings
        self._concurrency = concurrency
        self._max_cost_usd = max_cost_usd
        self._budget = Budget(max_cost_usd)
        self._api = api

    @asynccontextmanager
    async def open(self, name: str, folder: GraphFolder) -> AsyncIterator[Judge]:
        """The model of that name at temperature 0; its replies are kept in the folder.

        Raises:
            UnknownModel, MissingKey, ConfigError: it cannot be asked.
        """
        judge = Judge(
            open_model(name, self._settings, self._api, temperature=0.0).client,
            replies_of(self._settings, folder.replies),
            name=name,
            concurrency=self._concurrency,
            max_cost_usd=self._max_cost_usd,
            budget=self._budget,
        )
        try:
            yield judge
        finally:
            await judge.aclose()


class ChunkFailed(Exception):
    """A step got no usable reply; the message names the step and says why.

    Attributes:
        asked: whether a model was asked, or a limit of cost or a rejected key ended that before.
    """

    def __init__(self, message: str, *, asked: bool) -> None:
        self.asked = asked
        super().__init__(message)


class ChunkSteps:
    """Questions about a chunk, one after the other.

    Args:
        judge: the model that is asked.
        questions: what it is asked.
        text: the chunk.

    Attributes:
        usage: tokens and cost of the replies so far, those that were kept from before included.
        settled: whether the critic had nothing more to say; True in modes without one.
    """

    def __init__(self, judge: Judge, questions: Questions, text: ChunkText) -> None:
        self._judge = judge
        self._questions = questions
        self._text = text
        self.usage = Usage()
        self.settled = True

    async def extract(self, mode: Mode, *, max_rounds: int = 3) -> tuple[Triple, ...]:
        """The triples of the chunk; the arguments are those of :class:`Options`.

        Raises:
            ChunkFailed: a step got no usable reply.
            RunError: the replies cannot be kept.
        """
        triples = await self._ask(self._questions.extraction(self._text, free=mode == "multi"))
        if mode == "multi" and triples:
            triples = await self._ask(self._questions.normalisation(self._text, triples))
        for _ in range(max_rounds if mode == "reflection" else 0):
            remarks = await self._ask(self._questions.critique(self._text, triples))
            triples = await self.correct(triples, remarks)
            self.settled = not remarks
            if self.settled:
                break
        return triples

    async def correct(self, triples: Sequence[Triple], remarks: Sequence[Remark]) -> tuple[Triple, ...]:
        """All triples of the chunk, corrected by remarks; without a remark nobody is asked.

        Raises:
            ChunkFailed: there was no usable reply.
            RunError: the replies cannot be kept.
        """
        if not remarks:
            return tuple(triples)
        return await self._ask(self._questions.correction(self._text, triples, remarks))

    async def _ask(self, item: Item[FormT, T]) -> T:
        asked = await self._judge.ask(item)
        self.usage += asked.vote.usage
        if asked.taken is None:
            why = asked.vote.fault or asked.vote.reason
            raise ChunkFailed(f"{item.protocol}: {why}", asked=asked.vote.outcome == "failed")
        return asked.taken.data


@dataclass(frozen=True, slots=True)
class Extracted:
    """What came of an extraction.

    Attributes:
        chunks: that models were asked about, in this start and earlier ones.
        not_asked: why a limit or a rejected key ended it before chunks that it was to ask about.
    """

    run: Extraction
    chunks: Sequence[AskedChunk]
    triples: Sequence[Triple]
    not_asked: Mapping[str, str]

    @property
    def lacking(self) -> dict[str, str]:
        """Why there are no triples of a chunk, by its id."""
        return {each.chunk: each.failed for each in self.chunks if each.failed} | dict(self.not_asked)

    def line(self) -> str:
        """The extraction in a sentence."""
        usage = sum((each.usage for each in self.chunks), Usage())
        cost = "unknown cost" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
        ungrounded = sum(bool(each.ungrounded) for each in self.triples)
        unsettled = sum(not each.settled for each in self.chunks)
        return (
            f"{self.run.name}: {len(self.triples):,} triples, {ungrounded:,} of them ungrounded, from "
            f"{len(self.chunks):,} chunks, {sum(bool(each.failed) for each in self.chunks):,} of them failed"
            f"{f', {unsettled:,} with remarks left' if unsettled else ''}; "
            f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, {cost}."
        )


async def extract_by_model(
    model: Judge, options: Options, folder: GraphFolder, chosen: Container[str]
) -> Extracted:
    """Let a model take triples out of the chunks with these ids, and out of those of earlier starts.

    Raises:
        ConfigError: the ontology cannot be read.
        RunError: the folder cannot be read or written, or another process writes it.
    """
    run = folder.run(re.sub(r"[^A-Za-z0-9._-]+", "_", f"{options.mode}-{model.name}"))
    questions, filing = Questions(read_ontology(options.ontology), run.name, model.name), folder.filing()
    asked: dict[str, AskedChunk] = {}
    triples: dict[str, tuple[Triple, ...]] = {}
    not_asked: dict[str, str] = {}

    async def one(chunk: Chunk) -> None:
        steps, failed = ChunkSteps(model, questions, ChunkText.of(chunk, filing)), ""
        try:
            triples[chunk.id] = await steps.extract(options.mode, max_rounds=options.max_rounds)
        except ChunkFailed as error:
            failed = str(error)
            if not error.asked:
                not_asked[chunk.id] = failed
                return
        asked[chunk.id] = AskedChunk(chunk=chunk.id, settled=steps.settled, usage=steps.usage, failed=failed)

    with usable(run.path):
        run.path.mkdir(parents=True, exist_ok=True)
    with held(run.path):
        before = {each.chunk for each in run.asked}
        chunks = [each for each in folder.chunks() if each.id in chosen or each.id in before]
        await asyncio.gather(*map(one, chunks))
        found = [each for chunk in chunks for each in triples.get(chunk.id, ())]
        done = [asked[chunk.id] for chunk in chunks if chunk.id in asked]
        if found != list(run.triples.read()):
            run.replace(found)
        write_records(run.asked.path, done)
    return Extracted(run, done, found, not_asked)
