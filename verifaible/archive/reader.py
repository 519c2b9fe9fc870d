"""Reading WACZ files: the package, its pages, its index, and one record at a time."""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from verifaible.archive import limits
from verifaible.archive.cdxj import IndexEntry, parse_line
from verifaible.archive.limits import AGAIN
from verifaible.archive.streams import STREAMS
from verifaible.archive.wacz import DIGEST, INDEX, PACKAGE, PAGES
from verifaible.archive.warc import WarcRecord, read_records, utc_time
from verifaible.errors import IntegrityError, StoreError
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

_CHUNK = 1 << 20
_INDEX_NAMES = (INDEX, "indexes/index.cdxj", "indexes/index.cdxj.gz", "indexes/index.cdx.gz")
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OverflowError, struct.error, RuntimeError)
_BAD_TEXT = (
    *(ValueError, KeyError, TypeError, AttributeError, ArithmeticError),
    *(RecursionError, EOFError, zlib.error),
)


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """A page that was shown, for the list of pages and for search; ``text`` is what could be read on it."""

    url: str
    title: str
    timestamp: datetime
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Resource:
    """A file that the package vouches for; ``hash`` is ``sha256:<hex>``."""

    path: str
    hash: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class WaczMetadata:
    """What ``datapackage.json`` says of the archive; ``synthetic`` marks a replica."""

    title: str
    description: str
    created: str
    software: str
    wacz_version: str
    profile: str
    synthetic: bool
    resources: tuple[Resource, ...]


class WaczReader:
    """One WACZ file, opened for reading; use it as a context manager or call ``close``.

    Only the ZIP directory is read at first. Records are read from their offset in the file,
    so that no body stays in memory. Methods may be called from several threads.

    Raises:
        StoreError: the file is missing, empty, cut short, or no WACZ.
        IntegrityError: its directory is not an honest one: see ``limits.refuse_unsafe``.
    """

    def __init__(self, source: Path | bytes, *, name: str = "") -> None:
        self.name = name or (source.name if isinstance(source, Path) else "archive.wacz")
        self._data = source if isinstance(source, bytes) else None
        try:
            self._file: IO[bytes] = io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")
        except OSError as error:
            raise StoreError(
                f"The archive {source!s} cannot be opened ({error.strerror}). Check the path and its rights."
            ) from error
        try:
            self._size = self._file.seek(0, os.SEEK_END)
            self._zip = self._open_zip()
        except BaseException:
            self._file.close()
            raise
        self._starts: dict[str, int] = {}

    def _open_zip(self) -> zipfile.ZipFile:
        if self._size == 0:
            raise StoreError(f"{self.name} is empty. {AGAIN}")
        try:
            opened = zipfile.ZipFile(self._file)
        except _BAD_ZIP as error:
            raise StoreError(f"{self.name} is not a ZIP file, or is incomplete ({error}). {AGAIN}") from error
        limits.refuse_unsafe(self.name, opened.infolist(), self._size)
        if PACKAGE not in opened.namelist():
            raise StoreError(f"{self.name} is a ZIP file but no WACZ: it has no {PACKAGE}. {AGAIN}")
        return opened

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._zip.close()
        self._file.close()

    # --- files of the archive

    def names(self) -> tuple[str, ...]:
        """Every file in the archive, in the order of the ZIP directory."""
        return tuple(self._zip.namelist())

    def read(self, path: str) -> bytes:
        """The bytes of one file of the archive.

        Raises:
            StoreError: it is not there.
            IntegrityError: its stored bytes are damaged, or too many to be held in memory.
        """
        info = self._zip.NameToInfo.get(path)
        if info is not None and info.file_size > limits.MAX_FILE_BYTES:
            raise IntegrityError(
                f"{path} in {self.name} has {info.file_size} bytes; at most {limits.MAX_FILE_BYTES} are "
                f"read. {limits.COPY}"
            )
        with self._opened(path) as file:
            # Piece by piece, so that no more unfolds than the directory says.
            return b"".join(iter(lambda: file.read(_CHUNK), b""))

    def digest(self, path: str, algorithm: str = "sha256") -> tuple[str, int]:
        """The hash of one file, as ``sha256:<hex>``, and its size in bytes; read piece by piece.

        ``algorithm`` is a name that ``hashlib`` knows; errors are those of ``read``.
        """
        with self._opened(path) as file:
            found = hashlib.file_digest(file, algorithm)  # type: ignore[arg-type]
        return f"{algorithm}:{found.hexdigest()}", self._zip.getinfo(path).file_size

    @contextmanager
    def _opened(self, path: str) -> Iterator[IO[bytes]]:
        if path not in self._zip.NameToInfo:
            raise StoreError(f"{self.name} holds no {path}. It holds: {', '.join(self.names())}.")
        try:
            with self._zip.open(path) as file:
                yield file
        except _BAD_ZIP as error:
            raise IntegrityError(f"{path} in {self.name} is damaged ({error}). {AGAIN}") from error

    def stray_bytes(self) -> Iterator[str]:
        """What is in the ZIP file and in none of its files, one sentence each."""
        return limits.stray_bytes(self._zip, self._size, self._read_at)

    def read_json(self, path: str) -> dict[str, object]:
        """A file of the archive that holds one JSON object; IntegrityError where it does not."""
        try:
            data = json.loads(self.read(path))
        except (ValueError, RecursionError) as error:
            raise IntegrityError(f"{path} in {self.name} is not JSON ({error}). {AGAIN}") from error
        if not isinstance(data, dict):
            raise IntegrityError(f"{path} in {self.name} is not a JSON object. {AGAIN}")
        return data

    @cached_property
    def metadata(self) -> WaczMetadata:
        """The package's own description; raises IntegrityError where it cannot be read."""
        data = self.read_json(PACKAGE)
        listed = data.get("resources")

        def text(name: str) -> str:
            value = data.get(name)
            return value if isinstance(value, str) else ""

        return WaczMetadata(
            title=text("title"),
            description=text("description"),
            created=text("created"),
            software=text("software"),
            wacz_version=text("wacz_version"),
            profile=text("profile"),
            synthetic=data.get("synthetic") is True,
            resources=tuple(map(_resource, listed)) if isinstance(listed, list) else (),
        )

    @property
    def public_key(self) -> str:
        """The base64 key that the package says it is signed by; empty where it is not signed.

        Raises:
            StoreError: the archive has no digest file.
            IntegrityError: that file cannot be read.
        """
        signed = self.read_json(DIGEST).get("signedData")
        found = signed.get("publicKey") if isinstance(signed, dict) else ""
        return found if isinstance(found, str) else ""

    def pages(self) -> Iterator[RecordedPage]:
        """The pages of ``pages/pages.jsonl``; its first line describes the list and is left out."""
        for number, line in enumerate(self.read(PAGES).splitlines(), 1):
            try:
                data = json.loads(line)
                if "format" in data:
                    continue
                title, text = (str(data.get(name) or "") for name in ("title", "text"))
                yield RecordedPage(str(data["url"]), title, utc_time(str(data["ts"])), text)
            except _BAD_TEXT as error:
                raise IntegrityError(
                    f"Line {number} of {PAGES} in {self.name} is no page ({error!r}). {AGAIN}"
                ) from error

    # --- its index and records

    def entries(self) -> tuple[IndexEntry, ...]:
        """The index, in the order of recording (file, then offset).

        Raises:
            StoreError: there is no index.
            IntegrityError: a line of it cannot be read.
        """
        return self._entries

    @cached_property
    def _entries(self) -> tuple[IndexEntry, ...]:
        name = next((name for name in _INDEX_NAMES if name in self._zip.NameToInfo), "")
        if not name:
            raise StoreError(f"{self.name} has no index ({INDEX}). {AGAIN}")
        data = self.read(name)
        found: list[IndexEntry] = []
        try:
            text = (limits.gunzipped(data, name) if name.endswith(".gz") else data).decode()
            for line in text.split("\n"):
                if line and not line.startswith("!"):
                    found.append(parse_line(line))
        except _BAD_TEXT as error:
            raise IntegrityError(
                f"Line {len(found) + 1} of {name} in {self.name} cannot be read ({error!r}). {AGAIN}"
            ) from error
        return tuple(sorted(found, key=lambda entry: (entry.filename, entry.offset)))

    def exchange(self, entry: IndexEntry) -> WebExchange:
        """The exchange an index entry points to.

        Raises:
            IntegrityError: the record is not there, is damaged, or is another URL's.
        """
        record, recorded_at = self._response(entry)
        return WebExchange(self._request(entry, record), record.response, recorded_at)

    def answer(self, entry: IndexEntry) -> tuple[WebResponse, datetime]:
        """The response of ``exchange`` and its time, without reading the request."""
        record, recorded_at = self._response(entry)
        return record.response, recorded_at

    def exchanges(self) -> Iterator[WebExchange]:
        """Every exchange, in recorded order, read one at a time."""
        yield from map(self.exchange, self.entries())

    def records(self, filename: str) -> Iterator[WarcRecord]:
        """Every record of the WARC file of that name, read one at a time."""
        _, size = self._place(filename)
        with self._opened(f"archive/{filename}") as stream:
            yield from read_records(stream, size=size)

    def warc_names(self) -> tuple[str, ...]:
        """The WARC files of the archive, without their folder."""
        return tuple(name[8:] for name in self.names() if name.startswith("archive/") and ".warc" in name)

    def _response(self, entry: IndexEntry) -> tuple[WarcRecord, datetime]:
        start, total = self._place(entry.filename)
        if entry.offset < 0 or entry.length <= 0 or entry.offset + entry.length > total:
            raise IntegrityError(f"The index of {self.name} points outside of {entry.filename}. {AGAIN}")
        data = self._read_at(start + entry.offset, entry.length)
        record = next(read_records(io.BytesIO(data), base=entry.offset), None)
        kind = "resource" if entry.method in STREAMS else "response"
        if record is None or record.kind != kind or record.url != entry.url:
            there = f"a {record.kind} record of {record.url or 'no URL'}" if record else "none"
            raise IntegrityError(
                f"The index of {self.name} says that {entry.url} lies at byte {entry.offset} of "
                f"{entry.filename}, but that is {there}. {AGAIN}"
            )
        try:
            return record, record.recorded_at
        except ValueError as error:
            raise IntegrityError(
                f"A record of {entry.url} in {self.name} has no valid date. {AGAIN}"
            ) from error

    def _request(self, entry: IndexEntry, response: WarcRecord) -> WebRequest:
        # Our writer, like most tools, puts the request behind its response, before the next response.
        start, total = self._place(entry.filename)
        after = entry.offset + entry.length
        offsets = self._offsets.get(entry.filename, [])
        following = bisect_right(offsets, entry.offset)
        end = offsets[following] if following < len(offsets) else total
        data = self._read_at(start + after, min(end - after, limits.MAX_RECORD_BYTES))
        record = next(read_records(io.BytesIO(data), base=after), None)
        told = record is not None and record.get("WARC-Concurrent-To") == response.get("WARC-Record-ID")
        if record is None or record.kind != "request" or not told:
            return WebRequest(url=entry.url, method=entry.method)
        return record.request

    @cached_property
    def _offsets(self) -> dict[str, list[int]]:
        """Where indexed records begin in each WARC file, in order."""
        found: dict[str, list[int]] = {}
        for entry in self.entries():
            found.setdefault(entry.filename, []).append(entry.offset)
        return found

    def _place(self, filename: str) -> tuple[int, int]:
        """Where a WARC file's bytes start in the ZIP file, and how many there are."""
        path = f"archive/{filename}"
        info = self._zip.NameToInfo.get(path)
        if info is None:
            raise IntegrityError(f"The index of {self.name} names {path}, which is not in the file. {AGAIN}")
        if info.compress_type != zipfile.ZIP_STORED:
            raise StoreError(
                f"{path} in {self.name} is compressed by the ZIP file, so that no record can be read alone. "
                "Pack the archive again with WARC files stored, as WACZ asks for."
            )
        if path not in self._starts:
            try:
                local = limits.local_size(self._read_at(info.header_offset, limits.LOCAL_HEADER))
            except struct.error as error:
                raise IntegrityError(f"{path} in {self.name} has no ZIP header. {AGAIN}") from error
            self._starts[path] = info.header_offset + local
        return self._starts[path], info.file_size

    def _read_at(self, offset: int, length: int) -> bytes:
        """At most so many bytes from an offset; from a file by position, so that threads do not meet."""
        if self._data is not None:
            return self._data[max(offset, 0) : max(offset, 0) + max(length, 0)]
        try:
            return os.pread(self._file.fileno(), max(length, 0), max(offset, 0))
        except (OSError, ValueError) as error:  # the latter of a closed file
            raise StoreError(
                f"The archive cannot be read ({error}). If it was closed, open it again; else check the disk."
            ) from error


def _resource(item: object) -> Resource:
    data = item if isinstance(item, dict) else {}
    size = data.get("bytes")
    return Resource(
        path=str(data.get("path", "")),
        hash=str(data.get("hash", "")),
        size_bytes=size if isinstance(size, int) else -1,
    )
