"""The pages of graphs: the list, a graph with its search, an entity with its edges, an edge's span."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.routing import Route

from verifaible.schema.verdict import Passage
from verifaible.text.segmentation import sentence_around
from verifaible.viewer.graphs.reading import (
    OpenedGraph,
    address_of,
    graph_lines,
    graph_names,
    open_graph,
)
from verifaible.viewer.judged.source import ShownSource, shown_source
from verifaible.viewer.rendering import page
from verifaible.viewer.runs.timeline import visible
from verifaible.viewer.state import House, house_of, read, whole_number

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from verifaible.kg.graph.graph import Edge, Entity

_GRAPHS_A_PAGE = 25
_ENTITIES_A_PAGE = 50
_EDGES_A_PAGE = 100
#: Entities that the list of graphs shows of one, with a search.
_FOUND_A_GRAPH = 5


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses within a graph."""

    graph: str

    def entity(self, entity: Entity, **more: str) -> str:
        """Of an entity's page."""
        return f"{self.graph}/entity?{urlencode({'id': entity.id, **more})}"

    def edge(self, edge: Edge) -> str:
        """Of the page with the span of an edge, at the marked words."""
        return f"{self.graph}/source?{urlencode({'edge': edge.id})}#evidence"


def graph_routes() -> list[Route]:
    """The routes of graphs."""
    return [
        Route("/graphs", graphs, name="graphs"),
        Route("/graphs/{graph}", graph, name="graph"),
        Route("/graphs/{graph}/entity", entity, name="graph-entity"),
        Route("/graphs/{graph}/source", source, name="graph-source"),
    ]


async def graphs(request: Request) -> Response:
    """All graphs, by name, page by page; with a search, what each of the page has of it."""
    house, start = house_of(request), whole_number(request.query_params.get("from", ""))
    query = request.query_params.get("q", "").strip()

    def found() -> dict[str, Any]:
        names = graph_names(house)
        shown = graph_lines(house, names[start : start + _GRAPHS_A_PAGE])
        graphs = [
            (line, Addresses(line.address), line.opened.graph.search(query) if line.opened and query else [])
            for line in shown
        ]
        return {"total": len(names), "graphs": [each for each in graphs if each[2] or not query]}

    return page(
        request,
        "graphs.html",
        start=start,
        most=_GRAPHS_A_PAGE,
        words_asked=query,
        most_found=_FOUND_A_GRAPH,
        visible=visible,
        **await read(house, found),
    )


async def graph(request: Request) -> Response:
    """A graph: what it is of, and its entities, which can be searched."""
    house, name = house_of(request), str(request.path_params["graph"])
    query, kind = (request.query_params.get(each, "").strip() for each in ("q", "type"))
    start = whole_number(request.query_params.get("from", ""))

    def found() -> dict[str, Any]:
        opened = _opened(house, name)
        listed = opened.graph.search(query, kind)
        return {
            "opened": opened,
            "types": opened.graph.types(),
            "edge_count": opened.graph.nx.number_of_edges(),
            "count": len(listed),
            "entities": listed[start : start + _ENTITIES_A_PAGE],
        }

    return page(
        request,
        "graph.html",
        name=name,
        at=Addresses(address_of(name)),
        words_asked=query,
        kind=kind,
        start=start,
        most=_ENTITIES_A_PAGE,
        visible=visible,
        **await read(house, found),
    )


async def entity(request: Request) -> Response:
    """An entity and its edges."""
    house, name = house_of(request), str(request.path_params["graph"])
    asked, at = request.query_params, Addresses(address_of(name))
    relation, start = asked.get("relation", ""), whole_number(asked.get("from", ""))

    def found() -> dict[str, Any]:
        opened = _opened(house, name)
        one = opened.graph.entity(asked.get("id", ""))
        if one is None:
            raise HTTPException(
                404, "This graph has no such entity. It may have been merged into another one."
            )
        edges, relations = opened.graph.edges_of(one, relation)
        return {
            "entity": one,
            "relations": relations,
            "count": len(edges),
            "edges": edges[start : start + _EDGES_A_PAGE],
        }

    return page(
        request,
        "graph_entity.html",
        name=name,
        at=at,
        relation=relation,
        start=start,
        most=_EDGES_A_PAGE,
        visible=visible,
        **await read(house, found),
    )


async def source(request: Request) -> Response:
    """The sealed words that an edge rests on, marked in their sentence."""
    house, name = house_of(request), str(request.path_params["graph"])
    asked, at = request.query_params, Addresses(address_of(name))

    def found() -> dict[str, Any]:
        opened = _opened(house, name)
        wanted = asked.get("edge", "")
        edge = next((each for each in opened.graph.edges() if each.id == wanted), None)
        if edge is None:
            raise HTTPException(404, "This graph has no such edge. Its filing may have been extracted again.")
        shown = _shown(house, edge, whole_number(asked.get("from", "")) if asked.get("from") else None)
        return {"s": shown, "edge": edge, "sentence": _around(shown)}

    return page(
        request, "graph_source.html", name=name, at=at, back="", visible=visible, **await read(house, found)
    )


def _shown(house: House, edge: Edge, first: int | None) -> ShownSource:
    triple, sealed = edge.triple, edge.source
    place = {} if first is None else {"from": first}
    if triple.ungrounded:
        return shown_source(house.store, sealed, (), place)
    passage = Passage(
        source=sealed.id,
        capture=sealed.capture,
        file=sealed.file,
        start=triple.start,
        end=triple.end,
        quote=triple.quote,
    )
    return shown_source(house.store, sealed, (passage,), {"start": triple.start, "end": triple.end, **place})


def _around(shown: ShownSource) -> tuple[str, str]:
    """Of the sentence of the marked words, or of their row, what stands before and behind them."""
    if not shown.marked:
        return "", ""
    start, end = len(shown.before), len(shown.before) + len(shown.marked)
    text = shown.before + shown.marked + shown.after
    first, last = sentence_around(text, start, end)
    return text[first:start], text[end:last]


def _opened(house: House, name: str) -> OpenedGraph:
    """A graph by the name in an address: only what the listing has is opened."""
    if name not in graph_names(house):
        raise HTTPException(404, "There is no graph of this name.")
    return open_graph(house, name)
