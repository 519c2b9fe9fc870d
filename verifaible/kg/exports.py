"""The graph as files: GraphML, RDF (Turtle, JSON-LD), CSV. Edges name their capture and span."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import quote

from verifaible.errors import needing
from verifaible.kg.graph import Edge, Entity, KnowledgeGraph
from verifaible.reporting.csv_files import Sheet, Value
from verifaible.runs.lines import usable, write_whole

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

Flat: TypeAlias = dict[str, str | int]
#: The formats, and how their files end.
FORMATS: Final = MappingProxyType(
    {"graphml": ".graphml", "turtle": ".ttl", "json-ld": ".jsonld", "csv": ".csv"}
)
#: What XML 1.0 cannot hold (its section 2.2).
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_KG: Final = "urn:verifaible:kg:"


def export(graph: KnowledgeGraph, form: str, path: Path) -> list[Path]:
    """Write a graph.

    Args:
        graph: the graph.
        form: one of :data:`FORMATS`.
        path: the file; of ``csv`` there are two, with ``-nodes`` and ``-edges`` in their names.

    Returns:
        The files that were written.

    Raises:
        RunError: a file cannot be written.
    """
    with usable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if form == "csv":
            nodes = [{"id": each.id, "type": each.type, "name": each.name} for each in graph.entities()]
            edges = [{**flat(each), "value": _number(each.triple.value)} for each in graph.edges()]
            return [_csv(path, "nodes", nodes), _csv(path, "edges", edges)]
    write_whole(path, _graphml(graph) if form == "graphml" else _rdf(graph).serialize(format=form, indent=1))
    return [path]


def flat(edge: Edge) -> Flat:
    """An edge as names and values: the triple's, and where it is from. A value is the decimal, in digits."""
    triple = edge.triple
    return {
        "id": edge.id,
        "head": edge.head.id,
        "relation": triple.relation,
        "tail": edge.tail.id,
        "value": "" if triple.value is None else format(triple.value, "f"),
        "unit": triple.unit,
        "period": triple.period,
        "members": json.dumps(dict(triple.members), ensure_ascii=False) if triple.members else "",
        "head_as_extracted": triple.head,
        "tail_as_extracted": triple.tail,
        "quote": triple.quote,
        "start": triple.start,
        "end": triple.end,
        "ungrounded": triple.ungrounded,
        "capture": edge.source.capture,
        "file": edge.source.file,
        "url": edge.source.url,
        "graph": edge.graph,
        "run": edge.run,
        "chunk": triple.chunk,
        "by": triple.by,
    }


def _number(value: Decimal | None) -> Value:
    """A value as a spreadsheet counts with it: a text that began with a minus would be escaped."""
    if value is None:
        return ""
    return int(value) if value == value.to_integral_value() else float(value)


def _csv(path: Path, part: str, rows: Sequence[Mapping[str, Value]]) -> Path:
    """One of the files; ``'`` stands before what a spreadsheet would run."""
    sheet = Sheet(path.with_name(f"{path.stem}-{part}{path.suffix}"), list(rows[0]) if rows else ["id"])
    for each in rows:
        sheet.add(each.values())
    return sheet.save()


def _graphml(graph: KnowledgeGraph) -> str:
    """GraphML; a character that XML cannot hold is ``\\ufffd`` in it."""
    from networkx import MultiDiGraph, generate_graphml

    def held(values: Flat) -> Flat:
        return {
            name: _NOT_XML.sub("\ufffd", each) if isinstance(each, str) else each
            for name, each in values.items()
        }

    copy = MultiDiGraph()
    for entity in graph.entities():
        copy.add_node(_NOT_XML.sub("\ufffd", entity.id), **held({"type": entity.type, "name": entity.name}))
    for edge in graph.edges():
        said = held(flat(edge))
        head, tail, name = (str(said.pop(each)) for each in ("head", "tail", "id"))
        copy.add_edge(head, tail, name, **said)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(generate_graphml(copy)) + "\n"


def _rdf(graph: KnowledgeGraph) -> Graph:
    """RDF 1.1: each triple, and a statement about it that names its capture and span (PROV, OA)."""
    with needing("kg", "An export as RDF"):
        from rdflib import BNode, Graph, Literal, Namespace, URIRef
        from rdflib.namespace import PROV, RDF, RDFS

    kg, oa = Namespace(_KG), Namespace("http://www.w3.org/ns/oa#")
    made = Graph()
    for prefix, space in (("kg", kg), ("oa", oa), ("prov", PROV)):
        made.bind(prefix, space)
    for entity in graph.entities():
        subject = URIRef(_entity(entity))
        made.add((subject, RDF.type, URIRef(f"{_KG}type/{quote(entity.type, safe='')}")))
        made.add((subject, RDFS.label, Literal(entity.name)))
    for edge in graph.edges():
        triple, statement = edge.triple, URIRef(f"urn:verifaible:triple:{quote(edge.id)}")
        head, tail = URIRef(_entity(edge.head)), URIRef(_entity(edge.tail))
        relation = URIRef(f"{_KG}relation/{quote(triple.relation, safe='')}")
        capture = URIRef(_capture(edge.source.capture))
        values = flat(edge)
        said: list[tuple[URIRef, Node]] = [
            (RDF.type, RDF.Statement), (RDF.type, PROV.Entity), (RDF.subject, head), (RDF.object, tail),
            (RDF.predicate, relation), (PROV.wasDerivedFrom, capture),
        ]  # fmt: skip
        if triple.value is not None:
            said.append((kg.value, Literal(triple.value)))
        for name in (
            "unit",
            "period",
            "members",
            "head_as_extracted",
            "tail_as_extracted",
            "ungrounded",
            "by",
        ):
            if values[name]:
                said.append((kg[name], Literal(values[name])))
        if not triple.ungrounded:
            source, selector = BNode(), BNode()
            said.append((PROV.wasQuotedFrom, source))
            for of, predicate, value in (
                (source, RDF.type, oa.SpecificResource), (source, oa.hasSource, capture),
                (source, kg.file, Literal(edge.source.file)), (source, PROV.value, Literal(triple.quote)),
                (source, oa.hasSelector, selector), (selector, RDF.type, oa.TextPositionSelector),
                (selector, oa.start, Literal(triple.start)), (selector, oa.end, Literal(triple.end)),
            ):  # fmt: skip
                made.add((of, predicate, value))
        made.add((head, relation, tail))
        for predicate, node in said:
            made.add((statement, predicate, node))
    return made


def _entity(entity: Entity) -> str:
    return f"urn:verifaible:entity:{quote(entity.type, safe='')}/{quote(entity.name, safe='')}"


def _capture(sha256: str) -> str:
    """The name of bytes by their hash (RFC 6920)."""
    digest = base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode().rstrip("=")
    return f"ni:///sha-256;{digest}"
