"""Triples without a model, the ontology, and the command line."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from tests.command_line import run_command
from tests.unit.kg.small import taken
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.evidence.sources import SourceTexts
from verifaible.kg.chunks import chunks_of
from verifaible.kg.extract.tagged import tagged_triples
from verifaible.kg.filing import read_filing
from verifaible.kg.folder import GraphFolder
from verifaible.kg.ontology import read_ontology
from verifaible.store.store import Store

DEMO = resources.files("verifaible.kg").joinpath("demo", "brennock-10-k-2024.html")


def test_each_triple_rests_on_its_words_in_its_chunk_and_is_allowed() -> None:
    filing = read_filing(DEMO.read_bytes())
    chunks = {chunk.id: chunk for chunk in chunks_of(filing)}
    ontology = read_ontology()
    triples = tagged_triples(filing, list(chunks.values()))
    assert len({each.id for each in triples}) == len(triples)
    for each in triples:
        assert filing.text[each.start : each.end] == each.quote
        assert chunks[each.chunk].start <= each.start < each.end <= chunks[each.chunk].end
        assert (each.head_type, each.tail_type) in ontology.relations[each.relation].pairs
    told = {(each.head, each.relation, each.tail) for each in triples}
    company = "Brennock Water Technologies, Inc."
    assert (company, "audited_by", "Fenwick Lyle LLP") in told
    assert (company, "listed_on", "New York Stock Exchange") in told
    assert ("pumps", "reports", "revenues") in told
    assert {each.by for each in triples} == {"xbrl"}


def test_a_hidden_fact_is_ungrounded() -> None:
    body = (
        "<div style='display:none'><ix:hidden><ix:nonFraction name='us-gaap:Assets' contextRef='c' unitRef='u'>7"
        "</ix:nonFraction></ix:hidden></div><p>Words of the filing.</p>"
    )
    filing = read_filing(body.encode())
    (triple,) = tagged_triples(filing, chunks_of(filing))
    assert (triple.ungrounded, triple.quote, triple.chunk) == ("hidden", "", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"types": {}}, "types"),
        ({"relations": {"owns": {"definition": "x", "pairs": [["company", "ship"]]}}}, "ship"),
        (
            {"relations": {"owns": {"definition": "x", "pairs": [["company", "company"]], "inverse": "z"}}},
            "'z'",
        ),
    ],
)
def test_an_ontology_that_cannot_be_is_refused(
    change: dict[str, object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "ontology.json"
    path.write_text(json.dumps({**read_ontology().model_dump(mode="json"), **change}))
    with pytest.raises(ConfigError, match=message):
        read_ontology(path)


def test_the_demo_takes_a_filing_in_and_its_triples_out(tmp_path: Path) -> None:
    done = run_command(["kg", "demo"], environment={"VERIFAIBLE_HOME": str(tmp_path)}, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "110 triples, 0 of them ungrounded" in done.stdout
    assert "coverage and entropy of the ontology" in done.stdout
    assert "verifaible kg report" in done.stdout
    folder = GraphFolder(tmp_path / "graphs" / "demo")
    assert any("| December 31, | 2024 | 2023 |" in each.context for each in folder.chunks())
    store = Store.open(Settings(home=tmp_path))
    text = SourceTexts(store).text(folder.ingested.source)
    store.close()
    assert len(text) == folder.ingested.characters
    assert all(text[each.start : each.end] == each.quote for each in folder.triples())


def test_a_folder_without_a_filing_says_what_to_do(tmp_path: Path) -> None:
    taken(tmp_path, environment := {"VERIFAIBLE_HOME": str(tmp_path)})
    full = GraphFolder(tmp_path / "graphs" / "demo")
    full.run("xbrl").replace([])
    done = run_command(
        ["kg", "extract", "graphs/demo", "graphs/none"], environment=environment, folder=tmp_path
    )
    assert (done.returncode, "verifaible kg ingest FILE" in done.stderr) == (2, True)
    assert not full.run("xbrl").triples.read()  # nothing was read before it was said


@pytest.mark.parametrize("command", ["check", "report", "export"])
def test_a_changed_byte_of_the_capture_is_refused_by_name(command: str, tmp_path: Path) -> None:
    environment = {"VERIFAIBLE_HOME": str(tmp_path)}
    taken(tmp_path, environment)
    (capture,) = tmp_path.rglob("captures/*.wacz")
    data = bytearray(capture.read_bytes())
    data[len(data) // 2] ^= 1
    capture.chmod(0o644)
    capture.write_bytes(data)
    more = ["--out", "graph.ttl"] if command == "export" else []
    done = run_command(["kg", command, "graphs/demo", *more], environment=environment, folder=tmp_path)
    assert done.returncode != 0
    assert capture.name in done.stderr
