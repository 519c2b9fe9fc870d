"""Reading WACZ files: the package, its pages, its index, and one record at a time."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, cast

from verifaible.archive import limits, wacz, warc
from verifaible.archive.cdxj import IndexEntry, parse_line
from verifaible.archive.check import faults
from verifaible.archive.package import ArchivedPage, Resource, WaczMetadata
from verifaible.archive.source import BytesSource, FileSource, Slice, Source
from verifaible.archive.streams import STREAMS
from verifaible.errors import IntegrityError, StoreError
from verifaible.schema.web import WebExchange, WebRequest, WebResponse

_CHUNK = 1 << 20
_LOCAL_HEADER = 30  # bytes, before the name and the extra field (APPNOTE 4.3.7)
_INDEX_NAMES = (wacz.INDEX, "indexes/index.cdxj", "indexes/index.cdxj.gz", "indexes/index.cdx.gz")
_COPY = "Take it from a good copy, or record it again."


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
        self._source: Source = FileSource(source) if isinstance(source, Path) else BytesSource(source)
        try:
            self._zip = self._open_zip()
        except BaseException:
            self._source.close()
            raise
        self._starts: dict[str, int] = {}

    def _open_zip(self) -> zipfile.ZipFile:
        if self._source.size == 0:
            raise StoreError(f"{self.name} is empty. {_COPY}")
        try:
            opened = zipfile.ZipFile(io.BufferedReader(Slice(self._source, 0, self._source.size)))
        except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError, struct.error) as error:
            raise StoreError(f"{self.name} is not a ZIP file, or is incomplete ({error}). {_COPY}") from error
        limits.refuse_unsafe(self.name, opened.infolist(), self._source.size)
        if wacz.PACKAGE not in opened.namelist():
            raise StoreError(f"{self.name} is a ZIP file but no WACZ: it has no {wacz.PACKAGE}. {_COPY}")
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
        self._source.close()

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
        return b"".join(self._chunks(path))

    def digest(self, path: str, algorithm: str = "sha256") -> tuple[str, int]:
        """The hash of one file, as ``sha256:<hex>``, and its size in bytes; read piece by piece.

        ``algorithm`` is a name that ``hashlib`` knows; errors are those of ``read``.
        """
        hasher = hashlib.new(algorithm, usedforsecurity=False)
        size = 0
        for chunk in self._chunks(path):
            hasher.update(chunk)
            size += len(chunk)
        return f"{algorithm}:{hasher.hexdigest()}", size

    def _chunks(self, path: str) -> Iterator[bytes]:
        try:
            with self._zip.open(path) as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
        except KeyError as error:
            raise StoreError(f"{self.name} holds no {path}. It holds: {', '.join(self.names())}.") from error
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, struct.error, RuntimeError) as error:
            raise IntegrityError(f"{path} in {self.name} is damaged ({error}). {_COPY}") from error

    def stray_bytes(self) -> Iterator[str]:
        """What is in the ZIP file and in none of its files, one sentence each."""
        return stray_bytes(self._source, self._zip)

    def read_json(self, path: str) -> dict[str, object]:
        """A file of the archive that holds one JSON object; IntegrityError where it does not."""
        try:
            data = json.loads(self.read(path))
        except (ValueError, RecursionError) as error:
            raise IntegrityError(f"{path} in {self.name} is not JSON ({error}). {_COPY}") from error
        if not isinstance(data, dict):
            raise IntegrityError(f"{path} in {self.name} is not a JSON object. {_COPY}")
        return data

    @cached_property
    def metadata(self) -> WaczMetadata:
        """The package's own description; raises IntegrityError where it cannot be read."""
        data = self.read_json(wacz.PACKAGE)
        listed = data.get("resources")
        resources = tuple(_resource(item) for item in listed) if isinstance(listed, list) else ()

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
            resources=resources,
        )

    @property
    def public_key(self) -> str:
        """The base64 key that the package says it is signed by; empty where it is not signed.

        Raises:
            StoreError: the archive has no digest file.
            IntegrityError: that file cannot be read.
        """
        signed = self.read_json(wacz.DIGEST).get("signedData")
        found = signed.get("publicKey") if isinstance(signed, dict) else ""
        return found if isinstance(found, str) else ""

    def pages(self) -> Iterator[ArchivedPage]:
        """The pages of ``pages/pages.jsonl``; its first line describes the list and is left out."""
        for number, line in enumerate(self.read(wacz.PAGES).splitlines(), 1):
            try:
                data = json.loads(line)
                if "format" in data:
                    continue
                yield ArchivedPage(
                    id=str(data.get("id", "")),
                    url=str(data["url"]),
                    title=str(data.get("title") or ""),
                    timestamp=_moment(str(data["ts"])),
                    text=str(data.get("text") or ""),
                )
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
                raise IntegrityError(
                    f"Line {number} of {wacz.PAGES} in {self.name} is no page ({error!r}). {_COPY}"
                ) from error

    def entries(self) -> tuple[IndexEntry, ...]:
        """The index, in the order of recording (file, then offset).

        Raises:
            StoreError: there is no index.
            IntegrityError: a line of it cannot be read.
        """
        name = next((name for name in _INDEX_NAMES if name in self._zip.NameToInfo), "")
        if not name:
            raise StoreError(f"{self.name} has no index ({wacz.INDEX}). {_COPY}")
        data = self.read(name)
        found: list[IndexEntry] = []
        try:
            text = (limits.gunzipped(data, name) if name.endswith(".gz") else data).decode()
            for line in text.split("\n"):
                if line and not line.startswith("!"):
                    found.append(parse_line(line))
        except (
            ValueError,
            KeyError,
            TypeError,
            EOFError,
            ArithmeticError,
            RecursionError,
            zlib.error,
        ) as error:
            raise IntegrityError(
                f"Line {len(found) + 1} of {name} in {self.name} cannot be read ({error!r}). {_COPY}"
            ) from error
        return tuple(sorted(found, key=lambda entry: (entry.filename, entry.offset)))

    def exchange(self, entry: IndexEntry) -> WebExchange:
        """The exchange an index entry points to.

        Raises:
            IntegrityError: the record is not there, is damaged, or is another URL's.
        """
        record, recorded_at = self._response(entry)
        return WebExchange(
            request=self._request(entry, record), response=warc.response_of(record), recorded_at=recorded_at
        )

    def answer(self, entry: IndexEntry) -> tuple[WebResponse, datetime]:
        """The response of ``exchange`` and its time, without reading the request."""
        record, recorded_at = self._response(entry)
        return warc.response_of(record), recorded_at

    def exchanges(self) -> Iterator[WebExchange]:
        """Every exchange, in recorded order, read one at a time."""
        for entry in self.entries():
            yield self.exchange(entry)

    def records(self, filename: str) -> Iterator[warc.WarcRecord]:
        """Every record of the WARC file of that name, read one at a time."""
        start, length = self._place(filename)
        stream = cast(BinaryIO, io.BufferedReader(Slice(self._source, start, length)))
        yield from warc.read_records(stream, size=length)

    def warc_names(self) -> tuple[str, ...]:
        """The WARC files of the archive, without their folder."""
        return tuple(name[8:] for name in self.names() if name.startswith("archive/") and ".warc" in name)

    def verify(self, *, public_key: str = "") -> list[str]:
        """Every fault that can be found in the file, one sentence each; empty if there is none.

        Checks the hash and size of each listed file, files that are missing, not listed or there
        twice, bytes outside of all files, the package's digest and signature, that every record
        can be read and fits its own digests, and that index and records say the same. That the
        bytes are unchanged since they were packed does not say that the server was right; and an
        archive whose package, digest and hashes were all made anew is found out only by
        ``public_key``, the base64 key that has to have signed it.
        """
        return faults(self, public_key)

    def _response(self, entry: IndexEntry) -> tuple[warc.WarcRecord, datetime]:
        record = self._record_at(entry.filename, entry.offset, entry.length)
        kind = "resource" if entry.method in STREAMS else "response"
        if record.kind != kind or record.url != entry.url:
            raise IntegrityError(
                f"The index of {self.name} says that {entry.url} lies at byte {entry.offset} of "
                f"{entry.filename}, but that is a {record.kind} record of {record.url or 'no URL'}. {_COPY}"
            )
        try:
            return record, record.recorded_at
        except ValueError as error:
            raise IntegrityError(
                f"A record of {entry.url} in {self.name} has no valid date. {_COPY}"
            ) from error

    def _request(self, entry: IndexEntry, response: warc.WarcRecord) -> WebRequest:
        # Our writer, like most tools, puts the request behind its response.
        start, total = self._place(entry.filename)
        after = entry.offset + entry.length
        fallback = WebRequest(url=entry.url, method=entry.method)
        if after >= total:
            return fallback
        stream = io.BufferedReader(Slice(self._source, start + after, total - after))
        record = next(warc.read_records(cast(BinaryIO, stream), base=after), None)
        if record is None or record.kind != "request":
            return fallback
        if record.get("WARC-Concurrent-To") != response.get("WARC-Record-ID"):
            return fallback
        return warc.request_of(record)

    def _record_at(self, filename: str, offset: int, length: int) -> warc.WarcRecord:
        start, total = self._place(filename)
        if offset < 0 or length <= 0 or offset + length > total:
            raise IntegrityError(f"The index of {self.name} points outside of {filename}. {_COPY}")
        return warc.read_record(self._source.read_at(start + offset, length), base=offset)

    def _place(self, filename: str) -> tuple[int, int]:
        """Where a WARC file's bytes start in the ZIP file, and how many there are."""
        path = f"archive/{filename}"
        info = self._zip.NameToInfo.get(path)
        if info is None:
            raise IntegrityError(f"The index of {self.name} names {path}, which is not in the file. {_COPY}")
        if info.compress_type != zipfile.ZIP_STORED:
            raise StoreError(
                f"{path} in {self.name} is compressed by the ZIP file, so that no record can be read alone. "
                "Pack the archive again with WARC files stored, as WACZ asks for."
            )
        if path not in self._starts:
            head = self._source.read_at(info.header_offset, _LOCAL_HEADER)
            if len(head) < _LOCAL_HEADER or head[:4] != b"PK\x03\x04":
                raise IntegrityError(f"{path} in {self.name} has no ZIP header. {_COPY}")
            name_size, extra_size = struct.unpack("<HH", head[26:30])
            self._starts[path] = info.header_offset + _LOCAL_HEADER + name_size + extra_size
        return self._starts[path], info.file_size


def _resource(item: object) -> Resource:
    data = item if isinstance(item, dict) else {}
    size = data.get("bytes")
    return Resource(
        path=str(data.get("path", "")),
        hash=str(data.get("hash", "")),
        size_bytes=size if isinstance(size, int) else -1,
    )


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


# What a ZIP file holds besides its files: bytes before, between and behind them, and comments.
#
# Unlike the files themselves these are named in no package, so a hash of the package does not
# notice them. Layout after APPNOTE 6.3.10: local headers with their files, the directory, its end.

_LOCAL = struct.Struct("<4s22xHH")
_DIRECTORY = 46  # bytes of a directory entry, before its name
_END = 22  # bytes of the end record, before its comment
_END_64 = 56 + 20  # bytes of the ZIP64 end record and its locator
_DESCRIPTORS = (0, 12, 16, 20, 24)  # bytes a writer that can not seek puts behind a file
_STREAMED = 0x08


def stray_bytes(source: Source, directory: zipfile.ZipFile) -> Iterator[str]:
    """One sentence for each thing that is in a ZIP file and in none of its files."""
    if directory.comment:
        yield f"The ZIP file has a comment of {len(directory.comment)} bytes."
    end = 0
    for entry in sorted(directory.infolist(), key=lambda each: each.header_offset):
        if entry.comment:
            yield f"{entry.filename} has a comment of {len(entry.comment)} bytes in the ZIP directory."
        gap = entry.header_offset - end
        if gap < 0:
            yield f"{entry.filename} overlaps the file before it."
        elif gap:
            where = "before" if end else "at the start of the ZIP file, before"
            yield f"{gap} bytes that belong to no file stand {where} {entry.filename}."
        end = yield from _local(source, entry)
    yield from _ending(source, directory, end)


def _local(source: Source, entry: zipfile.ZipInfo) -> Generator[str, None, int]:
    """Compare a file's own header with the directory; gives the byte behind the file."""
    head = source.read_at(entry.header_offset, _LOCAL.size)
    if len(head) < _LOCAL.size or head[:4] != b"PK\x03\x04":
        yield f"{entry.filename} has no ZIP header at byte {entry.header_offset}."
        return entry.header_offset + entry.compress_size
    name_size, extra_size = (int(number) for number in _LOCAL.unpack(head)[1:])
    name = source.read_at(entry.header_offset + _LOCAL.size, name_size)
    if name not in (_encoded(entry, "utf-8"), _encoded(entry, "cp437")):
        yield f"{entry.filename} has another name in its own ZIP header: {name[:80]!r}."
    end = entry.header_offset + _LOCAL.size + name_size + extra_size + entry.compress_size
    if entry.flag_bits & _STREAMED:
        end += next((size for size in _DESCRIPTORS if source.read_at(end + size, 2) == b"PK"), 0)
    return end


def _encoded(entry: zipfile.ZipInfo, charset: str) -> bytes:
    return entry.orig_filename.encode(charset, "replace")


def _ending(source: Source, directory: zipfile.ZipFile, end: int) -> Iterator[str]:
    start: int = directory.start_dir
    if start != end:
        yield f"{start - end} bytes that belong to no file stand before the ZIP directory."
    for entry in directory.infolist():
        start += _DIRECTORY + len(_encoded(entry, "utf-8" if entry.flag_bits & 0x800 else "cp437"))
        start += len(entry.extra) + len(entry.comment)
    if source.read_at(start, 4) == b"PK\x06\x06":
        start += _END_64
    left = source.size - (start + _END + len(directory.comment))
    if source.read_at(start, 4) != b"PK\x05\x06":
        yield "The ZIP directory does not end where its entries do."
    elif left:
        yield f"{left} bytes stand behind the end of the ZIP file."
