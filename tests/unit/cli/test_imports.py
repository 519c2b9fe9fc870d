"""What reads the store does not import what it has no use for: that would take longer than the reading."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.evidence.samples import add
from verifaible.store.store import Store

PROGRAM = (
    "import atexit, sys; from verifaible.cli import main; "
    "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); main()"
)
NEVER = {"playwright", "mcp", "requests", "bs4", "openai", "verifaible.judge", "verifaible.crypto"}
FOR_A_LIST = {"lxml", "rapidfuzz", "jinja2", "verifaible.archive.reader", "verifaible.browser", "psycopg"}


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        (("list",), NEVER | FOR_A_LIST | {"sqlalchemy.dialects.postgresql"}),
        (("show", "latest"), NEVER),
        (("verify", "latest"), NEVER),
    ],
    ids=lambda given: given[0] if isinstance(given, tuple) else "",
)
def test_only_what_is_needed_is_imported(words: tuple[str, ...], unwanted: set[str], tmp_path: Path) -> None:
    imported = run(words, tmp_path)
    assert "verifaible.store.store" in imported
    assert not imported & unwanted


def run(words: tuple[str, ...], home: Path) -> set[str]:
    """The modules that a command imports."""
    add(Store(home / "snapshots" / "store"))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, "VERIFAIBLE_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())
