"""A store as a whole: whatever is taken from it, put into it or exchanged in it, ``verify --all`` fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.accuracy import tamper
from scripts.accuracy.tamper_steps import take_steps
from scripts.accuracy.tamper_store import Place
from tests.command_line import run_command
from tests.kit import suites
from tests.unit.bench.samples import REPOSITORY
from verifaible.errors import UserError
from verifaible.evidence.audit import audit
from verifaible.store.store import Store


@pytest.fixture(scope="module")
def healthy() -> Iterator[Place]:
    with tamper.made() as place:
        yield place


@pytest.mark.parametrize("row", suites.load("tamper/whole"), ids=lambda row: row.id)
def test_no_store_that_lost_or_gained_anything_passes(
    row: suites.Row, healthy: Place, tmp_path: Path
) -> None:
    place = healthy.copy(tmp_path / "store")
    take_steps(place, row.input["steps"])
    for _ in range(2):  # the first audit makes nothing good
        try:
            found = audit(place.store(), hash_only=True)
        except UserError:
            continue  # refused, with a status that is not 0
        assert not found.ok, found


@pytest.mark.parametrize("name", ["custody.jsonl", "citations", "captures"])
def test_the_command_fails(name: str, healthy: Place, tmp_path: Path) -> None:
    place = healthy.copy(tmp_path / "store")
    environment = {"VERIFAIBLE_STORE": str(place.folder), "VERIFAIBLE_HOME": str(tmp_path)}
    command = ["verify", "--all", "--hash-only"]
    assert run_command(command, environment=environment, folder=tmp_path).returncode == 0
    path = place.path(name)
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    done = run_command(command, environment=environment, folder=tmp_path)
    assert done.returncode == 1
    assert " 0 faults" not in done.stdout or done.stdout.startswith("0 of 3")
    assert done.stderr


def test_a_store_that_has_not_begun_passes(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert audit(store).ok
    assert store.signer  # a key for the archives that are recorded
    found = audit(Store(tmp_path / "store"))
    assert (found.ok, found.notes) == (True, ())


@pytest.mark.parametrize("listed", [True, False], ids=["with its index", "without"])
def test_a_store_that_may_only_be_read_passes(healthy: Place, tmp_path: Path, *, listed: bool) -> None:
    place = healthy.copy(tmp_path / "store")
    if not listed:
        place.path("index.sqlite").unlink()
    folders = [place.folder, *(path for path in place.folder.rglob("*") if path.is_dir())]
    # Whoever is root may write whatever the mode says, unless that right was given up.
    as_owner = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    if as_owner and not shutil.which(as_owner[0]):
        pytest.skip("root cannot be kept from writing here")
    for folder in folders:
        folder.chmod(0o555)
    try:
        done = subprocess.run(
            [*as_owner, sys.executable, "-m", "verifaible.cli", "verify", "--all", "--hash-only"],
            env={**os.environ, "VERIFAIBLE_STORE": str(place.folder), "VERIFAIBLE_HOME": str(tmp_path)},
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (done.returncode, done.stdout) == (0, "3 of 3 verified; 0 faults of the store\n"), done.stderr
    assert "The checks were not recorded" in done.stderr


def test_a_signing_key_that_others_may_read_is_noted(healthy: Place, tmp_path: Path) -> None:
    place = healthy.copy(tmp_path / "store")
    place.path("keys/signing.pem").chmod(0o644)
    found = audit(place.store(), hash_only=True)
    assert found.ok
    assert any("keys/signing.pem" in note and "chmod 600" in note for note in found.notes)
