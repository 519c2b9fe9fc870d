"""The index of a store, held against the files that it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence.check.logged import Logged
from verifaible.evidence.store import legacy
from verifaible.evidence.store.index import Added, Index
from verifaible.evidence.store.store import Store
from verifaible.schema.check import Check, IndexRow
from verifaible.schema.citation import Citation

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
        if entry := logged.adopted(name):
            entries.setdefault(entry, ([], []))[1].extend(_of_format_1(store, name))
    for entry, check in checks:
        entries.setdefault(entry, ([], []))[1].append(check)
    index = Index("sqlite://", "audit")
    try:
        index.take_in(
            [
                Added(entry=number, citations=tuple(cited), checks=tuple(checked))
                for number, (cited, checked) in sorted(entries.items())
            ]
        )
        return {row.id: row for row in index.rows()}
    finally:
        index.close()


def _of_format_1(store: Store, citation_id: str) -> tuple[Check, ...]:
    try:
        return legacy.checks(store.files, citation_id)
    except IntegrityError:
        return ()  # told with the files


def _states(store: Store, citations: Mapping[str, Citation]) -> Iterator[str]:
    """The captures that the next citation of a page's state would rest on."""
    states: dict[str, set[str]] = {}
    for citation in citations.values():
        if citation.capture.state_sha256:
            states.setdefault(citation.capture.state_sha256, set()).add(citation.capture.model_dump_json())
    for state, captures in states.items():
        try:
            found = store.capture_of_state(state)
        except (StoreError, ValueError) as error:
            yield f"The index cannot be asked for captures ({error}). {_AGAIN}"
            return
        if found is not None and found.model_dump_json() not in captures:
            yield f"The index names capture {found.sha256} for a page's state that it does not hold. {_AGAIN}"
