"""The graph as files: GraphML, RDF Turtle, CSV. Edges name their capture and span."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias
from urllib.parse import quote

from verifaible.kg.graph.graph import Edge, Entity, KnowledgeGraph
from verifaible.runs.lines import usable, write_whole

Flat: TypeAlias = dict[str, str | int]
#: What XML 1.0 cannot hold (its section 2.2).
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
#: What a spreadsheet takes for the beginning of a formula, and the sign that is put before it.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f]")
_PREFIXES: Final = """\
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix kg: <urn:verifaible:kg:> .
@prefix oa: <http://www.w3.org/ns/oa#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


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
    path.parent.mkdir(parents=True, exist_ok=True)
    if form == "csv":
        parts = {"nodes": map(node, graph.entities()), "edges": map(flat, graph.edges())}
        written = []
        for name, rows in parts.items():
            file = path.with_name(f"{path.stem}-{name}{path.suffix}")
            with usable(file):
                file.write_text(csv_text(list(rows)), encoding="utf-8", newline="")
            written.append(file)
        return written
    write_whole(path, {"graphml": graphml, "turtle": turtle}[form](graph))
    return [path]


def node(entity: Entity) -> Flat:
    """An entity as names and values."""
    return {"id": entity.id, "type": entity.type, "name": entity.name}


def flat(edge: Edge) -> Flat:
    """An edge as names and values: the triple's, and where it is from. A value is the decimal, in digits."""
    triple = edge.triple
    return {
        "id": edge.id,
        "head": edge.head.id,
        "relation": triple.relation,
        "tail": edge.tail.id,
        "value": _digits(triple.value),
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


def _digits(value: Decimal | None) -> str:
    return "" if value is None else format(value, "f")


def graphml(graph: KnowledgeGraph) -> str:
    """GraphML; a character that XML cannot hold is ``\\ufffd`` in it."""
    from networkx import MultiDiGraph, generate_graphml

    copy = MultiDiGraph()
    for entity in graph.entities():
        copy.add_node(_xml(entity.id), **_of_xml(node(entity)))
    for edge in graph.edges():
        copy.add_edge(_xml(edge.head.id), _xml(edge.tail.id), edge.id, **_of_xml(flat(edge)))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(generate_graphml(copy)) + "\n"


def _of_xml(values: Flat) -> Flat:
    """Without what the elements say themselves."""
    return {
        name: _xml(value) if isinstance(value, str) else value
        for name, value in values.items()
        if name not in ("id", "head", "tail")
    }


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def csv_text(rows: Sequence[Mapping[str, str | int | float | None]]) -> str:
    """RFC 4180, with a head; ``'`` stands before what a spreadsheet would run, and before ``'`` itself."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]) if rows else [])
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(name, value) for name, value in row.items()})
    return text.getvalue()


def _cell(name: str, value: str | int | float | None) -> str | int | float | None:
    text = isinstance(value, str) and name != "value"  # a value is a number, which may be negative
    return f"'{value}" if text and str(value).startswith(_FORMULA) else value


def _escape(sign: re.Match[str]) -> str:
    return f"\\u{ord(sign[0]):04X}"


def turtle(graph: KnowledgeGraph) -> str:
    """RDF 1.1 Turtle: each triple, and a statement about it that names its capture and span (PROV, OA)."""
    lines = [_PREFIXES]
    for entity in graph.entities():
        lines.append(f"{_iri(entity)} a {_term('type', entity.type)} ; rdfs:label {_text(entity.name)} .\n")
    captures = {edge.source.capture: edge.source for edge in graph.edges()}
    for source in captures.values():
        lines.append(
            f"{_capture(source.capture)} a prov:Entity ; dcterms:identifier {_text(source.capture)} ; "
            f"dcterms:title {_text(source.title)} ; dcterms:source {_text(source.url)} .\n"
        )
    lines += [_of_edge(edge) for edge in graph.edges()]
    return "".join(lines)


def _of_edge(edge: Edge) -> str:
    triple, capture = edge.triple, _capture(edge.source.capture)
    head, relation, tail = _iri(edge.head), _term("relation", triple.relation), _iri(edge.tail)
    said = [
        f"<urn:verifaible:triple:{quote(edge.id)}> a rdf:Statement, prov:Entity",
        f"rdf:subject {head}",
        f"rdf:predicate {relation}",
        f"rdf:object {tail}",
        f"prov:wasDerivedFrom {capture}",
    ]
    if triple.value is not None:
        said.append(f'kg:value "{_digits(triple.value)}"^^xsd:decimal')
    values = flat(edge)
    for name in ("unit", "period", "members", "head_as_extracted", "tail_as_extracted", "ungrounded", "by"):
        if values[name]:
            said.append(f"kg:{name} {_text(str(values[name]))}")
    if not triple.ungrounded:
        said.append(
            f"prov:wasQuotedFrom [ a oa:SpecificResource, prov:Entity ; oa:hasSource {capture} ; "
            f"kg:file {_text(edge.source.file)} ; prov:value {_text(triple.quote)} ; "
            f"oa:hasSelector [ a oa:TextPositionSelector ; oa:start {triple.start} ; oa:end {triple.end} ] ]"
        )
    return f"{head} {relation} {tail} .\n" + " ;\n  ".join(said) + " .\n"


def _iri(entity: Entity) -> str:
    return f"<urn:verifaible:entity:{quote(entity.type, safe='')}/{quote(entity.name, safe='')}>"


def _term(kind: str, name: str) -> str:
    return f"<urn:verifaible:kg:{kind}/{quote(name, safe='')}>"


def _capture(sha256: str) -> str:
    """The name of bytes by their hash (RFC 6920)."""
    digest = base64.urlsafe_b64encode(bytes.fromhex(sha256)).decode().rstrip("=")
    return f"<ni:///sha-256;{digest}>"


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_CONTROL.sub(_escape, escaped)}"'


#: The formats, and how their files end.
FORMATS: Final = MappingProxyType({"graphml": ".graphml", "turtle": ".ttl", "csv": ".csv"})
