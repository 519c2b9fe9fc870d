"""Taking triples out of a filing with models: in one call a chunk, in two, or with a critic.

Replies are kept in the folder of the graph, and a chunk that was asked about is gone through again from them:
so a kill loses the calls under way alone, and a second start goes on where the first ended. A reply that
cannot be used ends a chunk as failed; it is never a chunk without triples.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.kg.chunks import Chunk
from verifaible.kg.extraction_prompts import ChunkText, FormT, Mode, Questions, Remark, T
from verifaible.kg.folder import AskedChunk, Extraction, GraphFolder, write_records
from verifaible.kg.ontology import read_ontology
from verifaible.kg.triples import Triple
from verifaible.llm.budget import Budget
from verifaible.llm.catalogue import Api
from verifaible.llm.opening import open_model
from verifaible.llm.replies import ModelIdentity, replies_of
from verifaible.llm.voting import Item, Judge
from verifaible.runs.folder import held, read_info
from verifaible.runs.lines import usable, write_whole
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage

#: The form of ``extraction.json``.
FORMAT = 1
_SETUP = "extraction.json"


class Setup(Record):
    """What decides the triples of an extraction: with another, it is another extraction.

    Attributes:
        filing: the capture of the filing.
        instructions: SHA-256 over what the models are told, the ontology in it.
    """

    format: int = FORMAT
    filing: str
    mode: Mode
    model: ModelIdentity
    normaliser: ModelIdentity | None = None
    max_rounds: int = 0
    instructions: str


@dataclass(frozen=True, slots=True)
class Options:
    """How models are asked; the names are those of the command's parameters.

    Attributes:
        mode: ``single``: one call extracts in the words of the ontology; ``multi``: a second brings what the
            first extracted freely to them; ``reflection``: a critic's remarks are corrected, until there are
            none.
        model, normaliser: names as the catalogue takes them; the second for ``multi``, default the same.
        ontology: its file; None: the one that is shipped.
        max_rounds: corrections of ``reflection`` at most.
    """

    mode: Mode
    model: str
    normaliser: str = ""
    ontology: Path | None = None
    max_rounds: int = 3
    concurrency: int = 4
    max_cost_usd: float | None = None
    api: Api | None = None

    @property
    def name(self) -> str:
        """The name of the extraction: its mode and models, safe for a file."""
        names = (self.mode, self.model, self.normaliser if self.mode == "multi" else "")
        return re.sub(r"[^A-Za-z0-9._-]+", "_", "-".join(filter(None, names)))


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
        rounds: corrections that a critic asked for.
        settled: whether the critic had nothing more to say; True in modes without one.
    """

    def __init__(self, judge: Judge, questions: Questions, text: ChunkText) -> None:
        self._judge = judge
        self._questions = questions
        self._text = text
        self.usage = Usage()
        self.rounds = 0
        self.settled = True

    async def extract(
        self, mode: Mode, *, normaliser: Judge | None = None, max_rounds: int = 3
    ) -> tuple[Triple, ...]:
        """The triples of the chunk; the arguments are those of :class:`Options`.

        Raises:
            ChunkFailed: a step got no usable reply.
            RunError: the replies cannot be kept.
        """
        triples = await self._ask(self._questions.extraction(self._text, free=mode == "multi"))
        if mode == "multi" and triples:
            triples = await self._ask(self._questions.normalisation(self._text, triples), normaliser)
        self.settled = mode != "reflection"
        while not self.settled and self.rounds < max_rounds:
            remarks = await self._ask(self._questions.critique(self._text, triples))
            triples = await self.correct(triples, remarks)
            self.settled = not remarks
            self.rounds += not self.settled
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

    async def _ask(self, item: Item[FormT, T], judge: Judge | None = None) -> T:
        asked = await (judge or self._judge).ask(item)
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
    def failed(self) -> dict[str, str]:
        """Why there are no triples of a chunk, by its id."""
        return {each.chunk: each.failed for each in self.chunks if each.failed}

    def line(self) -> str:
        """The extraction in a sentence."""
        usage = sum((each.usage for each in self.chunks), Usage())
        cost = "unknown cost" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
        ungrounded = sum(bool(each.ungrounded) for each in self.triples)
        unsettled = sum(not each.settled for each in self.chunks)
        return (
            f"{self.run.name}: {len(self.triples):,} triples, {ungrounded:,} of them ungrounded, from "
            f"{len(self.chunks):,} chunks, {len(self.failed):,} of them failed"
            f"{f', {unsettled:,} with remarks left' if unsettled else ''}; "
            f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, {cost}."
        )


def extract_by_model(
    settings: Settings, options: Options, folder: GraphFolder, chosen: Container[str]
) -> Extracted:
    """Let models take triples out of the chunks with these ids, and out of those of earlier starts.

    Raises:
        ConfigError: the extraction was begun with another setup.
        UnknownModel, MissingKey: a model cannot be asked.
        RunError: the folder cannot be read or written, or another process writes it.
    """
    run = folder.run(options.name)
    questions = Questions(read_ontology(options.ontology), run.name, options.model)
    models = open_models(settings, options, folder.replies)
    setup = Setup(
        filing=folder.ingested.source.capture,
        mode=options.mode,
        model=models[0].identity,
        normaliser=models[-1].identity if options.mode == "multi" else None,
        max_rounds=options.max_rounds if options.mode == "reflection" else 0,
        instructions=questions.digest(options.mode),
    )
    with usable(run.path):
        run.path.mkdir(parents=True, exist_ok=True)
    with held(run.path):
        _begin(run.path / _SETUP, setup)
        before = {each.chunk for each in run.asked}
        chunks = [each for each in folder.chunks() if each.id in chosen or each.id in before]
        return asyncio.run(_through(folder, chunks, models, questions, options))


def open_models(settings: Settings, options: Options, replies: Path) -> list[Judge]:
    """The model that extracts and, where it is another, the one that normalises; one limit for both.

    Raises:
        UnknownModel, MissingKey, ConfigError: a model cannot be asked.
    """
    budget = Budget(options.max_cost_usd)
    return [
        Judge(
            open_model(name, settings, options.api, temperature=0.0).client,
            replies_of(settings, replies),
            name=name,
            concurrency=options.concurrency,
            max_cost_usd=options.max_cost_usd,
            budget=budget,
        )
        for name in dict.fromkeys((options.model, options.normaliser or options.model))
    ]


def _begin(path: Path, setup: Setup) -> None:
    """Write down what decides the triples, or compare it with what is written down."""
    if not path.exists():
        write_whole(path, setup.model_dump_json(indent=1) + "\n")
        return
    advice = "Remove the folder and extract again; replies that are kept cost nothing."
    before = read_info(path, Setup, FORMAT, advice)
    if differs := [name for name in Setup.model_fields if getattr(before, name) != getattr(setup, name)]:
        raise ConfigError(
            f"{path.parent} was begun with another setup ({', '.join(differs)}; an ontology is part of the "
            f"instructions). {advice}"
        )


async def _through(
    folder: GraphFolder,
    chunks: Sequence[Chunk],
    models: Sequence[Judge],
    questions: Questions,
    options: Options,
) -> Extracted:
    run, filing, slots = folder.run(options.name), folder.filing(), asyncio.Semaphore(options.concurrency)
    asked: dict[str, AskedChunk] = {}
    triples: dict[str, tuple[Triple, ...]] = {}
    not_asked: dict[str, str] = {}

    async def one(chunk: Chunk) -> None:
        steps = ChunkSteps(models[0], questions, ChunkText.of(chunk, filing))
        failed = ""
        async with slots:
            try:
                triples[chunk.id] = await steps.extract(
                    options.mode, normaliser=models[-1], max_rounds=options.max_rounds
                )
            except ChunkFailed as error:
                failed = str(error)
                if not error.asked:
                    not_asked[chunk.id] = failed
                    return
        asked[chunk.id] = AskedChunk(
            chunk=chunk.id, rounds=steps.rounds, settled=steps.settled, usage=steps.usage, failed=failed
        )

    try:
        await asyncio.gather(*map(one, chunks))
    finally:
        for model in models:
            await model.aclose()
    found = [each for chunk in chunks for each in triples.get(chunk.id, ())]
    done = [asked[chunk.id] for chunk in chunks if chunk.id in asked]
    if found != list(run.triples.read()):
        run.replace(found)
    write_records(run.asked.path, done)
    return Extracted(run, done, found, not_asked)
