"""Knowledge graphs: the list, a graph, an entity with its edges, and the sealed words of an edge."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException

from verifaible.errors import VerifaibleError
from verifaible.kg.folder import GraphFolder, Ingested
from verifaible.kg.graph.graph import Edge, Entity, KnowledgeGraph
from verifaible.schema.verdict import Passage
from verifaible.text.segmentation import sentence_around
from verifaible.viewer.cache import Cache, folder_names, stamps
from verifaible.viewer.passages import SourcePage, source_page
from verifaible.viewer.respond import Part, Viewer, address, page, whole_number
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
class ListedEntity:
    """An entity, the address of its page, and how many edges it has."""

    entity: Entity
    address: str
    edges: int


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
    found: tuple[ListedEntity, ...] = ()
    count: int = 0
    fault: str = ""


@dataclass(frozen=True, slots=True)
class GraphList:
    """What the list of graphs shows."""

    graphs: Part[GraphLine]
    query: str


@dataclass(frozen=True, slots=True)
class GraphPage:
    """What the page of a graph shows; ``types`` has the kinds of entities with how many there are of each."""

    line: GraphLine
    filing: Ingested
    runs: tuple[str, ...]
    types: dict[str, int]
    entities: Part[ListedEntity]
    query: str
    kind: str


@dataclass(frozen=True, slots=True)
class ShownEdge:
    """A triple, and the addresses of the entities at its ends and of the words that it rests on."""

    edge: Edge
    head: str
    tail: str
    words: str


@dataclass(frozen=True, slots=True)
class EntityPage:
    """What the page of an entity shows; ``relations`` has those of its edges with how many there are."""

    line: GraphLine
    entity: Entity
    address: str
    relations: dict[str, int]
    relation: str
    edges: Part[ShownEdge]


@dataclass(frozen=True, slots=True)
class EdgeSource:
    """What the page of an edge's words shows; ``sentence`` is what stands beside them in theirs."""

    line: GraphLine
    edge: ShownEdge
    s: SourcePage
    sentence: tuple[str, str]


_GRAPHS: Cache[Opened] = Cache(25)


def graph_routes() -> list[Route]:
    """The routes of graphs."""
    return [
        *page("/graphs", "graphs.html", _list, name="graphs"),
        *page("/graphs/{graph}", "graph.html", _graph, name="graph"),
        *page("/graphs/{graph}/entity", "graph_entity.html", _entity, name="graph-entity"),
        *page("/graphs/{graph}/source", "graph_source.html", _source, name="graph-source"),
    ]


def _list(viewer: Viewer, request: Request) -> GraphList:
    query = request.query_params.get("q", "").strip()
    lines = [_line(viewer, name, query) for name in _names(viewer)]
    found = [each for each in lines if each.count or not query]
    return GraphList(Part.of(request, found, _GRAPHS_A_PAGE), query)


def _line(viewer: Viewer, name: str, query: str = "") -> GraphLine:
    """A graph as a list shows it; one that is damaged says so."""
    line = GraphLine(folder_name(name), folder_address("/graphs", name))
    try:
        opened = _open(viewer, name)
    except VerifaibleError as fault:
        return GraphLine(line.shown, line.address, fault=str(fault))
    found = opened.graph.search(query) if query else []
    return GraphLine(
        line.shown,
        line.address,
        opened.filing.source.title,
        opened.graph.nx.number_of_nodes(),
        opened.graph.nx.number_of_edges(),
        tuple(
            ListedEntity(each.entity, _entity_address(line.address, each.entity), each.edges)
            for each in found[:_FOUND_A_GRAPH]
        ),
        len(found),
    )


def _graph(viewer: Viewer, request: Request) -> GraphPage:
    name, opened = _opened(viewer, request)
    query, kind = (request.query_params.get(each, "").strip() for each in ("q", "type"))
    line = _line(viewer, name)
    found = Part.of(request, opened.graph.search(query, kind), _ENTITIES_A_PAGE)
    return GraphPage(
        line,
        opened.filing,
        opened.runs,
        dict(opened.graph.types().most_common()),
        found.made(
            lambda each: ListedEntity(each.entity, _entity_address(line.address, each.entity), each.edges)
        ),
        query,
        kind,
    )


def _entity(viewer: Viewer, request: Request) -> EntityPage:
    name, opened = _opened(viewer, request)
    relation = request.query_params.get("relation", "")
    entity = opened.graph.entity(request.query_params.get("id", ""))
    if entity is None:
        raise HTTPException(404, "This graph has no such entity. It may have been merged into another one.")
    edges, relations = opened.graph.edges_of(entity, relation)
    line = _line(viewer, name)
    return EntityPage(
        line,
        entity,
        _entity_address(line.address, entity),
        dict(relations.most_common()),
        relation,
        Part.of(request, edges, _EDGES_A_PAGE).made(lambda edge: _shown(line.address, edge)),
    )


def _source(viewer: Viewer, request: Request) -> EdgeSource:
    name, opened = _opened(viewer, request)
    wanted, first = (request.query_params.get(each, "") for each in ("edge", "from"))
    edge = next((each for each in opened.graph.edges() if each.id == wanted), None)
    if edge is None:
        raise HTTPException(404, "This graph has no such edge. Its filing may have been extracted again.")
    start, end, passages = 0, 0, []
    if not edge.triple.ungrounded:
        start, end = edge.triple.start, edge.triple.end
        source = edge.source
        passages = [
            Passage(
                source=source.id,
                capture=source.capture,
                file=source.file,
                start=start,
                end=end,
                quote=edge.triple.quote,
            )
        ]
    shown = source_page(
        viewer.store, edge.source, passages, (start, end), whole_number(first) if first else None
    )
    line = _line(viewer, name)
    return EdgeSource(line, _shown(line.address, edge), shown, _sentence(shown))


def _sentence(shown: SourcePage) -> tuple[str, str]:
    """Of the sentence of the marked words, or of their row, what stands before and behind them."""
    if not shown.marked:
        return "", ""
    start, end = len(shown.before), len(shown.before) + len(shown.marked)
    text = shown.before + shown.marked + shown.after
    first, last = sentence_around(text, start, end)
    return text[first:start], text[end:last]


def _shown(graph: str, edge: Edge) -> ShownEdge:
    words = f"{address(f'{graph}/source', {'edge': edge.id})}#evidence"
    return ShownEdge(edge, _entity_address(graph, edge.head), _entity_address(graph, edge.tail), words)


def _entity_address(graph: str, entity: Entity) -> str:
    return address(f"{graph}/entity", {"id": entity.id})


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
        runs = tuple(each.name for each in folder.runs())
        return Opened(folder.ingested, KnowledgeGraph([folder]), runs)

    files: list[Path] = [folder.path / _FILING, folder.path / "merges.jsonl"]
    files += [run.triples.path for run in folder.runs()]
    return _GRAPHS.get(folder.path, stamps(files), made)
