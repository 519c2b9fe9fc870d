"""A folder of a graph: the filings with their chunks, and the triples, a line each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Final, TypeVar

from verifaible.errors import ConfigError
from verifaible.evidence.given.given import SourceDraft, SourceOrigin
from verifaible.evidence.given.sources import SourceKeeper
from verifaible.evidence.store.store import Store
from verifaible.kg.chunks import Chunk, chunks_of
from verifaible.kg.extract.patterns import pattern_triples
from verifaible.kg.extract.tagged import tagged_triples
from verifaible.kg.filing import Filing, read_filing
from verifaible.kg.triples import Triple
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record

_FILING, _CHUNKS, _TRIPLES = "filing.json", "chunks.jsonl", "triples.jsonl"
_BYTES: Final = "filing.html"
_Line = TypeVar("_Line", bound=Record)


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
        name: the registrant's.
        period: the day that the report's year ends.
        characters: of its text.
        facts, hidden: tagged facts, and those of them that no reader sees.
        sections: they partition the text.
    """

    source: Source
    name: str
    period: date | None
    characters: int
    facts: int
    hidden: int
    sections: tuple[Section, ...]


class GraphFolder:
    """One filing's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def ingest(self, body: bytes, name: str, store: Store, *, url: str = "") -> Ingested:
        """Take in a filing: one capture in the store, its chunks in the folder.

        Args:
            body: the bytes of the 10-K in HTML.
            name: the file's, without folders.
            store: where the capture is kept.
            url: where it is from.

        Raises:
            WrongContent: it is no page with words.
            StoreError: the store cannot be written.
        """
        filing = read_filing(body, url)
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
        (self.path / _BYTES).write_bytes(body)
        self._write(_CHUNKS, chunks_of(filing))
        (self.path / _FILING).write_text(made.model_dump_json(indent=1) + "\n", encoding="utf-8")
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
                f"{self.path} holds no filing ({error}). Take one in with `verifaible kg ingest FILE`."
            ) from error

    def extract(self) -> list[Triple]:
        """Take triples out without a model: what is tagged, and tables of known kinds.

        Raises:
            ConfigError: no filing was taken in.
        """
        filing = self.filing()
        chunks = self.chunks()
        triples = [*tagged_triples(filing, chunks), *pattern_triples(filing, chunks)]
        self._write(_TRIPLES, triples)
        return triples

    def chunks(self) -> list[Chunk]:
        """The chunks of the filing."""
        return self._read(_CHUNKS, Chunk)

    def triples(self) -> list[Triple]:
        """The triples; none where none were taken out yet."""
        return self._read(_TRIPLES, Triple)

    def filing(self) -> Filing:
        """The filing, read again."""
        url = self.ingested.source.url
        return read_filing((self.path / _BYTES).read_bytes(), url)

    def _write(self, name: str, records: Iterable[Record]) -> None:
        lines = [json.dumps(each.model_dump(mode="json"), ensure_ascii=False) + "\n" for each in records]
        temporary = self.path / f".{name}.new"
        temporary.write_text("".join(lines), encoding="utf-8")
        temporary.replace(self.path / name)

    def _read(self, name: str, record: type[_Line]) -> list[_Line]:
        path = self.path / name
        if not path.is_file():
            return []
        return [
            record.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line
        ]
