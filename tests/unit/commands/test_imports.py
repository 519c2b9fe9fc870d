"""What reads the store does not import what it has no use for: that would take longer than the reading."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STORE = Path(__file__).resolve().parents[2] / "stores" / "format-2"
PROGRAM = (
    "import atexit, sys; from verifaible.cli import main; "
    "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); main()"
)
NEVER = {"playwright", "mcp", "requests", "trafilatura", "openai", "verifaible.judge", "verifaible.crypto"}
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
    imported, _ = run(words, tmp_path)
    assert "verifaible.evidence.store.store" in imported
    assert not imported & unwanted


def test_a_list_of_an_index_that_is_up_to_date_needs_no_store(tmp_path: Path) -> None:
    _, first = run(("list", "--json"), tmp_path)
    imported, again = run(("list", "--json"), tmp_path)
    assert not imported & {"sqlalchemy", "cryptography", "asyncio", "verifaible.schema.citation"}
    assert again == first != ""
    assert run(("list", "--json", "--limit", "1"), tmp_path)[1] == first.splitlines(keepends=True)[0]


def run(words: tuple[str, ...], home: Path) -> tuple[set[str], str]:
    """The modules that a command imports, and what it prints."""
    shutil.copytree(STORE, home / "snapshots" / "store", dirs_exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, "VERIFAIBLE_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split()), done.stdout
