"""The evidence of an answer from a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.evidence.samples import QUOTE, add
from verifaible.answers.stored import StoredEvidence, evidence_of
from verifaible.config import Settings
from verifaible.errors import CitationNotFound
from verifaible.schema.anchor import TableAnchor
from verifaible.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(Settings(home=tmp_path))


def test_numbers_ids_and_beginnings(store: Store) -> None:
    citation = add(store)
    source = StoredEvidence(store, {"1": citation.id})
    found = [source.find(target) for target in ("1", citation.id, citation.id[:8])]
    assert {(each.id, each.ok, each.text) for each in found} == {(citation.id, True, QUOTE)}
    assert "Before it." in found[0].page_text
    assert source.citations == {citation.id: citation}
    assert [check.verdict for check in source.checks] == ["verified"] * 3


def test_the_beginning_of_an_id_may_have_no_letter(store: Store) -> None:
    with pytest.raises(CitationNotFound, match="No citation 7945795"):
        StoredEvidence(store, {}).find("7945795")
    with pytest.raises(CitationNotFound, match="No citation of this answer has the number 794579"):
        StoredEvidence(store, {}).find("794579")


@pytest.mark.parametrize("target", ["2", "", "abc", "1-3", "ffff", "latest", "../x"])
def test_targets_that_lead_nowhere(store: Store, target: str) -> None:
    add(store)
    with pytest.raises(CitationNotFound):
        StoredEvidence(store, {}).find(target)


def test_only_citations_of_the_answer_count(store: Store) -> None:
    own, other = add(store, "own"), add(store, "other", url="https://other.example/")
    source = StoredEvidence(store, {"1": own.id})
    assert source.find("1").ok
    assert source.find(own.id[:8]).ok
    with pytest.raises(CitationNotFound, match="was not made for this answer"):
        source.find(other.id)


def test_headers_of_a_table_are_evidence(store: Store) -> None:
    citation = add(store)
    table = TableAnchor(mode="crosshair", row_path=("2026", "1月"), column_path=("指数",), caption="表1")
    anchor = citation.anchor.model_copy(update={"evidence_type": "table", "table": table})
    found = evidence_of(citation.model_copy(update={"anchor": anchor}))
    assert found.headers == ("2026 1月", "指数", "表1")
    assert found.evidence_type == "table"
