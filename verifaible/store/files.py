"""Where a store keeps its files: a folder, or a bucket. The rest of the store knows no difference.

Names are relative, with ``/``. A file appears whole or not at all; ``create`` never replaces one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from verifaible.store.objects import Bucket
from verifaible.store.root import Root

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

    @property
    def at_once(self) -> int:
        """How many files are read side by side, where many are: more, the longer each is waited for."""

    def links(self) -> list[str]:
        """The names of what is a link to elsewhere."""

    def at_top(self) -> list[str]:
        """The names of everything directly in the store."""

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
        return Bucket(location)
    return Root(Path(location))
