"""The graph in memory: a networkx MultiDiGraph whose nodes are entities and whose edges are triples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifaible.errors import needing
from verifaible.kg.folder import GraphFolder
from verifaible.kg.graph.merging import Merges, normal
from verifaible.kg.triples import Triple
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record
from verifaible.text.flat import folded

if TYPE_CHECKING:
    from networkx import MultiDiGraph


class Entity(Record):
    """A named thing. Its name is that of the triples, or the one that theirs is merged into."""

    type: str
    name: str

    @property
    def id(self) -> str:
        """``company/Apple Inc.``; the same in every run."""
        return f"{self.type}/{self.name}"


class Edge(Record):
    """A triple between two entities.

    Attributes:
        id: begins with the capture's hash: the same triple of the same filing comes once.
        graph: the name of the folder that it is from.
        run: the extraction in it.
        source: the capture, and the file in it that the triple's span counts in.
        triple: as it was extracted, with the names that it was extracted with.
    """

    id: str
    graph: str
    run: str
    source: Source
    head: Entity
    tail: Entity
    triple: Triple


@dataclass(frozen=True, slots=True)
class Found:
    """An entity that a search found, and how many edges it has."""

    entity: Entity
    edges: int


class KnowledgeGraph:
    """Entities and edges of one or more folders; each folder's merges hold for its own triples.

    Attributes:
        nx: the networkx MultiDiGraph. Nodes have their ``entity``, edges the key ``Edge.id`` and their
            ``edge``.

    Raises:
        ConfigError: a folder holds no filing, or the extra ``kg`` is not installed.
        RunError: a file of a folder is damaged.
    """

    def __init__(self, folders: Sequence[GraphFolder]) -> None:
        with needing("kg", "A knowledge graph"):
            from networkx import MultiDiGraph

        self.nx: MultiDiGraph = MultiDiGraph()
        for folder in folders:
            source, names = folder.ingested.source, Merges(folder).names()

            def entity(kind: str, name: str, names: dict[tuple[str, str], str] = names) -> Entity:
                name = normal(name)
                return Entity(type=kind, name=names.get((kind, name), name))

            for run in folder.runs():
                for triple in run.triples:
                    self._add(
                        Edge(
                            id=f"{source.capture[:16]}/{run.name}/{triple.id}",
                            graph=folder.path.name,
                            run=run.name,
                            source=source,
                            head=entity(triple.head_type, triple.head),
                            tail=entity(triple.tail_type, triple.tail),
                            triple=triple,
                        )
                    )

    def _add(self, edge: Edge) -> None:
        for entity in (edge.head, edge.tail):
            self.nx.add_node(entity.id, entity=entity)
        self.nx.add_edge(edge.head.id, edge.tail.id, edge.id, edge=edge)

    def entities(self) -> list[Entity]:
        """All of them, in the order of the triples."""
        return [entity for _, entity in self.nx.nodes(data="entity")]

    def edges(self) -> list[Edge]:
        """All of them, by the entity that they start from."""
        return [edge for _, _, edge in self.nx.edges(data="edge")]

    def entity(self, name: str) -> Entity | None:
        """The entity of that id; None where there is none."""
        found: Entity | None = self.nx.nodes[name]["entity"] if name in self.nx else None
        return found

    def types(self) -> Counter[str]:
        """How many entities of each type there are."""
        return Counter(each.type for each in self.entities())

    def search(self, query: str = "", kind: str = "") -> list[Found]:
        """Entities whose name has each word of the query, those with most edges first.

        Args:
            query: words; case, width and white space do not matter. Empty: all.
            kind: the type that they have; empty: any.
        """
        words = [folded(word) for word in query.split()]
        found = [
            Found(each, self.nx.degree(each.id))
            for each in self.entities()
            if kind in ("", each.type) and all(word in folded(each.name) for word in words)
        ]
        return sorted(found, key=lambda each: (-each.edges, each.entity.id))

    def edges_of(self, entity: Entity, relation: str = "") -> tuple[tuple[Edge, ...], Counter[str]]:
        """The edges of an entity, those of rarer relations first, and how many it has of each relation.

        Args:
            entity: one of the graph.
            relation: only the edges of this one; empty: of all. All are counted.
        """
        around: Iterable[tuple[str, str, str, Edge]] = (
            *self.nx.out_edges(entity.id, keys=True, data="edge"),
            *self.nx.in_edges(entity.id, keys=True, data="edge"),
        )
        unique = {key: edge for _, _, key, edge in around}  # an edge to itself goes out and comes in
        relations = Counter(edge.triple.relation for edge in unique.values())
        edges = sorted(
            (edge for edge in unique.values() if relation in ("", edge.triple.relation)),
            key=lambda each: (relations[each.triple.relation], each.triple.relation),
        )
        return tuple(edges), relations
