"""The custody log: what was put into a store, in order, chained by hashes and signed.

One file an entry, ``custody/<number>.json``: canonical JSON that names what was added with the
SHA-256 of each file, the hash of the entry before it, and a signature. Making the file of the
next number is what commits an addition: two writers can not both make it, and what no entry
names is not in the store. ``custody/head.json`` is a signed statement of the last entry, so that
a log whose end was cut off is found out, now and after later additions: these keep its numbers
free. It is there before the first entry, and says then that there is none, so that no kill
leaves entries without it. What the log alone does not show: a store put back as a whole to an
earlier copy, or made anew with another key; for that, keep a head somewhere else and give it to
the audit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from pydantic import ValidationError

from verifaible.archive.signing import Signer
from verifaible.errors import IntegrityError, StoreError
from verifaible.store.entries import (
    DESCRIPTION,
    ENTRY_NAME,
    FOLDER,
    FORMAT,
    FORMAT_WITHOUT_DELETIONS,
    HEAD,
    NOTHING,
    RESTORE,
    START_OF_CHAIN,
    CustodyEntry,
    CustodyHead,
    CustodyItem,
    file_of,
    item,
    refuse_newer,
)
from verifaible.store.files import Files, read_many
from verifaible.store.keys import KeyRing, key_id, sign_bytes, signature_holds
from verifaible.store.log_faults import Examined, examine


class Custody:
    """The log of one store."""

    def __init__(self, files: Files, keys: KeyRing) -> None:
        self._files = files
        self._keys = keys
        self._own: set[str] = set()
        self._sound_head: bytes = b""
        keys.beginning = self._begin

    # --- writing -------------------------------------------------------------------------

    def append(self, items: Sequence[CustodyItem]) -> CustodyEntry:
        """Add an entry; when this returns, what it names is in the store.

        The first entry of a log also names the store's description and its first key.
        """
        signer = self._keys.signer
        name = key_id(signer.public_key)
        head = self._sound()
        number, previous = (head.number, head.sha256) if head else self._last()
        replaced = () if head else self._replaced_head()
        if replaced and not self._files.exists(HEAD):
            self._begin(signer)
        while True:
            named = (*replaced, *items)
            if number == 0:
                record = self._keys.get(name)
                named = (*self._description(), item("key", record.file, record.to_bytes()), *named)
            deletes = any(each.kind == "deleted" for each in named)
            draft = CustodyEntry(
                format=FORMAT if deletes else FORMAT_WITHOUT_DELETIONS,
                number=number + 1,
                at=datetime.now(UTC),
                previous=previous,
                items=named,
                key=name,
            )
            entry = draft.model_copy(update={"signature": sign_bytes(signer, draft.signed_bytes())})
            data = entry.to_bytes()
            # A request whose answer was lost is sent once more, and then finds what it made itself.
            if (
                self._files.create(file_of(entry.number), data)
                or (taken := self._files.read(file_of(entry.number))) == data
            ):
                self._raise_head(entry.number, hashlib.sha256(data).hexdigest())
                return entry
            # Another writer took that number: go on behind the last of them.
            number, previous = self._behind(entry.number, hashlib.sha256(taken).hexdigest())

    def _begin(self, signer: Signer) -> None:
        self._files.create(HEAD, _signed_head(signer, 0, START_OF_CHAIN))

    def _description(self) -> tuple[CustodyItem, ...]:
        """The store's own description, for the first entry."""
        try:
            return (item("store", DESCRIPTION, self._files.read(DESCRIPTION)),)
        except FileNotFoundError:
            return ()

    def _last(self) -> tuple[int, str]:
        """The number and hash of the last entry: the head's, or one that was added behind it.

        A head that holds is believed even if its entry is gone, so that a log whose end was cut off
        goes on behind the gap, and the gap stays to be seen.
        """
        head = self._sound()
        return self._behind(*((head.number, head.sha256) if head else self._last_sound_entry()))

    def _behind(self, number: int, digest: str) -> tuple[int, str]:
        """The number and hash of the last of the entries that follow this one without a gap, or of itself."""
        while (data := self._there(number + 1)) is not None:
            number, digest = number + 1, hashlib.sha256(data).hexdigest()
        return number, digest

    def _there(self, number: int) -> bytes | None:
        """The bytes of an entry's file; None if there is none. In a bucket that is a single request."""
        try:
            return self._files.read(file_of(number))
        except FileNotFoundError:
            return None

    def _sound(self) -> CustodyHead | None:
        """The head, if there is one and it is signed by a key of this store; ``faults`` tells the rest."""
        try:
            data = self._files.read(HEAD)
            refuse_newer(data, "The custody log")
            head = CustodyHead.model_validate_json(data)
            if data != self._sound_head:
                self.refuse_foreign(head.key)
                if not signature_holds(
                    head.signed_bytes(), head.signature, self._keys.get(head.key).public_key
                ):
                    return None
                self._sound_head = data
        except (FileNotFoundError, ValidationError, IntegrityError):
            return None
        return head

    def _last_sound_entry(self) -> tuple[int, str]:
        """Without a head: the last entry that holds; a number in a file's name alone proves nothing."""
        for number in reversed(self.numbers()):
            try:
                return number, hashlib.sha256(self.read(number)[1]).hexdigest()
            except IntegrityError:
                continue
        return 0, START_OF_CHAIN

    def _replaced_head(self) -> tuple[CustodyItem, ...]:
        """What an entry says of the head, missing or not sound, that it puts a new one in the place of."""
        try:
            return (item("head", HEAD, self._files.read(HEAD)),)
        except FileNotFoundError:
            return (CustodyItem(kind="head", name=HEAD, sha256=NOTHING),)

    def _digest(self, number: int) -> str:
        return hashlib.sha256(self._files.read(file_of(number))).hexdigest()

    def _raise_head(self, number: int, sha256: str) -> None:
        """Have the head speak of this entry or a later one.

        Of writers that come at once, a slower one may put its older head in the place of a newer: so each
        looks once more behind what it wrote, and puts right what it may have hidden.
        """
        while True:
            self._files.replace(HEAD, _signed_head(self._keys.signer, number, sha256))
            last, digest = self._behind(number, sha256)
            if last == number or ((head := self._sound()) and head.number >= last):
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
        refuse_newer(data, "The custody log")
        try:
            return CustodyHead.model_validate_json(data)
        except ValidationError as error:
            raise IntegrityError(f"{HEAD} is damaged. {RESTORE}") from error

    def last_number(self) -> int:
        """The number of the last entry, 0 in an empty log."""
        return self._last()[0]

    def entry(self, number: int) -> CustodyEntry:
        """One entry, whose signature must hold.

        Raises:
            IntegrityError: it is missing, damaged, or not signed by a key of this store.
        """
        return self.read(number)[0]

    def entries(self, after: int = 0) -> Iterator[CustodyEntry]:
        """The entries behind a number, in order; errors are those of ``entry``."""
        for number in range(after + 1, self.last_number() + 1):
            yield self.entry(number)

    def read(self, number: int) -> tuple[CustodyEntry, bytes]:
        """One entry with the bytes of its file; errors are those of ``entry``."""
        entry, data = self._signed(number)
        self.refuse_foreign(entry.key)
        return entry, data

    def read_all(self, numbers: Iterable[int]) -> Iterator[tuple[CustodyEntry, bytes] | StoreError]:
        """Each of these entries with the bytes of its file, or the error of :meth:`entry`."""

        def read(number: int) -> tuple[CustodyEntry, bytes] | StoreError:
            try:
                return self.read(number)
            except StoreError as error:
                return error

        return read_many(self._files, read, numbers)

    def _signed(self, number: int) -> tuple[CustodyEntry, bytes]:
        name = file_of(number)
        try:
            data = self._files.read(name)
        except FileNotFoundError as error:
            raise IntegrityError(f"{name} is missing. {RESTORE}") from error
        refuse_newer(data, name)
        try:
            entry = CustodyEntry.model_validate_json(data)
        except ValidationError as error:
            raise IntegrityError(f"{name} is damaged{_strange_name(error)}. {RESTORE}") from error
        if entry.number != number or entry.to_bytes() != data:
            raise IntegrityError(f"{name} was changed. {RESTORE}")
        key = self._keys.get(entry.key)
        if not signature_holds(entry.signed_bytes(), entry.signature, key.public_key):
            raise IntegrityError(f"{name} was changed: its signature does not hold. {RESTORE}")
        return entry, data

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
            first, _ = self._signed(1)
            if first.key != root.id or root.file not in {each.name for each in first.items}:
                raise IntegrityError(
                    f"{root.file} says that it is the store's first key, but the custody log does not begin "
                    "with it: it was put there past the log, and what it signed is forged."
                )
        if root.origin == "lost" and firsts and self._signed(1)[0].key == root.id:
            raise IntegrityError(
                f"{root.file} says that it took the place of a lost key, but the custody log begins with it "
                f"although the store has a first key, {firsts[0].id}: the log was made anew."
            )
        self._own.add(key)

    def numbers(self) -> list[int]:
        """The numbers of the entries whose files are there, in order."""
        matches = (ENTRY_NAME.fullmatch(name) for name in self._files.names(FOLDER))
        return [int(match[1]) for match in matches if match]

    # --- checking ------------------------------------------------------------------------

    def examine(self, see: Callable[[CustodyEntry], None] | None = None) -> Examined:
        """What is wrong with the log and the keys; ``see`` is shown each entry that holds, in order."""
        return examine(self, self._keys, see)

    def faults(self) -> list[str]:
        """What is wrong with the log itself, one sentence each: a gap, a change, a cut-off end."""
        return list(self.examine().faults)

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
        last = max(self.numbers(), default=0)
        if last < kept.number:
            return [
                f"The log ends with entry {last}, but the head that was kept elsewhere speaks of "
                f"{kept.number}: the store was put back to an earlier copy, or its end was cut off."
            ]
        if kept.number == 0:
            return []  # it was kept before anything was added
        name = file_of(kept.number)
        if not self._files.exists(name) or self._digest(kept.number) != kept.sha256:
            return [f"{name} is not the entry that the head kept elsewhere speaks of: the log was made anew."]
        return []


def _strange_name(error: ValidationError) -> str:
    """What a record names that no store has, if that is what is wrong with it."""
    for each in error.errors():
        if each["loc"][-1:] == ("name",) and each["type"] == "value_error":
            return f": it names {str(each['input'])[:100]!r}, which is no file of a store"
    return ""


def _signed_head(signer: Signer, number: int, sha256: str) -> bytes:
    draft = CustodyHead(number=number, sha256=sha256, at=datetime.now(UTC), key=key_id(signer.public_key))
    head = draft.model_copy(update={"signature": sign_bytes(signer, draft.signed_bytes())})
    return head.to_bytes()
