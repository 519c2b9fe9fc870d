"""A process that is killed at a point of its work on a store, without a process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final
from unittest.mock import patch

from verifaible.store import root
from verifaible.store.index import Index

#: What changes a disk: a kill comes before one of these, or in the middle of a write.
_CHANGES: Final = frozenset({"link", "rename", "unlink", "mkdir", "rmdir", "write", "ftruncate", "fsync"})


class Killed(BaseException):
    """In the place of a process's end."""


class _MortalOs:
    """The module ``os`` of a process that is killed at a change; from then on it changes nothing more."""

    def __init__(self, changes: int) -> None:
        self._left = changes

    def __getattr__(self, name: str) -> Any:
        found = getattr(os, name)
        return partial(self.change, found) if name in _CHANGES else found

    def change(self, made: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Make a change, or be killed."""
        if self._left <= 0:
            if self._left == 0 and made is os.write:
                made(given[0], bytes(given[1])[: len(given[1]) // 2])
            self._left = -1
            raise Killed
        self._left -= 1
        # What was written stays written, whatever becomes of a process: only a disk that stops needs flushing.
        return None if made is os.fsync else made(*given, **named)


@contextmanager
def killed_after(changes: int | None) -> Iterator[None]:
    """Raise :class:`Killed` after so many changes of files or of the index, if as many are made; None: never."""
    changes = sys.maxsize if changes is None else changes
    mortal, take_in = _MortalOs(changes), Index.take_in

    def taken_in(index: Index, *given: Any) -> None:
        mortal.change(take_in, index, *given)

    with patch.object(root, "os", mortal), patch.object(Index, "take_in", taken_in):
        yield
