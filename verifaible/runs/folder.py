"""Folders of runs: a new one, one that this process holds, and the file that says what a run is made of."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeVar, cast

from pydantic import ValidationError

from verifaible.errors import RunError
from verifaible.runs.lease import Lease
from verifaible.runs.lines import usable
from verifaible.runs.place import Address, Place, PlaceT
from verifaible.schema.base import Record

InfoT = TypeVar("InfoT", bound=Record)


def new_folder(parent: PlaceT, name: str) -> PlaceT:
    """A new folder, named by the time and ``name``.

    Raises:
        RunError: it cannot be made.
    """
    stem = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{name}"
    for attempt in range(1, 100):
        path = cast(PlaceT, parent / (stem if attempt == 1 else f"{stem}-{attempt}"))
        try:
            if not isinstance(path, Address):
                path.mkdir(parents=True)
            elif not path.files.create(f"{path.key}/.made", os.urandom(8).hex().encode()):
                continue
            return path
        except FileExistsError:
            continue
        except OSError as error:
            raise RunError(
                f"{path} cannot be made ({error.strerror}). Free space or correct its permissions."
            ) from error
    raise RunError(f"Too many runs started in one second under {parent}. Start again.")


@contextmanager
def held(folder: Place) -> Iterator[None]:
    """Keep a folder for this process: two that run into one would do everything twice.

    Raises:
        RunError: another process is writing to it.
    """
    if isinstance(folder, Address):
        with Lease(folder):
            yield
        return
    path = folder / ".lock"
    with usable(path):
        file = path.open("ab")
    with file:
        try:
            _lock(file.fileno())
        except OSError as error:
            raise RunError(
                f"Another process is writing to {folder}. Wait for it to finish, or stop it."
            ) from error
        yield


def read_info(path: Place, kind: type[InfoT], newest: int, advice: str) -> InfoT:
    """The record that says what a run is made of.

    Args:
        path: its file.
        kind: the record; it has a ``format``.
        newest: the newest format that is known here.
        advice: what to do where it cannot be used.

    Raises:
        RunError: it is not there, damaged, or of a newer version.
    """
    with usable(path):
        try:
            info = kind.model_validate_json(path.read_bytes())
        except ValidationError:
            info = None
    if info is None or getattr(info, "format", 1) > newest:
        raise RunError(f"{path} is damaged or of a newer version. {advice}")
    return info


def _lock(file: int) -> None:
    """Lock a file until it is closed, which the end of a process does, however it comes."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
