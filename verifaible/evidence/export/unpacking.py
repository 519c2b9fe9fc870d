"""Reading an export that comes from anywhere: a folder, or a ZIP file of one.

Nothing is unpacked to the disk, and only files that the export's own list names are read: no name
in it can lead anywhere else, no link is followed, and nothing unfolds beyond the limits.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from verifaible.archive import limits
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.export import bundle


class ExportFiles(Protocol):
    """The files of an export."""

    def names(self) -> frozenset[str]:
        """Every file, with ``/`` between folder and name."""

    def read(self, name: str) -> bytes:
        """The bytes of a file.

        Raises:
            StoreError: it is missing.
            IntegrityError: it is a link, too large, or damaged.
        """


@contextmanager
def opened(path: Path) -> Iterator[ExportFiles]:
    """An export's folder, or a ZIP file that holds one.

    Raises:
        StoreError: there is no export.
        IntegrityError: the ZIP file is not an honest one.
    """
    with ExitStack() as stack:
        yield _Folder(path) if path.is_dir() else _open_zip(path, stack)


def _open_zip(path: Path, stack: ExitStack) -> ExportFiles:
    try:
        archive = stack.enter_context(zipfile.ZipFile(stack.enter_context(path.open("rb"))))
        size = path.stat().st_size
    except FileNotFoundError as error:
        raise StoreError(f"{path} does not exist. Name the folder or the .zip file of an export.") from error
    except OSError as error:
        raise StoreError(f"{path} cannot be read ({error.strerror}). Check its permissions.") from error
    except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError, struct.error) as error:
        raise StoreError(
            f"{path.name} is not a ZIP file, or is incomplete ({error}). Name the folder or the .zip file "
            "of an export."
        ) from error
    limits.refuse_unsafe(path.name, archive.infolist(), size)
    return _Zip(path.name, archive)


def _missing(name: str) -> StoreError:
    return StoreError(f"{name} is missing. Only an export with all of its files can be imported.")


def _too_large(name: str, size: int) -> IntegrityError:
    return IntegrityError(f"{name} has {size} bytes; at most {limits.MAX_FILE_BYTES} are read.")


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> frozenset[str]:
        """Every file that is no link, two levels deep."""
        found: set[str] = set()
        for entry in os.scandir(self._folder):
            if entry.is_dir(follow_symlinks=False):
                found |= {f"{entry.name}/{each.name}" for each in os.scandir(entry.path)}
            else:
                found.add(entry.name)
        return frozenset(found)

    def read(self, name: str) -> bytes:
        """See :class:`ExportFiles`."""
        path = self._folder / name
        try:
            if path.is_symlink() or (path.parent != self._folder and path.parent.is_symlink()):
                raise IntegrityError(f"{name} is a link to another place. Ask for an export of files.")
            # Opening a pipe must not wait; and the file that is examined has to be the one that is read.
            with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise IntegrityError(f"{name} is no file. Ask for an export of files.")
                if found.st_size > limits.MAX_FILE_BYTES:
                    raise _too_large(name, found.st_size)
                data = file.read(limits.MAX_FILE_BYTES + 1)  # it may have grown since
                if len(data) > limits.MAX_FILE_BYTES:
                    raise _too_large(name, len(data))
                return data
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
            raise _missing(name) from error
        except OSError as error:
            raise StoreError(f"{name} cannot be read ({error.strerror}). Check its permissions.") from error


class _Zip:
    def __init__(self, name: str, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        listed = Counter(archive.namelist())
        twice = [each for each, count in listed.items() if count > 1]
        if twice:
            raise IntegrityError(f"{twice[0]} is in {name} more than once. Ask for a new export.")
        # The files themselves, or the one folder that holds them.
        roots = [each.removesuffix(bundle.DESCRIPTION) for each in listed if _describes(each)]
        if len(roots) != 1:
            raise StoreError(
                f"{name} holds {len(roots) or 'no'} exports. Give a .zip file of one folder written by "
                "`verifaible export`."
            )
        self._root = roots[0]

    def names(self) -> frozenset[str]:
        """Every file under the export's folder."""
        files = (each for each in self._archive.namelist() if not each.endswith("/"))
        return frozenset(each.removeprefix(self._root) for each in files if each.startswith(self._root))

    def read(self, name: str) -> bytes:
        """See :class:`ExportFiles`."""
        try:
            info = self._archive.getinfo(self._root + name)
        except KeyError as error:
            raise _missing(name) from error
        if info.file_size > limits.MAX_FILE_BYTES:
            raise _too_large(name, info.file_size)
        try:
            return self._archive.read(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
            raise IntegrityError(f"{name} in the ZIP file is damaged ({error}).") from error


def _describes(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    return file == bundle.DESCRIPTION and "/" not in folder
