"""Verifying a whole store: every citation, the custody log, the index, and what neither of them names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from verifaible.errors import StoreError, StoreReadOnly, StoreUnreachable
from verifaible.evidence.check.logged import Logged
from verifaible.evidence.check.verify import verify
from verifaible.evidence.computed.sealed import computed_faults, programs_note
from verifaible.schema.base import Record
from verifaible.schema.check import Check, IndexRow
from verifaible.schema.citation import Citation
from verifaible.store import annotation
from verifaible.store.database import Database
from verifaible.store.entries import CustodyHead
from verifaible.store.files import read_many
from verifaible.store.index import Added, Index
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
    listed = store.rows()
    logged = Logged()
    log = store.custody.examine(logged.take)
    broken = [*log.faults, *(store.custody.against(head) if head is not None else ())]
    citations: dict[str, Citation] = {}
    checks: list[Check] = []
    for check in _checks(store, logged, citations, listed, hash_only=hash_only, since=since):
        checks.append(check)
        if watch is not None:
            watch(check)
    files = logged.examine(store.files, store.lines, citations)
    given = () if hash_only else tuple(logged.given(citations))
    computed, programs = computed_faults(store, given), programs_note(store, given)
    faults = (
        *broken,
        *files.faults,
        *computed,
        *index_faults(store, listed, logged, citations, files.checks, complete=not log.faults),
    )
    unrecorded, lasting = _recorded(store, checks, broken)
    return Audit(
        checked=len(checks),
        verified=sum(check.verdict == "verified" for check in checks),
        failed=tuple(check for check in checks if check.verdict != "verified"),
        faults=(*faults, *lasting),
        notes=tuple(
            each for each in (*log.notes, *files.notes, programs, *unrecorded, store.keys.exposed()) if each
        ),
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


def _recorded(store: Store, checks: Sequence[Check], broken: Sequence[str]) -> tuple[list[str], list[str]]:
    """Append the checks; gives notes and faults. That a store may only be read is no fault of it."""
    if broken and checks:
        return [], ["The checks were not recorded: put right the faults of the custody log first."]
    try:
        store.add_checks(checks)
    except StoreReadOnly as error:
        return [_UNRECORDED.format(error)], []
    except StoreError as error:
        return [], [_UNRECORDED.format(error)]
    return [], []


def _checks(
    store: Store,
    logged: Logged,
    citations: dict[str, Citation],
    listed: Sequence[IndexRow],
    *,
    hash_only: bool,
    since: datetime | None,
) -> Iterator[Check]:
    """Check what the log names, then what only the index lists; fills ``citations`` with what was read."""

    def checked(name: str) -> tuple[Citation | None, Check | None]:
        citation = None
        try:
            data = store.citation_bytes(name)
            citation = annotation.from_bytes(data, name)
            if since is not None and citation.created_at < since:
                return citation, None
            as_logged = logged.citations[name]
            return citation, verify(citation, store, hash_only=hash_only, logged=as_logged, data=data).check
        except StoreUnreachable:
            raise
        except (StoreError, RecursionError) as error:
            return citation, _failed(name, error)

    for citation, check in read_many(store.files, checked, list(logged.citations)):
        if citation is not None:
            citations[citation.id] = citation
        if check is not None:
            yield check
    for row in listed:
        if row.id not in logged.citations:
            try:
                yield verify(store.get(row.id), store, hash_only=hash_only).check
            except StoreUnreachable:
                raise
            except (StoreError, RecursionError) as error:
                yield _failed(row.id, error)


def _failed(name: str, error: Exception) -> Check:
    told = str(error) if isinstance(error, StoreError) else f"Citation {name} is nested too deep to be read."
    return Check(citation_id=name, at=datetime.now(UTC), kind="rehash", verdict="error", message=told)


_AGAIN = "Make the index again: verifaible store reindex"


def index_faults(
    store: Store,
    listed: Sequence[IndexRow],
    logged: Logged,
    citations: Mapping[str, Citation],
    checks: Sequence[tuple[int, Check]],
    *,
    complete: bool,
) -> Iterator[str]:
    """One sentence for each citation that the index lacks, or of which it says what the files do not.

    Args:
        store: the store.
        listed: all rows of its index, read before anything was added.
        logged: what the custody log names.
        citations: the citations that could be read, by id.
        checks: the checks that could be read, with the entries that added them.
        complete: the log has no faults: what it does not name is nowhere named.
    """
    expected = _made_anew(store, logged, citations, checks)
    there = {row.id: row for row in listed}
    for name, row in expected.items():
        if name not in there:
            yield f"The index lacks citation {name}, so that no list shows it. {_AGAIN}"
        elif wrong := _differences(there[name], row):
            yield f"The index says something else of citation {name} than its files ({wrong}). {_AGAIN}"
    if complete:
        for name in there.keys() - logged.citations.keys():
            yield f"The index lists citation {name}, which is not in the store: no entry names it. {_AGAIN}"
    yield from _states(store, citations)


def _differences(one: IndexRow, other: IndexRow) -> str:
    fields = IndexRow.model_fields
    return ", ".join(name for name in fields if getattr(one, name) != getattr(other, name))


def _made_anew(
    store: Store, logged: Logged, citations: Mapping[str, Citation], checks: Sequence[tuple[int, Check]]
) -> dict[str, IndexRow]:
    """The rows of an index in memory that is made from the files."""
    entries: dict[int, tuple[list[Citation], list[Check]]] = {}
    for name, citation in citations.items():
        entries.setdefault(logged.citations[name].entry, ([], []))[0].append(citation)
    for entry, check in checks:
        entries.setdefault(entry, ([], []))[1].append(check)
    index = Index(Database("sqlite://", "audit"))
    try:
        of_each = (entries.get(number, ([], [])) for number in range(1, max(entries, default=0) + 1))
        index.take_in(
            [
                Added(entry=number, citations=tuple(cited), checks=tuple(checked))
                for number, (cited, checked) in enumerate(of_each, 1)
            ]
        )
        return {row.id: row for row in index.rows()}
    finally:
        index.database.close()


def _states(store: Store, citations: Mapping[str, Citation]) -> Iterator[str]:
    """The captures that the next citation of a page's state would rest on."""
    states: dict[str, set[str]] = {}
    for citation in citations.values():
        states.setdefault(citation.capture.state_sha256, set()).add(citation.capture.model_dump_json())
    try:
        with store.at_one_time():
            for state, captures in states.items():
                found = store.named_for_state(state)
                if found is not None and found.model_dump_json() not in captures:
                    yield (
                        f"The index names capture {found.sha256} for a page's state that it does not hold. "
                        f"{_AGAIN}"
                    )
    except (StoreError, ValueError) as error:
        yield f"The index cannot be asked for captures ({error}). {_AGAIN}"
