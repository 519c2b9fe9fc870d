"""Writing WACZ 1.1.1 (https://specs.webrecorder.net/wacz/1.1.1/): a web archive in one ZIP file.

The same calls give the same bytes: every date in the file is ``created`` or a record's own
time, and record ids are derived from the content. With ``compress=False`` nothing depends on
a zlib version either.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import uuid
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO, Self

from verifaible.archive import cdxj, warc
from verifaible.archive.signing import Signer
from verifaible.archive.streams import STREAM_TYPE, STREAMS
from verifaible.archive.urls import recordable
from verifaible.errors import StoreError
from verifaible.schema.web import Headers, WebExchange
from verifaible.version import __version__

WACZ_VERSION = "1.1.1"
PROFILE = "data-package"
SOFTWARE = f"verifaible {__version__}"
#: CDXJ lines under a name that pywb and ReplayWeb.page both look for; ``.cdxj`` only the second does.
INDEX = "indexes/index.cdx"
PAGES = "pages/pages.jsonl"
PACKAGE = "datapackage.json"
DIGEST = "datapackage-digest.json"
_EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)  # ZIP dates start here
#: What is compressed already: to deflate it takes time and hardly a byte away.
_PACKED = (".jpg", ".png", ".webp")
_TWO_DEEP = re.compile(r"[A-Za-z0-9][\w.\-]*/[A-Za-z0-9][\w.\-]*\.[A-Za-z0-9]+", re.ASCII)


class WaczWriter:
    """Writes one WACZ file, record by record; use it as a context manager.

    A file at ``target`` appears only at ``close``, whole; leaving the ``with`` block through an
    exception leaves nothing behind. A stream has to be seekable and readable.

    Args:
        target: where the file goes: a path (replaced if it exists) or a binary stream.
        title, description: for people.
        created: when the archive was made; every date of the ZIP file is this one.
        software: what made it, as the package says.
        compress: gzip each record and deflate the other files; False stores everything.
        synthetic: the content was written by hand (a replica), not recorded.
        signer: signs the package.

    Raises:
        StoreError: the file cannot be written, or a name or header is not fit for it.
    """

    def __init__(
        self,
        target: BinaryIO | Path,
        *,
        title: str,
        description: str = "",
        created: datetime,
        software: str = SOFTWARE,
        compress: bool = True,
        synthetic: bool = False,
        signer: Signer | None = None,
    ) -> None:
        if created.tzinfo is None:
            raise ValueError("created needs a time zone")
        self._title, self._description, self._software = title, description, software
        self._created = max(created.astimezone(UTC), _EARLIEST)
        self._compress, self._synthetic, self._signer = compress, synthetic, signer
        self._resources: list[tuple[str, str, int]] = []  # path, hash, bytes
        self._entries: list[cdxj.IndexEntry] = []
        self._pages: list[dict[str, str]] = []
        self._files: dict[str, bytes] = {}
        self._count = self._offset = 0
        self._warc_hash = hashlib.sha256()
        self._warc_name = "data.warc.gz" if compress else "data.warc"
        self._path = target if isinstance(target, Path) else None
        self._stream: IO[bytes] = _beside(target) if isinstance(target, Path) else target
        self._zip = zipfile.ZipFile(self._stream, "w")
        warc_info = self._info(f"archive/{self._warc_name}", zipfile.ZIP_STORED)
        self._warc: IO[bytes] | None = self._zip.open(warc_info, "w")
        about = f"software: {software}\r\nformat: WARC File Format 1.1\r\n".encode()
        fields = (
            ("WARC-Date", warc.warc_date(self._created)),
            ("WARC-Filename", self._warc_name),
            ("Content-Type", "application/warc-fields"),
        )
        self._add("warcinfo", fields, b"", about, title)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.abandon()
        elif self._warc is not None:
            self.close()

    def add_exchange(self, exchange: WebExchange) -> None:
        """Append an exchange; the order of the calls is the order in which a look-up replays them."""
        self._count += 1
        url, payload = recordable(exchange.request.url), exchange.response.body
        about = (("WARC-Target-URI", url), ("WARC-Date", warc.warc_date(exchange.recorded_at)))
        stream = exchange.request.method in STREAMS
        http = "application/http; msgtype="
        record_id, offset, length = self._add(
            "resource" if stream else "response",
            (*about, ("Content-Type", STREAM_TYPE if stream else f"{http}response")),
            b"" if stream else warc.response_head(exchange),
            payload,
        )
        self._entries.append(
            cdxj.entry_for(
                exchange,
                url,
                filename=self._warc_name,
                offset=offset,
                length=length,
                digest=warc.sha256(payload),
            )
        )
        if not stream:
            fields = (*about, ("WARC-Concurrent-To", record_id), ("Content-Type", f"{http}request"))
            self._add("request", fields, warc.request_head(exchange.request, url), exchange.request.body)

    def add_page(self, url: str, title: str, timestamp: datetime, text: str = "") -> None:
        """List a page for readers and for search; ``text`` is what a reader can see on it."""
        moment = warc.warc_date(timestamp)
        page = {"id": uuid.uuid5(uuid.NAMESPACE_URL, f"{len(self._pages)} {moment} {url}").hex[:16]}
        page |= {"url": url, "title": title, "ts": moment}
        self._pages.append(page | ({"text": text} if text else {}))

    def add_file(self, path: str, data: bytes) -> None:
        """Add a file such as ``evidence/page.png``: one folder, one name with a suffix.

        Raises:
            StoreError: the path is not of that form (validators miss other files), is taken, or
                lies in a folder that belongs to the archive itself.
        """
        folder = path.partition("/")[0]
        if not _TWO_DEEP.fullmatch(path) or folder in {"archive", "indexes", "pages"} or path in self._files:
            raise StoreError(
                f"{path!r} cannot be put into a WACZ: use a new name of the form folder/name.suffix, outside "
                "archive/, indexes/ and pages/."
            )
        self._files[path] = data

    def close(self) -> str:
        """Finish the file; gives the SHA-256 (hex) of all its bytes."""
        try:
            self._finish()
            self._stream.seek(0)
            digest = hashlib.file_digest(self._stream, "sha256").hexdigest()  # type: ignore[arg-type]
            if self._path is not None:
                self._stream.flush()
                os.fsync(self._stream.fileno())
                self._stream.close()
                Path(self._stream.name).replace(self._path)
        except (OSError, RuntimeError, zipfile.LargeZipFile) as error:
            self.abandon()
            raise _unwritten(error) from error
        return digest

    def abandon(self) -> None:
        """Give up: nothing stays at the target path."""
        # On a full disk closing fails too, since what is buffered is written then.
        if self._warc is not None:
            with suppress(OSError, ValueError):
                self._warc.close()
            self._warc = None
        with suppress(OSError, ValueError):
            self._zip.close()
        if self._path is not None:
            with suppress(OSError):
                self._stream.close()
            Path(self._stream.name).unlink(missing_ok=True)

    def _info(self, name: str, compression: int) -> zipfile.ZipInfo:
        info = zipfile.ZipInfo(name, self._created.timetuple()[:6])
        info.create_system = 3  # Unix, wherever it is made
        info.external_attr = 0o644 << 16
        info.compress_type = compression
        return info

    def _add(
        self, kind: str, fields: Headers, head: bytes, payload: bytes, seed: str = ""
    ) -> tuple[str, int, int]:
        """Append a record; gives its id, where it begins in the WARC file, and its bytes there."""
        if self._warc is None:
            raise StoreError("This archive is closed already. Open a new writer to record more.")
        record, record_id = warc.make_record(kind, fields, head, payload, seed=seed or str(self._count))
        data = warc.gzip_member(record) if self._compress else record
        try:
            self._warc.write(data)
        except OSError as error:
            self.abandon()
            raise _unwritten(error) from error
        self._warc_hash.update(data)
        self._offset += len(data)
        return record_id, self._offset - len(data), len(data)

    def _put(self, path: str, data: bytes) -> None:
        packed = not self._compress or path.endswith(_PACKED)
        self._zip.writestr(self._info(path, zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED), data)
        self._resources.append((path, warc.sha256(data), len(data)))

    def _finish(self) -> None:
        if self._warc is None:
            raise StoreError("This archive is closed already. Open a new writer to record more.")
        self._warc.close()
        self._warc = None
        digest = "sha256:" + self._warc_hash.hexdigest()
        self._resources.append((f"archive/{self._warc_name}", digest, self._offset))
        self._put(INDEX, "".join(sorted(f"{entry.line()}\n" for entry in self._entries)).encode())
        header: dict[str, object] = {
            "format": "json-pages-1.0",
            "id": "pages",
            "title": "All Pages",
            "hasText": any("text" in page for page in self._pages),
        }
        # Escaped, so that no odd character of a page (U+2028, a lone surrogate) can break a line.
        self._put(PAGES, "".join(f"{json.dumps(each)}\n" for each in (header, *self._pages)).encode())
        for path, data in self._files.items():
            self._put(path, data)
        created = self._created.strftime("%Y-%m-%dT%H:%M:%SZ")
        package = self._package(created)
        self._put(PACKAGE, package)
        signed: dict[str, object] = {"path": PACKAGE, "hash": warc.sha256(package)}
        if self._signer is not None:
            data_signed = self._signer.sign(warc.sha256(package), created=created, software=self._software)
            signed["signedData"] = data_signed.to_json()
        self._put(DIGEST, _pretty(signed))
        self._zip.close()

    def _package(self, created: str) -> bytes:
        resources: dict[str, dict[str, object]] = {}  # by name
        for path, digest, size in self._resources:
            name = path.rpartition("/")[2].lower()
            name = name if name not in resources else path.replace("/", "-").lower()
            # Untyped, a validator takes a JSON file with a key `fields` for a schema of tables.
            resources[name] = {"name": name, "path": path, "type": "file", "hash": digest, "bytes": size}
        return _pretty(
            {
                "profile": PROFILE,
                "wacz_version": WACZ_VERSION,
                "title": self._title,
                "description": self._description,
                "created": created,
                "software": self._software,
                "synthetic": self._synthetic,
                "resources": list(resources.values()),
            }
        )


def _beside(target: Path) -> IO[bytes]:
    """A new hidden file in the folder of a path, which is made if it is not there."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    except OSError as error:
        raise StoreError(
            f"{target} cannot be written ({error.strerror}). Check the folder's rights or choose another."
        ) from error
    os.close(handle)
    return Path(name).open("w+b")


def _unwritten(error: Exception) -> StoreError:
    return StoreError(
        f"The archive could not be written ({error}). Free some space or choose another folder, then "
        "record it again."
    )


def _pretty(data: Mapping[str, object]) -> bytes:
    return (json.dumps(data, indent=2, ensure_ascii=True) + "\n").encode()
