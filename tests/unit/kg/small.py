"""A small invented filing, and its graph: tests count what is in it, and the one of the demo may grow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.command_line import run_command

SMALL: Final = Path(__file__).with_name("small-10-k.html")


def taken(home: Path, environment: Mapping[str, str]) -> None:
    """Take it into ``graphs/demo`` of a folder, with the triples that need no model."""
    for words in (["ingest", str(SMALL), "--into", "graphs/demo"], ["extract", "graphs/demo"]):
        done = run_command(["kg", *words], environment=environment, folder=home)
        assert done.returncode == 0, done.stderr
