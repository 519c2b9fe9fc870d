"""A store as a whole: whatever is taken from it, put into it or exchanged in it, ``verify --all`` fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from scripts.accuracy import tamper
from scripts.accuracy.tamper_store import Place
from tests.command_line import run_command
from tests.unit.bench.samples import REPOSITORY
from tests.unit.evidence.samples import add
from verifaible.errors import UserError
from verifaible.evidence.check.audit import audit
from verifaible.store.entries import HEAD, file_of
from verifaible.store.keys import key_id
from verifaible.store.sealed import citation_file, picture_files
from verifaible.store.store import Store

Tamper: TypeAlias = Callable[[Place], object]


def remove(*names: str) -> Tamper:
    """Take away whole folders and files; a pattern stands for all that it matches."""

    def tamper(place: Place) -> None:
        for name in names:
            found = list(place.folder.glob(name))
            assert found, name
            for path in found:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    return tamper


def edit(name: Callable[[Place], str] | str, change: Callable[[bytes], bytes]) -> Tamper:
    return lambda place: place.edit(name if isinstance(name, str) else name(place), change)


def put(name: str, data: bytes = b"{}") -> Tamper:
    def tamper(place: Place) -> None:
        place.path(name).parent.mkdir(exist_ok=True)
        place.path(name).write_bytes(data)

    return tamper


def exchange(one: Callable[[Place], str], other: Callable[[Place], str]) -> Tamper:
    def tamper(place: Place) -> None:
        first, second = place.path(one(place)).read_bytes(), place.path(other(place)).read_bytes()
        place.path(one(place)).write_bytes(second)
        place.path(other(place)).write_bytes(first)

    return tamper


def both(*tampers: Tamper) -> Tamper:
    return lambda place: [each(place) for each in tampers]


def foreign(*folders: str) -> Tamper:
    """Folders of a sound store of somebody else, in the place of this one's."""

    def tamper(place: Place) -> None:
        other = Store(place.folder.with_name("other"))
        add(other)
        for name in folders:
            shutil.rmtree(place.path(name))
            shutil.copytree(place.folder.with_name("other") / name, place.path(name))

    return tamper


def begun_anew(place: Place) -> None:
    """The log is taken away, and the store is added to, so that there is a new one."""
    shutil.rmtree(place.path("custody"))
    add(place.store(), "later", title="Later")


def copied(source: Callable[[Place], str], target: str) -> Tamper:
    return lambda place: shutil.copy(place.path(source(place)), place.path(target))


def victim(place: Place) -> str:
    return citation_file(place.victim.id)


def table(place: Place) -> str:
    return citation_file(place.table.id)


def capture(place: Place) -> str:
    return place.capture


def table_capture(place: Place) -> str:
    return f"captures/{place.table.capture.sha256}.wacz"


def picture(place: Place) -> str:
    return next(iter(picture_files(place.victim)))


def check(place: Place) -> str:
    (path, *_) = place.path(f"checks/{place.victim.id}").iterdir()
    return f"checks/{place.victim.id}/{path.name}"


def first_key(place: Place) -> str:
    return f"keys/{key_id(place.first.public_key)}.json"


def torn(data: bytes) -> bytes:
    return data[: len(data) // 2]


CASES: dict[str, Tamper] = {
    "the log": remove("custody"),
    "the log, the index": remove("custody", "index.sqlite"),
    "the log, the description": remove("custody", "store.json"),
    "the log, the keys": remove("custody", "keys"),
    "the log, keys, description, index": remove("custody", "keys", "store.json", "index.sqlite"),
    "all but the citations": remove("custody", "keys", "store.json", "index.sqlite", "captures", "pictures"),
    "all but the captures": remove("custody", "keys", "store.json", "index.sqlite", "citations", "checks"),
    "all but the keys": remove("custody", "index.sqlite", "citations", "checks", "captures", "pictures"),
    "all but keys and description": remove("custody", "citations", "checks", "captures", "pictures"),
    "all entries, not the head": remove("custody/0*"),
    "all entries and the keys, not the head": remove("custody/0*", "keys"),
    "the head": remove("custody/head.json"),
    "the first entry": remove("custody/000000001.json"),
    "the log begun anew": begun_anew,
    "the log of another store": foreign("custody"),
    "log and keys of another store": foreign("custody", "keys"),
    "log, keys and captures of another store": foreign("custody", "keys", "captures"),
    "an entry truncated": edit(file_of(2), torn),
    "an entry emptied": edit(file_of(2), lambda _: b""),
    "the last entry truncated": lambda p: p.edit(file_of(p.last()), torn),
    "entries reordered": exchange(lambda _: file_of(2), lambda _: file_of(3)),
    "an entry twice": lambda p: shutil.copy(p.path(file_of(2)), p.path(file_of(p.last() + 1))),
    "the head truncated": edit(HEAD, torn),
    "the head emptied": edit(HEAD, lambda _: b""),
    "all keys": remove("keys/*.json"),
    "the first key": lambda p: p.path(first_key(p)).unlink(),
    "a key exchanged": exchange(first_key, lambda p: f"keys/{key_id(p.foreign.public_key)}.json"),
    "a key truncated": edit(first_key, torn),
    "all citations": remove("citations"),
    "a citation removed": lambda p: p.path(victim(p)).unlink(),
    "a citation edited": edit(victim, lambda data: data.replace(b"5.33", b"5.38")),
    "a citation emptied": edit(victim, lambda _: b""),
    "two citations exchanged": exchange(victim, table),
    "a stray citation": lambda p: p.forged(claim="The rate was 5.38%"),
    "a stray file among the citations": put("citations/ffffffffffffffffffff.json"),
    "a citation under another name": copied(victim, "citations/copy-of-it.json"),
    "all captures": remove("captures"),
    "a capture removed": lambda p: p.path(capture(p)).unlink(),
    "a capture truncated": edit(capture, torn),
    "a capture emptied": edit(capture, lambda _: b""),
    "two captures exchanged": exchange(capture, table_capture),
    "all pictures": remove("pictures"),
    "a picture truncated": edit(picture, torn),
    "two pictures exchanged": exchange(picture, lambda p: next(iter(picture_files(p.table)))),
    "all checks": remove("checks"),
    "a check truncated": edit(check, torn),
    "a check emptied": edit(check, lambda _: b""),
    "a stray time stamp": put("timestamps/000000001.tsr", b"0"),
    "the description": remove("store.json"),
    "the description, the index": remove("store.json", "index.sqlite"),
    "the description emptied": edit("store.json", lambda _: b""),
    "an index of another store": both(foreign("pictures"), lambda p: shutil.copy(
        p.folder.with_name("other") / "index.sqlite", p.path("index.sqlite")
    )),
}  # fmt: skip


@pytest.fixture(scope="module")
def healthy() -> Iterator[Place]:
    with tamper.made() as place:
        yield place


@pytest.mark.parametrize("case", CASES)
def test_no_store_that_lost_or_gained_anything_passes(case: str, healthy: Place, tmp_path: Path) -> None:
    place = healthy.copy(tmp_path / "store")
    CASES[case](place)
    for _ in range(2):  # the first audit makes nothing good
        try:
            found = audit(place.store(), hash_only=True)
        except UserError:
            continue  # refused, with a status that is not 0
        assert not found.ok, found


@pytest.mark.parametrize("name", ["custody", "citations", "captures"])
def test_the_command_fails(name: str, healthy: Place, tmp_path: Path) -> None:
    place = healthy.copy(tmp_path / "store")
    environment = {"VERIFAIBLE_STORE": str(place.folder), "VERIFAIBLE_HOME": str(tmp_path)}
    command = ["verify", "--all", "--hash-only"]
    assert run_command(command, environment=environment, folder=tmp_path).returncode == 0
    shutil.rmtree(place.path(name))
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
