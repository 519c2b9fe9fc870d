"""Where a store keeps its files: a folder, or a bucket. The rest of the store knows no difference.

Names are relative, with ``/``. A file appears whole or not at all; ``create`` never replaces one. A bucket is
a place that fsspec knows, such as S3; one object a file.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from verifaible.errors import ConfigError, StoreError, StoreUnreachable
from verifaible.store.root import Root, parts_of

T = TypeVar("T")
R = TypeVar("R")

#: What S3 answers to one of two conditional requests that meet, and how often it is asked again.
_CONFLICT: Final = "ConditionalRequestConflict"
_TRIES: Final = 7
_LONGEST_WAIT_S: Final = 3.0
#: As many connections as the S3 library keeps.
_AT_ONCE: Final = 10
#: What is read ahead of whoever asks, as a multiple of that.
_BATCHES: Final = 8


class Bucket:
    """Files below a URL.

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
        """See :class:`~verifaible.store.root.Root`."""
        with self._told(FileNotFoundError):
            # In one piece, that is one request: s3fs else asks for the size first.
            return bytes(self._fs.cat_file(self._path(name), max_concurrency=1))

    def exists(self, name: str) -> bool:
        """See :class:`~verifaible.store.root.Root`."""
        with self._told():
            try:
                return bool(self._fs.info(self._path(name))["type"] == "file")
            except FileNotFoundError:
                return False

    def names(self, folder: str) -> list[str]:
        """See :class:`~verifaible.store.root.Root`."""
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

    def links(self) -> list[str]:
        """See :class:`~verifaible.store.root.Root`; a bucket has none."""
        return []

    def at_top(self) -> list[str]:
        """See :class:`~verifaible.store.root.Root`."""
        with self._told():
            try:
                listed = self._fs.ls(self._root, detail=False)
            except FileNotFoundError:
                if not self._fs.exists(self._root.partition("/")[0]):
                    raise  # a bucket that is not there is no empty store
                return []
            return sorted(str(each).rstrip("/").rpartition("/")[2] for each in listed)

    @property
    def at_once(self) -> int:
        """See :class:`~verifaible.store.root.Root`."""
        return _AT_ONCE

    def create(self, name: str, data: bytes) -> bool:
        """See :class:`~verifaible.store.root.Root`; for S3 a conditional PUT (``If-None-Match: *``)."""
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
        """See :class:`~verifaible.store.root.Root`."""
        with self._told():
            self._fs.pipe_file(self._path(name), data)

    def adopt(self, name: str, path: Path) -> None:
        """See :class:`~verifaible.store.root.Root`."""
        with self._told():
            self._fs.put_file(str(path), self._path(name))
        path.unlink()

    def delete(self, name: str) -> None:
        """See :class:`~verifaible.store.root.Root`."""
        with self._told(), suppress(FileNotFoundError):
            self._fs.rm_file(self._path(name))

    @contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """See :class:`~verifaible.store.root.Root`; a copy that is deleted afterwards."""
        with tempfile.TemporaryDirectory(prefix="verifaible-") as folder:
            path = Path(folder) / name.rpartition("/")[2]
            with self._told(FileNotFoundError):
                self._fs.get_file(self._path(name), str(path))
            yield path

    def scratch(self) -> Path:
        """See :class:`~verifaible.store.root.Root`."""
        return Path(tempfile.mkdtemp(prefix="verifaible-"))

    def _path(self, name: str) -> str:
        return "/".join((self._root, *(parts_of(name) if name else ())))

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


#: The files of one store; what each method does stands at :class:`~verifaible.store.root.Root`.
Files: TypeAlias = Root | Bucket


def open_files(location: Path | str) -> Files:
    """The files at a folder's path or at a URL."""
    if isinstance(location, str) and "://" in location:
        return Bucket(location)
    return Root(Path(location))


def read_many(files: Files, read: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """``read`` of each item, in order; where a place answers slowly, of several side by side."""
    if files.at_once == 1:
        yield from map(read, items)
        return
    left = iter(items)
    with ThreadPoolExecutor(files.at_once) as pool:
        while batch := list(islice(left, _BATCHES * files.at_once)):
            yield from pool.map(read, batch)
