"""Sources that somebody gave: kept in the store as captures, and read back with their hash compared.

What such a capture holds, and what it proves, is told in :mod:`verifaible.evidence.given.given`.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.given.given import PROVENANCE, TEXT, SourceDraft, SourceOrigin, plain, seal
from verifaible.schema.analyst import Source
from verifaible.schema.citation import Citation
from verifaible.schema.data import Exchange
from verifaible.schema.judged import Passage
from verifaible.store.entries import CustodyItem
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store
from verifaible.text.json_pointer import read_json, value_spans

__all__ = [
    "Kept",
    "SourceDraft",
    "SourceKeeper",
    "SourceOrigin",
    "SourceTexts",
    "citation_source",
    "keep_sources",
]

#: A custody entry names at most so many captures: it is read whole.
_MOST_ITEMS = 2000
#: Texts that are held in memory, in code points.
_CACHED_CHARACTERS = 64_000_000
_CACHED_DATA = 64


@dataclass(frozen=True, slots=True)
class Kept:
    """A source in the store. ``fault`` says what of it cannot be searched; its bytes are kept in any case."""

    source: Source
    fault: str = ""


def keep_sources(
    store: Store, drafts: Sequence[SourceDraft], *, origin: SourceOrigin | str
) -> tuple[Source, ...]:
    """Put sources into a store, named in one custody entry; what is there already is not written again.

    Args:
        store: the store.
        drafts: the sources.
        origin: which input gave them, or the name of the run that did.

    Raises:
        StoreError: the store cannot be written.
    """
    if isinstance(origin, str):
        origin = SourceOrigin(kind="run", name=origin)
    with SourceKeeper(store) as keeper:
        return tuple(kept.source for kept in keeper.add(drafts, origin=origin))


class SourceKeeper:
    """Puts sources of many inputs into a store; leaving its ``with`` block names them in the custody log.

    What a block that fails has written is not in the store: nothing names it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._items: dict[str, CustodyItem] = {}
        self._named: set[str] = set()
        self._read_to = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()

    def add(self, drafts: Sequence[SourceDraft], *, origin: SourceOrigin) -> tuple[Kept, ...]:
        """Write sources; they are in the store after the next :meth:`commit`."""
        return tuple(self._add(draft, origin) for draft in drafts)

    def commit(self) -> None:
        """Name in the custody log what was added since the last time."""
        if self._items:
            self._store.log(list(self._items.values()))
            self._named |= self._items.keys()
            self._items.clear()

    def _add(self, draft: SourceDraft, origin: SourceOrigin) -> Kept:
        sealed = seal(draft, origin, self._store.signer)
        name = capture_file(sealed.sha256)
        if name not in self._items and name not in self._named:
            self._write(name, sealed.data)
        source = Source(
            id=plain(draft.id),
            kind=draft.kind,
            url=plain(draft.url),
            title=plain(draft.title),
            capture=sealed.sha256,
            file=sealed.file,
            aliases=tuple(dict.fromkeys(plain(each) for each in draft.aliases)),
        )
        return Kept(source, sealed.fault)

    def _write(self, name: str, data: bytes) -> None:
        there = self._store.files.exists(name)
        try:
            item = self._store.take_over(name, data)
        except IntegrityError:  # damaged: its name follows from its content, so this is what it was
            self._store.files.replace(name, data)
            item = CustodyItem(kind="capture", name=name, sha256=hashlib.sha256(data).hexdigest())
        if there and self._is_named(name):
            return
        self._items[name] = item
        if len(self._items) >= _MOST_ITEMS:
            self.commit()

    def _is_named(self, name: str) -> bool:
        """Whether a custody entry names a file; the log is read once, and on from there."""
        last = self._store.custody.count()
        for entry in self._store.custody.entries(after=self._read_to):
            self._named.update(item.name for item in entry.items if item.kind == "capture")
            self._named.difference_update(item.name for item in entry.items if item.kind == "deleted")
        self._read_to = last
        return name in self._named


# --- reading


def citation_source(citation: Citation, name: str, aliases: Sequence[str] = ()) -> Source:
    """A citation of the store as a source: the text of what it captured (of a PDF the cited page's)."""
    return Source(
        id=name,
        kind="citation",
        url=plain(citation.document_url or citation.final_url or citation.source_url),
        title=plain(citation.title),
        capture=citation.capture.sha256,
        file=TEXT,
        aliases=tuple(dict.fromkeys((*aliases, citation.id))),
    )


class SourceTexts:
    """Reads the texts of sources from a store; each capture's bytes must have the hash that names it.

    What was read is held, up to a limit, so that the claims of one answer read each source once.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._texts: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._spans: OrderedDict[tuple[str, str], dict[str, tuple[int, int]]] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def text(self, source: Source) -> str:
        """The text of a source, in which offsets count code points.

        Raises:
            IntegrityError: the capture is gone, was changed, or the file is no UTF-8.
            StoreError: the capture has no such file.
        """
        return self._text(source.capture, source.file)

    def data(self, source: Source) -> JsonValue | None:
        """The value of a source that is JSON; None of one that is not. Errors are those of ``text``."""
        text = self.text(source)
        if not source.file.endswith(".json") and text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
            return None
        try:
            return read_json(text)
        except ValueError:
            return None

    def spans(self, source: Source) -> dict[str, tuple[int, int]]:
        """The range of each value of a source that is JSON, by JSON Pointer; strings with their quotes.

        Empty for one that is not. Errors are those of ``text``.
        """
        return self._spans_of(source.capture, source.file)

    def exchange(self, source: Source) -> Exchange | None:
        """How a provider's answer was asked for and came; None of a source that nobody here fetched.

        Errors are those of ``text``.
        """
        said = read_json(self._text(source.capture, PROVENANCE))
        exchange = said.get("exchange") if isinstance(said, dict) else None
        return Exchange.model_validate(exchange) if exchange else None

    def holds(self, passage: Passage) -> bool:
        """Whether a passage stands in its capture, to the byte, at the value that its pointer names.

        With a pointer the passage has to be that value, or to stand inside of it if it is a string.
        Errors are those of ``text``.
        """
        text = self._text(passage.capture, passage.file)
        if not 0 <= passage.start < passage.end <= len(text):
            return False
        if text[passage.start : passage.end] != passage.quote:
            return False
        if not passage.pointer:
            return True
        span = self._spans_of(passage.capture, passage.file).get(passage.pointer)
        if span is None:
            return False
        if text[span[0]] == '"':
            return span[0] <= passage.start and passage.end <= span[1]
        return span == (passage.start, passage.end)

    def _text(self, capture: str, file: str) -> str:
        key = (capture, file)
        with self._lock:
            if key in self._texts:
                self._texts.move_to_end(key)
                return self._texts[key]
        text = _read(self._store, capture, file)
        with self._lock:
            if key not in self._texts:
                self._texts[key] = text
                self._held += len(text)
            while self._held > _CACHED_CHARACTERS and len(self._texts) > 1:
                self._held -= len(self._texts.popitem(last=False)[1])
        return text

    def _spans_of(self, capture: str, file: str) -> dict[str, tuple[int, int]]:
        key = (capture, file)
        with self._lock:
            if key in self._spans:
                self._spans.move_to_end(key)
                return self._spans[key]
        text = self._text(capture, file)
        try:
            spans = value_spans(text)
        except ValueError:
            spans = {}
        with self._lock:
            self._spans[key] = spans
            while len(self._spans) > _CACHED_DATA:
                self._spans.popitem(last=False)
        return spans


def _read(store: Store, capture: str, file: str) -> str:
    with store.open_sealed(capture) as reader:
        data = reader.read(file)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreError(
            f"{file} in {capture_file(capture)} is no UTF-8 text ({error.reason}). Read the file that its "
            "source names."
        ) from error
