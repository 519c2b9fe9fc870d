"""The graph of triples: entities, merges of names and their undoing, exports that are read back."""

from __future__ import annotations

import csv
import json
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import networkx
import pytest
import rdflib

from tests.command_line import run_command
from tests.unit.kg.small import taken
from verifaible.config import Settings
from verifaible.errors import ConfigError
from verifaible.kg.exports import FORMATS, export, flat
from verifaible.kg.folder import GraphFolder, write_records
from verifaible.kg.graph import Entity, KnowledgeGraph, Merges, own_names
from verifaible.kg.triples import Triple
from verifaible.reporting.csv_files import unescaped
from verifaible.store.store import Store

FILER = "Calder Systems, Inc."
PAGE = (
    "<html><body><p>Calder Systems, Inc. (“Calder,” the “Company” or “we”) makes valves (“Valves”). "
    "It is older than Dunmore AG.</p></body></html>"
)
#: Names that end a string, a cell, an element or a statement where they are not escaped.
HOSTILE = (
    'O\'Neil \\ "x"',
    "a\\",
    "\\u0027 }) DETACH DELETE n //",
    "=HYPERLINK(1)",
    "'quoted'",
    "-5",
    "<b>&amp;</b> `x`",
    "line\vbreak\x07",
    "日本 水道 株式会社 🚰",
    "a/b?c#d%20;e .",
)


def triple(number: int, head: str, tail: str, relation: str = "owns", **more: object) -> Triple:
    said = {"head_type": "company", "tail_type": "company", "by": "test", "quote": "Calder", "end": 6, **more}
    return Triple.model_validate(
        {"id": f"t{number}", "head": head, "relation": relation, "tail": tail, **said}
    )


def folder_of(path: Path, triples: Sequence[Triple], capture: str = "ab" * 32) -> GraphFolder:
    settings = Settings(home=path.parent)
    name = (
        "<ix:header><ix:hidden><ix:nonNumeric name='dei:EntityRegistrantName' contextRef='c'>"
        f"{FILER}</ix:nonNumeric></ix:hidden></ix:header>"
    )
    body = PAGE.replace("<body>", f"<body><!-- {capture} -->{name}")
    folder = GraphFolder(path)
    store = Store.open(settings)
    try:
        made = folder.ingest(body.encode(), "filing.html", store)
    finally:
        store.close()
    fields = {"name": FILER, "period": date(2024, 12, 31)}
    (path / "filing.json").write_text(made.model_copy(update=fields).model_dump_json())
    (path / "runs" / "test").mkdir(parents=True)
    write_records(folder.run("test").triples.path, triples)
    return folder


def names(folder: GraphFolder) -> set[str]:
    return {each.id for each in KnowledgeGraph([folder]).entities()}


def test_entities_are_told_apart_by_type_and_name_and_nothing_is_merged_unasked(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "g",
        [
            triple(1, "Acme  Inc.", "acme inc."),
            triple(2, "Acme Inc.", "Acme Inc.", tail_type="subsidiary"),
            triple(3, "Acme Inc.", "Acme\nInc.", "reports", value=Decimal("1E+3")),
        ],
    )
    graph = KnowledgeGraph([folder, folder])
    assert {each.id for each in graph.entities()} == {
        "company/Acme Inc.",
        "company/acme inc.",
        "subsidiary/Acme Inc.",
    }
    assert [each.triple.id for each in graph.edges()] == [
        "t1",
        "t2",
        "t3",
    ]  # a folder named twice counts once
    assert graph.edges()[0].triple.head == "Acme  Inc."


def test_merges_follow_the_rules_and_say_why(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "g",
        [
            triple(1, FILER, "Dunmore AG"),
            triple(2, "the Company", "dunmore ag"),
            triple(3, "we", "DUNMORE AG"),
            triple(4, "Calder", "Teller Ltd"),
            triple(5, "Valves", "Teller GmbH"),
            triple(6, "CALDER SYSTEMS, INC.", "Teller"),
            triple(7, FILER, "Dunmore AG"),
            triple(8, FILER, "we", tail_type="person"),
            triple(9, FILER, "dunmore", tail_type="place"),
        ],
    )
    made = {(each.type, each.name, each.into, each.why) for each in Merges(folder).by_rules()}
    assert made == {
        ("company", "the Company", FILER, "own_name"),
        ("company", "we", FILER, "own_name"),
        ("company", "Calder", FILER, "own_name"),
        ("company", "CALDER SYSTEMS, INC.", FILER, "case"),
        ("company", "DUNMORE AG", "Dunmore AG", "case"),
        ("company", "dunmore ag", "Dunmore AG", "case"),
    }
    assert names(folder) == {
        f"company/{FILER}",
        "company/Dunmore AG",
        "company/Teller Ltd",
        "company/Teller GmbH",
        "company/Teller",  # which of the two it is, nobody says
        "company/Valves",
        "person/we",
        "place/dunmore",
    }
    assert Merges(folder).by_rules() == []


def test_a_merge_is_undone_and_stays_so(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "g", [triple(1, "Dunmore AG", "DUNMORE AG"), triple(2, "dunmore ag", "Xylo")]
    )
    before = names(folder)
    merges = Merges(folder)
    merges.by_rules()
    assert names(folder) == {"company/Dunmore AG", "company/Xylo"}
    for each in merges.active():
        merges.undo(each.id)
    assert names(folder) == before
    assert merges.by_rules() == []
    lines = (folder.path / "merges.jsonl").read_text().splitlines()
    assert len(lines) == 4 and [json.loads(line).get("undoes", "") for line in lines] == ["", "", "1", "2"]
    with pytest.raises(ConfigError, match="no merge '1'"):
        merges.undo("1")


def test_a_person_merges_names_in_a_chain_but_in_no_circle(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "g", [triple(1, "A", "B"), triple(2, "C", "A", head_type="person")])
    merges = Merges(folder)
    merges.given("company", "A", "B")
    merges.given("company", "B", "D")
    assert names(folder) == {"company/D", "person/C"}
    for name, into in (("D", "A"), ("D", "D"), ("A", "C")):
        with pytest.raises(ConfigError, match="merged into"):
            merges.given("company", name, into)
    merges.undo("2")
    assert names(folder) == {"company/B", "person/C"}


def test_a_filer_is_called_what_stands_in_the_brackets_after_its_name() -> None:
    text = (
        'In this report, Walmart Inc. (with its subsidiaries "we," "Walmart" or the "Company") sells. '
        'Walmart Inc. files reports. The Commission (the "SEC") reads. Walmart Inc. and the "Plan" (the "Trust"). '
        'The Walmart Inc. 2016 plan (the "2016 Plan") and Walmart Inc. Savings (the "Plans") hold shares. '
        'Walmart Inc. and its subsidiaries (the "Group") grow.'
    )
    assert own_names(text, "WALMART INC.") == {"we", "walmart", "company", "group"}
    assert own_names(text, "") == frozenset()


def test_a_search_needs_each_word_and_edges_of_rare_relations_come_first(tmp_path: Path) -> None:
    triples = [triple(each, "Hub", f"metric {each}", "reports", tail_type="metric") for each in range(400)]
    triples += [
        triple(400, "Hub", "Ann Lee", tail_type="person"),
        triple(401, "metric 3", "Ann Lee", "cites"),
    ]
    triples += [
        triple(402, "Ann Lee", "Hub", "leads", head_type="person"),
        triple(403, "Hub", "Hub", "leads"),
    ]
    graph = KnowledgeGraph([folder_of(tmp_path / "g", triples)])
    assert [each.entity.name for each in graph.search("LEE ann")] == ["Ann Lee", "Ann Lee"]
    assert [each.entity.type for each in graph.search("lee", "person")] == ["person"]
    assert graph.search("lee nobody") == []
    hub = graph.entity("company/Hub")
    assert hub is not None and graph.entity("person/Hub") is None
    edges, relations = graph.edges_of(hub)
    assert len(edges) == 403 and relations == {"reports": 400, "leads": 2, "owns": 1}
    assert edges[0].tail == Entity(type="person", name="Ann Lee")
    only, counted = graph.edges_of(hub, "leads")
    assert counted == relations
    assert {(each.head.id, each.triple.relation, each.tail.id) for each in only} == {
        ("person/Ann Lee", "leads", "company/Hub"),
        ("company/Hub", "leads", "company/Hub"),
    }


@pytest.fixture
def hostile(tmp_path: Path) -> KnowledgeGraph:
    made = [triple(number, name, "Tail", quote=name) for number, name in enumerate(HOSTILE)]
    made.append(
        triple(90, "A", "cost", "reports", value=Decimal("-1.50E+4"), unit="USD", members=(("a", "b'"),))
    )
    made.append(triple(91, "A", "cost", "has `odd` name", quote="", ungrounded="hidden"))
    return KnowledgeGraph([folder_of(tmp_path / "g", made)])


def unreadable_in_xml(text: str) -> str:
    return text.replace("\x07", "\ufffd").replace("\v", "\ufffd")


def test_graphml_is_read_back_by_networkx(hostile: KnowledgeGraph, tmp_path: Path) -> None:
    (file,) = export(hostile, "graphml", tmp_path / "out" / "graph.graphml")
    read = networkx.read_graphml(file, force_multigraph=True)
    assert isinstance(read, networkx.MultiDiGraph)
    assert set(read.nodes) == {unreadable_in_xml(each.id) for each in hostile.entities()}
    found = {key: (head, tail, data) for head, tail, key, data in read.edges(keys=True, data=True)}
    assert len(found) == len(hostile.edges())
    for edge in hostile.edges():
        head, tail, data = found[edge.id]
        assert (head, tail) == (unreadable_in_xml(edge.head.id), unreadable_in_xml(edge.tail.id))
        said = {name: value for name, value in flat(edge).items() if name not in ("id", "head", "tail")}
        assert data == {
            name: unreadable_in_xml(value) if isinstance(value, str) else value
            for name, value in said.items()
        }


def test_csv_is_read_back_and_no_cell_is_a_formula(hostile: KnowledgeGraph, tmp_path: Path) -> None:
    nodes, edges = export(hostile, "csv", tmp_path / "graph.csv")
    with edges.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row, edge in zip(rows, hostile.edges(), strict=True):
        for name, cell in row.items():
            assert name == "value" or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
            assert unescaped(cell) == str(flat(edge)[name])
    assert [row["value"] for row in rows if row["value"]] == ["-15000"]
    with nodes.open(newline="", encoding="utf-8") as file:
        assert [unescaped(row["name"]) for row in csv.DictReader(file)] == [
            each.name for each in hostile.entities()
        ]


@pytest.mark.parametrize("form", ["turtle", "json-ld"])
def test_rdf_is_read_back_with_the_capture_and_the_span(
    form: str, hostile: KnowledgeGraph, tmp_path: Path
) -> None:
    (file,) = export(hostile, form, tmp_path / "graph.rdf")
    read = rdflib.Graph().parse(file, format=form)
    labels = {str(each) for each in read.objects(None, rdflib.RDFS.label)}
    assert labels == {each.name for each in hostile.entities()}
    prov, oa = rdflib.Namespace("http://www.w3.org/ns/prov#"), rdflib.Namespace("http://www.w3.org/ns/oa#")
    statements = set(read.subjects(rdflib.RDF.type, rdflib.RDF.Statement))
    assert len(statements) == len(hostile.edges())
    captures = set(read.objects(None, prov.wasDerivedFrom))
    (capture,) = tmp_path.rglob("captures/*.wacz")
    digest = urlsafe_b64encode(bytes.fromhex(capture.stem)).decode().rstrip("=")
    assert {str(each) for each in captures} == {f"ni:///sha-256;{digest}"}
    quoted = {each for one in statements for each in read.objects(one, prov.wasQuotedFrom)}
    assert {str(read.value(each, prov.value)) for each in quoted} == {*HOSTILE, "Calder"}
    for each in quoted:
        selector = read.value(each, oa.hasSelector)
        assert [str(read.value(selector, end)) for end in (oa.start, oa.end)] == ["0", "6"]
        assert read.value(each, oa.hasSource) in captures
    for one in statements:  # what is said of is said as well
        subject, predicate, tail = (
            read.value(one, each) for each in (rdflib.RDF.subject, rdflib.RDF.predicate, rdflib.RDF.object)
        )
        assert tail in set(read.objects(subject, predicate))
    (value,) = read.objects(None, rdflib.URIRef("urn:verifaible:kg:value"))
    assert isinstance(value, rdflib.Literal) and value.toPython() == Decimal(-15000)


def test_two_filings_meet_where_they_name_the_same(tmp_path: Path) -> None:
    one = folder_of(tmp_path / "one", [triple(1, "Calder", "Acme Inc")])
    two = folder_of(tmp_path / "two", [triple(1, "Bell", "Acme Inc")], capture="cd" * 32)
    Merges(one).given("company", "Acme Inc", "Acme")
    assert len(KnowledgeGraph([one, two]).entities()) == 4  # a folder's merges are of its own names
    Merges(two).given("company", "Acme Inc", "Acme")
    graph = KnowledgeGraph([one, two])
    assert {each.id for each in graph.entities()} == {"company/Calder", "company/Bell", "company/Acme"}
    assert len(graph.edges()) == 2


def test_from_a_filing_to_each_format_on_the_command_line(tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin:/bin", "VERIFAIBLE_HOME": str(tmp_path)}

    def done(*arguments: str) -> str:
        ran = run_command(["kg", *arguments], environment=environment, folder=tmp_path)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    taken(tmp_path, environment)
    assert "0 names are merged" in done("merge", "graphs/demo")
    told = done("merge", "graphs/demo", "--same", "company", "Brennock", "Brennock Water Technologies, Inc.")
    assert "company: Brennock -> Brennock Water Technologies, Inc. (given)" in told
    assert json.loads(done("merge", "graphs/demo", "--undo", "1", "--json")) == []
    for form, suffix in FORMATS.items():
        assert "40 triples" in done("export", "graphs/demo", "--format", form)
        files = [f"graph-{part}.csv" for part in ("nodes", "edges")] if form == "csv" else [f"graph{suffix}"]
        assert all((tmp_path / "graphs/demo" / each).stat().st_size > 1000 for each in files)
