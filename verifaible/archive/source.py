"""Random access to the bytes of an archive, from a file or from memory."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Protocol

from verifaible.errors import StoreError


class Source(Protocol):
    """Bytes that can be read at any offset, by several threads at once."""

    size: int

    def read_at(self, offset: int, length: int) -> bytes:
        """At most ``length`` bytes from ``offset``; fewer only at the end."""

    def close(self) -> None:
        """Give the file back; reading afterwards is an error."""


class FileSource:
    """A file, read by position and never loaded as a whole; dropping it closes it, if nothing else did."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = io.FileIO(path)
        except OSError as error:
            raise StoreError(
                f"The archive {path} cannot be opened ({error.strerror}). Check the path and its rights."
            ) from error
        self.size = os.fstat(self._file.fileno()).st_size

    def read_at(self, offset: int, length: int) -> bytes:
        """See Source."""
        parts: list[bytes] = []
        while length > 0:
            try:
                part = os.pread(self._file.fileno(), length, offset)
            except (OSError, ValueError) as error:  # the latter of a closed file
                raise StoreError(
                    f"The archive cannot be read ({error}). If it was closed, open it again; else "
                    "check the disk."
                ) from error
            if not part:
                break
            parts.append(part)
            offset += len(part)
            length -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """See Source."""
        self._file.close()


class BytesSource:
    """An archive that is in memory already."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read_at(self, offset: int, length: int) -> bytes:
        """See Source."""
        return self._data[offset : offset + max(length, 0)]

    def close(self) -> None:
        """See Source."""


class Slice(io.RawIOBase):
    """A readable, seekable stream over a part of a source."""

    def __init__(self, source: Source, start: int, length: int) -> None:
        self._source, self._start, self._length = source, start, max(length, 0)
        self._position = 0

    def readable(self) -> bool:
        """Always true."""
        return True

    def seekable(self) -> bool:
        """Always true."""
        return True

    def tell(self) -> int:
        """The position from the start of the part."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move; see ``io.IOBase.seek``."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._length}[whence]
        if base + offset < 0:
            raise ValueError("negative seek position")
        self._position = base + offset
        return self._position

    def readinto(self, buffer: object) -> int:
        """Fill a buffer; see ``io.RawIOBase.readinto``."""
        view = memoryview(buffer)  # type: ignore[arg-type]
        wanted = min(len(view), self._length - self._position)
        data = self._source.read_at(self._start + self._position, wanted)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)
