"""The lines of a store's log in a folder, read and written past the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

LOG = "custody.jsonl"


def lines_of(folder: Path, name: str = LOG) -> list[bytes]:
    """The whole lines of a file, without their ends."""
    return (folder / name).read_bytes().split(b"\n")[:-1]


def write_lines(folder: Path, lines: Sequence[bytes], name: str = LOG) -> None:
    """Put other lines in the place of a file's."""
    (folder / name).write_bytes(b"".join(line + b"\n" for line in lines))


def replace_line(folder: Path, number: int, line: bytes | None, name: str = LOG) -> None:
    """Put another line in the place of one, from 1; None takes it away."""
    lines = lines_of(folder, name)
    lines[number - 1 : number] = [] if line is None else [line]
    write_lines(folder, lines, name)
