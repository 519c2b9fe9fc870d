"""A folder of a graph: a filing, its chunks, and extractions, each with its triples and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Final, Self

from verifaible.config import Settings
from verifaible.errors import ConfigError, IntegrityError, RunError
from verifaible.evidence.sources import SourceDraft, SourceKeeper, SourceOrigin
from verifaible.kg.chunks import Chunk, chunks_of
from verifaible.kg.filing import Filing, is_pdf, read_filing, refuse_other_pages
from verifaible.kg.tagged import tagged_triples
from verifaible.kg.triples import XBRL, ChunkVerdict, Triple, TripleVerdict
from verifaible.llm.replies import REPLIES
from verifaible.runs.lines import Lines, usable, write_whole
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record
from verifaible.schema.chat import Usage
from verifaible.store.store import Store

_FILING, _CHUNKS, _RUNS = "filing.json", "chunks.jsonl", "runs"
#: The files of the capture that may have the filing's bytes: of a page, of a PDF.
_HTML, _PDF = "evidence/source.html", "evidence/source.bin"
#: What is said of a triple whose words are not where it says.
CHANGED: Final = "the sealed filing has other words there. Extract it again."


class Ingested(Record):
    """A filing that was taken in.

    Attributes:
        source: its capture in the store, and the file in it that offsets count in.
        bytes_in: the file in it that has the filing's bytes.
        store: the folder or address of that store.
        name: the registrant's.
        period: the day that the report's year ends.
        characters: of its text.
        facts, hidden: tagged facts, and those of them that no reader sees.
    """

    source: Source
    bytes_in: str = _HTML
    store: str
    name: str
    period: date | None
    characters: int
    facts: int
    hidden: int


class AskedChunk(Record):
    """A chunk that models were asked about.

    Attributes:
        settled: whether the critic had nothing more to say.
        usage: tokens and cost of its replies.
        failed: why there are no triples of it; empty where it did not fail.
    """

    chunk: str
    settled: bool = True
    usage: Usage = Usage()
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """What of a graph is verified; a line as text.

    Attributes:
        triples: those that rest on words.
        ungrounded: those that rest on none.
        changed: of the first those whose words do not stand in the sealed text where they say.
    """

    path: Path
    triples: int
    ungrounded: int
    changed: tuple[Triple, ...]

    @property
    def verified(self) -> int:
        """How many are verified."""
        return self.triples - len(self.changed)

    def as_json(self) -> dict[str, str | int]:
        """For programs, as ``kg verify --json`` prints it."""
        counts = {"verified": self.verified, "triples": self.triples, "ungrounded": self.ungrounded}
        return {"folder": str(self.path), **counts}

    def __str__(self) -> str:
        more = f"; {self.ungrounded:,} more rest on no words" if self.ungrounded else ""
        return f"{self.verified:,} of {self.triples:,} triples verified{more}. {self.path}"


class GraphFolder:
    """One filing's folder; the filing itself is read from its capture, whose hash is compared.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.replies: Final = path / REPLIES

    @classmethod
    def open(cls, path: Path) -> Self:
        """A folder whose capture was verified: what is said of changed bytes is said of something else.

        Raises:
            ConfigError: no filing was taken in.
            IntegrityError: the capture is gone or was changed.
        """
        folder = cls(path)
        _ = folder._body
        return folder

    def ingest(
        self, body: bytes, name: str, store: Store, *, url: str = "", annual: bool = False
    ) -> Ingested:
        """Take in a filing: one capture in the store, its chunks in the folder.

        Args:
            body: the bytes of the report, HTML or PDF.
            name: the file's, without folders.
            store: where the capture is kept.
            url: where it is from.
            annual: refuse a page that has not the items of a 10-K.

        Raises:
            WrongContent: it is neither a page nor a PDF, has no words, or is no 10-K where that is asked for.
            StoreError: the store cannot be written.
        """
        filing, pdf = read_filing(body, url), is_pdf(body)
        if annual and not pdf:
            refuse_other_pages(filing)
        draft = SourceDraft(
            id="filing",
            kind="document",
            body=body,
            url=url,
            title=f"{filing.name or name} 10-K {filing.period or ''}".strip() if not pdf else name,
            media_type="application/pdf" if pdf else "text/html",
            text=filing.text,
        )
        with SourceKeeper(store) as keeper:
            (kept,) = keeper.add([draft], origin=SourceOrigin(kind="filing", name=name))
        made = Ingested(
            source=kept.source,
            bytes_in=_PDF if pdf else _HTML,
            store=store.files.location,
            name=filing.name,
            period=filing.period,
            characters=len(filing.text),
            facts=len(filing.facts),
            hidden=sum(not fact.spans for fact in filing.facts),
        )
        with usable(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        write_records(self.path / _CHUNKS, chunks_of(filing))
        write_whole(self.path / _FILING, made.model_dump_json(indent=1) + "\n")
        return made

    @property
    def ingested(self) -> Ingested:
        """What was taken in.

        Raises:
            ConfigError: nothing was, or it is damaged.
        """
        path = self.path / _FILING
        try:
            return Ingested.model_validate_json(path.read_bytes())
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"{self.path} has no filing ({error}). Ingest one with `verifaible kg ingest FILE`."
            ) from error

    def extract(self) -> Sequence[Triple]:
        """Take out the triples that are tagged.

        Raises:
            ConfigError: no filing was taken in.
            IntegrityError: the capture is gone or was changed.
        """
        return self.run(XBRL).replace(tagged_triples(self.filing(), self.chunks()))

    def run(self, name: str) -> Extraction:
        """One extraction, by its name: ``xbrl``, or the mode and model, ``single-glm-5``."""
        return Extraction(self.path / _RUNS / name)

    def runs(self, names: Sequence[str] = ()) -> list[Extraction]:
        """The extractions that there are, or those that are named.

        Raises:
            ConfigError: one that is named is not there.
        """
        found = {path.name: path for path in sorted((self.path / _RUNS).glob("*/"))}
        if unknown := [name for name in names if name not in found]:
            raise ConfigError(
                f"{self.path} has no extraction {', '.join(unknown)}, but {', '.join(found) or 'none'}."
            )
        return [Extraction(found[name]) for name in names or found]

    def chunks(self) -> list[Chunk]:
        """The chunks of the filing."""
        return list(Lines(self.path / _CHUNKS, Chunk).read())

    def triples(self) -> list[Triple]:
        """The triples of all extractions; none where none were taken out yet."""
        return [triple for run in self.runs() for triple in run.triples.read()]

    def filing(self) -> Filing:
        """The filing, read again.

        Raises:
            ConfigError: no filing was taken in.
            IntegrityError: the capture is gone or was changed.
        """
        return read_filing(self._body, self.ingested.source.url)

    def verify(self) -> Verification:
        """Look up the words of each triple in the sealed text where they say that they stand.

        Raises:
            ConfigError: no filing was taken in.
            IntegrityError: the capture is gone or was changed.
        """
        text, triples = self._sealed(self.ingested.source.file).decode(), self.triples()
        grounded = [each for each in triples if not each.ungrounded]
        changed = [
            each for each in grounded if each.end <= each.start or text[each.start : each.end] != each.quote
        ]
        return Verification(self.path, len(grounded), len(triples) - len(grounded), tuple(changed))

    @cached_property
    def _body(self) -> bytes:
        return self._sealed(self.ingested.bytes_in)

    def _sealed(self, file: str) -> bytes:
        """A file of the capture, whose hash is compared."""
        store = Store.open(Settings(store=self.ingested.store))
        try:
            with store.open_sealed(self.ingested.source.capture) as reader:
                return reader.read(file)
        finally:
            store.close()


def verify_graphs(folder: Path) -> tuple[list[str], list[str]]:
    """Verify the graphs in a folder: of each what holds, in a line, and what is wrong with any."""
    lines, faults = list[str](), list[str]()
    for filing in sorted(folder.glob(f"*/{_FILING}")):
        try:
            graph = GraphFolder.open(filing.parent)
            found = graph.verify()
            lines.append(str(found))
            faults += [f"{graph.path}: {each.id}: {CHANGED}" for each in found.changed]
        except (ConfigError, IntegrityError, RunError) as error:
            faults.append(f"{filing.parent}: {error}")
    return lines, faults


class Extraction:
    """The triples that one extractor took out of a filing, and what was said of them.

    Attributes:
        path: its folder; its name is the extraction's.
        triples: a line each.
        asked: the chunks that a model was asked about; none where there was no model.
        verdicts: a judge's of a triple, a line for each criterion.
        coverage: a judge's of a chunk with all its triples.
        checks: the file of what the checks found, a line each.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        self.triples = Lines(path / "triples.jsonl", Triple)
        self.asked = Lines(path / "chunks.jsonl", AskedChunk)
        self.verdicts = Lines(path / "verdicts.jsonl", TripleVerdict)
        self.coverage = Lines(path / "coverage.jsonl", ChunkVerdict)
        self.checks = path / "checks.jsonl"

    def covered(self, chunks: Iterable[Chunk]) -> dict[str, str]:
        """The ids of the chunks that it went through, each with why it failed, in the order of the filing."""
        if not self.asked.path.exists():  # without a model, all of them
            return dict.fromkeys((each.id for each in chunks), "")
        asked = {each.chunk: each.failed for each in self.asked}
        return {each.id: asked[each.id] for each in chunks if each.id in asked}

    def replace(self, triples: Sequence[Triple]) -> Sequence[Triple]:
        """Put triples in the place of those that there are; what was said of them is of others, and goes."""
        with usable(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            for said in (self.verdicts.path, self.coverage.path, self.checks):
                said.unlink(missing_ok=True)
        write_records(self.triples.path, triples)
        return triples


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Put records in a file, a line each, in the place of what is there."""
    write_whole(path, "".join(each.model_dump_json(exclude_defaults=True) + "\n" for each in records))
