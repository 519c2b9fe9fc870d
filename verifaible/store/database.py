"""The database of an index: its tables, their forms, and transactions, on SQLite or PostgreSQL."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import local
from typing import Any, Final
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DisconnectionError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from verifaible.errors import ConfigError, NewerFormat, StoreError, StoreUnreachable
from verifaible.store.root import LONGEST_WAIT_S, Root

#: Bytes that a disk must have free for SQLite's own files.
_ROOM = 64 * 1024
#: What a database that is away makes of a call; anything else is a fault of the index, or of ours.
_AWAY = (OperationalError, InterfaceError, DisconnectionError, PoolTimeout)
_BUSY_S = 30

_metadata = sa.MetaData()
STATE = sa.Table(
    "verifaible_state",
    _metadata,
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("value", sa.String(64), nullable=False),
)
#: What is asked for has columns of its own; ``listed`` is the JSON of the citation's ``IndexRow``.
CITATIONS = sa.Table(
    "verifaible_citations",
    _metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("entry", sa.Integer, nullable=False),
    sa.Column("created_at", sa.String(40), nullable=False),
    sa.Column("evidence_type", sa.String(16), nullable=False),
    sa.Column("state_sha256", sa.String(64), nullable=False),
    sa.Column("verdict", sa.String(16), nullable=False),
    sa.Column("capture_verdict", sa.String(16), nullable=False),
    sa.Column("live_verdict", sa.String(16), nullable=False),
    sa.Column("searched", sa.Text, nullable=False),
    sa.Column("grams", sa.ARRAY(sa.Integer).with_variant(sa.Text, "sqlite")),
    sa.Column("listed", sa.Text, nullable=False),
    sa.Index("verifaible_citations_by_state", "state_sha256"),
    *(
        sa.Index(f"verifaible_citations_by_{'_'.join(before) or 'time'}", *before, "created_at", "id")
        for before in ((), ("evidence_type",), ("verdict",), ("capture_verdict",), ("live_verdict",))
    ),
)

#: The checks that the custody log names: the SHA-256 of each one's line.
CHECKS = sa.Table(
    "verifaible_checks",
    _metadata,
    sa.Column("citation_id", sa.String(40), primary_key=True),
    sa.Column("sha256", sa.String(64), primary_key=True),
)
DELETED = sa.Table(
    "verifaible_deleted",
    _metadata,
    sa.Column("citation_id", sa.String(40), primary_key=True),
    sa.Column("entry", sa.Integer, nullable=False),
    sa.Column("at", sa.String(40), nullable=False),
)


#: What a shared store's log and checks are kept in; an index alone has none.
LINES = sa.Table(
    "verifaible_lines",
    _metadata,
    sa.Column("name", sa.String(80), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("line", sa.LargeBinary, nullable=False),
)


#: The form of the tables. LINES are kept from one to the next, those that are read from the files made again.
FORM: Final = 15
_MADE_AGAIN: Final = (CITATIONS, CHECKS, DELETED)


class IndexDamaged(StoreError):
    """The database file is damaged, or no database."""


class Database:
    """The database of one store's index: PostgreSQL, which stores may not share, or a SQLite file of its own.

    Args:
        url: of PostgreSQL, which somebody named; ``sqlite://`` for an index in memory.
        folder: of the store, whose own file ``index.sqlite`` it is then, instead of a URL.
        identity: of the store; empty where it is not known yet.

    Attributes:
        local: it is SQLite, in this process.
        insert: makes an INSERT that may say what happens on a conflict.

    Raises:
        ConfigError: the URL names no database that can be used here.
    """

    def __init__(self, url: str = "", *, folder: Root | None = None, identity: str = "") -> None:
        self.identity = identity
        self._folder = folder
        self._elsewhere: tempfile.TemporaryDirectory[str] | None = None
        self._ready = False
        self._current = local()
        try:
            own = sa.URL.create("sqlite", database=str(self._file())) if folder is not None else url
            urlsplit(str(own))  # SQLAlchemy takes what is no address for the name of a host
            parsed = sa.make_url(own)
            self.url = parsed.render_as_string(hide_password=True)
            self.local = parsed.get_backend_name() == "sqlite"
            self._engine = sa.create_engine(
                _with_driver(parsed),
                connect_args={"timeout": _BUSY_S} if self.local else {},
                pool_pre_ping=not self.local,
            )
            if self.local:
                sa.event.listen(self._engine, "connect", _on_connect)
                sa.event.listen(self._engine, "begin", _on_begin)
        except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
            raise ConfigError(
                f"VERIFAIBLE_INDEX does not name a database that can be opened here ({error}). Use "
                'postgresql://USER:PASSWORD@HOST/NAME, with pip install "verifaible[postgres]".'
            ) from error
        self.insert: Any = import_module(
            f"sqlalchemy.dialects.{'sqlite' if self.local else 'postgresql'}"
        ).insert

    def belongs_to(self, identity: str) -> None:
        """Say which store this is of, where that was not known when it was opened."""
        if not self.identity:
            self.identity, self._ready = identity, False

    def _file(self) -> Path:
        """The file of a store's own index."""
        assert self._folder is not None
        if os.access(self._folder.folder, os.W_OK):
            return self._folder.path("index.sqlite", beside=("-shm", "-wal", "-journal"))
        # A store that may only be read is listed and verified all the same.
        if self._elsewhere is None:
            self._elsewhere = tempfile.TemporaryDirectory(prefix="verifaible-index-")
        return Path(self._elsewhere.name) / "index.sqlite"

    def close(self) -> None:
        """Give back the connections, and a file that is of no use to others."""
        self._engine.dispose()
        self._ready = False
        if self._elsewhere is not None:
            self._elsewhere.cleanup()

    def discard(self) -> None:
        """Begin anew with a file of the store's own that is damaged."""
        assert self._folder is not None, "nothing else is told as damaged"
        self._engine.dispose()
        self._ready = False
        self._file().unlink(missing_ok=True)

    def state(self, connection: sa.Connection, key: str) -> str | None:
        """What is noted under a key; None for nothing."""
        found = connection.execute(sa.select(STATE.c.value).where(STATE.c.key == key)).scalar()
        return None if found is None else str(found)

    def set_state(self, connection: sa.Connection, key: str, value: str) -> None:
        """Note a value under a key, in the place of an earlier one."""
        put = self.insert(STATE).values(key=key, value=value)
        connection.execute(put.on_conflict_do_update(index_elements=["key"], set_={"value": value}))

    @contextmanager
    def begin(self, *, write: bool = False) -> Iterator[sa.Connection]:
        """A transaction, in tables that are up to date; inside of one that writes, the same.

        Raises:
            IndexDamaged: the file is damaged, or no database.
            StoreUnreachable: the database cannot be used now.
        """
        mine = getattr(self._current, "connection", None)
        try:
            if mine is not None:
                yield mine
                return
            if not self._ready:
                with self._transaction(write=True) as connection:
                    self._prepare(connection)
                self._ready = True
            with self._transaction(write=write) as connection:
                self._current.connection = connection if write else None
                try:
                    yield connection
                finally:
                    self._current.connection = None
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            if self._is_full(getattr(getattr(error, "orig", None), "sqlite_errorcode", 0) or 0):
                raise StoreUnreachable(
                    f"The disk of the index {self.url} is full. Free some space: a megabyte for each "
                    "thousand citations is enough."
                ) from error
            kind = StoreUnreachable if isinstance(error, _AWAY) else StoreError
            kind = IndexDamaged if type(error) is DatabaseError and self._folder is not None else kind
            raise kind(
                f"The index {self.url} cannot be used ({reason}). Check VERIFAIBLE_INDEX; an index that is "
                "damaged can be deleted: it is made from the files again."
            ) from error

    def _is_full(self, code: int) -> bool:
        """Whether SQLite has no room; what it maps into memory fails with another code then."""
        if code == sqlite3.SQLITE_FULL:
            return True
        failed, folder = code & 0xFF == sqlite3.SQLITE_IOERR, Path(self._engine.url.database or "").parent
        return failed and folder.is_dir() and shutil.disk_usage(folder).free < _ROOM

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[sa.Connection]:
        with (
            self._engine.connect().execution_options(verifaible_write=write) as connection,
            connection.begin(),
        ):
            if write and not self.local:
                # As SQLite does: two processes make no tables at once, and none takes in what another did.
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LONGEST_WAIT_S}s'")
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7166150042)")
            yield connection

    def _prepare(self, connection: sa.Connection) -> None:
        """Bring the tables up to date; only ever forward."""
        STATE.create(connection, checkfirst=True)
        owner = self.state(connection, "store") or self.identity
        if self.identity not in ("", owner) and self._folder is None:
            raise ConfigError(
                f"The index {self.url} belongs to another store. Give each store its own database in "
                "VERIFAIBLE_INDEX, or delete this one's tables."
            )
        form = self.state(connection, "form") or ""
        if form.isdecimal() and int(form) > FORM:
            raise NewerFormat(f"The index {self.url}", form, FORM)
        if form != str(FORM):
            self._make(connection)
        elif self.identity not in ("", owner):
            self.empty(connection)
        for key, value in (("form", str(FORM)), ("store", self.identity or owner)):
            if value:
                self.set_state(connection, key, value)

    def _make(self, connection: sa.Connection) -> None:
        """Make the tables; those that are filled from the files are empty then."""
        _metadata.drop_all(connection, tables=_MADE_AGAIN)
        _metadata.create_all(connection)
        connection.execute(STATE.delete().where(STATE.c.key != "store"))
        # Not in the description of the table: that would import the dialect for SQLite, too.
        if not self.local:
            connection.exec_driver_sql(
                "CREATE INDEX verifaible_citations_by_grams ON verifaible_citations USING gin (grams)"
            )

    def empty(self, connection: sa.Connection) -> None:
        """Forget everything that is read from the files."""
        for table in _MADE_AGAIN:
            connection.execute(table.delete())
        connection.execute(STATE.delete().where(STATE.c.key.startswith("indexed")))


def _on_connect(connection: Any, _: object) -> None:
    # The driver would begin transactions by itself, and only at the first change.
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous = OFF")  # files are the truth: a lost index is made again


def _on_begin(connection: sa.Connection) -> None:
    # A writer takes its lock at once: two that both read first could never go on.
    write = connection.get_execution_options().get("verifaible_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _with_driver(url: sa.URL) -> sa.URL:
    """``postgresql://`` means psycopg 3; SQLAlchemy would look for psycopg2."""
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgresql", "postgres") else url
