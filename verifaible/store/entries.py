"""The records of the custody log: an entry, what it names, and the statement of the log's end."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import Literal

from verifaible.errors import NewerFormat
from verifaible.schema.base import Record, Sha256
from verifaible.store.annotation import CanonicalRecord, format_of
from verifaible.store.root import FileName

FOLDER = "custody"
HEAD = f"{FOLDER}/head.json"
#: Says which store it is; the first entry names it.
DESCRIPTION = "store.json"
#: The form of a store as a whole.
STORE_FORMAT = 3
#: A store that has this file is of the first format, whose log it was.
LOG_OF_FORMAT_1 = "custody.jsonl"
#: Only an entry that deletes something is of format 4.
FORMAT, FORMAT_WITHOUT_DELETIONS = 4, 3
START_OF_CHAIN = "0" * 64
#: What follows a fault of the log.
RESTORE = "Restore it from a copy of the store."
DIGITS = 9
ENTRY_NAME = re.compile(rf"([0-9]{{{DIGITS}}})\.json")
#: In the place of the SHA-256 of what is missing.
NOTHING = "0" * 64

#: ``file`` is what an import brought along in verifaible 0.1 (``imports/``); ``head`` a head that was changed
#: or missing (zeros) when the entry was made, which put a new one in its place; ``deleted`` a file that an
#: entry before had named, or a folder beside the store (``runs/…``, ``judged/…``).
ItemKind = Literal[
    "key",
    "capture",
    "picture",
    "citation",
    "check",
    "file",
    "head",
    "store",
    "timestamp",
    "deleted",
]


class CustodyItem(Record):
    """One file that was added or deleted: its kind, its name in the store, and the SHA-256 of its bytes."""

    kind: ItemKind
    name: FileName
    sha256: Sha256


class CustodyEntry(CanonicalRecord):
    """One addition or deletion. ``previous`` is the SHA-256 of the entry before it, zeros for the first."""

    format: int = FORMAT_WITHOUT_DELETIONS
    number: int
    at: datetime
    previous: str
    items: tuple[CustodyItem, ...]
    key: str
    signature: str = ""


class CustodyHead(CanonicalRecord):
    """A signed statement of the last entry: its number and the SHA-256 of its file.

    Before the first entry the number is 0 and the SHA-256 all zeros.
    """

    format: int = FORMAT_WITHOUT_DELETIONS
    number: int
    sha256: str
    at: datetime
    key: str
    signature: str = ""


class StoreDescription(CanonicalRecord):
    """``store.json``: which store this is, and in which form."""

    format: int = STORE_FORMAT
    id: str
    created: datetime


def item(kind: ItemKind, name: str, data: bytes) -> CustodyItem:
    """The item of a file with these bytes."""
    return CustodyItem(kind=kind, name=name, sha256=hashlib.sha256(data).hexdigest())


def file_of(number: int) -> str:
    """The file of an entry."""
    return f"{FOLDER}/{number:0{DIGITS}}.json"


def refuse_newer(data: bytes, what: str) -> None:
    """Raise NewerFormat for a file of the log that a newer version wrote."""
    found = format_of(data)
    if found is not None and found > FORMAT:
        raise NewerFormat(what, found, FORMAT)
