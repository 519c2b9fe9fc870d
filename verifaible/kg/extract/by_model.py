"""Taking triples out of a filing with models: chunk by chunk, so that a kill loses those under way alone."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.judge.check.judges import REPLIES
from verifaible.kg.chunks import Chunk
from verifaible.kg.extract.modes import ChunkFailed, Extracted, extract_chunk
from verifaible.kg.extract.questions import ChunkText, Mode, Questions
from verifaible.kg.filing import Filing
from verifaible.kg.ontology import read_ontology
from verifaible.kg.triples import Triple
from verifaible.llm.budget import Budget
from verifaible.llm.catalogue import Api
from verifaible.llm.opening import open_model
from verifaible.llm.replies import ModelIdentity, replies_of
from verifaible.llm.voting import Judge
from verifaible.runs.folder import held, read_info
from verifaible.runs.lines import Lines, usable, write_whole
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage

#: The form of ``extraction.json``.
FORMAT = 1
_INFO, _FINISHED = "extraction.json", "chunks.jsonl"


class Setup(Record):
    """What decides the triples of an extraction: with another, it is another extraction.

    Attributes:
        filing: the capture of the filing.
        chunks: SHA-256 over the ids of all its chunks.
        instructions: SHA-256 over what the models are told, the ontology in it.
    """

    filing: str
    chunks: str
    mode: Mode
    model: ModelIdentity
    normaliser: ModelIdentity | None = None
    max_rounds: int = 0
    instructions: str


class FinishedChunk(Record):
    """A chunk that models were asked about; of several lines of one chunk the last counts.

    Attributes:
        triples: how many it gave.
        rounds, settled: of a critic; see :class:`~verifaible.kg.extract.modes.Extracted`.
        usage: tokens and cost of its replies.
        seconds: that it took here; next to none where its replies were kept from before.
        failed: why there are no triples of it; empty where it did not fail.
    """

    chunk: str
    triples: int = 0
    rounds: int = 0
    settled: bool = True
    usage: Usage = Usage()
    seconds: float = 0.0
    failed: str = ""


class ExtractionInfo(Record):
    """An extraction as a whole, over all its starts.

    Attributes:
        chunks: that models were asked about, those that failed included.
        failed: why, by chunk.
        not_asked: why a limit or a rejected key ended the last start before chunks that it was to ask about.
        unsettled: chunks whose critic still had remarks when its rounds were over.
        usage, seconds: of all chunks together; chunks that are asked about side by side count each.
    """

    format: int = FORMAT
    setup: Setup
    chunks: int = 0
    triples: int = 0
    ungrounded: int = 0
    unsettled: int = 0
    failed: Mapping[str, str] = {}
    not_asked: Mapping[str, str] = {}
    usage: Usage = Usage()
    seconds: float = 0.0

    def line(self, name: str) -> str:
        """The extraction in a sentence."""
        cost = "unknown cost" if self.usage.cost_usd is None else f"${self.usage.cost_usd:.4f}"
        return (
            f"{name}: {self.triples:,} triples, {self.ungrounded:,} of them ungrounded, from {self.chunks:,} "
            f"chunks, {len(self.failed):,} of them failed; in all its starts "
            f"{self.usage.input_tokens:,} tokens in, {self.usage.output_tokens:,} out, {cost}, "
            f"{self.seconds:,.1f} s."
        )


@dataclass(frozen=True, slots=True)
class Options:
    """How models are asked; the names are those of the command's parameters.

    Attributes:
        mode: see :func:`~verifaible.kg.extract.modes.extract_chunk`.
        model, normaliser: names as the catalogue takes them; the second for ``multi``.
        ontology: its file; None: the one that is shipped.
        first: chunks at most, after ``items`` has chosen.
        items: of the report; empty: all.
    """

    mode: Mode
    model: str
    normaliser: str = ""
    ontology: Path | None = None
    first: int | None = None
    items: tuple[str, ...] = ()
    max_rounds: int = 3
    concurrency: int = 4
    max_cost_usd: float | None = None
    api: Api | None = None


@dataclass(frozen=True, slots=True)
class Material:
    """A filing that triples are taken from: its capture in the store, its text, its chunks."""

    capture: str
    filing: Filing
    chunks: Sequence[Chunk]


def run_name(options: Options) -> str:
    """The name of an extraction: its mode and models, safe for a file."""
    names = (options.mode, options.model, options.normaliser if options.mode == "multi" else "")
    return re.sub(r"[^A-Za-z0-9._-]+", "_", "-".join(filter(None, names)))


def extract_by_model(
    settings: Settings, options: Options, material: Material, triples: Lines[Triple]
) -> ExtractionInfo:
    """Let models take triples out of a filing; a second start goes on where the first ended.

    Args:
        settings: base URL, key, and the person's own models.
        options: who is asked, how, and about what.
        material: the filing.
        triples: where they are put; the folder of this file is the extraction's. Replies are kept beside the
            folder of extractions.

    Raises:
        ConfigError: the filing has no such item, or the extraction was begun with another setup.
        UnknownModel, MissingKey: a model cannot be asked.
        RunError: the folder cannot be read or written, or another process writes it.
    """
    chosen = [each for each in material.chunks if not options.items or each.item in options.items]
    if unknown := set(options.items) - {each.item for each in chosen}:
        there = ", ".join(dict.fromkeys(filter(None, (each.item for each in material.chunks))))
        raise ConfigError(f"The filing has no item {', '.join(sorted(unknown))}, but {there or 'none'}.")
    folder = triples.path.parent
    questions = Questions(read_ontology(options.ontology), folder.name, options.model)
    judges = open_models(settings, options, folder.parent.parent / REPLIES)
    setup = Setup(
        filing=material.capture,
        chunks=hashlib.sha256("\n".join(each.id for each in material.chunks).encode()).hexdigest(),
        mode=options.mode,
        model=judges[0].identity,
        normaliser=judges[-1].identity if options.mode == "multi" else None,
        max_rounds=options.max_rounds if options.mode == "reflection" else 0,
        instructions=questions.digest(options.mode),
    )
    with usable(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with held(folder):
        run = _Run(setup, material, triples)
        return asyncio.run(run.through(chosen[: options.first], judges, questions, options))


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


class _Run:
    """The files of an extraction while it is under way."""

    def __init__(self, setup: Setup, material: Material, triples: Lines[Triple]) -> None:
        self._info = triples.path.with_name(_INFO)
        self._setup = setup
        self._material = material
        self._triples = triples
        self._finished = Lines(triples.path.with_name(_FINISHED), FinishedChunk)
        self._not_asked: dict[str, str] = {}
        if self._info.exists():
            advice = "Remove the folder and extract again; replies that are kept cost nothing."
            before = read_info(self._info, ExtractionInfo, FORMAT, advice).setup
            differs = [name for name in Setup.model_fields if getattr(before, name) != getattr(setup, name)]
            if differs:
                raise ConfigError(
                    f"{self._info.parent} was begun with another setup ({', '.join(differs)}; an ontology is "
                    f"part of the instructions). {advice}"
                )
        self._mend()

    async def through(
        self,
        chosen: Sequence[Chunk],
        judges: Sequence[Judge],
        questions: Questions,
        options: Options,
    ) -> ExtractionInfo:
        """Ask about every chunk that is not done yet."""
        done = {chunk for chunk, line in self._lines().items() if not line.failed}
        slots = asyncio.Semaphore(options.concurrency)

        async def one(chunk: Chunk) -> None:
            async with slots:
                began = time.monotonic()
                text = ChunkText.of(chunk, self._material.filing)
                asked = extract_chunk(
                    options.mode,
                    judges[0],
                    questions,
                    text,
                    normaliser=judges[-1],
                    max_rounds=options.max_rounds,
                )
                try:
                    self._keep(chunk, await asked, began)
                except ChunkFailed as error:
                    self._keep(chunk, error, began)

        self._told()
        try:
            await asyncio.gather(*(one(chunk) for chunk in chosen if chunk.id not in done))
        finally:
            for judge in judges:
                await judge.aclose()
            self._mend()
            info = self._told()
        return info

    def _keep(self, chunk: Chunk, came: Extracted | ChunkFailed, began: float) -> None:
        """Put away what came of a chunk: its own line comes last, and says that all its triples are there."""
        line = FinishedChunk(chunk=chunk.id, usage=came.usage, seconds=time.monotonic() - began)
        if isinstance(came, Extracted):
            for triple in came.triples:
                self._triples.add(triple)
            counted = {"triples": len(came.triples), "rounds": came.rounds, "settled": came.settled}
            self._finished.add(line.model_copy(update=counted))
        elif came.asked:
            self._finished.add(line.model_copy(update={"failed": str(came)}))
        else:
            self._not_asked[chunk.id] = str(came)

    def _lines(self) -> dict[str, FinishedChunk]:
        return {line.chunk: line for line in self._finished}

    def _mend(self) -> None:
        """Put triples in the order of the filing, without those of a chunk that a kill left half written."""
        done = {chunk for chunk, line in self._lines().items() if line.triples and not line.failed}
        order = {each.id: number for number, each in enumerate(self._material.chunks)}
        before = self._triples.read()
        kept = sorted((each for each in before if each.chunk in done), key=lambda each: order[each.chunk])
        if kept != list(before):
            lines = (each.model_dump_json(exclude_defaults=True) + "\n" for each in kept)
            write_whole(self._triples.path, "".join(lines))

    def _told(self) -> ExtractionInfo:
        lines, triples = self._lines().values(), self._triples.read()
        info = ExtractionInfo(
            setup=self._setup,
            chunks=len(lines),
            triples=len(triples),
            ungrounded=sum(bool(each.ungrounded) for each in triples),
            unsettled=sum(not each.settled for each in lines),
            failed={each.chunk: each.failed for each in lines if each.failed},
            not_asked=self._not_asked,
            usage=sum((each.usage for each in lines), Usage()),
            seconds=sum(each.seconds for each in lines),
        )
        write_whole(self._info, info.model_dump_json(indent=1) + "\n")
        return info
