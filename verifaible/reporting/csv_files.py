"""CSV files: cells that a spreadsheet does not run, and a file that is whole or not there."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

Value: TypeAlias = str | int | float | bool | None
#: A spreadsheet would run text that begins so; it is written with an apostrophe before it.
_RUN: Final = re.compile(r"'*[=+\-@\t\r]")


def escaped(text: str) -> str:
    """Text as a cell has it: nothing that a spreadsheet would run."""
    return f"'{text}" if _RUN.match(text) else text


def unescaped(text: str) -> str:
    """What :func:`escaped` was given."""
    return text[1:] if text.startswith("'") and _RUN.match(text) else text


class Sheet:
    """A CSV file that is written row by row; it is there, whole, when :meth:`save` returns.

    Args:
        path: the file.
        columns: its heading.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.path = path
        self._temporary = path.with_name(f".{path.name}.new")
        self._file = self._temporary.open("w", encoding="utf-8", errors="replace", newline="")
        self._writer = csv.writer(self._file)
        self.add(columns)

    def add(self, values: Iterable[Value]) -> None:
        """Append a row."""
        self._writer.writerow(escaped(each) if isinstance(each, str) else each for each in values)

    def save(self) -> Path:
        """Put the file in its place.

        Raises:
            OSError: it cannot be written.
        """
        self._file.close()
        self._temporary.replace(self.path)
        return self.path
