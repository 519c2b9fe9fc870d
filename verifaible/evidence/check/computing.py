"""Computing again every value of a store that was computed from its sources."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress

from verifaible.errors import StoreError
from verifaible.evidence.computed.sealed import PROGRAM, read_sealed, recompute
from verifaible.evidence.given.given import PROVENANCE
from verifaible.evidence.given.sources import SourceTexts
from verifaible.evidence.store.store import Store
from verifaible.schema.analyst import Source


def computed_faults(store: Store, captures: Iterable[str]) -> Iterator[str]:
    """A sentence for each computed value that its sealed inputs do not give; programs are not run.

    Arguments are those of :func:`computed_sources`.
    """
    texts = SourceTexts(store)
    for source, function in computed_sources(store, captures):
        if function != PROGRAM and (fault := recompute(source, texts)):
            yield fault


def programs_note(store: Store, captures: Iterable[str]) -> str:
    """How many values programs computed, and what runs those again; empty where there are none."""
    programs = sum(function == PROGRAM for _, function in computed_sources(store, captures))
    return (
        f"{programs} values that a program computed were not computed again: `verifaible crypto recompute` "
        "does."
        if programs
        else ""
    )


def computed_sources(store: Store, captures: Iterable[str]) -> Iterator[tuple[Source, str]]:
    """The computed values among captures, each with the name of its function; empty where it is unreadable.

    Args:
        store: the store.
        captures: the SHA-256 of captures of sources; those of another kind are passed over, and so is one
            that is gone or changed, which is told with the files.
    """
    for sha256 in captures:
        try:
            with store.open_sealed(sha256) as reader:
                said = json.loads(reader.read(PROVENANCE)) if PROVENANCE in reader.names() else {}
        except (StoreError, ValueError, RecursionError):
            continue
        if said.get("kind") != "computed":
            continue
        source = Source(id=sha256, kind="computed", capture=sha256, file=said["searched"])
        function = ""
        with suppress(StoreError):
            function = read_sealed(source, SourceTexts(store)).computed.function
        yield source, function
