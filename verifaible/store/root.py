"""A folder that nothing leads out of: the only module that opens, lists, writes or removes files of a store.

A name that leads elsewhere is refused, and a link is never followed: each folder on the way is opened in the
one before it, so exchanging one meanwhile gains nothing. The folder itself may be a link: a person named it.
A file appears whole or not at all, flushed to the disk; what this program did not make is not removed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Annotated, Final, TypeAlias

from pydantic import AfterValidator

from verifaible.errors import IntegrityError, StoreError, StoreReadOnly, StoreUnreachable

#: What a part of a name is made of: no dot begins it, so it is neither hidden nor the folder above.
_PART: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+=@-]{0,199}")
_LONGEST_NAME: Final = 255
#: Where a store keeps files, and what it may say of folders beside it (runs that were deleted).
FOLDERS: Final = frozenset({"captures", "checks", "citations", "keys", "pictures", "timestamps"})
BESIDE: Final = frozenset({"runs", "judged"})
#: What lies at the top of a store.
TOP: Final = frozenset({"store.json", "custody.jsonl", "custody-head.json", "index.sqlite", "lock"})
SCRATCH: Final = "tmp"
_SCRATCH_PREFIX: Final = "scratch-"
LOCK: Final = "lock"
#: A batch of checks takes a few seconds; whoever waits for longer than this waits for something stuck.
LONGEST_WAIT_S: Final = 60
#: Age after which a scratch folder that a kill left behind is removed.
SCRATCH_LIFE_S: Final = 24 * 3600

_MAY_NOT_WRITE: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
#: Of a disk that has no room, or a person who may use no more of it.
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
#: What opening a link, or something that is no folder, as a folder comes to.
_NO_FOLDER: Final = (errno.ELOOP, errno.ENOTDIR)
_AS_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_TO_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT
#: Without O_NONBLOCK a pipe in the place of a file would be waited for.
_AS_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def parts_of(name: str) -> list[str]:
    """The parts of a file's name.

    Raises:
        IntegrityError: it leads elsewhere, is too long, or has characters that no file of ours has.
    """
    parts = name.split("/")
    if len(name) > _LONGEST_NAME or not all(map(_PART.fullmatch, parts)):
        raise IntegrityError(
            f"{name[:100]!r} is no name of a file in a store, so nothing was read or changed there. "
            "Restore what names it from a copy of the store."
        )
    return parts


def _file_name(name: str) -> str:
    try:
        first, *rest = parts_of(name)
    except IntegrityError as error:
        raise ValueError(str(error)) from None
    if first in FOLDERS | BESIDE if rest else first in TOP:
        return name
    raise ValueError(f"{name[:100]!r} is in no folder of a store.")


#: The name of a file in a store, as records, imports and databases give it: signed does not mean safe.
FileName: TypeAlias = Annotated[str, AfterValidator(_file_name)]


class Root:
    """Files below a folder, which is made when something is first put into it.

    Names are relative to the folder, with ``/`` between their parts. Every method raises
    IntegrityError for a name that leads elsewhere, and for a link or another thing in the place of a file or
    a folder; StoreReadOnly where nothing may be written; StoreUnreachable where the disk is full or
    the folder does not answer; and StoreError for what else the operating system refuses.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def location(self) -> str:
        """The folder's path, for people."""
        return str(self.folder)

    @property
    def at_once(self) -> int:
        """How many files are read side by side: the disk is quicker than what is done with its files."""
        return 1

    # --- reading -------------------------------------------------------------------------

    def open(self, name: str) -> IO[bytes]:
        """A file, opened to be read; FileNotFoundError where there is none."""
        with self._folder_of(name) as (folder, last):
            try:
                handle = os.open(last, _AS_FILE, dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENXIO):  # a link; a socket
                    raise self._strange(name) from error
                raise
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                os.close(handle)
                raise self._strange(name)
            return os.fdopen(handle, "rb")

    def read(self, name: str) -> bytes:
        """The bytes of a file; FileNotFoundError where there is none."""
        with self._translated(), self.open(name) as file:
            return file.read()

    def read_from(self, name: str, start: int) -> bytes:
        """The bytes of a file from a place on; none where there is no file, or it ends before."""
        with self._translated(), suppress(FileNotFoundError), self.open(name) as file:
            file.seek(start)
            return file.read()
        return b""

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        with suppress(FileNotFoundError), self._folder_of(name) as (folder, last):
            return stat.S_ISREG(os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode)
        return False

    def names(self, folder: str) -> list[str]:
        """The names of the files directly in a folder (empty: in this one), sorted; none if there is none.

        Names that begin with a dot are files that are not whole yet.
        """
        with suppress(FileNotFoundError), self._folder_of(f"{folder}/_".lstrip("/")) as (handle, _):
            with os.scandir(handle) as entries:
                files = [each.name for each in entries if each.is_file(follow_symlinks=False)]
            return sorted(name for name in files if not name.startswith("."))
        return []

    def links(self) -> list[str]:
        """The names of the links anywhere below the folder, whatever they are called; none is followed."""
        found: list[str] = []
        with suppress(FileNotFoundError), self._folder_of("_") as (top, _):
            for above, folders, files, handle in os.fwalk(".", dir_fd=top):
                for name in (*folders, *files):
                    with suppress(FileNotFoundError):
                        if stat.S_ISLNK(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode):
                            found.append(f"{above}/{name}".removeprefix("./"))
        return sorted(found)

    def at_top(self) -> list[str]:
        """The names of everything directly in the folder."""
        with suppress(FileNotFoundError), self._folder_of("_") as (top, _):
            return sorted(os.listdir(top))  # noqa: PTH208 - an open folder has no path
        return []

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """The file's own path; FileNotFoundError where there is none."""
        self.open(name).close()
        yield self.folder / name

    def path(self, name: str, *, beside: Sequence[str] = ()) -> Path:
        """The path of a file for a library that opens it by itself; there may be none yet.

        ``beside`` are the endings of further files that the library opens along with it.
        """
        for each in (name, *(f"{name}{ending}" for ending in beside)):
            with suppress(FileNotFoundError):
                self.open(each).close()
        return self.folder / name

    # --- writing -------------------------------------------------------------------------

    def create(self, name: str, data: bytes) -> bool:
        """Make a new file; False, and nothing changed, if there is one already."""
        with self._written(name, data) as (folder, temporary, last):
            try:
                # A link, unlike a rename, never replaces what another process made meanwhile.
                os.link(temporary, last, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            except FileExistsError:
                return False
            os.fsync(folder)
            return True

    def replace(self, name: str, data: bytes) -> None:
        """Make a file, or put new bytes in the place of the old."""
        with self._written(name, data) as (folder, temporary, last):
            self._only_over_a_file(name, folder, last)
            os.rename(temporary, last, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)

    def adopt(self, name: str, path: Path) -> None:
        """Take over a whole local file, which is gone from its place afterwards."""
        with self._folder_of(name, make=True, size_bytes=path.stat().st_size) as (folder, last):
            handle = os.open(path, _AS_FILE)
            try:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise self._strange(name)
                os.fchmod(handle, _mode(name))
                os.fsync(handle)
            finally:
                os.close(handle)
            self._only_over_a_file(name, folder, last)
            os.rename(path, last, dst_dir_fd=folder)
            os.fsync(folder)

    def append(self, name: str, data: bytes) -> None:
        """Add bytes to the end of a file, which is made where there is none; the caller holds the lock.

        Where not all of them can be written, the file is as long as before.
        """
        with self._opened(name, _TO_APPEND, len(data)) as (handle, folder):
            before = os.fstat(handle).st_size
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(handle, left) :]
                os.fsync(handle)
            except BaseException:
                with suppress(OSError):
                    os.ftruncate(handle, before)
                raise
            if not before:
                os.fsync(folder)

    def truncate(self, name: str, size_bytes: int) -> None:
        """Cut a file to a length; the caller holds the lock."""
        with self._opened(name, os.O_WRONLY) as (handle, _):
            os.ftruncate(handle, size_bytes)
            os.fsync(handle)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock, which a process that ends gives back, however it ends.

        Raises:
            StoreUnreachable: another process has held it for too long.
        """
        with self._opened(LOCK, _TO_APPEND) as (opened, _):
            handle = os.dup(opened)
        try:
            until = time.monotonic() + LONGEST_WAIT_S
            while not _taken(handle):
                if time.monotonic() > until:
                    raise StoreUnreachable(
                        f"Another process has been adding to the store {self.folder} for {LONGEST_WAIT_S} "
                        "seconds. Wait until it is done, or end it, and try again."
                    )
                time.sleep(0.005)
            yield
        finally:
            os.close(handle)

    def delete(self, name: str) -> None:
        """Delete a file, if it is there, and its folder, if that is empty then."""
        with suppress(FileNotFoundError):
            with self._folder_of(name) as (folder, last):
                self._only_over_a_file(name, folder, last)
                os.unlink(last, dir_fd=folder)
            if "/" in name:
                with suppress(OSError, StoreError), self._folder_of(name.rpartition("/")[0]) as (above, own):
                    os.rmdir(own, dir_fd=above)

    def scratch(self) -> Path:
        """A new empty folder for files that are not whole yet, on the same disk.

        Scratch folders of ours that a kill left are removed after a day; nothing else in ``tmp`` is.
        """
        name = f"{_SCRATCH_PREFIX}{secrets.token_hex(8)}"
        with self._folder_of(f"{SCRATCH}/{name}", make=True) as (folder, last):
            for left in os.listdir(folder):  # noqa: PTH208 - an open folder has no path
                if left.startswith(_SCRATCH_PREFIX):
                    with suppress(OSError):
                        found = os.stat(left, dir_fd=folder, follow_symlinks=False)
                        if stat.S_ISDIR(found.st_mode) and time.time() - found.st_mtime > SCRATCH_LIFE_S:
                            shutil.rmtree(left, dir_fd=folder)
            os.mkdir(last, 0o700, dir_fd=folder)
        return self.folder / SCRATCH / name

    # --- inside

    @contextmanager
    def _folder_of(self, name: str, *, make: bool = False, size_bytes: int = 0) -> Iterator[tuple[int, str]]:
        """The folder of a file, opened, and the last part of the file's name.

        What the operating system refuses in here is told in a sentence; ``make`` makes the folders that are
        missing, for a file of ``size_bytes``.
        """
        *above, last = parts_of(name)
        with self._translated(size_bytes, writing=make):
            if make:
                self.folder.mkdir(parents=True, exist_ok=True)
            folder = os.open(self.folder, _AS_FOLDER)
            try:
                for each in above:
                    if make:
                        with suppress(FileExistsError):
                            os.mkdir(each, dir_fd=folder)
                    folder = self._step(folder, each, name)
                yield folder, last
            finally:
                os.close(folder)

    def _step(self, folder: int, each: str, name: str) -> int:
        """The folder inside a folder, which is closed."""
        try:
            deeper = os.open(each, _AS_FOLDER | os.O_NOFOLLOW, dir_fd=folder)
        except OSError as error:
            if error.errno in _NO_FOLDER:
                raise IntegrityError(
                    f"{each} in {self.folder} is a link or no folder, so {name} was left alone. Restore it "
                    "from a copy of the store."
                ) from error
            raise
        os.close(folder)
        return deeper

    @contextmanager
    def _written(self, name: str, data: bytes) -> Iterator[tuple[int, str, str]]:
        """The folder, the name of a new file with these bytes that goes afterwards, and the name it gets."""
        with self._folder_of(name, make=True, size_bytes=len(data)) as (folder, last):
            temporary = f".{secrets.token_hex(8)}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(temporary, flags, _mode(name), dir_fd=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(handle)
                yield folder, temporary, last
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=folder)

    @contextmanager
    def _opened(self, name: str, how: int, size_bytes: int = 0) -> Iterator[tuple[int, int]]:
        """A file that is written to where it is, and its folder; with O_CREAT both are made."""
        with self._folder_of(name, make=True, size_bytes=size_bytes) as (folder, last):
            self._only_over_a_file(name, folder, last)
            handle = os.open(last, how | os.O_NOFOLLOW | os.O_CLOEXEC, _mode(name), dir_fd=folder)
            try:
                yield handle, folder
            finally:
                os.close(handle)

    def _only_over_a_file(self, name: str, folder: int, last: str) -> None:
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode):
                raise self._strange(name)

    def _strange(self, name: str) -> IntegrityError:
        return IntegrityError(
            f"{name} in {self.folder} is a link or no file at all. Restore it from a copy of the store."
        )

    @contextmanager
    def _translated(self, size_bytes: int = 0, *, writing: bool = False) -> Iterator[None]:
        """Turn what the operating system says of a store into a sentence."""
        try:
            yield
        except (FileNotFoundError, StoreError):
            raise
        except OSError as error:
            raise self._sentence(error, size_bytes, writing=writing) from error

    def _sentence(self, error: OSError, size_bytes: int, *, writing: bool) -> StoreError:
        store, why = f"The store {self.folder}", error.strerror or error
        if isinstance(error, NotADirectoryError):
            return StoreError(f"{store} is not a folder. Set VERIFAIBLE_STORE to one.")
        if error.errno in _FULL:
            return StoreUnreachable(
                f"The disk of the store {self.folder} is full ({why}). Free some space: this file alone "
                f"needs {max(1, -(-size_bytes // 1_000_000))} MB."
            )
        if writing and error.errno in _MAY_NOT_WRITE:
            return StoreReadOnly(
                f"{store} cannot be written ({why}). Correct its permissions, or set VERIFAIBLE_STORE to a "
                "copy of it."
            )
        # A file that cannot be read is a fault of the store; a folder that does not answer may come back.
        answers = os.access(self.folder, os.R_OK | os.X_OK)
        return (StoreError if answers else StoreUnreachable)(
            f"{store} cannot be used ({why}). Correct its permissions, or set VERIFAIBLE_STORE to another "
            "folder."
        )


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _mode(name: str) -> int:
    """Who may read a file: whoever the person's umask lets, but private keys only their owner."""
    return 0o600 if name.endswith(".pem") else 0o666 & ~_umask()


@cache
def _umask() -> int:
    # There is no way to read it without setting it; the stricter mask is for what comes in between.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
