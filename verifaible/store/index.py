"""The index of a store: what makes listing and searching fast. Disposable; files are the truth.

SQLAlchemy Core, the same code on SQLite (a folder's own) and PostgreSQL (by URL). It holds how far
into the custody log it has read, and reads on from there at its next use, so that it never has to be
trusted: an index that is lost, or behind, is made from the files again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, TypedDict, Unpack
from zlib import crc32

import sqlalchemy as sa
from pydantic import ValidationError

from verifaible.errors import ConfigError, IntegrityError, NewerFormat, OlderFormat
from verifaible.schema.check import Check, IndexRow
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.database import CHECKS, CITATIONS, DELETED, Database, IndexDamaged
from verifaible.store.entries import CustodyEntry, CustodyItem, sha256_of
from verifaible.store.files import read_many
from verifaible.store.log import LOG, Custody
from verifaible.text.flat import folded

_SEARCHED_CHARACTERS = 4000
#: Of the evidence, from its first word asked for, that a list has.
_SHOWN_CHARACTERS = 400
#: SQLite takes no deeper condition than 1,000, no longer pattern than 50,000 bytes, no number above 64 bits.
_MOST_WORDS, _MOST_CHARACTERS = 200, 8_000
_MOST_ROWS, _MOST_GRAMS = 2**31 - 1, 100
#: A word that fewer than one in a hundred have does not fill a page from so many.
_NEAR = 5_000
#: Columns that a list is filtered by.
_VERDICTS = ("verdict", "capture_verdict", "live_verdict")
#: Lines of the log that are taken in with one transaction.
_BATCH = 500


class SearchTooLong(ConfigError):
    """More is searched for than a database can compare."""


@dataclass(frozen=True, slots=True)
class Added:
    """What a line of the custody log added, as the index takes it in.

    Attributes:
        line: its number.
        sha256: of its bytes.
        entry: what stands in it; None where that does not hold.
        citations, checks: those of its files that could be read.
    """

    line: int
    sha256: str = ""
    entry: CustodyEntry | None = None
    citations: tuple[Citation, ...] = ()
    checks: tuple[Check, ...] = ()


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
    """What a store's database knows of its citations."""

    def __init__(self, database: Database) -> None:
        self.database = database

    # --- writing -------------------------------------------------------------------------

    def follow(self, log: Custody) -> None:
        """Read on to the end of the log.

        Raises:
            StoreError: a file could not be read now; the index ends before its entry.
        """
        try:
            done, sha256 = self._end()
        except IndexDamaged:
            self.database.discard()
            done, sha256 = 0, ""
        # Looked up after the index: one that others bring further meanwhile must not seem to be ahead of it.
        last = log.count()
        if done > last or (0 < done < last and sha256_of(log.line(done)) != sha256):
            # The files were put back to another state: they are the truth.
            self.clear()
            done = 0
        while done < last:
            lines = enumerate(log.lines.read(LOG, done), done + 1)
            added = read_many(log.files, partial(_added, log), lines)
            while batch := list(islice(added, _BATCH)):
                self.take_in(batch)
            done, _ = self._end()  # less than was read, where another process emptied it

    def make_again(self, log: Custody) -> None:
        """Make the index from the files anew; errors are those of :meth:`follow`."""
        try:
            self.clear()
        except IndexDamaged:
            self.database.discard()
        self.follow(log)

    def _end(self) -> tuple[int, str]:
        """The last line of the log that the index has read, and the SHA-256 of it."""
        with self.database.begin() as connection:
            number = self.database.state(connection, "indexed") or 0
            return int(number), self.database.state(connection, "indexed_sha256") or ""

    def take_in(self, added: Sequence[Added]) -> None:
        """Put what custody entries added into the index, as far as they follow on what it has.

        Entries it has already are passed over. Behind a gap nothing is taken in: somebody has emptied the
        index since the entries were read, and who looks next reads on from its end.
        """
        with self.database.begin(write=True) as connection:
            before = done = int(self.database.state(connection, "indexed") or 0)
            for each in added:
                if each.line == done + 1:
                    self._put(connection, each)
                    done += 1
            self.database.set_state(connection, "indexed", str(done))
            if done == before or not added:
                return
            self.database.set_state(connection, "indexed_sha256", added[done - added[0].line].sha256)

    def clear(self) -> None:
        """Empty the index; the store fills it again."""
        with self.database.begin(write=True) as connection:
            self.database.empty(connection)

    def _put(self, connection: sa.Connection, added: Added) -> None:
        for citation in added.citations:
            words = " ".join((citation.claim, citation.anchor.text, citation.title, citation.source_url))
            searched = _storable(folded(words[:_SEARCHED_CHARACTERS]))
            put = self.database.insert(CITATIONS).values(
                **_columns(_row_of(citation)),
                entry=added.line,
                created_at=_moment(citation.created_at),
                evidence_type=citation.evidence_type,
                state_sha256=citation.capture.state_sha256,
                searched=searched,
                grams=None if self.database.local else grams_of(searched),
                id=citation.id,
            )
            connection.execute(put.on_conflict_do_nothing())
            connection.execute(DELETED.delete().where(DELETED.c.citation_id == citation.id))
        if added.checks:
            _enter(connection, added.checks)
        for item in added.entry.items if added.entry is not None else ():
            if item.kind == "check":
                named = self.database.insert(CHECKS).values(citation_id=item.stem, sha256=item.sha256)
                connection.execute(named.on_conflict_do_nothing())
            elif item.kind == "deleted":
                self._delete(connection, item, added)

    def _delete(self, connection: sa.Connection, file: CustodyItem, added: Added) -> None:
        stem = file.stem
        if file.folder == "checks":
            connection.execute(CHECKS.delete().where(CHECKS.c.citation_id == stem))
        elif file.folder == "citations" and added.entry is not None:
            connection.execute(CITATIONS.delete().where(CITATIONS.c.id == stem))
            told = {"entry": added.line, "at": _moment(added.entry.at)}
            row = self.database.insert(DELETED).values(citation_id=stem, **told)
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
        order = (CITATIONS.c.created_at, CITATIONS.c.id)
        columns = [CITATIONS.c[name] for name in ("id", "created_at", "evidence_type", *_VERDICTS, "listed")]
        wanted = sa.select(*columns).order_by(*(each.desc() for each in order) if newest_first else order)
        if after:
            place = sa.select(CITATIONS.c.created_at).where(CITATIONS.c.id == after).scalar_subquery()
            # As one comparison of pairs it is a place in the index by time, however deep.
            here, there = sa.tuple_(*order), sa.tuple_(place, sa.literal(after))
            wanted = wanted.where(here < there if newest_first else here > there)
        wanted = wanted.limit(limit if limit is None else min(limit, _MOST_ROWS))
        found: Sequence[sa.RowMapping] = ()
        with self.database.begin() as connection:
            if filters.get("query") and limit is not None and not self.database.local:
                # Words that many have are among the next thousands; only rarer ones are worth the index of
                # grams. How near that is, is asked first: a planner that is not told reads everything.
                time = order[0]
                last = connection.execute(wanted.with_only_columns(time).limit(1).offset(_NEAR)).scalar()
                if last is not None:
                    near = time >= last if newest_first else time <= last
                    few = wanted.where(near, *self._conditions(filters, grams=False))
                    found = connection.execute(few).mappings().all()
            if not found or len(found) != limit:
                found = connection.execute(wanted.where(*self._conditions(filters))).mappings().all()
        return list(map(_listed, found))

    def count(self, *, at_most: int | None = None, **filters: Unpack[Filters]) -> int:
        """How many citations there are, or ``at_most``; the rest is as for :meth:`rows`."""
        some = sa.select(CITATIONS.c.id).where(*self._conditions(filters)).limit(at_most).subquery()
        with self.database.begin() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one())

    def beginning(self, start: str) -> list[str]:
        """Ids that begin so, at most two: whoever asks wants to know whether it is the only one."""
        name = CITATIONS.c.id
        # A range, unlike LIKE, is read from the index in every database; ids are hexadecimal.
        within = name.between(start.lower(), start.lower() + "g")
        wanted = sa.select(name).where(within, name.startswith(start, autoescape=True)).limit(2)
        with self.database.begin() as connection:
            return [str(found) for found in connection.execute(wanted).scalars()]

    def check_hashes(self, citation_id: str) -> set[str]:
        """The SHA-256 of each check of a citation that the custody log names."""
        wanted = sa.select(CHECKS.c.sha256).where(CHECKS.c.citation_id == citation_id)
        with self.database.begin() as connection:
            return set(map(str, connection.execute(wanted).scalars()))

    def newest(self) -> str:
        """The id of the citation that was made last; empty where there is none."""
        by_time = (CITATIONS.c.created_at.desc(), CITATIONS.c.entry.desc())
        return str(self._value(sa.select(CITATIONS.c.id).order_by(*by_time)) or "")

    def entry_of(self, citation_id: str) -> int:
        """The custody entry that added a citation; 0 for none."""
        return int(self._value(sa.select(CITATIONS.c.entry).where(CITATIONS.c.id == citation_id)) or 0)

    def of_state(self, state_sha256: str) -> str:
        """The id of the citation that was added last of exactly this state of a page; empty for none."""
        wanted = sa.select(CITATIONS.c.id).where(CITATIONS.c.state_sha256 == state_sha256)
        return str(self._value(wanted.order_by(CITATIONS.c.entry.desc())) or "")

    def _value(self, wanted: sa.Select[Any]) -> Any:
        """The first column of the first row; None where there is none."""
        with self.database.begin() as connection:
            return connection.execute(wanted.limit(1)).scalar()

    def deletion(self, start: str) -> tuple[str, int, datetime] | None:
        """The id of a deleted citation that begins so, the custody entry that deleted it, and when."""
        begins = DELETED.c.citation_id.startswith(start, autoescape=True)
        wanted = sa.select(DELETED.c.citation_id, DELETED.c.entry, DELETED.c.at).where(begins).limit(1)
        with self.database.begin() as connection:
            found = connection.execute(wanted).one_or_none()
        return (str(found[0]), int(found[1]), datetime.fromisoformat(found[2])) if found else None

    def states(self) -> dict[str, str]:
        """The SHA-256 of each citation's page state, by its id."""
        with self.database.begin() as connection:
            found = connection.execute(sa.select(CITATIONS.c.id, CITATIONS.c.state_sha256))
            return {str(name): str(state) for name, state in found}

    # --- inside

    def _conditions(self, filters: Filters, *, grams: bool = True) -> Iterator[sa.ColumnElement[bool]]:
        """What a citation must fulfil to be listed."""
        words = dict.fromkeys(_storable(folded(word)) for word in filters.get("query", "").split())
        if len(words) > _MOST_WORDS or any(len(word) > _MOST_CHARACTERS for word in words):
            raise SearchTooLong(
                f"The search is too long: {_MOST_WORDS} words of {_MOST_CHARACTERS:,} characters are the "
                "most. Search for less."
            )
        for word in words:
            yield CITATIONS.c.searched.contains(word, autoescape=True)
        if grams and not self.database.local and (parts := grams_of(" ".join(words))):
            wanted = sa.literal(parts[:_MOST_GRAMS], sa.ARRAY(sa.Integer))
            yield CITATIONS.c.grams.op("@>", is_comparison=True)(wanted)
        if (since := filters.get("since")) is not None:
            yield CITATIONS.c.created_at >= _moment(since)
        if evidence_type := filters.get("evidence_type"):
            yield CITATIONS.c.evidence_type == evidence_type
        for column in _VERDICTS:
            if verdict := filters.get(column):
                yield CITATIONS.c[column] == ("" if verdict == "none" else verdict)


def rows_of(citations: Iterable[Citation], checks: Iterable[Check]) -> list[IndexRow]:
    """The rows of an index of these alone; the checks in the order of the log."""
    index = Index(Database("sqlite://"))
    try:
        index.take_in([Added(line=1, citations=tuple(citations), checks=tuple(checks))])
        return index.rows()
    finally:
        index.database.close()


def _added(log: Custody, numbered: tuple[int, bytes]) -> Added:
    """What a line added; a file that is gone or damaged is left out here and told by checks.

    A failure that may pass, such as that of a connection, is not caught: an index that went
    on without the file would never read it.
    """
    number, line = numbered
    try:
        entry = log.checked(number, line)
    except IntegrityError:  # what it named is not listed; an audit says so
        return Added(line=number, sha256=sha256_of(line))
    citations: list[Citation] = []
    checks: list[Check] = []
    for each in entry.items:
        try:
            if each.kind == "citation":
                citations.append(annotation.from_bytes(log.files.read(each.name), each.stem))
            elif each.kind == "check":
                lines = {sha256_of(line): line for line in log.lines.read(each.name.removesuffix(".jsonl"))}
                checks.append(Check.model_validate_json(lines[each.sha256]))
        except (FileNotFoundError, KeyError, IntegrityError, NewerFormat, OlderFormat, ValidationError):
            continue
    return Added(number, sha256_of(line), entry, tuple(citations), tuple(checks))


def _enter(connection: sa.Connection, checks: Sequence[Check]) -> None:
    """Have citations say what these checks found, unless a later one has spoken; all checks at once."""
    known = sa.select(CITATIONS.c.listed).where(CITATIONS.c.id.in_({each.citation_id for each in checks}))
    rows = {row.id: row for row in map(IndexRow.model_validate_json, connection.execute(known).scalars())}
    for check in checks:
        if (row := rows.get(check.citation_id)) is not None:
            rows[row.id] = row.after(check)
    changed = [{"own": name, **_columns(row)} for name, row in rows.items()]
    if changed:
        own: sa.ColumnElement[bool] = CITATIONS.c.id == sa.bindparam("own")
        connection.execute(CITATIONS.update().where(own), changed)


def _columns(row: IndexRow) -> dict[str, str]:
    """What the table has of a citation and of its checks."""
    verdicts = {name: getattr(row, name) or "" for name in _VERDICTS}
    return {**verdicts, "listed": row.model_dump_json()}


def _listed(columns: sa.RowMapping) -> IndexRow:
    """A row, with what it was found by as the columns have it: an audit compares all of it."""
    said = {name: columns[name] or None for name in _VERDICTS}
    row = IndexRow.model_validate_json(columns["listed"])
    own = {name: columns[name] for name in ("id", "evidence_type")}
    if columns["created_at"] != _moment(row.created_at):
        try:
            own["created_at"] = datetime.fromisoformat(columns["created_at"]).astimezone(UTC)
        except ValueError:  # a list shows it all the same, and an audit names it
            own["created_at"] = datetime.fromtimestamp(0, UTC)
    return row.model_copy(update={**own, **said})


def _row_of(citation: Citation) -> IndexRow:
    """What is listed of a citation that nobody has checked."""
    shown = citation.shown.shortened(_SHOWN_CHARACTERS)
    return IndexRow(
        id=citation.id,
        created_at=citation.created_at,
        claim=_storable(citation.claim),
        text=_storable(citation.anchor.text),
        # One character for one, so that the words stay where they are.
        shown=shown.model_copy(update={"text": shown.text.encode("utf-8", "replace").decode()}),
        source_url=_storable(citation.source_url),
        title=_storable(citation.title),
        evidence_type=citation.evidence_type,
        capture_sha256=citation.capture.sha256,
        replay=citation.replay,
        replay_reason=_storable(citation.replay_reason),
    )


def grams_of(words: str) -> list[int]:
    """The parts of a text's words by which PostgreSQL finds where any part of a word may stand.

    They are of three characters, and of two where the first is a letter of a script without case (Chinese,
    Japanese, Arabic), whose words are short; each is a number (CRC-32), so some are alike: what is found is
    compared once more. A gram of part of a word is one of the word.
    """
    grams = set()
    for word in words.split():
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
