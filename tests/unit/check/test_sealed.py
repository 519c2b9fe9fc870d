"""A text is checked against sources that are in the store already."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifaible.check.run import check_sealed
from verifaible.config import Settings
from verifaible.errors import StoreError
from verifaible.evidence.sources import SourceDraft, keep_sources
from verifaible.schema.analyst import AnalystAnswer, Source
from verifaible.store.store import Store

WORDS = (
    b"Kelpway lost $38 million on 19 February 2026. Withdrawals were paused at noon.",
    b"Halden sold 1,150 BTC in February 2026.",
)


def sealed(folder: Path) -> tuple[Store, tuple[Source, ...]]:
    store = Store.open(Settings(home=folder, store=str(folder / "store")))
    drafts = [
        SourceDraft(id=f"src_{number}", kind="page", body=words, media_type="text/plain; charset=utf-8")
        for number, words in enumerate(WORDS, 1)
    ]
    return store, keep_sources(store, drafts, origin="test")


def text(words: str, sources: tuple[Source, ...]) -> AnalystAnswer:
    return AnalystAnswer(
        id="x", origin="markdown", model="", query="", answer=words, sources=sources, sources_known=True
    )


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("Withdrawals were paused at noon [src_1].", "supported"),
        ("Kelpway lost $83 million on 19 February 2026 [src_1].", "contradicted"),
        ("Halden sold 1,150 BTC in February 2026 [src_2].", "supported"),
        ("Halden sold 2,300 BTC in February 2026 [src_2].", "contradicted"),
        ("Halden sold 1,150 BTC in February 2026.", "no_source"),
        ("Halden sold 1,150 BTC in February 2026 [src_7].", "no_source"),
    ],
)
async def test_claims_are_compared_with_the_sources_that_they_cite(
    tmp_path: Path, words: str, verdict: str
) -> None:
    store, sources = sealed(tmp_path)
    assert [each.verdict for each in await check_sealed(text(words, sources), store)] == [verdict]


async def test_a_source_that_was_changed_is_an_error_and_one_that_is_not_cited_is_not_read(
    tmp_path: Path,
) -> None:
    store, sources = sealed(tmp_path)
    (tmp_path / "store" / "captures" / f"{sources[0].capture}.wacz").write_bytes(b"changed")
    assert await check_sealed(text("Halden sold 1,150 BTC [src_2].", sources), store)
    with pytest.raises(StoreError):
        await check_sealed(text("Kelpway lost $38 million [src_1].", sources), store)
