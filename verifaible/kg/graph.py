"""The graph in memory, a networkx MultiDiGraph whose nodes are entities and whose edges are triples.

Names of one thing are merged by lines of ``merges.jsonl``, and so is a merge undone: nothing is lost.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from verifaible.errors import ConfigError, needing
from verifaible.kg.folder import GraphFolder
from verifaible.kg.triples import Triple
from verifaible.runs.lines import Lines
from verifaible.schema.analyst import Source
from verifaible.schema.base import Record
from verifaible.text.flat import folded

if TYPE_CHECKING:
    from networkx import MultiDiGraph

#: ``own_name``: the filing calls its filer so. ``case``: nothing else differs. ``given``: a person says so.
Why: TypeAlias = Literal["own_name", "case", "given"]
#: An entity: its type and its name.
Key: TypeAlias = tuple[str, str]
#: From a filer's name to the brackets in which it gives itself others, in code points.
_NEAR: Final = 160
_QUOTED: Final = re.compile(r"[\"“]([^\"“”]{1,60})[\"”]")


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
            for run in folder.runs():
                for triple in run.triples:
                    head, tail = (
                        Entity(type=kind, name=names.get((kind, name), name)) for kind, name in _ends(triple)
                    )
                    name = f"{source.capture[:16]}/{run.name}/{triple.id}"
                    edge = Edge(
                        id=name,
                        graph=folder.path.name,
                        run=run.name,
                        source=source,
                        head=head,
                        tail=tail,
                        triple=triple,
                    )
                    for entity in (head, tail):
                        self.nx.add_node(entity.id, entity=entity)
                    self.nx.add_edge(head.id, tail.id, name, edge=edge)

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


# --- names of one thing


class Merge(Record):
    """A name that was merged into another one of the same type.

    Attributes:
        id: its number in the file.
        undoes: the id of the merge that this line takes back; empty in a merge.
        name, into: the name that is no entity of its own any more, and the one that it is taken for.
    """

    id: str
    undoes: str = ""
    type: str
    name: str
    into: str
    why: Why


class Merges:
    """The merges of a graph's folder."""

    def __init__(self, folder: GraphFolder) -> None:
        self._folder = folder
        self._lines = Lines(folder.path / "merges.jsonl", Merge)

    def active(self) -> list[Merge]:
        """Those that were not undone."""
        lines = self._lines.read()
        undone = {each.undoes for each in lines}
        return [each for each in lines if not each.undoes and each.id not in undone]

    def names(self) -> dict[Key, str]:
        """The name that each merged name is taken for in the end."""
        steps = {(each.type, each.name): each.into for each in self.active()}
        found: dict[Key, str] = {}
        for kind, name in steps:
            last, passed = name, set[str]()
            while (kind, last) in steps and last not in passed:
                passed.add(last)
                last = steps[kind, last]
            found[kind, name] = last
        return found

    def by_rules(self) -> list[Merge]:
        """Merge what rules take for one thing; what was undone once is left alone.

        Raises:
            ConfigError: no filing was taken in.
        """
        filing, names = self._folder.filing(), self.names()
        ends = [end for triple in self._folder.triples() for end in _ends(triple)]
        counts = Counter((kind, names.get((kind, name), name)) for kind, name in ends)
        undone = {(each.type, each.name, each.into) for each in self._lines if each.undoes}
        made = []
        for kind, name, into, why in _proposed(
            counts, normal(filing.name), own_names(filing.text, filing.name)
        ):
            if not undone & {(kind, name, into), (kind, into, name)}:
                made.append(self._add(kind, name, into, why))
        return made

    def given(self, kind: str, name: str, into: str) -> Merge:
        """Merge a name into another one, because a person says that they are one thing.

        Raises:
            ConfigError: the first is merged already, or the second is merged into it.
        """
        name, into, names = normal(name), normal(into), self.names()
        if (kind, name) in names:
            raise ConfigError(
                f"{name} is merged into {names[kind, name]} already. Undo that first, with "
                f"`verifaible kg merge {self._folder.path} --undo ID`."
            )
        if name == names.get((kind, into), into):
            raise ConfigError(f"{into} is merged into {name} already, or is the same name. Name two others.")
        return self._add(kind, name, into, "given")

    def undo(self, number: str) -> None:
        """Take back a merge: its name is an entity of its own again.

        Raises:
            ConfigError: there is no such merge.
        """
        active = {each.id: each for each in self.active()}
        if number not in active:
            raise ConfigError(
                f"{self._folder.path} has no merge {number!r}, but {', '.join(active) or 'none'}. "
                "`verifaible kg merge FOLDER` lists them."
            )
        self._lines.add(active[number].model_copy(update={"id": self._next_id(), "undoes": number}))

    def _add(self, kind: str, name: str, into: str, why: Why) -> Merge:
        merge = Merge(id=self._next_id(), type=kind, name=name, into=into, why=why)
        self._lines.add(merge)
        return merge

    def _next_id(self) -> str:
        return str(len(self._lines.read()) + 1)


def normal(name: str) -> str:
    """A name as an entity has it: NFC, and one blank for any white space."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def _ends(triple: Triple) -> tuple[Key, Key]:
    return (triple.head_type, normal(triple.head)), (triple.tail_type, normal(triple.tail))


def own_names(text: str, filer: str) -> frozenset[str]:
    """What a filing calls its filer: quoted in brackets soon after the name, ``Apple Inc. ("Apple")``."""
    found: set[str] = set()
    for place in re.finditer(re.escape(filer), text, re.IGNORECASE) if filer else ():
        near = text[place.end() : place.end() + _NEAR]
        opened = near.find("(")
        # The brackets are about a further name or a number in between: "Apple Inc. 2022 Plan (...)".
        if opened >= 0 and not any(sign.isupper() or sign.isdigit() for sign in near[:opened]):
            inside = text[place.end() + opened : place.end() + opened + 2 * _NEAR].partition(")")[0]
            found.update(_called(each) for each in _QUOTED.findall(inside))
    return frozenset(found - {""})


def _called(name: str) -> str:
    return normal(name).strip(" ,.;").casefold().removeprefix("the ")


def _proposed(counts: Counter[Key], filer: str, own: frozenset[str]) -> Iterator[tuple[str, str, str, Why]]:
    """Type, name, the name that it is merged into, and why: the filer's, else the most frequent one."""
    best: dict[Key, str] = {}
    order = sorted(counts, key=lambda key: (key[1] != filer, -counts[key], key[1].isupper(), key[1]))
    for kind, name in order:
        into = best.setdefault((kind, name.casefold()), name)
        if name != filer and (kind, filer) in counts and _called(name) in own:
            yield kind, name, filer, "own_name"
        elif into != name and _called(into) not in own:
            yield kind, name, into, "case"
