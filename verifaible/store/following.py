"""Keeps an index at the end of its custody log: what is missing is read, what is damaged made again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from verifaible.errors import IntegrityError, NewerFormat, OlderFormat
from verifaible.schema.check import Check
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.database import Database, IndexDamaged
from verifaible.store.entries import CustodyEntry, sha256_of
from verifaible.store.files import Files, read_many
from verifaible.store.index import Added, Index
from verifaible.store.lines import Lines
from verifaible.store.log import LOG, Custody
from verifaible.store.root import Root

_BATCH = 500


class FollowedIndex:
    """The index of one store, which follows its custody log.

    Args:
        files: where the store's citations are.
        lines: where its checks are.
        custody: its log.
        database: the one that somebody named, which is theirs to mend; None: a file of our own, which is
            ours to delete.
        identity: of the store.
    """

    def __init__(
        self, files: Files, lines: Lines, custody: Custody, database: Database | None, identity: str
    ) -> None:
        self._files, self._lines, self._custody = files, lines, custody
        self._database, self._identity = database, identity
        self._elsewhere: tempfile.TemporaryDirectory[str] | None = None

    def _own_file(self) -> Path:
        assert isinstance(self._files, Root)  # a store elsewhere has a database
        if os.access(self._files.folder, os.W_OK):
            return self._files.path("index.sqlite", beside=("-shm", "-wal", "-journal"))
        # A store that may only be read is listed and verified all the same.
        if self._elsewhere is None:
            self._elsewhere = tempfile.TemporaryDirectory(prefix="verifaible-index-")
        return Path(self._elsewhere.name) / "index.sqlite"

    @cached_property
    def index(self) -> Index:
        """The index as it is; :meth:`follow` brings it to the end of the log."""
        if self._database is not None:
            return Index(self._database)
        return Index(Database(f"sqlite:///{self._own_file()}", self._identity, own=True))

    def close(self) -> None:
        """Give back the index's connections, if it was opened, and a file that is of no use to others."""
        if "index" in self.__dict__:
            self.index.database.close()
        if self._elsewhere is not None:
            self._elsewhere.cleanup()

    def follow(self) -> None:
        """Bring the index up to the end of the log.

        Raises:
            StoreError: a file could not be read now; the index ends before its entry.
        """
        try:
            done = self.index.indexed()
        except IndexDamaged:
            self._drop()
            done = 0
        # Looked up after the index: one that others bring further meanwhile must not seem to be ahead of it.
        last = self._custody.count()
        if done > last or (0 < done < last and not self._continues(done)):
            # The files were put back to another state: they are the truth.
            self.index.clear()
            done = 0
        while done < last:
            self._read_on(done)
            done = self.index.indexed()  # less than was read, where another process emptied it

    def _continues(self, done: int) -> bool:
        """Whether the log still has the line that the index ends with."""
        (line,) = self._lines.read(LOG, done - 1, at_most=1)
        return sha256_of(line) == self.index.indexed_sha256()

    def make_again(self) -> None:
        """Make the index from the files anew; errors are those of :meth:`follow`."""
        try:
            self.index.clear()
        except IndexDamaged:
            self._drop()
        self.follow()

    def take_in(self, entry: CustodyEntry, citations: Sequence[Citation], checks: Sequence[Check]) -> None:
        """Enter what the last line of the log added, if the index ends just before it."""
        line = self._custody.count()
        if self.index.indexed() == line - 1:
            added = Added(
                line=line,
                sha256=sha256_of(entry.to_bytes()),
                entry=entry,
                citations=tuple(citations),
                checks=tuple(checks),
            )
            self.index.take_in([added])

    def _drop(self) -> None:
        self.index.database.close()
        if self._database is not None:
            self.index.indexed()  # says what is wrong
        else:
            self._own_file().unlink(missing_ok=True)
        del self.index

    def _read_on(self, done: int) -> None:
        entries = enumerate(self._lines.read(LOG, done), done + 1)
        added = read_many(self._files, self._added, entries)
        while batch := list(islice(added, _BATCH)):
            self.index.take_in(batch)

    def _added(self, numbered: tuple[int, bytes]) -> Added:
        """What a line added; a file that is gone or damaged is left out here and told by checks.

        A failure that may pass, such as that of a connection, is not caught: an index that went
        on without the file would never read it.
        """
        number, line = numbered
        try:
            entry = self._custody.checked(number, line)
        except IntegrityError:  # what it named is not listed; an audit says so
            return Added(line=number, sha256=sha256_of(line))
        citations: list[Citation] = []
        checks: list[Check] = []
        for each in entry.items:
            try:
                if each.kind == "citation":
                    citations.append(annotation.from_bytes(self._files.read(each.name), each.stem))
                elif each.kind == "check":
                    name = each.name.removesuffix(".jsonl")
                    lines = {sha256_of(line): line for line in self._lines.read(name)}
                    checks.append(Check.model_validate_json(lines[each.sha256]))
            except (FileNotFoundError, KeyError, IntegrityError, NewerFormat, OlderFormat, ValidationError):
                continue
        return Added(
            line=number,
            sha256=sha256_of(line),
            entry=entry,
            citations=tuple(citations),
            checks=tuple(checks),
        )
