"""The checks of triples, on a small filing and on the invented one."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run_command
from tests.kit.public import needs_public
from tests.kit.triple_mutations import detection, mutations
from tests.unit.kg.test_checks_stated import filing, stated
from verifaible.kg.checks.around import Check, Finding
from verifaible.kg.checks.checking import Checker
from verifaible.kg.chunks import chunks_of
from verifaible.kg.filing import Filing, read_filing
from verifaible.kg.ontology import read_ontology
from verifaible.kg.tagged import tagged_triples
from verifaible.kg.triples import Triple
from verifaible.kg.xbrl import closed

BODY = """
<ix:nonNumeric name='dei:EntityRegistrantName' contextRef='c'>Harrow Pumps, Inc.</ix:nonNumeric>
<p>In 2024 we acquired Calder Flow for $1.5 billion. Ostrava Castings was bought by Calder Flow in 2023.</p>
<p>We do not use leased trucks. Tariffs could harm our casting margins. We will issue senior notes.</p>
<p>Sales by line for the year ended December 31, 2024 (in millions, except per share amounts):</p>
<table><tr><td></td><td>2024</td><td>2023</td></tr>
<tr><td>Net sales</td><td>$ <ix:nonFraction name='us-gaap:Revenues' contextRef='y' unitRef='u' scale='6'>412
</ix:nonFraction></td><td>$ 390</td></tr>
<tr><td>Weighted average shares</td><td>55</td><td>54</td></tr>
<tr><td>Pump rebates</td><td>—</td><td>7</td></tr></table>
<p>Equity for the year ended December 31, 2024 (in millions):</p>
<table><tr><td></td><td>Common Shares</td><td>Amount</td></tr>
<tr><td>Shares repurchased</td><td>(33)</td><td>$ (819)</td></tr></table>
<p>We employed approximately 1,556,000 people.</p>
<div style='display:none'><xbrli:context id='c'><xbrli:entity><xbrli:identifier>1</xbrli:identifier></xbrli:entity>
<xbrli:period><xbrli:startDate>2024-01-01</xbrli:startDate><xbrli:endDate>2024-12-31</xbrli:endDate></xbrli:period>
</xbrli:context><xbrli:context id='y'><xbrli:entity><xbrli:identifier>1</xbrli:identifier></xbrli:entity>
<xbrli:period><xbrli:startDate>2024-01-01</xbrli:startDate><xbrli:endDate>2024-12-31</xbrli:endDate></xbrli:period>
</xbrli:context><xbrli:unit id='u'><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit></div>
"""
METRIC = {"relation": "reports", "tail": "net sales", "tail_type": "metric", "unit": "USD"}
SALES: dict[str, Any] = {**METRIC, "value": Decimal(412_000_000), "period": "2024-01-01/2024-12-31"}


@cache
def _read() -> tuple[Filing, Checker]:
    read = read_filing(closed(BODY).encode())
    return read, Checker(read, chunks_of(read), read_ontology())


def _triple(words: str, **more: Any) -> Triple:
    text = _read()[0].text
    start = text.index(words)
    fields: dict[str, Any] = {"id": "t", "head": "Harrow Pumps, Inc.", "head_type": "company", "by": "test"}
    place = {"quote": words, "start": start, "end": start + len(words)}
    return Triple.model_validate({**fields, **place, **more})


def _found(triple: Triple) -> dict[Check, Finding]:
    findings = list(_read()[1].findings(triple))
    worst = sorted(findings, key=lambda each: each.verdict == "wrong")
    return {each.check: each for each in worst}


@pytest.mark.parametrize(
    ("words", "change", "check", "verdict"),
    [
        ("412", {}, "amount", "ok"),
        ("412", {}, "unit", "ok"),
        ("412", {}, "date", "ok"),
        ("412", {}, "tags", "ok"),
        ("412", {}, "negation", "ok"),
        ("412", {"value": Decimal(421_000_000)}, "amount", "wrong"),
        ("412", {"value": Decimal(412_000_000_000)}, "amount", "wrong"),
        ("412", {"value": Decimal(390_000_000)}, "tags", "open"),
        ("412", {"unit": "EUR"}, "unit", "wrong"),
        ("412", {"unit": "USD/shares"}, "unit", "wrong"),
        ("412", {"unit": "shares"}, "unit", "wrong"),
        ("412", {"period": "2023-01-01/2023-12-31"}, "date", "wrong"),
        ("412", {"period": "2023-01-01/2023-12-31"}, "tags", "wrong"),
        ("412", {"negated": True}, "negation", "wrong"),
        ("412", {"modality": "possible"}, "modality", "wrong"),
        ("390", {"value": Decimal(390_000_000), "period": "2023-01-01/2023-12-31"}, "date", "ok"),
        ("390", {"value": Decimal(390_000_000)}, "date", "wrong"),
        ("55", {"value": Decimal(55_000_000), "unit": "shares"}, "unit", "ok"),
        ("55", {"value": Decimal(55_000_000), "unit": "EUR"}, "unit", "wrong"),
        ("—", {"value": Decimal(0)}, "amount", "ok"),
        ("—", {"value": Decimal(7_000_000)}, "amount", "wrong"),
        ("33", {"value": Decimal(33_000_000), "unit": "shares"}, "unit", "ok"),
        ("819", {"value": Decimal(819_000_000)}, "unit", "ok"),
        ("1,556,000", {"value": Decimal(1_556_000), "period": "2024-06-18/2024-06-18"}, "date", "open"),
        ("1,556,000", {"value": Decimal(1_556_000), "period": "2027-06-18/2027-06-18"}, "date", "wrong"),
        ("412", {"tail_type": "company", "head_type": "metric"}, "pair", "wrong"),
        ("412", {"tail_type": "company", "head_type": "metric"}, "direction", "wrong"),
        ("412", {"relation": "emits"}, "relation", "wrong"),
        ("412", {"head_type": "vessel"}, "type", "wrong"),
        ("412", {"head": "Nowhere Trading GmbH"}, "named", "wrong"),
    ],
)
def test_a_metric_is_compared_with_its_cell(
    words: str, change: dict[str, Any], check: Check, verdict: str
) -> None:
    assert _found(_triple(words, **{**SALES, **change}))[check].verdict == verdict


@pytest.mark.parametrize(
    ("words", "change", "check", "verdict"),
    [
        ("we acquired Calder", {"tail": "Calder Flow"}, "direction", "ok"),
        ("we acquired Calder", {"head": "Calder Flow", "tail": "Harrow Pumps, Inc."}, "direction", "wrong"),
        ("bought by Calder", {"head": "Calder Flow", "tail": "Ostrava Castings"}, "direction", "ok"),
        ("bought by Calder", {"head": "Ostrava Castings", "tail": "Calder Flow"}, "direction", "wrong"),
        ("for $1.5 billion", {"tail": "$1.5 billion"}, "amount", "ok"),
        ("for $1.5 billion", {"tail": "$1.6 billion"}, "amount", "wrong"),
        ("for $1.5 billion", {"tail": "€1.5 billion"}, "amount", "wrong"),
        ("not use leased", {"tail": "leased trucks", "negated": True}, "negation", "ok"),
        ("not use leased", {"tail": "leased trucks"}, "negation", "wrong"),
        ("Tariffs could", {"tail": "tariffs", "modality": "possible"}, "modality", "ok"),
        ("Tariffs could", {"tail": "tariffs"}, "modality", "wrong"),
        ("Tariffs could", {"tail": "tariffs", "negated": True}, "negation", "wrong"),
        ("will issue", {"tail": "senior notes", "modality": "planned"}, "modality", "ok"),
        ("will issue", {"tail": "senior notes", "modality": "possible"}, "modality", "wrong"),
        ("we acquired", {"tail": "the whole of the Calder Flow group"}, "length", "wrong"),
        ("we acquired", {"tail": "company"}, "generic", "ok"),
        ("we acquired", {"tail": "it"}, "generic", "wrong"),
    ],
)
def test_a_relation_is_compared_with_its_sentence(
    words: str, change: dict[str, Any], check: Check, verdict: str
) -> None:
    fields = {"relation": "acquired", "tail_type": "company", **change}
    assert _found(_triple(words, **fields))[check].verdict == verdict


@pytest.mark.parametrize(
    ("value", "verdict"), [(412, "ok"), (412_000, "open"), (412_000_000, "open"), (421_000, "wrong")]
)
def test_a_scale_that_is_not_found_refutes_no_amount(value: int, verdict: str) -> None:
    body = (
        "<p>Harrow</p><table><tr><td></td><td>2024</td></tr><tr><td>Net sales</td><td>412</td></tr></table>"
    )
    read = read_filing(body.encode())
    start = read.text.index("412")
    place = {"quote": "412", "start": start, "end": start + 3, "value": Decimal(value)}
    triple = Triple.model_validate(
        {**SALES, **place, "id": "t", "head": "Harrow", "head_type": "company", "by": "m"}
    )
    found = {each.check: each for each in Checker(read, chunks_of(read), read_ontology()).findings(triple)}
    assert found["amount"].verdict == verdict


def test_a_triple_without_words_is_compared_with_none() -> None:
    """Else it would be compared with the beginning of the filing, and called wrong for what stands there."""
    fields: dict[str, Any] = {"id": "t", "head": "Harrow Pumps, Inc.", "head_type": "company", "by": "test"}
    loose = Triple.model_validate({**fields, **SALES, "ungrounded": "not_found"})
    assert set(_found(loose)) <= {"type", "relation", "pair", "direction", "generic", "length"}
    assert "amount" in _found(_triple("412", **SALES)), "one with words is"


def test_aliases_and_the_registrant_are_recorded_and_the_triple_stays_as_it_was() -> None:
    fields = {"relation": "bought", "tail": "Calder Flow", "tail_type": "corporation"}
    triple = _triple("we acquired", head="We", **fields)
    found = _found(triple)
    assert found["relation"].instead == {"relation": "acquired"}
    assert found["type"].instead == {"tail_type": "company"}
    instead = {key: name for each in _read()[1].findings(triple) for key, name in each.instead.items()}
    assert instead["head"] == "Harrow Pumps, Inc."
    assert triple.head == "We"


def test_what_is_said_twice_also_by_the_inverse_is_a_duplicate() -> None:
    one = _triple("we acquired", relation="owns", tail="Calder Flow", tail_type="company")
    other = one.model_copy(
        update={"id": "u", "head": one.tail, "tail": one.head, "relation": "subsidiary_of"}
    )
    found = [each for each in _read()[1].check((one, other)) if each.check == "duplicate"]
    assert [each.verdict for each in found] == ["ok", "wrong"]


def test_check_reports_on_a_folder(tmp_path: Path) -> None:
    run: dict[str, Any] = {"environment": {"VERIFAIBLE_HOME": str(tmp_path)}, "folder": tmp_path}
    assert run_command(["kg", "demo"], **run).returncode == 0
    checked = run_command(["kg", "check", "graphs/demo", "--json"], **run)
    assert checked.returncode == 0, checked.stderr
    found = json.loads(checked.stdout)
    wrong = [each for name in found for each in found[name] if each["verdict"] == "wrong"]
    assert [each["check"] for each in wrong if each["check"] != "duplicate"] == []
    assert (tmp_path / "graphs/demo/runs/xbrl/checks.jsonl").read_text().count("\n") == len(found["xbrl"])


@pytest.mark.parametrize(("people", "verdict"), [("1,556,000", "ok"), ("1,536,000", "wrong")])
def test_a_rough_figure_is_still_the_one_of_its_sentence(people: str, verdict: str) -> None:
    words = "We employed approximately 1,556,000 people."
    triple = _triple(words, relation="employs", tail=f"{people} people", tail_type="amount")
    assert _found(triple)["amount"].verdict == verdict


@needs_public("filings")
def test_floors_of_what_is_caught() -> None:
    ontology = read_ontology()
    read, chunks = filing("unp")
    checker = Checker(read, chunks, ontology)
    triples = tagged_triples(read, chunks)[::8]
    found = {
        each.kind: each.caught / each.of
        for each in detection(triples, mutations(triples, ontology), checker.is_wrong)
    }
    assert all(found[kind] >= 0.93 for kind in ("amount", "unit", "date", "direction", "negation")), found
    assert found["unchanged"] <= 0.05
    right = stated("aapl")
    checker = Checker(*filing("aapl"), ontology)
    assert [each.tail for _, each in right if checker.is_wrong(each)] == []
