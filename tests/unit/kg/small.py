"""A small invented filing, and its graph: tests count what is in it, and the one of the demo may grow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.command_line import run_command
from verifaible.kg.folder import GraphFolder
from verifaible.kg.triples import Triple
from verifaible.runs.lines import Lines

SMALL: Final = Path(__file__).with_name("small-10-k.html")
#: An extraction by a model, of nine triples in two chunks.
STATED: Final = "single-a-model"


def add_stated(folder: GraphFolder) -> None:
    """Put that extraction in the folder of this filing, or of the demo's, which has the same tables."""
    text, chunks = folder.filing().text, folder.chunks()
    placed = []
    for each in Lines(SMALL.with_name("small-triples.jsonl"), Triple).read():
        start = text.index(each.quote)
        chunk = next(chunk for chunk in chunks if chunk.start <= start < chunk.end)
        place = {"start": start, "end": start + len(each.quote), "chunk": chunk.id}
        placed.append(each.model_copy(update=place))
    folder.run(STATED).replace(placed)


def taken(home: Path, environment: Mapping[str, str]) -> None:
    """Take it into ``graphs/demo`` of a folder, with what is tagged and what a model extracted."""
    for words in (["ingest", str(SMALL), "--into", "graphs/demo"], ["extract", "graphs/demo"]):
        done = run_command(["kg", *words], environment=environment, folder=home)
        assert done.returncode == 0, done.stderr
    add_stated(GraphFolder(home / "graphs" / "demo"))
