"""The evidence store: captures, citations, checks, and the custody log that makes them count.

Files are the truth, in a folder or an S3 bucket; the index is made from them. Whatever is added
is written first and named in a custody entry last: a kill at any moment leaves either all of an
addition or none of it, and two writers never take each other's place.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from pydantic import ValidationError

from verifaible.errors import (
    CitationDeleted,
    CitationNotFound,
    ConfigError,
    IntegrityError,
    StoreError,
)
from verifaible.schema.check import Check, IndexRow
from verifaible.schema.citation import CaptureRef, Citation, CitationDraft
from verifaible.store import annotation
from verifaible.store.database import Database
from verifaible.store.entries import (
    CHECKS,
    DESCRIPTION,
    CustodyEntry,
    CustodyItem,
    StoreDescription,
    describe,
    item,
    refuse_without_description,
    sha256_of,
)
from verifaible.store.files import open_files
from verifaible.store.index import Added, Filters, Index
from verifaible.store.keys import KeyRecord, KeyRing
from verifaible.store.lines import FileLines, Lines, TableLines
from verifaible.store.log import Custody
from verifaible.store.root import Root
from verifaible.store.sealed import SealedFiles, capture_file, citation_file, picture_files

if TYPE_CHECKING:
    from verifaible.archive.signing import Signer
    from verifaible.config import Settings

#: Stands for the id of the citation that was made last.
LATEST = "latest"
_BATCH = 500


class Store(SealedFiles):
    """One store.

    Args:
        location: a folder (made when something is first put into it), or a URL such as
            ``s3://bucket/name``.
        index_url: ``postgresql://USER:PASSWORD@HOST/NAME``, whose database has the log and the index; a store
            at a URL needs it. Default, for a folder: both are beside the files, the index in SQLite.
        private_key: a file that holds the signing key, instead of ``keys/signing.pem``.

    Raises:
        ConfigError: a store at a URL has no PostgreSQL, or another database was named.
    """

    def __init__(self, location: Path | str, *, index_url: str = "", private_key: Path | None = None) -> None:
        super().__init__(open_files(location))
        named = index_url.startswith(("postgresql", "postgres:"))
        if not named and (index_url or not isinstance(self.files, Root)):
            raise ConfigError(
                f"The store {self.location} keeps its log in its folder, or in a database that all of its "
                "writers share: set VERIFAIBLE_INDEX to postgresql://USER:PASSWORD@HOST/NAME."
            )
        #: PostgreSQL; None: log and index are in the folder.
        self._database = Database(index_url) if named else None
        self.keys = KeyRing(self.files, private_key)
        self._reading = threading.local()

    @classmethod
    def open(cls, settings: Settings) -> Store:
        """The store that the settings name."""
        return cls(settings.store_location, index_url=settings.index, private_key=settings.signing_key)

    @property
    def id(self) -> str:
        """Which store this is, wherever it is reached from; a new one is made by asking."""
        return self._described().id

    def is_the_same(self, identity: str) -> bool:
        """Whether this is the store of that :attr:`id`; asking makes none."""
        return self.files.exists(DESCRIPTION) and self.id == identity

    @cached_property
    def lines(self) -> Lines:
        """The custody log and the checks, as lines."""
        if self._database is None:
            assert isinstance(self.files, Root)
            return FileLines(self.files)
        # Looking at what is there makes no store; one that lost its description is audited all the same.
        if self.files.exists(DESCRIPTION):
            self._described()
        return TableLines(self._database)

    @cached_property
    def custody(self) -> Custody:
        """The log of what was put in."""
        return Custody(self.files, self.lines, self.keys)

    @property
    def signer(self) -> Signer:
        """The key that signs captures and entries now."""
        self._described()
        _ = self.custody  # a log begins with its head, the first key comes behind it
        return self.keys.signer

    # --- writing -------------------------------------------------------------------------

    def scratch(self) -> Path:
        """A new empty folder for files that are not whole yet."""
        self._described()
        return self.files.scratch()

    def add(
        self,
        draft: CitationDraft,
        *,
        capture: Path | None,
        tiles: Sequence[bytes] = (),
        check: Check | None = None,
    ) -> Citation:
        """Put a citation into the store, with what it rests on.

        Args:
            draft: the citation without its id.
            capture: a whole WACZ file, which is moved into the store; None if the store has the
                draft's capture already.
            tiles: the files of ``draft.picture``, in its order.
            check: the check that accepted it; its ``citation_id`` is filled in.

        Returns:
            The citation. One that is there already, equal in everything, is given back as it is.

        Raises:
            StoreError: the capture is not there any more, or the store cannot be written.
        """
        self._described()
        citation = Citation.model_validate({**draft.model_dump(), "id": annotation.citation_id(draft)})
        items: list[CustodyItem] = []
        name = capture_file(citation.capture.sha256)
        if capture is not None:
            self.files.adopt(name, capture)
            items.append(CustodyItem(kind="capture", name=name, sha256=citation.capture.sha256))
        for picture, tile in zip(picture_files(citation), tiles, strict=True):
            self.put(picture, tile)
            items.append(item("picture", picture, tile))
        checks = () if check is None else (check.model_copy(update={"citation_id": citation.id}),)
        self._commit(items, (citation,), checks)
        return citation

    def add_capture(self, sha256: str, path: Path) -> None:
        """Put a capture into the store that no citation rests on yet.

        Args:
            sha256: of its bytes.
            path: a whole WACZ file, which is moved into the store.
        """
        self._described()
        name = capture_file(sha256)
        self.files.adopt(name, path)
        self.log([CustodyItem(kind="capture", name=name, sha256=sha256)])

    def add_checks(self, checks: Sequence[Check]) -> None:
        """Append checks to the histories of their citations; one custody entry names them all."""
        if not checks:
            return  # nothing to add makes no store
        self._described()
        for start in range(0, len(checks), _BATCH):
            self._commit((), (), checks[start : start + _BATCH])

    def add_check(self, check: Check) -> None:
        """Append one check to its citation's history."""
        self.add_checks((check,))

    def take_over(self, name: str, data: bytes) -> CustodyItem:
        """Write a file of an imported citation; the caller names it in an entry.

        Raises:
            IntegrityError: there is another file of that name.
        """
        self._described()
        if not self.files.create(name, data) and self.files.read(name) != data:
            raise IntegrityError(
                f"{name} is in {self.location} already, with other content. Verify both with "
                "`verifaible verify` and keep the one that holds."
            )
        kind = name.partition("/")[0].removesuffix("s")
        return CustodyItem.model_validate({"kind": kind, "name": name, "sha256": sha256_of(data)})

    def lacks_check(self, citation_id: str, line: bytes) -> bool:
        """Whether a check is not in a citation's history, or is there and no entry names it."""
        named = self._sync() and sha256_of(line) in self._index.check_hashes(citation_id)
        return not named or line not in self.lines.read(f"{CHECKS}/{citation_id}")

    def take_over_check(self, citation_id: str, line: bytes) -> CustodyItem:
        """Append a check to a citation's history; the caller holds :meth:`turn` and names it in the log."""
        name = f"{CHECKS}/{citation_id}"
        if rest := self.lines.unfinished(name):
            # One that the log names was whole once, and its damage must stay seen; else a kill left it.
            named = sha256_of(rest) in self._index.check_hashes(citation_id)
            self.lines.end(name, keep=named)
        if line not in self.lines.read(name):  # a kill may have left it there before its entry
            self.lines.append(name, line)
        return item("check", f"{name}.jsonl", line)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Be the only one who adds to the store; in PostgreSQL, one transaction."""
        self._described()
        with self.lines.locked():
            yield

    def log(self, items: Sequence[CustodyItem]) -> CustodyEntry:
        """Name files in a new custody entry: from then on they are in the store."""
        with self.turn():
            return self.custody.append(items)

    def delete(self, items: Sequence[CustodyItem]) -> None:
        """Delete files that the custody log names; a new entry says so first, so that none seems lost.

        What is deleted is planned by :mod:`verifaible.store.deletion`.
        """
        for start in range(0, len(items), _BATCH):
            batch = [each.model_copy(update={"kind": "deleted"}) for each in items[start : start + _BATCH]]
            self.log(batch)
            for each in batch:
                if each.name.startswith(f"{CHECKS}/"):
                    self.lines.delete(each.name.removesuffix(".jsonl"))
                else:
                    self.files.delete(each.name)

    def rotate_key(self, *, lost: bool = False) -> KeyRecord:
        """Sign with a new key from now on; what older keys signed stays valid.

        Args:
            lost: the private key is gone: the new one can not be endorsed by it.
        """
        with self.turn():
            record, signer = self.keys.rotate(lost=lost)
            self.files.create(record.file, record.to_bytes())
            with self.taken_back([record.file]):
                # By the old key, as its last signature; one that is lost can not sign.
                named = item("key", record.file, record.to_bytes())
                self.custody.append([named], signer=signer if lost else None)
        self.keys.use(signer)
        return record

    @contextmanager
    def taken_back(self, placed: list[str]) -> Iterator[None]:
        """Delete these files if what happens in here fails: no entry will name them."""
        try:
            yield
        except BaseException:
            for name in placed:
                with suppress(StoreError):
                    self.files.delete(name)
            raise

    def put(self, name: str, data: bytes) -> bool:
        """Write a file whose name follows from its content; a damaged one of that name is mended by it.

        Returns:
            Whether there was none.
        """
        new = self.files.create(name, data)
        if not new and self.files.read(name) != data:
            self.files.replace(name, data)
        return new

    def _commit(
        self, items: Sequence[CustodyItem], citations: Sequence[Citation], checks: Sequence[Check]
    ) -> None:
        _ = self.signer  # one that is gone is told before a line is written that no entry could name
        placed: list[str] = []
        with self.turn(), self.taken_back(placed):
            named = list(items)
            for citation in citations:
                if not self.files.exists(name := capture_file(citation.capture.sha256)):
                    raise StoreError(f"The capture {name} was deleted while it was cited. Cite once more.")
                data, name = annotation.to_bytes(citation), citation_file(citation.id)
                placed += [name] if self.put(name, data) else []
                named.append(item("citation", name, data))
            named += [
                self.take_over_check(each.citation_id, annotation.canonical(each.model_dump(mode="json")))
                for each in checks
            ]
            entry, line = self.custody.append(named), self.custody.count()
        # It is in the store now: an index that is behind, or fails, reads it at its next use.
        with suppress(StoreError):
            sha256 = sha256_of(entry.to_bytes())
            self._index.take_in([Added(line, sha256, entry, tuple(citations), tuple(checks))])

    # --- reading -------------------------------------------------------------------------

    def get(self, citation_id: str) -> Citation:
        """The citation with that id, or that unique beginning of one (4 letters or more), or ``latest``.

        Raises:
            CitationNotFound: there is none, or several begin so; CitationDeleted: there was one.
            IntegrityError: its file was changed or is damaged.
        """
        name = self.full_id(citation_id)
        return annotation.from_bytes(self.citation_bytes(name), name)

    def has(self, citation_id: str) -> bool:
        """Whether the custody log names that citation and it was not deleted."""
        return self._sync() and bool(self._index.entry_of(citation_id))

    def full_id(self, beginning: str) -> str:
        """The id that begins so, or the id of the ``latest`` one; errors are those of ``get``."""
        found: list[str] = []
        if beginning == LATEST and self._sync() and (newest := self._index.newest()):
            return newest
        if beginning.isalnum() and self._sync():
            if self._index.entry_of(beginning):
                return beginning
            found = self._index.beginning(beginning) if len(beginning) >= 4 else []
        if len(found) == 1:
            return found[0]
        if found:
            raise CitationNotFound(
                f"Several citations in {self.location} begin with {beginning}. Give more of the id."
            )
        if len(beginning) >= 4 and self._sync() and (deleted := self._index.deletion(beginning)):
            name, entry, at = deleted
            raise CitationDeleted(
                f"Citation {name} was deleted on {at:%Y-%m-%d} (custody entry {entry}). `verifaible list` "
                "shows those that are there."
            )
        if beginning.isalnum() and self.files.exists(citation_file(beginning)):
            raise IntegrityError(
                f"No custody entry names {citation_file(beginning)}: it was put there past the log, a "
                "kill came before its entry, or that was removed. `verifaible verify --all` tells more."
            )
        raise CitationNotFound(
            f"No citation {beginning} in {self.location}. `verifaible list` shows those that are there; "
            "VERIFAIBLE_STORE names another store."
        )

    def rows(
        self,
        *,
        after: str = "",
        newest_first: bool = False,
        limit: int | None = None,
        **filters: Unpack[Filters],
    ) -> list[IndexRow]:
        """What a list shows, oldest first; see :meth:`Index.rows`."""
        if not self._sync():
            return []
        return self._index.rows(after=after, newest_first=newest_first, limit=limit, **filters)

    def count(self, *, at_most: int | None = None, **filters: Unpack[Filters]) -> int:
        """How many citations there are; see :meth:`Index.rows`."""
        return self._index.count(at_most=at_most, **filters) if self._sync() else 0

    def citations(self) -> Iterator[Citation]:
        """Every citation, oldest first, read from its file."""
        return (self.get(row.id) for row in self.rows())

    def capture_of_state(self, state_sha256: str) -> CaptureRef | None:
        """A capture of exactly this page state, whose file is there and whole."""
        name = self._index.of_state(state_sha256) if self._sync() else ""
        try:
            capture = self.get(name).capture if name else None
            if capture is None or capture.state_sha256 != state_sha256:
                return None
            with self.sealed_file(capture.sha256):
                return capture
        except IntegrityError:
            return None  # the page is captured again

    def page_states(self) -> dict[str, str]:
        """The SHA-256 of each citation's page state by its id, as the index has it."""
        return self._index.states() if self._sync() else {}

    def checks(self, citation_id: str) -> tuple[Check, ...]:
        """The history of a citation, oldest first: the checks that the custody log names.

        Raises:
            IntegrityError: one of them is gone or damaged.
        """
        if not self._sync():
            return ()
        name = f"{CHECKS}/{citation_id}"
        named = self._index.check_hashes(citation_id)
        found = [line for line in self.lines.read(name) if sha256_of(line) in named]
        if len(found) < len(named):
            raise IntegrityError(
                f"A check in {name}.jsonl is gone or damaged. Restore it from a copy of the store."
            )
        try:
            return tuple(sorted(map(Check.model_validate_json, found), key=lambda each: each.at))
        except ValidationError as error:
            raise IntegrityError(
                f"A line of {name}.jsonl is no check. Restore it from a copy of the store."
            ) from error

    def entry_of(self, citation_id: str) -> CustodyEntry:
        """The custody entry that put a citation into the store.

        Raises:
            CitationNotFound: no entry did.
            IntegrityError: the entry was changed or is gone.
        """
        number = self._index.entry_of(citation_id) if self._sync() else 0
        if not number:
            raise CitationNotFound(
                f"No custody entry names citation {citation_id}. `verifaible list` shows those that "
                "are there."
            )
        return self.custody.entry(number)

    # --- the index -----------------------------------------------------------------------

    def reindex(self) -> int:
        """Make the index from the files again; gives the number of citations in it."""
        self._described()
        self._index.make_again(self.custody)
        return self._index.count()

    def close(self) -> None:
        """Give back the index's connections; the store opens it again when it is needed."""
        index = self.__dict__.pop("_index", None)
        database = self._database if index is None else index.database
        if database is not None:
            database.close()

    @cached_property
    def _index(self) -> Index:
        identity = self._described().id
        if self._database is not None:
            return Index(self._database)
        assert isinstance(self.files, Root)
        return Index(Database(folder=self.files, identity=identity))

    def _sync(self) -> bool:
        """Bring the index up to the end of the custody log; False where there is no store yet."""
        if self._description is None and not self.files.exists(DESCRIPTION):
            refuse_without_description(self.files)
            return False  # reading makes no store
        if not getattr(self._reading, "followed", False):
            self._index.follow(self.custody)
        return True

    @contextmanager
    def at_one_time(self) -> Iterator[None]:
        """Bring the index up to date once for all readings in here, by this thread: they fit together."""
        self._sync()
        self._reading.followed = True
        try:
            yield
        finally:
            self._reading.followed = False

    # --- the description -----------------------------------------------------------------

    def _described(self) -> StoreDescription:
        """The store's description; a new store gets one."""
        if self._description is None:
            self._description = describe(self.files, shared=self._database is not None)
            if self._database is not None:
                self._database.belongs_to(self._description.id)
        return self._description

    _description: StoreDescription | None = None
