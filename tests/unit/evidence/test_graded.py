"""The grade of replay and its reason, in the same words wherever a citation is shown."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from tests.unit.evidence import samples
from verifaible.archive.reader import WaczReader
from verifaible.archive.streams import STREAM_TYPE
from verifaible.browser.warm import Browser
from verifaible.cli import library as finding
from verifaible.config import Settings
from verifaible.errors import NotReproducible
from verifaible.evidence import cite as citing
from verifaible.evidence.cite import Collected, Collector
from verifaible.evidence.export import reference
from verifaible.evidence.verify import verify
from verifaible.library import kept
from verifaible.mcp import resources
from verifaible.net.web import Web
from verifaible.schema.check import Check, Verdict
from verifaible.schema.citation import Citation, CitationDraft, ValueSource
from verifaible.schema.web import WebExchange, WebRequest, WebResponse
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
        "show": "\n".join(finding.described(kept(store, citation.id))),
        "show --json": str(kept(store, citation.id).as_json()),
        "CSL": reference(citation, store),
        "MCP record": resources._record(store, citation, "").text,
        "MCP evidence": resources.evidence_text(store, citation),
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


async def graded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, replayed: Verdict, **how: Any
) -> tuple[CitationDraft, Check]:
    """What becomes of a citation whose capture gives this verdict when it is re-executed."""
    store = Store(folder / "store")
    given, seen = samples.material(store), samples.evidence()
    seen.exchanges = (*seen.exchanges, *how.pop("also", ()))
    draft: CitationDraft = given["draft"].model_copy(update=how.pop("draft", {}))

    async def replay_capture(*_: object, **__: object) -> Check:
        return Check.failed("", "self", "The browser went away.").model_copy(update={"verdict": replayed})

    monkeypatch.setattr(citing, "replay_capture", replay_capture)
    collector = Collector(Settings(), cast(Web, None), cast(Browser, None), store)
    with WaczReader(given["capture"]) as reader:
        return await collector._graded(draft, reader, seen, **how)


STREAM = WebExchange(
    WebRequest("wss://a.test/feed", "WS"),
    WebResponse(101, (("content-type", STREAM_TYPE),), b"{}"),
    datetime(2026, 3, 2, tzinfo=UTC),
)


async def test_a_replay_that_failed_is_no_grade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotReproducible, match=r"could not be opened again .The browser went away"):
        await graded(tmp_path / "a", monkeypatch, "error")
    draft, check = await graded(tmp_path / "b", monkeypatch, "error", also=(STREAM,))
    assert (draft.replay, check.verdict) == ("snapshot", "verified")
    draft, _ = await graded(tmp_path / "c", monkeypatch, "gone")
    assert draft.replay == "snapshot"
    draft, _ = await graded(tmp_path / "d", monkeypatch, "verified")
    assert (draft.replay, draft.replay_reason) == ("page", "")


async def test_a_citation_in_a_sealed_source_is_held_against_the_page_that_was_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Re-executed it may show words that it did not show when it was sealed: they are no evidence."""
    other = samples.evidence("The rate was 6.44% in March.").anchor
    with pytest.raises(NotReproducible, match="does not hold the evidence"):
        await graded(tmp_path / "a", monkeypatch, "verified", draft={"anchor": other}, apart=True)
    draft, check = await graded(tmp_path / "b", monkeypatch, "verified", apart=True)
    assert (draft.replay, check.verdict) == ("page", "verified")
