"""The index of a store: what makes listing and searching fast. Disposable; files are the truth.

SQLAlchemy Core, the same code on SQLite (the default) and PostgreSQL (by URL). It holds how far
into the custody log it has read, and reads on from there, so that it never has to be trusted:
an index that is lost, or behind, is made from the files again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from threading import Lock
from typing import Any, TypedDict, Unpack
from zlib import crc32

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, SQLAlchemyError

from verifaible.anchoring.fold import fold
from verifaible.errors import ConfigError, NewerFormat, StoreError
from verifaible.schema.base import Record
from verifaible.schema.check import CHECKED, Check, IndexRow
from verifaible.schema.citation import CaptureRef, Citation

_SEARCHED_CHARACTERS = 4000
_BUSY_S = 30
#: SQLite takes no deeper condition than 1,000, no longer pattern than 50,000 bytes, no number above 64 bits.
_MOST_WORDS, _MOST_CHARACTERS = 200, 8_000
_MOST_ROWS, _MOST_GRAMS = 2**31 - 1, 100
#: The lock by which writers take turns, and the longest wait for it: whoever holds it may be stuck.
_TURN, _LONGEST_TURN_S = 7166150043, 10
#: A word that fewer than one in a hundred have does not fill a page from so many.
_NEAR = 5_000

_metadata = sa.MetaData()
_migrations = sa.Table("verifaible_migrations", _metadata, sa.Column("name", sa.String(64), primary_key=True))
_state = sa.Table(
    "verifaible_state",
    _metadata,
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("value", sa.String(64), nullable=False),
)
_citations = sa.Table(
    "verifaible_citations",
    _metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("entry", sa.Integer, nullable=False),
    sa.Column("created_at", sa.String(40), nullable=False),
    sa.Column("claim", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("source_url", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("evidence_type", sa.String(16), nullable=False),
    sa.Column("capture_sha256", sa.String(64), nullable=False),
    sa.Column("verdict", sa.String(16), nullable=False),
    sa.Column("checked_at", sa.String(40), nullable=False),
    sa.Column("capture_verdict", sa.String(16), nullable=False),
    sa.Column("capture_checked_at", sa.String(40), nullable=False),
    sa.Column("live_verdict", sa.String(16), nullable=False),
    sa.Column("live_checked_at", sa.String(40), nullable=False),
    sa.Column("searched", sa.Text, nullable=False),
    sa.Column("grams", sa.ARRAY(sa.Integer).with_variant(sa.Text, "sqlite")),
    sa.Index("verifaible_citations_by_time", "created_at", "id"),
    sa.Index("verifaible_citations_by_capture", "capture_sha256"),
    sa.Index("verifaible_citations_by_type", "evidence_type", "created_at", "id"),
    sa.Index("verifaible_citations_by_verdict", "verdict", "created_at", "id"),
    sa.Index("verifaible_citations_by_capture_verdict", "capture_verdict", "created_at", "id"),
    sa.Index("verifaible_citations_by_live_verdict", "live_verdict", "created_at", "id"),
)
_captures = sa.Table(
    "verifaible_captures",
    _metadata,
    sa.Column("sha256", sa.String(64), primary_key=True),
    sa.Column("state_sha256", sa.String(64), nullable=False),
    sa.Column("reference", sa.Text, nullable=False),
    sa.Index("verifaible_captures_by_state", "state_sha256"),
)

_check_files = sa.Table(
    "verifaible_check_files",
    _metadata,
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("citation_id", sa.String(40), nullable=False),
    sa.Index("verifaible_check_files_by_citation", "citation_id"),
)
_deleted = sa.Table(
    "verifaible_deleted",
    _metadata,
    sa.Column("citation_id", sa.String(40), primary_key=True),
    sa.Column("entry", sa.Integer, nullable=False),
    sa.Column("at", sa.String(40), nullable=False),
)


def _first(connection: sa.Connection) -> None:
    _metadata.create_all(connection, tables=[_state, _citations, _captures])


def _files_of_checks(connection: sa.Connection) -> None:
    _metadata.create_all(connection, tables=[_check_files])
    # What was read before has no such rows: the log is read again.
    connection.execute(_state.delete().where(_state.c.key == "indexed"))
    for table in (_citations, _captures):
        connection.execute(table.delete())


def _citations_anew(connection: sa.Connection) -> None:
    _citations.drop(connection)
    _metadata.create_all(connection, tables=[_citations])
    _index_of_grams(connection)
    connection.execute(_state.delete().where(_state.c.key == "indexed"))
    connection.execute(_captures.delete())


def _deletions(connection: sa.Connection) -> None:
    _metadata.create_all(connection, tables=[_deleted])


def _index_of_grams(connection: sa.Connection) -> None:
    # Not in the description of the table: that would import the dialect for SQLite, too.
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(
            "CREATE INDEX verifaible_citations_by_grams ON verifaible_citations USING gin (grams)"
        )


def _made_whole(connection: sa.Connection) -> None:
    """What all migrations come to in an empty database."""
    _metadata.create_all(connection)
    _index_of_grams(connection)


#: Append only: a migration that has been released is never changed. Each runs once, in order.
MIGRATIONS: tuple[tuple[str, Callable[[sa.Connection], None]], ...] = (
    ("001_first", _first),
    ("002_files_of_checks", _files_of_checks),
    ("003_two_states", _citations_anew),
    ("004_deletions", _deletions),
    ("005_grams", _citations_anew),
)


#: :attr:`State.overall` as the database works it out.
_OVERALL = sa.case(
    (
        (_citations.c.capture_verdict != "") & (_citations.c.capture_verdict != "verified"),
        _citations.c.capture_verdict,
    ),
    (_citations.c.live_verdict != "", _citations.c.live_verdict),
    else_=_citations.c.capture_verdict,
)


class IndexDamaged(StoreError):
    """The database file is damaged, or no database."""


class SearchTooLong(ConfigError):
    """More is searched for than a database can compare."""


class Added(Record):
    """What one custody entry added, as the index takes it in; ``files`` are (citation id, check's file).

    ``deleted`` are the names of files that it deleted.
    """

    entry: int
    citations: tuple[Citation, ...] = ()
    checks: tuple[Check, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    deleted: tuple[str, ...] = ()
    deleted_at: datetime | None = None


class Filters(TypedDict, total=False):
    """Which citations are meant; whatever is empty leaves none out.

    Attributes:
        query: words that all must stand in the claim, the text, the title or the address;
            compared without case, width, and white space.
        since: only those made at that time or later.
        evidence_type: only those of this type.
        verdict: only those that have this verdict by :attr:`State.overall`.
        capture_verdict: only those whose capture had this verdict when it was checked last.
        live_verdict: only those of which the last look at the live web had this verdict; ``none``: those
            that were never looked at there.
    """

    query: str
    since: datetime | None
    evidence_type: str
    verdict: str
    capture_verdict: str
    live_verdict: str


class Index:
    """One store's index; ``identity`` is the store's own, so that two never mix.

    Raises:
        ConfigError: the URL names no database that can be used here.
    """

    def __init__(self, url: str, identity: str) -> None:
        self._identity = identity
        self._ready = False
        self._turn = Lock()
        try:
            parsed = sa.make_url(url)
            self.url = parsed.render_as_string(hide_password=True)
            local = self._local = parsed.get_backend_name() == "sqlite"
            self._engine = sa.create_engine(
                _with_driver(parsed),
                connect_args={"timeout": _BUSY_S} if local else {},
                pool_pre_ping=not local,
            )
            if local:
                sa.event.listen(self._engine, "connect", _on_connect)
                sa.event.listen(self._engine, "begin", _on_begin)
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            raise ConfigError(
                f"VERIFAIBLE_INDEX does not name a database that can be opened here ({error}). Use "
                "sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME (the latter with "
                'pip install "verifaible[postgres]").'
            ) from error
        self._insert: Any = import_module(f"sqlalchemy.dialects.{'sqlite' if local else 'postgresql'}").insert

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()
        self._ready = False

    # --- writing -------------------------------------------------------------------------

    def indexed(self) -> int:
        """Up to which custody entry the index has read."""
        with self._begin() as connection:
            return self._indexed(connection)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for this writer's turn to add to the log: of threads, and of all that share a PostgreSQL.

        It only spares writers the requests that they lose to each other; that no entry is lost rests on the
        log. So nobody waits for long, and a database that does not answer is no reason not to add.
        """
        mine = self._turn.acquire(timeout=_LONGEST_TURN_S)
        held = ExitStack()
        try:
            if not self._local:
                with suppress(StoreError, SQLAlchemyError):
                    connection = held.enter_context(self._begin())
                    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_LONGEST_TURN_S}s'")
                    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_TURN})")
            yield
        finally:
            with suppress(StoreError):
                held.close()
            if mine:
                self._turn.release()

    def take_in(self, added: Sequence[Added]) -> None:
        """Put what custody entries added into the index, as far as they follow on what it has.

        Entries it has already are passed over. Behind a gap nothing is taken in: somebody has emptied the
        index since the entries were read, and who looks next reads on from its end.
        """
        with self._begin(write=True) as connection:
            done = self._indexed(connection)
            for each in added:
                if each.entry == done + 1:
                    self._put(connection, each)
                    done += 1
            self._set(connection, "indexed", str(done))

    def clear(self) -> None:
        """Empty the index; the store fills it again."""
        with self._begin(write=True) as connection:
            for table in (_citations, _captures, _check_files, _deleted, _state):
                connection.execute(table.delete())
            self._set(connection, "store", self._identity)

    def _put(self, connection: sa.Connection, added: Added) -> None:
        for citation in added.citations:
            values = _citation_row(citation, added.entry)
            values["grams"] = None if self._local else grams_of(values["searched"])
            row = self._insert(_citations).values(values)
            connection.execute(row.on_conflict_do_nothing())
            capture = self._insert(_captures).values(
                sha256=citation.capture.sha256,
                state_sha256=citation.capture.state_sha256,
                reference=citation.capture.model_dump_json(),
            )
            connection.execute(capture.on_conflict_do_nothing())
            connection.execute(_deleted.delete().where(_deleted.c.citation_id == citation.id))
        for citation_id, name in added.files:
            file = self._insert(_check_files).values(name=name, citation_id=citation_id)
            connection.execute(file.on_conflict_do_nothing())
        if added.checks:
            _enter(connection, added.checks)
        for deleted in added.deleted:
            self._delete(connection, deleted, added)

    def _delete(self, connection: sa.Connection, file: str, added: Added) -> None:
        folder, _, name = file.partition("/")
        stem = name.rpartition(".")[0]
        if folder == "captures":
            connection.execute(_captures.delete().where(_captures.c.sha256 == stem))
        elif folder == "checks":
            connection.execute(_check_files.delete().where(_check_files.c.name == file))
        elif folder == "citations" and added.deleted_at is not None:
            connection.execute(_citations.delete().where(_citations.c.id == stem))
            told = {"entry": added.entry, "at": _moment(added.deleted_at)}
            row = self._insert(_deleted).values(citation_id=stem, **told)
            connection.execute(row.on_conflict_do_update(index_elements=["citation_id"], set_=told))

    # --- reading -------------------------------------------------------------------------

    def rows(
        self,
        *,
        after: str = "",
        newest_first: bool = False,
        limit: int | None = None,
        **filters: Unpack[Filters],
    ) -> list[IndexRow]:
        """Citations, oldest first.

        Args:
            after: only those behind the citation with this id, in the order that is asked for.
            newest_first: the other way round.
            limit: at most so many.
            **filters: which of them; see :class:`Filters`.

        Raises:
            SearchTooLong: ``query`` has too many words, or one that is too long.
            StoreError: the index cannot be used.
        """
        columns = [_citations.c[name] for name in IndexRow.model_fields]
        order = (_citations.c.created_at, _citations.c.id)
        wanted = sa.select(*columns).order_by(*(each.desc() for each in order) if newest_first else order)
        if after:
            place = sa.select(_citations.c.created_at).where(_citations.c.id == after).scalar_subquery()
            # As one comparison of pairs it is a place in the index by time, however deep.
            here, there = sa.tuple_(*order), sa.tuple_(place, sa.literal(after))
            wanted = wanted.where(here < there if newest_first else here > there)
        wanted = wanted.limit(limit if limit is None else min(limit, _MOST_ROWS))
        found: Sequence[sa.RowMapping] = ()
        with self._begin() as connection:
            if filters.get("query") and limit is not None and not self._local:
                # Words that many have are among the next thousands; only rarer ones are worth the index of
                # grams. How near that is, is asked first: a planner that is not told reads everything.
                time = order[0]
                last = connection.execute(wanted.with_only_columns(time).limit(1).offset(_NEAR)).scalar()
                if last is not None:
                    near = time >= last if newest_first else time <= last
                    way = wanted.where(near, *self._conditions(filters, grams=False))
                    found = connection.execute(way).mappings().all()
            if not found or len(found) != limit:
                found = connection.execute(wanted.where(*self._conditions(filters))).mappings().all()
        return [IndexRow.of_columns(dict(row)) for row in found]

    def count(self, *, at_most: int | None = None, **filters: Unpack[Filters]) -> int:
        """How many citations there are, or ``at_most``; the rest is as for :meth:`rows`."""
        some = sa.select(_citations.c.id).where(*self._conditions(filters)).limit(at_most).subquery()
        with self._begin() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one())

    def beginning(self, start: str, limit: int = 3) -> list[str]:
        """Ids that begin so, at most ``limit``."""
        name = _citations.c.id
        # A range, unlike LIKE, is read from the index in every database; ids are hexadecimal.
        within = name.between(start.lower(), start.lower() + "g")
        wanted = sa.select(name).where(within, name.startswith(start, autoescape=True)).limit(limit)
        with self._begin() as connection:
            return [str(found) for found in connection.execute(wanted).scalars()]

    def check_files(self, citation_id: str) -> list[str]:
        """The files of a citation's checks that the custody log names, oldest first."""
        wanted = sa.select(_check_files.c.name).where(_check_files.c.citation_id == citation_id)
        with self._begin() as connection:
            return sorted(str(name) for name in connection.execute(wanted).scalars())

    def newest(self) -> str:
        """The id of the citation that was made last; empty where there is none."""
        by_time = (_citations.c.created_at.desc(), _citations.c.entry.desc())
        wanted = sa.select(_citations.c.id).order_by(*by_time)
        with self._begin() as connection:
            return str(connection.execute(wanted.limit(1)).scalar() or "")

    def entry_of(self, citation_id: str) -> int:
        """The custody entry that added a citation; 0 for none."""
        wanted = sa.select(_citations.c.entry).where(_citations.c.id == citation_id)
        with self._begin() as connection:
            return int(connection.execute(wanted).scalar() or 0)

    def deletion(self, start: str) -> tuple[str, int, datetime] | None:
        """The id of a deleted citation that begins so, the custody entry that deleted it, and when."""
        begins = _deleted.c.citation_id.startswith(start, autoescape=True)
        wanted = sa.select(_deleted.c.citation_id, _deleted.c.entry, _deleted.c.at).where(begins).limit(1)
        with self._begin() as connection:
            found = connection.execute(wanted).one_or_none()
        return (str(found[0]), int(found[1]), datetime.fromisoformat(found[2])) if found else None

    def capture_of_state(self, state_sha256: str) -> CaptureRef | None:
        """A capture of exactly this page state, if there is one."""
        wanted = sa.select(_captures.c.reference).where(_captures.c.state_sha256 == state_sha256).limit(1)
        with self._begin() as connection:
            found = connection.execute(wanted).scalar()
        return None if found is None else CaptureRef.model_validate_json(str(found))

    # --- inside

    def _conditions(self, filters: Filters, *, grams: bool = True) -> Iterator[sa.ColumnElement[bool]]:
        """What a citation must fulfil to be listed."""
        words = dict.fromkeys(_storable(fold(word).text) for word in filters.get("query", "").split())
        if len(words) > _MOST_WORDS or any(len(word) > _MOST_CHARACTERS for word in words):
            raise SearchTooLong(
                f"The search is too long: {_MOST_WORDS} words of {_MOST_CHARACTERS:,} characters are the "
                "most. Search for less."
            )
        for word in words:
            yield _citations.c.searched.contains(word, autoescape=True)
        if grams and not self._local and (parts := grams_of(" ".join(words))):
            wanted = sa.literal(parts[:_MOST_GRAMS], sa.ARRAY(sa.Integer))
            yield _citations.c.grams.op("@>", is_comparison=True)(wanted)
        if (since := filters.get("since")) is not None:
            yield _citations.c.created_at >= _moment(since)
        if evidence_type := filters.get("evidence_type"):
            yield _citations.c.evidence_type == evidence_type
        for column in ("verdict", "capture_verdict", "live_verdict"):
            if verdict := filters.get(column):
                yield _citations.c[column] == ("" if verdict == "none" else verdict)

    def _indexed(self, connection: sa.Connection) -> int:
        found = connection.execute(sa.select(_state.c.value).where(_state.c.key == "indexed")).scalar()
        return int(found or 0)

    def _set(self, connection: sa.Connection, key: str, value: str) -> None:
        put = self._insert(_state).values(key=key, value=value)
        connection.execute(put.on_conflict_do_update(index_elements=["key"], set_={"value": value}))

    @contextmanager
    def _begin(self, *, write: bool = False) -> Iterator[sa.Connection]:
        try:
            if not self._ready:
                with self._transaction(write=True) as connection:
                    self._prepare(connection)
                self._ready = True
            with self._transaction(write=write) as connection:
                yield connection
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            kind = IndexDamaged if type(error) is DatabaseError else StoreError
            raise kind(
                f"The index {self.url} cannot be used ({reason}). Check VERIFAIBLE_INDEX; an index that is "
                "damaged can be deleted: it is made from the files again."
            ) from error

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[sa.Connection]:
        with (
            self._engine.connect().execution_options(verifaible_write=write) as connection,
            connection.begin(),
        ):
            if write and not self._local:
                # As SQLite does: two processes make no tables at once, and none takes in what another did.
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7166150042)")
            yield connection

    def _prepare(self, connection: sa.Connection) -> None:
        """Bring the tables up to date; only ever forward."""
        _migrations.create(connection, checkfirst=True)
        done = set(connection.execute(sa.select(_migrations.c.name)).scalars())
        known = [name for name, _ in MIGRATIONS]
        if unknown := sorted(done - set(known)):
            raise NewerFormat(f"The index {self.url}", unknown[-1], len(MIGRATIONS))
        if not done:
            _made_whole(connection)
            connection.execute(_migrations.insert(), [{"name": name} for name in known])
        for name, migrate in MIGRATIONS:
            if done and name not in done:
                migrate(connection)
                connection.execute(_migrations.insert().values(name=name))
        owner = connection.execute(sa.select(_state.c.value).where(_state.c.key == "store")).scalar()
        if owner is None:
            self._set(connection, "store", self._identity)
        elif owner != self._identity:
            raise ConfigError(
                f"The index {self.url} belongs to another store. Give each store its own database in "
                "VERIFAIBLE_INDEX, or delete this one's tables."
            )


def _enter(connection: sa.Connection, checks: Sequence[Check]) -> None:
    """Have citations say what these checks found, unless a later one has spoken; all checks at once."""
    own: sa.ColumnElement[bool] = _citations.c.id == sa.bindparam("own")
    moment: sa.BindParameter[str] = sa.bindparam("moment")
    for where in ("live", "capture"):
        done = [each for each in checks if (each.kind == "live") == (where == "live")]
        if not done:
            continue
        times = [{"own": each.citation_id, "moment": _moment(each.at)} for each in done]
        found = [{**time, "found": each.verdict} for time, each in zip(times, done, strict=True)]
        at, last = _citations.c[f"{where}_checked_at"], _citations.c.checked_at
        said = {at: moment, _citations.c[f"{where}_verdict"]: sa.bindparam("found")}
        connection.execute(_citations.update().where(own, at <= moment).values(said), found)
        connection.execute(_citations.update().where(own, last <= moment).values({last: moment}), times)
    overall = _citations.update().where(own).values(verdict=_OVERALL)
    connection.execute(overall, [{"own": each.citation_id} for each in checks])


def _citation_row(citation: Citation, entry: int) -> dict[str, Any]:
    searched = " ".join((citation.claim, citation.anchor.text, citation.title, citation.source_url))
    return {
        "id": citation.id,
        "entry": entry,
        "created_at": _moment(citation.created_at),
        "claim": _storable(citation.claim),
        "text": _storable(citation.anchor.text),
        "source_url": _storable(citation.source_url),
        "title": _storable(citation.title),
        "evidence_type": citation.evidence_type,
        "capture_sha256": citation.capture.sha256,
        **dict.fromkeys(CHECKED, ""),
        "searched": _storable(fold(searched[:_SEARCHED_CHARACTERS]).text),
    }


def grams_of(folded: str) -> list[int]:
    """The parts of a text's words by which PostgreSQL finds where any part of a word may stand.

    They are of three characters, and of two where the first is a letter of a script without case (Chinese,
    Japanese, Arabic), whose words are short; each is a number (CRC-32), so some are alike: what is found is
    compared once more. A gram of part of a word is one of the word.
    """
    grams = set()
    for word in folded.split():
        for start, first in enumerate(word):
            size = 2 if first.isalpha() and first.lower() == first.upper() else 3
            if start + size <= len(word):
                grams.add(word[start : start + size])
    return sorted(crc32(gram.encode()) - 2**31 for gram in grams)


def _moment(moment: datetime) -> str:
    """A time as text that sorts as the times do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")


def _storable(text: str) -> str:
    """Text without what a database can not hold: PostgreSQL takes no NUL, UTF-8 no lone surrogate."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


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
