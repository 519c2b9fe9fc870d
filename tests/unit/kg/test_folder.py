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
from verifaible.kg.cli import kg
from verifaible.kg.filing import read_filing
from verifaible.kg.folder import GraphFolder
from verifaible.kg.ontology import read_ontology
from verifaible.kg.tagged import tagged_triples
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


@pytest.mark.parametrize(
    ("entity", "head"),
    [("0000320193", "CIK 0000320193"), ("549300MLUDYVRQOOXS22", "LEI 549300MLUDYVRQOOXS22")],
)
def test_a_hidden_fact_is_ungrounded_and_of_whom_its_context_says(entity: str, head: str) -> None:
    body = (
        "<div style='display:none'><ix:hidden><ix:nonFraction name='us-gaap:Assets' contextRef='c' unitRef='u'>7"
        f"</ix:nonFraction></ix:hidden><xbrli:context id='c'><xbrli:entity><xbrli:identifier>{entity}"
        "</xbrli:identifier></xbrli:entity></xbrli:context></div><p>Words of the filing.</p>"
    )
    filing = read_filing(body.encode())
    (triple,) = tagged_triples(filing, chunks_of(filing))
    assert (triple.head, triple.ungrounded, triple.quote, triple.chunk) == (head, "hidden", "", "")


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
    assert "110 of 110 triples verified" in done.stdout
    assert "verifaible kg evaluate" in done.stdout
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


#: Every command that reads a folder, with what else it must be given.
COMMANDS = {
    "ask": (), "extract": (), "check": (), "verify": (), "report": (), "merge": (), "export": ("--output", "graph.ttl"),
    "evaluate": ("--judge", "glm-5"), "improve": ("--run", "xbrl", "--model", "glm-5"),
}  # fmt: skip


def test_a_changed_byte_of_the_capture_is_named_by_every_command(tmp_path: Path) -> None:
    assert COMMANDS.keys() == kg.commands.keys() - {"ingest", "demo"}
    taken(tmp_path, environment := {"VERIFAIBLE_HOME": str(tmp_path)})
    (capture,) = tmp_path.rglob("captures/*.wacz")
    data = bytearray(capture.read_bytes())
    data[len(data) // 2] ^= 1
    capture.chmod(0o644)
    capture.write_bytes(data)
    for command, more in COMMANDS.items():
        words = [command, "revenue"] if command == "ask" else [command]
        done = run_command(["kg", *words, "graphs/demo", *more], environment=environment, folder=tmp_path)
        assert done.returncode != 0, command
        assert capture.name in done.stderr, (command, done.stderr)


def test_verify_counts_the_triples_whose_words_stand_in_the_sealed_filing(tmp_path: Path) -> None:
    taken(tmp_path, environment := {"VERIFAIBLE_HOME": str(tmp_path)})
    folder = GraphFolder(tmp_path / "graphs" / "demo")

    def verify(*more: str) -> tuple[int, str, str]:
        done = run_command(["kg", "verify", "graphs/demo", *more], environment=environment, folder=tmp_path)
        return done.returncode, done.stdout, done.stderr

    assert verify()[:2] == (0, "40 of 40 triples verified. graphs/demo\n")
    triples = folder.run("xbrl").triples.read()
    changed = [
        triples[0].model_copy(update={"quote": triples[0].quote + "0"}),
        triples[1].model_copy(update={"start": triples[1].start + 1}),
        triples[2].model_copy(update={"start": 0, "end": 0, "quote": ""}),
        triples[3].model_copy(update={"ungrounded": "not_found"}),
        *triples[4:],
    ]
    folder.run("xbrl").replace(changed)
    status, out, err = verify()
    assert (status, out) == (1, "36 of 39 triples verified; 1 more rest on no words. graphs/demo\n")
    assert all(f"{each.id}: the sealed filing has other words there" in err for each in triples[:3])
    (told,) = json.loads(verify("--json")[1])
    assert told == {"folder": "graphs/demo", "verified": 36, "triples": 39, "ungrounded": 1}
    done = run_command(["verify", "--all"], environment=environment, folder=tmp_path)
    assert done.returncode == 1
    assert "36 of 39 triples verified" in done.stderr
    assert all(each.id in done.stderr for each in triples[:3])
    folder.run("xbrl").replace(triples)
    done = run_command(["verify", "--all", "--json"], environment=environment, folder=tmp_path)
    assert (done.returncode, len(json.loads(done.stdout)["notes"])) == (0, 1)
