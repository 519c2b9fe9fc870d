"""The grade of replay and its reason, in the same words wherever a citation is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.evidence import samples
from verifaible.commands import finding
from verifaible.evidence.cite import Collected
from verifaible.evidence.reference import Reference
from verifaible.evidence.verify import verify
from verifaible.schema.citation import Citation, ValueSource
from verifaible.serve.mcp import resources
from verifaible.store.store import Store
from verifaible.tools import cite

REASON = "The words came over wss://a.test/feed: streams are recorded and not played."


def stored(store: Store, replay: str) -> Citation:
    given = samples.material(store)
    reason = REASON if replay == "snapshot" else ""
    source = ValueSource(kind="frame", url="wss://a.test/feed")
    graded = {"replay": replay, "replay_reason": reason, "value_source": source}
    return store.add(**{**given, "draft": given["draft"].model_copy(update=graded)})


@pytest.mark.parametrize("replay", ["page", "snapshot"])
def test_every_place_says_it(tmp_path: Path, replay: str) -> None:
    store = Store(tmp_path / "store")
    citation = stored(store, replay)
    check, rows = verify(citation, store).check, store.rows()
    assert check.verdict == "verified"
    assert citation.graded.startswith(f"Replay: {replay}. ")
    told = {
        "show": "\n".join(finding._described(store, citation, (check,))),
        "show --json": str(finding._told(store, citation, (check,))),
        "CSL": Reference(citation, "a.test").csl(),
        "MCP record": resources._record(store, citation),
        "MCP evidence": resources._evidence(store, citation),
    }
    assert [place for place, text in told.items() if citation.graded not in text] == []
    assert "a message over wss://a.test/feed" in told["show"]
    only_where_it_is_less = {
        "verify": check.message,
        "cite": cite._confirmation(1, Collected(citation, check)),
        "list": finding.line_of(rows[0]),
        "list --json": rows[0].model_dump_json(),
        "MCP list": str(resources._listed(rows[0])),
    }
    assert {place for place, text in only_where_it_is_less.items() if REASON in text} == (
        set(only_where_it_is_less) if replay == "snapshot" else set()
    )
