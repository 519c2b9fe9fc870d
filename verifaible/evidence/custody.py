"""The custody log: what was put into a store, in order, chained by hashes and signed.

One file an entry, ``custody/<number>.json``: canonical JSON that names what was added with the
SHA-256 of each file, the hash of the entry before it, and a signature. Making the file of the
next number is what commits an addition: two writers can not both make it, and what no entry
names is not in the store. ``custody/head.json`` is a signed statement of the last entry, so that
a log whose end was cut off is found out. What it does not show: a store put back as a whole to
an earlier copy; for that, keep a head (or a time stamp of it) somewhere else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal

from pydantic import ValidationError

from verifaible.errors import IntegrityError, NewerFormat, StoreError
from verifaible.evidence.annotation import canonical, format_of
from verifaible.evidence.files import Files
from verifaible.evidence.keys import KeyRing, key_id, sign_bytes, signature_holds
from verifaible.schema.base import Record

FOLDER = "custody"
HEAD = f"{FOLDER}/head.json"
FORMAT = 2
_START_OF_CHAIN = "0" * 64
_DIGITS = 9

#: ``file`` is the log of format 1, whose SHA-256 the first entry takes over.
ItemKind = Literal["key", "capture", "highlight", "citation", "check", "file"]


class CustodyItem(Record):
    """One file that was added: its kind, its name in the store, and the SHA-256 of its bytes."""

    kind: ItemKind
    name: str
    sha256: str


class CustodyEntry(Record):
    """One addition. ``previous`` is the SHA-256 of the entry before it, zeros for the first."""

    format: int = FORMAT
    number: int
    at: datetime
    previous: str
    items: tuple[CustodyItem, ...]
    key: str
    signature: str = ""

    def signed_bytes(self) -> bytes:
        """What the signature is over: the canonical JSON of everything else."""
        return canonical(self.model_dump(mode="json", exclude={"signature"}))

    def to_bytes(self) -> bytes:
        """The entry's file."""
        return canonical(self.model_dump(mode="json"))


class CustodyHead(Record):
    """A signed statement of the last entry: its number and the SHA-256 of its file."""

    format: int = FORMAT
    number: int
    sha256: str
    at: datetime
    key: str
    signature: str = ""

    def signed_bytes(self) -> bytes:
        """What the signature is over: the canonical JSON of everything else."""
        return canonical(self.model_dump(mode="json", exclude={"signature"}))


def item(kind: ItemKind, name: str, data: bytes) -> CustodyItem:
    """The item of a file with these bytes."""
    return CustodyItem(kind=kind, name=name, sha256=hashlib.sha256(data).hexdigest())


def file_of(number: int) -> str:
    """The file of an entry."""
    return f"{FOLDER}/{number:0{_DIGITS}}.json"


class Custody:
    """The log of one store."""

    def __init__(self, files: Files, keys: KeyRing) -> None:
        self._files = files
        self._keys = keys

    # --- writing -------------------------------------------------------------------------

    def append(self, items: Sequence[CustodyItem]) -> CustodyEntry:
        """Add an entry; when this returns, what it names is in the store.

        The first entry of a log also names the store's first key.
        """
        signer = self._keys.signer
        name = key_id(signer.public_key)
        number, previous = self._last()
        while True:
            named = tuple(items)
            if number == 0:
                record = self._keys.get(name)
                named = (item("key", record.file, record.to_bytes()), *named)
            draft = CustodyEntry(
                number=number + 1, at=datetime.now(UTC), previous=previous, items=named, key=name
            )
            entry = draft.model_copy(update={"signature": sign_bytes(signer, draft.signed_bytes())})
            data = entry.to_bytes()
            if self._files.create(file_of(entry.number), data):
                self._set_head(entry.number, hashlib.sha256(data).hexdigest())
                return entry
            # Another writer took that number: go on behind it.
            number += 1
            previous = hashlib.sha256(self._files.read(file_of(number))).hexdigest()

    def _last(self) -> tuple[int, str]:
        """The number and hash of the last entry: the head's, or one that was added behind it."""
        try:
            head = self.head()
        except IntegrityError:
            head = None  # ``faults`` tells; the entries themselves still count
        if head is not None and not self._files.exists(file_of(head.number)):
            head = None
        number, digest = (head.number, head.sha256) if head else (0, _START_OF_CHAIN)
        if head is None and (names := self._names()):
            number = int(names[-1].removesuffix(".json"))
            digest = hashlib.sha256(self._files.read(file_of(number))).hexdigest()
        while self._files.exists(file_of(number + 1)):
            number += 1
            digest = hashlib.sha256(self._files.read(file_of(number))).hexdigest()
        return number, digest

    def _set_head(self, number: int, sha256: str) -> None:
        signer = self._keys.signer
        while True:
            draft = CustodyHead(
                number=number, sha256=sha256, at=datetime.now(UTC), key=key_id(signer.public_key)
            )
            head = draft.model_copy(update={"signature": sign_bytes(signer, draft.signed_bytes())})
            self._files.replace(HEAD, canonical(head.model_dump(mode="json")))
            # A writer that came later may have been faster: its head must not be lost to ours.
            last, digest = self._last()
            if last == number:
                return
            number, sha256 = last, digest

    # --- reading -------------------------------------------------------------------------

    def head(self) -> CustodyHead | None:
        """The last statement of the log's end; None in a store without a log.

        Raises:
            IntegrityError: its file is damaged.
            NewerFormat: a newer version wrote it.
        """
        try:
            data = self._files.read(HEAD)
        except FileNotFoundError:
            return None
        _refuse_newer(data, "The custody log")
        try:
            return CustodyHead.model_validate_json(data)
        except ValidationError as error:
            raise IntegrityError(f"{HEAD} is damaged. {_RESTORE}") from error

    def last_number(self) -> int:
        """The number of the last entry, 0 in an empty log."""
        return self._last()[0]

    def entry(self, number: int) -> CustodyEntry:
        """One entry, whose signature must hold.

        Raises:
            IntegrityError: it is missing, damaged, or not signed by a key of this store.
        """
        return self._read(number)[0]

    def entries(self, after: int = 0) -> Iterator[CustodyEntry]:
        """The entries behind a number, in order; errors are those of ``entry``."""
        for number in range(after + 1, self.last_number() + 1):
            yield self.entry(number)

    def _read(self, number: int) -> tuple[CustodyEntry, bytes]:
        name = file_of(number)
        try:
            data = self._files.read(name)
        except FileNotFoundError as error:
            raise IntegrityError(f"{name} is missing. {_RESTORE}") from error
        _refuse_newer(data, name)
        try:
            entry = CustodyEntry.model_validate_json(data)
        except ValidationError as error:
            raise IntegrityError(f"{name} is damaged. {_RESTORE}") from error
        if entry.number != number or entry.to_bytes() != data:
            raise IntegrityError(f"{name} was changed. {_RESTORE}")
        key = self._keys.get(entry.key)
        if not signature_holds(entry.signed_bytes(), entry.signature, key.public_key):
            raise IntegrityError(f"{name} was changed: its signature does not hold. {_RESTORE}")
        return entry, data

    def _names(self) -> list[str]:
        return [name for name in self._files.names(FOLDER) if name[:_DIGITS].isdigit()]

    # --- checking ------------------------------------------------------------------------

    def faults(self) -> list[str]:
        """What is wrong with the log itself, one sentence each: a gap, a change, a cut-off end."""
        return list(self._faults())

    def _faults(self) -> Iterator[str]:
        numbers = [int(name.removesuffix(".json")) for name in self._names()]
        yield from _gaps(numbers)
        digests: dict[int, str] = {}
        for number in numbers:
            try:
                entry, data = self._read(number)
            except StoreError as error:
                yield str(error)
                continue
            digests[number] = hashlib.sha256(data).hexdigest()
            before = _START_OF_CHAIN if number == 1 else digests.get(number - 1)
            if before is not None and entry.previous != before:
                yield f"{file_of(number)} does not continue the chain: the entry before it was exchanged."
        yield from self._head_faults(digests)
        yield from self._key_faults()

    def _head_faults(self, digests: dict[int, str]) -> Iterator[str]:
        try:
            head = self.head()
            if head is None:
                if digests:
                    yield f"{HEAD} is missing: nothing says where the log ends."
                return
            key = self._keys.get(head.key)
        except StoreError as error:
            yield str(error)
            return
        if not signature_holds(head.signed_bytes(), head.signature, key.public_key):
            yield f"{HEAD} was changed: its signature does not hold."
        elif head.number > max(digests, default=0):
            there = max(digests, default=0)
            yield f"The log was cut off: {HEAD} speaks of {head.number} entries, {there} are there."
        elif digests.get(head.number, head.sha256) != head.sha256:
            yield f"{file_of(head.number)} is not the entry that {HEAD} speaks of."

    def _key_faults(self) -> Iterator[str]:
        """Keys of the store's own that no entry names, or a second first key."""
        named: set[str] = set()
        for entry in self._whole_entries():
            named |= {each.name for each in entry.items if each.kind == "key"}
        try:
            records = self._keys.all()
        except StoreError as error:
            yield str(error)
            return
        for record in records:
            if named and record.file not in named:
                yield f"{record.file} was put into the store past the custody log."
        if sum(record.origin == "first" for record in records) > 1:
            yield "keys/ holds two first keys: one of them was put in past the custody log."

    def _whole_entries(self) -> Iterator[CustodyEntry]:
        for name in self._names():
            try:
                yield self.entry(int(name.removesuffix(".json")))
            except StoreError:
                continue  # told already


_RESTORE = "Restore it from a copy of the store."


def _gaps(numbers: Iterable[int]) -> Iterator[str]:
    expected = 1
    for number in numbers:
        if number > expected:
            missing = f"entry {expected}" if number == expected + 1 else f"entries {expected} to {number - 1}"
            yield f"The custody log has a gap: {missing} missing."
        expected = number + 1


def _refuse_newer(data: bytes, what: str) -> None:
    found = format_of(data)
    if found > FORMAT:
        raise NewerFormat(what, found, FORMAT)
