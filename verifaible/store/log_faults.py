"""What is wrong with a custody log: its numbers, its chain, its end, and the keys that signed it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from verifaible.errors import StoreError, StoreUnreachable
from verifaible.store.entries import (
    NOTHING,
    START_OF_CHAIN,
    CustodyEntry,
    CustodyHead,
    line_name,
    sha256_of,
)
from verifaible.store.keys import KeyRing, signature_holds
from verifaible.store.lines import HEAD


class Log(Protocol):
    """A custody log as it is examined; ``Custody`` is one."""

    def read_all(self) -> Iterator[tuple[CustodyEntry, bytes] | StoreError]:
        """The entry and bytes of each line, or what is wrong with it."""

    def unfinished(self) -> bool:
        """Whether the log ends with part of a line."""

    def head(self) -> CustodyHead | None:
        """The last statement of the log's end."""

    def refuse_foreign(self, key: str) -> None:
        """Raise IntegrityError for a key that may not sign."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One sentence each: ``faults`` of the log, and ``notes`` of what a reader of it should know."""

    faults: tuple[str, ...]
    notes: tuple[str, ...]


def examine(log: Log, keys: KeyRing, see: Callable[[int, CustodyEntry], None] | None = None) -> Examined:
    """Read every entry once, in order, then the head and the keys; ``see`` is shown what holds."""
    examination = _Examination(log, keys, see)
    return Examined(tuple(examination.faults()), tuple(examination.notes))


class _Examination:
    def __init__(self, log: Log, keys: KeyRing, see: Callable[[int, CustodyEntry], None] | None) -> None:
        self._log, self._keys, self._see = log, keys, see
        self._digests: dict[int, str] = {}
        self._last = 0
        self._named_in: dict[str, int] = {}  # a key's file, and the first entry that names it
        self._replaced_in: dict[str, int] = {}  # a key's id, and the entry that names its successor
        self.notes: list[str] = []

    def faults(self) -> Iterator[str]:
        expected, previous = 1, START_OF_CHAIN
        for position, read in enumerate(self._log.read_all(), 1):
            if isinstance(read, StoreError):
                yield str(read)
                expected, previous = expected + 1, ""
                continue
            entry, data = read
            if entry.number > expected:
                yield _gap(expected, entry.number - 1)
            elif entry.number < expected:
                yield f"{line_name(position)} has number {entry.number} once more: it was put in or moved."
            elif previous and entry.previous != previous:
                yield f"{line_name(position)} does not continue the chain: the entry before it was exchanged."
            expected, previous = entry.number + 1, sha256_of(data)
            self._digests[entry.number] = previous
            yield from self._signer_faults(position, entry)
            if self._see is not None:
                self._see(position, entry)
        self._last = expected - 1
        yield from self._head_faults()
        yield from self._key_faults()

    def _signer_faults(self, position: int, entry: CustodyEntry) -> Iterator[str]:
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
                f"{line_name(position)} is signed by key {key.id}, which no entry up to it names: it was "
                "forged, or entries before it were made anew."
            )
        if key.id in self._replaced_in:
            self.notes.append(
                f"{line_name(position)} is signed by key {key.id}, although entry "
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
        if not signature_holds(head.signed_bytes(), head.signature, key.public_key):
            yield f"{HEAD} was changed: its signature does not hold."
        elif head.number > self._last:
            yield f"The log was cut off: {HEAD} speaks of {head.number} entries, {self._last} are there."
        elif digests.get(head.number, head.sha256) != head.sha256:
            yield f"Entry {head.number} of the custody log is not the one that {HEAD} speaks of."
        elif self._log.unfinished():
            self.notes.append(
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
            if self._digests and record.file not in self._named_in:
                yield f"{record.file} was put into the store past the custody log."
        if firsts := [record.file for record in records if record.origin == "first"][1:]:
            yield (
                f"keys/ holds two first keys: {', '.join(firsts)} or the one before was put in past the "
                "custody log."
            )


def _gap(first: int, last: int) -> str:
    missing = f"entry {first} is" if first == last else f"entries {first} to {last} are"
    return f"The custody log has a gap: {missing} missing."
