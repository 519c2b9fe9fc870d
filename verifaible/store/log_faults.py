"""What is wrong with a custody log: its numbers, its chain, its end, and the keys that signed it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from verifaible.errors import StoreError, StoreUnreachable
from verifaible.store.entries import (
    HEAD,
    NOTHING,
    START_OF_CHAIN,
    CustodyEntry,
    CustodyHead,
    file_of,
)
from verifaible.store.keys import KeyRing, signature_holds


class Log(Protocol):
    """A custody log as it is examined; ``Custody`` is one."""

    def numbers(self) -> list[int]:
        """The numbers of the entries that are there."""

    def read_all(self, numbers: Iterable[int]) -> Iterator[tuple[CustodyEntry, bytes] | StoreError]:
        """Each of these entries and its bytes, or what is wrong with it."""

    def head(self) -> CustodyHead | None:
        """The last statement of the log's end."""

    def refuse_foreign(self, key: str) -> None:
        """Raise IntegrityError for a key that may not sign."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One sentence each: ``faults`` of the log, and ``notes`` of what a reader of it should know."""

    faults: tuple[str, ...]
    notes: tuple[str, ...]


def examine(log: Log, keys: KeyRing, see: Callable[[CustodyEntry], None] | None = None) -> Examined:
    """Read every entry once, in order, then the head and the keys; ``see`` is shown what holds."""
    examination = _Examination(log, keys, see)
    return Examined(tuple(examination.faults()), tuple(examination.notes))


class _Examination:
    def __init__(self, log: Log, keys: KeyRing, see: Callable[[CustodyEntry], None] | None) -> None:
        self._log, self._keys, self._see = log, keys, see
        self._digests: dict[int, str] = {}
        self._named_in: dict[str, int] = {}  # a key's file, and the first entry that names it
        self._replaced_in: dict[str, int] = {}  # a key's id, and the entry that names its successor
        self.notes: list[str] = []

    def faults(self) -> Iterator[str]:
        numbers = self._log.numbers()
        yield from _gaps(numbers)
        for number, read in zip(numbers, self._log.read_all(numbers), strict=True):
            if isinstance(read, StoreError):
                yield str(read)
                continue
            entry, data = read
            self._digests[number] = hashlib.sha256(data).hexdigest()
            before = START_OF_CHAIN if number == 1 else self._digests.get(number - 1)
            if before is not None and entry.previous != before:
                yield f"{file_of(number)} does not continue the chain: the entry before it was exchanged."
            yield from self._signer_faults(entry)
            if self._see is not None:
                self._see(entry)
        yield from self._head_faults()
        yield from self._key_faults()

    def _signer_faults(self, entry: CustodyEntry) -> Iterator[str]:
        """A key signs from the entry that names it until the one that names its successor."""
        for each in entry.items:
            if each.kind == "key":
                self._named_in.setdefault(each.name, entry.number)
            elif each.kind == "head":
                state = "missing" if each.sha256 == NOTHING else "changed"
                self.notes.append(
                    f"{HEAD} was {state} when entry {entry.number} was added: entries may have been cut off "
                    "before it."
                )
        key = self._keys.get(entry.key)
        if key.file not in self._named_in:
            yield (
                f"{file_of(entry.number)} is signed by key {key.id}, which no entry up to it names: it was "
                "forged, or entries before it were made anew."
            )
        if key.id in self._replaced_in:
            self.notes.append(
                f"{file_of(entry.number)} is signed by key {key.id}, although entry "
                f"{self._replaced_in[key.id]} had replaced it: by a process that ran on, or by somebody who "
                "holds the old key."
            )
        for each in entry.items:
            if each.kind == "key":
                self._note_successor(each.name, entry.number)

    def _note_successor(self, file: str, number: int) -> None:
        try:
            record = self._keys.get(file.removeprefix("keys/").removesuffix(".json"))
        except StoreUnreachable:
            raise
        except StoreError:
            return  # told with the keys
        if record.origin == "rotated":
            self._replaced_in.setdefault(record.endorsed_by, number)
        elif record.origin == "lost":
            self.notes.append(
                f"From entry {number} on the store is signed by key {record.id}, which no key before it "
                "endorsed: the old one is said to be lost. Whoever could write to the store could say so."
            )

    def _head_faults(self) -> Iterator[str]:
        digests = self._digests
        begun = bool(digests or self._keys.firsts())  # a store's first key comes after its first head
        try:
            head = self._log.head()
            if head is None:
                if begun:
                    yield f"{HEAD} is missing: nothing says where the log ends."
                return
            if not begun and head.number == 0:
                return
            key = self._keys.get(head.key)
            self._log.refuse_foreign(head.key)
        except StoreUnreachable:
            raise
        except StoreError as error:
            yield f"{HEAD} does not hold: {error}"
            return
        there = max(digests, default=0)
        if not signature_holds(head.signed_bytes(), head.signature, key.public_key):
            yield f"{HEAD} was changed: its signature does not hold."
        elif head.number > there:
            yield f"The log was cut off: {HEAD} speaks of {head.number} entries, {there} are there."
        elif digests.get(head.number, head.sha256) != head.sha256:
            yield f"{file_of(head.number)} is not the entry that {HEAD} speaks of."

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
            if self._digests and record.file not in self._named_in:
                yield f"{record.file} was put into the store past the custody log."
        if firsts := [record.file for record in records if record.origin == "first"][1:]:
            yield (
                f"keys/ holds two first keys: {', '.join(firsts)} or the one before was put in past the "
                "custody log."
            )


def _gaps(numbers: Iterable[int]) -> Iterator[str]:
    expected = 1
    for number in numbers:
        if number > expected:
            missing = f"entry {expected}" if number == expected + 1 else f"entries {expected} to {number - 1}"
            yield f"The custody log has a gap: {missing} missing."
        expected = number + 1
