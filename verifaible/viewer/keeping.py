"""What the viewer has read from files, kept until the files change."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from threading import Lock
from typing import Generic, TypeAlias, TypeVar
from urllib.parse import quote

from verifaible.errors import RunError

T = TypeVar("T")
#: What tells that a file changed; None where there is none.
Stamp: TypeAlias = tuple[int, int, int] | None


class Kept(Generic[T]):
    """The last values that were read, each until its files change; safe to use from several threads.

    Args:
        most: how much is kept, in what ``size`` gives; a value of more than a quarter of it is not.
        size: of a value; without it each counts 1.
    """

    def __init__(self, most: int, size: Callable[[T], int] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._held = 0
        self._values: OrderedDict[Hashable, tuple[object, T]] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, name: Hashable, stamp: object, make: Callable[[], T]) -> T:
        """The value of that name, made anew where its stamp is another; many who ask wait for one."""
        with self._lock:
            making = self._making.setdefault(name, Lock())
        with making:
            with self._lock:
                found = self._values.get(name)
                if found is not None and found[0] == stamp:
                    self._values.move_to_end(name)
                    return found[1]
            try:
                value = make()
            except BaseException:
                with self._lock:
                    self._making.pop(name, None)  # whoever asks for what is not there leaves nothing behind
                raise
            with self._lock:
                if before := self._values.pop(name, None):
                    self._held -= self._size(before[1])
                if self._size(value) > self._most // 4:  # it would drive out what is asked for more often
                    self._making.pop(name, None)
                    return value
                self._held += self._size(value)
                self._values[name] = stamp, value
                while self._held > self._most:
                    old, (_, dropped) = self._values.popitem(last=False)
                    self._held -= self._size(dropped)
                    self._making.pop(old, None)
            return value


def stamps_of(folder: Path, names: Sequence[str]) -> tuple[Stamp, ...]:
    """The stamps of files in a folder."""
    return tuple(stamp_of(folder / name) for name in names)


def stamp_of(file: Path) -> Stamp:
    """The stamp of a file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def shown_and_address(name: str, under: str) -> tuple[str, str]:
    """A folder's name as text, and the address of its page; empty for a name that is no text."""
    shown = os.fsencode(name).decode(errors="replace")
    try:
        return shown, f"{under}/{quote(name, safe='')}"
    except UnicodeEncodeError:
        return shown, ""


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
