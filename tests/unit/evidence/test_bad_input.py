"""Stores that are met with bad input: odd texts, strange files, a full disk, a kill, two writers at once."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.marks import nightly
from tests.unit.evidence.samples import add, check, material
from tests.unit.store.files import replace_line
from verifaible.errors import IntegrityError, StoreError
from verifaible.evidence import capture as capture_module
from verifaible.evidence.audit import audit
from verifaible.evidence.verify import verify
from verifaible.store.root import Root
from verifaible.store.sealed import capture_file, citation_file
from verifaible.store.store import Store

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with one citation that has a check."""
    made = Store(tmp_path / "store")
    citation = add(made, "first")
    made.add_check(check(citation))
    return made


def folder(store: Store) -> Path:
    assert isinstance(store.files, Root)
    return store.files.folder


def run(script: str, *arguments: object) -> list[str]:
    """Run a script in a process of its own; gives the lines that it printed."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# --- texts and files


@pytest.mark.parametrize(
    "text", ["a\x00b", "\u202egnp.exe", "\ufeff\u2028\u0085", "𝟓" * 3000, "\x1b[2J", "'; --"]
)
def test_odd_texts_are_kept_as_they_are(store: Store, text: str) -> None:
    quote = f"The rate {text} was 5."
    citation = add(store, text, quote=quote, title=text[:40], url="https://a.example/?q=%00")
    assert store.get(citation.id).claim == text
    assert verify(store.get(citation.id), store).check.verdict == "verified"
    assert store.rows(query=text.strip("\x00\x1b")[:5]) is not None
    assert audit(store).ok


def test_a_capture_of_a_newer_version(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as later:
        later.setattr(capture_module, "CITATION_FORMAT", 9)
        citation = add(store, "newer", title="Newer")
    found = verify(citation, store).check
    assert (found.verdict, "has format 9" in found.message) == ("error", True)
    assert "Update verifaible" in found.message


def test_a_capture_of_another_store_is_not_taken_for_ones_own(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    foreign = add(other, "foreign", title="Foreign")
    parts = material(store, "mine", title="Mine")
    parts["capture"].write_bytes(other.files.read(capture_file(foreign.capture.sha256)))
    draft = parts["draft"].model_copy(update={"capture": foreign.capture})
    citation = store.add(draft, capture=parts["capture"], tiles=parts["tiles"])
    for hash_only in (True, False):
        found = verify(citation, store, hash_only=hash_only).check
        assert (found.verdict, "The store has no key" in found.message) == ("error", True)


_DEEP = b"[" * 100_000
_JUNK = [
    _DEEP,
    b'{"format":' * 50_000,
    b"null",
    b"7",
    b'"x"',
    b"\xff",
    b"",
    b'{"format": 1e999}',
    b'{"key": "\\ud800"}',
]


@pytest.mark.parametrize("junk", _JUNK)
@pytest.mark.parametrize("name", ["custody-head.json", "custody.jsonl", "keys/junk.json"])
def test_files_that_hold_something_else_are_named(store: Store, name: str, junk: bytes) -> None:
    if name == "custody.jsonl":
        replace_line(folder(store), 2, junk)
    else:
        (folder(store) / name).write_bytes(junk)
    again = Store(folder(store))
    assert any(name.rpartition("/")[2] in fault for fault in audit(again, hash_only=True).faults)
    assert [row.claim for row in again.rows()] == ["first"]


@pytest.mark.parametrize("junk", [_DEEP, b'{"verifaible":' * 50_000, b'{"verifaible": {"format": 1e999}}'])
def test_a_citation_or_a_description_that_holds_something_else(store: Store, junk: bytes) -> None:
    (citation,) = store.citations()
    path = folder(store) / citation_file(citation.id)
    path.write_bytes(junk)
    with pytest.raises(IntegrityError, match="Restore it from a copy"):
        Store(folder(store)).get(citation.id)
    assert Store(folder(store)).reindex() == 0
    (folder(store) / "store.json").write_bytes(junk)
    with pytest.raises(StoreError, match=r"store\.json of .* is damaged"):
        Store(folder(store)).rows()


def test_a_key_whose_name_leads_elsewhere(store: Store) -> None:
    head = folder(store) / "custody-head.json"
    for name in ("../signing", "a/../../b", "\x00", "A" * 5000):
        head.write_bytes(json.dumps({**json.loads(head.read_bytes()), "key": name}).encode())
        assert any("The store has no key" in fault for fault in Store(folder(store)).custody.faults())


def test_strange_things_in_the_place_of_files(store: Store) -> None:
    """A folder, a pipe and a link that leads nowhere; nothing waits for the pipe."""
    (citation,) = store.citations()
    for name in (citation_file(citation.id), capture_file(citation.capture.sha256)):
        path = folder(store) / name
        kept = path.read_bytes()
        for make in (Path.mkdir, os.mkfifo, lambda at: at.symlink_to("/nowhere/at/all")):
            path.unlink()
            make(path)
            found = audit(Store(folder(store)), hash_only=True)
            assert (found.verified, len(found.failed)) == (0, 1)
            path.rmdir() if path.is_dir() else path.unlink()
            path.write_bytes(kept)
    assert audit(Store(folder(store))).ok


# --- a full disk

#: Adds a citation under a limit of the size of files, as on a full disk; then again without one.
_FULL = """
import resource, sys
from pathlib import Path
from tests.unit.evidence.samples import add, check
from verifaible.errors import StoreError
from verifaible.evidence.audit import audit
from verifaible.store.store import Store
from verifaible.evidence.verify import verify

hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for limit in map(int, sys.argv[2:]):
    place = Path(sys.argv[1]) / str(limit)
    first = add(Store(place), "first")
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    said = "stored"
    try:
        citation = add(Store(place), "second", title="Second", body="Before. " * 300 + "The rate was 5.33% in February.")
    except StoreError as error:
        said = str(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    store = Store(place)
    listed = sorted(row.claim for row in store.rows())
    assert listed == (["first", "second"] if said == "stored" else ["first"]), (limit, listed, said)
    assert audit(store).ok, (limit, audit(store))
    again = add(store, "second", title="Second", body="Before. " * 300 + "The rate was 5.33% in February.")
    assert verify(again, store).check.verdict == "verified"
    assert store.count() == 2
    assert audit(store).ok, (limit, audit(store))
    assert not list(place.rglob(".*")), limit
    print(said)
"""


@pytest.mark.nightly
def test_a_disk_that_fills_while_sealing(tmp_path: Path) -> None:
    if resource.getrlimit(resource.RLIMIT_FSIZE)[1] not in (resource.RLIM_INFINITY, -1):
        pytest.skip("file sizes are limited on this machine")
    # From the first file to the last: too small for the capture, the picture, the citation, the entry, the
    # index; and enough for everything.
    limits = (0, 50, 100, 700, 1000, 1500, 2500, 4000, 1 << 20)
    said = run(_FULL, tmp_path, *limits)
    assert len(said) == len(limits)
    assert said[-1] == "stored"
    refused = [line for line in said if line != "stored"]
    assert len(refused) >= 5
    assert all("File too large" in line and ("Free" in line or "free" in line) for line in refused), refused


# --- a kill

#: Forks once for each point; the fork adds a citation and kills itself when so many lines were run.
_KILLED = """
import os, random, shutil, signal, sys
from pathlib import Path
from tests.unit.evidence.samples import add, check
from verifaible.archive import wacz
from verifaible.store import lines as line_files, log, root
from verifaible.store import database, index
from verifaible.store import store as module
from verifaible.evidence.audit import audit
from verifaible.evidence.verify import verify

home, points = Path(sys.argv[1]), int(sys.argv[2])
traced = {each.__file__ for each in (wacz, log, line_files, root, index, database, module)}
base = home / "base"
first = add(module.Store(base), "first")
module.Store(base).add_check(check(first))

def write(place, point):
    reached = 0
    def trace(frame, event, argument):
        nonlocal reached
        if frame.f_code.co_filename not in traced:
            return None
        if event == "line":
            reached += 1
            if reached == point:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace
    store = module.Store(place)
    sys.settrace(trace)
    add(store, "second", title="Second", check=check(first))
    sys.settrace(None)
    return reached

shutil.copytree(base, home / "whole")
lines = write(home / "whole", 0)
chance = random.Random(7)
for point in sorted(chance.sample(range(1, lines), points)):
    place = home / f"{point:05}"
    shutil.copytree(base, place)
    child = os.fork()
    if not child:
        write(place, point)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    store = module.Store(place)
    listed = sorted(row.claim for row in store.rows())
    assert listed in (["first"], ["first", "second"]), (point, listed)
    assert all(verify(each, store).check.verdict == "verified" for each in store.citations()), point
    # A file without its entry is the one thing that an audit names; it names nothing else.
    found = audit(store, hash_only=True)
    assert not found.failed, (point, found)
    assert all("kill came before its entry" in fault and "elete " in fault for fault in found.faults), (point, found)
    again = add(store, "second", title="Second", check=check(first))
    assert sorted(row.claim for row in module.Store(place).rows()) == ["first", "second"], point
    assert verify(again, store).check.verdict == "verified", point
    assert audit(module.Store(place)).ok, (point, audit(module.Store(place)))
    numbers = [entry.number for entry in store.custody.entries()]
    assert numbers == list(range(1, len(numbers) + 1)), point
    print(len(listed))
"""


@pytest.mark.parametrize("points", [10, nightly(30)])
def test_a_kill_at_points_of_an_addition(points: int, tmp_path: Path) -> None:
    done = run(_KILLED, tmp_path, points)
    assert len(done) == points
    assert set(done) == {"1", "2"}  # some before the entry was there, some behind it
    assert done == sorted(done)


# --- two at once

#: Forks for each name, so that Python is started once; all begin when the last is there.
_ADDING = """
import os, sys
from pathlib import Path
from multiprocessing import Barrier
from tests.unit.evidence.samples import add, check
from verifaible.store.store import Store

place, count, names = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
begin, forks = Barrier(len(names)), []
for name in names:
    if fork := os.fork():
        forks.append(fork)
        continue
    store = Store(place)
    begin.wait()
    for number in range(count):
        citation = add(store, f"{name} {number}", title=f"{name} {number}")
        store.add_check(check(citation))
        os.write(1, f"{name} {citation.id}\\n".encode())  # one write: lines of others do not come between
    os._exit(0)
sys.exit(any([os.waitpid(fork, 0)[1] for fork in forks]))
"""


def test_processes_that_add_at_once(tmp_path: Path) -> None:
    """Even the store itself, its key and its first entry are made at once; nothing is lost or double."""
    place, count = tmp_path / "store", 8
    said = [line.split() for line in run(_ADDING, place, count, *"abc")]
    added = [[identity for who, identity in said if who == name] for name in "abc"]
    assert [len(each) for each in added] == [count] * 3
    store = Store(place)
    assert sorted(row.id for row in store.rows()) == sorted(name for each in added for name in each)
    numbers = [entry.number for entry in store.custody.entries()]
    assert numbers == list(range(1, 2 * 3 * count + 1))
    found = audit(store)
    assert (found.checked, found.verified, found.faults, found.notes) == (3 * count, 3 * count, (), ())
    before = store.rows()
    assert store.reindex() == 3 * count
    assert store.rows() == before


def test_what_is_refused_says_what_to_do(store: Store) -> None:
    """Every refusal of this floor ends with advice."""
    (citation,) = store.citations()
    (folder(store) / capture_file(citation.capture.sha256)).write_bytes(b"PK")
    with pytest.raises(IntegrityError, match="Restore it from a copy"), store.open_capture(citation):
        pass
    with pytest.raises(StoreError, match="verifaible list"):
        store.get("nothing")
