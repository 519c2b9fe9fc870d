"""Knowledge graphs: the list, a graph, an entity with its edges, and the sealed words of an edge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException

from verifaible.errors import VerifaibleError
from verifaible.kg.folder import GraphFolder, Ingested
from verifaible.kg.graph import Found, KnowledgeGraph
from verifaible.schema.verdict import Passage
from verifaible.text.segmentation import sentence_around
from verifaible.viewer.cache import Cache, folder_names, stamps
from verifaible.viewer.passages import SourcePage, source_page
from verifaible.viewer.respond import Part, Viewer, page, whole_number
from verifaible.viewer.text import folder_address, folder_name

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route

_FILING: Final = "filing.json"
_GRAPHS_A_PAGE, _ENTITIES_A_PAGE, _EDGES_A_PAGE = 25, 50, 100
#: Entities that the list of graphs shows of one, with a search.
_FOUND_A_GRAPH: Final = 5


@dataclass(frozen=True, slots=True)
class Opened:
    """A graph's folder that was read: the filing, its triples, and the extractions that they are from."""

    filing: Ingested
    graph: KnowledgeGraph
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphLine:
    """A graph as a list shows it.

    Attributes:
        shown: the name of its folder as text.
        address: of its page; empty where the name cannot stand in an address.
        title: of the filing.
        entities: how many.
        triples: how many.
        found: with a search, the first entities that it found.
        count: how many it found in all.
        fault: why it cannot be read; empty where it can.
    """

    shown: str
    address: str
    title: str = ""
    entities: int = 0
    triples: int = 0
    found: tuple[Found, ...] = ()
    count: int = 0
    fault: str = ""


_GRAPHS: Cache[Opened] = Cache(25)


def graph_routes() -> list[Route]:
    """The routes of graphs."""
    return [
        *page("/graphs", "graphs.html", _list, name="graphs"),
        *page("/graphs/{graph}", "graph.html", _graph, name="graph"),
        *page("/graphs/{graph}/entity", "graph_entity.html", _entity, name="graph-entity"),
        *page("/graphs/{graph}/source", "graph_source.html", _source, name="graph-source"),
    ]


def _list(viewer: Viewer, request: Request) -> dict[str, object]:
    """The graphs by name, page by page; with a search, what each of the page has of it."""
    query = request.query_params.get("q", "").strip()
    shown = Part.of(request, _names(viewer), _GRAPHS_A_PAGE).made(lambda name: _line(viewer, name, query))
    found = tuple(each for each in shown.items if each.count or not query)
    return {"graphs": replace(shown, items=found), "query": query}


def _line(viewer: Viewer, name: str, query: str = "") -> GraphLine:
    """A graph as a list shows it; one that is damaged says so."""
    line = GraphLine(folder_name(name), folder_address("/graphs", name))
    try:
        opened = _open(viewer, name)
    except VerifaibleError as fault:
        return replace(line, fault=str(fault))
    found = opened.graph.search(query) if query else []
    return replace(
        line,
        title=opened.filing.source.title,
        entities=opened.graph.nx.number_of_nodes(),
        triples=opened.graph.nx.number_of_edges(),
        found=tuple(found[:_FOUND_A_GRAPH]),
        count=len(found),
    )


def _graph(viewer: Viewer, request: Request) -> dict[str, object]:
    """A graph: the filing, the extractions, the kinds of its entities, and those that a search leaves."""
    name, opened = _opened(viewer, request)
    query, kind = (request.query_params.get(each, "").strip() for each in ("q", "type"))
    return {
        "line": _line(viewer, name),
        "filing": opened.filing,
        "runs": opened.runs,
        "types": dict(opened.graph.types().most_common()),
        "entities": Part.of(request, opened.graph.search(query, kind), _ENTITIES_A_PAGE),
        "query": query,
        "kind": kind,
    }


def _entity(viewer: Viewer, request: Request) -> dict[str, object]:
    """An entity, its relations with how many edges each has, and the edges of one of them or of all."""
    name, opened = _opened(viewer, request)
    relation = request.query_params.get("relation", "")
    entity = opened.graph.entity(request.query_params.get("id", ""))
    if entity is None:
        raise HTTPException(404, "This graph has no such entity. It may have been merged into another one.")
    edges, relations = opened.graph.edges_of(entity, relation)
    return {
        "line": _line(viewer, name),
        "entity": entity,
        "relations": dict(relations.most_common()),
        "relation": relation,
        "edges": Part.of(request, edges, _EDGES_A_PAGE),
    }


def _source(viewer: Viewer, request: Request) -> dict[str, object]:
    """The sealed words that an edge rests on, and what stands beside them in their sentence."""
    name, opened = _opened(viewer, request)
    wanted, first = (request.query_params.get(each, "") for each in ("edge", "from"))
    edge = next((each for each in opened.graph.edges() if each.id == wanted), None)
    if edge is None:
        raise HTTPException(404, "This graph has no such edge. Its filing may have been extracted again.")
    source, triple = edge.source, edge.triple
    place = {"start": triple.start, "end": triple.end, "quote": triple.quote}
    passage = Passage(source=source.id, capture=source.capture, file=source.file, **place)
    shown = source_page(
        viewer.store,
        source,
        () if triple.ungrounded else (passage,),
        (0, 0) if triple.ungrounded else (triple.start, triple.end),
        whole_number(first) if first else None,
    )
    return {"line": _line(viewer, name), "edge": edge, "s": shown, "sentence": _sentence(shown)}


def _sentence(shown: SourcePage) -> tuple[str, str]:
    """Of the sentence of the marked words, or of their row, what stands before and behind them."""
    if not shown.marked:
        return "", ""
    start, end = len(shown.before), len(shown.before) + len(shown.marked)
    text = shown.before + shown.marked + shown.after
    first, last = sentence_around(text, start, end)
    return text[first:start], text[end:last]


def _names(viewer: Viewer) -> list[str]:
    return folder_names(viewer.settings.home / "graphs", holding=_FILING)[::-1]


def _opened(viewer: Viewer, request: Request) -> tuple[str, Opened]:
    """The name and the graph of an address: only what the listing has is opened.

    Raises:
        HTTPException: there is none of that name.
        ConfigError: the extra ``kg`` is not installed.
        RunError: it is damaged.
    """
    name = str(request.path_params["graph"])
    if name not in _names(viewer):
        raise HTTPException(404, "There is no graph of this name. The list of graphs has all of them.")
    return name, _open(viewer, name)


def _open(viewer: Viewer, name: str) -> Opened:
    folder = GraphFolder(viewer.settings.home / "graphs" / name)

    def made() -> Opened:
        verified = GraphFolder.open(folder.path)
        names = tuple(each.name for each in verified.runs())
        return Opened(verified.ingested, KnowledgeGraph([verified]), names)

    files: list[Path] = [folder.path / _FILING, folder.path / "merges.jsonl"]
    files += [run.triples.path for run in folder.runs()]
    return _GRAPHS.get(folder.path, stamps(files), made)
