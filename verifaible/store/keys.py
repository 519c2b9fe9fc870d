"""The keys of a store: one that signs now, and every one that ever signed.

``keys/signing.pem`` is the private key. ``keys/<key id>.json`` is a public key with its origin:
the ``first`` of the store; ``rotated``, endorsed by the signature of the key before it; ``lost``,
made after the private key was lost, so that nobody could endorse it; ``imported`` with a
citation from another store. A new key never breaks an old verification, and none gets in
unnoticed: whatever is not endorsed is named in the check's message.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from verifaible.archive.signing import SignedData, Signer, verify_signature
from verifaible.errors import IntegrityError, StoreError
from verifaible.store.annotation import CanonicalRecord
from verifaible.store.files import Files
from verifaible.store.root import Root

PRIVATE = "keys/signing.pem"
_ID_LENGTH = 16
_ID = re.compile(rf"[0-9a-f]{{{_ID_LENGTH}}}")
Origin: TypeAlias = Literal["first", "rotated", "lost", "imported"]


class KeyRecord(CanonicalRecord):
    """A public key of a store and where it came from.

    ``public_key`` is SubjectPublicKeyInfo (DER) in base64; ``signature`` is by the key
    ``endorsed_by``, over the canonical JSON of the other fields.
    """

    id: str
    public_key: str
    created: datetime
    origin: Origin
    endorsed_by: str = ""
    signature: str = ""

    @property
    def file(self) -> str:
        """Its file in the store."""
        return f"keys/{self.id}.json"

    def signed_by(self, by: KeyRecord) -> bool:
        """Whether its signature is by that key."""
        return signature_holds(self.signed_bytes(), self.signature, by.public_key)


def key_id(public_key: str) -> str:
    """The short name of a key: the start of the SHA-256 of its SubjectPublicKeyInfo."""
    return hashlib.sha256(base64.b64decode(public_key)).hexdigest()[:_ID_LENGTH]


def sign_bytes(signer: Signer, data: bytes) -> str:
    """A signature (base64 of r||s) over the SHA-256 of data, written as ``sha256:<hex>``."""
    return signer.sign(_named_digest(data), created="", software="").signature


def signature_holds(data: bytes, signature: str, public_key: str) -> bool:
    """Whether ``signature`` was made by ``sign_bytes`` of that key over these bytes."""
    return verify_signature(SignedData(_named_digest(data), "", "", signature, public_key))


def _named_digest(data: bytes) -> str:
    # The form WACZ signs (specs.webrecorder.net/wacz-auth): the text of the digest.
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class KeyRing:
    """The keys of one store.

    Args:
        files: the store's files.
        private: where the private key is kept instead of in the store.
    """

    def __init__(self, files: Files, private: Path | None = None) -> None:
        self._files = files
        self._private = private
        self._signer: Signer | None = None
        self._known: dict[str, KeyRecord] = {}
        self._firsts: list[KeyRecord] = []
        #: Called with a store's first key before its record is there: a log begins with its head.
        self.beginning: Callable[[Signer], None] = lambda _: None

    @property
    def signer(self) -> Signer:
        """The key that signs now; the store's first is made at its first use.

        Raises:
            StoreError: it cannot be read; or it is gone although the store has had one.
        """
        if self._signer is None:
            self._signer = self._load()
        return self._signer

    @property
    def current(self) -> KeyRecord:
        """The record of the key that signs now."""
        return self.get(key_id(self.signer.public_key))

    def get(self, name: str) -> KeyRecord:
        """A key by its id; a ``rotated`` one is endorsed by a key of the store's own, back to its first.

        Raises:
            IntegrityError: the store has no such key, or its file was changed.
        """
        chain: dict[str, KeyRecord] = {}
        step = name
        while step not in self._known and step not in chain:
            chain[step] = self._read(step)
            if chain[step].origin != "rotated":
                break
            step = chain[step].endorsed_by
        for each, record in reversed(chain.items()):
            if record.origin == "rotated":
                by = self._known.get(record.endorsed_by)
                own = by is not None and by.origin != "imported"
                if by is None or not own or not record.signed_by(by):
                    raise self._damaged(each)
            self._known[each] = record
        return self._known[name]

    def root(self, record: KeyRecord) -> KeyRecord:
        """The key at the beginning of the endorsements of a key: a first, a lost or an imported one."""
        while record.origin == "rotated":
            record = self.get(record.endorsed_by)
        return record

    def firsts(self) -> list[KeyRecord]:
        """The keys that say they are the store's first; more than one means that one was put in."""
        found = []
        for name in () if self._firsts else self._names():
            with suppress(IntegrityError):  # told where all keys are examined
                found.append(self.get(name))
        # At once: several threads verify beside one another.
        self._firsts = self._firsts or [record for record in found if record.origin == "first"]
        return self._firsts

    def all(self) -> list[KeyRecord]:
        """Every key, oldest first."""
        return sorted((self.get(name) for name in self._names()), key=lambda key: (key.created, key.id))

    def _names(self) -> list[str]:
        return [name.removesuffix(".json") for name in self._files.names("keys") if name.endswith(".json")]

    def of(self, public_key: str) -> KeyRecord:
        """The record of a public key; errors are those of ``get``."""
        try:
            name = key_id(public_key)
        except ValueError as error:
            raise IntegrityError(f"{public_key[:40]!r} is no public key. Restore it from a copy.") from error
        return self.get(name)

    def rotate(self, *, lost: bool = False) -> tuple[KeyRecord, Signer]:
        """A new key; it signs only after its record is there and ``use`` was called with it.

        Args:
            lost: the private key is gone, so that the new one is not endorsed.
        """
        signer = Signer.new()
        record = _record(signer.public_key, "lost" if lost else "rotated")
        if not lost:
            record = record.model_copy(update={"endorsed_by": key_id(self.signer.public_key)})
            signature = sign_bytes(self.signer, record.signed_bytes())
            record = record.model_copy(update={"signature": signature})
        return record, signer

    def use(self, signer: Signer) -> None:
        """Put a new key in the place of the private key."""
        if self._private is None:
            self._files.replace(PRIVATE, signer.private_bytes())
        else:
            self._private.unlink(missing_ok=True)
            signer.save(self._private)
        self._signer = signer

    def exposed(self) -> str:
        """A sentence if others than its owner may read the private key, else an empty string."""
        folder = self._files.folder if isinstance(self._files, Root) else None
        path = self._private or (folder and folder / PRIVATE)
        if path is None or not path.exists() or not path.stat().st_mode & 0o077:
            return ""
        return (
            f"{path} may be read or written by others than its owner, who can sign in the store's name. "
            f"Run `chmod 600 {path}`; if somebody may have read it, `verifaible store rotate-key`."
        )

    def add_imported(self, public_key: str) -> KeyRecord:
        """Take in the key of another store, as such."""
        record = _record(public_key, "imported")
        self._files.create(record.file, record.to_bytes())  # one that is there stays
        return self.get(record.id)

    # --- inside

    def _load(self) -> Signer:
        known = any(record.origin != "imported" for record in self.all())
        if self._private is None:
            signer = self._stored(expected=known)
        elif known and not self._private.exists():
            raise self._gone(str(self._private))
        else:
            signer = Signer.load_or_create(self._private)
        record = _record(signer.public_key, "first")
        if not self._files.exists(record.file):
            if known:
                raise StoreError(
                    f"The signing key of {self._files.location} is not one this store knows. Put the right "
                    "key back; `verifaible store rotate-key` is how a store gets a new one (--lost: without "
                    "the old)."
                )
            self.beginning(signer)
            self._files.create(record.file, record.to_bytes())
        return signer

    def _stored(self, *, expected: bool) -> Signer:
        """The private key in the store; of two processes that make it at once, the first wins."""
        if not self._files.exists(PRIVATE):
            if expected:
                raise self._gone(PRIVATE)
            self._files.create(PRIVATE, Signer.new().private_bytes())
        return Signer.from_bytes(self._files.read(PRIVATE), PRIVATE)

    def _gone(self, where: str) -> StoreError:
        return StoreError(
            f"The signing key {where} of {self._files.location} is gone; what it signed can still be "
            "verified. Put it back, or make a new one that the old one did not endorse: verifaible store "
            "rotate-key --lost"
        )

    def _read(self, name: str) -> KeyRecord:
        """A key's record, whose endorsement is not examined yet."""
        try:
            # What is no id cannot be a name of a file; a file that is there under one was put there.
            data = self._files.read(f"keys/{name}.json") if _ID.fullmatch(name) else b""
            record = KeyRecord.model_validate_json(data)
            whole = record.id == name == key_id(record.public_key) and record.to_bytes() == data
        except (FileNotFoundError, ValueError) as error:
            if isinstance(error, FileNotFoundError) or name not in self._names():
                raise IntegrityError(
                    f"The store has no key {name[:80]}: something in it was signed by another key than its "
                    "own. Restore it from a copy, or import the citation from the store that made it."
                ) from error
            raise self._damaged(name) from error
        if not whole:
            raise self._damaged(name)
        return record

    def _damaged(self, name: str) -> IntegrityError:
        return IntegrityError(
            f"keys/{name}.json of {self._files.location} was changed or is damaged. Restore it from a copy."
        )


def _record(public_key: str, origin: Origin) -> KeyRecord:
    return KeyRecord(id=key_id(public_key), public_key=public_key, created=datetime.now(UTC), origin=origin)
