"""A folder of a graph: a filing, its chunks, and extractions, each with its triples and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Final

from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.evidence.sources import SourceDraft, SourceKeeper, SourceOrigin
from verifaible.kg.chunks import Chunk, chunks_of
from verifaible.kg.extract.tagged import tagged_triples
from verifaible.kg.filing import Filing, read_filing, refuse_other_reports
from verifaible.kg.triples import XBRL, ChunkVerdict, Triple, TripleVerdict
from verifaible.runs.lines import Lines, write_whole
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record
from verifaible.store.store import Store

_FILING, _CHUNKS, _RUNS = "filing.json", "chunks.jsonl", "runs"
#: The file of the capture that has the filing's bytes.
_BYTES: Final = "evidence/source.html"


class Section(Record):
    """An item of the report, and its span."""

    part: str
    item: str
    title: str
    start: int
    end: int


class Ingested(Record):
    """A filing that was taken in.

    Attributes:
        source: its capture in the store, and the file in it that offsets count in.
        store: the folder or address of that store.
        name: the registrant's.
        period: the day that the report's year ends.
        characters: of its text.
        facts, hidden: tagged facts, and those of them that no reader sees.
        sections: they partition the text.
    """

    source: Source
    store: str
    name: str
    period: date | None
    characters: int
    facts: int
    hidden: int
    sections: tuple[Section, ...]


class GraphFolder:
    """One filing's folder; the filing itself is read from its capture, whose hash is compared.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def ingest(
        self, body: bytes, name: str, store: Store, *, url: str = "", annual: bool = False
    ) -> Ingested:
        """Take in a filing: one capture in the store, its chunks in the folder.

        Args:
            body: the bytes of the 10-K in HTML.
            name: the file's, without folders.
            store: where the capture is kept.
            url: where it is from.
            annual: refuse what has not the items of a 10-K.

        Raises:
            WrongContent: it is no page with words, or no 10-K where that is asked for.
            StoreError: the store cannot be written.
        """
        filing = read_filing(body, url)
        if annual:
            refuse_other_reports(filing)
        draft = SourceDraft(
            id="filing",
            kind="document",
            body=body,
            url=url,
            title=f"{filing.name} 10-K {filing.period or ''}".strip(),
            media_type="text/html",
            text=filing.text,
        )
        with SourceKeeper(store) as keeper:
            (kept,) = keeper.add([draft], origin=SourceOrigin(kind="filing", name=name))
        made = Ingested(
            source=kept.source,
            store=store.files.location,
            name=filing.name,
            period=filing.period,
            characters=len(filing.text),
            facts=len(filing.facts),
            hidden=sum(not fact.spans for fact in filing.facts),
            sections=tuple(
                Section(part=each.part, item=each.item, title=each.title, start=each.start, end=each.end)
                for each in filing.sections
            ),
        )
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
        """
        return self.run(XBRL).replace(tagged_triples(self.filing(), self.chunks()))

    def run(self, name: str) -> Extraction:
        """One extraction, by its name: ``xbrl``, or the mode and model, ``single-glm-5``."""
        return Extraction(self.path / _RUNS / name)

    def runs(self, names: Sequence[str] = ()) -> list[Extraction]:
        """The extractions that there are, or those that are named.

        Raises:
            ConfigError: one that is named is not there.
            IntegrityError: the capture of the filing is gone or was changed.
        """
        if (self.path / _FILING).exists():
            _ = self.body  # what is said of a changed capture is said of something else
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
        """The filing, read again."""
        return read_filing(self.body, self.ingested.source.url)

    @cached_property
    def body(self) -> bytes:
        """The bytes of the filing, out of its capture.

        Raises:
            ConfigError: no filing was taken in.
            IntegrityError: the capture is gone or was changed.
        """
        store = Store.open(Settings(store=self.ingested.store))
        try:
            with store.open_sealed(self.ingested.source.capture) as reader:
                return reader.read(_BYTES)
        finally:
            store.close()


class Extraction:
    """The triples that one extractor took out of a filing, and what was said of them.

    Attributes:
        path: its folder; its name is the extraction's.
        triples: a line each.
        verdicts: a judge's of a triple, a line for each criterion.
        coverage: a judge's of a chunk with all its triples.
        checks: the file of what the checks found, a line each.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        self.triples = Lines(path / "triples.jsonl", Triple)
        self.verdicts = Lines(path / "verdicts.jsonl", TripleVerdict)
        self.coverage = Lines(path / "coverage.jsonl", ChunkVerdict)
        self.checks = path / "checks.jsonl"

    def replace(self, triples: Sequence[Triple]) -> Sequence[Triple]:
        """Put triples in the place of those that there are; what was said of them is of others, and goes."""
        self.path.mkdir(parents=True, exist_ok=True)
        for said in (self.verdicts.path, self.coverage.path, self.checks):
            said.unlink(missing_ok=True)
        write_records(self.triples.path, triples)
        return triples


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Put records in a file, a line each, in the place of what is there."""
    write_whole(path, "".join(each.model_dump_json(exclude_defaults=True) + "\n" for each in records))
