"""A small disk of its own: a tmpfs in a mount namespace that only the processes on it see."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.kit.cli import PROCESS_S, Done
from tests.kit.services import Unavailable

#: In the namespace: a disk with what the folder holds and so many KiB beside it, in the folder's place until standard
#: input ends. Nothing is unmounted: the namespace ends with its last process.
_MOUNT = """
set -e
disk=$1-disk
mkdir "$disk"
mount -t tmpfs -o size=1g,mode=755 verifaible-tests "$disk"
cp -a "$1/." "$disk"
used=$(df -k --output=used "$disk" | tail -n 1)
mount -o remount,size=$((used + $2))k "$disk"
mount --bind "$disk" "$1"
echo ready
cat
"""


@cache
def _reason() -> str:
    """Why there can be no such disk; empty if there can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root on Linux can mount a disk"
    missing = [name for name in ("unshare", "nsenter", "mount", "df") if shutil.which(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt"],
        capture_output=True,
        text=True,
        check=False,
    )
    return f"no disk can be mounted here: {tried.stderr.strip()}" if tried.returncode else ""


class SmallDisk:
    """The folder on a disk with so many free KiB; at the end what is on it is put back."""

    def __init__(self, folder: Path, free_kb: int) -> None:
        if reason := _reason():
            raise Unavailable(reason)
        self._folder = folder
        self._holder = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", _MOUNT, "sh", str(folder), str(free_kb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._holder.stdout and self._holder.stderr
        if self._holder.stdout.readline() != "ready\n":
            _, said = self._holder.communicate()
            shutil.rmtree(f"{folder}-disk", ignore_errors=True)
            raise Unavailable(f"no disk can be mounted here: {said.strip()}")

    def run(self, command: Sequence[str], *, env: Mapping[str, str]) -> Done:
        """Run a program there."""
        done = subprocess.run(
            [
                *("nsenter", f"--mount=/proc/{self._holder.pid}/ns/mnt"),
                *("sh", "-c", 'cd "$0" && exec "$@"', str(self._folder), *command),
            ],
            env={**env, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROCESS_S,
            check=False,
        )
        return Done(
            done.returncode,
            done.stdout.decode("utf-8", "backslashreplace"),
            done.stderr.decode("utf-8", "backslashreplace"),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        there = Path(f"/proc/{self._holder.pid}/root") / self._folder.relative_to("/")
        copy = Path(f"{self._folder}-after")
        try:
            # Removing the folder would take the disk away from those on it.
            shutil.copytree(there, copy, symlinks=True)
        finally:
            self._holder.communicate()  # closes its standard input, which ends it
            Path(f"{self._folder}-disk").rmdir()
        shutil.rmtree(self._folder)
        copy.rename(self._folder)
