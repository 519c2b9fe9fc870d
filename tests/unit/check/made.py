"""Sources that were read, without a browser."""

from pathlib import Path

from verifaible.check.sources import OpenedSource
from verifaible.schema.analyst import Claim, Source
from verifaible.schema.checked import CheckedSource
from verifaible.store.store import Store

STORE = Store(Path("/nonexistent"))


def source(text: str, *, name: str = "1", title: str = "") -> OpenedSource:
    """A source whose words are all there is of it."""
    state = CheckedSource(id=name, url=f"https://{name}.example/", title=title, state="read")
    return OpenedSource(Source(id=name, kind="page", url=state.url, capture="c"), text, state, None, STORE)


def claim(text: str, *cites: str, kind: str = "number") -> Claim:
    """A claim that stands alone."""
    return Claim.model_validate(
        {"id": "c1", "start": 0, "end": len(text), "text": text, "kind": kind, "cites": cites}
    )
