"""Each row of the table of differences that a quote may have, on both of its sides."""

from __future__ import annotations

import pytest

from tests.kit.suites import Row, load
from verifaible.anchoring.find import find
from verifaible.extract.document import Block, Document
from verifaible.schema.anchor import AnchorRequest


@pytest.mark.parametrize("row", load("same"), ids=lambda row: row.id)
def test_what_a_quote_may_differ_in(row: Row) -> None:
    document = Document((Block(row.input["source"]),))
    found = find(document, AnchorRequest(evidence_type="text", quote=row.input["quote"]))
    assert (found.verdict == "verified") is row.expect["found"]
