"""What was read from files, kept until the files change; and which folders there are."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from threading import Lock
from typing import Generic, TypeAlias, TypeVar

from verifaible.errors import RunError

T = TypeVar("T")
#: What tells that a file changed; None where there is none.
Stamp: TypeAlias = tuple[int, int, int] | None


class Cache(Generic[T]):
    """The values that were used last, each until its stamp changes; safe to use from several threads.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, tuple[object, T]] = OrderedDict()
        self._lock = Lock()

    def get(self, name: Hashable, stamp: object, make: Callable[[], T]) -> T:
        """The value of that name, made anew where its stamp is another."""
        with self._lock:
            found = self._values.get(name)
            if found is not None and found[0] == stamp:
                self._values.move_to_end(name)
                return found[1]
        value = make()
        with self._lock:
            self._values[name] = stamp, value
            self._values.move_to_end(name)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value


def stamps(files: Iterable[Path]) -> tuple[Stamp, ...]:
    """The stamps of files."""
    return tuple(map(_stamp, files))


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def folder_names(folder: Path, holding: str = "") -> list[str]:
    """The names of the folders in one, the last first; with ``holding`` of those that hold such a file.

    Raises:
        RunError: it cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            names = [
                each.name
                for each in entries
                if not each.name.startswith(".")
                and each.is_dir(follow_symlinks=False)
                and (not holding or (folder / each.name / holding).is_file())
            ]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RunError(f"{folder} cannot be read ({error.strerror}). Correct its permissions.") from error
    return sorted(names, reverse=True)
