"""Verifying a whole store: every citation, the custody log, and what neither of them names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from verifaible.errors import StoreError
from verifaible.evidence import legacy
from verifaible.evidence.store import Store
from verifaible.evidence.verify import verify
from verifaible.schema.base import Record
from verifaible.schema.citation import Check

_BATCH = 200

#: Called with each citation's check, as it is made.
Watch: TypeAlias = Callable[[Check], None]


class Audit(Record):
    """What an audit found, one sentence each: ``faults`` of the store itself, and ``notes``.

    A note is of a file that no custody entry names, which is therefore not in the store.
    """

    checked: int
    verified: int
    failed: tuple[Check, ...]
    faults: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything is as it was put in."""
        return not self.failed and not self.faults


def audit(
    store: Store, *, hash_only: bool = False, since: datetime | None = None, watch: Watch | None = None
) -> Audit:
    """Verify every citation, append the checks to their histories, and examine the store.

    Args:
        store: the store.
        hash_only: leave out finding the evidence again.
        since: only citations made at that time or later; the store is examined in any case.
        watch: told of each check.
    """
    checked, verified = 0, 0
    failed: list[Check] = []
    batch: list[Check] = []
    unrecorded = ""
    for check in _checks(store, hash_only=hash_only, since=since):
        checked += 1
        verified += check.verdict == "verified"
        if check.verdict != "verified":
            failed.append(check)
        if watch is not None:
            watch(check)
        batch.append(check)
        if len(batch) == _BATCH:
            unrecorded = unrecorded or record(store, batch)
            batch = []
    unrecorded = unrecorded or record(store, batch)
    named = _named(store)
    return Audit(
        checked=checked,
        verified=verified,
        failed=tuple(failed),
        faults=(
            *store.custody.faults(),
            *legacy.chain_faults(store.files),
            *_missing(store, named),
            *((unrecorded,) if unrecorded else ()),
        ),
        notes=tuple(_unnamed(store, named)),
    )


def record(store: Store, checks: Sequence[Check]) -> str:
    """Append checks to their histories; a store that cannot be added to is no reason not to check it.

    Returns:
        A sentence that says why they were not recorded, or an empty string.
    """
    try:
        store.add_checks(checks)
    except StoreError as error:
        return f"The checks were not recorded: {error}"
    return ""


def _checks(store: Store, *, hash_only: bool, since: datetime | None) -> Iterator[Check]:
    for row in store.rows(since=since):
        try:
            yield verify(store.get(row.id), store, hash_only=hash_only).check
        except StoreError as error:
            yield Check(
                citation_id=row.id, at=datetime.now(UTC), kind="rehash", verdict="error", message=str(error)
            )


def _named(store: Store) -> dict[str, str]:
    """Every file that the custody log names, with its SHA-256; a broken entry is told by the log's faults."""
    named: dict[str, str] = {}
    for number in range(1, store.custody.last_number() + 1):
        try:
            entry = store.custody.entry(number)
        except StoreError:
            continue
        named |= {each.name: each.sha256 for each in entry.items}
    return named


def _missing(store: Store, named: dict[str, str]) -> Iterator[str]:
    there: dict[str, set[str]] = {}
    for name, sha256 in named.items():
        folder, _, file = name.rpartition("/")
        if folder not in there:
            there[folder] = set(store.files.names(folder))
        if file not in there[folder]:
            yield f"{name} was deleted: the custody log names it. Restore it from a copy of the store."
        elif folder.startswith("checks") and not _as_named(store, name, sha256):
            yield f"{name} was changed after it was written. Restore it from a copy of the store."


def _as_named(store: Store, name: str, sha256: str) -> bool:
    if name.endswith(".jsonl"):
        return True  # format 1 appended to it; its lines are read, not hashed
    return hashlib.sha256(store.files.read(name)).hexdigest() == sha256


def _unnamed(store: Store, named: dict[str, str]) -> Iterator[str]:
    """Citations that no entry names: left by a kill, or put in past the log. They are not listed."""
    for file in store.files.names("citations"):
        if f"citations/{file}" not in named:
            yield (
                f"citations/{file} is in the folder, but no custody entry names it: it was put there past "
                "the log, or a kill came before its entry. It is not listed; it may be deleted."
            )
