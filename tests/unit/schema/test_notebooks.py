"""What a notebook shows of a record: a table, everything in it escaped."""

from __future__ import annotations

from pathlib import Path

import lxml.html
import pytest

from tests.unit.evidence.samples import add, check
from tests.unit.judge.check.samples import FILING, sample
from verifaible.evidence.store.store import Store
from verifaible.schema.citation import Citation

EVIL = "<script>alert(1)</script> \" onload='x' javascript:alert(2)"


@pytest.fixture
def citation(tmp_path: Path) -> Citation:
    return add(Store(tmp_path / "store"), EVIL, quote=f"5.33% {EVIL}", title=EVIL)


def cells(html: str) -> list[list[str]]:
    table = lxml.html.fromstring(html)
    assert table.tag == "table"
    assert {node.tag for node in table.iter()} <= {"table", "tr", "td", "a"}
    assert {name for node in table.iter() for name in node.attrib} <= {"href", "rel"}
    assert all(node.get("href", "").startswith(("http://", "https://")) for node in table.iter("a"))
    return [[cell.text_content() for cell in row.iter("td")] for row in table.iter("tr")]


def test_a_citation(citation: Citation) -> None:
    shown = dict(cells(citation._repr_html_()))
    assert shown["claim"] == EVIL
    assert shown["quote"] == citation.anchor.text
    assert shown["source"] == citation.anchor.text_fragment
    assert shown["citation"] == citation.id
    assert f'<a href="{citation.final_url}#' in citation._repr_html_()


def test_an_address_that_is_no_web_page_is_no_link(citation: Citation) -> None:
    anchor = citation.anchor.model_copy(update={"text_fragment": "javascript:alert(1)"})
    assert "<a" not in citation.model_copy(update={"anchor": anchor})._repr_html_()


def test_a_check(citation: Citation) -> None:
    shown = dict(cells(check(citation, "changed").model_copy(update={"message": EVIL})._repr_html_()))
    assert (shown["verdict"], shown["message"]) == ("changed", EVIL)


def test_a_checked_text() -> None:
    checked = sample()
    head, *rows = cells(checked._repr_html_())
    assert head == ["verdict", "claim", "quote", "source"]
    assert [row[0] for row in rows] == [each.verdict for each in checked.claims]
    assert rows[0][3] == FILING
    many = checked.model_copy(update={"claims": checked.claims * 20})
    last = cells(many._repr_html_())[-1]
    assert last[1] == f"and {len(many.claims) - 50} more"
