"""Folders of graphs as the viewer reads them: a graph is kept until the files of its folder change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verifaible.errors import VerifaibleError
from verifaible.kg.folder import GraphFolder, Ingested
from verifaible.kg.graph.graph import KnowledgeGraph
from verifaible.viewer.keeping import Kept, Stamp, folder_names, shown_and_address, stamp_of
from verifaible.viewer.runs.timeline import visible

if TYPE_CHECKING:
    from verifaible.viewer.state import House

_FILING = "filing.json"
_KEPT = 25


@dataclass(frozen=True, slots=True)
class OpenedGraph:
    """A graph's folder that was read.

    Attributes:
        ingested: the filing.
        graph: its triples.
        runs: the extractions that they are from.
    """

    ingested: Ingested
    graph: KnowledgeGraph
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphLine:
    """A graph as a list shows it.

    Attributes:
        shown: the name of its folder, without characters that would be obeyed.
        address: of its page; empty where the name cannot stand in an address.
        opened: what was read; None where ``fault`` says why nothing was.
    """

    shown: str
    address: str
    opened: OpenedGraph | None = None
    fault: str = ""


_GRAPHS: Kept[OpenedGraph] = Kept(_KEPT)


def graphs_dir(house: House) -> Path:
    """Where the folders of graphs are: ``graphs`` in the home."""
    return house.settings.home / "graphs"


def graph_names(house: House) -> list[str]:
    """The names of all folders of graphs, in their order.

    Raises:
        RunError: their folder cannot be read.
    """
    return folder_names(graphs_dir(house), holding=_FILING)[::-1]


def graph_lines(house: House, names: Sequence[str]) -> tuple[GraphLine, ...]:
    """Graphs as a list shows them; one that is damaged says so."""
    return tuple(_line(house, name) for name in names)


def open_graph(house: House, name: str) -> OpenedGraph:
    """A graph by the name of its folder.

    Args:
        house: whose graphs.
        name: one of :func:`graph_names`: an address may hold anything, so look there first.

    Raises:
        ConfigError: it holds no filing, or the extra ``kg`` is not installed.
        RunError: it is damaged.
    """
    folder = GraphFolder(graphs_dir(house) / name)

    def read() -> OpenedGraph:
        return OpenedGraph(
            folder.ingested, KnowledgeGraph([folder]), tuple(each.name for each in folder.runs())
        )

    return _GRAPHS.get(str(folder.path), _stamp(folder), read)


def address_of(name: str) -> str:
    """The address of a graph's page; empty for a name that is no text."""
    return shown_and_address(name, "/graphs")[1]


def _stamp(folder: GraphFolder) -> tuple[Stamp, ...]:
    files = (folder.path / _FILING, folder.path / "merges.jsonl")
    return tuple(map(stamp_of, (*files, *(run.triples.path for run in folder.runs()))))


def _line(house: House, name: str) -> GraphLine:
    text, address = shown_and_address(name, "/graphs")
    shown = visible(text)
    try:
        return GraphLine(shown, address, open_graph(house, name))
    except VerifaibleError as fault:
        return GraphLine(shown, address, fault=visible(str(fault)))
