"""Lines that are only ever appended: the custody log, and the checks of each citation.

They are in files or in PostgreSQL. A line has no line break in it and gets the next number, from 1. Whoever
appends holds :meth:`Lines.locked`, so two writers never take each other's place.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import Final, TypeAlias

import sqlalchemy as sa

from verifaible.errors import StoreError
from verifaible.store.database import LINES, Database
from verifaible.store.root import Root

#: The file, or the row of the database, with the signed statement of the log's end.
HEAD: Final = "custody-head.json"


class FileLines:
    """Lines in files of a folder, one ``.jsonl`` for each name."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._mine = threading.RLock()
        self._depth = 0
        self._starts: dict[str, list[int]] = {}
        self._before: dict[str, int] = {}  # how long each file was before this turn added to it

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the store's one lock; the same thread may take it again inside.

        What was appended is taken back if it fails before the head was set.
        """
        with self._mine:
            self._depth += 1
            try:
                if self._depth > 1:
                    yield
                else:
                    self._before.clear()
                    with self._root.locked():
                        try:
                            yield
                        except BaseException:
                            self._undo()
                            raise
            finally:
                self._depth -= 1

    def _undo(self) -> None:
        """Take back the lines of a turn that failed before its head was written."""
        for name, size in self._before.items():
            with suppress(StoreError, FileNotFoundError):
                self._root.truncate(_file(name), size)
                self._starts.pop(name, None)

    def read(self, name: str, after: int = 0, *, at_most: int | None = None) -> list[bytes]:
        """The lines behind this number, in order."""
        starts = self._starts_of(name)
        if after >= len(starts) - 1:
            return []
        return self._root.read_from(_file(name), starts[after]).split(b"\n")[:-1][:at_most]

    def _starts_of(self, name: str) -> list[int]:
        """Where each line of a file starts, and where the next will; what was read is not read again."""
        starts = self._starts.get(name, [0])
        end = starts[-1]
        added = self._root.read_from(_file(name), max(0, end - 1))
        if end and not added.startswith(b"\n"):  # somebody has cut it off, or exchanged it
            starts, end, added = [0], 0, self._root.read_from(_file(name), 0)
        elif end:
            added = added[1:]
        starts = [*starts, *(end + each.end() for each in re.finditer(b"\n", added))]
        self._starts[name] = starts
        return starts

    def last(self, name: str) -> tuple[int, bytes]:
        """The number and bytes of the last line; 0 and none where there is no line."""
        number = len(self._starts_of(name)) - 1
        return (number, self.read(name, number - 1)[0]) if number else (0, b"")

    def append(self, name: str, line: bytes) -> int:
        """Add a line and give its number."""
        starts = self._starts_of(name)
        self._before.setdefault(name, starts[-1])
        self._root.append(_file(name), line + b"\n")
        return len(starts)

    def unfinished(self, name: str) -> bytes:
        """What stands behind the last line: a writer was killed before its line was whole."""
        return self._root.read_from(_file(name), self._starts_of(name)[-1])

    def end(self, name: str, *, keep: bool) -> None:
        """Have nothing unfinished behind the last line.

        It is removed; or, with ``keep``, made a line: it was whole once, and its damage must stay seen.
        """
        if not self.unfinished(name):
            return
        if keep:
            self._root.append(_file(name), b"\n")
        else:
            self._root.truncate(_file(name), self._starts_of(name)[-1])

    def delete(self, name: str) -> None:
        """Remove all lines of that name."""
        self._root.delete(_file(name))
        self._starts.pop(name, None)

    def all(self, folder: str) -> Iterator[tuple[str, list[bytes]]]:
        """Every name in a folder that has lines, with them."""
        for each in self._root.names(folder):
            if each.endswith(".jsonl"):
                name = f"{folder}/{each.removesuffix('.jsonl')}"
                yield name, self.read(name)

    def head(self) -> bytes | None:
        """The statement of the log's end."""
        with suppress(FileNotFoundError):
            return self._root.read(HEAD)
        return None

    def set_head(self, data: bytes) -> None:
        """Put a new statement in the place of the old."""
        self._root.replace(HEAD, data)
        self._before.clear()


class TableLines:
    """Lines in a table of PostgreSQL; the lock is a transaction: an addition is in it whole or not at all."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def locked(self) -> Iterator[None]:
        """See :class:`FileLines`."""
        with self._database.begin(write=True):
            yield

    def read(self, name: str, after: int = 0, *, at_most: int | None = None) -> list[bytes]:
        """See :class:`FileLines`."""
        found = sa.select(LINES.c.line).where(LINES.c.name == name, LINES.c.number > after)
        with self._database.begin() as connection:
            lines = connection.execute(found.order_by(LINES.c.number).limit(at_most)).scalars()
            return [bytes(line) for line in lines]

    def last(self, name: str) -> tuple[int, bytes]:
        """See :class:`FileLines`."""
        wanted = sa.select(LINES.c.number, LINES.c.line).where(LINES.c.name == name, LINES.c.number > 0)
        with self._database.begin() as connection:
            found = connection.execute(wanted.order_by(LINES.c.number.desc()).limit(1)).one_or_none()
        return (int(found[0]), bytes(found[1])) if found else (0, b"")

    def append(self, name: str, line: bytes) -> int:
        """See :class:`FileLines`."""
        with self._database.begin(write=True) as connection:
            number = self.last(name)[0] + 1
            connection.execute(LINES.insert().values(name=name, number=number, line=line))
        return number

    def unfinished(self, name: str) -> bytes:
        """See :class:`FileLines`; a transaction leaves nothing half."""
        return b""

    def end(self, name: str, *, keep: bool) -> None:
        """See :class:`FileLines`."""

    def delete(self, name: str) -> None:
        """See :class:`FileLines`."""
        with self._database.begin(write=True) as connection:
            connection.execute(LINES.delete().where(LINES.c.name == name))

    def all(self, folder: str) -> Iterator[tuple[str, list[bytes]]]:
        """See :class:`FileLines`."""
        wanted = sa.select(LINES.c.name, LINES.c.line).where(LINES.c.name.startswith(f"{folder}/"))
        with self._database.begin() as connection:
            found = connection.execute(wanted.order_by(LINES.c.name, LINES.c.number))
            for name, lines in groupby(found, key=lambda row: str(row[0])):
                yield name, [bytes(line) for _, line in lines]

    def head(self) -> bytes | None:
        """See :class:`FileLines`."""
        with self._database.begin() as connection:
            found = connection.execute(sa.select(LINES.c.line).where(LINES.c.name == HEAD)).scalar()
        return None if found is None else bytes(found)

    def set_head(self, data: bytes) -> None:
        """See :class:`FileLines`."""
        put = self._database.insert(LINES).values(name=HEAD, number=0, line=data)
        with self._database.begin(write=True) as connection:
            connection.execute(
                put.on_conflict_do_update(index_elements=["name", "number"], set_={"line": data})
            )


#: The lines of one store, by the name of what they belong to: ``custody``, ``checks/<citation>``.
Lines: TypeAlias = FileLines | TableLines


def _file(name: str) -> str:
    return f"{name}.jsonl"
