"""Verifying a whole store: every citation, the custody log, the index, and what neither of them names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TypeAlias

from verifaible.errors import NewerFormat, OlderFormat, StoreError, StoreReadOnly, StoreUnreachable
from verifaible.evidence.computation import recompute_all
from verifaible.evidence.verify import verify
from verifaible.schema.base import Record
from verifaible.schema.check import Check, IndexRow
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.audit import Inventory
from verifaible.store.entries import CustodyHead
from verifaible.store.files import read_many
from verifaible.store.store import Store

_UNRECORDED = "The checks were not recorded: {}"

#: Called with each citation's check, as it is made.
Watch: TypeAlias = Callable[[Check], None]


class Audit(Record):
    """What an audit found, one sentence each: ``faults`` of the store itself, and ``notes``.

    A note is of a file that no custody entry names, which is therefore not in the store, or of
    something in the log that is allowed and that whoever relies on the store should know.
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
    store: Store,
    *,
    hash_only: bool = False,
    since: datetime | None = None,
    watch: Watch | None = None,
    head: CustodyHead | None = None,
) -> Audit:
    """Verify every citation, append the checks to their histories, and examine the store.

    Every value that was computed from sources is computed again.

    What the log names is verified, whatever the index says; then the index is compared with it. The
    store is examined before the checks are appended, and if the log itself has faults they are not
    appended: an addition would cover the traces.

    Args:
        store: the store.
        hash_only: leave out finding the evidence and computing values again.
        since: only citations made at that time or later; the store is examined in any case.
        watch: told of each check.
        head: a head of the log that was kept somewhere else, to find out a store that was put back to an
            earlier copy or made anew.
    """
    listed, unlisted = _listed(store)
    inventory = Inventory(store)
    broken = [*inventory.log.faults, *(store.custody.against(head) if head is not None else ())]
    citations: dict[str, Citation] = {}
    checks: list[Check] = []
    for citation, check in _checks(inventory, listed, hash_only=hash_only, since=since):
        if citation is not None:
            citations[citation.id] = citation
        if check is not None:
            checks.append(check)
            if watch is not None:
                watch(check)
    found = inventory.examine(citations)
    computed, programs = recompute_all(store, () if hash_only else inventory.given(citations))
    index = unlisted or inventory.index_faults(listed, citations, found.checks)
    notes = [*inventory.log.notes, *found.notes, programs]
    faults = [*broken, *found.faults, *computed, *index]
    if broken and checks:
        faults.append("The checks were not recorded: put right the faults of the custody log first.")
    else:
        try:
            store.add_checks(checks)
        except StoreError as error:  # that a store may only be read is no fault of it
            told = notes if isinstance(error, StoreReadOnly) else faults
            told.append(_UNRECORDED.format(error))
    notes.append(store.keys.exposed())
    return Audit(
        checked=len(checks),
        verified=sum(check.verdict == "verified" for check in checks),
        failed=tuple(check for check in checks if check.verdict != "verified"),
        faults=tuple(faults),
        notes=tuple(filter(None, notes)),
    )


def record(store: Store, checks: Sequence[Check]) -> str:
    """Append checks to their histories; a store that cannot be added to is no reason not to check it.

    Returns:
        A sentence that says why they were not recorded, or an empty string.
    """
    try:
        store.add_checks(checks)
    except StoreError as error:
        return _UNRECORDED.format(error)
    return ""


def _listed(store: Store) -> tuple[list[IndexRow], list[str]]:
    """What the index lists, or why it cannot be used, which is a fault like any other."""
    try:
        return store.rows(), []
    except (StoreUnreachable, NewerFormat, OlderFormat):
        raise
    except StoreError as error:
        return [], [str(error)]


def _checks(
    inventory: Inventory, listed: Sequence[IndexRow], *, hash_only: bool, since: datetime | None
) -> Iterator[tuple[Citation | None, Check | None]]:
    """Check what the log names, then what only the index lists; each with the citation, if it can be read.

    A citation that was made before ``since`` is read, and not checked.
    """
    store = inventory.store

    def checked(name: str) -> tuple[Citation | None, Check | None]:
        citation = None
        try:
            data = store.citation_bytes(name)
            citation = annotation.from_bytes(data, name)
            if since is not None and citation.created_at < since:
                return citation, None
            logged = inventory.citations.get(name)
            return citation, verify(citation, store, hash_only=hash_only, logged=logged, data=data).check
        except StoreUnreachable:
            raise
        except StoreError as error:
            return citation, Check.failed(name, "rehash", str(error))
        except RecursionError:
            said = f"Citation {name} is nested too deep to be read."
            return citation, Check.failed(name, "rehash", said)

    yield from read_many(store.files, checked, list(inventory.citations))
    for row in listed:
        if row.id not in inventory.citations:
            yield None, checked(row.id)[1]
