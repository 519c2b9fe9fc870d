"""Folders of runs: a new one, one that this process holds, and the file that says what a run is made of."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from verifaible.errors import RunError
from verifaible.runs.lines import usable
from verifaible.schema.base import Record

InfoT = TypeVar("InfoT", bound=Record)


def new_folder(parent: Path, name: str) -> Path:
    """A new folder, named by the time and ``name``.

    Raises:
        RunError: it cannot be made.
    """
    stem = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{name}"
    for attempt in range(1, 100):
        path = parent / (stem if attempt == 1 else f"{stem}-{attempt}")
        try:
            path.mkdir(parents=True)
            return path
        except FileExistsError:
            continue
        except OSError as error:
            raise RunError(
                f"{path} cannot be made ({error.strerror}). Free space or correct its permissions."
            ) from error
    raise RunError(f"Too many runs started in one second under {parent}. Start again.")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep a folder for this process: two that run into one would do everything twice.

    Raises:
        RunError: another process is writing to it.
    """
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


def read_info(path: Path, kind: type[InfoT], form: int, advice: str) -> InfoT:
    """The record that says what a run is made of.

    Args:
        path: its file.
        kind: the record; it has a ``format``.
        form: the one format that is read here: an older run would be read as a damaged one.
        advice: what to do where it cannot be used.

    Raises:
        RunError: it is not there, damaged, or made by another version.
    """
    with usable(path):
        try:
            info = kind.model_validate_json(path.read_bytes())
        except ValidationError:
            info = None
    if info is None or getattr(info, "format", 1) != form:
        raise RunError(f"{path} is damaged, or was made by another version of verifaible. {advice}")
    return info


def _lock(file: int) -> None:
    """Lock a file until it is closed, which the end of a process does, however it comes."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
