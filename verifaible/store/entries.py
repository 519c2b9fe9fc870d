"""The records of a store: which one it is, and the entries of its custody log with its end's statement."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Final, Literal

from pydantic import ValidationError

from verifaible.errors import ConfigError, IntegrityError, NewerFormat, StoreError
from verifaible.schema.base import Record, Sha256
from verifaible.store.annotation import CanonicalRecord, format_of, require_format
from verifaible.store.files import Files
from verifaible.store.root import FileName

#: Says which store it is; the first entry names it.
DESCRIPTION: Final = "store.json"
#: Where the checks of each citation are.
CHECKS: Final = "checks"
#: The form of a store and of its log.
FORMAT: Final = 4
START_OF_CHAIN: Final = "0" * 64
#: In the place of the SHA-256 of what is missing.
NOTHING: Final = "0" * 64
#: What follows a fault.
RESTORE: Final = "Restore it from a copy of the store."

#: ``check`` is a line of ``checks/<citation>.jsonl``, with the SHA-256 of the line; ``head`` a head that was
#: changed or missing (zeros) when the entry was made, which put a new one in its place; ``deleted`` what an
#: entry before had named, or a folder beside the store (``runs/…``, ``judged/…``).
ItemKind = Literal["key", "capture", "picture", "citation", "check", "head", "store", "timestamp", "deleted"]


class CustodyItem(Record):
    """One file that was added or deleted: its kind, its name in the store, and the SHA-256 of its bytes."""

    kind: ItemKind
    name: FileName
    sha256: Sha256

    @property
    def folder(self) -> str:
        """The folder of the store that it is in; at the top its own name."""
        return self.name.partition("/")[0]

    @property
    def stem(self) -> str:
        """Its name without folder and ending: of a citation and its checks the id."""
        return PurePosixPath(self.name).stem


class CustodyEntry(CanonicalRecord):
    """One addition or deletion. ``previous`` is the SHA-256 of the entry before it, zeros for the first."""

    format: int = FORMAT
    number: int
    at: datetime
    previous: Sha256
    items: tuple[CustodyItem, ...]
    key: str
    signature: str = ""


class CustodyHead(CanonicalRecord):
    """A signed statement of the last entry: its number and the SHA-256 of its line.

    Before the first entry the number is 0 and the SHA-256 all zeros.
    """

    format: int = FORMAT
    number: int
    sha256: Sha256
    at: datetime
    key: str
    signature: str = ""


def item(kind: ItemKind, name: str, data: bytes) -> CustodyItem:
    """The item of a file with these bytes."""
    return CustodyItem(kind=kind, name=name, sha256=sha256_of(data))


def refuse_newer(data: bytes, what: str) -> None:
    """Raise NewerFormat for a part of the log that a newer version wrote."""
    found = format_of(data)
    if found is not None and found > FORMAT:
        raise NewerFormat(what, found, FORMAT)


def line_name(number: int) -> str:
    """What messages call a line of the log."""
    return f"custody.jsonl:{number}"


def sha256_of(data: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class StoreDescription(CanonicalRecord):
    """Which store this is, in which form, and whether PostgreSQL has its log (``shared``)."""

    format: int = FORMAT
    id: str
    created: datetime
    shared: bool = False


def describe(files: Files, *, shared: bool) -> StoreDescription:
    """The description of the store in these files; a new store gets one.

    Args:
        files: the files of the store.
        shared: PostgreSQL has the log, as the settings say.

    Raises:
        IntegrityError: it is missing, and the place holds more than a new store.
        StoreError: it is damaged or of another format.
        ConfigError: the log is not where the settings say.
    """
    try:
        data = files.read(DESCRIPTION)
    except FileNotFoundError:
        refuse_without_description(files)
        created = StoreDescription(id=uuid.uuid4().hex, created=datetime.now(UTC), shared=shared)
        files.create(DESCRIPTION, created.to_bytes())
        data = files.read(DESCRIPTION)  # another process may have been first
    require_format(f"The store {files.location} ({DESCRIPTION})", format_of(data), FORMAT)
    try:
        found = StoreDescription.model_validate_json(data)
    except ValidationError as error:
        raise StoreError(f"{DESCRIPTION} of {files.location} is damaged. {RESTORE}") from error
    if found.shared != shared:
        there = "in PostgreSQL: set VERIFAIBLE_INDEX to its address."
        here = "in its folder: unset VERIFAIBLE_INDEX, or import what is in it into a new store."
        raise ConfigError(f"The log of the store {files.location} is {there if found.shared else here}")
    return found


def refuse_without_description(files: Files) -> None:
    """Refuse a place that holds a log or keys: it is no empty store.

    Raises:
        IntegrityError: it has lost its description, or that is a link.
    """
    used = not {"custody.jsonl", "keys"}.isdisjoint(files.at_top())
    # read last: another writer makes the description before what was just seen; and a link is named as one
    try:
        files.read(DESCRIPTION)
    except FileNotFoundError as error:
        if used:
            raise IntegrityError(f"{DESCRIPTION} of {files.location} is missing. {RESTORE}") from error
