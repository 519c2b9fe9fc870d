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
from datetime import UTC, datetime
from typing import Final

from pydantic import ValidationError

from verifaible.archive.signing import Signer
from verifaible.errors import IntegrityError, StoreError, StoreReadOnly
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
from verifaible.store.keys import KeyRing, key_id, sign_bytes, signature_holds
from verifaible.store.lines import HEAD, Lines
from verifaible.store.log_faults import Examined, examine

#: The name of the log's lines; in a folder they are in ``custody.jsonl``.
LOG: Final = "custody"


class Custody:
    """The log of one store."""

    def __init__(self, files: Files, lines: Lines, keys: KeyRing) -> None:
        self._files = files
        self._lines = lines
        self._keys = keys
        self._own: set[str] = set()
        self._sound_head = b""
        keys.beginning = self._begin

    # --- writing -------------------------------------------------------------------------

    def append(self, items: Sequence[CustodyItem]) -> CustodyEntry:
        """Add an entry; when this returns, what it names is in the store.

        The first entry of a log also names the store's description and its first key.
        """
        with self._lines.locked():
            signer = self._keys.signer
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
            self._lines.append(LOG, data)
            self._lines.set_head(_signed_head(signer, entry.number, sha256_of(data)))
            return entry

    def _begin(self, signer: Signer) -> None:
        if self._lines.head() is None:
            self._lines.set_head(_signed_head(signer, 0, START_OF_CHAIN))

    def _description(self) -> tuple[CustodyItem, ...]:
        """The store's own description, for the first entry."""
        try:
            return (item("store", DESCRIPTION, self._files.read(DESCRIPTION)),)
        except FileNotFoundError:
            return ()

    def _end(self, head: CustodyHead | None) -> tuple[int, str]:
        """The number and hash that the next entry continues.

        A head that holds is believed even if its entry is gone or was changed: a log whose end was cut off
        goes on behind the gap, and the gap stays to be seen.
        """
        position, line = self._lines.last(LOG)
        last = _number_in(line, position)
        if self._lines.unfinished(LOG):
            # Of an entry that the head speaks of it is the rest; else a kill came before it was whole.
            if head is not None and head.number > last:
                self._lines.end_unfinished(LOG)
            else:
                self._lines.drop_unfinished(LOG)
        if head is not None and head.number >= last:
            return head.number, head.sha256
        return (last, sha256_of(line)) if position else (0, START_OF_CHAIN)

    def _sound(self) -> CustodyHead | None:
        """The head, if there is one and it is signed by a key of this store; ``faults`` tells the rest."""
        try:
            data = self._lines.head()
            if data is None:
                return None
            refuse_newer(data, "The custody log")
            head = CustodyHead.model_validate_json(data)
            if data != self._sound_head:
                self.refuse_foreign(head.key)
                key = self._keys.get(head.key)
                if not signature_holds(head.signed_bytes(), head.signature, key.public_key):
                    return None
                self._sound_head = data
        except (ValidationError, IntegrityError):
            return None
        return head

    def _replaced_head(self) -> tuple[CustodyItem, ...]:
        """What an entry says of the head, missing or not sound, that it puts a new one in the place of."""
        data = self._lines.head()
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
        data = self._lines.head()
        if data is None:
            return None
        refuse_newer(data, "The custody log")
        try:
            return CustodyHead.model_validate_json(data)
        except ValidationError as error:
            raise IntegrityError(f"{HEAD} is damaged. {RESTORE}") from error

    def count(self) -> int:
        """How many lines the log has: of a sound log the number of its last entry."""
        return self._lines.last(LOG)[0]

    def entry(self, number: int) -> CustodyEntry:
        """The entry of a line; errors are those of ``read``."""
        return self.read(number)[0]

    def read(self, number: int) -> tuple[CustodyEntry, bytes]:
        """The entry of a line, and its bytes.

        Raises:
            IntegrityError: it is missing, damaged, or not signed by a key of this store.
        """
        lines = self._lines.read(LOG, number - 1)
        if not lines:
            raise IntegrityError(f"{line_name(number)} is missing. {RESTORE}")
        return self.checked(number, lines[0]), lines[0]

    def entries(self, after: int = 0) -> Iterator[CustodyEntry]:
        """The entries behind a line, in order; errors are those of ``read``."""
        for number, line in enumerate(self._lines.read(LOG, after), after + 1):
            yield self.checked(number, line)

    def read_all(self, after: int = 0) -> Iterator[tuple[CustodyEntry, bytes] | StoreError]:
        """Every entry behind a line with its bytes, or what is wrong with it."""
        for number, line in enumerate(self._lines.read(LOG, after), after + 1):
            try:
                yield self.checked(number, line), line
            except StoreError as error:
                yield error

    def unfinished(self) -> bool:
        """Whether the log ends with part of a line that nobody is writing."""
        if not self._lines.unfinished(LOG):
            return False
        try:
            with self._lines.locked():
                return bool(self._lines.unfinished(LOG))
        except StoreReadOnly:
            return True

    # --- checking ------------------------------------------------------------------------

    def examine(self, see: Callable[[int, CustodyEntry], None] | None = None) -> Examined:
        """What is wrong with the log and the keys; ``see`` is shown each line that holds, in order."""
        return examine(self, self._keys, see)

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
        key = self._keys.get(entry.key)
        if not signature_holds(entry.signed_bytes(), entry.signature, key.public_key):
            raise IntegrityError(f"{name} was changed: its signature does not hold. {RESTORE}")
        return entry

    def _first(self) -> CustodyEntry:
        lines = self._lines.read(LOG)[:1]
        if not lines:
            raise IntegrityError(f"{line_name(1)} is missing. {RESTORE}")
        return self._signed(1, lines[0])

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
            self.refuse_foreign(kept.key)
            key = self._keys.get(kept.key)
        except StoreError as error:
            return [f"The head that was kept elsewhere is not this store's: {error}"]
        if not signature_holds(kept.signed_bytes(), kept.signature, key.public_key):
            return ["The head that was kept elsewhere does not hold its own signature. Take another copy."]
        if kept.number == 0:
            return []  # it was kept before anything was added
        found = {_number_in(line, at): line for at, line in enumerate(self._lines.read(LOG), 1)}
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
