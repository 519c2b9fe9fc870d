"""The sources of a text: those that it names, opened several at once and sealed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

from verifaible.check.cache import Cache
from verifaible.check.document import InputText
from verifaible.claims.answer_text import find_definitions, is_id
from verifaible.claims.markers import find_markers
from verifaible.claims.references import Reference, read_references
from verifaible.claims.resolution import Resolver
from verifaible.errors import CitationNotFound, ConfigError, StoreError
from verifaible.evidence.material import PAGE_FILES, page_from_files, read_material, read_pdf
from verifaible.evidence.place import place
from verifaible.evidence.readable import READ, Readable, readable
from verifaible.evidence.seal import Opened
from verifaible.evidence.sources import (
    SourceDraft,
    SourceKeeper,
    SourceOrigin,
    SourceTexts,
    citation_source,
)
from verifaible.runs.executor import Executor, call
from verifaible.schema.analyst import AnalystAnswer, InputFault, Source
from verifaible.schema.anchor import Anchor, AnchorRequest
from verifaible.schema.checked import CheckedSource
from verifaible.schema.citation import Citation, WebMode
from verifaible.schema.verdict import Passage
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store
from verifaible.text import markers
from verifaible.text.segmentation import sentence_around

#: Told of each source as it is done: how many are, and of how many.
Watch = Callable[[int, int], None]
#: So much before a value of JSON tells it from equal ones, in code points.
_BEFORE: Final = 40
_ROW: Final = ("|", "\t")
ResultT = TypeVar("ResultT")


# --- what a text names


@dataclass(frozen=True, slots=True)
class NamedSources:
    """A text with its sources; those that are not opened yet have no capture.

    ``labels`` says by id how the text refers to a source.
    """

    answer: AnalystAnswer
    labels: dict[str, str]


def name_sources(document: InputText, store: Store, files: Sequence[SourceDraft] = ()) -> NamedSources:
    """What a text names: files that were given, citations of the store, and addresses to open.

    Args:
        document: the text.
        store: where files go, and where cited citations are.
        files: sources that were given as files; they go before the web.

    Raises:
        StoreError: the store cannot be written.
    """
    listed = read_references(document.text).references
    targets = list(dict.fromkeys(each for mark in find_markers(document.text) for each in mark.targets))
    urls = [each for each in targets if "://" in each] + [each.url for each in listed.values() if each.url]
    sources, faults = _stored_citations(document.text, store)
    origin = SourceOrigin(kind="markdown", name=PurePosixPath(document.name).name, sha256=document.sha256)
    with SourceKeeper(store) as keeper:
        for kept in keeper.add([_with_address(each, urls) for each in files], origin=origin):
            sources.append(kept.source)
            if kept.fault:
                message = f"Source {kept.source.id}: {kept.fault}"
                faults.append(InputFault(code="source_unreadable", message=message))
    labels: dict[str, str] = {}
    for name in dict.fromkeys([*targets, *listed]):
        reference = listed.get(name, Reference(name, name if "://" in name else ""))
        found = Resolver(sources, listed).resolve([name]).cites
        if not found and (reference.url or name in listed) and not name.startswith("@v:"):
            sources.append(Source(id=name, kind="page", url=reference.url, title=reference.title, capture=""))
            found = (name,)
        for each in found:
            labels.setdefault(each, _label(name, reference))
    answer = AnalystAnswer(
        id=hashlib.sha256(document.text.encode("utf-8", "replace")).hexdigest()[:16],
        origin="markdown",
        model="",
        query=document.title or document.name,
        answer=document.text,
        sources=tuple(sources),
        faults=tuple(faults),
    )
    return NamedSources(answer, labels)


def _stored_citations(text: str, store: Store) -> tuple[list[Source], list[InputFault]]:
    """The citations of the store that a text marks, and what is wrong with its marks."""
    faults: list[InputFault] = []
    try:
        names = {f"@v:{number}": name for number, name in find_definitions(text).items()}
    except ConfigError as error:
        names = {}
        faults.append(InputFault(code="citation_missing", message=str(error)))
    names |= {
        f"@v:{each}": each for marker in markers.find_markers(text) for each in marker.targets if is_id(each)
    }
    found: dict[str, Source] = {}
    for name, beginning in names.items():
        try:
            citation = store.get(beginning)
        except CitationNotFound as error:
            faults.append(InputFault(code="citation_missing", message=f"[{name}]: {error}"))
        except StoreError as error:
            faults.append(InputFault(code="source_unreadable", message=f"[{name}]: {error}"))
        else:
            known = found.get(citation.id)
            aliases = (*known.aliases, name) if known else ()
            found[citation.id] = citation_source(citation, known.id if known else name, aliases)
    return list(found.values()), faults


def _label(name: str, reference: Reference) -> str:
    if name.isdigit():
        return f"[{name}]"
    return reference.title if "://" in name else name.removeprefix("^")


def _with_address(draft: SourceDraft, urls: Iterable[str]) -> SourceDraft:
    """A file that is called as an address ends is the source at that address."""
    for url in [] if draft.url else urls:
        last = PurePosixPath(unquote(urlsplit(url).path)).name
        if last and draft.id.casefold() in (last.casefold(), PurePosixPath(last).stem.casefold()):
            return draft.model_copy(update={"url": url})
    return draft


# --- opening


class Opener:
    """Opens sources.

    Args:
        executor: where they are opened and sealed, by a :class:`~verifaible.check.browsing.Browsing`.
        store: where captures are.
        cache: what was opened before.
        mode: of the web that they are opened on.
        max_age: how old a visit may be that stands for a new one; zero: all are opened.
    """

    def __init__(
        self, executor: Executor, store: Store, cache: Cache, mode: WebMode, max_age: timedelta
    ) -> None:
        self._executor = executor
        self._store = store
        self._cache = cache
        self._mode = mode
        self._max_age = max_age

    async def open_all(
        self, sources: Sequence[Source], labels: dict[str, str], watch: Watch
    ) -> list[tuple[CheckedSource, Opened | None]]:
        """Open every source that has no capture yet; in their order.

        Raises:
            StoreError: the store cannot be written.
            InfrastructureError: no browser could be started.
        """
        done = 0

        async def one(source: Source) -> tuple[CheckedSource, Opened | None]:
            nonlocal done
            found = await self._one(source, labels.get(source.id, ""))
            done += 1
            watch(done, len(sources))
            return found

        return await gathered(one(source) for source in sources)

    async def _one(self, source: Source, label: str) -> tuple[CheckedSource, Opened | None]:
        if source.capture:
            return state_of_sealed(source, label), None
        base = CheckedSource(id=source.id, label=label, url=source.url, title=source.title, state="read")
        if not source.url:
            said = "The text gives no address for it."
            return base.model_copy(update={"state": "error", "said": said}), None
        known = self._cache.visit(source.url, self._mode, self._max_age)
        if known is not None and known.source is not None and self._is_there(known.opened):
            return known.source.model_copy(update={"id": source.id, "label": label}), known.opened
        found, opened = await call(self._executor, "opened", base)
        if found.state != "error":  # what may be otherwise a minute later is tried again
            await asyncio.to_thread(self._cache.add_visit, source.url, self._mode, found, opened)
        return found, opened

    def _is_there(self, opened: Opened | None) -> bool:
        return opened is None or self._store.files.exists(capture_file(opened.capture.sha256))


async def gathered(works: Iterable[Coroutine[Any, Any, ResultT]]) -> list[ResultT]:
    """What works give, side by side, in their order; where one fails, the others are stopped."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def state_of_sealed(source: Source, label: str = "") -> CheckedSource:
    """The state of a source that is in the store already."""
    return CheckedSource(
        id=source.id,
        label=label,
        url=source.url,
        title=source.title,
        state="read",
        capture=source.capture,
        file=source.file,
    )


# --- what was read


def read_source(source: Source, state: CheckedSource, opened: Opened | None, store: Store) -> OpenedSource:
    """A sealed source with its words.

    Raises:
        StoreError: it cannot be read, or was changed.
    """
    if source.kind == "citation":
        citation = store.get(next(name for name in source.aliases if not name.startswith("@")))
        with store.open_capture(citation):  # a citation whose capture was changed supports nothing
            pass
        return OpenedSource(source, evidence_text(citation.anchor), state, None, store, citation)
    return OpenedSource(source, SourceTexts(store).text(source), state, opened, store)


def _cells_in(citation: Citation, text: str, store: Store) -> tuple[int, int]:
    """From the first to the last word of the cited cells in the text of their page; (0, 0) if not known."""
    with store.open_capture(citation) as reader:
        material = read_material(citation, reader)
    document = material.document
    at = place(material, citation.request, citation.anchor, material).table
    if citation.anchor.table is None or at < 0 or document.text != text:
        return 0, 0
    cells = (document.tables[at].at(*slot) for slot in citation.anchor.table.cells)
    blocks = [block for cell in cells if cell is not None for block in cell.blocks]
    if not blocks:
        return 0, 0
    return document.starts[min(blocks)], document.starts[max(blocks)] + len(document.blocks[max(blocks)].text)


def evidence_text(anchor: Anchor) -> str:
    """The evidence of a citation with what governs it, as Markdown; of a cell, its row under the heads."""
    table = anchor.table
    kept = [each for each in anchor.structure if each.kind not in ("column_head", "row_head")]
    lines = [f"# {each.text}" if each.kind == "heading" else each.text for each in kept]
    if table is None or table.mode != "crosshair" or len(table.cells) != 1:
        return "\n\n".join([*lines, anchor.in_full.text if table else anchor.evidence or anchor.text])
    cells = [("", " ".join(table.row_path)), (" ".join(table.column_path), anchor.text), *table.row_cells]
    rows = [[head for head, _ in cells], ["---"] * len(cells), [text for _, text in cells]]
    flat = [[" ".join(cell.replace("|", "/").split()) for cell in row] for row in rows]
    return "\n\n".join([*lines, "\n".join(f"| {' | '.join(row)} |" for row in flat)])


@dataclass(frozen=True)
class OpenedSource:
    """A source with its words.

    Attributes:
        source: the source with its capture.
        text: the words of its file, in which offsets count.
        state: what came of opening it.
        opened: how it was sealed; None of a file that was given and of a citation of the store.
        store: where its capture is.
        citation: the citation that it is: ``text`` is its evidence, and that is what a claim rests on.
    """

    source: Source
    text: str
    state: CheckedSource
    opened: Opened | None
    store: Store
    citation: Citation | None = None

    @property
    def whole(self) -> bool:
        """Whether all of it was read: only then can anybody say what is not in it."""
        return self.opened is None or self.opened.incomplete == ""

    def passage(self, start: int, end: int) -> Passage:
        """A place as evidence."""
        return Passage.of(self.source, self.text, start, end)

    def sealed(self, passage: Passage) -> Passage | None:
        """A place of ``text`` in the capture: of a citation, where its evidence stands, if that is known."""
        return passage if self.citation is None else self._evidence

    @cached_property
    def _evidence(self) -> Passage | None:
        """Where the evidence of the citation stands in the text of its capture."""
        if self.citation is None:
            return None
        anchor, text = self.citation.anchor, SourceTexts(self.store).text(self.source)
        words = anchor.evidence or anchor.text
        start, end = anchor.start or 0, anchor.end or 0
        if anchor.table is not None:
            start, end = _cells_in(self.citation, text, self.store)
        elif text[start:end] != words and text.count(words) == 1:  # of a PDF, offsets count in its page
            start, end = text.index(words), text.index(words) + len(words)
        return Passage.of(self.source, text, start, end) if text[start:end].strip() else None

    def around(self, passage: Passage) -> str:
        """The sentence that a passage stands in, or its row under the heads of the table, a line each."""
        if passage.pointer:
            return f"{passage.pointer}: {passage.quote}"
        low = self.text.rfind("\n", 0, passage.start) + 1
        high = self.text.find("\n", passage.end)
        high = len(self.text) if high < 0 else high
        line = self.text[low:high]
        if not any(sign in line for sign in _ROW):
            low, high = sentence_around(self.text, passage.start, passage.end)
            return " ".join(self.text[low:high].split())
        return "\n".join([*self._heads(low), *line.strip().splitlines()])

    def _heads(self, row: int) -> list[str]:
        """The lines over the rule (``|---|``) of the Markdown table in which the line at ``row`` stands."""
        above = self.text[:row].splitlines()
        while above and above[-1].lstrip().startswith("|"):
            if set(above.pop()) <= set("|-: "):
                return above[-1:] if above and above[-1].lstrip().startswith("|") else []
        return []

    def request(self, passage: Passage) -> AnchorRequest | None:
        """What to cite for a passage; None where a citation of it cannot be made."""
        if self.opened is None or self._readable is None:
            return None
        if self.source.file == READ:
            return self._readable.request(passage.start, passage.end)
        before = self.text[max(0, passage.start - _BEFORE) : passage.start].strip()
        quote = passage.quote.strip().strip('"')
        return AnchorRequest(quote=quote, near=before.rpartition("\n")[2].strip(' ,{["')) if quote else None

    @cached_property
    def _readable(self) -> Readable | None:
        with self.store.open_sealed(self.source.capture) as reader:
            names = set(reader.names())
            if "evidence/page.json" in names:
                return readable(
                    page_from_files({name: reader.read(f"evidence/{name}") for name in PAGE_FILES})
                )
            if "evidence/source.pdf" in names:
                return readable(read_pdf(reader.read("evidence/source.pdf"), ""))
        return None
