"""Where a store keeps its files: a folder, or any place that fsspec knows (``s3://bucket/name``).

Names are relative, with ``/``. A file appears whole or not at all; ``create`` never replaces
one, which is what several writers agree by. A folder is written by ourselves, since fsspec's
own neither flushes to the disk nor creates exclusively.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import stat
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from verifaible.errors import ConfigError, IntegrityError, StoreError, StoreReadOnly, StoreUnreachable

#: Age after which a scratch folder that a kill left behind is swept away.
SCRATCH_LIFE_S = 24 * 3600
#: What S3 answers to one of two conditional requests that meet, and how often it is asked again.
_CONFLICT, _TRIES, _LONGEST_WAIT_S = "ConditionalRequestConflict", 7, 3.0
#: As many connections as the S3 library keeps.
_AT_ONCE = 10
_MAY_NOT_WRITE = (errno.EACCES, errno.EPERM, errno.EROFS)


T = TypeVar("T")
R = TypeVar("R")


class Files(Protocol):
    """The files of one store."""

    @property
    def location(self) -> str:
        """Where they are, for people."""

    def read(self, name: str) -> bytes:
        """The bytes of a file; FileNotFoundError where there is none."""

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""

    def names(self, folder: str) -> list[str]:
        """The names of the files directly in a folder, sorted; empty if there is no folder."""

    def below(self, folder: str) -> list[str]:
        """The names of the files in a folder and in all folders in it, each from the store's top."""

    @property
    def at_once(self) -> int:
        """How many files are read side by side, where many are: more, the longer each is waited for."""

    def create(self, name: str, data: bytes) -> bool:
        """Make a new file; False, and nothing changed, if there is one already."""

    def replace(self, name: str, data: bytes) -> None:
        """Make a file, or put new bytes in the place of the old."""

    def adopt(self, name: str, path: Path) -> None:
        """Take over a whole local file, which is gone afterwards."""

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""

    def local(self, name: str) -> Any:
        """A context manager that gives the file as a local path; FileNotFoundError as ``read``."""

    def scratch(self) -> Path:
        """A new empty local folder for files that are not whole yet."""


#: Of a disk that has no room, or a person who may use no more of it.
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


class FolderFiles:
    """Files in a folder, made when something is first put into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def location(self) -> str:
        """The folder's path."""
        return str(self.folder)

    def read(self, name: str) -> bytes:
        """See :class:`Files`; a link, a pipe or a device in the place of a file is refused."""
        with self._told():
            return self._regular(name).read_bytes()

    def exists(self, name: str) -> bool:
        """See :class:`Files`."""
        with self._told():
            return (self.folder / name).is_file()

    def names(self, folder: str) -> list[str]:
        """See :class:`Files`; names that begin with a dot are files that are not whole yet."""
        with self._told(), suppress(FileNotFoundError), os.scandir(self.folder / folder) as entries:
            return sorted(e.name for e in entries if not e.name.startswith(".") and e.is_file())
        return []

    def below(self, folder: str) -> list[str]:
        """See :class:`Files`."""
        with self._told(), suppress(FileNotFoundError):
            inside = sorted(each.name for each in os.scandir(self.folder / folder) if each.is_dir())
            deeper = [name for each in inside for name in self.below(f"{folder}/{each}")]
            return [*(f"{folder}/{name}" for name in self.names(folder)), *deeper]
        return []

    @property
    def at_once(self) -> int:
        """See :class:`Files`; the disk is quicker than what is done with its files."""
        return 1

    def create(self, name: str, data: bytes) -> bool:
        """See :class:`Files`."""
        with self._told():
            temporary = self._written(name, data)
            try:
                # A link, unlike a rename, never replaces what another process made meanwhile.
                os.link(temporary, self.folder / name)
            except FileExistsError:
                return False
            finally:
                temporary.unlink()
        return True

    def replace(self, name: str, data: bytes) -> None:
        """See :class:`Files`."""
        with self._told():
            self._written(name, data).replace(self.folder / name)

    def adopt(self, name: str, path: Path) -> None:
        """See :class:`Files`."""
        with self._told():
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            path.chmod(_mode(name))
            path.replace(target)

    def delete(self, name: str) -> None:
        """See :class:`Files`; a folder that it leaves empty is deleted, too."""
        with self._told():
            path = self.folder / name
            path.unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """See :class:`Files`."""
        with self._told():
            path = self._regular(name)
        yield path

    def scratch(self) -> Path:
        """See :class:`Files`; on the store's own disk, so that moving a file in is one step."""
        with self._told():
            parent = self.folder / "tmp"
            parent.mkdir(parents=True, exist_ok=True)
            for left in parent.iterdir():
                with suppress(OSError):
                    if time.time() - left.stat().st_mtime > SCRATCH_LIFE_S:
                        shutil.rmtree(left)
            return Path(tempfile.mkdtemp(dir=parent))

    def _regular(self, name: str) -> Path:
        path = self.folder / name
        if not stat.S_ISREG(path.lstat().st_mode):
            raise IntegrityError(
                f"{name} in {self.folder} is a link or no file at all. Restore it from a copy of the store."
            )
        return path

    def _written(self, name: str, data: bytes) -> Path:
        target = self.folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".")
        except OSError as error:
            if error.errno not in _MAY_NOT_WRITE:
                raise
            raise StoreReadOnly(
                f"The store {self.folder} cannot be written ({error.strerror}). Correct its permissions, or "
                "set VERIFAIBLE_STORE to a copy of it."
            ) from error
        path = Path(temporary)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            path.chmod(_mode(name))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the operating system says of a store into a sentence."""
        try:
            yield
        except (FileNotFoundError, StoreError):
            raise
        except NotADirectoryError as error:
            raise StoreError(
                f"The store {self.folder} is not a folder. Set VERIFAIBLE_STORE to one."
            ) from error
        except OSError as error:
            # One file that cannot be read is a fault of the store; a full disk, or a folder that does not
            # answer, may pass.
            passing = error.errno in _FULL or not os.access(self.folder, os.R_OK | os.X_OK)
            raise (StoreUnreachable if passing else StoreError)(
                f"The store {self.folder} cannot be used ({error.strerror or error}). Free space, correct "
                "its permissions, or set VERIFAIBLE_STORE to another folder."
            ) from error


def _mode(name: str) -> int:
    """Who may read a file: whoever the person's umask lets, but private keys only their owner."""
    return 0o600 if name.endswith(".pem") else 0o666 & ~_umask()


@cache
def _umask() -> int:
    # There is no way to read it without setting it; the stricter mask is for what comes in between.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


class RemoteFiles:
    """Files in a place that fsspec knows, such as an S3 bucket; one object a file.

    Credentials and end point come from where the protocol's own tools take them (for S3 the
    ``AWS_*`` variables and ``~/.aws``).
    """

    def __init__(self, url: str) -> None:
        protocol = url.partition("://")[0]
        try:
            import fsspec

            self._fs: Any
            # Others write there, too: a listing that was kept would hide what they did.
            self._fs, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise ConfigError(
                f"{url}: {protocol}:// cannot be opened here ({error}). For S3 install verifaible with its "
                'extra: pip install "verifaible[s3]".'
            ) from error
        self._root = str(root).rstrip("/")
        self._url = url

    @property
    def location(self) -> str:
        """The URL."""
        return self._url

    def read(self, name: str) -> bytes:
        """See :class:`Files`."""
        with self._told(FileNotFoundError):
            # In one piece, that is one request: s3fs else asks for the size first.
            return bytes(self._fs.cat_file(self._path(name), max_concurrency=1))

    def exists(self, name: str) -> bool:
        """See :class:`Files`."""
        with self._told():
            try:
                return bool(self._fs.info(self._path(name))["type"] == "file")
            except FileNotFoundError:
                return False

    def names(self, folder: str) -> list[str]:
        """See :class:`Files`."""
        path = self._path(folder)
        with self._told():
            try:
                listed = self._fs.ls(path, detail=True)
            except FileNotFoundError:
                return []
            return sorted(
                name
                for each in listed
                if each["type"] != "directory"
                and "/" not in (name := each["name"].rstrip("/").removeprefix(f"{path}/"))
            )

    def below(self, folder: str) -> list[str]:
        """See :class:`Files`; for S3 a request for each thousand."""
        with self._told():
            return sorted(
                str(each).removeprefix(f"{self._root}/") for each in self._fs.find(self._path(folder))
            )

    @property
    def at_once(self) -> int:
        """See :class:`Files`."""
        return _AT_ONCE

    def create(self, name: str, data: bytes) -> bool:
        """See :class:`Files`; for S3 a conditional PUT (``If-None-Match: *``)."""
        with self._told():
            for tries in range(1, _TRIES + 1):
                try:
                    self._fs.pipe_file(self._path(name), data, mode="create")
                except FileExistsError:
                    return False
                except OSError as error:
                    # S3 may refuse two writers that meet both; one that asks again learns who was first.
                    if tries == _TRIES or _CONFLICT not in str(error.__cause__):
                        raise
                    time.sleep(random.uniform(0, _LONGEST_WAIT_S * 2 ** (tries - _TRIES)))  # noqa: S311
                else:
                    break
        return True

    def replace(self, name: str, data: bytes) -> None:
        """See :class:`Files`."""
        with self._told():
            self._fs.pipe_file(self._path(name), data)

    def adopt(self, name: str, path: Path) -> None:
        """See :class:`Files`."""
        with self._told():
            self._fs.put_file(str(path), self._path(name))
        path.unlink()

    def delete(self, name: str) -> None:
        """See :class:`Files`."""
        with self._told(), suppress(FileNotFoundError):
            self._fs.rm_file(self._path(name))

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """See :class:`Files`; a copy that is deleted afterwards."""
        with tempfile.TemporaryDirectory(prefix="verifaible-") as folder:
            path = Path(folder) / name.rpartition("/")[2]
            with self._told(FileNotFoundError):
                self._fs.get_file(self._path(name), str(path))
            yield path

    def scratch(self) -> Path:
        """See :class:`Files`."""
        return Path(tempfile.mkdtemp(prefix="verifaible-"))

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}".rstrip("/")

    @contextmanager
    def _told(self, *missing: type[Exception]) -> Iterator[None]:
        try:
            yield
        except StoreError:
            raise
        except Exception as error:
            if isinstance(error, missing):
                raise
            # Each protocol's library has errors of its own; all of them mean the same here.
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise StoreUnreachable(
                f"The store {self._url} cannot be used ({reason}). Check the address, the credentials and "
                "the connection, or set VERIFAIBLE_STORE to another place."
            ) from error


def read_many(files: Files, read: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """``read`` of each item, in order; where a place answers slowly, of several side by side."""
    if files.at_once == 1:
        yield from map(read, items)
        return
    left = iter(items)
    with ThreadPoolExecutor(files.at_once) as pool:
        coming = deque(pool.submit(read, each) for each in islice(left, 2 * files.at_once))
        try:
            while coming:
                yield coming.popleft().result()
                coming.extend(pool.submit(read, each) for each in islice(left, 1))
        finally:
            for each in coming:
                each.cancel()


def open_files(location: Path | str) -> Files:
    """The files at a folder's path or at a URL."""
    if isinstance(location, str) and "://" in location:
        return RemoteFiles(location)
    return FolderFiles(Path(location))
