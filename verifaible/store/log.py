"""The custody log: what was put into a store, in order, chained by hashes and signed.

An entry is a line of canonical JSON that names what was added with the SHA-256 of each file, the hash of the
entry before it, and a signature. Appending it is what commits an addition: what no entry names is not in the
store. The head is a signed statement of the last entry, so that a log whose end was cut off is found out, now
and after later additions, which keep its numbers free. It is there before the first entry, and says then that
there is none, so that no kill leaves entries without it. What the log alone does not show: a store put back
as a whole to an earlier copy, or made anew with another key; for that, keep a head somewhere else and give it
to the audit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Final

from pydantic import ValidationError

from verifaible.archive.signing import Signer
from verifaible.errors import IntegrityError, StoreError, StoreReadOnly, StoreUnreachable
from verifaible.store.entries import (
    DESCRIPTION,
    NOTHING,
    RESTORE,
    START_OF_CHAIN,
    CustodyEntry,
    CustodyHead,
    CustodyItem,
    item,
    line_name,
    refuse_newer,
    sha256_of,
)
from verifaible.store.files import Files
from verifaible.store.keys import KeyRecord, KeyRing, key_id, sign_bytes, signature_holds
from verifaible.store.lines import HEAD, Lines

#: The name of the log's lines; in a folder they are in ``custody.jsonl``.
LOG: Final = "custody"


class Custody:
    """The log of one store: its lines, and the files that they name."""

    def __init__(self, files: Files, lines: Lines, keys: KeyRing) -> None:
        self.files = files
        self.lines = lines
        self._keys = keys
        self._own: set[str] = set()
        self._sound_head: CustodyHead | None = None
        keys.beginning = self._begin

    # --- writing -------------------------------------------------------------------------

    def append(self, items: Sequence[CustodyItem], *, signer: Signer | None = None) -> CustodyEntry:
        """Add an entry; when this returns, what it names is in the store.

        The first entry of a log also names the store's description and its first key.

        Args:
            items: what it names.
            signer: the key that signs it, instead of the store's.
        """
        with self.lines.locked():
            signer = signer or self._keys.signer
            key = key_id(signer.public_key)
            head = self._sound()
            number, previous = self._end(head)
            named = tuple(items) if head else (*self._replaced_head(), *items)
            if number == 0:
                record = self._keys.get(key)
                named = (*self._description(), item("key", record.file, record.to_bytes()), *named)
            draft = CustodyEntry(
                number=number + 1, at=datetime.now(UTC), previous=previous, items=named, key=key
            )
            entry = draft.model_copy(update={"signature": sign_bytes(signer, draft.signed_bytes())})
            data = entry.to_bytes()
            self.lines.append(LOG, data)
            self.lines.set_head(_signed_head(signer, entry.number, sha256_of(data)))
            return entry

    def _begin(self, signer: Signer) -> None:
        if self.lines.head() is None:
            self.lines.set_head(_signed_head(signer, 0, START_OF_CHAIN))

    def _description(self) -> tuple[CustodyItem, ...]:
        """The store's own description, for the first entry."""
        try:
            return (item("store", DESCRIPTION, self.files.read(DESCRIPTION)),)
        except FileNotFoundError:
            return ()

    def _end(self, head: CustodyHead | None) -> tuple[int, str]:
        """The number and hash that the next entry continues.

        A head that holds is believed even if its entry is gone or was changed: a log whose end was cut off
        goes on behind the gap, and the gap stays to be seen.
        """
        position, line = self.lines.last(LOG)
        last = _number_in(line, position)
        # Of an entry that the head speaks of it is the rest; else a kill came before it was whole.
        self.lines.end(LOG, keep=head is not None and head.number > last)
        if head is not None and head.number >= last:
            return head.number, head.sha256
        return (last, sha256_of(line)) if position else (0, START_OF_CHAIN)

    def _sound(self) -> CustodyHead | None:
        """The head, if there is one and it is signed by a key of this store; ``faults`` tells the rest."""
        try:
            head = self.head()
            if head is None or head == self._sound_head:
                return head
            if not self.holds(head):
                return None
        except IntegrityError:
            return None
        self._sound_head = head
        return head

    def holds(self, head: CustodyHead) -> bool:
        """Whether the signature of a head is by its key; a StoreError says why that may not sign here."""
        self.refuse_foreign(head.key)
        return signature_holds(head.signed_bytes(), head.signature, self._keys.get(head.key).public_key)

    def _replaced_head(self) -> tuple[CustodyItem, ...]:
        """What an entry says of the head, missing or not sound, that it puts a new one in the place of."""
        data = self.lines.head()
        if data is None:
            return (CustodyItem(kind="head", name=HEAD, sha256=NOTHING),)
        return (item("head", HEAD, data),)

    # --- reading -------------------------------------------------------------------------

    def head(self) -> CustodyHead | None:
        """The last statement of the log's end; None in a store without a log.

        Raises:
            IntegrityError: it is damaged.
            NewerFormat: a newer version wrote it.
        """
        data = self.lines.head()
        if data is None:
            return None
        refuse_newer(data, "The custody log")
        try:
            return CustodyHead.model_validate_json(data)
        except ValidationError as error:
            raise IntegrityError(f"{HEAD} is damaged. {RESTORE}") from error

    def count(self) -> int:
        """How many lines the log has: of a sound log the number of its last entry."""
        return self.lines.last(LOG)[0]

    def entry(self, number: int) -> CustodyEntry:
        """The entry of a line; errors are those of ``read``."""
        return self.read(number)[0]

    def read(self, number: int) -> tuple[CustodyEntry, bytes]:
        """The entry of a line, and its bytes.

        Raises:
            IntegrityError: it is missing, damaged, or not signed by a key of this store.
        """
        return self.checked(number, line := self.line(number)), line

    def line(self, number: int) -> bytes:
        """The bytes of a line, checked by nobody; IntegrityError where it is missing."""
        for line in self.lines.read(LOG, number - 1, at_most=1):
            return line
        raise IntegrityError(f"{line_name(number)} is missing. {RESTORE}")

    def entries(self, after: int = 0) -> Iterator[CustodyEntry]:
        """The entries behind a line, in order; errors are those of ``read``."""
        for number, line in enumerate(self.lines.read(LOG, after), after + 1):
            yield self.checked(number, line)

    def unfinished(self) -> bool:
        """Whether the log ends with part of a line that nobody is writing."""
        if not self.lines.unfinished(LOG):
            return False
        try:
            with self.lines.locked():
                return bool(self.lines.unfinished(LOG))
        except StoreReadOnly:
            return True

    # --- checking ------------------------------------------------------------------------

    def examine(self, see: Callable[[int, CustodyEntry], None] = lambda *_: None) -> Examination:
        """What is wrong with the log and the keys; ``see`` is shown each line that holds, in order."""
        return Examination(self, self._keys, see)

    def faults(self) -> list[str]:
        """What is wrong with the log itself, one sentence each: a gap, a change, a cut-off end."""
        return list(self.examine().faults)

    def checked(self, number: int, line: bytes) -> CustodyEntry:
        """The entry in a line, whose signature must be by a key that may sign here; errors as of ``read``."""
        entry = self._signed(number, line)
        self.refuse_foreign(entry.key)
        return entry

    def _signed(self, number: int, line: bytes) -> CustodyEntry:
        name = line_name(number)
        refuse_newer(line, name)
        try:
            entry = CustodyEntry.model_validate_json(line)
        except ValidationError as error:
            raise IntegrityError(f"{name} is damaged{_strange_name(error)}. {RESTORE}") from error
        if entry.to_bytes() != line:
            raise IntegrityError(f"{name} was changed. {RESTORE}")
        try:
            key = self._keys.get(entry.key)
        except StoreUnreachable:
            raise
        except StoreError as error:
            raise IntegrityError(f"{name} cannot be verified: {error}") from error
        if not signature_holds(entry.signed_bytes(), entry.signature, key.public_key):
            raise IntegrityError(f"{name} was changed: its signature does not hold. {RESTORE}")
        return entry

    def _first(self) -> CustodyEntry:
        return self._signed(1, self.line(1))

    def refuse_foreign(self, key: str) -> None:
        """Refuse a key that may not sign in this log, though its file lies in ``keys/``.

        Raises:
            IntegrityError: it was imported with a citation, or says that it is the first key and is not.
        """
        if key in self._own:
            return
        root = self._keys.root(self._keys.get(key))
        if root.origin == "imported":
            raise IntegrityError(f"keys/{key}.json is of another store: it may not sign here. {RESTORE}")
        firsts = self._keys.firsts()
        if root.origin == "first" and len(firsts) > 1:
            first = self._first()
            if first.key != root.id or root.file not in {each.name for each in first.items}:
                raise IntegrityError(
                    f"{root.file} says that it is the store's first key, but the custody log does not begin "
                    "with it: it was put there past the log, and what it signed is forged."
                )
        if root.origin == "lost" and firsts and self._first().key == root.id:
            raise IntegrityError(
                f"{root.file} says that it took the place of a lost key, but the custody log begins with it "
                f"although the store has a first key, {firsts[0].id}: the log was made anew."
            )
        self._own.add(key)

    def against(self, kept: CustodyHead) -> list[str]:
        """What is wrong with the log beside a head of it that was kept somewhere else.

        It tells what the store's own files can not: that the store was put back to an earlier copy,
        or that its log was made anew.
        """
        try:
            if not self.holds(kept):
                return [
                    "The head that was kept elsewhere does not hold its own signature. Take another copy."
                ]
        except StoreError as error:
            return [f"The head that was kept elsewhere is not this store's: {error}"]
        if kept.number == 0:
            return []  # it was kept before anything was added
        found = {_number_in(line, at): line for at, line in enumerate(self.lines.read(LOG), 1)}
        last = max(found, default=0)
        if last < kept.number:
            return [
                f"The log ends with entry {last}, but the head that was kept elsewhere speaks of "
                f"{kept.number}: the store was put back to an earlier copy, or its end was cut off."
            ]
        if sha256_of(found.get(kept.number, b"")) != kept.sha256:
            return [
                f"Entry {kept.number} of the custody log is not the one that the head kept elsewhere speaks "
                "of: the log was made anew."
            ]
        return []


def _signed_head(signer: Signer, number: int, sha256: str) -> bytes:
    draft = CustodyHead(number=number, sha256=sha256, at=datetime.now(UTC), key=key_id(signer.public_key))
    return draft.model_copy(update={"signature": sign_bytes(signer, draft.signed_bytes())}).to_bytes()


def _number_in(line: bytes, position: int) -> int:
    """The number that a line gives its entry; of a damaged one, that of its position."""
    try:
        found = json.loads(line)["number"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return position
    return found if isinstance(found, int) and 0 < found <= 2**31 else position


def _strange_name(error: ValidationError) -> str:
    """What a record names that no store has, if that is what is wrong with it."""
    for each in error.errors():
        if each["loc"][-1:] == ("name",) and each["type"] == "value_error":
            return f": it names {str(each['input'])[:100]!r}, which is no file of a store"
    return ""


class Examination:
    """One reading of a log, every line once and in order, then its head and its keys.

    Attributes:
        faults: what is wrong with it, one sentence each.
        notes: what a reader of it should know.
    """

    def __init__(self, log: Custody, keys: KeyRing, see: Callable[[int, CustodyEntry], None]) -> None:
        self._log, self._keys, self._see = log, keys, see
        self._digests: dict[int, str] = {}
        self._named_in: dict[str, int] = {}  # a key's file, and the first entry that names it
        self._replaced_in: dict[str, int] = {}  # a key's id, and the entry that names its successor
        self._notes: list[str] = []
        self._last = 0
        self.faults = (*self._line_faults(), *self._head_faults(), *self._key_faults())
        self.notes = tuple(self._notes)

    def _line_faults(self) -> Iterator[str]:
        previous = START_OF_CHAIN
        for position, data in enumerate(self._log.lines.read(LOG), 1):
            expected = self._last + 1
            try:
                entry = self._log.checked(position, data)
            except StoreError as error:
                yield str(error)
                self._last, previous = expected, ""
                continue
            if entry.number > expected:
                until = f"entries {expected} to {entry.number - 1} are"
                one = f"entry {expected} is"
                missing = one if entry.number == expected + 1 else until
                yield f"The custody log has a gap: {missing} missing."
            elif entry.number < expected:
                yield f"{line_name(position)} has number {entry.number} once more: it was put in or moved."
            elif previous and entry.previous != previous:
                yield f"{line_name(position)} does not continue the chain: the entry before it was exchanged."
            self._last = entry.number
            self._digests[entry.number] = previous = sha256_of(data)
            yield from self._signer_faults(position, entry)
            self._see(position, entry)

    def _signer_faults(self, position: int, entry: CustodyEntry) -> Iterator[str]:
        """A key signs from the entry that names it until the one that names its successor."""
        keys = [each.name for each in entry.items if each.kind == "key"]
        for name in keys:
            self._named_in.setdefault(name, entry.number)
        for each in entry.items:
            if each.kind == "head":
                state = "missing" if each.sha256 == NOTHING else "changed"
                self._notes.append(
                    f"{HEAD} was {state} when entry {entry.number} was added: entries may have been cut off "
                    "before it."
                )
        key = self._keys.get(entry.key)
        if key.file not in self._named_in:
            yield (
                f"{line_name(position)} is signed by key {key.id}, which no entry up to it names: it was "
                "forged, or entries before it were made anew."
            )
        if key.id in self._replaced_in:
            self._notes.append(
                f"{line_name(position)} is signed by key {key.id}, although entry "
                f"{self._replaced_in[key.id]} had replaced it: by a process that ran on, or by somebody who "
                "holds the old key."
            )
        for name in keys:
            with suppress(StoreError):  # told with the keys, which are all read once more
                self._note_successor(self._keys.get(PurePosixPath(name).stem), entry.number)

    def _note_successor(self, record: KeyRecord, number: int) -> None:
        if record.origin == "rotated":
            self._replaced_in.setdefault(record.endorsed_by, number)
        elif record.origin == "lost":
            self._notes.append(
                f"From entry {number} on the store is signed by key {record.id}, which no key before it "
                "endorsed: the old one is said to be lost. Whoever could write to the store could say so."
            )

    def _head_faults(self) -> Iterator[str]:
        digests = self._digests
        begun = bool(digests or self._keys.firsts())  # a store's first key comes after its first head
        try:
            head = self._log.head()
            if head is None or (not begun and head.number == 0):
                if begun:
                    yield f"{HEAD} is missing: nothing says where the log ends."
                return
            holds = self._log.holds(head)
        except StoreUnreachable:
            raise
        except StoreError as error:
            yield f"{HEAD} does not hold: {error}"
            return
        if not holds:
            yield f"{HEAD} was changed: its signature does not hold."
        elif head.number > self._last:
            yield f"The log was cut off: {HEAD} speaks of {head.number} entries, {self._last} are there."
        elif digests.get(head.number, head.sha256) != head.sha256:
            yield f"Entry {head.number} of the custody log is not the one that {HEAD} speaks of."
        elif self._log.unfinished():
            self._notes.append(
                "custody.jsonl ends with part of a line: whoever added it was stopped. It is not in the "
                "store, and the next addition removes it."
            )

    def _key_faults(self) -> Iterator[str]:
        """Keys of the store's own that no entry names, or a second first key."""
        try:
            records = self._keys.all()
        except StoreUnreachable:
            raise
        except StoreError as error:
            yield str(error)
            return
        for record in records:
            if not self._digests or record.file in self._named_in:
                continue
            if record.origin in ("rotated", "lost"):  # an entry that it signed would be a fault
                self._notes.append(
                    f"{record.file} is of a rotation that was stopped before its entry. It signs nothing: "
                    "delete it."
                )
            elif record.origin == "imported":
                yield (
                    f"{record.file} was put into the store past the custody log, or a kill came before the "
                    "entry of an import. Import again, or delete it."
                )
            else:
                yield f"{record.file} was put into the store past the custody log."
        if firsts := [record.file for record in records if record.origin == "first"][1:]:
            yield (
                f"keys/ holds two first keys: {', '.join(firsts)} or the one before was put in past the "
                "custody log."
            )
