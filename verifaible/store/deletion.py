"""Deleting citations: what goes with them, what others still need, and the entry that tells of it.

The custody log stays whole: a signed entry names every file that is deleted, with its SHA-256, before
the first of them is. So a deletion is never taken for a loss, nor a loss for a deletion.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from verifaible.errors import IntegrityError, StoreError
from verifaible.schema.base import Record
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.annotation import canonical
from verifaible.store.audit import Inventory
from verifaible.store.entries import CustodyItem
from verifaible.store.sealed import citation_file
from verifaible.store.store import Store

#: Folders whose files are one citation's alone; the name begins with its id.
_OWN = ("citations", "checks")
#: Folders whose files several may rest on, named by their SHA-256.
_SHARED = ("captures", "pictures")
_HASH = re.compile(rb"[0-9a-f]{64}")


class Deletion(Record):
    """What would be deleted.

    Attributes:
        citations: their ids.
        items: every file, as the custody log names it.
        kept: captures and pictures of these citations that something else rests on.
    """

    citations: tuple[str, ...]
    items: tuple[CustodyItem, ...]
    kept: tuple[str, ...] = ()


def plan(store: Store, citations: Collection[str], *, needed: Collection[str] = ()) -> Deletion:
    """Find everything that goes with some citations; nothing is deleted yet.

    A capture or a picture goes with them unless the file of another citation names its hash.

    Args:
        store: the store.
        citations: whole ids.
        needed: SHA-256 of captures that something outside of the store rests on.

    Raises:
        IntegrityError: the store has faults, whose traces a deletion would cover.
    """
    inventory = Inventory(store)
    faults = [*inventory.log.faults, *inventory.examine(dict(_read(inventory, citations))).faults]
    if faults:
        raise IntegrityError(
            f"The store {store.location} has faults, so nothing was deleted. Put them right first: "
            f"`verifaible verify --all` names them all; the first is: {faults[0]}"
        )
    mine = _hashes(store, citations)
    others = _hashes(store, inventory.citations.keys() - set(citations)) | set(needed)
    own = [each for each in inventory.items() if each.folder in _OWN and each.stem in citations]
    shared = [each for each in inventory.items() if each.folder in _SHARED and each.sha256 in mine]
    return Deletion(
        citations=tuple(citations),
        # Shared ones last: a kill in between leaves material, and no citation without it.
        items=(*own, *(each for each in shared if each.sha256 not in others)),
        kept=tuple(each.name for each in shared if each.sha256 in others),
    )


def _read(inventory: Inventory, going: Collection[str]) -> Iterator[tuple[str, Citation]]:
    """Every citation; one that is damaged can go, but as long as it stays nobody knows what it rests on."""
    store = inventory.store
    for name, logged in inventory.citations.items():
        try:
            data = store.sealed_bytes(citation_file(name), logged.sha256)
            yield name, annotation.from_bytes(data, name)
        except StoreError as error:
            if name not in going:
                raise IntegrityError(
                    f"A citation of {store.location} is damaged, so nothing was deleted: {error}"
                ) from error


def _hashes(store: Store, citations: Iterable[str]) -> set[str]:
    """Every hash that the files of citations name; read as bytes, so that a damaged one counts as well."""
    found: set[str] = set()
    for name in citations:
        try:
            found |= hashes_in(store.files.read(citation_file(name)))
        except FileNotFoundError:
            continue  # lost: an audit says so
    return found


def hashes_in(data: bytes) -> set[str]:
    """Whatever in a file may be a SHA-256 in hexadecimal."""
    return {match.decode() for match in _HASH.findall(data)}


def log_deleted(store: Store, folder: Path, name: str) -> None:
    """Name a folder that is deleted in the custody log; the caller deletes it afterwards.

    Its hash is that of the canonical JSON that maps each of its files to its SHA-256, so that a copy can be
    recognised.

    Args:
        store: the store.
        folder: the folder of a run or of judging.
        name: such as ``runs/20260302T080000Z-oracle``.

    Raises:
        StoreError: a file of it cannot be read, or the store cannot be written.
    """
    try:
        files = {path: hashlib.sha256(data).hexdigest() for path, data in _files(folder)}
    except OSError as error:
        raise StoreError(f"{folder} cannot be read ({error.strerror}). Correct its permissions.") from error
    store.log([CustodyItem(kind="deleted", name=name, sha256=hashlib.sha256(canonical(files)).hexdigest())])


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path.read_bytes()
