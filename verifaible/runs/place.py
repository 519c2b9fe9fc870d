"""Where runs are kept: a folder, or any address that fsspec knows (``s3://bucket/runs``).

An :class:`Address` has those parts of :class:`pathlib.Path` that runs use, so what reads a run need not know
which of the two it has. What appends or locks asks, since a bucket can do neither
(:mod:`~verifaible.runs.parts`, :mod:`~verifaible.runs.lease`).
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, total_ordering
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import ClassVar, TypeAlias, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from verifaible.config import Settings
from verifaible.errors import RunError, StoreError
from verifaible.evidence.store.files import Entry, FolderFiles, RemoteFiles

T = TypeVar("T")


class PatientFiles:
    """The files at an address, which is waited for where it has answered before and is away for a while.

    An address that never answered is not waited for: it is a wrong one more often than one that is away.

    Args:
        url: the address.

    Attributes:
        lost: what was lost to another process, as folders in ``url``: nothing is written there any more, and
            why.
    """

    #: How long it is waited for, and the longest pause between two tries.
    WAIT_S: ClassVar[float] = 60.0
    PAUSE_S: ClassVar[float] = 5.0

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self.lost: dict[str, str] = {}
        self._files = RemoteFiles(self.url)
        self._answered = False

    def read(self, name: str) -> bytes:
        """The bytes of a file; FileNotFoundError where there is none."""
        return self._ask(partial(self._files.read, name))

    def read_all(self, names: Sequence[str]) -> list[bytes | None]:
        """The bytes of several files; None for one that is not there."""
        return self._ask(partial(self._files.read_all, names))

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return self._ask(partial(self._files.exists, name))

    def entries(self, folder: str) -> list[Entry]:
        """What is directly in a folder, by name; empty if there is no folder."""
        return self._ask(partial(self._files.entries, folder))

    def names(self, folder: str) -> list[str]:
        """The names of the files directly in a folder, sorted; empty if there is no folder."""
        return self._ask(partial(self._files.names, folder))

    def create(self, name: str, data: bytes) -> bool:
        """Make a new file; False if there is one of other bytes."""
        self._require(name)
        if self._ask(partial(self._files.create, name, data)):
            return True
        try:
            return self.read(name) == data  # ours, where the answer to an earlier try was lost
        except FileNotFoundError:
            return False

    def replace(self, name: str, data: bytes) -> None:
        """Make a file, or put new bytes in the place of the old."""
        self._require(name)
        self._ask(partial(self._files.replace, name, data))

    def adopt(self, name: str, path: Path) -> None:
        """Take over a whole local file, which is gone afterwards."""
        self._require(name)
        self._ask(partial(self._files.adopt, name, path))

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        self._require(name)
        self._ask(partial(self._files.delete, name))

    def delete_all(self, names: Sequence[str]) -> None:
        """Delete files that are there."""
        for name in names:
            self._require(name)
        self._ask(partial(self._files.delete_all, names))

    def _require(self, name: str) -> None:
        for folder, why in self.lost.copy().items():  # another thread adds to it
            if name.startswith(folder):
                raise RunError(why)

    def _ask(self, what: Callable[[], T]) -> T:
        until, pause = monotonic() + self.WAIT_S, 0.25
        while True:
            try:
                found = what()
            except FileNotFoundError as error:
                self._answered = True
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from error
            except StoreError as error:
                cause = error.__cause__ or error
                if not self._answered or isinstance(cause, PermissionError) or monotonic() + pause > until:
                    raise self._unusable(cause) from error
                sleep(pause)
                pause = min(2 * pause, self.PAUSE_S)
            else:
                self._answered = True
                return found

    def _unusable(self, cause: BaseException) -> RunError:
        reason = str(cause).strip().partition("\n")[0] or type(cause).__name__
        if not self._answered or isinstance(cause, PermissionError):
            return RunError(
                f"{self.url} cannot be used ({reason}). Check the address, the credentials and the "
                "connection; what was finished there is kept."
            )
        return RunError(
            f"{self.url} was away for {self.WAIT_S:.0f} s ({reason}). What was finished is kept there: when "
            "it answers again, go on with --resume."
        )


@total_ordering
class Address:
    """A file or folder at an address; folders are there when something is in them.

    Args:
        files: of the whole place.
        key: relative to it, with ``/``; empty for the place itself.
    """

    def __init__(self, files: PatientFiles, key: str = "") -> None:
        self.files = files
        self.key = key

    def __truediv__(self, name: str) -> Address:
        return Address(self.files, f"{self.key}/{name}".strip("/"))

    def __str__(self) -> str:
        return f"{self.files.url}/{self.key}".rstrip("/")

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and str(self) == str(other)

    def __lt__(self, other: Address) -> bool:
        return str(self) < str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def name(self) -> str:
        """The last part."""
        return str(self).rpartition("/")[2]

    @property
    def parent(self) -> Address:
        """The folder that it is in; of the whole place, that itself."""
        return Address(self.files, self.key.rpartition("/")[0])

    def with_name(self, name: str) -> Address:
        """Another beside it."""
        return self.parent / name

    def exists(self) -> bool:
        """Whether it is a file, or a folder with something in it."""
        return self.is_file() or self.is_dir()

    def is_file(self) -> bool:
        """Whether it is a file."""
        return bool(self.key) and self.files.exists(self.key)

    def is_dir(self) -> bool:
        """Whether it is a folder with something in it."""
        return bool(self.files.entries(self.key))

    def is_symlink(self) -> bool:
        """No: there are none."""
        return False

    def iterdir(self) -> Iterator[Address]:
        """What is directly in it, by name."""
        return (self / entry.name for entry in self.files.entries(self.key))

    def read_bytes(self) -> bytes:
        """The bytes of the file; FileNotFoundError where there is none."""
        return self.files.read(self.key)

    def unlink(self, *, missing_ok: bool = False) -> None:
        """Delete the file; FileNotFoundError where there is none, unless that is as good."""
        if not missing_ok and not self.is_file():
            raise FileNotFoundError(str(self))
        self.files.delete(self.key)

    def mkdir(self, *, parents: bool = False, exist_ok: bool = False) -> None:
        """Nothing: a folder is there as soon as something is in it."""


#: A folder of runs, or what is in one.
Place: TypeAlias = Path | Address
PlaceT = TypeVar("PlaceT", bound=Path | Address)


def runs_of(settings: Settings) -> Place:
    """Where the settings say that runs are.

    Raises:
        ConfigError: nothing here can open the address.
    """
    return place_at(settings.runs) if "://" in settings.runs else settings.runs_dir


def place_at(location: str) -> Place:
    """The place at a path or an address.

    Raises:
        ConfigError: nothing here can open the address.
    """
    if location.startswith("file://"):
        return Path(url2pathname(urlsplit(location).path))
    return Address(PatientFiles(location)) if "://" in location else Path(location)


async def off_loop(place: Place, what: Callable[[], T]) -> T:
    """Do something at a place; while an address answers, the event loop goes on.

    At either it is done even where the caller is cancelled meanwhile, though it may have waited for a thread.
    """
    if not isinstance(place, Address):
        return what()
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, what))


async def to_its_end(what: Callable[[], T]) -> T:
    """Do something in a thread; who is cancelled meanwhile goes on when it is done, though it had to wait."""
    doing = asyncio.get_running_loop().run_in_executor(None, what)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait({doing})
        raise


def files_of(folder: Place) -> tuple[FolderFiles | PatientFiles, str]:
    """The files that a folder is among, and what its names begin with there."""
    if isinstance(folder, Address):
        return folder.files, f"{folder.key}/".lstrip("/")
    return FolderFiles(folder), ""


@contextmanager
def kept_at(folder: Place) -> Iterator[Path]:
    """A folder on this machine whose files are moved to where they belong when the context ends well."""
    if not isinstance(folder, Address):
        yield folder
        return
    with TemporaryDirectory(prefix="verifaible-") as temporary:
        yield Path(temporary)
        for path in Path(temporary).iterdir():
            folder.files.adopt((folder / path.name).key, path)


def local_copies(places: Sequence[Place], folder: Path) -> tuple[Path, ...]:
    """Files as paths on this machine: those at an address are copied into a folder."""
    found = []
    for place in places:
        if isinstance(place, Address):
            path = folder / place.parent.name / place.name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(place.read_bytes())
        else:
            path = place
        found.append(path)
    return tuple(found)
