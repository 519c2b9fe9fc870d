"""Files that a kill at any moment leaves readable: those of one JSON record a line, which only grow, and
those that are written whole.

A record is there when its line break is: what a kill left after the last one is not read, and is cut off
before the next line is written.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from verifaible.errors import RunError
from verifaible.schema.base import Record

RecordT = TypeVar("RecordT", bound=Record)


class DamagedLine(UserWarning):
    """A whole line that cannot be read was passed over; names the file and the line's number."""


class Lines(Generic[RecordT]):
    """One such file; one process writes at a time, from any of its threads.

    Args:
        path: the file; it is made by the first line.
        kind: the record of a line.
        sparse: leave out of each line the fields that have their default.
        alone: each line stands for itself: one that is damaged is passed over with a warning, and costs no
            other.
    """

    def __init__(self, path: Path, kind: type[RecordT], *, sparse: bool = True, alone: bool = False) -> None:
        self.path = path
        self._kind = kind
        self._sparse = sparse
        self._alone = alone
        self._mended = False
        self._writing = threading.Lock()

    def add(self, *records: RecordT, durable: bool = False) -> None:
        """Append records.

        Args:
            records: what to keep.
            durable: return only when it is on the disk: it then outlives a power cut, too.

        Raises:
            RunError: the disk is full or the folder is gone; nothing of the lines is left.
        """
        line = b"".join(
            each.model_dump_json(exclude_defaults=self._sparse).encode() + b"\n" for each in records
        )
        if not line:
            return
        with usable(self.path), self._writing, self.path.open("ab", buffering=0) as file:
            if not self._mended:
                self._cut_torn(file.fileno())
                self._mended = True
            whole = os.lseek(file.fileno(), 0, os.SEEK_END)
            try:
                while line:
                    line = line[file.write(line) :]
                if durable:
                    os.fsync(file.fileno())
            except OSError:
                os.ftruncate(file.fileno(), whole)  # the next line must not be glued to half of this one
                raise

    def read(self) -> tuple[RecordT, ...]:
        """Every whole record, in the order they were added; none where there is no file.

        Raises:
            RunError: a whole line is damaged.

        Warns:
            DamagedLine: the same, where each line stands for itself.
        """
        return tuple(self)

    def __iter__(self) -> Iterator[RecordT]:
        """The records one by one, of which only one is held."""
        with usable(self.path):
            for number, line in enumerate(self._lines(), 1):
                if not line.endswith(b"\n"):
                    continue
                try:
                    record = self._kind.model_validate_json(line)
                except ValidationError as error:
                    said = f"Line {number} of {self.path} is damaged ({_reason(error)})."
                    if not self._alone:
                        raise RunError(f"{said} Run again what wrote it.") from error
                    warnings.warn(f"{said} It is passed over.", DamagedLine, stacklevel=2)
                else:
                    yield record

    def _lines(self) -> Iterator[bytes]:
        """The lines; the last one may be torn."""
        if self.path.is_file():
            with self.path.open("rb") as file:
                yield from file

    def _cut_torn(self, file: int) -> None:
        size = os.lseek(file, 0, os.SEEK_END)
        data = self.path.read_bytes()[:size]
        if data and not data.endswith(b"\n"):
            os.ftruncate(file, data.rfind(b"\n") + 1)


def write_whole(path: Path, text: str) -> None:
    """Put a file in its place, whole and on the disk; its folder is there.

    Raises:
        RunError: the disk is full or the folder is gone; what stood there before still does.
    """
    temporary = path.with_name(f".{path.name}.part")
    with usable(path):
        with temporary.open("wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)


@contextmanager
def usable(path: Path) -> Iterator[None]:
    """Turn what the disk or a damaged file raises into a sentence.

    Raises:
        RunError: the file cannot be read or written, or holds something else.
    """
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{path} cannot be read or written ({error.strerror}). Check that it is in a run folder, that "
            "its permissions allow it, and that the disk has space."
        ) from error
    except ValidationError as error:
        raise RunError(f"{path} is damaged ({_reason(error)}). Run again what wrote it.") from error


def _reason(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{f'{place}: ' if place else ''}{fault['msg']}"
