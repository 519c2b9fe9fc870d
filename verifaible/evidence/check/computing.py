"""Computing again every value of a store that was computed from its sources."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from verifaible.errors import StoreError
from verifaible.evidence.computed.sealed import recompute
from verifaible.evidence.given.given import PROVENANCE
from verifaible.evidence.given.sources import SourceTexts
from verifaible.evidence.store.store import Store
from verifaible.schema.analyst import Source


def computed_faults(store: Store, captures: Iterable[str]) -> Iterator[str]:
    """A sentence for each computed value that its sealed inputs do not give.

    Args:
        store: the store.
        captures: the SHA-256 of captures of sources; those of another kind are passed over, and so is one
            that is gone or changed, which is told with the files.
    """
    texts = SourceTexts(store)
    for sha256 in captures:
        try:
            with store.open_sealed(sha256) as reader:
                said = json.loads(reader.read(PROVENANCE)) if PROVENANCE in reader.names() else {}
        except (StoreError, ValueError, RecursionError):
            continue
        if said.get("kind") != "computed":
            continue
        source = Source(id=sha256, kind="computed", capture=sha256, file=said["searched"])
        if fault := recompute(source, texts):
            yield fault
