"""Sources that somebody gave: kept in the store as captures, and read back with their hash compared.

A source is what a model had before it: the text of a page, an API's answer, a snippet. Nobody here fetched
it; a trace, a table or a run gave its words. So its capture proves that these are the words that were given,
and nothing of the site that they are said to be from. It is a WACZ as any capture, without a record of the
web, since nothing was asked of it:

- ``evidence/source.txt``, ``.json``, ``.html``, ``.md`` or ``.bin``: the bytes exactly as they were given;
- ``evidence/text.txt``, where those bytes are no plain UTF-8 text: the text that is searched;
- ``evidence/provenance.json``: who gave them, what they are said to be, and what this proves. Of an answer
  that a data tool fetched it has the exchange, too: request, status, headers, times, and which adapter asked.

Equal sources give equal captures (until the store's key is changed), so that none is kept twice. For that the
archive is dated by what the input says of its time, or 1980 where it says nothing; when a source was put into
the store says the custody entry that names it.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from types import TracebackType
from typing import Any, Final, Literal, Self

from verifaible.archive.signing import Signer
from verifaible.archive.wacz import WaczWriter
from verifaible.errors import StoreError, ToolError
from verifaible.extract.charset import decode_html, is_utf8
from verifaible.schema.analyst import Origin, Source, SourceKind
from verifaible.schema.base import Record
from verifaible.schema.citation import Citation
from verifaible.schema.data import Exchange
from verifaible.schema.verdict import Passage
from verifaible.store.entries import CustodyItem, item
from verifaible.store.sealed import capture_file
from verifaible.store.store import Store
from verifaible.text.json_pointer import read_json, value_spans

#: The form of these captures; it is all that they say of the software.
FORMAT: Final = 1
TEXT: Final = "evidence/text.txt"
PROVENANCE: Final = "evidence/provenance.json"
WHAT_IT_PROVES: Final = (
    "The hashes prove that these are the words that the input gave as its source. They do not prove that the "
    "site that is named said so, nor when."
)
WHAT_A_FETCH_PROVES: Final = (
    "The hashes prove that this program recorded this answer to this request. They do not prove that the "
    "provider sent it: an answer is not signed by who sends it."
)
_UNDATED: Final = datetime(1980, 1, 1, tzinfo=UTC)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MARKUP: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype html|<html[\s>])", re.IGNORECASE
)
_SUFFIX: Final = {"json": "json", "html": "html", "markdown": "md", "text": "txt"}
#: A custody entry names at most so many captures: it is read whole.
_MOST_ITEMS: Final = 2000
#: Texts that are held in memory, and as often their values.
_CACHED: Final = 64


class SourceOrigin(Record):
    """Who gave sources: the kind of input, its name without folders, and the SHA-256 of its bytes.

    ``run`` is a run of our own, which gives them while it goes on: there is no file to hash.
    """

    kind: Origin | Literal["run", "filing"]
    name: str
    sha256: str = ""


class SourceDraft(Record):
    """A source before it is kept.

    Attributes:
        id: what the answer calls it.
        kind: what it is.
        body: its bytes, exactly as they were given.
        url: where it is said to be from.
        title: its title, or the name of the call that gave it.
        media_type: of the bytes, where it is known; else they are looked at.
        aliases: what else the answer may call it.
        at: when it was given, by the input.
        text: what is searched, where whoever gives it has read it; else the bytes are read here.
        exchange: of an answer that we fetched ourselves, the request and the rest of the answer.
    """

    id: str
    kind: SourceKind
    body: bytes
    url: str = ""
    title: str = ""
    media_type: str = ""
    aliases: tuple[str, ...] = ()
    at: datetime | None = None
    text: str = ""
    exchange: Exchange | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A source in the store. ``fault`` says what of it cannot be searched; its bytes are kept in any case."""

    source: Source
    fault: str = ""


# --- keeping


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
        data, sha256, file, fault = _sealed(draft, origin, self._store.signer)
        name = capture_file(sha256)
        if name not in self._items and name not in self._named:
            new = self._store.put(name, data)
            if new or not self._is_named(name):
                self._items[name] = item("capture", name, data)
            if len(self._items) >= _MOST_ITEMS:
                self.commit()
        source = Source(
            id=plain(draft.id),
            kind=draft.kind,
            url=plain(draft.url),
            title=plain(draft.title),
            capture=sha256,
            file=file,
            aliases=tuple(dict.fromkeys(map(plain, draft.aliases))),
        )
        return Kept(source, fault)

    def _is_named(self, name: str) -> bool:
        """Whether a custody entry names a file; the log is read once, and on from there."""
        last = self._store.custody.count()
        for entry in self._store.custody.entries(after=self._read_to):
            self._named.update(each.name for each in entry.items if each.kind == "capture")
            self._named.difference_update(each.name for each in entry.items if each.kind == "deleted")
        self._read_to = last
        return name in self._named


def _sealed(draft: SourceDraft, origin: SourceOrigin, signer: Signer) -> tuple[bytes, str, str, str]:
    """A source as a signed WACZ, its SHA-256, the file in it that is searched, and what is wrong with it.

    Equal drafts of one origin give equal bytes.
    """
    form = _form_of(draft)
    searched = f"evidence/source.{_SUFFIX.get(form, 'bin')}"
    files, text, fault = {searched: draft.body}, draft.text, ""
    if form in ("html", "pdf", "other") or not is_utf8(draft.body):
        if not text:
            text, fault = _searched_text(draft, form)
        searched = TEXT
        files[TEXT] = plain(text).encode()
    elif form == "json":
        try:
            read_json(draft.body.decode())
        except ValueError as error:
            fault = f"It is said to be JSON and is none ({error}); it is searched as text."
    at = (draft.at if draft.at.tzinfo else draft.at.replace(tzinfo=UTC)).astimezone(UTC) if draft.at else None
    proves = WHAT_A_FETCH_PROVES if draft.exchange else WHAT_IT_PROVES
    said: dict[str, Any] = {
        "format": FORMAT,
        "made_by": "given",
        "given_by": origin.model_dump(mode="json"),
        "given_at": at.isoformat() if at else "",
        **draft.model_dump(include={"kind", "url", "title", "media_type"}),
        "searched": searched,
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
        **({"exchange": draft.exchange.model_dump(mode="json")} if draft.exchange else {}),
        "kept_at": "The custody entry that names this capture says when it was put into the store.",
        "what_it_proves": proves,
    }
    files[PROVENANCE] = (json.dumps(said, ensure_ascii=True, indent=1) + "\n").encode()
    target = io.BytesIO()
    with WaczWriter(
        target,
        title=plain(draft.title or draft.url or f"Source ({draft.kind})"),
        description=f"A source that {plain(origin.name)} gave. {proves}",
        created=at or _UNDATED,
        software=f"verifaible source {FORMAT}",
        # Stored as they are: other compressors give other bytes, and monotonous text would look like a bomb.
        compress=False,
        signer=signer,
    ) as writer:
        for name in sorted(files):
            writer.add_file(name, files[name])
        sha256 = writer.close()
    return target.getvalue(), sha256, searched, fault


def plain(text: str) -> str:
    """Text that UTF-8 can hold: half surrogate pairs become U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


# --- the text of bytes


def _form_of(draft: SourceDraft) -> str:
    """Which of the forms the bytes have: what is said of them counts, then what they begin with."""
    media = draft.media_type.partition(";")[0].strip().lower()
    head = draft.body[:1024]
    begins_json = draft.kind == "api" and head.lstrip()[:1] in (b"{", b"[")
    text = media.startswith("text/") or media.endswith(("xml", "javascript", "csv"))
    forms = {
        "pdf": b"%PDF-" in head or media == "application/pdf",
        "json": media.endswith(("/json", "+json")) or begins_json,
        "html": media in ("text/html", "application/xhtml+xml") or (not media and _MARKUP.match(head)),
        "markdown": media in ("text/markdown", "text/x-markdown"),
        "text": text or is_utf8(draft.body) or (not media and not _looks_binary(head)),
    }
    return next((form for form, fits in forms.items() if fits), "other")


def _looks_binary(head: bytes) -> bool:
    """NUL bytes, but not those of UTF-16, or many control characters."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return False
    return b"\0" in head or sum(byte < 9 or 13 < byte < 32 for byte in head) * 20 > len(head)


def _searched_text(draft: SourceDraft, form: str) -> tuple[str, str]:
    """The text of bytes that are no plain UTF-8 text, and what is wrong with it."""
    from verifaible.extract.html import html_document
    from verifaible.extract.markdown import document_markdown

    if form == "other":
        return "", f"Bytes of the type {draft.media_type or 'unknown'} hold no text that can be searched."
    if form == "pdf":
        from verifaible.extract.pdf import pdf_document

        try:
            text = document_markdown(pdf_document(draft.body)).text
        except (ToolError, RuntimeError, ValueError) as error:
            return "", f"The PDF cannot be read: {error}"
        return text, "" if text.strip() else "The PDF has no text layer, so nothing in it can be found."
    text, fault = _decoded(draft, form)
    if form != "html":
        return text, fault
    try:
        page = html_document(text, draft.url or "about:blank")
        return f"{page.title}\n\n{document_markdown(page).text}".strip(), fault
    except (ToolError, ValueError, RecursionError) as error:
        return text, f"It cannot be read as a page ({error}); its markup is searched as text. {fault}".strip()


def _decoded(draft: SourceDraft, form: str) -> tuple[str, str]:
    if not is_utf8(draft.body):
        with suppress(UnicodeDecodeError):  # UTF-8 but for half surrogate pairs, as a cut emoji leaves
            text = plain(draft.body.decode("utf-8", "surrogatepass"))
            return text, "Half surrogate pairs are shown as U+FFFD."
    found = decode_html(draft.body, draft.media_type or ("" if form == "html" else "text/plain"))
    count = found.replaced
    return found.text, f"{count} malformed sequences of bytes are shown as U+FFFD." if count else ""


# --- reading


def citation_source(citation: Citation, name: str, aliases: Sequence[str] = ()) -> Source:
    """A citation of the store as a source: the text of what it captured."""
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
        self._text = lru_cache(_CACHED)(self._read)
        self._spans = lru_cache(_CACHED)(self._spans_in)

    def text(self, source: Source) -> str:
        """The text of a source, in which offsets count code points.

        Raises:
            IntegrityError: the capture is gone, was changed, or the file is no UTF-8.
            StoreError: the capture has no such file.
        """
        return self._text(source.capture, source.file)

    def spans(self, source: Source) -> dict[str, tuple[int, int]]:
        """The range of each value of a source that is JSON, by JSON Pointer; strings with their quotes.

        Empty for one that is not. Errors are those of ``text``.
        """
        return self._spans(source.capture, source.file)

    def holds(self, passage: Passage) -> bool:
        """Whether a passage stands in its capture, to the byte, at the value that its pointer names.

        With a pointer the passage has to be that value, or to stand inside of it if it is a string.
        Errors are those of ``text``.
        """
        text, start, end = self._text(passage.capture, passage.file), passage.start, passage.end
        if not 0 <= start < end <= len(text) or text[start:end] != passage.quote:
            return False
        if not passage.pointer:
            return True
        low, high = self._spans(passage.capture, passage.file).get(passage.pointer, (0, 0))
        is_string = text[low:high][:1] == '"'
        return low <= start and end <= high if is_string else (low, high) == (start, end)

    def _read(self, capture: str, file: str) -> str:
        with self._store.open_sealed(capture) as reader:
            data = reader.read(file)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise StoreError(
                f"{file} in {capture_file(capture)} is no UTF-8 text ({error.reason}). Read the file that "
                "its source names."
            ) from error

    def _spans_in(self, capture: str, file: str) -> dict[str, tuple[int, int]]:
        try:
            return value_spans(self._text(capture, file))
        except ValueError:
            return {}
